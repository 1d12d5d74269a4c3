"""The shortest-path strategy at zero temperature (Herbster, Pasteris and Ghosh 2015, Section 3.2).

As `longest-path`, but an inner super-vertex takes the label at the end of its shorter *shortest* path:
nearest neighbour in the Picard–Queyranne graph. It looks more natural and is worse: there are games in
which it errs more often, by more than any constant, than any choice of fixed paths (Proposition 7). A tie
goes to −1, the source.

Bound: every mistake on an inner super-vertex absorbs it, so a game costs at most their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, OneVsRest, learner
from zerokelvin.learners.cuts.cut_state import PathGame, PathState

__all__ = ["ShortestPath"]


@learner("shortest-path")
@dataclass(frozen=True)
class ShortestPath(Learner):
    """Minimum cuts, and the nearer side where they differ; see the module for the algorithm.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (0, 2), (2, 4)])
    >>> state = ShortestPath().start(line)
    >>> state.update(0, -1)
    >>> state.update(4, 1)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -0.5, -0.5, 0.5, 1.0]
    """

    purpose: ClassVar[str] = "comparing with the longest-path strategy: the shorter path decides"
    choose: ClassVar[str] = "you study minimum-cut learners; to predict, 'longest-path' is the better choice"
    cost: ClassVar[str] = "as 'longest-path'"

    game: ClassVar[type[OneVsRest[Any]]] = PathGame

    def prepare(self, graph: Graph) -> OnlineCut:
        """The graph's integer capacities, before any label."""
        return OnlineCut(graph, "shortest")

    def start(
        self, graph: Graph, prepared: OnlineCut | None = None, rng: np.random.Generator | None = None
    ) -> PathState:
        """Begin without labels."""
        return PathState(graph, self.prepare(graph) if prepared is None else prepared)
