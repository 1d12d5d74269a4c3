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
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.kernels.columns import HeatKernel, RandomWalkKernel, SolverKernel
from zerokelvin.solve.solver import ENGINES

__all__ = [
    "RELATIVE",
    "DenseKernel",
    "KernelColumns",
    "Remembered",
    "check_engine",
    "has_unit",
    "kernel_columns",
]

Floats = NDArray[np.float64]

NAMES = {
    "laplacian": "laplacian",
    "regularized": "regularized:EPS",
    "normalized": "normalized:EPS",
    "heat": "heat:T",
    "walk": "walk:P",
}

RELATIVE = "relative-"
"""Before the name of a kernel: that kernel of the graph with its weights scaled to a mean degree of 4."""

IN_UNITS = ("laplacian", "regularized", "heat")
"""Kernels that are others when all weights are multiplied by a constant."""


@runtime_checkable
class KernelColumns(Protocol):
    """A symmetric positive semi-definite kernel that hands out columns."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        ...

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
        ``"laplacian"`` for L⁺, ``"regularized:EPS"`` for (L + EPS·I)⁻¹, ``"normalized:EPS"`` for
        (Lₙ + EPS·I)⁻¹, ``"heat:T"`` for exp(−T·L), ``"walk:P"`` for the P-step random walk
        (2I − Lₙ)^P; or a symmetric n × n array, or any object with ``num_nodes`` and ``column(i)``.
        ``"relative-NAME:VALUE"`` is that kernel of the graph with its weights scaled to a mean degree of 4,
        so ``"relative-regularized:EPS"`` is (4L/d̄ + EPS·I)⁻¹ with the mean degree d̄: the same kernel in
        whatever unit the weights are.
    engine
        How the first three are computed; see `zerokelvin.solve.solver.analyse`. ``"auto"`` holds the
        matrix of a small graph and solves per column on a large one.
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
        domain = at_mean_degree(graph) if kernel.startswith(RELATIVE) else graph
        columns = Remembered(_named(domain, kernel.removeprefix(RELATIVE), engine, tol))
    else:
        columns = kernel if isinstance(kernel, KernelColumns) else DenseKernel(kernel)
    if columns.num_nodes != graph.num_nodes:
        raise ParameterError(f"the kernel has {columns.num_nodes} nodes, the graph {graph.num_nodes}.")
    return columns


def has_unit(kernel: Any) -> bool:
    """Whether a kernel changes with the unit of the weights.

    >>> [has_unit(kernel) for kernel in ("heat:1", "relative-heat:1", "normalized:0.1")]
    [True, False, False]
    """
    return isinstance(kernel, str) and kernel.partition(":")[0] in IN_UNITS


def check_engine(engine: object) -> None:
    """Refuse the name of an engine that does not exist, also where none is needed."""
    if isinstance(engine, str) and engine != "auto" and engine not in ENGINES:
        raise ParameterError(f"unknown engine '{engine}'; known: auto, {', '.join(ENGINES)}.")


def _named(graph: Graph, kernel: str, engine: str, tol: float) -> KernelColumns:
    name, _, text = kernel.partition(":")
    if name not in NAMES or (name == "laplacian") != (text == ""):
        raise ParameterError(
            f"unknown kernel '{kernel}'; known: {', '.join(NAMES.values())}, each also as "
            f"{RELATIVE}NAME, or pass a matrix."
        )
    try:
        value = float(text or 0)
    except ValueError:
        raise ParameterError(f"kernel '{kernel}' needs a number after the colon.") from None
    check_engine(engine)
    if name == "heat":
        return HeatKernel(graph, value, tol=tol)
    if name == "walk":
        if not value.is_integer():
            raise ParameterError(f"kernel '{kernel}' needs a whole number of steps after the colon.")
        return RandomWalkKernel(graph, int(value))
    if name != "laplacian" and not value > 0:
        raise ParameterError(f"kernel '{kernel}' needs a positive number after the colon.")
    return SolverKernel.of(graph, shift=value, normalized=name == "normalized", engine=engine, tol=tol)
