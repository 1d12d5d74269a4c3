"""Wide diameters: how long edge-disjoint paths between two nodes must be.

The wide diameter D(i) is the least number such that any two nodes are joined by i edge-disjoint paths of at
most D(i) edges each; infinite where i exceeds the connectivity κ. D(1) is the diameter without weights, and
D(1) ≤ D(2) ≤ … ≤ D(κ) (Herbster, Pasteris and Ghosh 2015, Section 3.3, who print "at least" for "at most").

With i paths in parallel, the resistance between two nodes of an unweighted graph is at most D(i)/i, and their
p-resistance at most D(i)^(p−1)/i.

To make the longest of i disjoint paths short is NP-hard from i = 2 on. Making their sum short is a flow of
least cost: for every pair of nodes i shortest augmenting paths, O(i n E) each at worst. That sum over i is
never above the best longest path, and the longest path of such a flow never below it; where the two meet for
the largest pair, the value is exact, otherwise it is an upper bound, and says so.

Reference: Suurballe 1974, "Disjoint paths in a network".
"""

from __future__ import annotations

import math

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.measured import Measured
from zerokelvin.jit import kernel

__all__ = ["wide_diameter", "wide_diameters"]

LARGEST = 2000


def wide_diameter(graph: Graph, level: int) -> Measured:
    """The wide diameter D(level), in edges; weights do not matter.

    Of a graph with one node it is 0 at every level, of one with several components infinite.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> [wide_diameter(square, level).value for level in (1, 2, 3)]
    [2.0, 3.0, inf]
    """
    if isinstance(level, bool) or level != int(level) or level < 1:
        raise ParameterError(f"level={level} must be a whole number of at least 1.")
    found = wide_diameters(graph, int(level))
    if graph.num_nodes == 1:
        return Measured(0.0, True, "one node")
    return found[level - 1] if level <= len(found) else Measured(math.inf, True, "level above connectivity")


def wide_diameters(graph: Graph, most: int | None = None) -> list[Measured]:
    """The wide diameters D(1), D(2), … up to the connectivity, or to `most`; none of a disconnected graph.

    Examples
    --------
    >>> [found.value for found in wide_diameters(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))]
    [1.0, 2.0]
    """
    if graph.num_nodes > LARGEST:
        raise ParameterError(
            f"wide diameters look at every pair of nodes, and {graph.num_nodes} are more than {LARGEST}; "
            "take diameter(graph), which is D(1), or a subgraph."
        )
    if graph.num_nodes == 1 or graph.num_components > 1:
        return []
    indptr = graph.indptr.astype(np.int64)
    indices = graph.indices.astype(np.int64)
    limit = int(np.diff(indptr).min())
    limit = limit if most is None else min(limit, most)
    upper, lower = _over_pairs(indptr, indices, np.argsort(indices, kind="stable"), limit)
    method = "edge-disjoint paths of least total length"
    return [
        Measured(float(high), bool(high == low), method)
        for high, low in zip(upper, lower, strict=True)
        if high >= 0
    ]


@kernel
def _over_pairs(indptr: Ints, indices: Ints, reverse: Ints, limit: int) -> tuple[Ints, Ints]:
    """Upper and lower bounds on D(1), …, D(limit); −1 from the first level on that some pair cannot reach."""
    n = len(indptr) - 1
    upper, lower = np.zeros(limit, dtype=np.int64), np.zeros(limit, dtype=np.int64)
    flow = np.zeros(len(indices), dtype=np.int64)
    for s in range(n):
        for t in range(s + 1, n):
            flow[:] = 0
            total = 0
            for i in range(limit):
                if upper[i] < 0:
                    break
                step = _augment(indptr, indices, reverse, flow, s, t)
                if step == 0:
                    upper[i:] = -1
                    break
                total += step
                least = (total + i) // (i + 1)
                lower[i] = max(lower[i], least)
                if total - i > upper[i]:  # the others take at least one edge each
                    upper[i] = max(upper[i], _longest(indptr, indices, flow, s, t))
    return upper, lower


@kernel
def _augment(indptr: Ints, indices: Ints, reverse: Ints, flow: Ints, s: int, t: int) -> int:
    """Send one more unit from s to t as cheaply as possible; how many edges more that takes, 0 if no way."""
    n = len(indptr) - 1
    far = np.int64(1 << 40)
    cost = np.full(n, far)
    by = np.full(n, -1)
    waiting = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n + 1, dtype=np.int64)
    queue[0] = s
    head, tail = 0, 1
    cost[s] = 0
    waiting[s] = True
    while head != tail:
        v = queue[head]
        head = (head + 1) % (n + 1)
        waiting[v] = False
        for a in range(indptr[v], indptr[v + 1]):
            if flow[a] == 1:
                continue
            price = -1 if flow[reverse[a]] == 1 else 1
            w = indices[a]
            if cost[v] + price < cost[w]:
                cost[w] = cost[v] + price
                by[w] = a
                if not waiting[w]:
                    waiting[w] = True
                    queue[tail] = w
                    tail = (tail + 1) % (n + 1)
    if cost[t] == far:
        return 0
    v = t
    while v != s:
        a = by[v]
        if flow[reverse[a]] == 1:
            flow[reverse[a]] = 0
        else:
            flow[a] = 1
        v = indices[reverse[a]]
    return cost[t]


@kernel
def _longest(indptr: Ints, indices: Ints, flow: Ints, s: int, t: int) -> int:
    """The longest path when the flow, which has no cycle, is divided into paths that are alike in length.

    Node by node from s on, the longest path so far goes on where the way to t is shortest.
    """
    n = len(indptr) - 1
    entering = np.zeros(n, dtype=np.int64)
    for a in range(len(flow)):
        entering[indices[a]] += flow[a]
    order = np.empty(n, dtype=np.int64)
    order[0] = s
    head, tail = 0, 1
    left = entering.copy()
    while head < tail:
        v = order[head]
        head += 1
        for a in range(indptr[v], indptr[v + 1]):
            if flow[a] == 1:
                left[indices[a]] -= 1
                if left[indices[a]] == 0:
                    order[tail] = indices[a]
                    tail += 1
    height = np.zeros(n, dtype=np.int64)
    for k in range(tail - 1, -1, -1):
        v = order[k]
        for a in range(indptr[v], indptr[v + 1]):
            if flow[a] == 1:
                height[v] = max(height[v], height[indices[a]] + 1)
    starts = np.zeros(n + 1, dtype=np.int64)
    for v in range(n):
        starts[v + 1] = starts[v] + entering[v]
    lengths = np.zeros(starts[n], dtype=np.int64)  # of the paths that enter each node
    filled = starts[:-1].copy()
    for k in range(tail):
        v = order[k]
        if v == t:
            continue
        out = np.array([a for a in range(indptr[v], indptr[v + 1]) if flow[a] == 1])
        out = out[np.argsort(np.array([height[indices[a]] for a in out]))]
        come = np.sort(lengths[starts[v] : starts[v + 1]])[::-1]
        for j in range(len(out)):
            w = indices[out[j]]
            lengths[filled[w]] = (come[j] if v != s else 0) + 1
            filled[w] += 1
    return lengths[starts[t] : starts[t + 1]].max()
