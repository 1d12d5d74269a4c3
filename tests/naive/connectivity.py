"""Edge connectivity and atomic number of small graphs by trying every cut and every partition."""

from __future__ import annotations

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
