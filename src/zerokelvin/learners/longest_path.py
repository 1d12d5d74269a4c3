"""The longest-path strategy at zero temperature (Herbster, Pasteris and Ghosh 2015, Figure 3).

The labelings of smallest cut that agree with the labels seen are held in the Picard–Queyranne graph. Where
they all agree on a node, that is the prediction. On an inner super-vertex Z

    predict −1  iff  |longest path from the source to Z| ≤ |longest path from Z to the target|,

lengths counted in arcs. The strategy is permutation-invariant, label-monotone and Markov (Theorem 9) and
optimal on trees; its mistakes in one game are at most Σ log₂|p_i| over some cover of the graph by k paths
(Theorem 8), k the minimum cut. See `zerokelvin.learners.cut_state` for ties, repeats and components without
labels, and `zerokelvin.learners.cut_bounds` for the bound.

Cost: a look-up outside the inner part; all nodes in random order within 20·E·(1 + √φ) looks at an arc.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from zerokelvin.flow.online import OnlineCut
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, Problems, learner
from zerokelvin.learners.cut_state import PathProblems, PathState

__all__ = ["LongestPath"]


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

    problems: ClassVar[type[Problems]] = PathProblems

    def prepare(self, graph: Graph) -> OnlineCut:
        """The graph's integer capacities, before any label."""
        return OnlineCut(graph, "longest")

    def start(
        self, graph: Graph, prepared: OnlineCut | None = None, rng: np.random.Generator | None = None
    ) -> PathState:
        """Begin without labels."""
        return PathState(graph, self.prepare(graph) if prepared is None else prepared)
