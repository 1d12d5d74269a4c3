"""Definition 3 and Theorem 4: the mistakes of a regular learner, cluster by cluster.

Herbster, Pasteris and Ghosh (2015, Section 3.1) call a learner regular if its predictions do not depend on
the order of the labels, a further label y turns predictions towards y only, and what lies behind labelled
nodes does not matter. For a learner A and a cluster C of one label, Definition 3 is

    B_A(C; G) = the most mistakes in C when all nodes around C are shown first, with the other label, and then
                the nodes of C, in any orders,

and by Theorem 4 a regular learner makes at most Σ B_A(C; G) mistakes on a graph covered by such clusters.

The definition is evaluated by search. For a regular learner a node predicted right can wait until the end,
for its label only mends predictions, so only the sets of nodes shown while predicted wrong need be tried. For
any other learner every order is played, those of the nodes around C as well. A prediction without a label in
its component is left to the class prior, and counts as a mistake.

`longest-path` and `zero-ising` are regular on every graph (Theorem 9), `tree-opt` on forests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.graph import Graph, Measured
from zerokelvin.graph.measures.connectivity import edge_connectivity
from zerokelvin.learners.base import Learner, sign
from zerokelvin.trees.spanning.spanning_trees import is_forest

__all__ = ["cluster_bound", "cluster_mistakes", "is_regular"]


def is_regular(learner: Learner, graph: Graph) -> bool:
    """Whether a learner is known to be permutation-invariant, label-monotone and Markov on this graph."""
    return learner.name in ("longest-path", "zero-ising") or (learner.name == "tree-opt" and is_forest(graph))


def cluster_mistakes(
    learner: Learner, graph: Graph, nodes: Iterable[int], label: int, max_states: int = 3000
) -> Measured:
    """B_A(C; G) of Definition 3 for the cluster of these node indices, whose label is −1 or +1.

    Exact where the search visits at most `max_states` states. Beyond, an upper bound: 1 for a regular learner
    on a cluster whose connectivity exceeds its boundary (Theorem 10), otherwise the number of its nodes.

    Examples
    --------
    >>> from zerokelvin.learners import make
    >>> line = Graph.from_edges([(i, i + 1) for i in range(8)])
    >>> cluster_mistakes(make("longest-path"), line, range(1, 8), 1)
    Measured(value=5.0, exact=True, method='every order')
    """
    inside = sorted({int(node) for node in nodes})
    if label not in (-1, 1):
        raise LabelError(f"label {label!r} of a cluster is not -1 or +1.")
    if not inside:
        raise ParameterError("the cluster is empty; give at least one node index.")
    ends = graph.edges
    within = np.zeros(graph.num_nodes, dtype=np.bool_)
    within[inside] = True
    across = within[ends[:, 0]] != within[ends[:, 1]]
    around = sorted({int(v) for edge in ends[across] for v in edge if not within[v]})
    search = _Search(learner, graph, inside, label, max_states)
    regular = is_regular(learner, graph)
    try:
        orders = [tuple(around)] if regular else itertools.permutations(around)
        most = max(search.regular(order) if regular else search.any_order(order) for order in orders)
        return Measured(float(most), True, "every order")
    except _ExhaustedError:
        boundary = float(graph.edge_weights[across].sum())
        if regular and edge_connectivity(graph.subgraph(np.array(inside))) > boundary:
            return Measured(1.0, False, "connectivity above the boundary, Theorem 10")
        return Measured(float(len(inside)), False, "nodes of the cluster")


def cluster_bound(
    learner: Learner,
    graph: Graph,
    labels: ArrayLike,
    clusters: ArrayLike | None = None,
    max_states: int = 3000,
) -> Bound:
    """Theorem 4: Σ B_A(C; G) over the clusters of a labelling in {−1, +1}, in any order of the nodes.

    Nodes with the same label, and the same number in `clusters` if given, form clusters where connected.
    """
    u = np.asarray(labels)
    if u.shape != (graph.num_nodes,) or not np.isin(u, (-1, 1)).all():
        raise LabelError(f"labels have shape {u.shape}; give -1 or +1 for each of {graph.num_nodes} nodes.")
    cover = np.zeros(len(u)) if clusters is None else np.asarray(clusters)
    ends = graph.edges
    alike = (u[ends[:, 0]] == u[ends[:, 1]]) & (cover[ends[:, 0]] == cover[ends[:, 1]])
    inside = Graph.from_edges(ends[alike], num_nodes=graph.num_nodes)
    found = []
    for c in range(inside.num_components):
        nodes = np.flatnonzero(inside.components == c)
        found.append(cluster_mistakes(learner, graph, nodes.tolist(), int(u[nodes[0]]), max_states))
    terms = {
        "clusters": float(len(found)),
        "clusters searched": float(sum(measured.exact for measured in found)),
        "largest B(C; G)": max(measured.value for measured in found),
    }
    text = "the learner is permutation-invariant, label-monotone and Markov"
    regular = Assumption(text, is_regular(learner, graph))
    value = math.fsum(measured.value for measured in found)
    return Bound(value, "Theorem 4, Herbster, Pasteris and Ghosh 2015", terms, (regular,))


class _ExhaustedError(Exception):
    """The search has visited too many states."""


class _Search:
    """The most mistakes in a cluster, by trying what may be shown next."""

    def __init__(
        self, learner: Learner, graph: Graph, inside: Sequence[int], label: int, max_states: int
    ) -> None:
        self.learner, self.graph, self.inside, self.label = learner, graph, inside, label
        self.prepared = learner.prepare(graph)
        self.left = max_states

    def regular(self, around: Sequence[int]) -> int:
        """The most mistakes of a regular learner: only nodes predicted wrong are shown next."""
        known: dict[frozenset[int], int] = {}

        def most(shown: frozenset[int]) -> int:
            if shown not in known:
                wrong = self._wrong(around, sorted(shown))
                known[shown] = max((1 + most(shown | {v}) for v in wrong), default=0)
            return known[shown]

        return most(frozenset())

    def any_order(self, around: Sequence[int]) -> int:
        """The most mistakes over every order of the cluster, once those around it are shown in theirs."""

        def most(shown: tuple[int, ...]) -> int:
            wrong = self._wrong(around, shown)
            rest = [v for v in self.inside if v not in shown]
            return max(((v in wrong) + most((*shown, v)) for v in rest), default=0)

        return most(())

    def _wrong(self, around: Sequence[int], shown: Sequence[int]) -> list[int]:
        """The nodes of the cluster that are predicted wrong after these nodes have been shown."""
        if self.left == 0:
            raise _ExhaustedError
        self.left -= 1
        state = self.learner.start(self.graph, self.prepared, np.random.default_rng(0))
        for node in around:
            state.update(node, -self.label)
        for node in shown:
            state.update(node, self.label)
        rest = [v for v in self.inside if v not in shown]
        margins = [state.margin(v) for v in rest]
        return [v for v, m in zip(rest, margins, strict=True) if m == 0 or sign(m) != self.label]
