"""The arrays in which an online minimum cut is kept between trials.

What belongs to one node or one arc lies in one row, so that a visit costs one line of cache. Rows may be
arranged so that neighbours lie closer together (reverse Cuthill–McKee), which is worth a factor of two or
three on a large graph whose nodes are numbered at random. Nothing is cleared from trial to trial: visits are
recognised by stamps drawn from a clock, and scratch rows carry no meaning between calls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Ints
from zerokelvin.flow.static.capacities import Capacities
from zerokelvin.graph import Graph

__all__ = ["CutArrays", "RowLayout", "arrange", "new_arrays"]


# columns of CutArrays.arcs: other end, opposite arc, residual capacity, and residual capacity of both
# directions together (twice the capacity), which spares a look at the opposite arc
HEAD, REVERSE, RESIDUAL, TOTAL = range(4)

# columns of CutArrays.nodes
SIDE = 0  # −1 source, +1 target, or one of the three below
PARENT = 1  # arc to the parent in the side's forest, or ROOT or ORPHAN
MARK = 2  # stamp: known this epoch to be attached, or in this search to be loose
SEEN = 3  # stamp: visited by this search
VIA = 4  # arc by which it was visited; scratch elsewhere
COMPONENT = 5  # representative of an inner node's super-vertex
MEMBER = 6  # next node of the same super-vertex, in a circle
LABEL = 7  # revealed label, 0 if none

INNER, LOST, TAKEN = 0, 2, 3  # sides: inner, just cut off and not yet placed, changing sides
ROOT, ORPHAN = -1, -2  # parents that are no arc
NONE, INVALID = -1, -2  # lengths: no path, not computed

# rows of CutArrays.scratch: queue, nodes cut off, orphans, whether listed as orphan, super-vertices whose
# lengths went stale, queue of the search from the roots, stamp: reached by it, nodes ever labelled,
# whether listed as such, children of a searched orphan, and four rows for explicit stacks
QUEUE, LOST_ROW, ORPHANS, QUEUED, STALE, FRONT, REACHED, ROSTER, LISTED, CHILDREN, STACK = range(11)

# slots of CutArrays.tally: arcs touched, clock, cut value, current epoch, touches by searches from orphans
# and from roots in this epoch, touches of the former after which the latter begins, stamp, head and tail of
# the search from the roots, sizes of four scratch rows, labels of either kind
TOUCHES, CLOCK, VALUE, EPOCH, EFFORT, COVER, PATIENCE, SPAN, FRONT_HEAD, FRONT_TAIL = range(10)
LOST_COUNT, ORPHAN_COUNT, STALE_COUNT, ROSTER_COUNT, MINUS, PLUS = range(10, 16)


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


class CutArrays(NamedTuple):
    """All that an online minimum cut keeps; the names of rows and columns stand in this module.

    Attributes
    ----------
    indptr
        First arc of every node.
    arcs
        One row per arc.
    nodes
        One row per node.
    lengths
        At the representative of an inner super-vertex: arcs on the path from the source (column 0)
        and to the target (column 1), INVALID until asked for.
    scratch
        Rows of one entry per node.
    tally
        Counters and the clock.
    """

    indptr: Ints
    arcs: Ints
    nodes: Ints
    lengths: Ints
    scratch: Ints
    tally: Ints


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
            counts = np.diff(graph.indptr)[order]
            skipped = graph.indptr[order] - np.cumsum(counts) + counts
            return RowLayout(rows, np.repeat(skipped, counts) + np.arange(len(graph.indices)))
    return RowLayout(given, np.arange(len(graph.indices)))


def new_arrays(graph: Graph, capacities: Capacities, layout: RowLayout) -> CutArrays:
    """The arrays before any label: no flow, every connected component one inner super-vertex."""
    n = graph.num_nodes
    parts = np.empty(n, dtype=np.int64)
    parts[layout.rows] = graph.components
    degrees = np.full(n, -1)
    degrees[layout.rows] = np.diff(graph.indptr)
    place = np.empty(len(layout.arcs), dtype=np.int64)
    place[layout.arcs] = np.arange(len(layout.arcs))
    heads, opposite = layout.rows[graph.indices[layout.arcs]], place[capacities.reverse[layout.arcs]]
    order = np.argsort(parts, kind="stable")
    first = np.searchsorted(parts[order], np.arange(parts.max() + 1))
    last = np.append(first[1:], n) - 1
    nodes = np.zeros((n, 8), dtype=np.int64)
    nodes[:, PARENT] = ROOT
    nodes[:, COMPONENT] = order[first][parts]
    nodes[order, MEMBER] = np.append(order[1:], 0)
    nodes[order[last], MEMBER] = order[first]
    tally = np.zeros(16, dtype=np.int64)
    tally[CLOCK] = tally[EPOCH] = 1
    tally[PATIENCE] = graph.num_edges // 16
    values = capacities.values[layout.arcs]
    return CutArrays(
        indptr=np.concatenate([[0], np.cumsum(degrees)]),
        arcs=np.column_stack([heads, opposite, values, 2 * values]),
        nodes=nodes,
        lengths=np.full((n, 2), INVALID, dtype=np.int64),
        scratch=np.zeros((STACK + 4, n), dtype=np.int64),
        tally=tally,
    )


def _spread(graph: Graph, rows: Ints) -> float:
    """Mean logarithm of the distance between the rows of neighbours."""
    return float(np.log2(np.abs(rows[graph.edges[:, 0]] - rows[graph.edges[:, 1]])).mean())
