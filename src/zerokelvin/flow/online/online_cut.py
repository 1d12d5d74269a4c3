"""All minimum cuts online: labels arrive one at a time, the Picard–Queyranne graph is always current.

Between trials the engine keeps a maximum flow, the source's and the target's super-vertex as forests
of residual paths rooted at the labelled nodes, the inner super-vertices, and their path lengths as
far as they were asked for. A new label then costs what it changes:

- it agrees with its node's side: the node becomes a root;
- its node is inner: the side grows over residual arcs, absorbing whole super-vertices
  (Herbster, Pasteris and Ghosh, 2015, Proposition 5);
- it contradicts its node's side: the minimum cut rises. Flow is augmented along tree paths, orphaned
  subtrees are reattached locally, the other side grows from the node, and strongly connected
  components are computed only on nodes that were cut off;
- it replaces or takes back a label: the connected component is replayed with its remaining labels.

Every arc looked at is counted in `touches`. Over all nodes once, the paper's bound is
O(max(φ, n) · E) (Section 3.3).

Above 300 lines: one public class, a third of it docstrings; repairs, paths and forests lie beside.
"""

from __future__ import annotations

import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Bytes, Ints
from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.flow.online.components import length
from zerokelvin.flow.online.cut_arrays import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    KEPT,
    LABEL,
    LISTED,
    MEMBER,
    NONE,
    NOTES,
    REVERSE,
    SIDE,
    TOUCHES,
    VALUE,
    Blank,
    CutArrays,
    copied,
)
from zerokelvin.flow.online.grown_cut import GrownRows, carried
from zerokelvin.flow.online.paths import CutPath, trace_path, way_to_label
from zerokelvin.flow.online.trials import guess, local_part, play, replace, reveal
from zerokelvin.flow.static.capacities import scale_weights
from zerokelvin.flow.static.ideals import InnerPart
from zerokelvin.flow.static.picard_queyranne import PicardQueyranne, assemble
from zerokelvin.graph import Graph
from zerokelvin.undo import Undo

__all__ = ["Lengths", "OnlineCut"]


class Lengths(NamedTuple):
    """Path lengths of an inner node's super-vertex, in arcs; both −1 in an unlabelled component."""

    from_source: int
    to_target: int


