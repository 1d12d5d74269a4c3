"""Products of a sparse matrix with a block, whose rows are fetched ahead where they are far away.

A row of the product takes rows of the block from all over memory, one per entry of the matrix. The processor
reads ahead by itself, but not far enough to hide that a line takes a hundred nanoseconds to come from memory.
The matrix tells long before which rows will be wanted; so where many of them are far away, each is asked for
`rows.AHEAD` entries before its turn. A product of 8 columns with 16.5 million entries at random then takes
45 ms in place of 100. Where neighbours lie close together nothing is gained and a fifth is lost, so there it
is left out.

A product with one vector reads it wherever the indices say. Indices that are signed may count from the end,
and the check for that takes longer than the product itself; `unsigned` hands the same memory out without it,
and a pass takes a third of the time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.machine.rows import (
    AHEAD,
    add,
    add_products,
    set_row,
    set_row_ahead,
    sums_for,
    total,
)

__all__ = [
    "MatrixRows",
    "Unsigned",
    "fetched",
    "multiply_block",
    "multiply_one",
    "residual_square",
    "residual_squares",
    "rows_of",
    "unsigned",
]

FAR = 4 * 2**20  # bytes of a block between two rows
SHARE = 0.125  # of all entries that must be far
SAMPLE = 1000


def fetched(rows: MatrixRows, block: NDArray[np.float64]) -> int:
    """The number of entries of the matrix whose rows of the block are to be fetched ahead; 0 for none.

    >>> near, scattered = np.arange(10**6), np.arange(10**6) * 7919 % 10**6
    >>> block = np.zeros((10**6, 8))
    >>> [fetched(MatrixRows(np.arange(10**6 + 1), one, np.ones(10**6)), block) for one in (near, scattered)]
    [0, 999872]
    """
    indptr, indices = rows.starts, rows.columns
    far = FAR // (block.itemsize * block.shape[1])
    if len(block) <= far or len(indices) <= AHEAD:
        return 0
    entries = np.linspace(0, len(indices) - 1, SAMPLE).astype(np.int64)
    places = np.searchsorted(indptr, entries, side="right") - 1
    scattered = np.mean(np.abs(places - indices[entries]) > far) >= SHARE
    return len(indices) - AHEAD if scattered else 0


class MatrixRows(NamedTuple):
    """A matrix in rows: where each starts, the columns of its entries, and the entries."""

    starts: NDArray[Any]
    columns: NDArray[Any]
    data: NDArray[np.float64]


def rows_of(matrix: sp.csr_array) -> MatrixRows:
    """The arrays of a sparse matrix, as compiled code takes them.

    >>> rows_of(sp.csr_array(np.eye(2))).columns.tolist()
    [0, 1]
    """
    return MatrixRows(matrix.indptr, matrix.indices, matrix.data)


class Unsigned(NamedTuple):
    """A matrix in rows: where each starts, the columns of its entries, both unsigned, and the entries."""

    starts: NDArray[Any]
    columns: NDArray[Any]
    data: NDArray[np.float64]


def unsigned(matrix: sp.csr_array) -> Unsigned:
    """The same matrix with unsigned starts and columns, in the same memory.

    >>> unsigned(sp.csr_array(np.eye(2))).columns.tolist()
    [0, 1]
    """
    kind = np.dtype(f"uint{8 * matrix.indices.itemsize}")
    return Unsigned(matrix.indptr.view(kind), matrix.indices.view(kind), matrix.data)


@kernel
def multiply_one(matrix: Unsigned, vector: Any, product: Any) -> float:
    """Set product = M·vector, every entry summed in order; their inner product, summed in order too."""
    starts, columns, data = matrix
    inner = 0.0
    for i in range(len(product)):
        total = 0.0
        for p in range(starts[i], starts[i + 1]):
            total += data[p] * vector[columns[p]]
        product[i] = total
        inner += vector[i] * total
    return inner


@kernel
def residual_square(matrix: Unsigned, right: Any, value: Any) -> float:
    """‖b − Mx‖² of a vector, in one pass over the matrix."""
    starts, columns, data = matrix
    square = 0.0
    for i in range(len(right)):
        left = right[i]
        for p in range(starts[i], starts[i + 1]):
            left -= data[p] * value[columns[p]]
        square += left * left
    return square


@kernel
def multiply_block(lanes: Any, matrix: MatrixRows, fetch: int, block: Any, product: Any) -> Any:
    """Set product = M·block; their inner products, column by column. `fetch` is as `fetched` gives it."""
    indptr, indices, data = matrix
    sums = sums_for(lanes)
    for i in range(len(indptr) - 1):
        if indptr[i + 1] <= fetch:
            set_row_ahead(lanes, product, i, block, indices, data, indptr[i], indptr[i + 1])
        else:
            set_row(lanes, product, i, block, indices, data, indptr[i], indptr[i + 1])
        add_products(lanes, sums, 1.0, product, i, block, i)
    return total(sums)


@kernel
def residual_squares(lanes: Any, matrix: MatrixRows, fetch: int, right: Any, value: Any) -> Any:
    """The squared residuals ‖b − Mx‖² of every column of the block x, (k,); b is the block `right`."""
    indptr, indices, data = matrix
    sums = sums_for(lanes)
    rows = sums_for(lanes)
    for i in range(len(indptr) - 1):
        k = i & 3
        if indptr[i + 1] <= fetch:
            set_row_ahead(lanes, rows, k, value, indices, data, indptr[i], indptr[i + 1])
        else:
            set_row(lanes, rows, k, value, indices, data, indptr[i], indptr[i + 1])
        add(lanes, rows, k, -1.0, right, i)
        add_products(lanes, sums, 1.0, rows, k, rows, k)
    return total(sums)
