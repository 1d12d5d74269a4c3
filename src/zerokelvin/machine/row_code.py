"""The functions of `rows` as vector instructions, for use inside kernels."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from zerokelvin.machine.vector_code import prefetch
from zerokelvin.machine.widths import AHEAD

__all__ = [
    "Maker",
    "compiled",
    "make_add",
    "make_add_lanes",
    "make_add_products",
    "make_add_row",
    "make_add_run",
    "make_move",
    "make_put",
    "make_scale_lanes",
    "make_set_row",
    "make_set_row_ahead",
    "make_spread_row",
    "make_spread_run",
]


class Maker:
    """Writes instructions on rows of one width."""

    def __init__(self, context: Any, builder: Any, signature: Any, values: Any) -> None:
        self.builder = builder
        self.width = signature.args[0].count
        self.row_type = ir.VectorType(ir.DoubleType(), self.width)
        self.values = [
            context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value
            for kind, value in zip(signature.args[1:], values[1:], strict=True)
        ]
        self.kinds = signature.args[1:]

    def row(self, block: Any, i: Any) -> Any:
        """The address at which row i of a block begins."""
        return self.run(block, self.builder.mul(i, ir.Constant(ir.IntType(64), self.width)))

    def run(self, block: Any, at: Any) -> Any:
        """The address of a row's width of numbers from number `at` on."""
        return self.builder.bitcast(self.builder.gep(block, [at]), self.row_type.as_pointer())

    def read(self, address: Any) -> Any:
        """Load the row at an address from memory."""
        return self.builder.load(address, align=8)

    def write(self, value: Any, address: Any) -> None:
        """Store a row at an address in memory."""
        self.builder.store(value, address, align=8)

    def fetch(self, address: Any) -> None:
        """Begin to bring a row into the second cache."""
        # the first one waits for too few lines at a time: fetching into that gains half as much
        base = self.builder.bitcast(address, ir.DoubleType().as_pointer())
        prefetch(self.builder, base, ir.Constant(ir.IntType(64), 0), near=2)

    def entry(self, array: Any, p: Any, kind: Any = None) -> Any:
        """An entry of a vector; of integers, as 64 bits."""
        value = self.builder.load(self.builder.gep(array, [p]))
        if kind is not None and kind.dtype.bitwidth < 64:
            extend = self.builder.sext if kind.dtype.signed else self.builder.zext
            value = extend(value, ir.IntType(64))
        return value

    def wide(self, number: Any) -> Any:
        """A row that repeats a number."""
        none = ir.Constant(self.row_type, ir.Undefined)
        first = self.builder.insert_element(none, number, ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self.width), [0] * self.width)
        return self.builder.shuffle_vector(first, none, mask)

    def times(self, a: Any, b: Any) -> Any:
        """The products of two rows, number by number."""
        return self.builder.fmul(a, b)

    def plus(self, a: Any, b: Any) -> Any:
        """The sums of two rows, number by number."""
        return self.builder.fadd(a, b)

    def minus(self, a: Any, b: Any) -> Any:
        """The differences of two rows, number by number."""
        return self.builder.fsub(a, b)

    def each(self, start: Any, stop: Any) -> Any:
        """A loop over the whole numbers start ≤ p < stop, to be used in a `with` block that has p."""
        one = ir.Constant(ir.IntType(64), 1)
        return cgutils.for_range_slice(self.builder, start, stop, one, inc=True)

    def total(self, value: Any) -> Any:
        """A place on the stack for a number or a row, which starts with this value."""
        return cgutils.alloca_once_value(self.builder, value)


def compiled(defined: Any, *names: str | None) -> Any:
    """A function of `rows` from the instructions that are made here under its name.

    `names` are the types of what it takes behind the width, None for an array.
    """
    make: Callable[[Maker], None] = globals()[f"make_{defined.__name__}"]
    kinds = [None if name is None else getattr(types, name) for name in names]

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        make(Maker(context, builder, signature, values))
        return context.get_dummy_value()

    def typed(context: Any, lanes: Any, *given: Any) -> Any:  # noqa: ARG001
        wanted = [own if kind is None else kind for kind, own in zip(kinds, given, strict=True)]
        return types.void(lanes, *wanted), generate

    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = inspect.signature(defined).parameters.values()
    vars(typed)["__signature__"] = inspect.Signature([first, *own])  # numba reads the arguments' names here
    return intrinsic(typed)


