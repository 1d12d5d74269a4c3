"""Arithmetic in eight lanes, in an order that is the same on every machine and without compilation.

A compiler may not reorder the additions of a sum, so plain loops over sums run one number at a time. Here
the order is spelt out: eight running sums side by side, added at the end as

    ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)).

Each function is defined here in NumPy; inside kernels the same steps are emitted as vector instructions
(`zerokelvin.machine.lane_code`), which gives the same bits. Arrays are contiguous; lengths are multiples of 8
unless a dimension is given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.jit.exact_python import same_in_python
from zerokelvin.jit.lazy_instructions import before_compiling
from zerokelvin.machine.widths import LANES

__all__ = [
    "LANES",
    "across",
    "add_forms",
    "aligned",
    "borrow",
    "combine",
    "combine_sizes",
    "eight_dot",
    "fetch",
    "lay_out",
    "row_dot",
    "shorten",
    "sweep",
    "use",
    "use_instructions",
]

Shorts = NDArray[np.float32]
Reals = NDArray[np.float64] | NDArray[np.float32]


@kernel
def aligned(size: int) -> Floats:
    """Zeros that begin at a multiple of 64 bytes, which vector instructions read fastest.

    >>> aligned(5).tolist(), aligned(5).ctypes.data % 64
    ([0.0, 0.0, 0.0, 0.0, 0.0], 0)
    """
    raw = np.zeros(size + 8)
    skip = (64 - raw.ctypes.data % 64) % 64 // 8
    return raw[skip : skip + size]


def eight_dot(a: Floats, b: Floats) -> float:
    """The inner product.

    >>> eight_dot(np.arange(16.0), np.ones(16))
    120.0
    """
    sums = np.zeros(8)
    for k in range(0, len(a), 8):
        sums += a[k : k + 8] * b[k : k + 8]
    return float(across(sums[None])[0])


def row_dot(left: Floats, i: int, right: Floats, j: int) -> float:
    """Row i of `left` times as many entries of row j of `right`: whole eights as `eight_dot`, then the rest.

    >>> row_dot(np.ones((1, 11)), 0, np.arange(32.0).reshape(2, 16), 1)
    231.0
    """
    x = left[i]
    whole, rest = len(x) // 8 * 8, 0.0
    for k in range(whole, len(x)):
        rest += float(x[k] * right[j, k])
    return eight_dot(x[:whole], right[j, :whole]) + rest


def sweep(tiles: Floats, p: Floats, scale: float, x: Floats, out: Floats) -> None:
    """M −= scale·p pᵀ and out = M x with the new M; see `zerokelvin.machine.tiles` for the layout."""
    flat, begin = tiles.reshape(-1), 0
    out[:] = 0.0
    for first in range(0, len(x), 8):
        heights, own = scale * p[first : first + 8], x[first : first + 8]
        sums = np.zeros((8, 8))
        for column in range(first, len(x), 8):
            tile, columns = flat[begin : begin + 64].reshape(8, 8), slice(column, column + 8)
            tile -= heights[:, None] * p[columns]
            for k in range(8):
                out[columns] += own[k] * tile[k]
            if column > first:
                sums += tile * x[columns]
            begin += 64
        out[first : first + 8] += across(sums)


def shorten(tiles: Floats, p: Floats, scale: float, copy: Shorts) -> None:
    """Write M − scale·p pᵀ in single precision; M stays."""
    flat, begin = tiles.reshape(-1), 0
    for first in range(0, len(p), 8):
        heights = scale * p[first : first + 8]
        for column in range(first, len(p), 8):
            tile = flat[begin : begin + 64].reshape(8, 8) - heights[:, None] * p[column : column + 8]
            copy[begin : begin + 64] = tile.ravel()
            begin += 64


def add_forms(tiles: Reals, dimension: int, block: Reals, lane: int, forms: Reals) -> None:
    """Add to `forms` xᵀMx of 16 lanes, or 32 in single precision, from `lane` on.

    `block` holds `LANES` vectors x, coordinate by coordinate, with zeros from the dimension on. In single
    precision a product and the sum it goes into may be rounded once instead of twice.
    """
    span = 128 // block.itemsize
    rows = block.reshape(-1, LANES)[:, lane : lane + span]
    flat, begin = tiles.reshape(-1), 0
    for first in range(0, dimension, 8):
        panel = flat[begin : begin + 8 * (len(rows) - first)].reshape(-1, 8, 8)
        sums = np.zeros((8, span), dtype=block.dtype)
        for column in [*range(first + 8, dimension), *range(first, min(first + 8, dimension))]:
            if column == first:
                sums += sums
            sums += panel[(column - first) // 8, :, column % 8, None] * rows[column]
        for k in range(8):
            forms[lane : lane + span] += rows[first + k] * sums[k]
        begin += 8 * (len(rows) - first)


def combine(block: Floats, dimension: int, weights: Floats, lane: int, scores: Floats) -> None:
    """The products weights·x of the lanes from `lane` on (and some before), each as `row_dot` has it."""
    begin = lane // 16 * 16
    rows, whole = block.reshape(-1, LANES)[:dimension, begin:], dimension // 8 * 8
    sums, rest = np.zeros((8, LANES - begin)), np.zeros(LANES - begin)
    for k in range(0, whole, 8):
        sums += weights[k : k + 8, None] * rows[k : k + 8]
    for k in range(whole, dimension):
        rest += weights[k] * rows[k]
    scores[begin:] = across(sums.T) + rest


def combine_sizes(block: Floats, dimension: int, weights: Floats, lane: int, scores: Floats) -> None:
    """`combine` with the absolute values of the block."""
    combine(np.abs(block), dimension, weights, lane, scores)


def lay_out(matrix: Floats, picks: NDArray[np.int64], lane: int, block: Floats) -> None:
    """Put eight rows of a matrix into the lanes from `lane` on; columns past the last whole eight stay."""
    whole = matrix.shape[1] // 8 * 8
    rows = block.reshape(-1, LANES)
    rows[:whole, lane : lane + 8] = matrix[picks[lane : lane + 8], :whole].T


@same_in_python
def borrow(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, not counted as a reference: slices cost nothing, but it must not outlive `array`."""
    return array


def fetch(matrix: Floats, row: int) -> None:
    """Say that a row will be read soon; changes nothing."""


def across(sums: Floats) -> Floats:
    """The sum of every row of an (n, 8) array, in the order of the module."""
    pairs = sums[:, 0::2] + sums[:, 1::2]
    fours = pairs[:, 0::2] + pairs[:, 1::2]
    total: Floats = fours[:, 0] + fours[:, 1]
    return total


def use(definition: Callable[..., Any], native: Any) -> None:
    """Let kernels that call the Python function `definition` run the instructions `native` instead."""
    from numba.extending import overload

    @overload(definition, strict=False)
    def typed(*_: Any) -> Any:
        def compiled(*args: Any) -> Any:
            return native(*args)

        return compiled


@before_compiling
def use_instructions() -> None:
    """Have the functions of this module compiled as the vector instructions of `lane_code`."""
    from zerokelvin.machine import lane_code

    use(eight_dot, lane_code.eight_dot)
    use(row_dot, lane_code.row_dot)
    use(sweep, lane_code.sweep)
    use(shorten, lane_code.shorten)
    use(add_forms, lane_code.add_forms)
    use(combine, lane_code.combine)
    use(combine_sizes, lane_code.combine_sizes)
    use(lay_out, lane_code.lay_out)
    use(borrow, lane_code.borrow)
    use(fetch, lane_code.fetch)
