"""A forest made ready for online labels: rooted on demand, with its paths cut into heavy ones.

Several spanning trees of one graph are one forest: node v of tree k is k·n + v. A component is rooted at
the first of its nodes that gets a label, so that the *hull*, the smallest subtree that holds all labelled
nodes, is closed under taking parents. Every heavy path then meets the hull in its upper part, and the place
where a node hangs from the hull is found by climbing O(log n) heavy paths. The smallest weight on a piece
of a hinge line comes from a segment tree over the heavy paths.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.flow.static.capacities import scale_weights
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel, kernel

__all__ = ["Forest", "Rooted", "attach", "make_forest", "new_rooted", "path_minimum", "root_component"]

Shorts = NDArray[np.int32]

# columns of Rooted.nodes
PARENT, DEPTH, HEAD, PLACE, DEEP = range(5)
UNROOTED, NOBODY, PLACED = -2, -1, -3


class Forest(NamedTuple):
    """The forest itself, never changed and shared by all problems.

    ``capacities`` are exact integers (all 1 where ``uniform``), ``lengths`` resistances 1/w. The nodes of the
    component of ``v`` take the places from ``first[v]`` on in the order of heavy paths.
    """

    indptr: Ints
    heads: Shorts
    capacities: Ints
    lengths: Floats
    first: Shorts
    uniform: bool


class Rooted(NamedTuple):
    """Where every node is, for components that have a root.

    Columns of ``nodes``: parent, depth, head of its heavy path, place in the order of heavy paths, and, at a
    head, the depth of the lowest hull node on its path (−1 where there is none). ``at`` is the node at a
    place, ``height`` the resistance from the root, ``least`` and ``times`` the segment tree of smallest
    capacities and how often they occur.
    """

    nodes: Shorts
    at: Shorts
    height: Floats
    least: Ints
    times: Shorts


def make_forest(graph: Graph, trees: list[Ints]) -> Forest:
    """The forest of several trees, each given as positions of its edges in the graph's CSR arrays."""
    n = graph.num_nodes
    capacities = scale_weights(graph, "prediction on a tree")
    tails = np.concatenate(
        [np.searchsorted(graph.indptr, arcs, side="right") - 1 + k * n for k, arcs in enumerate(trees)]
    )
    heads = np.concatenate([graph.indices[arcs] + k * n for k, arcs in enumerate(trees)])
    arcs = np.concatenate(trees)
    both = np.concatenate([tails, heads])
    order = np.argsort(both, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(both, minlength=n * len(trees)))]).astype(np.int64)
    weights = graph.weights[np.concatenate([arcs, arcs])[order]]
    values = capacities.values[np.concatenate([arcs, arcs])[order]]
    uniform = len(values) == 0 or bool((values == values[0]).all())
    sizes = np.bincount(graph.components)
    begin = (np.cumsum(sizes) - sizes)[graph.components]
    first = np.concatenate([begin + k * n for k in range(len(trees))])
    return Forest(
        indptr=indptr,
        heads=np.concatenate([heads, tails])[order].astype(np.int32),
        capacities=np.ones_like(values) if uniform else values,
        lengths=np.ones(len(values)) if uniform else 1.0 / weights,
        first=first.astype(np.int32),
        uniform=uniform,
    )


def new_rooted(forest: Forest) -> Rooted:
    """The arrays of a forest none of whose components has a root yet."""
    count = len(forest.first)
    nodes = np.full((count, 5), UNROOTED, dtype=np.int32)
    nodes[:, DEEP] = NOBODY
    tree = 1 if forest.uniform else 2 * count
    return Rooted(
        nodes=nodes,
        at=np.zeros(count, dtype=np.int32),
        height=np.zeros(1 if forest.uniform else count),
        least=np.zeros(tree, dtype=np.int64),
        times=np.zeros(tree, dtype=np.int32),
    )


