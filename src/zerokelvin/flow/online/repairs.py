"""Repairing a forest of an online minimum cut after an augmentation has saturated some of its arcs.

A node whose arc to its parent is gone is an orphan, and all below it is loose. It searches back over residual
arcs for the first attached node. Alone, that search is slow where it matters most, when nearly all of a side
hangs below orphans and few ways back are left. So, once it has looked at E/16 arcs, a second search spans the
side from its labelled nodes, arc for arc with the first: they meet half way, or the second comes to an end
and all it has not reached is lost, without a look at its arcs. What the second search reaches hangs below the
labelled nodes by a shortest way, so it also keeps the forest flat.
"""

from __future__ import annotations

from zerokelvin.array_types import Ints
from zerokelvin.flow.online.cut_arrays import (
    CHILDREN,
    CLOCK,
    COVER,
    EFFORT,
    EPOCH,
    FRONT,
    FRONT_HEAD,
    FRONT_TAIL,
    HEAD,
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
    REACHED,
    REVERSE,
    ROSTER,
    ROSTER_COUNT,
    SEEN,
    SIDE,
    SPAN,
    TOTAL,
    TOUCHES,
    VIA,
    CutArrays,
    note_node,
)
from zerokelvin.jit import inner_kernel

__all__ = ["make_orphan", "new_epoch", "orphan_children", "repair_next"]


@inner_kernel
def repair_next(s: CutArrays, d: int) -> None:
    """Repair the orphan listed last: of a broken path the one nearest the root, which is cheapest.

    It searches back for the first attached node; failing that, all searched are lost. Once that has cost
    much, a search from the roots comes to meet it, arc for arc.
    """
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    tally[ORPHAN_COUNT] -= 1
    orphan = scratch[ORPHANS, tally[ORPHAN_COUNT]]
    scratch[QUEUED, orphan] = 0
    if nodes[orphan, SIDE] != d or nodes[orphan, PARENT] != ORPHAN:
        return
    tally[CLOCK] += 1
    search = tally[CLOCK]
    queue = scratch[QUEUE]
    children = scratch[CHILDREN]
    nodes[orphan, SEEN] = search
    queue[0] = orphan
    head, tail, count = 0, 1, 0
    began = tally[TOUCHES]
    # search back over residual arcs, breadth first
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            tally[TOUCHES] += 1
            y = arcs[a, HEAD]
            left = residual[a]
            if nodes[y, SIDE] != d or nodes[y, SEEN] == search:
                continue
            if (arcs[a, TOTAL] - left if d < 0 else left) == 0:
                if nodes[y, PARENT] == arcs[a, REVERSE]:  # a child that cannot help, orphaned if all fails
                    children[count] = y
                    count += 1
                continue
            nodes[y, VIA] = a
            if _attached(arcs, nodes, tally, y, search):
                _adopt(s, y, orphan)
                tally[EFFORT] += tally[TOUCHES] - began
                return
            nodes[y, SEEN] = search
            queue[tail] = y
            tail += 1
        # once that has cost much, let the search from the roots catch up
        tally[EFFORT] += tally[TOUCHES] - began
        if tally[EFFORT] - tally[PATIENCE] > tally[COVER]:
            met = _span(s, d, search)
            if met >= 0:
                _adopt(s, met, orphan)
                return
            if tally[FRONT_HEAD] == tally[FRONT_TAIL]:
                _lose_the_rest(s, d)
                return
        began = tally[TOUCHES]
    # nothing attached was found: all searched are lost, and their children orphans
    for i in range(tail):
        note_node(s, queue[i])
        nodes[queue[i], SIDE] = LOST
        scratch[LOST_ROW, tally[LOST_COUNT]] = queue[i]
        tally[LOST_COUNT] += 1
    for i in range(count):
        x = children[i]
        if (
            nodes[x, SIDE] == d
            and nodes[x, PARENT] >= 0
            and nodes[arcs[nodes[x, PARENT], HEAD], SIDE] == LOST
        ):
            make_orphan(s, x)


