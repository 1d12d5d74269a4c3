"""Personalised PageRank (1 − α)(I − αAD⁻¹)⁻¹, which is not symmetric; a column is one solve."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.kernels.columns import check_node
from zerokelvin.kernels.kernel_names import FRACTION, graph_kernel
from zerokelvin.solve.solver import Solver, analyse

__all__ = ["PageRankKernel", "pagerank"]


@dataclass(frozen=True)
class PageRankKernel:
    """Personalised PageRank (1 − α)(I − αAD⁻¹)⁻¹, not symmetric, by solves.

    With ρ = (1 − α)/α it is ρ D^(1/2) (Lₙ + ρI)⁻¹ D^(−1/2), so a solver of Lₙ + ρI serves it. A walk at a
    node without edges stays there.

    Examples
    --------
    >>> PageRankKernel.of(Graph.from_edges([(0, 1)]), alpha=0.5).column(0).round(6).tolist()
    [0.666667, 0.333333]
    """

    solver: Solver

    @classmethod
    def of(cls, graph: Graph, alpha: float, engine: str = "auto", tol: float = 1e-6) -> PageRankKernel:
        """Analyse a graph with positive weights for the chance 0 < α < 1 of walking on."""
        graph.require_positive("PageRank")
        if not 0 < alpha < 1:
            raise ParameterError(f"alpha={alpha} must lie strictly between 0 and 1.")
        return cls(analyse(graph, engine, shift=(1 - alpha) / alpha, normalized=True, tol=tol))

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.solver.operator.graph.num_nodes

    def column(self, node: int) -> Floats:
        """Where a walk from one node ends."""
        check_node(node, self.num_nodes)
        return self._rate * self.solver.column(node) * (self._scale / self._scale[node])

    def row(self, node: int) -> Floats:
        """How much of the walk from every node ends at one node."""
        check_node(node, self.num_nodes)
        return self._rate * self.solver.column(node) * (self._scale[node] / self._scale)

    @property
    def _rate(self) -> float:
        return self.solver.operator.shift

    @cached_property
    def _scale(self) -> Floats:
        degrees = self.solver.operator.graph.degrees
        return np.sqrt(np.where(degrees > 0, degrees, 1.0))


@graph_kernel("pagerank", "ALPHA", needs=FRACTION, has_unit=False, is_symmetric=False)
def pagerank(graph: Graph, number: float, engine: str, tol: float) -> PageRankKernel:
    """Where a walk ends that goes on with probability ALPHA at every step."""
    return PageRankKernel.of(graph, number, engine, tol)
