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

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.trees.spanning.spanning_trees import is_forest

__all__ = ["Spine", "linearise"]


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
    return lay_out_spine(tree.indptr, tree.indices, tree.weights)


def lay_out_spine(indptr: Ints, indices: Ints, weights: Floats) -> Spine:
    """The spine of a forest in CSR form, whose rows need not be sorted: branches are taken in their order."""
    n = len(indptr) - 1
    spine = Spine(np.full(n, -1), np.full(n, -1), np.zeros(n))
    _lay_out(indptr, indices, weights, spine, (np.empty(n, dtype=np.int64), np.zeros(n), indptr[:-1].copy()))
    return spine


@kernel
def _lay_out(indptr: Ints, indices: Ints, weights: Floats, spine: Spine, room: Any) -> None:
    """Fill in the spine.

    `room` has a stack, the weight of the edge by which each node was entered, and the next arc of each node.
    NumPy makes all these arrays: to make them here would take longer to compile.
    """
    n = len(indptr) - 1
    order, position, joint = spine
    stack, through, following = room
    count = 0
    for attempt in range(2 * n):
        root = attempt % n  # first from the leaves, then from nodes without neighbours
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
            joint[count - 1] = min(least, weights[arc])
            through[other] = weights[arc]
            least = np.inf
            position[other] = count
            order[count] = other
            count += 1
            stack[top] = other
            top += 1
        joint[count - 1] = 0.0
