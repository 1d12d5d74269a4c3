"""Spanning trees of low stretch: the edges that are left out have short detours on average.

The stretch of an edge of weight w is w times the resistance Σ 1/w of the tree path between its ends. As in
Alon, Karp, Peleg and West (1995), the tree is built in rounds from short edges to long ones. A round takes
the edges up to a length, splits the graph they form into clusters of small radius, keeps a breadth-first
tree of every cluster, and contracts the clusters. The clusters come from breadth-first searches that start
at random, exponentially distributed times (Miller, Peng, Xu 2013): an edge is cut between two clusters with
probability about `RATE`, and radii are O(log n / RATE).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = ["average_stretch", "low_stretch_edges"]

RATE = 0.4
GROWTH = 4.0  # lengths admitted in a round, over those of the round before


def low_stretch_edges(graph: Graph, rng: np.random.Generator) -> Ints:
    """Rows of ``graph.edges`` that form a spanning forest of low stretch."""
    lengths = 1.0 / graph.edge_weights
    place = np.arange(graph.num_nodes)  # the contracted node every node is in
    chosen: list[Ints] = []
    reach = float(lengths.min(initial=np.inf))
    open_edges = np.arange(graph.num_edges)
    while len(open_edges):
        ends = place[graph.edges[open_edges]]
        between = ends[:, 0] != ends[:, 1]
        open_edges, ends = open_edges[between], ends[between]
        admitted = lengths[open_edges] <= reach * (1 + 1e-12)
        reach *= GROWTH
        if not admitted.any():
            continue
        kept, place = _contract(open_edges[admitted], ends[admitted], place, rng)
        chosen.append(kept)
    return np.sort(np.concatenate(chosen)) if chosen else np.zeros(0, dtype=np.int64)


def average_stretch(graph: Graph, tree: Graph) -> float:
    """Mean over the edges of a graph of their weight times the resistance of their tree path.

    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> average_stretch(square, Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    1.5
    """
    if not graph.num_edges:
        return 0.0
    return float(_total_stretch(graph.edges, graph.edge_weights, _root(tree.csr)) / graph.num_edges)


def _contract(edges: Ints, ends: Ints, place: Ints, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Cluster the graph of contracted nodes: the edges used, and where every node is now."""
    count = int(place.max()) + 1
    tails = np.concatenate([ends[:, 0], ends[:, 1]])
    order = np.argsort(tails, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=count))]).astype(np.int64)
    heads = np.concatenate([ends[:, 1], ends[:, 0]])[order]
    labels = np.concatenate([edges, edges])[order]
    shift = rng.exponential(1.0 / RATE, count)
    start = np.floor(shift.max() - shift).astype(np.int64)
    grown = _grow(indptr, heads, np.argsort(start, kind="stable"), start)
    _, number = np.unique(grown.cluster, return_inverse=True)
    return labels[grown.used], number.reshape(-1)[place]


class GrownClusters(NamedTuple):
    """The centre of every node's cluster, and the arcs by which the other nodes were reached."""

    cluster: Ints
    used: Ints


class RootedForest(NamedTuple):
    """A forest by parents: −1 at roots; the depth of every node in edges, and its height in resistance."""

    parent: Ints
    depth: Ints
    height: Floats


@kernel
def _grow(indptr: Ints, heads: Ints, order: Ints, start: Ints) -> GrownClusters:
    """Clusters by breadth-first searches: one begins at node i at time ``start[i]`` unless i was reached.

    `order` are the nodes by their time; a search takes one unit of time per edge.
    """
    n = len(indptr) - 1
    cluster = np.full(n, -1)
    queue = np.empty(n, dtype=np.int64)
    used = np.empty(n, dtype=np.int64)
    head = tail = count = upcoming = time = 0
    while tail < n:
        while upcoming < n and start[order[upcoming]] <= time:
            centre = order[upcoming]
            upcoming += 1
            if cluster[centre] < 0:
                cluster[centre] = centre
                queue[tail] = centre
                tail += 1
        last = tail
        while head < last:
            node = queue[head]
            head += 1
            for arc in range(indptr[node], indptr[node + 1]):
                other = heads[arc]
                if cluster[other] < 0:
                    cluster[other] = cluster[node]
                    used[count] = arc
                    count += 1
                    queue[tail] = other
                    tail += 1
        time += 1
    return GrownClusters(cluster, used[:count].copy())


@kernel
def _root(csr: Csr) -> RootedForest:
    """A forest rooted at the lowest node of every component."""
    indptr, indices, weights = csr
    n = len(indptr) - 1
    parent = np.full(n, -1)
    depth = np.full(n, -1)
    height = np.zeros(n)
    stack = np.empty(n, dtype=np.int64)
    for root in range(n):
        if depth[root] >= 0:
            continue
        depth[root] = 0
        stack[0] = root
        top = 1
        while top:
            top -= 1
            node = stack[top]
            for arc in range(indptr[node], indptr[node + 1]):
                other = indices[arc]
                if depth[other] < 0:
                    parent[other] = node
                    depth[other] = depth[node] + 1
                    height[other] = height[node] + 1.0 / weights[arc]
                    stack[top] = other
                    top += 1
    return RootedForest(parent, depth, height)


@kernel
def _total_stretch(edges: Ints, weights: Floats, forest: RootedForest) -> float:
    """Σ over the edges of w_e times the resistance between their ends in a rooted forest."""
    parent, depth, height = forest
    total = 0.0
    for e in range(len(edges)):
        u, v = edges[e, 0], edges[e, 1]
        span = height[u] + height[v]
        while u != v:
            if depth[u] >= depth[v]:
                u = parent[u]
            else:
                v = parent[v]
        total += weights[e] * (span - 2.0 * height[u])
    return total
