"""Chebyshev filters on single columns: what the blocks of a large embedding are made of.

With T_m the Chebyshev polynomial of degree m and [a, b] the part of the spectrum that is not wanted,

    p(λ) = T_m((λ − c) / h),   c = (a + b) / 2,   h = (b − a) / 2,

stays within ±1 on [a, b] and grows fast below a. p(L) x is m products with L by the recurrence T_m = 2 y
T_{m−1} − T_{m−2}, for every column x by itself: columns need nothing of each other (Zhou, Saad, Tiago and
Chelikowsky 2006; they filter blocks so). The products are in 32 bits and read a column's neighbours where the
graph lies, which may be a file; sums over all nodes are in 64. No eigenvalue of L exceeds max d_u + d_v over
the edges (Anderson and Morley 1985).

A vector that is constant on a component belongs to eigenvalue 0, which every filter favours most. Those are
not wanted: the mean over each component is taken off before the filter and after it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.packed.packed_graph import PackedGraph
from zerokelvin.jit import kernel

__all__ = [
    "WIDTH",
    "filter_degree",
    "filtered",
    "laplacian_rows",
    "pieces",
    "spectral_limit",
    "without_means",
]

WIDTH = 16
"""Columns filtered together: their 32-bit entries at a node fill a line of the cache."""

PIECE = 1 << 20
"""Rows between which pages are given back: 160 MB of a graph with 20 arcs a node."""

GROWTH = 1e3
"""How much more than at the cut a filter makes of eigenvalue 0: far from what 32 bits would lose."""

LARGEST_DEGREE = 400


def spectral_limit(graph: Graph) -> float:
    """A number that no eigenvalue of L exceeds.

    >>> spectral_limit(Graph.from_edges([(0, 1), (1, 2)]))
    3.0
    """
    return float(_largest_pair(graph.indptr, graph.indices, graph.degrees))


def filter_degree(cut: float, limit: float) -> int:
    """The degree m that makes `GROWTH` times more of eigenvalue 0 than of the cut.

    >>> filter_degree(0.1, 10.0), filter_degree(5.0, 10.0)
    (38, 5)
    """
    ratio = 1.0 + 2.0 * cut / (limit - cut)
    return min(LARGEST_DEGREE, max(2, math.ceil(math.acosh(GROWTH) / math.acosh(ratio))))


def filtered(graph: Graph, block: Any, cut: float, limit: float, degree: int) -> Any:
    """The filter of [cut, limit] of this degree on every column of a block, each of length 1; 32 bits.

    The block (nodes, `WIDTH`) is written over.
    """
    centre, half = 0.5 * (limit + cut), 0.5 * (limit - cut)
    csr = graph.csr
    before = without_means(graph, block)
    now = np.empty_like(before)
    single = np.float32

    def step(block: Any, other: Any, factor: float, kept: float) -> None:
        terms = Recurrence(single(centre), single(factor), single(kept))
        for rows in pieces(graph):
            _step(csr, graph.degrees, block, other, terms, rows)

    step(before, now, 1.0 / half, 0.0)
    for _ in range(degree - 1):  # the new block takes the place of the one before the last
        step(now, before, 2.0 / half, 1.0)
        before, now = now, before
    without_means(graph, now)
    squares = _squares(now)
    now *= np.float32(1.0) / np.sqrt(np.where(squares > 0, squares, 1.0)).astype(np.float32)
    return now


def pieces(graph: Graph) -> Iterator[tuple[int, int]]:
    """All rows, some at a time; what was read of a graph in a file is given back after each piece.

    >>> list(pieces(Graph.from_edges([(0, 1), (1, 2)])))
    [(0, 3)]
    """
    for start in range(0, graph.num_nodes, PIECE):
        yield start, min(start + PIECE, graph.num_nodes)
        if isinstance(graph, PackedGraph):
            graph.give_back()


def without_means(graph: Graph, block: Any) -> Any:
    """The block less the mean of every column over each component, in place."""
    components = np.zeros(1, dtype=np.int64) if graph.num_components == 1 else graph.components
    _take_means_off(block, components, graph.num_components)
    return block


def laplacian_rows(graph: Graph, block: Any, start: int, stop: int) -> Floats:
    """Rows `start` to `stop` of L times a 32-bit block, in 64 bits."""
    product = np.empty((stop - start, block.shape[1]))
    _rows(graph.csr, graph.degrees, block, start, product)
    return product


@kernel
def _largest_pair(indptr: Ints, indices: Ints, degrees: Floats) -> float:
    """The largest sum of the degrees of two neighbours, an upper bound on the eigenvalues of L."""
    largest = 0.0
    for u in range(len(degrees)):
        for p in range(indptr[u], indptr[u + 1]):
            largest = max(largest, degrees[u] + degrees[indices[p]])
    return largest


class Recurrence(NamedTuple):
    """One step of Chebyshev's recurrence, T_next = factor · (L − centre) T_now − kept · T_before; 32 bits."""

    centre: np.float32
    factor: np.float32
    kept: np.float32


@kernel
def _step(csr: Csr, degrees: Floats, now: Any, other: Any, factors: Recurrence, rows: Any) -> None:
    """Take a step on some rows of a block `now`, written over the one before it, `other`; 32 bits."""
    indptr, indices, weights = csr
    centre, factor, kept = factors
    total = np.empty(now.shape[1], dtype=np.float32)
    for u in range(rows[0], rows[1]):
        own = np.float32(degrees[u]) - centre
        for k in range(now.shape[1]):
            total[k] = own * now[u, k]
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            w = np.float32(weights[p])
            for k in range(now.shape[1]):
                total[k] -= w * now[v, k]
        for k in range(now.shape[1]):
            other[u, k] = factor * total[k] - kept * other[u, k] if kept > 0 else factor * total[k]


@kernel
def _rows(csr: Csr, degrees: Floats, block: Any, start: int, product: Floats) -> None:
    """Set product = rows of L·block from row `start` on, in 64 bits."""
    indptr, indices, weights = csr
    for i in range(len(product)):
        u = start + i
        for k in range(block.shape[1]):
            product[i, k] = degrees[u] * np.float64(block[u, k])
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            w = np.float64(weights[p])
            for k in range(block.shape[1]):
                product[i, k] -= w * np.float64(block[v, k])


@kernel
def _take_means_off(block: Any, components: Any, count: int) -> None:
    """Take the mean over each component off every column; one component needs no list of them."""
    sizes = np.zeros(count)
    means = np.zeros((count, block.shape[1]))
    alone = count == 1
    for u in range(len(block)):
        c = 0 if alone else components[u]
        sizes[c] += 1.0
        for k in range(block.shape[1]):
            means[c, k] += np.float64(block[u, k])
    for c in range(count):
        for k in range(block.shape[1]):
            means[c, k] /= sizes[c]
    for u in range(len(block)):
        c = 0 if alone else components[u]
        for k in range(block.shape[1]):
            block[u, k] -= np.float32(means[c, k])


@kernel
def _squares(block: Any) -> Any:
    """The squared length of every column of a block (nodes, columns), in 64 bits."""
    squares = np.zeros(block.shape[1])
    for u in range(len(block)):
        for k in range(block.shape[1]):
            squares[k] += np.float64(block[u, k]) * np.float64(block[u, k])
    return squares