def make_put(m: Maker) -> None:
    """The instructions of `rows.put`."""
    out, i, a, x, j = m.values
    m.write(m.times(m.wide(a), m.read(m.row(x, j))), m.row(out, i))


def make_move(m: Maker) -> None:
    """The instructions of `rows.move`."""
    out, at, x, start = m.values
    m.write(m.read(m.run(x, start)), m.run(out, at))


def make_add(m: Maker) -> None:
    """The instructions of `rows.add`."""
    out, i, a, x, j = m.values
    own = m.row(out, i)
    m.write(m.plus(m.read(own), m.times(m.wide(a), m.read(m.row(x, j)))), own)


def make_add_lanes(m: Maker) -> None:
    """The instructions of `rows.add_lanes`."""
    out, i, lengths, x, j = m.values
    own, zero = m.row(out, i), ir.Constant(ir.IntType(64), 0)
    m.write(m.plus(m.read(own), m.times(m.read(m.row(lengths, zero)), m.read(m.row(x, j)))), own)


def make_scale_lanes(m: Maker) -> None:
    """The instructions of `rows.scale_lanes`."""
    out, i, lengths = m.values
    own, zero = m.row(out, i), ir.Constant(ir.IntType(64), 0)
    m.write(m.times(m.read(m.row(lengths, zero)), m.read(own)), own)


def make_add_products(m: Maker) -> None:
    """The instructions of `rows.add_products`."""
    sums, a, x, i, y, j = m.values
    own = m.row(sums, m.builder.and_(i, ir.Constant(ir.IntType(64), 3)))
    product = m.times(m.wide(a), m.times(m.read(m.row(x, i)), m.read(m.row(y, j))))
    m.write(m.plus(m.read(own), product), own)


def make_set_row(m: Maker, fresh: bool = True, ahead: int = 0) -> None:
    """The instructions of `rows.set_row`."""
    out, i, x, places, worth, start, stop = m.values
    own = m.row(out, i)
    total = m.total(ir.Constant(m.row_type, [0.0] * m.width) if fresh else m.read(own))
    with m.each(start, stop) as (p, _):
        if ahead:
            later = m.builder.add(p, ir.Constant(ir.IntType(64), ahead))
            m.fetch(m.row(x, m.entry(places, later, m.kinds[3])))
        other = m.read(m.row(x, m.entry(places, p, m.kinds[3])))
        term = m.times(m.wide(m.entry(worth, p)), other)
        m.builder.store(m.plus(m.builder.load(total), term), total)
    m.write(m.builder.load(total), own)


def make_add_row(m: Maker) -> None:
    """The instructions of `rows.add_row`."""
    make_set_row(m, fresh=False)


def make_set_row_ahead(m: Maker) -> None:
    """The instructions of `rows.set_row_ahead`."""
    make_set_row(m, ahead=AHEAD)


def make_spread_row(m: Maker) -> None:
    """The instructions of `rows.spread_row`."""
    out, i, x, places, worth, start, stop = m.values
    known = m.read(m.row(x, i))
    with m.each(start, stop) as (p, _):
        other = m.row(out, m.entry(places, p, m.kinds[3]))
        m.write(m.plus(m.read(other), m.times(m.wide(m.entry(worth, p)), known)), other)


def make_add_run(m: Maker) -> None:
    """The instructions of `rows.add_run`."""
    out, i, first, worth, start, stop = m.values
    own = m.row(out, i)
    shift = m.builder.sub(first, start)
    total = m.total(m.read(own))
    with m.each(start, stop) as (p, _):
        other = m.read(m.row(out, m.builder.add(shift, p)))
        term = m.times(m.wide(m.entry(worth, p)), other)
        m.builder.store(m.minus(m.builder.load(total), term), total)
    m.write(m.builder.load(total), own)


def make_spread_run(m: Maker) -> None:
    """The instructions of `rows.spread_run`."""
    out, i, first, worth, start, stop = m.values
    known = m.read(m.row(out, i))
    shift = m.builder.sub(first, start)
    with m.each(start, stop) as (p, _):
        other = m.row(out, m.builder.add(shift, p))
        m.write(m.minus(m.read(other), m.times(m.wide(m.entry(worth, p)), known)), other)
