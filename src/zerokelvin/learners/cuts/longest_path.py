"""The longest-path strategy at zero temperature (Herbster, Pasteris and Ghosh 2015, Figure 3).

The labelings of smallest cut that agree with the labels seen are held in the Picard–Queyranne graph. Where
they all agree on a node, that is the prediction. On an inner super-vertex Z

    predict −1  iff  |longest path from the source to Z| ≤ |longest path from Z to the target|,

lengths counted in arcs. The strategy is permutation-invariant, label-monotone and Markov (Theorem 9) and
optimal on trees. Ties, repeats and components without labels: `learners.cuts.cut_state`.

Bound: its mistakes in one game are at most Σ log₂|p_i| over some cover of the graph by k paths (Theorem 8), k
the minimum cut (`learners.cuts.cut_bounds`).

Cost: a look-up outside the inner part; all nodes in random order within 20·E·(1 + √φ) looks at an arc. On a
forest there is no order in which it is more than O(log n) steps a trial, amortised: once the flow has looked
at 32 arcs per edge and 16 more per trial, the tree's own method takes over (`zerokelvin.trees`).
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, OneVsRest, learner
from zerokelvin.learners.cuts.cut_state import (
    AGREED,
    PathGame,
    PathState,
    TouchLimit,
    compare_lengths,
    learn_all,
    play_until,
)
from zerokelvin.learners.trees.tree_opt import HingeState
from zerokelvin.trees.online.forest import make_forest
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees, is_forest

__all__ = ["ForestPathState", "LongestPath"]


PER_EDGE, PER_TRIAL = 32, 16  # arcs touched before a forest is left to the hinges of its trees


@learner("longest-path")
@dataclass(frozen=True)
class LongestPath(Learner):
    """Minimum cuts, and the longer path where they differ; see the module for the algorithm.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> state = LongestPath().start(line)
    >>> state.update(0, -1)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -1.0, -1.0, -1.0, -1.0]
    >>> state.update(4, 1)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -0.5, -0.5, 0.5, 1.0]
    """

    purpose: ClassVar[str] = "labels that change across few edges, with bounds that are close to the mistakes"
    choose: ClassVar[str] = (
        "clusters are separated by few edges, or the graph is a tree; or a bound has to say something"
    )
    cost: ClassVar[str] = (
        "a look-up for most predictions; all nodes in random order within 20·E·(1 + √φ) looks at an arc"
    )

    game: ClassVar[type[OneVsRest[Any]]] = PathGame

    def prepare(self, graph: Graph) -> OnlineCut:
        """The graph's integer capacities, before any label."""
        return OnlineCut(graph, "longest")

    def start(
        self, graph: Graph, prepared: OnlineCut | None = None, rng: np.random.Generator | None = None
    ) -> PathState:
        """Begin without labels."""
        cut = self.prepare(graph) if prepared is None else prepared
        return ForestPathState(graph, cut) if is_forest(graph) else PathState(graph, cut)


class ForestPathState(PathState):
    """A problem on a forest: minimum cuts by flows, by hinges once an order proves bad for flows.

    From then on the flow learns labels only when it is asked for what ties a node to them.
    """

    def __init__(self, graph: Graph, cut: OnlineCut) -> None:
        self.tree: HingeState | None = None
        self.learnt = 0  # how many of the labels seen the flow knows
        super().__init__(graph, cut)

    @property
    def cut(self) -> OnlineCut:
        """The minimum cut by flows, after it has learnt the labels that it had not."""
        if self.learnt < len(self.seen_nodes):
            late = slice(self.learnt, None)
            learn_all(self._cut, self.seen_nodes[late].copy(), self.seen_labels[late].astype(np.int64))
            self.learnt = len(self.seen_nodes)
        return self._cut

    @cut.setter
    def cut(self, cut: OnlineCut) -> None:
        self._cut = cut

    def margin(self, node: int) -> float:
        """±1 where all minimum cuts agree, 0 without labels, else ±½ by the longer path."""
        if self.tree is not None:
            return float(_halved(np.array([self.tree.margin(node)]))[0])
        margin = super().margin(node)
        self._rest()
        return margin

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes, one each."""
        if self.tree is not None:
            return _halved(self.tree.margins(nodes))
        margins = super().margins(nodes)
        self._rest()
        return margins

    def update(self, node: int, label: int) -> None:
        """Take the label; another one than before replaces it."""
        if self.tree is not None:
            self.tree.update(node, label)
            self.record.note(node, label)
        else:
            super().update(node, label)
            self.learnt = len(self.seen_nodes)
            self._rest()

    def remark(self, node: int) -> str:
        """How the prediction of a node came about, as part of a sentence; "" without labels."""
        if self.tree is None:
            return super().remark(node)
        margin = abs(self.margin(node))
        if margin in (0.0, 1.0):
            return AGREED if margin else ""
        return compare_lengths("longest", *self.tree.lengths(node))

    def play(self, nodes: Ints, labels: Ints) -> Floats:
        """Predict and learn trials in compiled code; the margins."""
        margins = np.full(len(nodes), np.nan)
        at = 0
        while at < len(nodes) and self.tree is None:
            rows, limit = self._cut.rows(nodes[at:]), TouchLimit(self._limit(), PER_TRIAL)
            played = int(play_until(self._cut.arrays, rows, labels[at:], True, limit, margins[at:]))
            self.record.note_all(nodes[at : at + played], labels[at : at + played])
            self.learnt = len(self.seen_nodes)
            self._rest()
            at += played
        if self.tree is not None:
            self.tree.play(nodes[at:], labels[at:], 0, len(nodes), margins[at:])
            margins[at:] = _halved(margins[at:])
            self.record.note_all(nodes[at:], labels[at:])
        return margins

    def teach(self, nodes: Ints, labels: Ints) -> None:
        """Learn trials in compiled code, without predicting them."""
        if self.tree is not None:
            self.tree.play(nodes, labels, 0, len(nodes), np.empty(len(nodes)))
            self.record.note_all(nodes, labels)
        else:
            super().teach(nodes, labels)
            self.learnt = len(self.seen_nodes)
            self._rest()

    def twin(self) -> ForestPathState:
        """A state with the same labels, on copies of the flow and of the hinges."""
        other = copy.copy(self)
        other._cut, other.record = self._cut.copy(), self.record.copy()
        other.tree = None if self.tree is None else self.tree.twin()
        return other

    def _limit(self) -> int:
        """How many arcs the flow may look at before hinges take over."""
        return PER_EDGE * self.graph.num_edges + PER_TRIAL * len(self.seen_nodes)

    def _rest(self) -> None:
        """Go over to hinges, and leave the flow where it is, if it has looked at too many arcs."""
        if self._cut.touches > self._limit():
            forest = make_forest(self.graph, [SpanningTrees(self.graph).draw(np.random.default_rng(0))])
            self.tree = HingeState(self.graph, forest, 1, "longest-path")
            known = np.flatnonzero(self._cut.labels)
            labels = self._cut.labels[known].astype(np.int64)
            self.tree.play(known, labels, 0, len(known), np.empty(len(known)))
            self.tree.settle()


def _halved(votes: Floats) -> Floats:
    """Votes of a tree as margins: ±½ where minimum cuts differ."""
    return np.where(np.isin(votes, (-1.0, 0.0, 1.0)), votes, np.copysign(0.5, votes))
