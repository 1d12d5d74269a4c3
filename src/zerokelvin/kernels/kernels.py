"""Kernels on the nodes of a graph, one column at a time.

A learner that predicts with a kernel K asks for columns ``K e_i`` only, never for the matrix, so
that the same learner runs on a dense inverse of a small graph and on a sparse solver of a large
one. `kernel_columns` is the seam: it turns the parameters ``kernel``, ``engine`` and ``tol`` into a
`KernelColumns`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.kernels.columns import KernelColumns
from zerokelvin.kernels.kernel_names import RELATIVE, has_unit, parse_kernel

__all__ = ["RELATIVE", "DenseKernel", "KernelColumns", "Remembered", "has_unit", "kernel_columns"]


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
        symmetric = np.array_equal(self.matrix, self.matrix.T)  # the usual case, and much cheaper to see
        if not symmetric and not np.allclose(self.matrix, self.matrix.T, rtol=1e-8, atol=1e-10):
            raise ParameterError("the kernel matrix is not symmetric; pass (K + K.T) / 2.")

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.matrix)

    def column(self, node: int) -> Floats:
        """The column ``K e_node``: the matrix is symmetric, so a contiguous row."""
        return self.matrix[node]


class Remembered:
    """Columns of a kernel, the last one kept.

    The problems of a multi-class game that are wrong on the same node, and a learner that needs a
    column twice, pay for it once.
    """

    def __init__(self, source: KernelColumns) -> None:
        self.source = source
        self._last: tuple[int, Floats] | None = None

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.source.num_nodes

    def column(self, node: int) -> Floats:
        """The column ``K e_node``, read-only."""
        last = self._last  # one read: a second thread may replace it meanwhile
        if last is None or last[0] != node:
            last = (node, self.source.column(node))
            last[1].setflags(write=False)
            self._last = last
        return last[1]

    def several(self, nodes: list[int]) -> list[Floats]:
        """Several columns, read-only: as one block where that is cheaper, and the last one kept not again."""
        last = self._last
        known = {} if last is None else {last[0]: last[1]}
        missing = [node for node in dict.fromkeys(nodes) if node not in known]
        together = getattr(self.source, "several", None)
        if together is not None and len(missing) > 1:
            known.update(zip(missing, together(missing), strict=True))
        else:
            known.update((node, self.source.column(node)) for node in missing)
        for node in missing:
            known[node].setflags(write=False)
        if nodes:
            self._last = (nodes[0], known[nodes[0]])
        return [known[node] for node in nodes]


def kernel_columns(
    graph: Graph, kernel: Any = "laplacian", engine: str = "auto", tol: float = 1e-6
) -> KernelColumns:
    """Columns of the chosen kernel of `graph`.

    Parameters
    ----------
    graph
        The graph, with Laplacian L and normalized Laplacian Lₙ.
    kernel
        A symmetric kernel of `zerokelvin.kernels.KERNELS`, such as ``"laplacian"`` for L⁺,
        ``"regularized:EPS"`` for (L + EPS·I)⁻¹, ``"normalized:EPS"`` for (Lₙ + EPS·I)⁻¹, ``"heat:T"`` for
        exp(−T·L), ``"walk:P"`` for the P-step random walk (2I − Lₙ)^P; or a symmetric n × n array, or any
        object with ``num_nodes`` and ``column(i)``.
        ``"relative-NAME:VALUE"`` is that kernel of the graph with its weights scaled to a mean degree of 4,
        so ``"relative-regularized:EPS"`` is (4L/d̄ + EPS·I)⁻¹ with the mean degree d̄: the same kernel in
        whatever unit the weights are.
    engine
        How solves are done, where the kernel needs any; see `zerokelvin.solve.solver.analyse`. ``"auto"``
        holds the matrix of a small graph and solves per column on a large one.
    tol
        Relative residual, or error, at which an iterative method stops.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> kernel_columns(line).column(1).round(3).tolist()
    [-0.111, 0.222, -0.111]
    >>> kernel_columns(line, "regularized:1").column(1).round(3).tolist()
    [0.25, 0.5, 0.25]
    >>> heavy = Graph.from_edges([(0, 1), (1, 2)], [3e6, 3e6])
    >>> kernel_columns(heavy, "relative-regularized:3").column(1).round(3).tolist()
    [0.083, 0.167, 0.083]
    """
    columns: KernelColumns
    if isinstance(kernel, str):
        named = parse_kernel(kernel)
        if not named.kernel.is_symmetric:
            raise ParameterError(f"kernel '{kernel}' is not symmetric; take another, such as normalized:EPS.")
        columns = Remembered(named.columns(graph, engine, tol))
    else:
        columns = kernel if isinstance(kernel, KernelColumns) else DenseKernel(kernel)
    if columns.num_nodes != graph.num_nodes:
        raise ParameterError(f"the kernel has {columns.num_nodes} nodes, the graph {graph.num_nodes}.")
    return columns
