"""``zerokelvin run``: a learner over a labelled graph, in several random orders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.cli.class_table import print_classes
from zerokelvin.cli.group import common_options
from zerokelvin.cli.learner_options import learner_options, policy_option
from zerokelvin.cli.number_options import COUNT, GAMES, MOMENTS, POSITIVE, require_memory
from zerokelvin.cli.output import attempt, percent, print_json, print_table, print_text
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
    from zerokelvin.experiments import CheckedRuns, Problem, Summary
    from zerokelvin.games import Runs

__all__ = ["run"]


@click.command()
@problem_arguments
@learner_options
@problem_options(shuffles=20)
@policy_option("always")
@click.option("--budget", type=COUNT, help="Ask for at most this many labels in a game.  [default: no limit]")
@click.option(
    "--label-noise",
    default=0.0,
    show_default=True,
    help="Chance that a shown label is replaced by another class.",
)
@click.option(
    "--concept-noise",
    default=0.0,
    show_default=True,
    help="Chance that a node's label is changed before the game.",
)
@click.option(
    "--repeats", type=GAMES, default=1, show_default=True, help="How often each order is played in a row."
)
@click.option(
    "--delay", type=COUNT, default=0, show_default=True, help="How many trials late a label arrives."
)
@click.option(
    "--drift",
    type=MOMENTS,
    default=0,
    show_default=True,
    help="How often two classes change places during a game.",
)
@click.option(
    "--checks",
    type=GAMES,
    metavar="N",
    help="Also tell what N random checks prove of the labels that go out unasked.",
)
@click.option("--confidence", default=0.95, show_default=True, help="Of what the checks prove.")
@click.option("--forget", type=POSITIVE, metavar="W", help="Predict from the latest W to 2W answers only.")
@table_options
@click.option("--plot", metavar="FILE", help="Save the cumulative curves as png, svg or pdf.")
@common_options
@gather_options
def run(
    graph: str,
    labels: str | None,
    learner: str,
    assignments: tuple[str, ...],
    component: str,
    neighbors: int,
    checks: int | None,
    confidence: float,
    plot: str | None,
    as_json: bool,
    reading: Reading,
    **game: Any,
) -> None:
    """Measure a learner on a labelled GRAPH.

    Every node is predicted, then its label may be asked for and learned, in several random orders; the
    errors are means over the orders, with their standard deviations. GRAPH is a file (csv, tsv, txt,
    parquet, mtx, graphml, gml, npz, json), or a name that 'zerokelvin datasets' lists. LABELS is a table of
    nodes and labels; leave it out where GRAPH holds labels too. Columns that are not plainly named are never
    guessed: name them. What was read is said on standard error.

    \b
    Examples:
      zerokelvin run edges.csv labels.csv
      zerokelvin run paid.csv who.csv --source payer --target payee --weight amount --label kind
      zerokelvin run cora --learner perceptron --param b=2 --component largest
      zerokelvin run digits --neighbors 5 --policy margin:0.1 --plot curves.png
      zerokelvin run cora --shuffles 5 --json
      zerokelvin run digits --policy margin:0.1 --checks 200

    With --json: learner, params, nodes, edges, classes, trials, error_binary, error_binary_std,
    error_multiclass, error_multiclass_std, queries, queried_nodes, seconds, bound, majority_error, macro_f1,
    sought, auc, average_precision, per_class; with --checks also guarantee: confidence, checks, unasked,
    error_at_most, error, which are means over the orders.

    Next: 'zerokelvin learners NAME' explains a learner and its parameters.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import check_unasked, parse_parameters, summarize
    from zerokelvin.games import play_shuffles
    from zerokelvin.guarantee import require_confidence

    params = parse_parameters(learner, assignments)
    require_confidence(confidence)
    if plot is not None:
        from zerokelvin.experiments.plots import check_picture

        check_picture(plot)
    with reporting() as report, reading.saying_it_once():
        problem = read_problem(report, graph, labels, component, neighbors, reading)
        require_memory(problem, game["shuffles"], game["repeats"])

        def playing(*at: int) -> None:
            reading.announce()
            report("Playing", at[0], at[1])

        runs = play_shuffles(
            problem.graph,
            problem.labels,
            learner,
            progress=playing,
            **game,
            **params,
        )
        reading.announce()
        report("Summing up", 0, None)
        summary = summarize(runs)
        checked = None if checks is None else check_unasked(runs, checks, confidence)
        files, failure = attempt(lambda: [] if plot is None else [_draw(problem, summary, runs, plot)])
    if as_json:
        print_json(summary.as_dict() | ({} if checked is None else {"guarantee": checked.as_dict()}))
    else:
        _show(problem, summary, checked, runs, files)
    if failure is not None:
        raise failure


def _draw(problem: Problem, summary: Summary, runs: Runs, plot: str) -> Path:
    from zerokelvin.experiments.plots import draw_curves, save

    asked = percent(summary.queried_nodes / summary.nodes)
    title = f"{problem.name}: {percent(summary.error_multiclass)} wrong, {asked} of the nodes asked"
    return save(draw_curves({summary.learner: runs.runs}, title), plot)


def _show(
    problem: Problem, summary: Summary, checked: CheckedRuns | None, runs: Runs, files: list[Path]
) -> None:
    nodes = f"{summary.nodes:,} nodes, {summary.edges:,} edges, {summary.classes} classes"
    if problem.left_out:
        nodes += f" ({problem.left_out:,} nodes outside the largest component left out)"
    params = ", ".join(f"{name}={value}" for name, value in summary.params.items())
    games, mistakes = len(runs.runs), runs.runs[0].mistakes
    rows = [
        ["graph", nodes],
        ["learner", f"{summary.learner} ({params})"],
        ["games", f"{games} orders of {summary.trials:,} trials, {summary.seconds:.3g} s each"],
        ["error", f"{percent(summary.error_multiclass, 2)} ± {percent(summary.error_multiclass_std, 2)}"],
        ["one-vs-rest error", f"{percent(summary.error_binary, 2)} ± {percent(summary.error_binary_std, 2)}"],
        ["majority guess", f"{percent(summary.majority_error, 2)} wrong: always the most frequent class"],
        ["macro-F1", f"{summary.macro_f1:.3f}"],
        *_order(summary),
        ["nodes asked", f"{summary.queried_nodes:,.0f} ({percent(summary.queried_nodes / summary.nodes)})"],
        ["bound, first game", summary.bound.told(summary.trials, mistakes)],
    ]
    if checked is not None:
        rows.append(["random checks", str(checked)])
    print_table([problem.name, ""], rows)
    print_classes(summary.per_class)
    for path in files:
        print_text(f"Saved {path}")


def _order(summary: Summary) -> list[list[str]]:
    """How well the margins order the nodes of two classes."""
    if summary.auc is None or summary.average_precision is None:
        return []
    share = min(row["count"] for row in summary.per_class) / summary.trials
    return [
        ["AUC", f"{summary.auc:.3f} looking for '{summary.sought}' (at random .5)"],
        ["average precision", f"{summary.average_precision:.3f} (at random {share:.3f})"],
    ]
