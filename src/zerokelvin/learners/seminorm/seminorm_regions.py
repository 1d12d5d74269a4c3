"""The pieces a graph falls into when its labelled nodes are taken out, for minimum seminorm interpolation.

A new label at v changes an interpolant only in the *region* of v, the unlabelled nodes reached from v over
unlabelled ones. A region without v falls into *parts* that hang together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bytes, Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.trees.spanning.union_find import leader_of

__all__ = [
    "Region",
    "Routes",
    "TouchingEdges",
    "edges_of",
    "find_part",
    "find_region",
    "part_numbers",
    "routes_to_labels",
]


class Region(NamedTuple):
    """The unlabelled nodes that a node's label can move, and where each stands among them (−1: outside)."""

    nodes: Ints
    place: Ints


class TouchingEdges(NamedTuple):
    """The edges with an end in a set of nodes, as rows (inside, other), and the weight of each."""

    ends: Ints
    weights: Floats


class Routes(NamedTuple):
    """A breadth-first forest: the nodes in the order found, and for every node the edge it was found by."""

    order: Ints
    via: Ints


@kernel
def find_region(csr: Csr, labels: Bytes, node: int) -> Region:
    """The region of a node, without the node itself, in the order of a breadth-first search."""
    indptr, indices = csr.indptr, csr.indices
    n = len(labels)
    place = np.full(n, -1)
    found = np.empty(n, dtype=np.int64)
    count = 0
    at, head = node, 0
    while True:
        for arc in range(indptr[at], indptr[at + 1]):
            other = indices[arc]
            if labels[other] == 0 and place[other] < 0 and other != node:
                place[other] = count
                found[count] = other
                count += 1
        if head == count:
            return Region(found[:count].copy(), place)
        at = found[head]
        head += 1


@kernel
def find_part(csr: Csr, labels: Bytes, start: int) -> Region:
    """The unlabelled nodes connected with `start`, itself first."""
    indptr, indices = csr.indptr, csr.indices
    n = len(labels)
    place = np.full(n, -1)
    found = np.empty(n, dtype=np.int64)
    place[start], found[0] = 0, start
    head, count = 0, 1
    while head < count:
        for arc in range(indptr[found[head]], indptr[found[head] + 1]):
            other = indices[arc]
            if labels[other] == 0 and place[other] < 0:
                place[other], found[count] = count, other
                count += 1
        head += 1
    return Region(found[:count].copy(), place)


@kernel
def edges_of(csr: Csr, region: Region) -> TouchingEdges:
    """The edges with an end in a region; one between two of its nodes stands in the row of the earlier."""
    indptr, indices, weights = csr
    nodes, place = region
    count = 0
    for k in range(len(nodes)):
        count += indptr[nodes[k] + 1] - indptr[nodes[k]]
    edges = np.empty((count, 2), dtype=np.int64)
    found = np.empty(count)
    count = 0
    for k in range(len(nodes)):
        for arc in range(indptr[nodes[k]], indptr[nodes[k] + 1]):
            other = place[indices[arc]]
            if other < 0 or other > k:
                edges[count, 0], edges[count, 1], found[count] = nodes[k], indices[arc], weights[arc]
                count += 1
    return TouchingEdges(edges[:count].copy(), found[:count].copy())


@kernel
def routes_to_labels(place: Ints, count: int) -> Routes:
    """A breadth-first forest over `count` nodes, rooted at the edges whose other end is fixed (−1).

    `place` has one row (node, node or −1) per edge.
    """
    # the edges at every node, as rows of a CSR matrix
    starts = np.zeros(count + 1, dtype=np.int64)
    for e in range(len(place)):
        starts[place[e, 0] + 1] += 1
        if place[e, 1] >= 0:
            starts[place[e, 1] + 1] += 1
    starts = np.cumsum(starts)
    filled = starts[:-1].copy()
    rows = np.empty(starts[-1], dtype=np.int64)
    order, via = np.full(count, -1), np.full(count, -1)
    found = 0
    for e in range(len(place)):
        i, j = place[e, 0], place[e, 1]
        rows[filled[i]] = e
        filled[i] += 1
        if j >= 0:
            rows[filled[j]] = e
            filled[j] += 1
        elif via[i] < 0:
            via[i], order[found] = e, i
            found += 1
    # breadth first from the nodes next to a fixed end
    head = 0
    while head < found:
        node = order[head]
        head += 1
        for at in range(starts[node], starts[node + 1]):
            e = rows[at]
            other = place[e, 0] + place[e, 1] - node
            if place[e, 1] >= 0 and via[other] < 0:
                via[other], order[found] = e, other
                found += 1
    return Routes(order, via)


@kernel
def part_numbers(place: Ints, count: int) -> Ints:
    """For every one of `count` nodes the node that stands for its part: equal for nodes that edges join."""
    leader = np.arange(count)
    for e in range(len(place)):
        if place[e, 1] >= 0:
            u, v = leader_of(leader, place[e, 0]), leader_of(leader, place[e, 1])
            leader[u] = v
    for node in range(count):
        leader[node] = leader_of(leader, node)
    return leader
