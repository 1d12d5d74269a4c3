"""Geodesic distances from one node, and its eccentricity.

An edge of weight w has length 1/w; the geodesic distance d_G(p, q) is the length of a shortest path, the
eccentricity of p the distance to the node furthest from it. Graphs whose edges all weigh the same are
searched by breadth, all others by Dijkstra's algorithm.

References
----------
Herbster, Pontil 2006, "Prediction on a graph with a perceptron", section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import NodeError
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["eccentricity", "geodesic_distances", "shortest_paths"]


def geodesic_distances(graph: Graph, node: int) -> Floats:
    """Length of a shortest path from a node index to every node, infinite where there is none.

    >>> path = Graph.from_edges([(0, 1), (1, 2)], weights=[1.0, 0.5], num_nodes=4)
    >>> geodesic_distances(path, 0)
    array([ 0.,  1.,  3., inf])
    """
    graph.require_positive("the geodesic distance")
    start = _node_index(graph, node)
    return shortest_paths(graph.indptr, graph.indices, graph.weights, start)


def eccentricity(graph: Graph, node: int) -> float:
    """Geodesic distance from a node index to the node furthest from it, within its component.

    >>> eccentricity(Graph.from_edges([(0, 1), (1, 2)]), 0)
    2.0
    """
    distances = geodesic_distances(graph, node)
    return float(distances[np.isfinite(distances)].max())


def shortest_paths(indptr: Ints, indices: Ints, weights: Floats, start: int) -> Floats:
    """Geodesic distances from one node of a CSR graph: by breadth where all edges weigh the same."""
    if len(weights) == 0 or weights.min() == weights.max():
        hops = _breadth_first(indptr, indices, start)
        length = 1.0 / weights[0] if len(weights) else 1.0
        distances: Floats = np.where(hops < 0, np.inf, hops * length)
        return distances
    with np.errstate(over="ignore"):
        lengths = 1.0 / weights
    matrix: Any = sp.csr_array((lengths, indices, indptr), shape=(len(indptr) - 1,) * 2)
    return np.asarray(sp.csgraph.dijkstra(matrix, directed=True, indices=[start])[0])


def _node_index(graph: Graph, node: Any) -> int:
    """The node as an index, refused where it is none of the graph's."""
    if isinstance(node, (int, np.integer)) and 0 <= node < graph.num_nodes:
        return int(node)
    raise NodeError(f"node index {node!r} is not an integer from 0 to {graph.num_nodes - 1}.")


@kernel
def _breadth_first(indptr: Ints, indices: Ints, start: int) -> Ints:
    """Number of edges from `start` to every node, -1 where it is not reached."""
    hops = np.full(len(indptr) - 1, -1, dtype=np.int64)
    queue = np.empty(len(indptr) - 1, dtype=np.int64)
    hops[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for at in range(indptr[node], indptr[node + 1]):
            other = indices[at]
            if hops[other] < 0:
                hops[other] = hops[node] + 1
                queue[tail] = other
                tail += 1
    return hops
