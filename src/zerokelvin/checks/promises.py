"""Promises that are tried on games drawn at random, as many as one likes (`zerokelvin check`).

A promise is a function of a learner and a number: it draws the game of that number, plays it and says what it
found. The contract (`zerokelvin.checks.contract`) tries the first few numbers of each on every learner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from zerokelvin.learners import Learner
from zerokelvin.registry import Registry

__all__ = ["PROMISES", "Promise", "Verdict"]


@dataclass(frozen=True)
class Verdict:
    """What became of a promise in one game: whether it said anything there, and the fault if it broke."""

    applies: bool = True
    fault: str | None = None


Promise = Callable[[Learner, int], Verdict]
PROMISES: Registry[Promise] = Registry("promise")
