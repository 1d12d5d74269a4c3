"""Entries of a sparse inverse on the pattern of its Cholesky factor.

Takahashi, Fagan and Chen (1973): with M = L Lᵀ and a supernode of columns c and rows r below it,

    Y = L_rc L_cc⁻¹,   Z_rc = −Z_rr Y,   Z_cc = L_cc⁻ᵀ L_cc⁻¹ − Yᵀ Z_rc

gives the inverse Z = M⁻¹ on the supernode from Z_rr, all of whose entries lie on the pattern of the
parent supernode. From the roots of the assembly tree to its leaves this yields the diagonal and every
entry where M is not zero, at the price of a second factorisation and without forming the inverse.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.solve.engines.direct.cholesky import SparseCholesky, Supernodes

__all__ = ["selected_inverse"]


def selected_inverse(factor: SparseCholesky, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
    """The diagonal of the inverse, and its entries at the given non-zero positions of the matrix.

    Parameters
    ----------
    factor
        The factorisation.
    rows, columns
        Positions at which the matrix itself has an entry.
    """
    size = len(factor.order)
    position = np.empty(size, dtype=np.int64)
    position[factor.order] = np.arange(size)
    first, second = position[rows], position[columns]
    low, high = np.minimum(first, second), np.maximum(first, second)
    by_column = np.argsort(low, kind="stable")
    starts = np.searchsorted(low[by_column], np.arange(size + 1))
    diagonal = np.empty(size)
    entries = np.empty(len(rows))
    _select(factor.supernodes, factor.panels, starts, high[by_column], diagonal, entries)
    result = np.full(len(rows), np.nan)
    result[by_column] = entries
    return diagonal[position], result


@kernel
def _select(
    supernodes: Supernodes, panels: Any, starts: Any, wanted: Any, diagonal: Any, entries: Any
) -> Any:
    """From the last supernode to the first; a stack holds the inverse on each ancestor's front."""
    columns, parents, row_starts, rows, panel_starts = supernodes
    count = len(columns) - 1
    local = np.empty(len(diagonal), np.int64)
    path = np.empty(count, np.int64)
    depth = 0
    fronts = [np.zeros((1, 1))]
    fronts.pop()
    for s in range(count - 1, -1, -1):
        begin, end = columns[s], columns[s + 1]
        wide = end - begin
        below = rows[row_starts[s] : row_starts[s + 1]]
        tall = len(below)
        parent = parents[s]
        while depth > 0 and path[depth - 1] != parent:
            depth -= 1
            fronts.pop()
        panel = panels[panel_starts[s] : panel_starts[s] + wide * (wide + tall)].reshape(wide + tall, wide)
        inverse = np.zeros((wide, wide))
        for j in range(wide):
            inverse[j, j] = 1.0 / panel[j, j]
            for i in range(j + 1, wide):
                total = 0.0
                for k in range(j, i):
                    total += panel[i, k] * inverse[k, j]
                inverse[i, j] = -total / panel[i, i]
        front = np.empty((wide + tall, wide + tall))
        corner = np.dot(inverse.T, inverse)
        if tall > 0:
            above = fronts[depth - 1]
            offset = columns[parent]
            width = columns[parent + 1] - offset
            at = row_starts[parent]
            for i in range(tall):
                if below[i] < columns[parent + 1]:
                    local[i] = below[i] - offset
                else:
                    while rows[at] != below[i]:
                        at += 1
                    local[i] = width + at - row_starts[parent]
            known = np.empty((tall, tall))
            for i in range(tall):
                for j in range(tall):
                    known[i, j] = above[local[i], local[j]]
            slope = np.dot(np.ascontiguousarray(panel[wide:]), inverse)
            side = -np.dot(known, slope)
            corner = corner - np.dot(slope.T, side)
            front[wide:, wide:] = known
            front[wide:, :wide] = side
            front[:wide, wide:] = side.T
        front[:wide, :wide] = corner
        for i in range(wide):
            diagonal[begin + i] = front[i, i]
            at = 0
            for p in range(starts[begin + i], starts[begin + i + 1]):
                j = wanted[p]
                if j < end:
                    entries[p] = front[i, j - begin]
                else:
                    entries[p] = front[i, wide + np.searchsorted(below, j)]
        path[depth] = s
        depth += 1
        fronts.append(front)
    return 0
