"""Edge connectivity of a graph, and the atomic number: how few highly connected parts it falls into.

The connectivity κ(G) is the largest λ such that any two nodes are joined by λ edge-disjoint paths, that is
the smallest cut into two non-empty sides; weights count as parallel edges. A single node has κ = ∞, a graph
of several components κ = 0. The atomic number N_λ(G) is the fewest subgraphs of connectivity at least λ that
the nodes can be divided into (Herbster, Pasteris and Ghosh 2015, Section 2).

A subgraph of connectivity λ is never torn by a cut below λ. So dividing again and again along such cuts,
until none is left, ends in the largest subgraphs of that connectivity, whatever cuts are taken: the atomic
number found is exact. Cuts come from maximum adjacency orders (Stoer and Wagner 1997): n sweeps over the
edges, O(n E log n), fewer where a light node or a cut below the level is found early.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["atomic_number", "atomic_partition", "edge_connectivity"]


def edge_connectivity(graph: Graph) -> float:
    """The weight of the lightest cut into two sides; infinite for one node, 0 if disconnected.

    >>> edge_connectivity(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)]))
    1.0
    >>> edge_connectivity(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]))
    2.0
    """
    graph.require_positive("the edge connectivity")
    if graph.num_nodes == 1:
        return math.inf
    if graph.num_components > 1:
        return 0.0
    lightest = float(graph.degrees.min())
    if lightest == float(graph.edge_weights.min()):  # no cut is lighter than an edge
        return lightest
    value, _ = _lightest_cut(graph.indptr, graph.indices, graph.weights, 0.0)
    return float(value)


def atomic_partition(graph: Graph, level: float) -> Ints:
    """The part of every node in the coarsest division into subgraphs of connectivity at least `level`.

    Parts are numbered by their lowest node.

    >>> atomic_partition(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)]), 2)
    array([0, 0, 0, 1, 1, 1])
    """
    graph.require_positive("the atomic partition")
    if not level > 0:
        raise ParameterError(f"level={level} must be positive.")
    part = np.full(graph.num_nodes, -1, dtype=np.int64)
    waiting = [np.arange(graph.num_nodes)]
    count = 0
    while waiting:
        nodes = waiting.pop()
        piece = graph.subgraph(nodes)
        kept = _peel(piece.indptr, piece.indices, piece.weights, float(level))
        light = nodes[~kept]
        part[light] = np.arange(count, count + len(light))
        count += len(light)
        nodes = nodes[kept]
        if len(light):
            piece = graph.subgraph(nodes) if len(nodes) else piece
        if len(nodes) == 0:
            continue
        if piece.num_components > 1:
            waiting += [nodes[piece.components == c] for c in range(piece.num_components)]
            continue
        value, side = _lightest_cut(piece.indptr, piece.indices, piece.weights, float(level))
        if value < level:
            waiting += [nodes[side], nodes[~side]]
        else:
            part[nodes] = count
            count += 1
    _, first, code = np.unique(part, return_index=True, return_inverse=True)
    rank = np.empty(count, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(count)
    return rank[code.reshape(-1)]


def atomic_number(graph: Graph, level: float) -> int:
    """The fewest subgraphs of connectivity at least `level` that the nodes can be divided into.

    >>> atomic_number(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)]), 2)
    2
    """
    return int(atomic_partition(graph, level).max()) + 1


@kernel
def _peel(indptr: Ints, heads: Ints, weights: Floats, level: float) -> Bools:
    """Nodes left when those of degree below `level` are taken away, again and again."""
    n = len(indptr) - 1
    degree = np.zeros(n)
    for v in range(n):
        for a in range(indptr[v], indptr[v + 1]):
            degree[v] += weights[a]
    kept = degree >= level
    stack = np.flatnonzero(~kept)
    queue = np.empty(n, dtype=np.int64)
    queue[: len(stack)] = stack
    tail = len(stack)
    while tail > 0:
        tail -= 1
        v = queue[tail]
        for a in range(indptr[v], indptr[v + 1]):
            w = heads[a]
            degree[w] -= weights[a]
            if kept[w] and degree[w] < level:
                kept[w] = False
                queue[tail] = w
                tail += 1
    return kept


@kernel
def _lightest_cut(indptr: Ints, heads: Ints, weights: Floats, enough: float) -> tuple[float, Bools]:
    """A lightest cut of a connected graph and one of its sides, or the first found below `enough`."""
    n = len(indptr) - 1
    own = np.arange(n)  # the group a node was merged into
    following = np.arange(n)  # next member of the group, in a circle
    best = np.inf
    side = np.zeros(n, dtype=np.bool_)
    reached = np.full(n, -1, dtype=np.int64)
    tie = np.empty(n)
    for phase in range(n - 1):
        for v in range(n):
            tie[v] = 0.0
        heap = [(0.0, own[0])]
        before, last = -1, -1
        while len(heap) > 0:
            weight, group = heapq.heappop(heap)
            if reached[group] == phase or -weight != tie[group]:
                continue
            reached[group] = phase
            before, last = last, group
            v = group
            while True:
                for a in range(indptr[v], indptr[v + 1]):
                    other = own[heads[a]]
                    if reached[other] != phase:
                        tie[other] += weights[a]
                        heapq.heappush(heap, (-tie[other], other))
                v = following[v]
                if v == group:
                    break
        found = tie[last]
        if found < best:
            best = found
            side[:] = False
            v = last
            while True:
                side[v] = True
                v = following[v]
                if v == last:
                    break
            if best < enough:
                break
        v = last
        while True:
            own[v] = before
            v = following[v]
            if v == last:
                break
        following[before], following[last] = following[last], following[before]
    return best, side