@inner_kernel
def root_component(forest: Forest, rooted: Rooted, root: int) -> None:
    """Root the component of a node at that node, and lay out its heavy paths."""
    nodes, at = rooted.nodes, rooted.at
    first = forest.first[root]
    nodes[root, PARENT], nodes[root, DEPTH] = NOBODY, 0
    at[first] = root
    head, tail = first, first + 1
    while head < tail:  # breadth first; `at` serves as the queue
        node = at[head]
        head += 1
        for arc in range(forest.indptr[node], forest.indptr[node + 1]):
            other = forest.heads[arc]
            if nodes[other, PARENT] == UNROOTED:
                nodes[other, PARENT] = node
                nodes[other, DEPTH] = nodes[node, DEPTH] + 1
                if not forest.uniform:
                    rooted.height[other] = rooted.height[node] + forest.lengths[arc]
                at[tail] = other
                tail += 1
    # sizes of subtrees, and with them the heavy child of every node
    count = tail - first
    order = at[first:tail].copy()
    for k in range(count):
        nodes[order[k], PLACE] = 1  # the size of the subtree, for now
        nodes[order[k], HEAD] = NOBODY  # the heavy child, for now
    for k in range(count - 1, 0, -1):
        node = order[k]
        above = nodes[node, PARENT]
        nodes[above, PLACE] += nodes[node, PLACE]
        heavy = nodes[above, HEAD]
        if heavy == NOBODY or nodes[node, PLACE] > nodes[heavy, PLACE]:
            nodes[above, HEAD] = node
    # number the nodes so that every heavy path is a run of places, its head first
    place = first
    for k in range(count):
        start = order[k]
        if nodes[start, DEEP] == PLACED:
            continue
        node = start
        while node != NOBODY:
            heavy = nodes[node, HEAD]
            nodes[node, HEAD] = start
            nodes[node, PLACE] = place
            nodes[node, DEEP] = PLACED
            at[place] = node
            place += 1
            node = heavy
    for k in range(count):
        nodes[order[k], DEEP] = NOBODY
    if not forest.uniform:
        _fill_minima(forest, rooted, first, tail)


@kernel
def attach(rooted: Rooted, node: int) -> int:
    """The hull node from which a node of a rooted component hangs; itself if it is on the hull."""
    nodes = rooted.nodes
    while True:
        head = nodes[node, HEAD]
        deep = nodes[head, DEEP]
        if deep >= 0:
            if deep >= nodes[node, DEPTH]:
                return node
            return rooted.at[nodes[head, PLACE] + deep - nodes[head, DEPTH]]
        node = nodes[head, PARENT]


@inner_kernel
def path_minimum(forest: Forest, rooted: Rooted, low: int, high: int) -> tuple[int, int]:
    """Smallest capacity on the path from a node up to an ancestor, and how many edges have it."""
    nodes = rooted.nodes
    if forest.uniform:
        return 1, int(nodes[low, DEPTH]) - int(nodes[high, DEPTH])
    least, times = 2**62, 0
    node = low
    while node != high:
        head = nodes[node, HEAD]
        if head != nodes[high, HEAD]:
            left, right = nodes[head, PLACE], nodes[node, PLACE]
            node = nodes[head, PARENT]
        else:
            left, right = nodes[high, PLACE] + 1, nodes[node, PLACE]
            node = high
        count = len(forest.first)
        i, j = left + count, right + count + 1
        while i < j:
            if i & 1:
                least, times = _smaller(least, times, int(rooted.least[i]), int(rooted.times[i]))
                i += 1
            if j & 1:
                j -= 1
                least, times = _smaller(least, times, int(rooted.least[j]), int(rooted.times[j]))
            i >>= 1
            j >>= 1
    return least, times


@inner_kernel
def _smaller(one: int, one_times: int, two: int, two_times: int) -> tuple[int, int]:
    """The smaller of two capacities and how often it occurs; equal ones are counted together."""
    if one < two:
        return one, one_times
    if two < one:
        return two, two_times
    return one, one_times + two_times


@inner_kernel
def _fill_minima(forest: Forest, rooted: Rooted, first: int, last: int) -> None:
    """Enter the component's capacities in the segment tree, leaves first."""
    count = len(forest.first)
    for place in range(first, last):
        node = rooted.at[place]
        capacity = 2**62
        for arc in range(forest.indptr[node], forest.indptr[node + 1]):
            if forest.heads[arc] == rooted.nodes[node, PARENT]:
                capacity = forest.capacities[arc]
        rooted.least[count + place] = capacity
        rooted.times[count + place] = 1
    low, high = (first + count) >> 1, (last - 1 + count) >> 1
    while high >= 1:
        for i in range(max(low, 1), high + 1):
            rooted.least[i], rooted.times[i] = _smaller(
                rooted.least[2 * i], rooted.times[2 * i], rooted.least[2 * i + 1], rooted.times[2 * i + 1]
            )
        low >>= 1
        high >>= 1
