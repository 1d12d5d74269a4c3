"""Inverses of Laplacians: L⁺, (L + εI)⁻¹ and (Lₙ + εI)⁻¹; a column is one solve.

(Smola and Kondor 2003 for these and the other kernels of this package.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats
from zerokelvin.graph.graph import Graph
from zerokelvin.kernels.columns import check_node
from zerokelvin.kernels.kernel_names import graph_kernel
from zerokelvin.solve.solver import Solver, analyse

__all__ = ["SolverKernel", "laplacian", "normalized", "regularized"]


@dataclass(frozen=True)
class SolverKernel:
    """The kernel that a solver inverts to: L⁺, (L + εI)⁻¹ or a normalized form.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> SolverKernel.of(line, shift=1.0).column(1).round(3).tolist()
    [0.25, 0.5, 0.25]
    """

    solver: Solver

    @classmethod
    def of(
        cls,
        graph: Graph,
        shift: float = 0.0,
        normalized: bool = False,
        engine: str = "auto",
        tol: float = 1e-6,
    ) -> SolverKernel:
        """Analyse a graph for the kernel (L + shift·I)⁻¹, the pseudo-inverse where shift is 0."""
        return cls(analyse(graph, engine, shift=shift, normalized=normalized, tol=tol))

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.solver.operator.graph.num_nodes

    def column(self, node: int) -> Floats:
        """The column ``K e_node``, (n,), by one solve."""
        check_node(node, self.num_nodes)
        return self.solver.column(node)

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns as an (n, k) array."""
        return self.solver.columns(nodes)

    def apply(self, value: Floats) -> Floats:
        """The kernel times a vector (n,) or a block (n, k)."""
        return self.solver.solve(value).value

    def several(self, nodes: list[int]) -> list[Floats]:
        """Several columns, each an array of its own: looked up, or solved for as one block."""
        if self.solver.engine == "dense":
            return [self.column(node) for node in nodes]
        return list(np.ascontiguousarray(self.columns(nodes).T))


@graph_kernel("laplacian")
def laplacian(graph: Graph, number: float, engine: str, tol: float) -> SolverKernel:
    """The kernel L⁺, the pseudo-inverse of the Laplacian; it has no number."""
    return SolverKernel.of(graph, number, engine=engine, tol=tol)


@graph_kernel("regularized", "EPS")
def regularized(graph: Graph, number: float, engine: str, tol: float) -> SolverKernel:
    """The kernel (L + EPS·I)⁻¹, EPS being `number`."""
    return SolverKernel.of(graph, number, engine=engine, tol=tol)


@graph_kernel("normalized", "EPS", has_unit=False)
def normalized(graph: Graph, number: float, engine: str, tol: float) -> SolverKernel:
    """(Lₙ + EPS·I)⁻¹ with the normalized Laplacian Lₙ."""
    return SolverKernel.of(graph, number, normalized=True, engine=engine, tol=tol)
