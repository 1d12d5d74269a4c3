"""Blocks of vectors stored node by node: cut into parts of 2, 4 or 8 columns, in memory that is kept.

A block of k columns is an (n, k) array, so the k numbers of a node lie side by side and one access to
memory serves all of them. Eight numbers fill a cache line: `parts` cuts wider blocks into parts of eight,
which the functions of `zerokelvin.machine.rows` work on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel

__all__ = [
    "WIDTHS",
    "Part",
    "Room",
    "blocks_in",
    "copy_of",
    "empty_block",
    "in_lanes",
    "lanes_of",
    "parts",
    "place_columns",
    "some_columns",
]

Ints = NDArray[np.intp]

WIDTHS = (2, 4, 8)
_LINE = 8  # numbers in a cache line


class Part(NamedTuple):
    """Columns start to stop of a block, worked on as `width` columns; those too many are 0."""

    start: int
    stop: int
    width: int


def parts(columns: int) -> Iterator[Part]:
    """Cut `columns` columns into parts of at most 8.

    >>> [tuple(part) for part in parts(11)]
    [(0, 8, 8), (8, 11, 4)]
    """
    for start in range(0, columns, WIDTHS[-1]):
        stop = min(start + WIDTHS[-1], columns)
        yield Part(start, stop, next(width for width in WIDTHS if width >= stop - start))


def empty_block(rows: int, width: int) -> Floats:
    """An uninitialised (rows, width) array in which no row of 2, 4 or 8 numbers crosses a cache line."""
    raw = np.empty(rows * width + _LINE)
    skip = -(raw.ctypes.data // 8) % _LINE
    return raw[skip : skip + rows * width].reshape(rows, width)


class Room:
    """Memory for blocks that is kept from one use to the next.

    Fresh memory has to be provided page by page, which for large blocks costs more than the work in them.
    """

    def __init__(self) -> None:
        self._kept: list[list[Floats]] = []

    def borrow(self) -> list[Floats]:
        """What is kept, for one user at a time: another gets nothing and has to make his own."""
        try:
            return self._kept.pop()
        except IndexError:
            return []

    def give_back(self, arrays: list[Floats]) -> None:
        """Keep the arrays for whoever borrows next; one list of them at most."""
        if not self._kept:
            self._kept.append(arrays)


def blocks_in(arrays: list[Floats], count: int, rows: int, width: int) -> list[Floats]:
    """So many blocks in the memory of `arrays`, which are replaced where too small."""
    if not arrays or arrays[0].size < rows * width:
        arrays[:] = [empty_block(rows * width, 1) for _ in range(count)]
    return [array.ravel()[: rows * width].reshape(rows, width) for array in arrays]


def copy_of(value: Floats, out: Floats | None = None) -> Floats:
    """A copy of a vector, or of a block with its rows within cache lines, in `out` where given."""
    if out is None:
        out = empty_block(*value.shape) if value.ndim == 2 else np.empty_like(value)
    out[:] = value
    return out


def in_lanes(function: Callable[[Floats], Floats], block: Floats) -> Floats:
    """Apply a function of blocks of `WIDTHS` columns to a block of any number of columns."""
    result = np.empty_like(block)
    for start, stop, width in parts(block.shape[1]):
        work = empty_block(len(block), width)
        work[:, : stop - start] = block[:, start:stop]
        work[:, stop - start :] = 0.0
        result[:, start:stop] = function(work)[:, : stop - start]
    return result


def lanes_of(block: Floats) -> tuple[int, ...]:
    """The tuple that tells a kernel how wide the rows of a block are."""
    return (0,) * block.shape[1]


def some_columns(block: Floats, kept: Ints, width: int) -> Floats:
    """Some columns as a block of their own, filled up with 0."""
    chosen = empty_block(len(block), width)
    _pick(block, kept, chosen)
    return chosen


@kernel
def place_columns(chosen: Any, kept: Any, block: Any) -> Any:
    """Write the columns of `chosen` back to the columns `kept` of `block`, in place."""
    for i in range(len(block)):
        for c in range(len(kept)):
            block[i, kept[c]] = chosen[i, c]


@kernel
def _pick(block: Any, kept: Any, chosen: Any) -> Any:
    """Copy the columns `kept` of `block` to `chosen`, and fill its other columns with 0."""
    for i in range(len(block)):
        for c in range(len(kept)):
            chosen[i, c] = block[i, kept[c]]
        for c in range(len(kept), chosen.shape[1]):
            chosen[i, c] = 0.0
