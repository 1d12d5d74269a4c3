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
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.flow.capacities import scale_weights
from zerokelvin.flow.components import length
from zerokelvin.flow.forests import change_side, grow
from zerokelvin.flow.ideals import Part
from zerokelvin.flow.picard_queyranne import PicardQueyranne, assemble
from zerokelvin.flow.state import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    INVALID,
    LABEL,
    MEMBER,
    MINUS,
    NONE,
    PARENT,
    PLUS,
    QUEUE,
    RESIDUAL,
    ROOT,
    SEEN,
    SIDE,
    TOTAL,
    TOUCHES,
    VALUE,
    VIA,
    State,
    new_state,
)
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["Lengths", "OnlineCut"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.int8]


class Lengths(NamedTuple):
    """Path lengths of an inner node's super-vertex, in arcs; both −1 in an unlabelled component."""

    from_source: int
    to_target: int


class OnlineCut:
    """The Picard–Queyranne graph of a graph and the labels given so far. Nodes are indices.

    Parameters
    ----------
    graph
        A graph with positive weights.
    paths
        Which path lengths `lengths` gives: ``"longest"`` or ``"shortest"``.

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

    def __init__(self, graph: Graph, paths: str = "longest") -> None:
        if paths not in ("longest", "shortest"):
            raise ParameterError(f"paths={paths!r} is neither 'longest' nor 'shortest'.")
        self.graph = graph
        self.paths = paths
        self._capacities = scale_weights(graph, "an online minimum cut")
        self._state = new_state(graph, self._capacities)

    # -- asking -----------------------------------------------------------------------------------

    def side(self, node: int) -> int:
        """−1 where every minimum cut labels the node −1, +1 where every one labels it +1, else 0."""
        return int(self._state.nodes[self._index(node), SIDE])

    def lengths(self, node: int) -> Lengths:
        """Path lengths of an inner node; a node of the source or target has only (0, −1) or (−1, 0)."""
        side = self.side(node)
        if side != INNER:
            return Lengths(0, NONE) if side < 0 else Lengths(NONE, 0)
        longest = self.paths == "longest"
        return Lengths(int(length(self._state, 0, node, longest)), int(length(self._state, 1, node, longest)))

    def guess(self, node: int) -> int:
        """Label by the path strategy.

        An inner node is −1 iff its path from the source is at most as long as its path to the target.
        A node of the source or target takes its label. In a component without labels the guess is
        the label seen more often so far, +1 if none or tied.
        """
        return int(_guess(self._state, self._index(node), self.paths == "longest"))

    def is_free(self, node: int) -> bool:
        """Whether no node of the connected component has a label yet."""
        return self.side(node) == INNER and length(self._state, 0, node, self.paths == "longest") == NONE

    @property
    def value(self) -> float:
        """The minimum cut, in the graph's weights."""
        return float(self._state.tally[VALUE] / self._capacities.scale)

    @property
    def rounding(self) -> float:
        """How far the value may be from exact (see `MinimumCut`)."""
        return self._capacities.rounding

    @property
    def touches(self) -> int:
        """Number of arcs looked at since the start."""
        return int(self._state.tally[TOUCHES])

    @property
    def labels(self) -> Bytes:
        """The label of every node, 0 where none is known (a copy)."""
        return self._state.nodes[:, LABEL].astype(np.int8)

    @property
    def sides(self) -> Bytes:
        """`side` of every node (a copy)."""
        return self._state.nodes[:, SIDE].astype(np.int8)

    def part(self, node: int) -> Part | None:
        """The inner super-vertices connected with that of a node; None outside the inner part."""
        if self.side(node) != INNER:
            return None
        num, arcs = _part(self._state, node)
        return Part(int(num), arcs, 0)

    def picard_queyranne(self) -> PicardQueyranne:
        """The current Picard–Queyranne graph."""
        nodes, residual = self._state.nodes, self._state.arcs[:, RESIDUAL]
        return assemble(self.graph, self._capacities, residual, nodes[:, SIDE], nodes[:, COMPONENT])

    # -- learning ---------------------------------------------------------------------------------

    def label(self, node: int, y: int) -> None:
        """Reveal that `node` has label y in {−1, +1}; a second, different label replaces the first."""
        if y not in (-1, 1):
            raise LabelError(f"label {y!r} of node {node!r} is not -1 or +1.")
        _learn(self._state, self._index(node), int(y))

    def forget(self, node: int) -> None:
        """Take back the label of a node; nothing happens where it has none."""
        _replace(self._state, self._index(node), 0)

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
        return _play(self._state, nodes, ys[nodes].astype(np.int64), self.paths == "longest")

    def _index(self, node: Any) -> int:
        if 0 <= node < self.graph.num_nodes:
            return int(node)
        raise NodeError(f"no node {node!r}; nodes are the integers 0 to {self.graph.num_nodes - 1}.")


