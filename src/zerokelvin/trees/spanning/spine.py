"""A tree laid out as a line: its nodes in depth-first order, with the weights WTA gives the line's edges.

Visit the tree depth-first from a leaf and write every node down when it is first met. Two neighbours a, b
on that line are joined by an edge of the smallest weight on the tree path between them; an edge of the tree
is on the path of at most two such pairs, so any labelling cuts the spine at most twice as much as the tree
(Cesa-Bianchi, Gentile, Vitale, Zappella 2010 and 2013, "Random spanning trees and the prediction of weighted
graphs", WTA; Herbster, Lever, Pontil 2009). The distance on the spine is its resistance, Σ 1/w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints, Shorts, index_kind
from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.trees.spanning.spanning_trees import is_forest

__all__ = ["ForestRows", "LaidOut", "Spine", "lay_out_spine", "linearise", "shuffled_rows"]


class ForestRows(NamedTuple):
    """A forest in CSR form: where every row begins, the other ends, where the weights of the edges are."""

    rows: Shorts
    heads: Shorts
    via: Shorts


class LaidOut(NamedTuple):
    """Order, position and weights as `Spine` has them, in as few bits as the rows of the forest."""

    order: Shorts
    position: Shorts
    joint: Floats


class VisitRoom(NamedTuple):
    """Room for a visit: a stack; per node the weight of the edge it was entered by, and its next arc."""

    stack: Shorts
    through: Floats
    following: Shorts


class Spine(NamedTuple):
    """A forest in depth-first order.

    Attributes
    ----------
    order
        The nodes along the spine, one component after the other.
    position
        Where every node stands: ``order[position[node]] == node``.
    weights
        Weight of the edge from every place to the next, 0 at the end of a component and at the last.
    """

    order: Ints
    position: Ints
    weights: Floats

    def as_graph(self) -> Graph:
        """The spine as a graph on the same nodes."""
        linked = np.flatnonzero(self.weights > 0)
        edges = np.column_stack([self.order[linked], self.order[linked + 1]])
        return Graph.from_edges(edges, self.weights[linked], num_nodes=len(self.order))


def linearise(tree: Graph) -> Spine:
    """Lay a forest out as a spine; every component starts at its lowest leaf.

    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)], weights=[1.0, 2.0, 3.0])
    >>> spine = linearise(star)
    >>> spine.order.tolist(), spine.weights.tolist()
    ([1, 0, 2, 3], [1.0, 2.0, 2.0, 0.0])
    """
    if not is_forest(tree):
        raise GraphError(
            "the graph has a cycle; a spine is made from a tree, so take spanning_tree(graph) first."
        )
    rows = ForestRows(
        tree.indptr.astype(np.int32),
        tree.indices.astype(np.int32),
        np.arange(len(tree.indices), dtype=np.int32),
    )
    spine = lay_out_spine(rows, tree.weights, 0)
    return Spine(spine.order.astype(np.int64), spine.position.astype(np.int64), spine.joint)


def lay_out_spine(forest: ForestRows, weights: Floats, first: int) -> LaidOut:
    """The spine of a forest in CSR form.

    Branches are taken in the order of their row; a component begins at the first of its leaves at or after
    the node `first`, going round.
    """
    n = len(forest.rows) - 1
    kind = forest.rows.dtype
    spine = LaidOut(np.full(n, -1, dtype=kind), np.full(n, -1, dtype=kind), np.zeros(n))
    room = VisitRoom(np.empty(n, dtype=kind), np.zeros(n), forest.rows[:-1].copy())
    _lay_out(forest, weights, first, spine, room)
    return spine


def shuffled_rows(graph: Graph, arcs: Ints, rng: np.random.Generator) -> ForestRows:
    """A forest with rows in random order; `arcs` are ascending positions of its edges in the CSR arrays."""
    kind: Any = index_kind(len(graph.indices))
    rows = np.zeros(graph.num_nodes + 1, dtype=kind)
    heads, via = np.empty(2 * len(arcs), dtype=kind), np.empty(2 * len(arcs), dtype=kind)
    forest = ForestRows(rows, heads, via)
    _join(graph.indptr, graph.indices, arcs, rng, forest)
    return forest


@kernel
def _join(indptr: Ints, indices: Ints, arcs: Ints, rng: np.random.Generator, forest: ForestRows) -> None:
    """Fill in rows, heads and positions of weights of a forest, every row in random order."""
    rows, heads, via = forest
    for turn in range(2):  # first count, then enter from the end of every row to its begin
        tail = 0
        for arc in arcs:
            while indptr[tail + 1] <= arc:
                tail += 1
            head = indices[arc]
            if turn == 0:
                rows[tail] += 1
                rows[head] += 1
            else:
                rows[tail] -= 1
                heads[rows[tail]], via[rows[tail]] = head, arc
                rows[head] -= 1
                heads[rows[head]], via[rows[head]] = tail, arc
        if turn == 0:
            for node in range(len(rows) - 1):
                rows[node + 1] += rows[node]
    for node in range(len(rows) - 1):
        first = rows[node]
        for last in range(rows[node + 1] - 1, first, -1):  # Fisher and Yates
            other = first + int(rng.random() * (last + 1 - first))
            heads[last], heads[other] = heads[other], heads[last]
            via[last], via[other] = via[other], via[last]


@kernel
def _lay_out(forest: ForestRows, weights: Floats, first: int, spine: LaidOut, room: VisitRoom) -> None:
    """Fill in the spine. NumPy makes all these arrays: to make them here would take longer to compile."""
    indptr, indices, via = forest
    n = len(indptr) - 1
    order, position, joint = spine
    stack, through, following = room
    count = 0
    for attempt in range(2 * n):
        root = (first + attempt) % n  # first from the leaves, then from nodes without neighbours
        if position[root] >= 0 or (attempt < n and indptr[root + 1] - indptr[root] != 1):
            continue
        position[root] = count
        order[count] = root
        count += 1
        stack[0] = root
        top = 1
        least = np.inf
        while top:
            node = stack[top - 1]
            if following[node] == indptr[node + 1]:
                least = min(least, through[node])  # going back
                top -= 1
                continue
            arc = following[node]
            following[node] += 1
            other = indices[arc]
            if position[other] >= 0:
                continue
            weight = weights[via[arc]]
            joint[count - 1] = min(least, weight)
            through[other] = weight
            least = np.inf
            position[other] = count
            order[count] = other
            count += 1
            stack[top] = other
            top += 1
        joint[count - 1] = 0.0
