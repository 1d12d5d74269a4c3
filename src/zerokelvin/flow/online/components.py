"""Inner super-vertices of an online minimum cut: finding them, and their lazy path lengths.

Only nodes cut off from a side can form new inner super-vertices; existing ones never split or merge,
they are only absorbed by the source or the target. Lengths are computed when asked for and kept; a
length is valid only if all it was computed from is valid, so making one stale walks its dependants
only as far as they are valid, and every arc walked was paid for by a computation.
"""

from __future__ import annotations

from zerokelvin.array_types import Ints
from zerokelvin.flow.online.cut_arrays import (
    COMPONENT,
    HEAD,
    INNER,
    INVALID,
    LOST,
    LOST_COUNT,
    LOST_ROW,
    MEMBER,
    NONE,
    SIDE,
    STACK,
    STALE,
    STALE_COUNT,
    TOUCHES,
    VIA,
    CutArrays,
    note_node,
)
from zerokelvin.jit import inner_kernel, kernel

__all__ = ["length", "make_stale", "spread_stale", "strong_components"]


@inner_kernel
def make_stale(lengths: Ints, scratch: Ints, tally: Ints, row: int, component: int) -> None:
    """List a super-vertex whose length from the source (row 0) or to the target (row 1) is now invalid."""
    if lengths[component, row] != INVALID:
        lengths[component, row] = INVALID
        scratch[STALE, tally[STALE_COUNT]] = component
        tally[STALE_COUNT] += 1


@inner_kernel
def spread_stale(s: CutArrays, row: int) -> None:
    """Carry staleness on: downstream for lengths from the source, upstream for those to the target."""
    indptr, arcs, residual, nodes, lengths, scratch, tally, _, _ = s
    touches = 0
    while tally[STALE_COUNT] > 0:
        tally[STALE_COUNT] -= 1
        c = scratch[STALE, tally[STALE_COUNT]]
        if nodes[c, SIDE] != INNER:
            continue
        x = c
        while True:
            for a in range(indptr[x], indptr[x + 1]):
                touches += 1
                y = arcs[a, HEAD]
                if nodes[y, SIDE] == INNER and (residual[a] == 0) == (row == 0):
                    other = nodes[y, COMPONENT]
                    if other != c:
                        make_stale(lengths, scratch, tally, row, other)
            x = nodes[x, MEMBER]
            if x == c:
                break
    tally[TOUCHES] += touches


@kernel
def length(s: CutArrays, row: int, node: int, longest: bool) -> int:
    """Longest or shortest path from the source (row 0) or to the target (row 1), NONE without a path.

    A depth-first walk over the super-vertices it depends on, each scanned once: the stack holds the
    super-vertex, its current member and arc, and the best length so far.
    """
    indptr, arcs, residual, nodes, lengths, scratch, tally, _, _ = s
    top = nodes[node, COMPONENT]
    if lengths[top, row] != INVALID:
        return lengths[top, row]
    own, at, arc, best = scratch[STACK], scratch[STACK + 1], scratch[STACK + 2], scratch[STACK + 3]
    touches = 0
    depth = 0
    own[0], at[0], arc[0], best[0] = top, top, indptr[top], NONE
    while depth >= 0:
        # go on over the arcs of the current member, until one leads to a length that is not known
        c = own[depth]
        x = at[depth]
        waiting = NONE
        while arc[depth] < indptr[x + 1]:
            a = arc[depth]
            touches += 1
            y = arcs[a, HEAD]
            found = NONE
            if (residual[a] > 0) == (row == 0):
                if nodes[y, SIDE] != INNER:
                    found = 1
                elif nodes[y, COMPONENT] != c:
                    found = lengths[nodes[y, COMPONENT], row] + 1
                    if found == INVALID + 1:
                        waiting = nodes[y, COMPONENT]
                        break
            if found > 0 and (best[depth] == NONE or (found > best[depth]) == longest):
                best[depth] = found
            arc[depth] += 1
        # go down to that super-vertex, or on to the next member, or back with the length
        if waiting != NONE:
            depth += 1
            own[depth], at[depth], arc[depth], best[depth] = waiting, waiting, indptr[waiting], NONE
        elif nodes[x, MEMBER] != c:
            at[depth] = nodes[x, MEMBER]
            arc[depth] = indptr[at[depth]]
        else:
            lengths[c, row] = best[depth]
            depth -= 1
    tally[TOUCHES] += touches
    return lengths[top, row]


@inner_kernel
def strong_components(s: CutArrays, row: int) -> None:
    """Make inner super-vertices of the nodes still lost (Tarjan, 1972), with an explicit stack.

    Inner super-vertices next to them get a stale length: their neighbour was source or target before.
    """
    indptr, arcs, residual, nodes, lengths, scratch, tally, _, _ = s
    calls, arc, low, held = scratch[STACK], scratch[STACK + 1], scratch[STACK + 2], scratch[STACK + 3]
    lost = scratch[LOST_ROW]
    touches = 0
    count = 0
    kept = 0
    for i in range(tally[LOST_COUNT]):
        nodes[lost[i], VIA] = 0  # the number Tarjan's algorithm gives a node, 0 before
    for i in range(tally[LOST_COUNT]):
        if nodes[lost[i], SIDE] != LOST:
            continue
        depth = -1
        step = lost[i]
        while True:
            if step >= 0:  # go down to a new node
                count += 1
                nodes[step, VIA] = count
                low[step] = count
                arc[step] = indptr[step]
                held[kept] = step
                kept += 1
                depth += 1
                calls[depth] = step
                step = -1
            # go over the arcs of the node on top, until one leads to a new node
            x = calls[depth]
            while arc[x] < indptr[x + 1]:
                a = arc[x]
                arc[x] += 1
                touches += 1
                y = arcs[a, HEAD]
                where = nodes[y, SIDE]
                if where == INNER:
                    make_stale(lengths, scratch, tally, row, nodes[y, COMPONENT])
                elif where == LOST and residual[a] > 0:
                    if nodes[y, VIA] == 0:
                        step = y
                        break
                    low[x] = min(low[x], nodes[y, VIA])
            if step >= 0:
                continue
            # the node is done: if it is the first of its component, all held since are its members
            if low[x] == nodes[x, VIA]:
                after = x
                y = -1
                while y != x:
                    kept -= 1
                    y = held[kept]
                    note_node(s, y)
                    nodes[y, SIDE] = INNER
                    nodes[y, COMPONENT] = x
                    nodes[y, MEMBER] = after
                    after = y
                lengths[x, 0] = INVALID
                lengths[x, 1] = INVALID
            depth -= 1
            if depth < 0:
                break
            low[calls[depth]] = min(low[calls[depth]], low[x])
    tally[LOST_COUNT] = 0
    tally[TOUCHES] += touches
