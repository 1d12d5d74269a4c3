"""Minimum cuts carried over to a graph that has grown: the flow stays a flow, and rises where arcs came.

Where nodes and edges come and no edge goes or gets lighter, an old flow respects the new capacities, and both
forests stay forests of residual paths. What may be wrong lies at the arcs that have more room now:

- one from the source's side to the target's lets the flow rise: it is sent along both forests until the arc
  is full or an end is cut off, and what was cut off becomes inner;
- one from the source's side to an inner node, or from an inner node to the target's side, lets that side
  grow;
- one between inner nodes may make one super-vertex of several. Every new one has such an arc, so its members
  are among those to which the heads of these arcs lead: they alone are divided anew.

That is repeated until no arc calls for it; each time the flow rises or a side grows. The sides, the
super-vertices and their order depend on the labels alone, whichever flow is found (Picard, Queyranne, 1980),
so all predictions are those of a minimum cut told the labels on the new graph. Path lengths are computed when
they are asked for again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.flow.online.components import strong_components
from zerokelvin.flow.online.cut_arrays import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    INVALID,
    LISTED,
    LOST,
    LOST_COUNT,
    LOST_ROW,
    MEMBER,
    PARENT,
    PATIENCE,
    REVERSE,
    ROOT,
    ROSTER,
    SEEN,
    SIDE,
    STACK,
    TOTAL,
    TOUCHES,
    Blank,
    CutArrays,
    arc_rows,
    layout_of,
    without_flow,
)
from zerokelvin.flow.online.forests import hang, join_sides
from zerokelvin.jit import inner_kernel, kernel

__all__ = ["GrownRows", "carried", "grown_rows"]


class GrownRows(NamedTuple):
    """The rows of a grown graph, old ones where they were; all problems on it share them.

    Attributes
    ----------
    blank
        The grown graph's, with new nodes in the last rows.
    indptr, arcs
        First arc of every row, and the arcs, which all problems share.
    moved
        The new row of every old arc.
    risen
        The rows of the arcs that have more room than they had, all room where they are new.
    """

    blank: Blank
    indptr: Ints
    arcs: Ints
    moved: Ints
    risen: Ints


def grown_rows(old: Blank, new: Blank, places: Ints) -> GrownRows | None:
    """How a graph has grown; `places` are the new indices of the old nodes, ascending.

    None where a flow cannot stay as it is: weights are scaled otherwise, or an edge is gone or lighter.
    """
    before, after, count = old.graph, new.graph, new.graph.num_nodes
    if old.capacities.scale != new.capacities.scale or len(before.indices) > len(after.indices):
        return None
    moved = _moved(before.indptr, before.indices, after.indptr, after.indices, places)
    if moved is None:
        return None
    gain = new.capacities.values.copy()
    gain[moved] -= old.capacities.values
    if (gain < 0).any():
        return None
    rows = np.full(count, -1)
    rows[places] = old.layout.rows
    fresh = np.flatnonzero(rows < 0)
    rows[fresh] = np.arange(before.num_nodes, count)
    order = np.append(places[old.order], fresh)
    blank = Blank(after, new.capacities, new.close)
    layout = blank.layout = layout_of(after, rows, order)
    at = layout.places
    indptr, arcs = arc_rows(after, new.capacities, layout)
    return GrownRows(blank, indptr, arcs, at[moved[old.layout.arcs]], np.sort(at[gain > 0]))


def carried(old: CutArrays, grown: GrownRows) -> CutArrays:
    """The arrays of the same labels on the grown graph; the old ones stay as they are."""
    count, before, indptr = len(grown.indptr) - 1, len(old.nodes), grown.indptr
    arcs, residual = grown.arcs, without_flow(grown.arcs)
    nodes = np.zeros((count, old.nodes.shape[1]), dtype=np.int64)
    nodes[:before] = old.nodes
    nodes[before:, PARENT] = ROOT
    nodes[before:, COMPONENT] = nodes[before:, MEMBER] = np.arange(before, count)
    scratch = np.zeros((STACK + 4, count), dtype=np.int64)
    for row in (ROSTER, LISTED):
        scratch[row, :before] = old.scratch[row]
    tally = old.tally.copy()
    tally[PATIENCE] = len(arcs) // 2 // 16
    lengths = np.full((count, 2), INVALID, dtype=np.int64)
    found = CutArrays(
        indptr, arcs, residual, nodes, lengths, scratch, tally, noted=old.noted, notes=old.notes
    )
    _carry(found, old, grown.moved, grown.risen)
    return found


def _moved(indptr: Ints, heads: Ints, new_indptr: Ints, new_heads: Ints, places: Ints) -> Ints | None:
    """The position of every old arc among the new ones; None where one is gone.

    A row of the same length is the same where none is gone; only others are searched.

    >>> _moved(*map(np.array, ([0, 1, 2], [1, 0], [0, 2, 4, 6], [1, 2, 0, 2, 0, 1], [0, 1]))).tolist()
    [0, 2]
    """
    lengths, starts = np.diff(indptr), new_indptr[places]
    found = np.repeat(starts - indptr[:-1], lengths) + np.arange(len(heads))
    found = np.minimum(found, len(new_heads) - 1)
    wanted = places[heads]
    other = np.flatnonzero(np.repeat(np.diff(new_indptr)[places] != lengths, lengths))
    if len(other):
        count = len(new_indptr) - 1
        rows = np.unique(np.searchsorted(indptr, other, side="right") - 1)
        own = new_indptr[places[rows] + 1] - starts[rows]
        arcs = np.repeat(starts[rows] - np.cumsum(own) + own, own) + np.arange(own.sum())
        keys = np.repeat(places[rows], own) * count + new_heads[arcs]
        tails = np.repeat(places[rows], lengths[rows])
        at = np.minimum(np.searchsorted(keys, tails * count + wanted[other]), len(keys) - 1)
        found[other] = arcs[at] if len(keys) else -1
    return found if np.array_equal(new_heads[found], wanted) else None


@kernel
def _carry(s: CutArrays, old: CutArrays, moved: Ints, risen: Ints) -> None:
    """Have the flow of the old arcs in their new rows, the old nodes hang by them, and repair it."""
    for a in range(len(moved)):
        s.residual[moved[a]] += old.residual[a] - (old.arcs[a, TOTAL] >> 1)
    for v in range(len(old.nodes)):
        if s.nodes[v, PARENT] >= 0:
            s.nodes[v, PARENT] = moved[s.nodes[v, PARENT]]
    _repair(s, risen)


@inner_kernel
def _repair(s: CutArrays, risen: Ints) -> None:
    """Make the flow a maximum one again, and sides and super-vertices those of it; see the module."""
    arcs, residual, nodes = s.arcs, s.residual, s.nodes
    again = True
    while again:
        again = False
        for k in range(len(risen)):
            a = risen[k]
            if residual[a] == 0:
                continue
            x, y = arcs[arcs[a, REVERSE], HEAD], arcs[a, HEAD]
            from_source, to_target = nodes[x, SIDE] == -1, nodes[y, SIDE] == 1
            if from_source and to_target:
                join_sides(s, a)
                again = True
            elif from_source and nodes[y, SIDE] == INNER:
                hang(s, -1, y, arcs[a, REVERSE])
                again = True
            elif to_target and nodes[x, SIDE] == INNER:
                hang(s, 1, x, a)
                again = True
    _merge(s, risen)


@inner_kernel
def _merge(s: CutArrays, risen: Ints) -> None:
    """Divide anew what the heads of new arcs between inner super-vertices lead to."""
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    lost = scratch[LOST_ROW]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    head, tail = 0, 0
    for k in range(len(risen)):
        a = risen[k]
        x, y = arcs[arcs[a, REVERSE], HEAD], arcs[a, HEAD]
        if nodes[x, SIDE] == INNER and nodes[y, SIDE] == INNER and nodes[y, SEEN] != stamp:
            nodes[y, SEEN] = stamp
            lost[tail] = y
            tail += 1
    while head < tail:
        x = lost[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            tally[TOUCHES] += 1
            y = arcs[a, HEAD]
            if nodes[y, SIDE] == INNER and nodes[y, SEEN] != stamp and residual[a] > 0:
                nodes[y, SEEN] = stamp
                lost[tail] = y
                tail += 1
    for i in range(tail):
        nodes[lost[i], SIDE] = LOST
    tally[LOST_COUNT] = tail
    strong_components(s, 0)
