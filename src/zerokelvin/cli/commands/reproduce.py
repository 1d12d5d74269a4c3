"""``zerokelvin reproduce``: the papers' tables and figures, measured again."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import GAMES, SEED
from zerokelvin.cli.output import attempt, print_json, print_table, print_text
from zerokelvin.cli.progress import reporting
from zerokelvin.cli.sweep_options import sweep_options, tell_of_results

if TYPE_CHECKING:
    from zerokelvin.experiments.reproduction import Report
    from zerokelvin.sweeps.cells import Spread

__all__ = ["reproduce"]


@click.command()
@click.argument("experiment", required=False)
@click.option(
    "--data",
    multiple=True,
    metavar="NAME",
    help="A data set by name or path; may be repeated.  [default: those of the experiment]",
)
@click.option("--coauthor", metavar="FOLDER", help="The DBLP four-area text files; adds the co-author graph.")
@click.option("--shuffles", type=GAMES, help="How many random orders.  [default: as in the paper]")
@click.option("--draws", type=GAMES, help="How often random data are drawn.  [default: 20]")
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="The same seed gives the same figures, times aside.",
)
@click.option("--fast", is_flag=True, help="Fewer orders and data: seconds instead of minutes.")
@click.option("--only", multiple=True, metavar="CLAIM", help="Of all: a claim or a paper; may be repeated.")
@click.option(
    "--share", metavar="K/N", help="Of all: only the K-th of N shares, for machines that share --results."
)
@click.option("--list", "listed", is_flag=True, help="Of all: the claims there are, without measuring any.")
@click.option("--figures/--no-figures", default=True, show_default=True, help="Measure and draw the figures.")
@click.option(
    "--output",
    metavar="DIR",
    help="Folder for figures and values, made if missing.  [default: zerokelvin-EXPERIMENT]",
)
@common_options
@sweep_options
def reproduce(
    experiment: str | None,
    data: tuple[str, ...],
    fast: bool,
    listed: bool,
    only: tuple[str, ...],
    figures: bool,
    seed: int,
    output: str | None,
    as_json: bool,
    spread: Spread,
    **given: Any,
) -> None:
    """Measure a paper's table again and draw its figures.

    EXPERIMENT is the name of a table, or 'all'; without it, those there are. The paper's figures and ours
    stand side by side; ours are measured in the run, on all cores. 'all' writes one page with every claim
    of the papers, in a process for each core; what was measured once is not measured again, and lies in
    --results, by default the user's cache. Others keep results where --jobs, --cluster or --results is given.

    \b
    Examples:
      zerokelvin reproduce
      zerokelvin reproduce all --fast
      zerokelvin reproduce all --only pounce --only graph-perceptron/flower
      zerokelvin reproduce table2
      zerokelvin reproduce table2 --data cora --shuffles 5 --no-figures
      zerokelvin reproduce table2 --fast --output /tmp/table2
      zerokelvin reproduce table5.1 --json
      zerokelvin reproduce all --cluster tcp://scheduler:8786

    Next: 'zerokelvin run GRAPH --learner ollgc' measures a learner on a graph of your own.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments.reproduction import make_experiment
    from zerokelvin.experiments.reproduction.reproduction import free_folder

    if experiment is None:
        _list(as_json)
        return
    if listed:
        _list_claims(only, as_json)
        return
    options = {name: value for name, value in given.items() if value is not None}
    options |= ({"data": data} if data else {}) | ({"only": only} if only else {})
    chosen = make_experiment(experiment, seed=seed, fast=fast, figures=figures, spread=spread, **options)
    writes = figures or output is not None
    base = (
        ("zerokelvin-report" if experiment == "all" else f"zerokelvin-{experiment}")
        if output is None
        else output
    )
    folder = free_folder(base, f"{experiment}.json") if writes else None
    with reporting() as report:
        found = chosen.run(report)
        tell_of_results(spread)
        files, failure = ([], None) if folder is None else attempt(lambda: found.save(folder, report))
    if as_json:
        print_json(found.as_dict() | {"files": [str(path) for path in files]})
    else:
        _show(found)
        for path in files:
            print_text(f"Saved {path}")
    if failure is not None:
        raise failure


def _list(as_json: bool) -> None:
    from zerokelvin.experiments.reproduction import EXPERIMENTS

    about = {
        name: inspect.cleandoc(cls.__doc__ or "").partition("\n")[0] for name, cls in EXPERIMENTS.items()
    }
    if as_json:
        print_json([{"name": name, "summary": text} for name, text in about.items()])
        return
    print_table(["experiment", "what it measures"], [[name, text] for name, text in about.items()])
    print_text("Next: zerokelvin reproduce EXPERIMENT")


def _list_claims(only: tuple[str, ...], as_json: bool) -> None:
    from zerokelvin.experiments.report.claim import CLAIMS, chosen_claims

    rows = [(name, CLAIMS[name].title, CLAIMS[name].place) for name in chosen_claims(only)]
    if as_json:
        print_json([{"name": name, "title": title, "place": place} for name, title, place in rows])
        return
    print_table(["claim", "what it says", "where"], [list(row) for row in rows])
    print_text("Next: zerokelvin reproduce all --only CLAIM")


def _show(found: Report) -> None:
    for table in found.tables:
        print_text(table.title)
        print_table(list(table.columns), [list(row) for row in table.rows], numbers=table.numbers)
        for note in table.notes:
            print_text(note)
        print_text()