@inner_kernel
def orphan_children(s: CutArrays, d: int, x: int) -> None:
    """Make orphans of the nodes of side d whose parent is x."""
    indptr, arcs, _, nodes, _, _, tally, _, _ = s
    for a in range(indptr[x], indptr[x + 1]):
        y = arcs[a, HEAD]
        if nodes[y, SIDE] == d and nodes[y, PARENT] == arcs[a, REVERSE]:
            make_orphan(s, y)
    tally[TOUCHES] += indptr[x + 1] - indptr[x]


@inner_kernel
def make_orphan(s: CutArrays, x: int) -> None:
    """Cut x off from its parent, to be repaired later."""
    nodes, scratch, tally = s.nodes, s.scratch, s.tally
    note_node(s, x)
    nodes[x, PARENT] = ORPHAN
    if scratch[QUEUED, x] == 0:
        scratch[QUEUED, x] = 1
        scratch[ORPHANS, tally[ORPHAN_COUNT]] = x
        tally[ORPHAN_COUNT] += 1


@inner_kernel
def new_epoch(tally: Ints) -> None:
    """Begin an epoch: marks of nodes known to hang on a root, and counts of its searches, start anew."""
    tally[CLOCK] += 1
    tally[EPOCH] = tally[CLOCK]
    tally[EFFORT] = tally[COVER] = 0


@inner_kernel
def _adopt(s: CutArrays, x: int, orphan: int) -> None:
    """Hang the search's path from an orphan to x, which is attached, below x."""
    arcs, nodes = s.arcs, s.nodes
    while x != orphan:
        b = nodes[x, VIA]
        x = arcs[arcs[b, REVERSE], HEAD]
        note_node(s, x)
        nodes[x, PARENT] = b


@inner_kernel
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


@inner_kernel
def _span(s: CutArrays, d: int, search: int) -> int:
    """Go on spanning side d from its labelled nodes, until as much was spent on it as on searching back.

    Whatever is reached is attached. If that is a node of the present search it is returned, else −1.
    """
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    front, reached = scratch[FRONT], scratch[REACHED]
    epoch, goal = tally[EPOCH], tally[EFFORT] - tally[PATIENCE]
    head, tail, touches = tally[FRONT_HEAD], tally[FRONT_TAIL], tally[COVER]
    if tally[SPAN] != epoch:
        tally[SPAN] = epoch
        head, tail, touches = 0, 0, tally[ROSTER_COUNT]
        for i in range(tally[ROSTER_COUNT]):
            v = scratch[ROSTER, i]
            if nodes[v, LABEL] == d and nodes[v, SIDE] == d:
                reached[v] = epoch
                front[tail] = v
                tail += 1
    met = -1
    while head < tail and touches < goal and met < 0:
        x = front[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            touches += 1
            y = arcs[a, HEAD]
            if nodes[y, SIDE] == d and reached[y] != epoch:
                left = residual[a]
                if (left if d < 0 else arcs[a, TOTAL] - left) > 0:
                    reached[y] = epoch
                    nodes[y, MARK] = epoch
                    note_node(s, y)
                    nodes[y, PARENT] = arcs[a, REVERSE]
                    front[tail] = y
                    tail += 1
                    if nodes[y, SEEN] == search and met < 0:
                        met = y
    tally[TOUCHES] += touches - tally[COVER]
    tally[FRONT_HEAD], tally[FRONT_TAIL], tally[COVER] = head, tail, touches
    return met


@inner_kernel
def _lose_the_rest(s: CutArrays, d: int) -> None:
    """Side d is spanned: what was not reached is lost, and no orphan is left."""
    nodes, scratch, tally = s.nodes, s.scratch, s.tally
    while tally[ORPHAN_COUNT] > 0:
        tally[ORPHAN_COUNT] -= 1
        scratch[QUEUED, scratch[ORPHANS, tally[ORPHAN_COUNT]]] = 0
    for v in range(len(nodes)):
        if nodes[v, SIDE] == d and scratch[REACHED, v] != tally[EPOCH]:
            note_node(s, v)
            nodes[v, SIDE] = LOST
            scratch[LOST_ROW, tally[LOST_COUNT]] = v
            tally[LOST_COUNT] += 1
    tally[TOUCHES] += len(nodes)
