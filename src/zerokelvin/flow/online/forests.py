"""The two forests of an online minimum cut: growing them, and augmenting along them.

The source's side is a forest of residual paths away from the nodes labelled −1, the target's side one
of residual paths towards the nodes labelled +1. A side is named by its label d. At a node x, the arc
that must have residual capacity for a path of side d to come to x from its neighbour across arc a is
the reverse of a for the source and a itself for the target; for a path to go on from x it is the
other one. An arc in the parent column leads from a node to its parent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.flow.online.components import make_stale, spread_stale, strong_components
from zerokelvin.flow.online.cut_arrays import (
    COMPONENT,
    HEAD,
    INNER,
    LOST,
    LOST_COUNT,
    ORPHAN,
    ORPHAN_COUNT,
    PARENT,
    QUEUE,
    REVERSE,
    ROOT,
    SIDE,
    TAKEN,
    TOTAL,
    TOUCHES,
    VALUE,
    CutArrays,
    note_arc,
    note_node,
)
from zerokelvin.flow.online.repairs import make_orphan, new_epoch, orphan_children, repair_next
from zerokelvin.jit import inner_kernel

__all__ = ["change_side", "grow", "hang", "join_sides"]


class Climb(NamedTuple):
    """Where a walk over parents ended, and how much flow its arcs have room for."""

    room: int
    end: int


@inner_kernel
def grow(s: CutArrays, d: int, start: int) -> None:
    """Absorb into side d everything inner or lost that `start`, a new root, residually connects to it."""
    hang(s, d, start, ROOT)


@inner_kernel
def hang(s: CutArrays, d: int, start: int, parent: int) -> None:
    """The same where `parent` is the arc from `start` to a node of side d, or ROOT."""
    indptr, arcs, residual, nodes, lengths, scratch, tally, _, _ = s
    row = 0 if d < 0 else 1
    queue = scratch[QUEUE]
    note_node(s, start)
    nodes[start, SIDE] = d
    nodes[start, PARENT] = parent
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
                left = residual[a]
                if (left if d < 0 else arcs[a, TOTAL] - left) > 0:
                    note_node(s, y)
                    nodes[y, SIDE] = d
                    nodes[y, PARENT] = arcs[a, REVERSE]
                    queue[tail] = y
                    tail += 1
                elif where == INNER:
                    make_stale(lengths, scratch, tally, row, nodes[y, COMPONENT])
    tally[TOUCHES] += touches
    spread_stale(s, row)


@inner_kernel
def change_side(s: CutArrays, v: int, d: int) -> None:
    """Move v, which lies in side d, to the other side: augment until side d cannot reach it."""
    indptr, arcs, residual, nodes, _, _, tally, _, _ = s
    tally[LOST_COUNT] = 0
    new_epoch(tally)
    note_node(s, v)
    nodes[v, SIDE] = TAKEN
    orphan_children(s, d, v)
    # augment over every arc between v and side d; a path that is broken waits for the repairs
    blocked = True
    while blocked:
        blocked = False
        for a in range(indptr[v], indptr[v + 1]):
            y = arcs[a, HEAD]
            last = arcs[a, REVERSE] if d < 0 else a
            tally[TOUCHES] += 1
            while nodes[y, SIDE] == d and residual[last] > 0:
                found = _climb(s, d, y)
                if nodes[found.end, PARENT] == ORPHAN:
                    blocked = True  # other paths first: several break at the cost of one repair
                    break
                room = min(found.room, residual[last])
                _send(s, last, room)
                _augment(s, d, y, room)
        while tally[ORPHAN_COUNT] > 0:
            repair_next(s, d)
    # v now belongs to the other side, and what side d has lost becomes inner super-vertices
    grow(s, -d, v)
    row = 0 if d < 0 else 1
    strong_components(s, row)
    spread_stale(s, row)


@inner_kernel
def join_sides(s: CutArrays, a: int) -> None:
    """Send flow along an arc from the source's side to the target's, until it ends there no longer."""
    arcs, residual, nodes, tally = s.arcs, s.residual, s.nodes, s.tally
    x, y = arcs[arcs[a, REVERSE], HEAD], arcs[a, HEAD]
    tally[LOST_COUNT] = 0
    new_epoch(tally)
    while nodes[x, SIDE] == -1 and nodes[y, SIDE] == 1 and residual[a] > 0:
        up, down = _climb(s, -1, x), _climb(s, 1, y)
        room = min(up.room, down.room, residual[a])
        _send(s, a, room)
        _augment(s, -1, x, room)
        while tally[ORPHAN_COUNT] > 0:
            repair_next(s, -1)
        _augment(s, 1, y, room)
        while tally[ORPHAN_COUNT] > 0:
            repair_next(s, 1)
        tally[VALUE] -= room  # which both halves of the path have counted
    strong_components(s, 0)
    spread_stale(s, 0)


@inner_kernel
def _climb(s: CutArrays, d: int, y: int) -> Climb:
    """Follow the parents of y in the forest of side d, up to a root or an orphan."""
    arcs, residual, nodes, tally = s.arcs, s.residual, s.nodes, s.tally
    room = np.iinfo(np.int64).max
    p = nodes[y, PARENT]
    while p >= 0:
        tally[TOUCHES] += 1
        left = residual[p]
        room = min(room, arcs[p, TOTAL] - left if d < 0 else left)
        y = arcs[p, HEAD]
        p = nodes[y, PARENT]
    return Climb(room, y)


@inner_kernel
def _augment(s: CutArrays, d: int, y: int, room: int) -> None:
    """Send `room` units along the tree path between y and its root; saturated arcs make orphans."""
    _, arcs, residual, nodes, _, _, tally, _, _ = s
    broken = False
    p = nodes[y, PARENT]
    while p >= 0:
        tally[TOUCHES] += 1
        along = arcs[p, REVERSE] if d < 0 else p
        _send(s, along, room)
        if residual[along] == 0:
            make_orphan(s, y)
            broken = True
        y = arcs[p, HEAD]
        p = nodes[y, PARENT]
    tally[VALUE] += room
    if broken:
        new_epoch(tally)


@inner_kernel
def _send(s: CutArrays, a: int, room: int) -> None:
    """Send `room` units of flow along arc a, after noting what both its directions held."""
    back = s.arcs[a, REVERSE]
    note_arc(s, a)
    note_arc(s, back)
    s.residual[a] -= room
    s.residual[back] += room
