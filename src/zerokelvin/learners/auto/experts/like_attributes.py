"""`gaussian` on the graph that joins every node to the ten of most like attributes.

It sees what a linear regression on the attributes does not, such as classes in several clumps. Likeness is
the cosine of the leading `JOINED_AXES` coordinates; nodes of which nothing is known stay alone. On more than
`JOINED_NODES` nodes the search would take longer than a start may, and nobody speaks.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.graph.points.builders import knn_graph
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Acquainted, Expert, Kind, expert
from zerokelvin.learners.base import columns_of
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.field_system import System, system_of
from zerokelvin.learners.gaussian.gaussian import GaussianGame

__all__ = ["LikeAttributes", "like_graph"]

NEIGHBOURS = 10
"""As many as `knn_graph` takes by default."""


@expert("like attributes")
class LikeAttributes(Kind):
    """One relaxation on the graph of like attributes."""

    rank: ClassVar[int] = 70

    def prepare(self, graph: Graph, scaled: Graph) -> System | None:
        """The system on the graph of like attributes; None where there is none."""
        known = graph.attributes
        if known is None or graph.num_nodes > settings.JOINED_NODES:
            return None
        return system_of(at_mean_degree(like_graph(known.rows)), settings.JOINED.kernel)

    def start(self, ready: System | None, classes: int, tol: float, seed: int) -> list[Expert]:
        """The regression on the graph of nodes with like attributes; none where it is not known."""
        if ready is None:
            return []
        regression = Diffusion(ready, columns_of(classes), 1.0 / settings.JOINED.mu, 0.0, tol)
        return [Acquainted("like attributes", GaussianGame(regression))]


def like_graph(rows: Floats) -> Graph:
    """Every node joined to those of most like attributes, among nodes of which something is known."""
    leading = rows[:, : settings.JOINED_AXES]
    lengths = np.linalg.norm(leading, axis=1)
    known = np.flatnonzero(lengths > 1e-9)
    if len(known) < 2:
        return Graph.from_edges([], num_nodes=len(rows))
    joined = knn_graph(leading[known] / lengths[known, None], min(NEIGHBOURS, len(known) - 1))
    return Graph.from_edges(known[joined.edges], num_nodes=len(rows))
