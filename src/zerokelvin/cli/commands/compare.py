"""``zerokelvin compare``: every learner and other packages' classifiers on one labelled graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.late_help import LateHelp
from zerokelvin.cli.number_options import POSITIVE, SECONDS
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
from zerokelvin.cli.sweep_options import sweep_options, tell_of_results
from zerokelvin.errors import ParameterError

if TYPE_CHECKING:
    from zerokelvin.experiments import Comparison, Problem
    from zerokelvin.sweeps.cells import Spread

__all__ = ["compare"]


def _peers() -> list[str]:
    from zerokelvin.experiments.peers import PEERS

    return list(PEERS)


@click.command()
@problem_arguments
@click.option("--labels", "labels_option", metavar="LABELS", help="The same as the argument LABELS.")
@click.option("--learners", metavar="NAMES", help="Learners, separated by commas, or 'none'.  [default: all]")
@click.option(
    "--peers",
    metavar="NAMES",
    cls=LateHelp,
    listing=_peers,
    help="Other packages' classifiers, separated by commas: {}, or 'none'.  [default: all]",
)
@problem_options(shuffles=3)
@click.option(
    "--refit",
    type=POSITIVE,
    metavar="N",
    help="Fit batch classifiers again after N labels.  [default: after each per cent of the nodes]",
)
@table_options
@click.option(
    "--time-limit",
    type=SECONDS,
    default=60.0,
    show_default=True,
    help="Seconds for all games of a row together.",
)
@click.option(
    "--output",
    metavar="DIR",
    default="zerokelvin-compare",
    show_default=True,
    help="Folder for the picture, made if missing.",
)
@click.option("--picture/--no-picture", default=True, show_default=True, help="Draw the picture.")
@common_options
@gather_options
@sweep_options
def compare(
    graph: str,
    labels: str | None,
    labels_option: str | None,
    learners: str | None,
    peers: str | None,
    shuffles: int,
    seed: int,
    component: str,
    neighbors: int,
    refit: int | None,
    time_limit: float,
    output: str,
    picture: bool,
    as_json: bool,
    reading: Reading,
    spread: Spread,
) -> None:
    """Play every learner, and what you might use instead, on a labelled GRAPH.

    All play the same random orders, one node at a time. Learners have their default parameters. Other
    packages' classifiers see every label; those that learn in batches are fitted again as labels arrive and
    predict from the last fit in between. One that is not installed is listed as such.

    \b
    Examples:
      zerokelvin compare cora --component largest
      zerokelvin compare edges.csv labels.csv --learners auto,pounce --peers none
      zerokelvin compare edges.csv --labels labels.csv --refit 50 --time-limit 10
      zerokelvin compare digits --neighbors 5 --shuffles 1 --json
      zerokelvin compare pubmed --jobs 2 --results rows

    With --json: graph, nodes, edges, classes, trials, shuffles, seed, time_limit, majority_error, rows,
    files; each row has name, package, error, error_std, queried_nodes, seconds, note, games, macro_f1, auc,
    average_precision.

    Next: 'zerokelvin run GRAPH --learner NAME' looks closer at one learner.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import compare as play_all
    from zerokelvin.experiments.reproduction.reproduction import free_folder

    if labels is not None and labels_option is not None:
        raise ParameterError("labels are given twice; use LABELS or --labels, not both.")
    folder = free_folder(output, "compare.png", "compare.svg") if picture else None
    with reporting() as report, reading.saying_it_once():
        chosen = labels_option if labels is None else labels
        problem = read_problem(report, graph, chosen, component, neighbors, reading)

        def playing(task: str, done: int, total: int | None) -> None:
            reading.announce()
            report(task, done, total)

        found = play_all(
            problem.graph,
            problem.labels,
            learners=_names(learners),
            peers=_names(peers),
            shuffles=shuffles,
            seed=seed,
            refit=refit,
            time_limit=time_limit,
            progress=playing,
            spread=spread,
        )
        tell_of_results(spread)
        reading.announce()
        files, failure = ([], None) if folder is None else attempt(lambda: _draw(problem, found, folder))
    if as_json:
        print_json({"graph": problem.name} | found.as_dict() | {"files": [str(path) for path in files]})
    else:
        _show(problem, found)
        for path in files:
            print_text(f"Saved {path}")
    if failure is not None:
        raise failure


def _names(text: str | None) -> list[str] | None:
    if text is None:
        return None
    return [] if text.strip() == "none" else [name.strip() for name in text.split(",")]


def _draw(problem: Problem, found: Comparison, folder: Path) -> list[Path]:
    from zerokelvin.experiments.figures.comparison_figure import draw_comparison
    from zerokelvin.experiments.plots import save

    folder.mkdir(parents=True, exist_ok=True)
    orders = "one random order" if found.shuffles == 1 else f"{found.shuffles} random orders"
    figure = draw_comparison(found, f"{problem.name}: {found.nodes:,} nodes, {orders}")
    return [save(figure, folder / f"compare.{suffix}") for suffix in ("png", "svg")]


def _show(problem: Problem, found: Comparison) -> None:
    from zerokelvin.experiments.comparison import OWN

    text = f"{problem.name}: {found.nodes:,} nodes, {found.edges:,} edges, {found.classes} classes"
    if problem.left_out:
        text += f" ({problem.left_out:,} nodes outside the largest component left out)"
    orders = "1 order" if found.shuffles == 1 else f"{found.shuffles} orders"
    print_text(f"{text}; {orders} of {found.trials:,} trials.")
    print_text(
        f"Always naming the most frequent class is wrong {percent(found.majority_error, 2)} of the time."
    )
    two = found.classes == 2
    rows = []
    for row in found.rows:
        cells = [row.name, "" if row.package == OWN else row.package]
        if row.error is None:
            rows.append([*cells, "", *[""] * (3 if two else 1), "", "", row.note])
            continue
        asked = row.queried_nodes or 0.0
        spread = "" if found.shuffles == 1 else f" ± {percent(row.error_std or 0.0, 2)}"
        error = percent(row.error, 2) + spread
        share = percent(asked / max(found.trials, 1))
        quality = [
            _figure(row.macro_f1),
            *([_figure(row.auc), _figure(row.average_precision)] if two else []),
        ]
        rows.append([*cells, error, *quality, f"{asked:,.0f} ({share})", f"{row.seconds:.3g}", row.note])
    columns = ["learner", "package", "error", "macro-F1", *(["AUC", "AP"] if two else [])]
    columns += ["nodes asked", "seconds", ""]
    numbers = tuple(range(2, len(columns) - 1))
    if not any(row[-1] for row in rows):
        columns, rows = columns[:-1], [row[:-1] for row in rows]
    print_table(columns, rows, numbers=numbers)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"
