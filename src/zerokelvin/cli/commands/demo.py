"""``zerokelvin demo``: the main job on real handwritten digits, with pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.number_options import POSITIVE, SEED
from zerokelvin.cli.output import attempt, percent, print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

if TYPE_CHECKING:
    from zerokelvin.experiments import Demo

__all__ = ["demo"]


@click.command()
@click.option(
    "--output",
    default="zerokelvin-demo",
    show_default=True,
    metavar="DIR",
    help="Folder for the pictures; made if missing.",
)
@click.option("--nodes", type=POSITIVE, help="Use this many digits, drawn at random.  [default: all 1,797]")
@click.option(
    "--seed",
    type=SEED,
    default=0,
    show_default=True,
    help="The same seed gives the same demonstration.",
)
@common_options
def demo(output: str, nodes: int | None, seed: int, as_json: bool) -> None:
    """See it at work: digits arrive one at a time, labels are asked for only when unsure.

    Real handwritten digits (they come with scikit-learn) become a graph that joins similar ones. The
    perceptron predicts each digit as it arrives and asks for its true label only when it is unsure;
    beside it, the same game with every label asked for. Saves two pictures: curves.png, mistakes and
    questions as the digits come, and graph.png, every digit coloured by what happened.

    \b
    Examples:
      zerokelvin demo
      zerokelvin demo --nodes 500 --seed 3 --output /tmp/demo
      zerokelvin demo --json

    Next: 'zerokelvin run edges.csv labels.csv --policy margin:0.1' on a graph of your own.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.experiments import play_demo, save_pictures
    from zerokelvin.experiments.digits_demo import PICTURES
    from zerokelvin.experiments.reproduction.reproduction import free_folder

    free_folder(output, *PICTURES)
    with reporting() as report:
        report("Building the graph", 0, None)
        played = play_demo(nodes, seed, report)
        report("Building the graph", 1, 1)
        files, failure = attempt(lambda: save_pictures(played, output, seed, report))
    if as_json:
        print_json(played.as_dict() | {"files": [str(path) for path in files]})
    else:
        _show(played)
        for path in files:
            print_text(f"Saved {path}")
    if failure is not None:
        raise failure
    if as_json:
        return
    print_text("Next, on a graph of your own: zerokelvin run edges.csv labels.csv --policy margin:0.1")


def _show(played: Demo) -> None:
    from zerokelvin.experiments import learned_mistakes

    graph, asking, always = played.graph, played.asking, played.always
    print_text(f"{graph.num_nodes:,} handwritten digits, {graph.num_edges:,} edges, one digit at a time.")
    rows = [
        ["labels asked for", *(_share(run.queried_nodes, run.trials) for run in (asking, always))],
        ["wrong predictions", *(_share(run.mistakes, run.trials) for run in (asking, always))],
        ["wrong where asked", *(f"{learned_mistakes(run):,}" for run in (asking, always))],
        ["proven bound on those", *(f"{run.bound.value:,.0f}" for run in (asking, always))],
    ]
    print_table(["", "asking when unsure", "asking always"], rows, numbers=(1, 2))
    print_text(f"Bound: {always.bound.theorem}.")


def _share(count: int, total: int) -> str:
    return f"{count:,} ({percent(count / total)})"
