"""``zerokelvin run``: a learner over a labelled graph, in several random orders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.cli.class_table import print_classes
from zerokelvin.cli.group import common_options
from zerokelvin.cli.learner_options import grid_options, policy_option
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
from zerokelvin.cli.progress import Report, reporting
from zerokelvin.cli.sweep_options import sweep_options, tell_of_results

if TYPE_CHECKING:
    from zerokelvin.experiments import Problem, Summary
    from zerokelvin.games import Runs
    from zerokelvin.sweeps.cells import Spread

__all__ = ["run"]


@click.command()
@problem_arguments
@grid_options
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
@sweep_options
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
    spread: Spread,
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
      zerokelvin run cora --learner ollgc --param mu=0.1,1,10 --param rank=50,100 --jobs 2
      zerokelvin run cora --shuffles 100 --cluster tcp://scheduler:8786 --results games

    With --json: learner, params, nodes, edges, classes, trials, error_binary, error_binary_std,
    error_multiclass, error_multiclass_std, queries, queried_nodes, seconds, bound, majority_error, macro_f1,
    sought, auc, average_precision, per_class; with --cost also cost; with --checks also guarantee:
    confidence, checks, unasked, error_at_most, error, which are means over the orders. Of a grid: learner,
    and these as a list named grid.

    Next: 'zerokelvin learners NAME' explains a learner and its parameters.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import parse_grid
    from zerokelvin.guarantee import require_confidence

    grid = parse_grid(learner, assignments)
    require_confidence(confidence)
    if plot is not None:
        from zerokelvin.experiments.plots import check_picture

        check_picture(plot)
    with reporting() as report, reading.saying_it_once():
        problem = read_problem(report, graph, labels, component, neighbors, reading)
        require_memory(problem, len(grid) * game["shuffles"], game["repeats"])

        def playing(task: str, done: int, total: int | None) -> None:
            reading.announce()
            report(task, done, total)

        played = _play(problem, learner, grid, game, spread, playing)
        reading.announce()
        tell_of_results(spread)
        found = [_Found(runs, checks, confidence, report) for runs in played]
        files, failure = attempt(lambda: [] if plot is None else [_draw(problem, found, plot)])
    if len(grid) > 1:
        if as_json:
            print_json({"learner": learner, "grid": [one.as_dict() for one in found]})
        else:
            _show_grid(problem, list(dict.fromkeys(name for one in grid for name in one)), found, files)
    elif as_json:
        print_json(found[0].as_dict())
    else:
        _show(problem, found[0], files)
    if failure is not None:
        raise failure


def _play(
    problem: Problem,
    learner: str,
    grid: list[dict[str, Any]],
    game: dict[str, Any],
    spread: Spread,
    playing: Report,
) -> list[Runs]:
    """The games of every combination of parameters: one after the other here, or as cells of a sweep."""
    from zerokelvin.games import play_shuffles

    if len(grid) == 1 and not spread.asked_for:

        def trials(done: int, total: int) -> None:
            playing("Playing", done, total)

        params = game | grid[0]
        return [play_shuffles(problem.graph, problem.labels, learner, progress=trials, **params)]
    from zerokelvin.games.labels import encode_labels
    from zerokelvin.learners import make
    from zerokelvin.sweeps.game_cells import GameStage, play_games

    settings = {name: value for name, value in game.items() if name not in ("shuffles", "seed")}
    seeds = range(game["seed"], game["seed"] + game["shuffles"])
    stage = GameStage(problem.graph, encode_labels(problem.graph, problem.labels), settings)
    learners = [make(learner, **params) for params in grid]
    with spread.place() as place:
        return play_games(stage, learners, seeds, place, spread.store(), playing)


class _Found:
    """The games of one combination, summed up; with what random checks prove where that is wanted."""

    def __init__(self, runs: Runs, checks: int | None, confidence: float, report: Report) -> None:
        from zerokelvin.experiments import check_unasked, summarize

        report("Summing up", 0, None)
        self.runs, self.summary = runs, summarize(runs)
        self.checked = None if checks is None else check_unasked(runs, checks, confidence)

    def as_dict(self) -> dict[str, Any]:
        """All that was found as plain values, for JSON."""
        checked = {} if self.checked is None else {"guarantee": self.checked.as_dict()}
        return self.summary.as_dict() | checked


def _draw(problem: Problem, found: list[_Found], plot: str) -> Path:
    from zerokelvin.experiments.plots import draw_curves, save

    summary = found[0].summary
    if len(found) > 1:
        varied = _varied(found)
        curves = {
            ", ".join(f"{name}={one.summary.params[name]}" for name in varied): one.runs.runs for one in found
        }
        return save(draw_curves(curves, f"{problem.name}: {summary.learner}"), plot)
    asked = percent(summary.queried_nodes / summary.nodes)
    title = f"{problem.name}: {percent(summary.error_multiclass)} wrong, {asked} of the nodes asked"
    return save(draw_curves({summary.learner: found[0].runs.runs}, title), plot)


def _varied(found: list[_Found]) -> list[str]:
    """The names of the parameters that differ between the games."""
    first = found[0].summary.params
    return [name for name in first if any(one.summary.params[name] != first[name] for one in found)]


def _nodes(problem: Problem, summary: Summary) -> str:
    nodes = f"{summary.nodes:,} nodes, {summary.edges:,} edges, {summary.classes} classes"
    if problem.left_out:
        nodes += f" ({problem.left_out:,} nodes outside the largest component left out)"
    return nodes


def _show_grid(problem: Problem, names: list[str], found: list[_Found], files: list[Path]) -> None:
    first = found[0].summary
    games = len(found[0].runs.runs)
    print_text(f"{problem.name}: {_nodes(problem, first)}; {first.learner}, {games} orders of each.")
    rows = []
    for one in found:
        summary = one.summary
        error = f"{percent(summary.error_multiclass, 2)} ± {percent(summary.error_multiclass_std, 2)}"
        binary = f"{percent(summary.error_binary, 2)} ± {percent(summary.error_binary_std, 2)}"
        asked = f"{summary.queried_nodes:,.0f} ({percent(summary.queried_nodes / summary.nodes)})"
        cells = [str(summary.params[name]) for name in names]
        cells += [error, binary, f"{summary.macro_f1:.3f}", asked, f"{summary.seconds:.3g}"]
        rows.append([*cells, *([] if one.checked is None else [str(one.checked)])])
    columns = [*names, "error", "one-vs-rest error", "macro-F1", "nodes asked", "seconds"]
    checked = [] if found[0].checked is None else ["random checks"]
    print_table([*columns, *checked], rows, numbers=tuple(range(len(columns))))
    best = min(found, key=lambda one: one.summary.error_multiclass)
    chosen = " ".join(f"--param {name}={best.summary.params[name]}" for name in names)
    print_text(f"The least error has {chosen}.")
    for path in files:
        print_text(f"Saved {path}")


def _show(problem: Problem, found: _Found, files: list[Path]) -> None:
    summary, checked, runs = found.summary, found.checked, found.runs
    nodes = _nodes(problem, summary)
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
        *(
            []
            if summary.cost is None
            else [["cost", f"{summary.cost:,.4g}: misses, false alarms and questions"]]
        ),
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
