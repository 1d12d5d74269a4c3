"""The functions of `panels` as vector instructions, for use inside kernels.

Each does the same steps in the same order as the definition of that name in `zerokelvin.machine.panels`, and
gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from zerokelvin.machine.vector_code import (
    add_across,
    array_of,
    at,
    load,
    madd,
    pick,
    running_sums,
    spread,
    store,
)

__all__ = ["gather_rows", "scatter_rows", "take_row"]

Codegen = Callable[..., Any]


@intrinsic
def gather_rows(
    _: Any, panels: Any, _start: Any, _wide: Any, rows: Any, _first: Any, _last: Any, value: Any, own: Any
) -> tuple[Any, Codegen]:
    """The instructions of `panels.gather_rows`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        panel, places, x, target = (array_of(context, builder, signature, args, k).data for k in (0, 3, 6, 7))
        start, wide, first, last = args[1], args[2], args[4], args[5]
        pairs = builder.and_(builder.sub(last, first), at(-2))
        odd = builder.add(first, pairs)

        def take(total: Any, row: Any, column: Any) -> None:
            """Subtract from the running sum what one row gives."""
            here = builder.add(start, builder.mul(builder.sub(row, first), wide))
            known = spread(builder, builder.load(builder.gep(x, [_index(builder, places, row)])))
            part = builder.fmul(load(builder, panel, builder.add(here, column)), known)
            builder.store(builder.fsub(builder.load(total), part), total)

        with cgutils.for_range_slice(builder, at(0), wide, at(8)) as (column, _count):
            even, other = running_sums(builder, 2)
            builder.store(load(builder, target, column), even)
            with cgutils.for_range_slice(builder, first, odd, at(2)) as (row, _count):
                take(even, row, column)
                take(other, builder.add(row, at(1)), column)
            with builder.if_then(builder.icmp_signed("<", odd, last)):
                take(even, odd, column)
            store(builder, builder.fadd(builder.load(even), builder.load(other)), target, column)
        return context.get_dummy_value()

    return types.void(panels, types.int64, types.int64, rows, types.int64, types.int64, value, own), codegen


@intrinsic
def scatter_rows(
    _: Any, panels: Any, _start: Any, _wide: Any, rows: Any, _first: Any, _last: Any, value: Any, own: Any
) -> tuple[Any, Codegen]:
    """The instructions of `panels.scatter_rows`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        panel, places, x, source = (array_of(context, builder, signature, args, k).data for k in (0, 3, 6, 7))
        start, wide, first, last = args[1], args[2], args[4], args[5]
        eights = builder.add(first, builder.and_(builder.sub(last, first), at(-8)))

        def totals(row: Any, count: int) -> Any:
            """The sums of `count` rows from `row` on, in a vector."""
            here = builder.add(start, builder.mul(builder.sub(row, first), wide))
            sums = running_sums(builder, count)
            with cgutils.for_range_slice(builder, at(0), wide, at(8)) as (column, _count):
                known = load(builder, source, column)
                for k, total in enumerate(sums):
                    place = builder.add(here, builder.add(builder.mul(wide, at(k)), column))
                    part = load(builder, panel, place)
                    builder.store(madd(builder, builder.load(total), part, known), total)
            found = [builder.load(total) for total in sums]
            return add_across(builder, found if count == 8 else found * 8)

        def give(row: Any, total: Any) -> None:
            """Subtract a sum from the entry that a row stands for."""
            entry = builder.gep(x, [_index(builder, places, row)])
            builder.store(builder.fsub(builder.load(entry), total), entry)

        with cgutils.for_range_slice(builder, first, eights, at(8)) as (row, _count):
            found = totals(row, 8)
            for k in range(8):
                give(builder.add(row, at(k)), pick(builder, found, k))
        with cgutils.for_range_slice(builder, eights, last, at(1)) as (row, _count):
            give(row, pick(builder, totals(row, 1), 0))
        return context.get_dummy_value()

    return types.void(panels, types.int64, types.int64, rows, types.int64, types.int64, value, own), codegen


@intrinsic
def take_row(_: Any, panels: Any, _start: Any, _wide: Any, _known: Any, own: Any) -> tuple[Any, Codegen]:
    """The instructions of `panels.take_row`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        panel, target = (array_of(context, builder, signature, args, k).data for k in (0, 4))
        start, wide, known = args[1], args[2], spread(builder, args[3])
        with cgutils.for_range_slice(builder, at(0), wide, at(8)) as (column, _count):
            part = builder.fmul(load(builder, panel, builder.add(start, column)), known)
            store(builder, builder.fsub(load(builder, target, column), part), target, column)
        return context.get_dummy_value()

    return types.void(panels, types.int64, types.int64, types.float64, own), codegen


def _index(builder: Any, places: Any, row: Any) -> ir.Instruction:
    return builder.load(builder.gep(places, [row]))
