"""Directed acyclic graphs of super-vertices: levels and path lengths in one sweep over the arcs."""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel

__all__ = ["path_lengths", "topological_levels"]


def path_lengths(num: int, arcs: Ints, start: int, longest: bool) -> Ints:
    """Number of arcs on the longest (or shortest) path from `start` to every vertex, −1 where none.

    The vertices must be numbered topologically: every arc (I, J) has I < J. Pass the reversed arcs
    of the reversed numbering for lengths towards a vertex.

    >>> arcs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> path_lengths(3, arcs, 0, longest=True).tolist(), path_lengths(3, arcs, 0, longest=False).tolist()
    ([0, 1, 2], [0, 1, 1])
    """
    ordered = arcs[np.lexsort((arcs[:, 1], arcs[:, 0]))]
    return _sweep(num, np.ascontiguousarray(ordered), start, longest)


def topological_levels(num: int, arcs: Ints) -> Ints:
    """Number of arcs on the longest path that ends at each vertex; −1 everywhere on a cycle."""
    ordered = arcs[np.argsort(arcs[:, 0], kind="stable")]
    first = np.searchsorted(ordered[:, 0], np.arange(num + 1))
    return _levels(first, np.ascontiguousarray(ordered[:, 1]))


@kernel
def _sweep(num: int, arcs: Ints, start: int, longest: bool) -> Ints:
    """Path lengths from `start` over arcs sorted by their tails, which come before their heads."""
    length = np.full(num, -1, dtype=np.int64)
    length[start] = 0
    for k in range(len(arcs)):
        here = length[arcs[k, 0]]
        if here >= 0:
            old = length[arcs[k, 1]]
            if old < 0 or (longest and here + 1 > old) or (not longest and here + 1 < old):
                length[arcs[k, 1]] = here + 1
    return length


@kernel
def _levels(first: Ints, heads: Ints) -> Ints:
    """Longest paths by Kahn's algorithm: a vertex is done when all its predecessors are. CSR arrays."""
    num = len(first) - 1
    waiting = np.zeros(num, dtype=np.int64)
    for k in range(len(heads)):
        waiting[heads[k]] += 1
    level = np.full(num, -1, dtype=np.int64)
    queue = np.empty(num, dtype=np.int64)
    tail = 0
    for v in range(num):
        if waiting[v] == 0:
            level[v] = 0
            queue[tail] = v
            tail += 1
    head = 0
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(first[v], first[v + 1]):
            w = heads[k]
            waiting[w] -= 1
            if waiting[w] == 0:
                level[w] = level[v] + 1
                queue[tail] = w
                tail += 1
    return level
