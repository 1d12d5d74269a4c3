"""Kernels that reach far, as dense matrices, for the exact experts of `auto` on small graphs.

``regularized:EPS`` is (L + εI)⁻¹, ``squared:EPS`` its square, ``heat:T`` exp(−TL), ``walk-squared:EPS``
A⁻¹ D A⁻¹ and ``walk-fourth:EPS`` (A⁻¹ D)³ A⁻¹ with A = L + εD; ``normalized-heat:T`` and
``normalized-squared:EPS`` have Lₙ in the place of L.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.kernels.heat import HeatKernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.kernels import DenseKernel
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solver import inverse_matrix

__all__ = ["smooth_kernels"]

Floats = NDArray[np.float64]


def smooth_kernels(graph: Graph, names: Sequence[str]) -> dict[str, DenseKernel]:
    """The matrices of kernels by name; the squares that several of them need are computed once.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> smooth_kernels(line, ["walk-squared:1"])["walk-squared:1"].matrix.round(3)[1].tolist()
    [0.222, 0.278, 0.222]
    """
    squares: dict[tuple[float, bool], Floats] = {}  # (L + εI)⁻² or (Lₙ + εI)⁻² by ε and which
    kernels = {}
    for kernel in names:
        named = parse_kernel(kernel)
        name, value = named.name, named.number
        normalized = name.startswith(("normalized", "walk"))
        if name.endswith("heat"):
            kernels[kernel] = DenseKernel(_heat_kernel(graph, value, normalized))
            continue
        if name == "regularized":
            kernels[kernel] = DenseKernel(inverse_matrix(graph, value))
            continue
        if (value, normalized) not in squares:
            squares[value, normalized] = _square(inverse_matrix(graph, value, normalized))
        matrix = squares[value, normalized]
        if name.endswith("fourth"):
            matrix = _square(matrix)
        if name.startswith("walk"):  # A⁻¹ D A⁻¹ = D^(−1/2) (Lₙ + εI)⁻² D^(−1/2), and so on
            scale = Operator(graph, value, normalized).scale
            matrix = matrix / (scale[:, None] * scale)
        kernels[kernel] = DenseKernel(matrix)
    return kernels


def _heat_kernel(graph: Graph, time: float, normalized: bool) -> Floats:
    heat, count = HeatKernel(graph, time, normalized), graph.num_nodes
    matrix = np.hstack([heat.columns(np.arange(at, min(at + 64, count))) for at in range(0, count, 64)])
    symmetric: Floats = 0.5 * (matrix + matrix.T)
    return symmetric


def _square(matrix: Floats) -> Floats:
    """The square of a symmetric matrix, at the price of one triangle of it."""
    upper = scipy.linalg.blas.dsyrk(1.0, matrix)  # and zeros below
    square: Floats = upper + upper.T
    np.fill_diagonal(square, upper.diagonal())
    return square