class OnlineCut:
    """The Picard–Queyranne graph of a graph and the labels given so far. Nodes are indices.

    Learners that compile their own loops have its `arrays`; `rows` says where a node lies in them.

    Parameters
    ----------
    graph
        A graph with positive weights.
    paths
        Which path lengths `lengths` gives: ``"longest"`` or ``"shortest"``.
    close
        Whether the engine keeps neighbours close together in memory; the answers are the same.

    Examples
    --------
    >>> cut = OnlineCut(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> cut.label(0, -1)
    >>> cut.label(3, +1)
    >>> cut.value, [cut.side(i) for i in range(4)]
    (1.0, [-1, 0, 0, 1])
    >>> cut.lengths(1), cut.guess(1), cut.guess(2)
    (Lengths(from_source=1, to_target=2), -1, 1)
    """

    def __init__(self, graph: Graph, paths: str = "longest", *, close: bool = True) -> None:
        if paths not in ("longest", "shortest"):
            raise ParameterError(f"paths={paths!r} is neither 'longest' nor 'shortest'.")
        self.graph = graph
        self.paths = paths
        self.blank = Blank(graph, scale_weights(graph, "an online minimum cut"), close)

    @cached_property
    def arrays(self) -> CutArrays:
        """The arrays behind it, made when they are first needed."""
        return copied(self.blank.arrays)

    # -- asking -----------------------------------------------------------------------------------

    def side(self, node: int) -> int:
        """−1 where every minimum cut labels the node −1, +1 where every one labels it +1, else 0."""
        return int(self.arrays.nodes[self._row(node), SIDE])

    def lengths(self, node: int) -> Lengths:
        """Path lengths of an inner node; a node of the source or target has only (0, −1) or (−1, 0)."""
        side = self.side(node)
        if side != INNER:
            return Lengths(0, NONE) if side < 0 else Lengths(NONE, 0)
        row, longest = self._row(node), self.paths == "longest"
        return Lengths(int(length(self.arrays, 0, row, longest)), int(length(self.arrays, 1, row, longest)))

    def guess(self, node: int) -> int:
        """Label by the path strategy.

        An inner node is −1 iff its path from the source is at most as long as its path to the target.
        A node of the source or target takes its label. In a component without labels the guess is
        the label seen more often so far, +1 if none or tied.
        """
        return int(guess(self.arrays, self._row(node), self.paths == "longest"))

    def is_free(self, node: int) -> bool:
        """Whether no node of the connected component has a label yet."""
        row = self._row(node)
        return self.side(node) == INNER and length(self.arrays, 0, row, self.paths == "longest") == NONE

    def known_label(self, node: int) -> int:
        """The label that the node was given last, 0 where it has none."""
        return int(self.arrays.nodes[self._row(node), LABEL])

    def super_vertex(self, node: int) -> int:
        """The node that stands for an inner node's super-vertex, the same for all members; else −1."""
        row = self._row(node)
        return self._node(int(self.arrays.nodes[row, COMPONENT])) if self.side(node) == INNER else -1

    def members(self, node: int) -> tuple[int, ...]:
        """The nodes of an inner node's super-vertex, itself first, the others in no particular order.

        A node on which all minimum cuts agree is in none and gives ().

        >>> cut = OnlineCut(Graph.from_edges([(0, 1), (1, 2), (2, 3)], [1.0, 2.0, 1.0]))
        >>> cut.label(0, -1)
        >>> cut.label(3, +1)
        >>> sorted(cut.members(1)), cut.super_vertex(1) == cut.super_vertex(2)
        ([1, 2], True)
        """
        if self.side(node) != INNER:
            return ()
        first = self._row(node)
        rows, row = [first], int(self.arrays.nodes[first, MEMBER])
        while row != first:
            rows.append(row)
            row = int(self.arrays.nodes[row, MEMBER])
        return self._nodes(np.array(rows))

    @property
    def value(self) -> float:
        """The minimum cut, in the graph's weights."""
        return float(self.arrays.tally[VALUE] / self.blank.capacities.scale)

    @property
    def rounding(self) -> float:
        """How far the value may be from exact (see `MinimumCut`)."""
        return self.blank.capacities.rounding

    @property
    def touches(self) -> int:
        """Number of arcs looked at since the start."""
        return int(self.arrays.tally[TOUCHES])

    @property
    def labels(self) -> Bytes:
        """The label of every node, 0 where none is known (a copy)."""
        return self.arrays.nodes[self.blank.layout.rows, LABEL].astype(np.int8)

    @property
    def sides(self) -> Bytes:
        """`side` of every node (a copy)."""
        return self.arrays.nodes[self.blank.layout.rows, SIDE].astype(np.int8)

    def path(self, node: int) -> CutPath | None:
        """What ties a node to the labels; None in a component without labels.

        >>> cut = OnlineCut(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]))
        >>> cut.label(0, -1)
        >>> cut.path(2)
        CutPath(node=2, labels=(0,), way=(2, 1, 0), edges=(), before=0)
        >>> cut.label(3, +1)
        >>> cut.path(2)
        CutPath(node=2, labels=(0, 3), way=(), edges=((0, 1), (1, 2), (2, 3)), before=2)
        """
        row, longest = self._row(node), self.paths == "longest"
        if self.side(node) != INNER:
            way = self._nodes(way_to_label(self.arrays, row))
            return CutPath(int(node), way[-1:], way)
        if self.is_free(node):
            return None
        head, opposite = self.arrays.arcs[:, HEAD], self.arrays.arcs[:, REVERSE]
        up, down = (trace_path(self.arrays, end, row, longest) for end in (0, 1))
        along = np.concatenate([opposite[up[::-1]], down])
        tails, heads = head[opposite[along]], head[along]
        ends = (int(way_to_label(self.arrays, end)[-1]) for end in (tails[0], heads[-1]))
        edges = tuple(zip(self._nodes(tails), self._nodes(heads), strict=True))
        return CutPath(int(node), self._nodes(np.array(list(ends))), (), edges, len(up))

    def part(self, node: int) -> InnerPart | None:
        """The inner super-vertices connected with that of a node; None outside the inner part."""
        if self.side(node) != INNER:
            return None
        found = local_part(self.arrays, self._row(node))
        return InnerPart(len(found.vertices), found.arcs, 0)

    def picard_queyranne(self) -> PicardQueyranne:
        """The Picard–Queyranne graph of the labels given so far."""
        nodes = self.arrays.nodes[self.blank.layout.rows]
        residual = np.full(len(self.blank.layout.arcs), -1)
        residual[self.blank.layout.arcs] = self.arrays.residual
        return assemble(self.graph, self.blank.capacities, residual, nodes[:, SIDE], nodes[:, COMPONENT])

    # -- learning ---------------------------------------------------------------------------------

    def label(self, node: int, y: int) -> None:
        """Reveal that `node` has label y in {−1, +1}; a second, different label replaces the first."""
        if y not in (-1, 1):
            raise LabelError(f"label {y!r} of node {node!r} is not -1 or +1.")
        row = self._row(node)
        old = self.arrays.nodes[row, LABEL]
        if old == 0:
            reveal(self.arrays, row, int(y))  # which does without the kernels behind `replace`
        elif old != y:
            replace(self.arrays, row, int(y))

    def label_reversibly(self, node: int, y: int) -> Undo:
        """The same as `label`, and what takes it back: afterwards all but the clock is as it was."""
        arrays, row, undo = self.arrays, self._row(node), Undo()
        nodes, residual, tally = arrays.nodes, arrays.residual, arrays.tally
        undo.keep(arrays.scratch, (LISTED, row))
        undo.keep(tally, np.flatnonzero(np.arange(len(tally)) != CLOCK))  # stamps stay older than it
        if nodes[row, LABEL] != y and nodes[row, SIDE] != y:  # else no minimum cut changes, and no length
            undo.keep(arrays.lengths)
        noted = np.zeros(len(nodes) + len(residual), dtype=np.uint8)
        notes = np.empty((len(noted), arrays.notes.shape[1]), dtype=np.int64)
        self.arrays = arrays._replace(noted=noted, notes=notes)
        try:
            self.label(node, y)
        finally:
            self.arrays = arrays
        found = notes[: tally[NOTES]].copy()
        tally[NOTES] = 0
        of_nodes = found[:, 0] < len(nodes)
        rows, others = found[of_nodes], found[~of_nodes]
        undo.put(nodes, (rows[:, :1], np.array(KEPT)), rows[:, 1:])
        undo.put(residual, others[:, 0] - len(nodes), others[:, 1])
        return undo

    def forget(self, node: int) -> None:
        """Take back the label of a node; nothing happens where it has none."""
        replace(self.arrays, self._row(node), 0)

    def play(self, order: ArrayLike, labels: ArrayLike) -> Bytes:
        """Guess and then learn the nodes of `order`, whose labels are ``labels[order]``, in compiled code.

        Parameters
        ----------
        order
            Node indices.
        labels
            One label in {−1, +1} per node of the graph (only those in `order` are read).

        Returns
        -------
        guesses
            The guess for every node of `order`, in that order.
        """
        nodes = np.asarray(order, dtype=np.int64)
        if len(nodes) and not 0 <= nodes.min() <= nodes.max() < self.graph.num_nodes:
            raise NodeError(f"order holds nodes outside 0 to {self.graph.num_nodes - 1}.")
        ys = np.asarray(labels)
        if ys.shape != (self.graph.num_nodes,):
            raise LabelError(f"labels have shape {ys.shape}; give one per node, {self.graph.num_nodes}.")
        bad = np.flatnonzero(~np.isin(ys[nodes], (-1, 1)))
        if len(bad):
            raise LabelError(f"label {ys[nodes[bad[0]]]!r} of node {nodes[bad[0]]} is not -1 or +1.")
        return play(self.arrays, self.rows(nodes), ys[nodes].astype(np.int64), self.paths == "longest")

    def copy(self) -> OnlineCut:
        """An engine with the same labels that goes its own way; all that depends on the graph is shared."""
        twin = copy.copy(self)
        if "arrays" in vars(self):  # else nothing has been learnt
            twin.arrays = copied(self.arrays)
        return twin

    def grown(self, rows: GrownRows) -> OnlineCut:
        """One with the same labels on a grown graph; the cost is a copy and what has changed."""
        heir = copy.copy(self)
        heir.graph, heir.blank, heir.arrays = rows.blank.graph, rows.blank, carried(self.arrays, rows)
        return heir

    # -- for learners that compile their own loops ------------------------------------------------

    def rows(self, nodes: Ints) -> Ints:
        """The rows of `arrays` that hold these nodes, one row per node."""
        return self.blank.layout.rows[nodes]

    def _nodes(self, rows: Ints) -> tuple[int, ...]:
        """The nodes that these rows of `arrays` hold."""
        return tuple(self.blank.order[rows].tolist())

    def _node(self, row: int) -> int:
        """The node that a row of `arrays` holds."""
        return self._nodes(np.array([row]))[0]

    def _row(self, node: Any) -> int:
        """The row of `arrays` that holds a node, which is checked."""
        if 0 <= node < self.graph.num_nodes:
            return int(self.blank.layout.rows[int(node)])
        raise NodeError(f"no node {node!r}; nodes are the integers 0 to {self.graph.num_nodes - 1}.")
