"""Rows of blocks as vectors: what compiled kernels do with all columns of a node at once.

Where work goes from node to node at random, as in a product with a sparse matrix, fetching the 8 numbers of
a node costs hardly more than fetching one of them, provided it is one load: with a load per number
the processor runs out of loads in flight, and a block of 8 is no faster than 8 vectors. So these functions
are compiled to vector instructions, which the loop vectoriser does not find by itself for so short a loop.
They are called from kernels; `lanes` is a tuple as long as a row is wide (`blocks.lanes_of`),
so that the width is known when they are compiled. Sums keep their order, so no result depends on the
instructions used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from zerokelvin.jit import kernel
from zerokelvin.jit.lazy_instructions import instructions
from zerokelvin.machine.widths import AHEAD

__all__ = [
    "AHEAD",
    "add",
    "add_lanes",
    "add_products",
    "add_row",
    "add_run",
    "move",
    "put",
    "scale_lanes",
    "set_row",
    "set_row_ahead",
    "spread_row",
    "spread_run",
    "sums_for",
    "total",
]

# ruff: noqa: ARG001 - only the compiled functions need to be told the width

ARRAY, WHOLE, REAL = None, "int64", "float64"


def _row(*kinds: str | None) -> Callable[[Any], Any]:
    """Decorator: compiled, the function is the instructions that `row_code` makes for its name and types."""

    def make(function: Any) -> Any:
        from zerokelvin.machine.row_code import compiled

        return compiled(function, *kinds)

    return instructions(make)


# -- what the row functions do ---------------------------------------------------------------------------


@_row(ARRAY, WHOLE, REAL, ARRAY, WHOLE)
def put(lanes: Any, out: Any, i: int, a: float, x: Any, j: int) -> None:
    """Set row i of block `out` to a times row j of block `x`: out[i] = a·x[j]."""
    out[i] = a * x[j]


@_row(ARRAY, WHOLE, ARRAY, WHOLE)
def move(lanes: Any, out: Any, at: int, x: Any, start: int) -> None:
    """Set a row's width of numbers of `out` from its number `at` on to those of x from `start` on."""
    out.ravel()[at : at + len(lanes)] = x.ravel()[start : start + len(lanes)]


@_row(ARRAY, WHOLE, REAL, ARRAY, WHOLE)
def add(lanes: Any, out: Any, i: int, a: float, x: Any, j: int) -> None:
    """Add a times row j of block `x` to row i of block `out`: out[i] += a·x[j]."""
    out[i] += a * x[j]


@_row(ARRAY, WHOLE, ARRAY, ARRAY, WHOLE)
def add_lanes(lanes: Any, out: Any, i: int, lengths: Any, x: Any, j: int) -> None:
    """Set out[i] += lengths·x[j], with a length per column."""
    out[i] += lengths * x[j]


@_row(ARRAY, WHOLE, ARRAY)
def scale_lanes(lanes: Any, out: Any, i: int, lengths: Any) -> None:
    """Set out[i] = lengths·out[i], with a length per column."""
    out[i] *= lengths


@_row(ARRAY, REAL, ARRAY, WHOLE, ARRAY, WHOLE)
def add_products(lanes: Any, sums: Any, a: float, x: Any, i: int, y: Any, j: int) -> None:
    """Set sums[i mod 4] += a·x[i]·y[j], column by column.

    Four sums, to be added up with `total`: one would make every row wait for the row before.
    """
    sums[i & 3] += a * (x[i] * y[j])


@_row(ARRAY, WHOLE, ARRAY, ARRAY, ARRAY, WHOLE, WHOLE)
def set_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[i] = Σ_p worth[p]·x[places[p]], p from start to stop."""
    out[i] = 0.0
    for p in range(start, stop):
        out[i] += worth[p] * x[places[p]]


@_row(ARRAY, WHOLE, ARRAY, ARRAY, ARRAY, WHOLE, WHOLE)
def set_row_ahead(
    lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int
) -> None:
    """`set_row`, and begin to fetch the rows that `places` names `AHEAD` entries later, which must exist."""
    set_row(lanes, out, i, x, places, worth, start, stop)


@_row(ARRAY, WHOLE, ARRAY, ARRAY, ARRAY, WHOLE, WHOLE)
def add_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[i] += Σ_p worth[p]·x[places[p]], p from start to stop."""
    for p in range(start, stop):
        out[i] += worth[p] * x[places[p]]


@_row(ARRAY, WHOLE, ARRAY, ARRAY, ARRAY, WHOLE, WHOLE)
def spread_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[places[p]] += worth[p]·x[i] for p from start to stop."""
    for p in range(start, stop):
        out[places[p]] += worth[p] * x[i]


@_row(ARRAY, WHOLE, WHOLE, ARRAY, WHOLE, WHOLE)
def add_run(lanes: Any, out: Any, i: int, first: int, worth: Any, start: int, stop: int) -> None:
    """Set out[i] −= Σ_p worth[p]·out[first + p − start], p from start to stop."""
    for p in range(start, stop):
        out[i] -= worth[p] * out[first + p - start]


@_row(ARRAY, WHOLE, WHOLE, ARRAY, WHOLE, WHOLE)
def spread_run(lanes: Any, out: Any, i: int, first: int, worth: Any, start: int, stop: int) -> None:
    """Set out[first + p − start] −= worth[p]·out[i] for p from start to stop."""
    for p in range(start, stop):
        out[first + p - start] -= worth[p] * out[i]


@kernel
def sums_for(lanes: Any) -> Any:
    """Four rows of zeros for `add_products`, or for `add` at i mod 4."""
    return np.zeros((4, len(lanes)))


@kernel
def total(sums: Any) -> Any:
    """The four rows of sums that `sums_for` made, added up: one number per column, (k,)."""
    return (sums[0] + sums[1]) + (sums[2] + sums[3])
