"""Arithmetic in eight lanes, in an order that is the same on every machine and without compilation.

A compiler may not reorder the additions of a sum, so plain loops over sums run one number at a time. Here
the order is spelt out: eight running sums side by side, added at the end as

    ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)).

Each function is defined in NumPy; inside kernels the same steps are emitted as vector instructions, which
gives the same bits. Arrays are contiguous, and their lengths are multiples of 8.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.linalg.vector_code import (
    EIGHT,
    SIXTEEN,
    add_across,
    array_of,
    at,
    load,
    madd,
    pick,
    running_sums,
    spread,
    store,
    transpose,
)

__all__ = ["LANES", "add_forms", "aligned", "combine", "eight_dot", "lay_out", "sweep_panel"]

Floats = NDArray[np.float64]
Reals = NDArray[np.float64] | NDArray[np.float32]

LANES = 32
"""How many vectors stand side by side in a block."""


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
    return float(_across(sums[None])[0])


def sweep_panel(tiles: Floats, panel: int, p: Floats, scale: float, x: Floats, out: Floats) -> None:
    """One row of tiles M: M −= scale·p pᵀ, then out += M x, for the tiles and their mirror images.

    `tiles` begins with the diagonal tile of the panel; see `zerokelvin.linalg.tiles` for the layout.
    """
    first, panels = 8 * panel, len(x) // 8
    heights, own = scale * p[first : first + 8], x[first : first + 8]
    sums = np.zeros((8, 8))
    for j in range(panels - panel):
        tile = tiles[64 * j : 64 * j + 64].reshape(8, 8)
        columns = slice(first + 8 * j, first + 8 * j + 8)
        tile -= heights[:, None] * p[columns]
        for k in range(8):
            out[columns] += own[k] * tile[k]
        if j > 0:
            sums += tile * x[columns]
    out[first : first + 8] += _across(sums)


def add_forms(tiles: Reals, panel: int, panels: int, block: Reals, lane: int, forms: Reals) -> None:
    """Add what one row of tiles gives to the forms xᵀMx of 16 lanes, or 32 in single precision, from `lane`.

    `block` holds `LANES` vectors x, coordinate by coordinate.
    """
    first, span = 8 * panel, 128 // block.itemsize
    rows = block.reshape(-1, LANES)[:, lane : lane + span]
    sums = np.zeros((8, span), dtype=block.dtype)
    for j in [*range(1, panels - panel), 0]:
        if j == 0:
            sums += sums
        tile = tiles[64 * j : 64 * j + 64].reshape(8, 8)
        for k in range(8):
            sums += tile[:, k, None] * rows[first + 8 * j + k]
    for k in range(8):
        forms[lane : lane + span] += rows[first + k] * sums[k]


def combine(block: Floats, weights: Floats, lane: int, scores: Floats) -> None:
    """The products weights·x of the lanes from `lane` on (and some before), terms in order of coordinates."""
    begin = lane // 16 * 16
    scores[begin:] = 0.0
    for i, row in enumerate(block.reshape(-1, LANES)):
        scores[begin:] += weights[i] * row[begin:]


def lay_out(matrix: Floats, picks: NDArray[np.int64], lane: int, block: Floats) -> None:
    """Put eight rows of a matrix into the lanes from `lane` on; columns past the last whole eight stay."""
    whole = matrix.shape[1] // 8 * 8
    rows = block.reshape(-1, LANES)
    rows[:whole, lane : lane + 8] = matrix[picks[lane : lane + 8], :whole].T


def _across(sums: Floats) -> Floats:
    pairs = sums[:, 0::2] + sums[:, 1::2]
    fours = pairs[:, 0::2] + pairs[:, 1::2]
    total: Floats = fours[:, 0] + fours[:, 1]
    return total


# The same as vector instructions.

Codegen = Callable[..., Any]


@intrinsic
def _eight_dot(_: Any, a: Any, b: Any) -> tuple[Any, Codegen]:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right = (array_of(context, builder, signature, args, k) for k in (0, 1))
        (total,) = running_sums(builder, 1)
        with cgutils.for_range(builder, builder.udiv(left.nitems, at(8))) as loop:
            here = builder.mul(loop.index, at(8))
            vectors = load(builder, left.data, here), load(builder, right.data, here)
            builder.store(madd(builder, builder.load(total), *vectors), total)
        return pick(builder, add_across(builder, [builder.load(total)] * 8), 0)

    return types.float64(a, b), codegen


@intrinsic
def _sweep_panel(
    _: Any, tiles: Any, _panel: Any, p: Any, _scale: Any, x: Any, out: Any
) -> tuple[Any, Codegen]:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 2, 4, 5)]
        square, u, v, target = (array.data for array in arrays)
        first = builder.mul(args[1], at(8))
        own_u, own_v = load(builder, u, first), load(builder, v, first)
        heights = [spread(builder, builder.fmul(args[3], pick(builder, own_u, k))) for k in range(8)]
        factors = [spread(builder, pick(builder, own_v, k)) for k in range(8)]
        sums = running_sums(builder, 8)

        def pass_over(begin: Any, column: Any, mirror: bool) -> None:
            here_u, here_v = load(builder, u, column), load(builder, v, column)
            total = load(builder, target, column)
            for k in range(8):
                place = builder.add(begin, at(8 * k))
                row = builder.fsub(load(builder, square, place), builder.fmul(heights[k], here_u))
                store(builder, row, square, place)
                total = madd(builder, total, factors[k], row)
                if mirror:
                    builder.store(madd(builder, builder.load(sums[k]), row, here_v), sums[k])
            store(builder, total, target, column)

        pass_over(at(0), first, mirror=False)
        others = builder.sub(builder.sub(builder.udiv(arrays[2].nitems, at(8)), args[1]), at(1))
        with cgutils.for_range(builder, others) as loop:
            j = builder.add(loop.index, at(1))
            pass_over(builder.mul(j, at(64)), builder.add(first, builder.mul(j, at(8))), mirror=True)
        across = add_across(builder, [builder.load(slot) for slot in sums])
        store(builder, builder.fadd(load(builder, target, first), across), target, first)
        return context.get_dummy_value()

    return types.void(tiles, types.int64, p, types.float64, x, out), codegen


@intrinsic
def _add_forms(
    _: Any, tiles: Any, _panel: Any, _panels: Any, block: Any, _lane: Any, forms: Any
) -> tuple[Any, Codegen]:
    kind = SIXTEEN if tiles.dtype == types.float32 else EIGHT
    halves = (0, kind.count)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = (array_of(context, builder, signature, args, k) for k in (0, 3, 5))
        square, vectors, target = (array.data for array in arrays)
        first = builder.mul(args[1], at(8))
        sums = [running_sums(builder, 2, kind) for _ in range(8)]

        def row_of(coordinate: Any) -> list[Any]:
            base = builder.add(builder.mul(coordinate, at(LANES)), args[4])
            return [load(builder, vectors, builder.add(base, at(half)), kind) for half in halves]

        def pass_over(begin: Any, column: Any) -> None:
            for k in range(8):
                values = row_of(builder.add(column, at(k)))
                for i in range(8):
                    entry = builder.load(builder.gep(square, [builder.add(begin, at(8 * i + k))]))
                    entry = spread(builder, entry, kind)
                    for slot, value in zip(sums[i], values, strict=True):
                        builder.store(madd(builder, builder.load(slot), entry, value), slot)

        others = builder.sub(builder.sub(args[2], args[1]), at(1))
        with cgutils.for_range(builder, others) as loop:
            j = builder.add(loop.index, at(1))
            pass_over(builder.mul(j, at(64)), builder.add(first, builder.mul(j, at(8))))
        for pair in sums:
            for slot in pair:
                once = builder.load(slot)
                builder.store(builder.fadd(once, once), slot)
        pass_over(at(0), first)
        places = [builder.add(args[4], at(half)) for half in halves]
        totals = [load(builder, target, place, kind) for place in places]
        for k in range(8):
            values = row_of(builder.add(first, at(k)))
            for half in range(2):
                totals[half] = madd(builder, totals[half], values[half], builder.load(sums[k][half]))
        for total, place in zip(totals, places, strict=True):
            store(builder, total, target, place)
        return context.get_dummy_value()

    return types.void(tiles, types.int64, types.int64, block, types.int64, forms), codegen


@intrinsic
def _combine(_: Any, block: Any, weights: Any, _lane: Any, scores: Any) -> tuple[Any, Codegen]:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 1, 3)]
        vectors, factors, target = (array.data for array in arrays)

        def from_lane(begin: int) -> None:
            starts = range(begin, LANES, 8)
            sums = running_sums(builder, len(starts))
            with cgutils.for_range(builder, builder.udiv(arrays[0].nitems, at(LANES))) as loop:
                factor = spread(builder, builder.load(builder.gep(factors, [loop.index])))
                base = builder.mul(loop.index, at(LANES))
                for slot, start in zip(sums, starts, strict=True):
                    value = load(builder, vectors, builder.add(base, at(start)))
                    builder.store(madd(builder, builder.load(slot), factor, value), slot)
            for slot, start in zip(sums, starts, strict=True):
                store(builder, builder.load(slot), target, at(start))

        with builder.if_else(builder.icmp_signed("<", args[2], at(16))) as (early, late):
            with early:
                from_lane(0)
            with late:
                from_lane(16)
        return context.get_dummy_value()

    return types.void(block, weights, types.int64, scores), codegen


@intrinsic
def _lay_out(_: Any, matrix: Any, picks: Any, _lane: Any, block: Any) -> tuple[Any, Codegen]:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 1, 3)]
        source, nodes, target = (array.data for array in arrays)
        columns = builder.extract_value(arrays[0].shape, 1)
        starts = []
        for k in range(8):
            node = builder.load(builder.gep(nodes, [builder.add(args[2], at(k))]))
            starts.append(builder.mul(node, columns))
        with cgutils.for_range(builder, builder.udiv(columns, at(8))) as loop:
            here = builder.mul(loop.index, at(8))
            rows = [load(builder, source, builder.add(start, here)) for start in starts]
            for k, vector in enumerate(transpose(builder, rows)):
                place = builder.mul(builder.add(here, at(k)), at(LANES))
                store(builder, vector, target, builder.add(place, args[2]))
        return context.get_dummy_value()

    return types.void(matrix, picks, types.int64, block), codegen


def _use(definition: Callable[..., Any], native: Any) -> None:
    """Let kernels that call `definition` run `native`."""

    @overload(definition, strict=False)
    def typed(*_: Any) -> Any:
        def compiled(*args: Any) -> Any:
            return native(*args)

        return compiled


_use(eight_dot, _eight_dot)
_use(sweep_panel, _sweep_panel)
_use(add_forms, _add_forms)
_use(combine, _combine)
_use(lay_out, _lay_out)
