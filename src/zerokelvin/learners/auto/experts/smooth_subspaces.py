"""Regression on the smoothest directions of the graph, for communities that few labels point out.

See `zerokelvin.spectral.smooth_subspace` and `learners.auto.subspace_regression`. On graphs of more than
`SUBSPACE_ARCS` arcs the directions would take longer than a start may, and nobody speaks. Nor on a graph
with as many components as directions: the smoothest ones are constant on every component, so that any few of
them are arbitrary.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import MEAN_DEGREE
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.settings import Subspace
from zerokelvin.learners.auto.subspace_regression import SubspaceRegression
from zerokelvin.spectral.smooth_subspace import smooth_subspace

__all__ = ["SmoothSubspaces"]


@expert("smooth subspaces")
class SmoothSubspaces(Kind):
    """The kind whose experts are ridge regressions, one in each subspace of `settings.SUBSPACES`."""

    rank: ClassVar[int] = 30

    def prepare(self, graph: Graph, scaled: Graph) -> list[tuple[Subspace, Floats]]:
        """The subspaces that make sense on the graph, and the coordinates of every node in each."""
        components = scaled.num_components - int(np.count_nonzero(scaled.degrees == 0))
        wanted = [one for one in settings.SUBSPACES if one.rank > components]
        if len(scaled.indices) > settings.SUBSPACE_ARCS or not wanted:
            return []
        values, vectors = smooth_subspace(scaled, max(one.rank for one in wanted))
        roots = np.sqrt(np.where(scaled.degrees > 0, scaled.degrees, 1.0) / MEAN_DEGREE)
        found = []
        for one in wanted:
            sizes = settings.SUBSPACE_SIZE * np.exp(-0.5 * one.time * (values[:1] - values[: one.rank]))
            rows = np.sqrt(scaled.num_nodes) * sizes * vectors[:, : one.rank]
            found.append((one, np.ascontiguousarray(rows / roots[:, None] if one.walk else rows)))
        return found

    def start(
        self, ready: list[tuple[Subspace, Floats]], classes: int, tol: float, seed: int
    ) -> list[Expert]:
        """One expert per prepared subspace, a regression that has learnt no label yet."""
        return [Expert(str(one), SubspaceRegression(rows, classes, one.mu)) for one, rows in ready]
