"""Ever smaller graphs that vary slowly as a given one does: neighbourhoods become nodes.

A node that is free with all its neighbours becomes an *aggregate* together with them; nodes left over join
the neighbour they have the heaviest edge to (the first pass of aggregation in algebraic multigrid; Vaněk,
Mandel, Brezina 1996). With P the 0/1 matrix of who belongs where, the Laplacian of the smaller graph is
Pᵀ L P, and each of its nodes has the mass of its members, which at first is their degree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = ["Level", "coarsened"]


class Level(NamedTuple):
    """A graph by its adjacency matrix, the mass of each node, and the aggregate of each in the next level."""

    adjacency: sp.csr_array
    masses: Floats
    owners: Ints | None = None


def coarsened(adjacency: sp.csr_array, small: int, least: int) -> list[Level]:
    """A graph without negative edges and its coarser ones, down to at most `small` nodes if possible.

    It ends before a graph of fewer than `least` nodes, and before one that is hardly smaller than the last.

    Examples
    --------
    >>> line = sp.csr_array(np.eye(9, k=1) + np.eye(9, k=-1))
    >>> [level.owners.tolist() for level in coarsened(line, 3, 2)[:-1]]
    [[0, 0, 1, 1, 1, 2, 2, 2, 2]]
    """
    levels = [Level(adjacency, np.asarray(adjacency.sum(axis=1)))]
    while True:
        matrix, masses, _ = levels[-1]
        size = matrix.shape[0]
        if size <= small:
            return levels
        csr = Csr(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64), matrix.data)
        owners = _aggregates(csr)
        count = int(owners.max()) + 1
        if count < least or count > 0.8 * size:
            return levels
        levels[-1] = Level(matrix, masses, owners)
        members = sp.csr_array((np.ones(size), owners, np.arange(size + 1)), shape=(size, count))
        smaller = sp.csr_array(members.T.tocsr() @ (matrix @ members))
        smaller.setdiag(0.0)
        smaller.eliminate_zeros()
        levels.append(Level(smaller, _sums(owners, masses, count)))


def _sums(owners: Ints, masses: Floats, count: int) -> Floats:
    """The masses of the members of every aggregate, added up."""
    return np.asarray(np.bincount(owners, weights=masses, minlength=count), dtype=np.float64)


@kernel
def _aggregates(csr: Csr) -> Ints:
    """The aggregate of every node, numbered as they are made."""
    size = len(csr.indptr) - 1
    owners = np.full(size, -1, dtype=np.int64)
    count = 0
    for i in range(size):
        free = owners[i] < 0
        for p in range(csr.indptr[i], csr.indptr[i + 1]):
            if owners[csr.indices[p]] >= 0:
                free = False
                break
        if free:
            owners[i] = count
            for p in range(csr.indptr[i], csr.indptr[i + 1]):
                owners[csr.indices[p]] = count
            count += 1
    first = owners.copy()
    for i in range(size):
        if first[i] < 0:
            heaviest = -1.0
            for p in range(csr.indptr[i], csr.indptr[i + 1]):
                owner = first[csr.indices[p]]
                if owner >= 0 and csr.weights[p] > heaviest:
                    heaviest = csr.weights[p]
                    owners[i] = owner
    return owners
