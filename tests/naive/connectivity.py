"""Edge connectivity and atomic number of small graphs by trying every cut and every partition."""

from __future__ import annotations

import itertools
import math

import numpy as np


def connectivity(n, edges, weights):
    """The lightest cut over all 2^(n−1) − 1 of them."""
    if n == 1:
        return math.inf
    best = math.inf
    for mask in range(1, 2 ** (n - 1)):
        side = (mask >> np.arange(n)) & 1
        best = min(best, sum(w for (a, b), w in zip(edges, weights, strict=True) if side[a] != side[b]))
    return best


def partitions(items):
    """Every partition of a list."""
    if not items:
        yield []
        return
    first, *rest = items
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for k, block in enumerate(smaller):
            yield [*smaller[:k], [first, *block], *smaller[k + 1 :]]


def atomic_number(n, edges, weights, level):
    """The fewest blocks over all partitions into induced subgraphs of connectivity at least `level`."""

    def tight(block):
        place = {v: i for i, v in enumerate(block)}
        kept = [(k, e) for k, e in enumerate(edges) if e[0] in place and e[1] in place]
        inner = [(place[a], place[b]) for _, (a, b) in kept]
        return connectivity(len(block), inner, [weights[k] for k, _ in kept]) >= level

    return min(len(blocks) for blocks in partitions(list(range(n))) if all(map(tight, blocks)))


def wide_diameter(graph, level):
    """The least D such that every two nodes have `level` edge-disjoint paths of at most D edges."""
    n = graph.num_nodes
    near = {v: set(graph.neighbors(v).tolist()) for v in range(n)}

    def paths(at, end, seen):
        if at == end:
            yield frozenset()
            return
        for other in near[at] - seen:
            for rest in paths(other, end, seen | {other}):
                yield rest | {frozenset((at, other))}

    def disjoint(chosen, rest, count):
        if count == 0:
            return True
        return any(
            not (chosen & path) and disjoint(chosen | path, rest[k + 1 :], count - 1)
            for k, path in enumerate(rest)
        )

    worst = 0
    for s, t in itertools.combinations(range(n), 2):
        found = sorted(paths(s, t, {s}), key=len)
        for longest in range(1, n):
            if disjoint(frozenset(), [path for path in found if len(path) <= longest], level):
                worst = max(worst, longest)
                break
        else:
            return np.inf
    return worst
