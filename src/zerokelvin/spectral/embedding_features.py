"""Coordinates of the nodes in which the Laplacian kernel is an inner product.

With the eigenpairs L v_k = σ_k v_k, the columns v_k/√σ_k of the smallest positive σ_k and one constant
column √b give rows m_i with m_i·m_j = (L⁺)_ij + b up to the truncation: the best approximation of its
rank (Gu, Aggarwal, Liu, Han 2013, eq. 27–28; the constant column carries the balance of the classes).
The constant column comes first.
"""

from __future__ import annotations

import math

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.spectral.remembered import remembered_eigenpairs

__all__ = ["laplacian_coordinates"]


def laplacian_coordinates(
    graph: Graph, rank: int, b: float, engine: str = "auto", *, cache: bool = True
) -> Floats:
    """Rows m_i of at most `rank` columns: the constant √b (unless b = 0), then v_k/√σ_k.

    The eigenpairs of a large graph are kept in the user's cache and read from there the next time, unless
    `cache` is False; see `zerokelvin.spectral.remembered`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> M = laplacian_coordinates(line, 3, b=2.0)
    >>> (M @ M.T).round(3).tolist()
    [[2.556, 1.889, 1.556], [1.889, 2.222, 1.889], [1.556, 1.889, 2.556]]
    """
    wanted = rank - 1 if b > 0 else rank
    count = min(wanted, graph.num_nodes - graph.num_components)
    columns = [np.full((graph.num_nodes, 1), math.sqrt(b))] if b > 0 else []
    if count > 0:
        pairs = remembered_eigenpairs(graph, count, engine=engine, cache=cache)
        columns.append(pairs.vectors / np.sqrt(pairs.values))
    return np.ascontiguousarray(np.hstack([np.zeros((graph.num_nodes, 0)), *columns]))
