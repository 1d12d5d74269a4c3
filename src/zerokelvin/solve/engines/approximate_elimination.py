"""Approximate elimination of the nodes of a Laplacian with excess, by sampling.

Gao, Kyng and Spielman (2023), "Robust and practical solution of Laplacian equations by approximate
elimination". Eliminating a node v with edge weights w₁ ≤ … ≤ w_k (sum W) adds the clique of weights
w_i·w_j / W among its neighbours. Instead, for each i < k one edge to a j > i drawn with probability
w_j / S_i, S_i = Σ_{j>i} w_j, is added with weight w_i·S_i / W: right in expectation, and the graph never
grows. The nodes are eliminated in order of their current number of edges. With ``samples=2`` (AC2) every
edge is first split in two halves and up to two parallel edges are kept apart, which takes about twice
the work and memory for a better preconditioner.

Above 300 lines: one elimination, whose steps change the same lists of half-edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = ["HalfEdges", "SampledFactor", "eliminate"]


MOST_BUCKETS = 4096
"""Lists of nodes by number of edges: nodes of more are rare, and in which order they come matters little."""


class HalfEdges(NamedTuple):
    """A graph as lists of half-edges, 2e and 2e + 1 the two directions of edge e; node n is the ground.

    Attributes
    ----------
    end, worth, after
        Per half-edge the node it leads to, its weight (0 where it is gone), and the next one of the same
        node.
    first, degree
        Per node its first half-edge, −1 where it has none, and how many it has.
    """

    end: NDArray[np.int32]
    worth: Floats
    after: NDArray[np.int32]
    first: NDArray[np.int32]
    degree: Ints


class Buckets(NamedTuple):
    """Nodes in lists by number of edges: the first of each list; of every node, the next and the one before.

    −1 where there is none. All nodes of `MOST_BUCKETS` edges and more share the last list.
    """

    head: Ints
    nxt: Ints
    prv: Ints


class SampledFactor(NamedTuple):
    """L D Lᵀ, column by column in the order of elimination.

    Attributes
    ----------
    sequence
        The n nodes in that order.
    starts, rows, values
        Per eliminated node, ``rows[starts[s] : starts[s + 1]]`` are its later neighbours, and `values` their
        shares w / W of its weight W.
    pivots
        W per eliminated node, 0 for the last node of a singular component.
    """

    sequence: NDArray[np.int32]
    starts: Ints
    rows: NDArray[np.int32]
    values: Floats
    pivots: Floats


class ParallelEdges(NamedTuple):
    """Per neighbour of the node that goes: a half-edge to it, how many are kept, their weight in all."""

    seen: Ints
    copies: Ints
    total: Floats


@kernel
def eliminate(csr: Csr, excess: Floats, samples: int, rng: np.random.Generator) -> SampledFactor:
    """Eliminate all nodes, one of fewest edges at a time: the factor by columns."""
    edges = _edge_lists(csr, excess, samples)
    end, worth, degree = edges.end, edges.worth, edges.degree
    n = len(degree) - 1
    buckets = _buckets(degree)
    head, nxt, prv = buckets
    sequence = np.full(n, -1, dtype=np.int32)
    starts = np.zeros(n + 1, np.int64)
    rows, values = np.empty(len(end) // 2 + n + 16, np.int32), np.empty(len(end) // 2 + n + 16)
    pivots = np.zeros(n)
    seen = np.full(n + 1, -1, np.int64)
    merged = ParallelEdges(seen, np.zeros(n + 1, np.int64), np.zeros(n + 1))
    gone = np.zeros(n + 1, np.bool_)
    kept, sums = np.empty(64, np.int64), np.empty(64)
    lowest, filled = 0, 0
    for step in range(n):
        # -- a node of fewest edges
        while head[lowest] < 0:
            lowest += 1
        v = head[lowest]
        head[lowest] = nxt[v]
        if nxt[v] >= 0:
            prv[nxt[v]] = -1
        sequence[step] = v
        gone[v] = True
        # -- room for all its edges
        most = degree[v]
        if most > len(kept):
            kept, sums = np.empty(2 * most, np.int64), np.empty(2 * most)
        if filled + most > len(rows):
            rows, values = _grown(rows, filled, most), _grown(values, filled, most)
        # -- its column of the factor
        length, lowest = _collect(v, edges, merged, gone, samples, kept, buckets, lowest)
        whole, filled = _write_column(edges, merged, kept[:length], rows, values, filled)
        starts[step + 1] = filled
        pivots[step] = whole
        # -- the clique of its neighbours, sampled
        if length > 0:
            _sort_by_weight(kept, worth, length)
            lowest = _sample(edges, kept[:length], sums, whole, rng, buckets, lowest)
    return SampledFactor(sequence, starts, rows[:filled].copy(), values[:filled].copy(), pivots)


@kernel
def _edge_lists(csr: Csr, excess: Floats, samples: int) -> HalfEdges:
    """The graph as lists of half-edges, 2e and 2e + 1 the two directions of edge e; node n is the ground.

    Every edge of the matrix is there `samples` times, with an equal share of its weight.
    """
    indptr, indices, weights = csr
    n = len(indptr) - 1
    edges = 0
    for i in range(n):
        edges += excess[i] > 0
        for p in range(indptr[i], indptr[i + 1]):
            edges += indices[p] > i
    halves = 2 * edges * samples
    end, worth, after = np.empty(halves, np.int32), np.empty(halves), np.empty(halves, np.int32)
    first, degree = np.full(n + 1, -1, np.int32), np.zeros(n + 1, np.int64)
    free = 0
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1] + 1):
            if p == indptr[i + 1]:
                if excess[i] <= 0:
                    continue
                j = n
                weight = excess[i]
            else:
                j = indices[p]
                weight = weights[p]
            if j < i:
                continue
            for _ in range(samples):
                end[free] = j
                end[free + 1] = i
                worth[free] = worth[free + 1] = weight / samples
                after[free] = first[i]
                first[i] = free
                after[free + 1] = first[j]
                first[j] = free + 1
                degree[i] += 1
                degree[j] += 1
                free += 2
    return HalfEdges(end, worth, after, first, degree)


@kernel
def _buckets(degree: Ints) -> Buckets:
    """All nodes but the ground in lists by number of edges, those of one list by ascending number."""
    n = len(degree) - 1
    count = min(n, MOST_BUCKETS)
    head = np.full(count + 1, -1, np.int64)
    nxt, prv = np.full(n + 1, -1, np.int64), np.full(n + 1, -1, np.int64)
    for i in range(n - 1, -1, -1):
        bucket = min(degree[i], count)
        nxt[i] = head[bucket]
        if nxt[i] >= 0:
            prv[nxt[i]] = i
        head[bucket] = i
    return Buckets(head, nxt, prv)


@kernel
def _grown(array: Any, filled: int, more: int) -> Any:
    """A copy of the first `filled` entries with room for as many again and `more`."""
    larger = np.empty(2 * len(array) + more, array.dtype)
    larger[:filled] = array[:filled]
    return larger


@kernel
def _collect(
    v: int,
    edges: HalfEdges,
    merged: ParallelEdges,
    gone: Bools,
    samples: int,
    kept: Ints,
    buckets: Buckets,
    lowest: int,
) -> tuple[int, int]:
    """Gather the half-edges of v to nodes that remain; of parallel ones keep `samples` and drop the others.

    Those kept are written to `kept`, what is known of each neighbour to `merged`, with the weight of those
    dropped. Returns how many were kept, and the lowest bucket in use.
    """
    end, worth, after, first, degree = edges
    seen, copies, total = merged
    n = len(first) - 1
    length = 0
    h = first[v]
    while h >= 0:
        if worth[h] > 0.0 and not gone[end[h]]:
            j = end[h]
            if seen[j] < 0:
                total[j] = 0.0
                copies[j] = 0
                seen[j] = h
            total[j] += worth[h]
            if copies[j] < samples:
                copies[j] += 1
                kept[length] = h
                length += 1
            else:
                worth[h] = 0.0
                worth[h ^ 1] = 0.0
                if j < n:
                    lowest = min(lowest, _move(j, -1, degree, buckets))
        h = after[h]
    return length, lowest


@kernel
def _write_column(
    edges: HalfEdges,
    merged: ParallelEdges,
    kept: Ints,
    rows: NDArray[np.int32],
    values: Floats,
    filled: int,
) -> tuple[float, int]:
    """Give parallel edges equal shares, and write every neighbour's share of all weight behind `filled`.

    Returns the sum of all weights, and the new end of what is written.
    """
    end, worth, _, first, _ = edges
    seen, copies, total = merged
    n = len(first) - 1
    whole = 0.0
    for h in kept:
        worth[h] = total[end[h]] / copies[end[h]]
        whole += worth[h]
    for h in kept:
        j = end[h]
        if seen[j] >= 0:
            seen[j] = -1
            if j < n:
                rows[filled] = j
                values[filled] = total[j] / whole
                filled += 1
    return whole, filled


@kernel
def _sample(
    edges: HalfEdges,
    kept: Ints,
    sums: Floats,
    whole: float,
    rng: np.random.Generator,
    buckets: Buckets,
    lowest: int,
) -> int:
    """Replace a star by sampled edges among its neighbours, reusing its half-edges; the lowest bucket in use.

    `kept` are the half-edges of the star by ascending weight, `whole` is their sum, `sums` room for running
    sums.
    """
    end, worth, after, first, degree = edges
    n, length = len(first) - 1, len(kept)
    running = 0.0
    for a in range(length):
        running += worth[kept[a]]
        sums[a] = running
    for a in range(length):
        h = kept[a]
        j = end[h]
        remaining = running - sums[a]
        k = j
        if a < length - 1 and remaining > 0.0:  # draw a heavier neighbour by its weight
            draw = sums[a] + rng.random() * remaining
            b, top = a + 1, length - 1
            while b < top:
                middle = (b + top) // 2
                if sums[middle] < draw:
                    b = middle + 1
                else:
                    top = middle
            k = end[kept[b]]
        back = h ^ 1
        if k == j:
            worth[h] = 0.0
            worth[back] = 0.0
            if j < n:
                lowest = min(lowest, _move(j, -1, degree, buckets))
            continue
        worth[h] = worth[back] = worth[h] * (remaining / whole)
        end[back] = k
        after[h] = first[k]
        first[k] = h
        if k < n:
            _move(k, 1, degree, buckets)
    return lowest


@kernel
def _move(i: int, change: int, degree: Ints, buckets: Buckets) -> int:
    """Change the number of edges of node i by `change` and put it in front of its new bucket; the bucket."""
    head, nxt, prv = buckets
    count = len(head) - 1
    bucket = min(degree[i], count)
    degree[i] += change
    goal = min(degree[i], count)
    if goal == bucket:
        return goal
    if nxt[i] >= 0:
        prv[nxt[i]] = prv[i]
    if prv[i] >= 0:
        nxt[prv[i]] = nxt[i]
    else:
        head[bucket] = nxt[i]
    nxt[i] = head[goal]
    prv[i] = -1
    if nxt[i] >= 0:
        prv[nxt[i]] = i
    head[goal] = i
    return goal


@kernel
def _sort_by_weight(order: Ints, weight: Floats, length: int) -> None:
    """Sort the first `length` entries of `order` by ascending weight, ties as they come."""
    if length <= 24:
        for a in range(1, length):
            held = order[a]
            key = weight[held]
            b = a
            while b > 0 and weight[order[b - 1]] > key:
                order[b] = order[b - 1]
                b -= 1
            order[b] = held
    else:
        chosen = order[:length].copy()
        keys = np.empty(length)
        for a in range(length):
            keys[a] = weight[chosen[a]]
        rank = np.argsort(keys, kind="mergesort")
        for a in range(length):
            order[a] = chosen[rank[a]]
