"""``zerokelvin evaluate``: how good predictions would be on a graph some of whose labels are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerokelvin.cli.class_table import print_classes
from zerokelvin.cli.group import common_options
from zerokelvin.cli.learner_options import learner_options, policy_option
from zerokelvin.cli.number_options import Number
from zerokelvin.cli.output import percent, print_json, print_table, print_text
from zerokelvin.cli.problem_options import (
    Reading,
    gather_options,
    problem_arguments,
    problem_options,
    read_problem,
    table_options,
)
from zerokelvin.cli.progress import reporting

if TYPE_CHECKING:
    from zerokelvin.experiments.predictions.evaluation import Evaluation

__all__ = ["evaluate"]


@click.command()
@problem_arguments
@click.option(
    "--folds",
    type=Number(2, 1000),
    default=5,
    show_default=True,
    help="Into how many parts the labels are dealt; each is hidden in turn.",
)
@learner_options
@policy_option("value")
@problem_options(shuffles=3)
@table_options
@common_options
@gather_options
def evaluate(
    graph: str,
    labels: str | None,
    folds: int,
    learner: str,
    assignments: tuple[str, ...],
    policy: str,
    shuffles: int,
    seed: int,
    component: str,
    neighbors: int,
    as_json: bool,
    reading: Reading,
) -> None:
    """Measure how good predictions on GRAPH would be, by the labels in LABELS.

    Held out: a part of the labels is hidden, the rest is taught, the hidden ones are predicted; each part in
    turn. That is what 'zerokelvin predict' would do with these labels. One at a time: all labels in random
    orders, each predicted before it is told, from the first on. Both stand beside the majority guess, which
    names the most frequent class always.

    \b
    Examples:
      zerokelvin evaluate edges.csv labels.csv
      zerokelvin evaluate edges.csv labels.csv --folds 10 --learner longest-path
      zerokelvin evaluate paid.csv who.csv --source payer --target payee --label kind --json

    With --json: nodes, edges, labels, learner, folds, shuffles, seed, classes, held_out (nodes, error, asked,
    unasked_error, calibration_error, majority_error, macro_f1, auc, average_precision, sought, per_class),
    online (error, error_std), policy.

    Next: 'zerokelvin compare' plays all learners, 'zerokelvin predict' labels the rest.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import parse_parameters
    from zerokelvin.experiments.predictions.evaluation import evaluate as measure

    params = parse_parameters(learner, assignments)
    with reporting() as report, reading.saying_it_once():
        problem = read_problem(report, graph, labels, component, neighbors, reading)

        def working(task: str, done: int, total: int | None) -> None:
            reading.announce()
            report(task, done, total)

        found = measure(
            problem.graph,
            problem.labels,
            learner,
            params=params,
            policy=policy,
            folds=folds,
            shuffles=shuffles,
            seed=seed,
            progress=working,
        )
    print_json(found.as_dict() | {"policy": policy}) if as_json else _show(problem.name, found)


def _show(name: str, found: Evaluation) -> None:
    hidden = found.held_out
    figures = hidden.figures
    print_text(
        f"{found.nodes:,} nodes, {found.labels:,} with a label, {len(found.classes)} classes; "
        f"learner {found.learner}."
    )
    unasked = "–" if hidden.unasked_error is None else percent(hidden.unasked_error, 2)
    asked = int(hidden.asks.sum())
    spread = "" if found.shuffles == 1 else f" ± {percent(found.online_error_std, 2)}"
    rows = [
        ["wrong, majority guess", percent(figures.majority_error, 2), f"always {_most_frequent(found)}"],
        ["wrong, held out", percent(figures.error, 2), f"{found.folds} parts, each hidden in turn"],
        ["wrong where not asked", unasked, f"{asked:,} of {len(hidden.codes):,} worth asking about"],
        ["wrong, one at a time", percent(found.online_error, 2) + spread, f"{found.shuffles} random orders"],
        ["macro-F1", f"{figures.macro_f1:.3f}", "mean over the classes"],
        ["calibration error", f"{hidden.calibration_error:.3f}", "probabilities against frequencies"],
    ]
    if figures.auc is not None and figures.average_precision is not None:
        rows.append(["AUC", f"{figures.auc:.3f}", f"order of '{figures.sought}'; random .5"])
        share = figures.counts.min() / figures.counts.sum()
        rows.append(["average precision", f"{figures.average_precision:.3f}", f"random {share:.3f}"])
    print_table([name, "", ""], rows, numbers=(1,))
    print_classes(figures.as_dict()["per_class"])


def _most_frequent(found: Evaluation) -> str:
    return f"'{found.classes[int(found.held_out.figures.counts.argmax())]}'"
