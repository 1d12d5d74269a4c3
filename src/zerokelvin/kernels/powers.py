"""Powers of inverses, which reach further than the inverse itself: two or four solves for a column.

With A = L + εD, D the degrees and S = D^(1/2),

    A⁻¹ D A⁻¹ = S⁻¹ (Lₙ + εI)⁻² S⁻¹      and      (A⁻¹ D)³ A⁻¹ = S⁻¹ (Lₙ + εI)⁻⁴ S⁻¹:

A⁻¹ D counts the visits of a random walk that stops with probability ε / (1 + ε) at every step, and its square
weighs a path of k steps by k + 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.kernels.columns import AppliedKernel
from zerokelvin.kernels.kernel_names import graph_kernel
from zerokelvin.solve.solver import Solver, analyse

__all__ = ["PowerKernel", "normalized_squared", "squared", "walk_fourth", "walk_squared"]


@dataclass(frozen=True)
class PowerKernel(AppliedKernel):
    """(L + εI)^(−p) or (Lₙ + εI)^(−p), with S⁻¹ on either side where `unscaled`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> PowerKernel.of(line, 1.0, power=2, normalized=True, unscaled=True).column(1).round(3).tolist()
    [0.222, 0.278, 0.222]
    """

    solver: Solver
    power: int
    unscaled: bool = False

    @classmethod
    def of(
        cls,
        graph: Graph,
        shift: float,
        power: int,
        *,
        normalized: bool = False,
        unscaled: bool = False,
        engine: str = "auto",
        tol: float = 1e-6,
    ) -> PowerKernel:
        """Analyse a graph for the kernel with ε = `shift`, p = `power`."""
        if power < 1:
            raise ParameterError(f"power={power} must be at least 1.")
        return cls(analyse(graph, engine, shift=shift, normalized=normalized, tol=tol), power, unscaled)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.solver.operator.graph.num_nodes

    def apply(self, value: Floats) -> Floats:
        """The kernel times a vector (n,) or a block (n, k)."""
        scale = self.solver.operator.scale
        value = np.ascontiguousarray((value.T / scale).T) if self.unscaled else value
        for _ in range(self.power):
            value = self.solver.solve(value).value
        return (value.T / scale).T if self.unscaled else value


@graph_kernel("squared", "EPS")
def squared(graph: Graph, number: float, engine: str, tol: float) -> PowerKernel:
    """The kernel (L + EPS·I)⁻², EPS being `number`."""
    return PowerKernel.of(graph, number, 2, engine=engine, tol=tol)


@graph_kernel("normalized-squared", "EPS", has_unit=False)
def normalized_squared(graph: Graph, number: float, engine: str, tol: float) -> PowerKernel:
    """The kernel (Lₙ + EPS·I)⁻², EPS being `number`."""
    return PowerKernel.of(graph, number, 2, normalized=True, engine=engine, tol=tol)


@graph_kernel("walk-squared", "EPS")
def walk_squared(graph: Graph, number: float, engine: str, tol: float) -> PowerKernel:
    """A⁻¹ D A⁻¹ with A = L + EPS·D."""
    return PowerKernel.of(graph, number, 2, normalized=True, unscaled=True, engine=engine, tol=tol)


@graph_kernel("walk-fourth", "EPS")
def walk_fourth(graph: Graph, number: float, engine: str, tol: float) -> PowerKernel:
    """(A⁻¹ D)³ A⁻¹ with A = L + EPS·D."""
    return PowerKernel.of(graph, number, 4, normalized=True, unscaled=True, engine=engine, tol=tol)
