"""The random-walk kernel (a·I − Lₙ)^p, a ≥ 2; a column takes p products with the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.kernels.columns import AppliedKernel
from zerokelvin.kernels.kernel_names import WHOLE, graph_kernel
from zerokelvin.solve.engines import check_engine
from zerokelvin.solve.operator import Operator

__all__ = ["RandomWalkKernel", "walk"]

MOST_DOUBLINGS = 500.0
"""Most steps of a walk times log₂ a: entries grow as a^steps, and squares of floats end at 2^1024."""


@dataclass(frozen=True)
class RandomWalkKernel(AppliedKernel):
    """The p-step random-walk kernel (a·I − Lₙ)^p; positive semi-definite for a ≥ 2.

    Examples
    --------
    >>> RandomWalkKernel(Graph.from_edges([(0, 1)]), steps=1).column(0).tolist()
    [1.0, 1.0]
    """

    graph: Graph
    steps: int
    a: float = 2.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ParameterError(f"steps={self.steps} must be at least 1.")
        if not (np.isfinite(self.a) and self.a >= 2):
            raise ParameterError(f"a={self.a} must be at least 2 for a positive semi-definite kernel.")
        if not self.steps * np.log2(self.a) <= MOST_DOUBLINGS:
            most = int(MOST_DOUBLINGS / np.log2(self.a))
            raise ParameterError(f"steps={self.steps} outgrow floats; take at most {most} with a={self.a:g}.")

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.graph.num_nodes

    @cached_property
    def _operator(self) -> Operator:
        return Operator(self.graph, normalized=True)

    def apply(self, value: Floats) -> Floats:
        """The kernel times a vector (n,) or a block (n, k)."""
        for _ in range(self.steps):
            value = self.a * value - self._operator.apply(value)
        return value


@graph_kernel("walk", "P", needs=WHOLE, has_unit=False)
def walk(graph: Graph, number: float, engine: str, tol: float) -> RandomWalkKernel:  # noqa: ARG001 - exact
    """The P-step random walk (2I − Lₙ)^P."""
    check_engine(engine)
    return RandomWalkKernel(graph, int(number))
