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

from typing import Any

import numba
import numpy as np
from numba import types

from zerokelvin.jit import kernel
from zerokelvin.machine import row_code as code
from zerokelvin.machine.row_code import AHEAD, compiled

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

# -- what the row functions do; compiled, each is replaced by instructions of `row_code` -----------------


def put(lanes: Any, out: Any, i: int, a: float, x: Any, j: int) -> None:
    """Set out[i] = a·x[j]."""
    out[i] = a * x[j]


def move(lanes: Any, out: Any, at: int, x: Any, start: int) -> None:
    """Set a row's width of numbers of `out` from its number `at` on to those of x from `start` on."""
    out.ravel()[at : at + len(lanes)] = x.ravel()[start : start + len(lanes)]


def add(lanes: Any, out: Any, i: int, a: float, x: Any, j: int) -> None:
    """Set out[i] += a·x[j]."""
    out[i] += a * x[j]


def add_lanes(lanes: Any, out: Any, i: int, lengths: Any, x: Any, j: int) -> None:
    """Set out[i] += lengths·x[j], with a length per column."""
    out[i] += lengths * x[j]


def scale_lanes(lanes: Any, out: Any, i: int, lengths: Any) -> None:
    """Set out[i] = lengths·out[i], with a length per column."""
    out[i] *= lengths


def add_products(lanes: Any, sums: Any, a: float, x: Any, i: int, y: Any, j: int) -> None:
    """Set sums[i mod 4] += a·x[i]·y[j], column by column.

    Four sums, to be added up with `total`: one would make every row wait for the row before.
    """
    sums[i & 3] += a * (x[i] * y[j])


def set_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[i] = Σ_p worth[p]·x[places[p]], p from start to stop."""
    out[i] = 0.0
    for p in range(start, stop):
        out[i] += worth[p] * x[places[p]]


def set_row_ahead(
    lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int
) -> None:
    """`set_row`, and begin to fetch the rows that `places` names `AHEAD` entries later, which must exist."""
    set_row(lanes, out, i, x, places, worth, start, stop)


def add_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[i] += Σ_p worth[p]·x[places[p]], p from start to stop."""
    for p in range(start, stop):
        out[i] += worth[p] * x[places[p]]


def spread_row(lanes: Any, out: Any, i: int, x: Any, places: Any, worth: Any, start: int, stop: int) -> None:
    """Set out[places[p]] += worth[p]·x[i] for p from start to stop."""
    for p in range(start, stop):
        out[places[p]] += worth[p] * x[i]


def add_run(lanes: Any, out: Any, i: int, first: int, worth: Any, start: int, stop: int) -> None:
    """Set out[i] −= Σ_p worth[p]·out[first + p − start], p from start to stop."""
    for p in range(start, stop):
        out[i] -= worth[p] * out[first + p - start]


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


if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    _int, _real = types.int64, types.float64
    put = compiled(put, code.make_put, None, _int, _real, None, _int)
    move = compiled(move, code.make_move, None, _int, None, _int)
    add = compiled(add, code.make_add, None, _int, _real, None, _int)
    add_lanes = compiled(add_lanes, code.make_add_lanes, None, _int, None, None, _int)
    scale_lanes = compiled(scale_lanes, code.make_scale_lanes, None, _int, None)
    add_products = compiled(add_products, code.make_add_products, None, _real, None, _int, None, _int)
    set_row = compiled(set_row, code.make_set_row, None, _int, None, None, None, _int, _int)
    set_row_ahead = compiled(set_row_ahead, code.make_set_row_ahead, None, _int, None, None, None, _int, _int)
    add_row = compiled(add_row, code.make_add_row, None, _int, None, None, None, _int, _int)
    spread_row = compiled(spread_row, code.make_spread_row, None, _int, None, None, None, _int, _int)
    add_run = compiled(add_run, code.make_add_run, None, _int, _int, None, _int, _int)
    spread_run = compiled(spread_run, code.make_spread_run, None, _int, _int, None, _int, _int)
