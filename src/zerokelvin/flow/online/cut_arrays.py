"""The arrays in which an online minimum cut is kept between trials.

What belongs to one node or one arc lies in one row, so that a visit costs one line of cache. Rows may be
arranged so that neighbours lie closer together (reverse Cuthill–McKee), which is worth a factor of two or
three on a large graph whose nodes are numbered at random. Nothing is cleared from trial to trial: visits are
recognised by stamps drawn from a clock, and scratch rows carry no meaning between calls.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.flow.static.capacities import Capacities
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel
from zerokelvin.machine.lanes import borrow

__all__ = [
    "Blank",
    "CutArrays",
    "RowLayout",
    "arrange",
    "borrowed",
    "copied",
    "new_arrays",
    "note_arc",
    "note_node",
    "without_flow",
]


# columns of CutArrays.arcs: other end, opposite arc, and residual capacity of both directions together (twice
# the capacity), which spares a look at the opposite arc
HEAD, REVERSE, TOTAL = range(3)

# columns of CutArrays.nodes
SIDE = 0  # −1 source, +1 target, or one of the three below
PARENT = 1  # arc to the parent in the side's forest, or ROOT or ORPHAN
MARK = 2  # stamp: known this epoch to be attached, or in this search to be loose
SEEN = 3  # stamp: visited by this search
VIA = 4  # arc by which it was visited; scratch elsewhere
COMPONENT = 5  # representative of an inner node's super-vertex
MEMBER = 6  # next node of the same super-vertex, in a circle
LABEL = 7  # revealed label, 0 if none

KEPT = (SIDE, PARENT, COMPONENT, MEMBER, LABEL)
"""Columns that mean something between trials; the others are stamps and scratch."""

INNER, LOST, TAKEN = 0, 2, 3  # sides: inner, just cut off and not yet placed, changing sides
ROOT, ORPHAN = -1, -2  # parents that are no arc
NONE, INVALID = -1, -2  # lengths: no path, not computed

# rows of CutArrays.scratch: queue, nodes cut off, orphans, whether listed as orphan, super-vertices whose
# lengths went stale, queue of the search from the roots, stamp: reached by it, nodes ever labelled,
# whether listed as such, children of a searched orphan, and four rows for explicit stacks
QUEUE, LOST_ROW, ORPHANS, QUEUED, STALE, FRONT, REACHED, ROSTER, LISTED, CHILDREN, STACK = range(11)

# slots of CutArrays.tally: arcs touched, clock, cut value, current epoch, touches by searches from orphans
# and from roots in this epoch, touches of the former after which the latter begins, stamp, head and tail of
# the search from the roots, sizes of four scratch rows, labels of either kind, rows of `notes` used
TOUCHES, CLOCK, VALUE, EPOCH, EFFORT, COVER, PATIENCE, SPAN, FRONT_HEAD, FRONT_TAIL = range(10)
LOST_COUNT, ORPHAN_COUNT, STALE_COUNT, ROSTER_COUNT, MINUS, PLUS, NOTES = range(10, 17)


class RowLayout(NamedTuple):
    """Where nodes and arcs lie in the arrays.

    Attributes
    ----------
    rows
        The row of ``CutArrays.nodes`` that holds each node of the graph.
    arcs
        The position in ``graph.indices`` of each row of ``CutArrays.arcs``.
    """

    rows: Ints
    arcs: Ints

    @property
    def places(self) -> Ints:
        """The row of `CutArrays.arcs` that holds each arc of the graph."""
        places = np.empty(len(self.arcs), dtype=np.int64)
        places[self.arcs] = np.arange(len(self.arcs))
        return places


class CutArrays(NamedTuple):
    """All that an online minimum cut keeps; the names of rows and columns stand in this module.

    Attributes
    ----------
    indptr
        First arc of every node.
    arcs
        One row per arc: what no label changes, which all problems on a graph share.
    residual
        The residual capacity of every arc.
    nodes
        One row per node.
    lengths
        At the representative of an inner super-vertex: arcs on the path from the source (column 0)
        and to the target (column 1), INVALID until asked for.
    scratch
        Rows of one entry per node.
    tally
        Counters and the clock.
    noted
        Where what is overwritten is to be noted, whether that was done for each node, then for each arc;
        else nothing.
    notes
        Room for it: a row for a node with its place and the columns `KEPT`, or for an arc with its place
        after those of all nodes and the residual capacity.
    """

    indptr: Ints
    arcs: Ints
    residual: Ints
    nodes: Ints
    lengths: Ints
    scratch: Ints
    tally: Ints
    noted: NDArray[np.uint8]
    notes: Ints


def arrange(graph: Graph, close: bool) -> RowLayout:
    """Rows in the order of the nodes, or in one that brings neighbours closer together, if it is wanted."""
    n = graph.num_nodes
    given = np.arange(n)
    if close and len(graph.indices):
        matrix = sp.csr_matrix(graph.adjacency)
        order = sp.csgraph.reverse_cuthill_mckee(matrix, symmetric_mode=True).astype(np.int64)
        rows = np.full(n, -1)
        rows[order] = given
        if _spread(graph, rows) < _spread(graph, given):
            return layout_of(graph, rows, order)
    return RowLayout(given, np.arange(len(graph.indices)))


def layout_of(graph: Graph, rows: Ints, order: Ints) -> RowLayout:
    """The layout with these rows of the nodes, where `order` has the node of every row."""
    counts = np.diff(graph.indptr)[order]
    skipped = graph.indptr[order] - np.cumsum(counts) + counts
    return RowLayout(rows, np.repeat(skipped, counts) + np.arange(len(graph.indices)))


def new_arrays(graph: Graph, capacities: Capacities, layout: RowLayout) -> CutArrays:
    """The arrays before any label: no flow, every connected component one inner super-vertex."""
    n = graph.num_nodes
    parts = np.empty(n, dtype=np.int64)
    parts[layout.rows] = graph.components
    order = np.argsort(parts, kind="stable")
    first = np.searchsorted(parts[order], np.arange(parts.max() + 1))
    last = np.append(first[1:], n) - 1
    nodes = np.zeros((n, 8), dtype=np.int64)
    nodes[:, PARENT] = ROOT
    nodes[:, COMPONENT] = order[first][parts]
    nodes[order, MEMBER] = np.append(order[1:], 0)
    nodes[order[last], MEMBER] = order[first]
    tally = np.zeros(NOTES + 1, dtype=np.int64)
    tally[CLOCK] = tally[EPOCH] = 1
    tally[PATIENCE] = graph.num_edges // 16
    indptr, arcs = arc_rows(graph, capacities, layout)
    return CutArrays(
        indptr=indptr,
        arcs=arcs,
        residual=without_flow(arcs),
        nodes=nodes,
        lengths=np.full((n, 2), INVALID, dtype=np.int64),
        scratch=np.zeros((STACK + 4, n), dtype=np.int64),
        tally=tally,
        noted=np.zeros(0, dtype=np.uint8),
        notes=np.zeros((0, 1 + len(KEPT)), dtype=np.int64),
    )


def arc_rows(graph: Graph, capacities: Capacities, layout: RowLayout) -> tuple[Ints, Ints]:
    """First arc of every row, and the arcs, one row each."""
    degrees = np.full(graph.num_nodes, -1)
    degrees[layout.rows] = np.diff(graph.indptr)
    values = capacities.values[layout.arcs]
    heads, opposite = layout.rows[graph.indices[layout.arcs]], capacities.reverse[layout.arcs]
    arcs = np.column_stack([heads, layout.places[opposite], 2 * values])
    return np.concatenate([[0], np.cumsum(degrees)]), arcs


def without_flow(arcs: Ints) -> Ints:
    """The residual capacities of arcs through which nothing flows."""
    return arcs[:, TOTAL] >> 1


@inner_kernel
def borrowed(s: CutArrays) -> CutArrays:
    """The same arrays, not counted as references wherever they are passed on; they must not outlive `s`."""
    return CutArrays(
        borrow(s.indptr),
        borrow(s.arcs),
        borrow(s.residual),
        borrow(s.nodes),
        borrow(s.lengths),
        borrow(s.scratch),
        borrow(s.tally),
        borrow(s.noted),
        borrow(s.notes),
    )


@inner_kernel
def note_node(s: CutArrays, v: int) -> None:
    """Note what the row of a node holds, if that is wanted and was not done."""
    if len(s.noted) > 0 and s.noted[v] == 0:
        s.noted[v] = 1
        k = s.tally[NOTES]
        s.notes[k, 0] = v
        for i in range(len(KEPT)):
            s.notes[k, 1 + i] = s.nodes[v, KEPT[i]]
        s.tally[NOTES] = k + 1


@inner_kernel
def note_arc(s: CutArrays, a: int) -> None:
    """Note the residual capacity of an arc, if that is wanted and was not done."""
    place = len(s.nodes) + a
    if len(s.noted) > 0 and s.noted[place] == 0:
        s.noted[place] = 1
        k = s.tally[NOTES]
        s.notes[k, 0] = place
        s.notes[k, 1] = s.residual[a]
        s.tally[NOTES] = k + 1


class Blank:
    """What minimum cuts of one graph have in common before any label, made when it is first needed.

    Attributes
    ----------
    graph, capacities
        The graph, and its weights as integers.
    close
        Whether neighbours are kept close together in memory.
    """

    def __init__(self, graph: Graph, capacities: Capacities, close: bool) -> None:
        self.graph, self.capacities, self.close = graph, capacities, close

    @cached_property
    def layout(self) -> RowLayout:
        """Where the rows of nodes and arcs lie in the arrays."""
        return arrange(self.graph, self.close)

    @cached_property
    def arrays(self) -> CutArrays:
        """The arrays without any label, to be copied."""
        return new_arrays(self.graph, self.capacities, self.layout)

    @cached_property
    def order(self) -> Ints:
        """The node that every row of the arrays holds."""
        return np.argsort(self.layout.rows)


def copied(arrays: CutArrays) -> CutArrays:
    """Arrays of their own for all that labels change."""
    changing = ("residual", "nodes", "lengths", "scratch", "tally")
    return arrays._replace(**{name: getattr(arrays, name).copy() for name in changing})


def _spread(graph: Graph, rows: Ints) -> float:
    """Mean logarithm of the distance between the rows of neighbours."""
    return float(np.log2(np.abs(rows[graph.edges[:, 0]] - rows[graph.edges[:, 1]])).mean())
