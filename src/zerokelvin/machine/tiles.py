"""A symmetric matrix as its upper 8×8 tiles, and what is done with it in one pass over memory.

A matrix of order d is padded with zeros to 8m and kept as its tiles (i, j), i ≤ j, row of tiles by row of
tiles, each tile row by row; tiles on the diagonal are whole. Half of the matrix is read for a product with
a vector, and a change of rank one is made in the same pass (`zerokelvin.machine.lanes.sweep`), so both
together cost about d²/2 reads and writes.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.machine.lanes import add_forms

__all__ = ["block_forms", "diagonal", "pack", "padded", "unpack_tiles"]


def padded(dimension: int) -> int:
    """The next multiple of 8, at least 8.

    >>> [padded(d) for d in (0, 1, 8, 9)]
    [8, 8, 8, 16]
    """
    return 8 * max(1, -(-dimension // 8))


def pack(matrix: Floats, tiles: Floats) -> None:
    """Write a symmetric matrix into its tiles.

    >>> tiles = np.empty(64)
    >>> pack(np.array([[2.0, 1.0], [1.0, 3.0]]), tiles)
    >>> unpack_tiles(tiles, 2).tolist()
    [[2.0, 1.0], [1.0, 3.0]]
    """
    d, width = len(matrix), padded(len(matrix))
    whole = np.zeros((width, width))
    whole[:d, :d] = matrix
    square = whole.reshape(width // 8, 8, width // 8, 8).transpose(0, 2, 1, 3)
    rows, columns = np.triu_indices(width // 8)
    tiles.reshape(-1)[:] = square[rows, columns].ravel()


def unpack_tiles(tiles: Floats, dimension: int) -> Floats:
    """The symmetric matrix, (dimension, dimension), whose upper half the tiles hold."""
    panels = padded(dimension) // 8
    square = np.zeros((panels, panels, 8, 8))
    rows, columns = np.triu_indices(panels)
    square[rows, columns] = tiles.reshape(-1, 8, 8)
    square[columns, rows] = square[rows, columns].transpose(0, 2, 1)
    matrix: Floats = square.transpose(0, 2, 1, 3).reshape(8 * panels, 8 * panels)[:dimension, :dimension]
    return matrix


@kernel
def block_forms(tiles: Floats, dimension: int, block: Floats, forms: Floats) -> None:
    """The forms xᵀMx of the 32 vectors of a block, kept coordinate by coordinate."""
    forms[:] = 0.0
    add_forms(tiles, dimension, block, 0, forms)
    add_forms(tiles, dimension, block, 16, forms)


@kernel
def diagonal(tiles: Floats, values: Floats) -> None:
    """Write the diagonal of the matrix that tiles hold to `values`, padding included."""
    panels, flat = values.shape[0] // 8, tiles.reshape(-1)
    at = 0
    for i in range(panels):
        for k in range(8):
            values[8 * i + k] = flat[at + 9 * k]
        at += 64 * (panels - i)
