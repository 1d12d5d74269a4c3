"""The functions of `lanes` as vector instructions, for use inside kernels.

Each does the same steps in the same order as the definition of that name in `zerokelvin.machine.lanes`; where
nothing is fused, it gives the same bits.

Above 300 lines: it is a list of functions in instructions, each the twin of one in `machine.lanes`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from zerokelvin.machine.vector_code import (
    EIGHT,
    SHORT_EIGHT,
    SIXTEEN,
    add_across,
    array_of,
    at,
    fused,
    load,
    madd,
    pick,
    prefetch,
    running_sums,
    size,
    spread,
    store,
    transpose,
    variable,
    zeros,
)
from zerokelvin.machine.widths import LANES

__all__ = [
    "add_forms",
    "borrow",
    "combine",
    "combine_sizes",
    "eight_dot",
    "fetch",
    "lay_out",
    "row_dot",
    "shorten",
    "sweep",
]


Codegen = Callable[..., Any]


@intrinsic
def eight_dot(_: Any, a: Any, b: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.eight_dot`."""

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
def row_dot(_: Any, left: Any, _i: Any, right: Any, _j: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.row_dot`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 2)]
        columns = builder.extract_value(arrays[0].shape, 1)
        starts = [
            builder.mul(args[1], columns),
            builder.mul(args[3], builder.extract_value(arrays[1].shape, 1)),
        ]
        whole = builder.mul(builder.udiv(columns, at(8)), at(8))
        (total,) = running_sums(builder, 1)
        rest = variable(builder, ir.Constant(EIGHT.element, 0.0))
        with cgutils.for_range_slice(builder, at(0), whole, at(8)) as (k, _count):
            places = zip(arrays, starts, strict=True)
            vectors = [load(builder, array.data, builder.add(start, k)) for array, start in places]
            builder.store(madd(builder, builder.load(total), *vectors), total)
        with cgutils.for_range_slice(builder, whole, columns, at(1)) as (k, _count):
            places = zip(arrays, starts, strict=True)
            numbers = [
                builder.load(builder.gep(array.data, [builder.add(start, k)])) for array, start in places
            ]
            builder.store(madd(builder, builder.load(rest), *numbers), rest)
        across = pick(builder, add_across(builder, [builder.load(total)] * 8), 0)
        return builder.fadd(across, builder.load(rest))

    return types.float64(left, types.int64, right, types.int64), codegen


@intrinsic
def sweep(_: Any, tiles: Any, p: Any, _scale: Any, x: Any, out: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.sweep`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 1, 3, 4)]
        square, u, v, target = (array.data for array in arrays)
        width = arrays[2].nitems
        begin = variable(builder, at(0))
        with cgutils.for_range_slice(builder, at(0), width, at(8)) as (column, _count):
            store(builder, zeros(EIGHT), target, column)

        def pass_over(column: Any, mirror: bool) -> None:
            here = builder.load(begin)
            here_u, here_v = load(builder, u, column), load(builder, v, column)
            total = load(builder, target, column)
            for k in range(8):
                place = builder.add(here, at(8 * k))
                row = builder.fsub(load(builder, square, place), builder.fmul(heights[k], here_u))
                store(builder, row, square, place)
                total = madd(builder, total, factors[k], row)
                if mirror:
                    builder.store(madd(builder, builder.load(sums[k]), row, here_v), sums[k])
            store(builder, total, target, column)
            builder.store(builder.add(here, at(64)), begin)

        with cgutils.for_range_slice(builder, at(0), width, at(8)) as (first, _count):
            own_u, own_v = load(builder, u, first), load(builder, v, first)
            heights = [spread(builder, builder.fmul(args[2], pick(builder, own_u, k))) for k in range(8)]
            factors = [spread(builder, pick(builder, own_v, k)) for k in range(8)]
            sums = running_sums(builder, 8)
            pass_over(first, mirror=False)
            with cgutils.for_range_slice(builder, builder.add(first, at(8)), width, at(8)) as (
                column,
                _count,
            ):
                pass_over(column, mirror=True)
            across = add_across(builder, [builder.load(slot) for slot in sums])
            store(builder, builder.fadd(load(builder, target, first), across), target, first)
        return context.get_dummy_value()

    return types.void(tiles, p, types.float64, x, out), codegen


