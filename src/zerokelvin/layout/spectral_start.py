"""A first drawing of any graph, at once: every component by its two slowest directions, side by side.

A component of s of the n nodes gets a square of side `SIDE`·√(s/n): all nodes have about the same room.
Eigenvectors often put a few nodes far out and all others in a corner; the inverse hyperbolic sine of their
multiples of the median size draws those in and changes no order. Edges of negative weight say nothing of
nearness and are left out.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.graph import Graph
from zerokelvin.layout.shelf_packing import packed
from zerokelvin.layout.slow_directions import slow_directions, slow_directions_of_small
from zerokelvin.threads import on_one_thread

__all__ = ["attracting", "components_of", "first_layout"]

SIDE = 20.0
"""The side of a drawing, in units in which the forces of `attraction_repulsion` reach about 1."""

TINY = 32
"""Components up to this size are drawn together with all others of their size."""

LIGHTEST = 1e-12
"""Edges lighter than this, relative to the heaviest, count as so heavy: their eigenvectors would be lost."""


@on_one_thread
def first_layout(graph: Graph, seed: int = 0) -> Floats:
    """Positions (n, 2) of the nodes, in their order, from the graph's own two slowest eigenvectors.

    The same graph and seed give the same positions on any number of threads.

    Parameters
    ----------
    graph
        Any graph; it may have several components and nodes without edges.
    seed
        For the random vectors where a component has no smaller graph to begin with.

    Examples
    --------
    >>> first_layout(Graph.from_edges([(0, 1), (1, 2), (3, 4)], num_nodes=6)).shape
    (6, 2)
    """
    matrix = attracting(graph)
    components = components_of(matrix)
    sizes = np.bincount(components)
    order = np.argsort(components, kind="stable")
    starts = np.cumsum(sizes) - sizes
    positions = np.zeros((graph.num_nodes, 2))
    for size in np.unique(sizes[sizes > 1]).tolist():
        firsts = starts[sizes == size]
        if size <= TINY:
            nodes = order[firsts[:, None] + np.arange(size)]
            positions[nodes] = _draw_small(matrix, nodes)
        else:
            for first in firsts.tolist():
                nodes = order[first : first + size]
                part = matrix if size == graph.num_nodes else sp.csr_array(matrix[nodes][:, nodes])
                positions[nodes] = slow_directions(part, seed)
    _scale(positions, components, sizes)
    return packed(positions, components)


def attracting(graph: Graph) -> sp.csr_array:
    """The positive edges by weights of at most 1, which are relative to the heaviest."""
    matrix = graph.adjacency
    if graph.is_signed:
        matrix = sp.csr_array(matrix.multiply(matrix > 0))
        matrix.eliminate_zeros()
    heaviest = float(matrix.data.max(initial=0.0))
    weights = np.clip(matrix.data / (heaviest or 1.0), LIGHTEST, 1.0)
    return sp.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)


def components_of(matrix: sp.csr_array) -> Ints:
    """The connected component of every node."""
    _, components = sp.csgraph.connected_components(matrix, directed=False)
    return components.astype(np.int64)


def _draw_small(matrix: sp.csr_array, nodes: Ints) -> Floats:
    """Two directions for each of several components of one size; their nodes are the rows of `nodes`."""
    count, size = nodes.shape
    together = nodes.ravel()
    part = sp.coo_array(matrix[together][:, together])
    blocks = np.zeros((count, size, size))
    rows, columns = part.coords
    blocks[rows // size, rows % size, columns % size] = part.data
    return slow_directions_of_small(blocks, blocks.sum(axis=2))


def _scale(positions: Floats, components: Ints, sizes: Ints) -> None:
    """Draw outliers in, and give every component its square, in place."""
    order = np.argsort(components, kind="stable")
    for first, size in zip((np.cumsum(sizes) - sizes).tolist(), sizes.tolist(), strict=True):
        if size == 1:
            continue
        nodes = order[first : first + size]
        drawn = positions[nodes]
        middle = np.median(np.abs(drawn), axis=0)
        mean = np.abs(drawn).mean(axis=0)
        unit = np.maximum(middle, 0.1 * mean)
        drawn = np.arcsinh(drawn / np.where(unit > 0.0, unit, 1.0))
        drawn -= drawn.min(axis=0)
        longest = drawn.max(axis=0)
        side = SIDE * np.sqrt(size / len(positions))
        positions[nodes] = drawn * np.where(longest > 0.0, side / np.where(longest > 0.0, longest, 1.0), 0.0)
