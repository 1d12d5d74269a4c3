"""What the commands that play a labelled graph share: its arguments and options, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from zerokelvin.cli.numbers import GAMES, POSITIVE, SEED
from zerokelvin.cli.progress import Report
from zerokelvin.experiments import Problem, load_problem

__all__ = ["problem_arguments", "problem_options", "read_problem"]

Command = Callable[..., None]


def problem_arguments(command: Command) -> Command:
    """Add GRAPH and LABELS, passed on as `graph` and `labels`."""
    return click.argument("graph")(click.argument("labels", required=False)(command))


def problem_options(shuffles: int) -> Callable[[Command], Command]:
    """Add --shuffles with its default, --seed, --component and --neighbors, passed on under these names."""
    options: list[Any] = [
        click.option(
            "--shuffles",
            type=GAMES,
            default=shuffles,
            show_default=True,
            help="How many random orders to play.",
        ),
        click.option(
            "--seed",
            type=SEED,
            default=0,
            show_default=True,
            help="The same seed gives the same games.",
        ),
        click.option(
            "--component",
            default="all",
            show_default=True,
            metavar="largest|all",
            help="Play the largest connected component only, or all nodes.",
        ),
        click.option(
            "--neighbors",
            type=POSITIVE,
            default=10,
            show_default=True,
            help="Edges per point, where a data set holds points.",
        ),
    ]

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def read_problem(report: Report, graph: str, labels: str | None, component: str, neighbors: int) -> Problem:
    """Load the graph and its labels, and report on it."""
    report("Reading", 0, None)
    problem = load_problem(
        graph,
        labels,
        component=component,
        neighbors=neighbors,
        progress=lambda *at: report("Downloading", *at),
    )
    report("Reading", 1, 1)
    return problem
