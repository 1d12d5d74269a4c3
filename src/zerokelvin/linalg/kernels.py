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
from zerokelvin.linalg.dense import laplacian_pseudoinverse

__all__ = ["DenseKernel", "KernelColumns", "kernel_columns"]

Floats = NDArray[np.float64]

MAX_DENSE_NODES = 25_000


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


def kernel_columns(
    graph: Graph, kernel: Any = "laplacian", engine: str = "auto", tol: float = 1e-6
) -> KernelColumns:
    """Columns of the chosen kernel of `graph`.

    Parameters
    ----------
    graph
        The graph; ``kernel="laplacian"`` is the pseudo-inverse G⁺ of its Laplacian.
    kernel
        ``"laplacian"``, a symmetric n × n array, or any object with ``num_nodes`` and ``column(i)``.
    engine
        How columns are computed: ``"auto"`` or ``"dense"``.
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
        if engine not in ("auto", "dense"):
            raise ParameterError(f"unknown engine '{engine}'; known: auto, dense.")
        if tol <= 0:
            raise ParameterError(f"tol={tol} must be positive.")
        if graph.num_nodes > MAX_DENSE_NODES:
            raise ParameterError(
                f"the dense engine holds an n × n matrix and {graph.num_nodes} nodes are more than "
                f"{MAX_DENSE_NODES}; take a subgraph."
            )
        return DenseKernel(laplacian_pseudoinverse(graph))
    columns: KernelColumns = kernel if isinstance(kernel, KernelColumns) else DenseKernel(kernel)
    if columns.num_nodes != graph.num_nodes:
        raise ParameterError(f"the kernel has {columns.num_nodes} nodes, the graph {graph.num_nodes}.")
    return columns
