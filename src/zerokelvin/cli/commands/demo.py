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
    """See it at work: handwritten digits, few labels asked for, nearly all right.

    Real handwritten digits (they come with scikit-learn) become a graph that joins similar ones, and the
    default learner does two jobs on it. First the digits arrive one at a time: each is predicted, and its
    true label is asked for only when that is worth it; beside it, the same game with every label asked
    for, and the proven bound. Then all digits wait to be labelled: 60 answers to the learner's own
    questions, beside answers for digits drawn at random. Saves three pictures: curves.png, mistakes and
    questions as the digits come, labels.png, right labels against answers, and graph.png, every digit
    coloured by what happened.

    \b
    Examples:
      zerokelvin demo
      zerokelvin demo --nodes 500 --seed 3 --output /tmp/demo
      zerokelvin demo --json

    Next: 'zerokelvin run edges.csv labels.csv --policy value:0.4' on a graph of your own.
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
    print_text("Next, on a graph of your own: zerokelvin run edges.csv labels.csv --policy value:0.4")
    print_text("Label these digits yourself, in the browser: zerokelvin label --demo")


def _show(played: Demo) -> None:
    from zerokelvin.experiments import learned_mistakes

    graph, asking, always = played.graph, played.asking, played.always
    print_text(
        f"{graph.num_nodes:,} handwritten digits, {graph.num_edges:,} edges between similar ones; "
        f"the learner is {asking.learner.name}."
    )
    rows = [
        ["labels asked for", *(_share(run.queried_nodes, run.trials) for run in (asking, always))],
        ["wrong predictions", *(_share(run.mistakes, run.trials) for run in (asking, always))],
        ["wrong where asked", *(f"{learned_mistakes(run):,}" for run in (asking, always))],
        ["proven bound on those", *(f"{run.bound.value:,.0f}" for run in (asking, always))],
    ]
    print_table(["one at a time", "asking when unsure", "asking always"], rows, numbers=(1, 2))
    print_text(f"Bound: {always.bound.theorem}.")
    job, total, few = played.by_value, graph.num_nodes, len(played.by_value.nodes)
    many = len(played.at_random[0].nodes)
    rows = [
        ["answers given", f"{few:,}", f"{few:,}", f"{many:,}"],
        [
            "labels right of all",
            percent(job.right[-1] / total),
            *(percent(played.random_right(answers) / total) for answers in (few, many)),
        ],
    ]
    print_table(["all to be labelled", "its questions", "at random", "at random"], rows, numbers=(1, 2, 3))
    print_text(f"At random: the mean of {len(played.at_random)} draws.")


def _share(count: int, total: int) -> str:
    return f"{count:,} ({percent(count / total)})"
