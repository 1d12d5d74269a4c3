"""The two forests of an online minimum cut: growing, augmenting along them, repairing them.

The source's side is a forest of residual paths away from the nodes labelled −1, the target's side one
of residual paths towards the nodes labelled +1. A side is named by its label d. At a node x, the arc
that must have residual capacity for a path of side d to come to x from its neighbour across arc a is
the reverse of a for the source and a itself for the target; for a path to go on from x it is the
other one. An arc in the parent column leads from a node to its parent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.flow.components import make_stale, spread_stale, strong_components
from zerokelvin.flow.state import (
    CLOCK,
    COMPONENT,
    EFFORT,
    EPOCH,
    HEAD,
    INNER,
    LABEL,
    LOST,
    LOST_COUNT,
    LOST_ROW,
    MARK,
    ORPHAN,
    ORPHAN_COUNT,
    ORPHANS,
    PARENT,
    PATIENCE,
    QUEUE,
    QUEUED,
    RESIDUAL,
    REVERSE,
    ROOT,
    SEEN,
    SIDE,
    TAKEN,
    TOTAL,
    TOUCHES,
    VALUE,
    VIA,
    State,
)
from zerokelvin.jit import kernel

__all__ = ["change_side", "grow"]

Ints = NDArray[np.int64]


@kernel
def grow(s: State, d: int, start: int) -> None:
    """Absorb into side d everything inner or lost that `start`, a new root, residually connects to it."""
    indptr, arcs, nodes, lengths, scratch, tally = s
    row = 0 if d < 0 else 1
    queue = scratch[QUEUE]
    nodes[start, SIDE] = d
    nodes[start, PARENT] = ROOT
    queue[0] = start
    head, tail = 0, 1
    touches = 0
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            touches += 1
            y = arcs[a, HEAD]
            where = nodes[y, SIDE]
            if where in (INNER, LOST):
                left = arcs[a, RESIDUAL]
                if (left if d < 0 else arcs[a, TOTAL] - left) > 0:
                    nodes[y, SIDE] = d
                    nodes[y, PARENT] = arcs[a, REVERSE]
                    queue[tail] = y
                    tail += 1
                elif where == INNER:
                    make_stale(lengths, scratch, tally, row, nodes[y, COMPONENT])
    tally[TOUCHES] += touches
    spread_stale(s, row)


@kernel
def change_side(s: State, v: int, d: int) -> None:
    """Move v, which lies in side d, to the other side: augment until side d cannot reach it."""
    indptr, arcs, nodes, _, _, tally = s
    tally[LOST_COUNT] = 0
    tally[EFFORT] = 0
    tally[CLOCK] += 1
    tally[EPOCH] = tally[CLOCK]
    nodes[v, SIDE] = TAKEN
    _orphan_children(s, d, v)
    blocked = True
    while blocked:
        blocked = False
        for a in range(indptr[v], indptr[v + 1]):
            y = arcs[a, HEAD]
            last = arcs[a, REVERSE] if d < 0 else a
            tally[TOUCHES] += 1
            while nodes[y, SIDE] == d and arcs[last, RESIDUAL] > 0:
                room, top = _climb(arcs, nodes, tally, d, y)
                if nodes[top, PARENT] == ORPHAN:
                    blocked = True  # other paths first: several break at the cost of one repair
                    break
                room = min(room, arcs[last, RESIDUAL])
                arcs[last, RESIDUAL] -= room
                arcs[arcs[last, REVERSE], RESIDUAL] += room
                _augment(s, d, y, room)
        while tally[ORPHAN_COUNT] > 0:
            _repair_next(s, d)
    grow(s, -d, v)
    row = 0 if d < 0 else 1
    strong_components(s, row)
    spread_stale(s, row)


@kernel
def _climb(arcs: Ints, nodes: Ints, tally: Ints, d: int, y: int) -> tuple[int, int]:
    """Follow parents from y to a root or an orphan; the least capacity on the way, and the end."""
    room = np.iinfo(np.int64).max
    p = nodes[y, PARENT]
    while p >= 0:
        tally[TOUCHES] += 1
        left = arcs[p, RESIDUAL]
        room = min(room, arcs[p, TOTAL] - left if d < 0 else left)
        y = arcs[p, HEAD]
        p = nodes[y, PARENT]
    return room, y


@kernel
def _augment(s: State, d: int, y: int, room: int) -> None:
    """Send `room` units along the tree path between y and its root; saturated arcs make orphans."""
    _, arcs, nodes, _, scratch, tally = s
    broken = False
    p = nodes[y, PARENT]
    while p >= 0:
        tally[TOUCHES] += 1
        along = arcs[p, REVERSE] if d < 0 else p
        arcs[along, RESIDUAL] -= room
        arcs[arcs[along, REVERSE], RESIDUAL] += room
        if arcs[along, RESIDUAL] == 0:
            _orphan(nodes, scratch, tally, y)
            broken = True
        y = arcs[p, HEAD]
        p = nodes[y, PARENT]
    tally[VALUE] += room
    if broken:
        tally[CLOCK] += 1
        tally[EPOCH] = tally[CLOCK]


@kernel
def _orphan(nodes: Ints, scratch: Ints, tally: Ints, x: int) -> None:
    nodes[x, PARENT] = ORPHAN
    if scratch[QUEUED, x] == 0:
        scratch[QUEUED, x] = 1
        scratch[ORPHANS, tally[ORPHAN_COUNT]] = x
        tally[ORPHAN_COUNT] += 1


@kernel
def _orphan_children(s: State, d: int, x: int) -> None:
    indptr, arcs, nodes, _, scratch, tally = s
    for a in range(indptr[x], indptr[x + 1]):
        y = arcs[a, HEAD]
        if nodes[y, SIDE] == d and nodes[y, PARENT] == arcs[a, REVERSE]:
            _orphan(nodes, scratch, tally, y)
    tally[TOUCHES] += indptr[x + 1] - indptr[x]


@kernel
def _repair_next(s: State, d: int) -> None:
    """Repair the orphan listed last: of a broken path the one nearest the root, which is cheapest."""
    tally = s.tally
    tally[ORPHAN_COUNT] -= 1
    x = s.scratch[ORPHANS, tally[ORPHAN_COUNT]]
    s.scratch[QUEUED, x] = 0
    if s.nodes[x, SIDE] == d and s.nodes[x, PARENT] == ORPHAN:
        if tally[EFFORT] > tally[PATIENCE]:  # repairs lengthen paths; spanning afresh shortens them
            _rebuild(s, d)
        else:
            tally[EFFORT] -= tally[TOUCHES]
            _repair(s, d, x)
            tally[EFFORT] += tally[TOUCHES]


@kernel
def _repair(s: State, d: int, orphan: int) -> None:
    """Search back from an orphan for the first attached node; failing that, all searched are lost."""
    indptr, arcs, nodes, _, scratch, tally = s
    tally[CLOCK] += 1
    search = tally[CLOCK]
    queue = scratch[QUEUE]
    nodes[orphan, SEEN] = search
    queue[0] = orphan
    head, tail = 0, 1
    touches = 0
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            touches += 1
            y = arcs[a, HEAD]
            left = arcs[a, RESIDUAL]
            if (arcs[a, TOTAL] - left if d < 0 else left) == 0:
                continue
            if nodes[y, SIDE] != d or nodes[y, SEEN] == search:
                continue
            if _attached(arcs, nodes, tally, y, search):
                nodes[x, PARENT] = a
                while x != orphan:
                    b = nodes[x, VIA]
                    x = arcs[arcs[b, REVERSE], HEAD]
                    nodes[x, PARENT] = b
                tally[TOUCHES] += touches
                return
            nodes[y, SEEN] = search
            nodes[y, VIA] = a
            queue[tail] = y
            tail += 1
    tally[TOUCHES] += touches
    for i in range(tail):
        nodes[queue[i], SIDE] = LOST
        scratch[LOST_ROW, tally[LOST_COUNT]] = queue[i]
        tally[LOST_COUNT] += 1
    for i in range(tail):
        _orphan_children(s, d, queue[i])


@kernel
def _attached(arcs: Ints, nodes: Ints, tally: Ints, y: int, search: int) -> bool:
    """Whether y's parents lead to a root; the answer is stamped on the way for this epoch or search."""
    epoch = tally[EPOCH]
    x = y
    steps = 0
    while nodes[x, MARK] != epoch and nodes[x, MARK] != search and nodes[x, PARENT] >= 0:
        nodes[x, MARK] = search
        x = arcs[nodes[x, PARENT], HEAD]
        steps += 1
    tally[TOUCHES] += steps
    if nodes[x, MARK] != epoch and (nodes[x, MARK] == search or nodes[x, PARENT] == ORPHAN):
        nodes[x, MARK] = search
        return False
    nodes[x, MARK] = epoch
    tally[TOUCHES] += steps
    while y != x:
        nodes[y, MARK] = epoch
        y = arcs[nodes[y, PARENT], HEAD]
    return True


