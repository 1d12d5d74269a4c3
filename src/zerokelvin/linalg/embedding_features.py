"""Coordinates of the nodes in which the Laplacian kernel is an inner product.

With the eigenpairs L v_k = σ_k v_k, the columns v_k/√σ_k of the smallest positive σ_k and one constant
column √b give rows m_i with m_i·m_j = (L⁺)_ij + b up to the truncation: the best approximation of its
rank (Gu, Aggarwal, Liu, Han 2013, eq. 27–28; the constant column carries the balance of the classes).
The constant column comes first: it is the largest, which is good for the factorisations downstream.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.graph import Graph

__all__ = ["laplacian_coordinates"]

Floats = NDArray[np.float64]

DENSE_NODES = 600


def laplacian_coordinates(graph: Graph, rank: int, b: float) -> Floats:
    """Rows m_i of at most `rank` columns: the constant √b (unless b = 0), then v_k/√σ_k.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> M = laplacian_coordinates(line, 3, b=2.0)
    >>> (M @ M.T).round(3).tolist()
    [[2.556, 1.889, 1.556], [1.889, 2.222, 1.889], [1.556, 1.889, 2.556]]
    """
    columns = rank - 1 if b > 0 else rank
    values, vectors = _smallest(graph, min(columns, graph.num_nodes - graph.num_components))
    spectral = vectors / np.sqrt(values)
    constant = np.full((graph.num_nodes, 1 if b > 0 else 0), math.sqrt(b))
    return np.ascontiguousarray(np.hstack([constant, spectral]))


def _smallest(graph: Graph, count: int) -> tuple[Floats, Floats]:
    """The `count` smallest positive eigenvalues of the Laplacian and their vectors, signs fixed."""
    n, null = graph.num_nodes, graph.num_components
    if count == 0:
        return np.zeros(0), np.zeros((n, 0))
    laplacian = graph.laplacian()
    if n <= DENSE_NODES or count + null > n // 3:
        values, vectors = scipy.linalg.eigh(laplacian.toarray(), subset_by_index=[null, null + count - 1])
    else:
        shift = -1e-3 * float(graph.degrees.mean())
        first = np.cos(np.arange(n, dtype=np.float64))
        values, vectors = sp.linalg.eigsh(
            laplacian.tocsc(), k=count + null, sigma=shift, which="LM", v0=first, tol=1e-10
        )
        order = np.argsort(values)[null:]
        values, vectors = values[order], vectors[:, order]
    largest = np.argmax(np.abs(vectors), axis=0)
    signs = np.where(vectors[largest, np.arange(count)] < 0, -1.0, 1.0)
    return values, vectors * signs
