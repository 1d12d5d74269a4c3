"""Kernels on the nodes of a graph, one column at a time.

A learner that predicts with a kernel K asks for columns ``K e_i`` only, never for the matrix, so
that the same learner runs on a dense inverse of a small graph and on a sparse solver of a large
one. `kernel_columns` is the seam: it turns the parameters ``kernel``, ``engine`` and ``tol`` into a
`KernelColumns`.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.linalg.solver import Solver, analyse

__all__ = ["DenseKernel", "KernelColumns", "SolverKernel", "kernel_columns"]

Floats = NDArray[np.float64]


@runtime_checkable
class KernelColumns(Protocol):
    """A symmetric positive semi-definite kernel that hands out columns."""

    num_nodes: int

    def column(self, node: int) -> Floats:
        """The column ``K e_node``, read-only."""
        ...


class DenseKernel:
    """A kernel held as a matrix: every column is a look-up, memory n²."""

    def __init__(self, matrix: Any) -> None:
        self.matrix: Floats = np.ascontiguousarray(matrix, dtype=np.float64)
        shape = self.matrix.shape
        if self.matrix.ndim != 2 or shape[0] != shape[1]:
            raise ParameterError(f"the kernel matrix has shape {shape}; it must be square.")
        if not np.isfinite(self.matrix).all():
            raise ParameterError(
                "the kernel matrix holds NaN or infinite values; every entry must be finite."
            )
        if not np.allclose(self.matrix, self.matrix.T, rtol=1e-8, atol=1e-10):
            raise ParameterError("the kernel matrix is not symmetric; pass (K + K.T) / 2.")
        self.num_nodes = len(self.matrix)

    def column(self, node: int) -> Floats:
        """The column ``K e_node``: the matrix is symmetric, so a contiguous row."""
        return self.matrix[node]


class SolverKernel:
    """The pseudo-inverse of the Laplacian, one solve per column, memory O(n).

    The last column is kept: the problems of a multi-class game that are wrong on the same node, and a
    learner that needs a column twice, pay for it once.
    """

    def __init__(self, solver: Solver) -> None:
        self.solver = solver
        self.num_nodes = solver.operator.graph.num_nodes
        self._last: tuple[int, Floats] | None = None

    def column(self, node: int) -> Floats:
        """The column ``L⁺ e_node``."""
        last = self._last  # one read: a second thread may replace it meanwhile
        if last is None or last[0] != node:
            last = (node, self.solver.column(node))
            last[1].setflags(write=False)
            self._last = last
        return last[1]


def kernel_columns(
    graph: Graph, kernel: Any = "laplacian", engine: str = "auto", tol: float = 1e-6
) -> KernelColumns:
    """Columns of the chosen kernel of `graph`.

    Parameters
    ----------
    graph
        The graph; ``kernel="laplacian"`` is the pseudo-inverse L⁺ of its Laplacian.
    kernel
        ``"laplacian"``, a symmetric n × n array, or any object with ``num_nodes`` and ``column(i)``.
    engine
        How columns are computed; see `zerokelvin.linalg.solver.analyse`. ``"auto"`` holds the matrix
        of a small graph and solves per column on a large one.
    tol
        Relative residual at which an iterative engine stops.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> kernel_columns(line).column(1).round(3).tolist()
    [-0.111, 0.222, -0.111]
    """
    if isinstance(kernel, str):
        if kernel != "laplacian":
            raise ParameterError(f"unknown kernel '{kernel}'; known: laplacian, or pass a matrix.")
        return SolverKernel(analyse(graph, engine, tol=tol))
    columns: KernelColumns = kernel if isinstance(kernel, KernelColumns) else DenseKernel(kernel)
    if columns.num_nodes != graph.num_nodes:
        raise ParameterError(f"the kernel has {columns.num_nodes} nodes, the graph {graph.num_nodes}.")
    return columns