@kernel
def _rebuild(s: State, d: int) -> None:
    """Span side d afresh from its labelled nodes; what is not reached is lost."""
    indptr, arcs, nodes, _, scratch, tally = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    search = tally[CLOCK]
    tally[EPOCH] = search
    while tally[ORPHAN_COUNT] > 0:
        tally[ORPHAN_COUNT] -= 1
        scratch[QUEUED, scratch[ORPHANS, tally[ORPHAN_COUNT]]] = 0
    n = len(nodes)
    head, tail = 0, 0
    for v in range(n):
        if nodes[v, LABEL] == d and nodes[v, SIDE] == d:
            nodes[v, SEEN] = search
            queue[tail] = v
            tail += 1
    touches = n
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            touches += 1
            y = arcs[a, HEAD]
            if nodes[y, SIDE] == d and nodes[y, SEEN] != search:
                left = arcs[a, RESIDUAL]
                if (left if d < 0 else arcs[a, TOTAL] - left) > 0:
                    nodes[y, SEEN] = search
                    nodes[y, PARENT] = arcs[a, REVERSE]
                    queue[tail] = y
                    tail += 1
    for v in range(n):
        if nodes[v, SIDE] == d and nodes[v, SEEN] != search:
            nodes[v, SIDE] = LOST
            scratch[LOST_ROW, tally[LOST_COUNT]] = v
            tally[LOST_COUNT] += 1
    tally[TOUCHES] += touches
    tally[EFFORT] = 0
