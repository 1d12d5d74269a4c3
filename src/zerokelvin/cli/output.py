"""What goes to standard output: one JSON value, or text and tables for people."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.errors import ZerokelvinError

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod

__all__ = ["OutputError", "attempt", "percent", "print_json", "print_table", "print_text", "say"]

PIPE_WIDTH = 110
WORD = 24
"""Up to this length a cell of one word is never broken."""


class OutputError(Exception):
    """Standard output cannot be written; the cause says why."""


def attempt(save: Callable[[], list[Path]]) -> tuple[list[Path], Exception | None]:
    """The files that `save` wrote, or why it could not, to be raised once the results are printed."""
    try:
        return save(), None
    except (ZerokelvinError, OSError, MemoryError) as problem:
        return [], problem


def print_json(value: Any) -> None:
    """Print one JSON value; numbers JSON does not know (NaN, infinity) are a programming error."""
    unicode = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, indent=2, ensure_ascii=not unicode, allow_nan=False)
    with _written():
        click.echo(text)


def print_table(columns: list[str], rows: list[list[str]], *, numbers: tuple[int, ...] = ()) -> None:
    """Print a table; columns at the positions `numbers` are aligned to the right.

    A line breaks between words; a column of short names, such as packages, is as wide as the longest.
    """
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for i, column in enumerate(columns):
        align: JustifyMethod = "right" if i in numbers else "left"
        whole = i == 0 or i in numbers or all(len(row[i]) <= WORD and " " not in row[i] for row in rows)
        table.add_column(column, justify=align, no_wrap=whole, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    with _written():
        _console().print(table)


def print_text(text: str = "") -> None:
    """Print a text as it is, and a line break, on standard output."""
    with _written():
        click.echo(text)


def say(text: str) -> None:
    """Print a line on standard error, which may be closed or full: then nobody can be told."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(text, err=True)


def percent(share: float, digits: int = 1) -> str:
    """A share in percent.

    >>> percent(0.0418)
    '4.2 %'
    """
    return f"{100 * share:.{digits}f} %"


@contextmanager
def _written() -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise OutputError from problem


def _console() -> Console:
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPE_WIDTH)
