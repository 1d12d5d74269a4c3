"""``zerokelvin datasets``: what can be loaded by name."""

from __future__ import annotations

import dataclasses

import click

from zerokelvin.cli.group import common_options
from zerokelvin.cli.output import print_json, print_table, print_text
from zerokelvin.cli.progress import reporting

__all__ = ["datasets"]


@click.command()
@common_options
def datasets(as_json: bool) -> None:
    """List the data sets that can be loaded by name.

    Shows where each was found and how large it is. They are looked for in the folder named by the
    environment variable ZEROKELVIN_DATA, in ../shared/data and in the user's cache; 'digits' comes
    with scikit-learn; what is still to be downloaded is fetched when first used. A data set without
    edges holds points, from which a nearest-neighbour graph is built.

    \b
    Examples:
      zerokelvin datasets
      ZEROKELVIN_DATA=~/graphs zerokelvin datasets --json

    Next: play on one with 'zerokelvin run NAME --learner perceptron'.
    """  # noqa: D301 - the backspace keeps click from re-flowing the examples
    from zerokelvin.io import find_datasets

    with reporting() as report:
        report("Looking for data sets", 0, None)
        found = find_datasets()
    if as_json:
        print_json([dataclasses.asdict(info) for info in found])
        return
    rows = [[i.name, _count(i.nodes), _count(i.edges), _count(i.classes), i.where] for i in found]
    print_table(["data set", "nodes", "edges", "classes", "where"], rows, numbers=(1, 2, 3))
    print_text("Next: zerokelvin run NAME --learner perceptron")


def _count(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"
