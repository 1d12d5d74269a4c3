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

import inspect
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from zerokelvin.jit import kernel

__all__ = [
    "add",
    "add_lanes",
    "add_products",
    "add_row",
    "add_run",
    "move",
    "put",
    "scale_lanes",
    "set_row",
    "spread_row",
    "spread_run",
    "sums_for",
    "total",
]

# ruff: noqa: ARG001 - only the compiled functions need to be told the width

# -- what the row functions do; compiled, each is replaced by vector instructions below -----------------


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


# -- their instructions -----------------------------------------------------------------------------------


class _Maker:
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
        """The address of row i."""
        return self.run(block, self.builder.mul(i, ir.Constant(ir.IntType(64), self.width)))

    def run(self, block: Any, at: Any) -> Any:
        """The address of a row's width of numbers from number `at` on."""
        return self.builder.bitcast(self.builder.gep(block, [at]), self.row_type.as_pointer())

    def read(self, address: Any) -> Any:
        return self.builder.load(address, align=8)

    def write(self, value: Any, address: Any) -> None:
        self.builder.store(value, address, align=8)

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
        return self.builder.fmul(a, b)

    def plus(self, a: Any, b: Any) -> Any:
        return self.builder.fadd(a, b)

    def minus(self, a: Any, b: Any) -> Any:
        return self.builder.fsub(a, b)

    def each(self, start: Any, stop: Any) -> Any:
        """A loop over start ≤ p < stop."""
        one = ir.Constant(ir.IntType(64), 1)
        return cgutils.for_range_slice(self.builder, start, stop, one, inc=True)

    def total(self, value: Any) -> Any:
        """A variable that starts with a value."""
        return cgutils.alloca_once_value(self.builder, value)  # type: ignore[no-untyped-call]


def _compiled(defined: Any, make: Callable[[_Maker], None], *kinds: Any) -> Any:
    """The row function from the instructions that `make` writes; `kinds` are its types, None for an array."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        make(_Maker(context, builder, signature, values))
        return context.get_dummy_value()

    def typed(context: Any, lanes: Any, *given: Any) -> Any:
        wanted = [own if kind is None else kind for kind, own in zip(kinds, given, strict=True)]
        return types.void(lanes, *wanted), generate

    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    own = inspect.signature(defined).parameters.values()
    vars(typed)["__signature__"] = inspect.Signature([first, *own])  # numba reads the arguments' names here
    return intrinsic(typed)


def _make_put(m: _Maker) -> None:
    out, i, a, x, j = m.values
    m.write(m.times(m.wide(a), m.read(m.row(x, j))), m.row(out, i))


def _make_move(m: _Maker) -> None:
    out, at, x, start = m.values
    m.write(m.read(m.run(x, start)), m.run(out, at))


def _make_add(m: _Maker) -> None:
    out, i, a, x, j = m.values
    own = m.row(out, i)
    m.write(m.plus(m.read(own), m.times(m.wide(a), m.read(m.row(x, j)))), own)


def _make_add_lanes(m: _Maker) -> None:
    out, i, lengths, x, j = m.values
    own, zero = m.row(out, i), ir.Constant(ir.IntType(64), 0)
    m.write(m.plus(m.read(own), m.times(m.read(m.row(lengths, zero)), m.read(m.row(x, j)))), own)


def _make_scale_lanes(m: _Maker) -> None:
    out, i, lengths = m.values
    own, zero = m.row(out, i), ir.Constant(ir.IntType(64), 0)
    m.write(m.times(m.read(m.row(lengths, zero)), m.read(own)), own)


def _make_add_products(m: _Maker) -> None:
    sums, a, x, i, y, j = m.values
    own = m.row(sums, m.builder.and_(i, ir.Constant(ir.IntType(64), 3)))
    product = m.times(m.wide(a), m.times(m.read(m.row(x, i)), m.read(m.row(y, j))))
    m.write(m.plus(m.read(own), product), own)


def _make_set_row(m: _Maker, fresh: bool = True) -> None:
    out, i, x, places, worth, start, stop = m.values
    own = m.row(out, i)
    total = m.total(ir.Constant(m.row_type, [0.0] * m.width) if fresh else m.read(own))
    with m.each(start, stop) as (p, _):
        other = m.read(m.row(x, m.entry(places, p, m.kinds[3])))
        term = m.times(m.wide(m.entry(worth, p)), other)
        m.builder.store(m.plus(m.builder.load(total), term), total)
    m.write(m.builder.load(total), own)


def _make_add_row(m: _Maker) -> None:
    _make_set_row(m, fresh=False)


def _make_spread_row(m: _Maker) -> None:
    out, i, x, places, worth, start, stop = m.values
    known = m.read(m.row(x, i))
    with m.each(start, stop) as (p, _):
        other = m.row(out, m.entry(places, p, m.kinds[3]))
        m.write(m.plus(m.read(other), m.times(m.wide(m.entry(worth, p)), known)), other)


def _make_add_run(m: _Maker) -> None:
    out, i, first, worth, start, stop = m.values
    own = m.row(out, i)
    shift = m.builder.sub(first, start)
    total = m.total(m.read(own))
    with m.each(start, stop) as (p, _):
        other = m.read(m.row(out, m.builder.add(shift, p)))
        term = m.times(m.wide(m.entry(worth, p)), other)
        m.builder.store(m.minus(m.builder.load(total), term), total)
    m.write(m.builder.load(total), own)


def _make_spread_run(m: _Maker) -> None:
    out, i, first, worth, start, stop = m.values
    known = m.read(m.row(out, i))
    shift = m.builder.sub(first, start)
    with m.each(start, stop) as (p, _):
        other = m.row(out, m.builder.add(shift, p))
        m.write(m.minus(m.read(other), m.times(m.wide(m.entry(worth, p)), known)), other)


@kernel
def sums_for(lanes: Any) -> Any:
    """Four rows of zeros for `add_products`, or for `add` at i mod 4."""
    return np.zeros((4, len(lanes)))


@kernel
def total(sums: Any) -> Any:
    """The four rows added up."""
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


if not numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
    _int, _real = types.int64, types.float64
    put = _compiled(put, _make_put, None, _int, _real, None, _int)
    move = _compiled(move, _make_move, None, _int, None, _int)
    add = _compiled(add, _make_add, None, _int, _real, None, _int)
    add_lanes = _compiled(add_lanes, _make_add_lanes, None, _int, None, None, _int)
    scale_lanes = _compiled(scale_lanes, _make_scale_lanes, None, _int, None)
    add_products = _compiled(add_products, _make_add_products, None, _real, None, _int, None, _int)
    set_row = _compiled(set_row, _make_set_row, None, _int, None, None, None, _int, _int)
    add_row = _compiled(add_row, _make_add_row, None, _int, None, None, None, _int, _int)
    spread_row = _compiled(spread_row, _make_spread_row, None, _int, None, None, None, _int, _int)
    add_run = _compiled(add_run, _make_add_run, None, _int, _int, None, _int, _int)
    spread_run = _compiled(spread_run, _make_spread_run, None, _int, _int, None, _int, _int)
