"""The one dead zone: a margin that is next to nothing beside what it was summed from is a tie.

On symmetric graphs labels cancel exactly, and in floating-point numbers all but exactly: what is left is
rounding, whose sign says nothing. So a margin counts as 0 where

    |margin| ≤ 10⁻⁹ · size,

`size` the size of what it was made from: the sum of the sizes of its terms, for an inner product ‖x‖ ‖w‖, for
a lead the two values it lies between, and 1 for a margin that is bounded by 1. The states return 0 there, as
the contract says of a tie, and predict +1. Of several classes, those are tied whose margin is within 10⁻⁹ of
the largest, beside the larger of the two in size, and the earliest is predicted: a margin below 0 is never
tied with one from 0 on, so that a wrong class is a mistake of some class's own problem.

Double precision has 16 digits; sums of some thousand terms and solves with condition numbers up to 10⁴ or so
keep more than nine of them. A cancellation of nine digits in labels and weights that are no tie is as good as
none.

A bound counts what ties cost it: a learner that is wrong on one may have had the right sign, with a margin of
up to 10⁻⁹ · `size`, where the theorem's proof says at most 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.least_squares.ldl import dot

__all__ = ["DEAD_ZONE", "cost_of_ties", "first_largest", "length", "lengths_of", "settle", "settled_dot"]

DEAD_ZONE = 1e-9


def cost_of_ties(tie: float) -> float:
    """The factor on a bound by squared losses: 1 ≤ (y − ŷ)² on a mistake becomes (1 − tie)², and γ grows.

    >>> cost_of_ties(0.0), round(cost_of_ties(0.5), 9), cost_of_ties(2.0)
    (1.0, 9.0, inf)
    """
    return ((1.0 + tie) / (1.0 - tie)) ** 2 if tie < 1 else float("inf")


@kernel
def settle(margin: float, size: float) -> float:
    """The margin, 0 where it is a tie beside the size of what it was made from.

    >>> settle(1e-12, 0.5), settle(1e-12, 1e-6), settle(-0.5, 0.5)
    (0.0, 1e-12, -0.5)
    """
    if abs(margin) <= DEAD_ZONE * size and size < np.inf:
        return 0.0
    return margin


@inner_kernel
def first_largest(values: Any) -> int:
    """The first of the values that are largest, ties included.

    >>> int(first_largest(np.array([-0.5, 0.25, 0.25 + 1e-14, 0.1])))
    1
    """
    top = values[0]
    for c in range(1, len(values)):
        top = max(top, values[c])
    for c in range(len(values)):
        if top - values[c] <= DEAD_ZONE * max(abs(top), abs(values[c])):
            return c
    return 0


@inner_kernel
def length(x: Any) -> float:
    """The Euclidean length of a vector."""
    return np.sqrt(dot(x, x))


@kernel
def lengths_of(matrix: Any) -> Any:
    """The lengths of the rows of a matrix."""
    lengths = np.zeros(len(matrix))
    for i in range(len(matrix)):
        lengths[i] = length(matrix[i])
    return lengths


@kernel
def settled_dot(x: Any, w: Any) -> float:
    """The inner product, 0 where it is a tie beside the lengths of the two.

    >>> settled_dot(np.array([1.0, 1.0]), np.array([0.3, -0.3 + 1e-15]))
    0.0
    """
    return settle(dot(x, w), length(x) * length(w))
