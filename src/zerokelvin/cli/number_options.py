"""The numbers that options take, each within limits, and games too large for the memory of this machine."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import click

from zerokelvin.errors import ParameterError

if TYPE_CHECKING:
    from zerokelvin.experiments import Problem

__all__ = ["COUNT", "GAMES", "JOBS", "MOMENTS", "POSITIVE", "SECONDS", "SEED", "Number", "OptionType"]
__all__ += ["require_memory"]


class OptionType(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """What an option takes: `name` is shown in the help, `convert` makes a value of the text."""


class Number(OptionType):
    """A number from `least` to `most`, whole unless said otherwise.

    >>> Number(1, 1000).convert("12", None, None)
    12
    >>> Number(1, 1000).convert("1" + "0" * 30, None, None)
    Traceback (most recent call last):
    click.exceptions.BadParameter: 1000000000000000000000000000000 is not a whole number from 1 to 1,000
    """

    def __init__(self, least: float, most: float, *, whole: bool = True) -> None:
        self.least, self.most, self.whole = least, most, whole
        self.name = "integer" if whole else "float"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, refused where it is none or outside the limits."""
        try:
            number = int(value) if self.whole else float(value)
        except (ValueError, OverflowError):
            number = math.nan
        if not self.least <= number <= self.most:
            kind = "a whole number" if self.whole else "a number"
            shown = str(value) if len(str(value)) <= LONGEST else f"{str(value)[:LONGEST]}…"
            self.fail(f"{shown} is not {kind} from {self.least:,} to {self.most:,}", param, ctx)
        return number


LONGEST = 40
"""Characters of a bad value that are repeated to the user."""

GAMES = Number(1, 1_000_000)
"""Orders, draws and repeats: a game each, and the list of a million is as much as is of use."""

MOMENTS = Number(0, 1_000_000)
"""Changes during a game, each of which goes through the rest of it."""

JOBS = Number(1, 1024)
"""Processes at a time."""

COUNT = Number(0, 10**12)
"""Trials, nodes and answers; no graph in memory has as many."""

POSITIVE = Number(1, 10**12)

SEED = Number(0, 2**62)
"""So that seeds of later games, up to a million more, are 64-bit numbers too."""

SECONDS = Number(1e-9, 1e9, whole=False)


def require_memory(problem: Problem, games: int, repeats: int) -> None:
    """Refuse games whose trials cannot be held in memory together.

    A trial takes 25 bytes, for its node, its label and what was predicted, and 9 more for every class.
    """
    have = _memory()
    classes = len(set(problem.labels.tolist()))
    trials = games * repeats * len(problem.labels)
    needed = trials * (25 + 9 * (classes if classes > 2 else 1))
    if have is not None and needed > have:
        raise ParameterError(
            f"{games:,} games of {repeats * len(problem.labels):,} trials take {needed / 1e9:,.0f} GB, and "
            f"this machine has {have / 1e9:,.0f} GB; lower --shuffles or --repeats."
        )


def _memory() -> int | None:
    """How many bytes of memory this machine has; None where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