@intrinsic
def shorten(_: Any, tiles: Any, p: Any, _scale: Any, copy: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.shorten`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 1, 3)]
        square, u, target = (array.data for array in arrays)
        width = arrays[1].nitems
        begin = variable(builder, at(0))
        with cgutils.for_range_slice(builder, at(0), width, at(8)) as (first, _count):
            own = load(builder, u, first)
            heights = [spread(builder, builder.fmul(args[2], pick(builder, own, k))) for k in range(8)]
            with cgutils.for_range_slice(builder, first, width, at(8)) as (column, _count):
                here, across = builder.load(begin), load(builder, u, column)
                for k in range(8):
                    place = builder.add(here, at(8 * k))
                    row = builder.fsub(load(builder, square, place), builder.fmul(heights[k], across))
                    store(builder, builder.fptrunc(row, SHORT_EIGHT), target, place)
                builder.store(builder.add(here, at(64)), begin)
        return context.get_dummy_value()

    return types.void(tiles, p, types.float64, copy), codegen


@intrinsic
def add_forms(_: Any, tiles: Any, _dimension: Any, block: Any, _lane: Any, forms: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.add_forms`."""
    kind, step = (SIXTEEN, fused) if tiles.dtype == types.float32 else (EIGHT, madd)
    halves = (0, kind.count)

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 2, 4)]
        square, vectors, target = (array.data for array in arrays)
        dimension, lane = args[1], args[3]
        width = builder.udiv(arrays[1].nitems, at(LANES))
        begin = variable(builder, at(0))
        places = [builder.add(lane, at(half)) for half in halves]

        def row_of(coordinate: Any) -> list[Any]:
            base = builder.mul(coordinate, at(LANES))
            return [load(builder, vectors, builder.add(base, place), kind) for place in places]

        def add_column(first: Any, column: Any, sums: list[list[Any]]) -> None:
            values, away = row_of(column), builder.sub(column, first)
            tile = builder.mul(builder.udiv(away, at(8)), at(64))
            base = builder.add(builder.load(begin), builder.add(tile, builder.urem(away, at(8))))
            for i in range(8):
                entry = builder.load(builder.gep(square, [builder.add(base, at(8 * i))]))
                entry = spread(builder, entry, kind)
                for slot, value in zip(sums[i], values, strict=True):
                    builder.store(step(builder, builder.load(slot), entry, value), slot)

        with cgutils.for_range_slice(builder, at(0), dimension, at(8)) as (first, _count):
            sums = [running_sums(builder, 2, kind) for _ in range(8)]
            after = builder.add(first, at(8))
            with cgutils.for_range_slice(builder, after, dimension, at(1)) as (column, _count):
                add_column(first, column, sums)
            for slot in (slot for pair in sums for slot in pair):
                once = builder.load(slot)
                builder.store(builder.fadd(once, once), slot)
            stop = builder.select(builder.icmp_signed("<", after, dimension), after, dimension)
            with cgutils.for_range_slice(builder, first, stop, at(1)) as (column, _count):
                add_column(first, column, sums)
            totals = [load(builder, target, place, kind) for place in places]
            for k in range(8):
                for half, value in enumerate(row_of(builder.add(first, at(k)))):
                    totals[half] = step(builder, totals[half], value, builder.load(sums[k][half]))
            for total, place in zip(totals, places, strict=True):
                store(builder, total, target, place)
            size = builder.mul(builder.sub(width, first), at(8))
            builder.store(builder.add(builder.load(begin), size), begin)
        return context.get_dummy_value()

    return types.void(tiles, types.int64, block, types.int64, forms), codegen


def _combination(change: Callable[[Any, Any], Any]) -> Codegen:
    """The instructions of `combine`, with a change made to all numbers of the block."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        arrays = [array_of(context, builder, signature, args, k) for k in (0, 2, 4)]
        vectors, factors, target = (array.data for array in arrays)
        whole = builder.mul(builder.udiv(args[1], at(8)), at(8))
        begin = builder.mul(builder.udiv(args[3], at(16)), at(16))

        def add_row(coordinate: Any, lane: Any, slots: list[Any]) -> None:
            factor = spread(builder, builder.load(builder.gep(factors, [coordinate])))
            place = builder.add(builder.mul(coordinate, at(LANES)), lane)
            for half, slot in zip((0, 8), slots, strict=True):
                value = change(builder, load(builder, vectors, builder.add(place, at(half))))
                builder.store(madd(builder, builder.load(slot), factor, value), slot)

        with cgutils.for_range_slice(builder, begin, at(LANES), at(16)) as (lane, _count):
            sums = [running_sums(builder, 2) for _ in range(8)]
            rests = running_sums(builder, 2)
            with cgutils.for_range_slice(builder, at(0), whole, at(8)) as (first, _count):
                for k in range(8):
                    add_row(builder.add(first, at(k)), lane, sums[k])
            with cgutils.for_range_slice(builder, whole, args[1], at(1)) as (coordinate, _count):
                add_row(coordinate, lane, rests)
            for half in range(2):
                parts = [builder.load(pair[half]) for pair in sums]
                while len(parts) > 1:
                    parts = [builder.fadd(a, b) for a, b in zip(parts[0::2], parts[1::2], strict=True)]
                total = builder.fadd(parts[0], builder.load(rests[half]))
                store(builder, total, target, builder.add(lane, at(8 * half)))
        return context.get_dummy_value()

    return codegen


@intrinsic
def combine(
    _: Any, block: Any, _dimension: Any, weights: Any, _lane: Any, scores: Any
) -> tuple[Any, Codegen]:
    """The instructions of `lanes.combine`."""
    kinds = types.void(block, types.int64, weights, types.int64, scores)
    return kinds, _combination(lambda _builder, vector: vector)


@intrinsic
def combine_sizes(
    _: Any, block: Any, _dimension: Any, weights: Any, _lane: Any, scores: Any
) -> tuple[Any, Codegen]:
    """The instructions of `lanes.combine_sizes`."""
    return types.void(block, types.int64, weights, types.int64, scores), _combination(size)


@intrinsic
def lay_out(_: Any, matrix: Any, picks: Any, _lane: Any, block: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.lay_out`."""

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


@intrinsic
def borrow(_: Any, array: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.borrow`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        same = context.make_array(signature.args[0])(context, builder, args[0])
        for name in ("meminfo", "parent"):
            setattr(same, name, ir.Constant(getattr(same, name).type, None))
        return same._getvalue()

    return array(array), codegen


@intrinsic
def fetch(_: Any, matrix: Any, _row: Any) -> tuple[Any, Codegen]:
    """The instructions of `lanes.fetch`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = array_of(context, builder, signature, args, 0)
        columns = builder.extract_value(array.shape, 1)
        start = builder.mul(args[1], columns)
        with cgutils.for_range_slice(builder, start, builder.add(start, columns), at(8)) as (place, _count):
            prefetch(builder, array.data, place)
        return context.get_dummy_value()

    return types.void(matrix, types.int64), codegen