@kernel
def _play(s: State, order: Ints, labels: Ints, longest: bool) -> Bytes:
    guesses = np.empty(len(order), dtype=np.int8)
    for t in range(len(order)):
        guesses[t] = _guess(s, order[t], longest)
        _learn(s, order[t], labels[t])
    return guesses


@kernel
def _guess(s: State, v: int, longest: bool) -> int:
    where = s.nodes[v, SIDE]
    if where != INNER:
        return where
    start = length(s, 0, v, longest)
    if start == NONE:
        return 1 if s.tally[PLUS] >= s.tally[MINUS] else -1
    return -1 if start <= length(s, 1, v, longest) else 1


@kernel
def _learn(s: State, v: int, y: int) -> None:
    old = s.nodes[v, LABEL]
    if old == 0:
        _reveal(s, v, y)
    elif old != y:
        _replace(s, v, y)


@kernel
def _reveal(s: State, v: int, y: int) -> None:
    s.nodes[v, LABEL] = y
    s.tally[PLUS if y > 0 else MINUS] += 1
    where = s.nodes[v, SIDE]
    if where == y:
        s.nodes[v, PARENT] = ROOT
    elif where == INNER:
        grow(s, y, v)
    else:
        change_side(s, v, where)


@kernel
def _replace(s: State, v: int, y: int) -> None:
    """Give a labelled node another label, or none (0): replay its connected component."""
    nodes, tally = s.nodes, s.tally
    old = nodes[v, LABEL]
    if old == 0:
        return
    tally[PLUS if old > 0 else MINUS] -= 1
    nodes[v, LABEL] = 0
    count = _reset(s, v)
    part = s.scratch[QUEUE, :count].copy()
    known = nodes[part, LABEL]
    for i in range(count):
        nodes[part[i], LABEL] = 0
    if y != 0:
        _reveal(s, v, y)
    for i in range(count):
        if known[i] != 0:
            tally[PLUS if known[i] > 0 else MINUS] -= 1
            _reveal(s, part[i], known[i])


@kernel
def _reset(s: State, v: int) -> int:
    """Take flow and sides out of v's connected component; its nodes are left in the queue."""
    indptr, arcs, nodes, lengths, scratch, tally = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    nodes[v, SEEN] = stamp
    queue[0] = v
    head, tail = 0, 1
    while head < tail:
        x = queue[head]
        head += 1
        for a in range(indptr[x], indptr[x + 1]):
            tally[TOUCHES] += 1
            y = arcs[a, HEAD]
            if nodes[x, SIDE] < 0 and nodes[y, SIDE] >= 0:
                tally[VALUE] -= arcs[a, TOTAL] // 2
            arcs[a, RESIDUAL] = arcs[a, TOTAL] // 2
            if nodes[y, SEEN] != stamp:
                nodes[y, SEEN] = stamp
                queue[tail] = y
                tail += 1
    for i in range(tail):
        x = queue[i]
        nodes[x, SIDE] = INNER
        nodes[x, PARENT] = ROOT
        nodes[x, COMPONENT] = v
        nodes[x, MEMBER] = queue[(i + 1) % tail]
    lengths[v, 0] = INVALID
    lengths[v, 1] = INVALID
    return tail


@kernel
def _part(s: State, v: int) -> tuple[int, Ints]:
    """Inner super-vertices connected with v's, v's first, and the arcs between them by position."""
    indptr, arcs, nodes, _, scratch, tally = s
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    top = nodes[v, COMPONENT]
    nodes[top, SEEN] = stamp
    nodes[top, VIA] = 0
    queue[0] = top
    head, tail = 0, 1
    found = [(0, 0)][:0]
    while head < tail:
        c = queue[head]
        head += 1
        x = c
        while True:
            for a in range(indptr[x], indptr[x + 1]):
                y = arcs[a, HEAD]
                b = nodes[y, COMPONENT]
                if nodes[y, SIDE] != INNER or b == c:
                    continue
                if nodes[b, SEEN] != stamp:
                    nodes[b, SEEN] = stamp
                    nodes[b, VIA] = tail
                    queue[tail] = b
                    tail += 1
                if arcs[a, RESIDUAL] == 0:
                    found.append((nodes[c, VIA], nodes[b, VIA]))
            x = nodes[x, MEMBER]
            if x == c:
                break
    out = np.empty((len(found), 2), dtype=np.int64)
    for k in range(len(found)):
        out[k, 0], out[k, 1] = found[k]
    return tail, out
