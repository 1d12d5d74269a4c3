"""Order ideals of a partially ordered set: splitting it into parts, listing ideals, counting them.

Minimum cuts are the order ideals (sets closed under predecessors, the source's side) of the inner
super-vertices of a Picard–Queyranne graph. Weakly connected parts are independent, so a part is
counted on its own. Counting goes vertex by vertex with a dynamic programme over the *frontier*, the
labels of the vertices seen that still have unseen neighbours in the transitive reduction; the order
is chosen greedily to keep the frontier small. A chain needs 2 states, an antichain 2 per vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Ints

__all__ = ["IdealCount", "InnerPart", "count_ideals", "iterate_ideals", "reduce_transitively", "split_parts"]


class InnerPart(NamedTuple):
    """A weakly connected directed acyclic graph with one vertex of interest.

    Attributes
    ----------
    num
        Number of vertices, 0 to num − 1 in no particular order.
    arcs
        Pairs (I, J): J in an ideal implies I in it.
    watched
        The vertex of interest.
    """

    num: int
    arcs: Ints
    watched: int


class IdealCount(NamedTuple):
    """Ideals with and without the watched vertex, and the most states held at once.

    Attributes
    ----------
    source
        Ideals that contain the watched vertex: minimum cuts that label it −1.
    target
        Ideals that do not: minimum cuts that label it +1.
    states
        Largest number of frontier states.
    """

    source: int
    target: int
    states: int


def split_parts(num: int, arcs: Ints, around: int | None = None) -> list[InnerPart]:
    """The weakly connected parts, or only the part of the vertex `around`, which it then watches."""
    neighbours: list[list[int]] = [[] for _ in range(num)]
    for i, j in arcs.tolist():
        neighbours[i].append(j)
        neighbours[j].append(i)
    part_of = np.full(num, -1, dtype=np.int64)
    local = np.zeros(num, dtype=np.int64)
    sizes: list[int] = []
    for start in range(num) if around is None else (around,):
        if part_of[start] >= 0:
            continue
        found = [start]
        part_of[start] = len(sizes)
        for v in found:
            for w in neighbours[v]:
                if part_of[w] < 0:
                    part_of[w] = len(sizes)
                    local[w] = len(found)
                    found.append(w)
        sizes.append(len(found))
    owner = part_of[arcs[:, 0]]
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(len(sizes) + 1))
    return [InnerPart(size, local[arcs[order[bounds[k] : bounds[k + 1]]]], 0) for k, size in enumerate(sizes)]


def iterate_ideals(num: int, arcs: Ints) -> Iterator[Bools]:
    """Every ideal once, as a mask, from the empty to the full one; vertices numbered topologically."""
    before: list[list[int]] = [[] for _ in range(num)]
    for i, j in arcs.tolist():
        before[j].append(i)
    ideal = [False] * num
    while True:
        yield np.array(ideal, dtype=np.bool_)
        # the next one: add the last vertex that can be added, and empty everything after it
        at = num - 1
        while at >= 0 and (ideal[at] or not all(ideal[p] for p in before[at])):
            at -= 1
        if at < 0:
            return
        ideal[at] = True
        ideal[at + 1 :] = [False] * (num - at - 1)


def count_ideals(part: InnerPart, max_states: int) -> IdealCount | None:
    """Count the ideals of a part with and without its watched vertex; None beyond `max_states` states.

    >>> chain = InnerPart(3, np.array([[0, 1], [1, 2]]), watched=0)
    >>> count_ideals(chain, max_states=100)
    IdealCount(source=3, target=1, states=3)
    """
    before, after = reduce_transitively(part.num, part.arcs)
    near = [before[v] | after[v] for v in range(part.num)]
    states = {0: 1}
    most = 1
    done = 0
    for v in _frontier_order(part.num, near, part.watched):
        bit = 1 << v
        done |= bit
        needs, bars = before[v] & done, after[v] & done
        keep = part.watched
        mask = sum(1 << u for u in _bits(near[v] & done | bit) if near[u] & ~done == 0 and u != keep)
        grown: dict[int, int] = {}
        for key, count in states.items():
            if key & needs == needs:
                new = (key | bit) & ~mask
                grown[new] = grown.get(new, 0) + count
            if key & bars == 0:
                new = key & ~mask
                grown[new] = grown.get(new, 0) + count
        states = grown
        most = max(most, len(states))
        if most > max_states:
            return None
    watched = 1 << part.watched
    source = sum(count for key, count in states.items() if key & watched)
    return IdealCount(source, sum(states.values()) - source, most)


def reduce_transitively(num: int, arcs: Ints) -> tuple[list[int], list[int]]:
    """Immediate predecessors and successors of every vertex of an acyclic graph, as bit masks."""
    after = [0] * num
    waiting = [0] * num
    for i, j in set(map(tuple, arcs.tolist())):
        after[i] |= 1 << j
        waiting[j] += 1
    order = [v for v in range(num) if waiting[v] == 0]
    for v in order:
        for w in _bits(after[v]):
            waiting[w] -= 1
            if waiting[w] == 0:
                order.append(w)
    rank = {v: k for k, v in enumerate(order)}
    reach = [0] * num
    before = [0] * num
    for v in reversed(order):
        direct = after[v]
        for w in sorted(_bits(direct), key=rank.__getitem__):
            if reach[v] >> w & 1:  # an earlier successor reaches it
                after[v] &= ~(1 << w)
            else:
                reach[v] |= reach[w] | 1 << w
                before[w] |= 1 << v
    return before, after


def _frontier_order(num: int, near: list[int], start: int) -> list[int]:
    """A connected order, each next vertex the one that leaves the smallest frontier."""
    order = [start]
    done = 1 << start
    frontier = done if near[start] else 0
    ready = near[start]
    while len(order) < num:
        best, best_growth = -1, 3 * num
        for v in _bits(ready):
            now = done | 1 << v
            growth = (near[v] & ~now != 0) - sum(near[u] & ~now == 0 for u in _bits(near[v] & frontier))
            if growth < best_growth:
                best, best_growth = v, growth
        done |= 1 << best
        order.append(best)
        frontier = sum(1 << u for u in _bits(frontier | 1 << best) if near[u] & ~done)
        ready = (ready | near[best]) & ~done
    return order


def _bits(mask: int) -> Iterator[int]:
    """The positions of the ones of a bit mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
