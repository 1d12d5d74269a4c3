"""Vectors of eight numbers, or sixteen short ones, inside kernels: the instructions of `lanes`.

Each function adds instructions to an LLVM builder. Only `fused` leaves a choice to the processor; all others
may not be reordered or fused, so results do not depend on it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

__all__ = [
    "EIGHT",
    "SHORT_EIGHT",
    "SIXTEEN",
    "add_across",
    "array_of",
    "at",
    "fused",
    "load",
    "madd",
    "pick",
    "prefetch",
    "running_sums",
    "size",
    "spread",
    "store",
    "transpose",
    "variable",
    "zeros",
]

DOUBLE, WORD, INDEX = ir.DoubleType(), ir.IntType(32), ir.IntType(64)
EIGHT = ir.VectorType(DOUBLE, 8)
SHORT_EIGHT = ir.VectorType(ir.FloatType(), 8)
SIXTEEN = ir.VectorType(ir.FloatType(), 16)

ROUNDS = (
    ([0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]),
    ([0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]),
    ([0, 1, 2, 3, 8, 9, 10, 11], [4, 5, 6, 7, 12, 13, 14, 15]),
)
"""Which entries of two vectors meet in the three rounds that add eight vectors across, or transpose them."""


def at(number: int) -> ir.Constant:
    """A whole number as a 64-bit constant of the instructions."""
    return ir.Constant(INDEX, number)


def array_of(context: Any, builder: Any, signature: Any, args: Any, which: int) -> Any:
    """The array in one of the arguments: its `data`, `nitems` and `shape`."""
    return context.make_array(signature.args[which])(context, builder, args[which])


def load(builder: Any, base: Any, place: Any, kind: Any = EIGHT) -> Any:
    """Load the vector at a place behind a base address."""
    return builder.load(builder.bitcast(builder.gep(base, [place]), kind.as_pointer()), align=4)


def store(builder: Any, value: Any, base: Any, place: Any) -> None:
    """Store a vector at a place behind a base address."""
    builder.store(value, builder.bitcast(builder.gep(base, [place]), value.type.as_pointer()), align=4)


def prefetch(builder: Any, base: Any, place: Any, near: int = 3) -> None:
    """Begin to bring a place of memory into the caches: all of them (3), or those from the second on (2)."""
    kind = ir.FunctionType(ir.VoidType(), [base.type, WORD, WORD, WORD])
    step = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    choice = [ir.Constant(WORD, number) for number in (0, near, 1)]  # to read, where to, data
    builder.call(step, [builder.gep(base, [place]), *choice])


def spread(builder: Any, number: Any, kind: Any = EIGHT) -> Any:
    """A vector that holds one number in all its places."""
    empty = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(empty, number, ir.Constant(WORD, 0))
    return _shuffle(builder, first, empty, [0] * kind.count)


def pick(builder: Any, vector: Any, k: int) -> Any:
    """The k-th of the eight numbers of a vector."""
    return builder.extract_element(vector, ir.Constant(WORD, k))


def madd(builder: Any, total: Any, a: Any, b: Any) -> Any:
    """Total + a·b in every place, the product and the sum each rounded."""
    return builder.fadd(total, builder.fmul(a, b))


def fused(builder: Any, total: Any, a: Any, b: Any) -> Any:
    """Total + a·b, rounded once where the processor can do that in one step, else twice."""
    kind = a.type
    name = f"llvm.fmuladd.v{kind.count}{'f64' if kind.element == DOUBLE else 'f32'}"
    step = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind] * 3), name)
    return builder.call(step, [a, b, total])


def size(builder: Any, vector: Any) -> Any:
    """The absolute value of every number of a vector."""
    kind = ir.FunctionType(vector.type, [vector.type])
    step = cgutils.get_or_insert_function(builder.module, kind, "llvm.fabs.v8f64")
    return builder.call(step, [vector])


def running_sums(builder: Any, count: int, kind: Any = EIGHT) -> list[Any]:
    """Places on the stack for `count` vectors of eight numbers, 0 at first, to which others are added."""
    slots = [cgutils.alloca_once(builder, kind) for _ in range(count)]
    for slot in slots:
        builder.store(zeros(kind), slot)
    return slots


def variable(builder: Any, value: Any) -> Any:
    """A place on the stack for a number that changes, with its first value."""
    return cgutils.alloca_once_value(builder, value)


def zeros(kind: Any) -> ir.Constant:
    """A vector of zeros of one kind of lanes."""
    return ir.Constant(kind, [ir.Constant(kind.element, 0.0)] * kind.count)


def add_across(builder: Any, rows: list[Any]) -> Any:
    """The sums of eight vectors, each ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))."""
    for even, odd in ROUNDS:
        rows = [
            builder.fadd(_shuffle(builder, a, b, even), _shuffle(builder, a, b, odd))
            for a, b in zip(rows[0::2], rows[1::2], strict=True)
        ]
    return rows[0]


def transpose(builder: Any, rows: list[Any]) -> list[Any]:
    """Eight vectors as the columns of eight others."""
    parts = [rows]
    for choices in ROUNDS:
        parts = [
            [_shuffle(builder, a, b, choice) for a, b in zip(part[0::2], part[1::2], strict=True)]
            for choice in choices
            for part in parts
        ]
    return [part[0] for part in parts]


def _shuffle(builder: Any, a: Any, b: Any, picks: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(WORD, len(picks)), picks))
