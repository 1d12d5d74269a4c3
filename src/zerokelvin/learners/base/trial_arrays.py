"""The trials of a game as arrays, what happened in them, and classes as one-vs-rest problems.

Two classes are one binary problem, in which class 1 is +1; more are one problem each, in which the class is
+1 and all others are −1. So scores of a node have one column or one per class.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError

__all__ = ["Trace", "Trials", "codes_of", "columns_of", "signs_of"]

Signs = NDArray[np.int8]


def columns_of(classes: int) -> int:
    """How many binary problems, hence columns of scores, a game of so many classes has.

    >>> columns_of(2), columns_of(3)
    (1, 3)
    """
    return 1 if classes <= 2 else classes


def signs_of(codes: Ints, columns: int) -> Signs:
    """The label −1 or +1 of every trial in every problem, (trials, columns), from class numbers.

    >>> signs_of(np.array([0, 1]), 1).tolist(), signs_of(np.array([0, 2]), 3).tolist()
    ([[-1], [1]], [[1, -1, -1], [-1, -1, 1]])
    """
    plus = np.array([1]) if columns == 1 else np.arange(columns)
    return np.where(codes[:, None] == plus, 1, -1).astype(np.int8)


def codes_of(signs: Signs) -> Ints:
    """The class numbers that rows of signs stand for: the inverse of `signs_of`.

    >>> codes_of(np.array([[-1], [1]])).tolist(), codes_of(np.array([[1, -1, -1], [-1, -1, 1]])).tolist()
    ([0, 1], [0, 2])
    """
    found = signs[:, 0] > 0 if signs.shape[1] == 1 else np.argmax(signs, axis=1)
    return found.astype(np.int64)


@dataclass(frozen=True)
class Trials:
    """The trials of a game, as arrays a compiled loop can read.

    ``signs[t, c]`` is the label of trial t in problem c. A label is asked for where the confidence is
    below ``limits[t]``, while fewer than `budget` trials have been asked, and reaches the learner
    `delay` trials later. Policies that look at the variance set `gains` and `floors` too: then ask where
    the variance is above ``floors[t]`` and the confidence below ``limits[t] + gains[t] √variance``; with
    `by_value` the value of the label takes the place of the variance: what it is worth to the nodes not yet
    shown, of the whole graph where `num_nodes` is given, else of these trials.
    """

    nodes: Ints
    signs: NDArray[np.int8]
    limits: Floats
    delay: int
    budget: int
    gains: Floats | None = None
    floors: Floats | None = None
    by_value: bool = False
    num_nodes: int = 0

    def __post_init__(self) -> None:
        if self.signs.shape[1] == 1:
            return
        wrong = np.flatnonzero((self.signs > 0).sum(axis=1) != 1)
        if len(wrong):
            signs = self.signs[wrong[0]].tolist()
            raise ParameterError(
                f"trial {wrong[0]} has the signs {signs}; of several classes exactly one is +1."
            )

    @cached_property
    def codes(self) -> Ints:
        """The class number of every trial."""
        return codes_of(self.signs)

    def waiting(self) -> NDArray[np.bool_]:
        """The nodes whose labels are still to come, before the first trial."""
        waiting = np.ones(max(self.num_nodes, 1 + int(self.nodes.max(initial=0))), dtype=np.bool_)
        if self.num_nodes == 0:
            waiting[:] = False
            waiting[self.nodes] = True
        return waiting


@dataclass(frozen=True)
class Trace:
    """What happened: the margin of every problem before each trial, and whether it asked."""

    margins: Floats
    asked: NDArray[np.bool_]

    @classmethod
    def empty(cls, trials: Trials) -> Trace:
        """Arrays to fill in: no margin is a number yet, nothing is asked."""
        return cls(np.full(trials.signs.shape, np.nan), np.zeros(trials.signs.shape, dtype=np.bool_))

    @classmethod
    def all_asked(cls, trials: Trials) -> Trace:
        """Margins to fill in, of a game in which every label is asked for."""
        return cls(np.full(trials.signs.shape, np.nan), np.ones(trials.signs.shape, dtype=np.bool_))
