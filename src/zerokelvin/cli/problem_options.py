"""What the commands that play a labelled graph share: its arguments and options, and how it is read."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.cli.number_options import GAMES, POSITIVE, SEED, OptionType
from zerokelvin.cli.output import say
from zerokelvin.cli.progress import Report
from zerokelvin.errors import LabelWarning

if TYPE_CHECKING:
    from zerokelvin.experiments import Problem
    from zerokelvin.io import ReadReport

__all__ = [
    "ColumnChoice",
    "Reading",
    "gather_options",
    "problem_arguments",
    "problem_options",
    "read_problem",
    "table_options",
    "table_options_beside_limit",
]

Command = Callable[..., None]


class ColumnChoice(OptionType):
    """A column by name, or by position where it is a whole number."""

    name = "column"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The position as a whole number where the text is digits alone, else the text as it is."""
        return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else value


def problem_arguments(command: Command) -> Command:
    """Add GRAPH and LABELS, passed on as `graph` and `labels`."""
    return click.argument("graph")(click.argument("labels", required=False)(command))


def problem_options(shuffles: int | None) -> Callable[[Command], Command]:
    """Add --shuffles with its default, --seed, --component and --neighbors, passed on under these names.

    With None there is no --shuffles.
    """
    about = "How many random orders to play."
    orders = click.option("--shuffles", type=GAMES, default=shuffles, show_default=True, help=about)
    options: list[Any] = [
        *([] if shuffles is None else [orders]),
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
    return _adding(options)


@dataclass
class Reading:
    """How the two files are to be read, and what was read, to be announced once on standard error.

    Nothing is announced before the options have passed their checks, so that a bad one is answered by one
    sentence alone: call `announce` when the work begins.
    """

    options: dict[str, Any]
    reports: list[ReadReport] = field(default_factory=list)

    @contextmanager
    def saying_it_once(self) -> Iterator[None]:
        """No warning about labels: what was read, which is announced, says it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LabelWarning)
            yield

    def announce(self) -> None:
        """Say what was read, the first time it is called."""
        for report in self.reports:
            say(f"Read {report}")
        self.reports.clear()


def table_options(command: Command) -> Command:
    """Add the options on columns, header and limits; `gather_options` passes them on."""
    return _adding([*_columns(), _limits("--limit", "--file-limit")])(command)


def table_options_beside_limit(command: Command) -> Command:
    """The same for a command whose --limit is something else: what files may hold is --file-limit alone."""
    return _adding([*_columns(), _limits("--file-limit")])(command)


def _limits(*names: str) -> Any:
    return click.option(
        *names,
        "limits",
        multiple=True,
        metavar="NAME=NUMBER",
        help="Allow a file more bytes, nodes, classes or columns; may be repeated.",
    )


def _columns() -> list[Any]:
    kind: dict[str, Any] = {"type": ColumnChoice(), "metavar": "COLUMN"}
    return [
        click.option(
            "--source", **kind, help="Column of GRAPH with one node of an edge, by name or position from 0."
        ),
        click.option("--target", **kind, help="Column of GRAPH with the other node."),
        click.option("--weight", **kind, help="Column of GRAPH with the weights; 'none' for no weights."),
        click.option("--node", **kind, help="Column of LABELS with the nodes."),
        click.option("--label", **kind, help="Column of LABELS with the labels."),
        click.option(
            "--attributes",
            metavar="FILE",
            help="Table with a column 'node' and what is known of each, or an npz matrix; 'auto' uses it.",
        ),
        click.option(
            "--header/--no-header",
            default=None,
            help="Whether the first row of GRAPH names its columns.  [default: found out]",
        ),
    ]


def gather_options(command: Command) -> Command:
    """Pass on what `table_options` added together, as `reading`; this goes right above the function."""

    @functools.wraps(command)
    def gathered(*args: Any, **given: Any) -> None:
        names = ("source", "target", "weight", "node", "label", "header", "attributes")
        chosen = {name: value for name in names if (value := given.pop(name)) is not None}
        if chosen.get("weight") == "none":
            chosen["weight"] = False
        limits = given.pop("limits")
        if limits:
            from zerokelvin.io.limits import parse_limits

            chosen["limits"] = parse_limits(limits)
        command(*args, reading=Reading(chosen), **given)

    return gathered


def read_problem(
    report: Report, graph: str, labels: str | None, component: str, neighbors: int, reading: Reading
) -> Problem:
    """Load the graph and its labels, and report on it."""
    from zerokelvin.experiments import load_problem

    report("Reading", 0, None)
    problem = load_problem(
        graph,
        labels,
        component=component,
        neighbors=neighbors,
        progress=lambda *at: report("Downloading", *at),
        report=reading.reports.append,
        **reading.options,
    )
    report("Reading", 1, 1)
    return problem


def _adding(options: list[Any]) -> Callable[[Command], Command]:
    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add
