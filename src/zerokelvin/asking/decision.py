"""The one step that decides whether a trial asks for its label, and when that label arrives.

With m the margins of the binary problems at a node, the confidence of its prediction is

    |m|                                       of one problem (two classes),
    half the gap between the two largest m    of several,

and every policy is the same comparison of it with three numbers of the trial, its rule,

    worth asking  ⇔  spread > floor  and  confidence < limit + gain √spread,

the spread being the variance of the margin, or the value of the label, or 0 for a policy that looks at
neither. A trial asks where that holds, while the budget lasts; the first one asks in any case. Its label
reaches the learner `delay` trials later, what is still under way at the end of the game after the last.

All of it but `confidences` is compiled: games call it from their loops, sessions and the plain loop from
Python.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import inner_kernel, kernel

__all__ = [
    "NO_FLOOR",
    "NO_GAIN",
    "AskingRule",
    "confidence",
    "confidences",
    "label_is_due",
    "lead",
    "wants_label",
    "worth_asking",
]

NO_GAIN, NO_FLOOR = 0.0, -1.0
"""Gain and floor of a rule that looks at the confidence alone: every spread is above the floor."""


class AskingRule(NamedTuple):
    """The three numbers of a trial that its confidence and spread are compared with; see the module."""

    limit: float
    gain: float
    floor: float


@kernel
def lead(values: Any) -> float:
    """By how much the largest of two or more values is above the second largest.

    >>> lead(np.array([0.25, -1.0, 1.0]))
    0.75
    """
    first, second = -np.inf, -np.inf
    for c in range(len(values)):
        if values[c] > first:
            first, second = values[c], first
        elif values[c] > second:
            second = values[c]
    return first - second


@kernel
def confidence(margins: Any) -> float:
    """How sure a prediction is, from the margin of every binary problem at the node.

    >>> confidence(np.array([-0.5])), confidence(np.array([0.25, -1.0, 1.0]))
    (0.5, 0.375)
    """
    if len(margins) == 1:
        return abs(margins[0])
    return 0.5 * lead(margins)


def confidences(margins: Floats) -> Floats:
    """The confidence of every row of margins, (nodes, problems): that of `confidence`, to the last bit.

    >>> confidences(np.array([[0.25, -1.0, 1.0], [1.0, 1.0, 0.0]])).tolist()
    [0.375, 0.0]
    """
    if margins.shape[1] == 1:
        return np.abs(margins[:, 0])
    top = np.partition(margins, margins.shape[1] - 2, axis=1)[:, -2:]
    return 0.5 * (top.max(axis=1) - top.min(axis=1))


@kernel
def worth_asking(confidence: float, spread: float, limit: float, gain: float, floor: float) -> bool:
    """Whether a label is worth asking for by the rule (limit, gain, floor) of its trial.

    >>> worth_asking(0.4, 0.0, 0.5, NO_GAIN, NO_FLOOR), worth_asking(0.4, 0.01, 0.0, 2.0, NO_FLOOR)
    (True, False)
    """
    return bool(spread > floor and confidence < limit + gain * np.sqrt(spread))


@inner_kernel
def wants_label(asked: int, budget: int, margins: Any, spread: float, rule: AskingRule) -> bool:
    """Whether a trial asks, given how many before it did; `margins` holds the margin of every problem.

    Examples
    --------
    >>> rule = AskingRule(0.5, NO_GAIN, NO_FLOOR)
    >>> [wants_label(asked, 2, np.array([-0.7]), 0.0, rule) for asked in range(3)]
    [True, False, False]
    """
    if asked >= budget:
        return False
    if asked == 0:
        return True
    if rule.limit == np.inf:  # above every confidence, which need not be computed then
        return spread > rule.floor
    return worth_asking(confidence(margins), spread, rule.limit, rule.gain, rule.floor)


@inner_kernel
def label_is_due(cursor: Any, delay: int, total: int) -> bool:
    """Whether the label of trial ``cursor[1]`` has arrived, where ``cursor[0]`` is the next trial to predict.

    Examples
    --------
    >>> [bool(label_is_due(np.array([trial, 0]), 1, 3)) for trial in range(4)]
    [False, False, True, True]
    """
    return cursor[1] < total and (cursor[1] + delay < cursor[0] or cursor[0] == total)
