"""The arrays in which an online minimum cut is kept between trials.

What belongs to one node or one arc lies in one row, so that a visit costs one line of cache. Nothing
is cleared from trial to trial: visits are recognised by stamps drawn from a clock, and scratch rows
carry no meaning between calls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.flow.capacities import Capacities
from zerokelvin.graph import Graph

__all__ = ["State", "new_state"]

Ints = NDArray[np.int64]

# columns of State.arcs: other end, opposite arc, residual capacity, and residual capacity of both
# directions together (twice the capacity), which spares a look at the opposite arc
HEAD, REVERSE, RESIDUAL, TOTAL = range(4)

# columns of State.nodes
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

# rows of State.scratch: queue, nodes cut off, orphans, whether listed as orphan, super-vertices whose
# lengths went stale, and four rows for explicit stacks
QUEUE, LOST_ROW, ORPHANS, QUEUED, STALE, STACK = 0, 1, 2, 3, 4, 5

# slots of State.tally: arcs touched, clock, cut value, current epoch, touches spent on repairs in this
# trial since the forest was last spanned, touches after which it is spanned afresh, sizes of three
# scratch rows, labels of either kind
TOUCHES, CLOCK, VALUE, EPOCH, EFFORT, PATIENCE = range(6)
LOST_COUNT, ORPHAN_COUNT, STALE_COUNT, MINUS, PLUS = range(6, 11)


class State(NamedTuple):
    """The whole state; the names of rows and columns stand in this module.

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


def new_state(graph: Graph, capacities: Capacities) -> State:
    """The state before any label: no flow, every connected component one inner super-vertex."""
    n = graph.num_nodes
    _, parts = sp.csgraph.connected_components(graph.adjacency, directed=False)
    order = np.argsort(parts, kind="stable")
    first = np.searchsorted(parts[order], np.arange(parts.max() + 1))
    last = np.append(first[1:], n) - 1
    nodes = np.zeros((n, 8), dtype=np.int64)
    nodes[:, PARENT] = ROOT
    nodes[:, COMPONENT] = order[first][parts]
    nodes[order, MEMBER] = np.append(order[1:], 0)
    nodes[order[last], MEMBER] = order[first]
    tally = np.zeros(11, dtype=np.int64)
    tally[CLOCK] = tally[EPOCH] = 1
    tally[PATIENCE] = graph.num_edges
    values = capacities.values
    return State(
        indptr=graph.indptr,
        arcs=np.column_stack([graph.indices, capacities.reverse, values, 2 * values]),
        nodes=nodes,
        lengths=np.full((n, 2), INVALID, dtype=np.int64),
        scratch=np.zeros((STACK + 4, n), dtype=np.int64),
        tally=tally,
    )
