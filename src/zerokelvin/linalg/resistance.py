"""Effective resistances: the distance of the resistive network.

Read every edge as a resistor of conductance A_ij. The effective resistance of two nodes is

    r(p, q) = (e_p − e_q)ᵀ G⁺ (e_p − e_q) = ‖v_p − v_q‖²_G

(Herbster and Pontil 2006, eq. 7), infinite across components. It is a metric, never larger than the
geodesic distance with edge lengths 1/A_ij, and equal to it on trees (Lemma 3.2, Theorem 3.2). The
resistance diameter R_G is its maximum, and max_p ‖v_p‖² ≤ R_G ≤ D_G (9).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import NodeError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.structure import Measured, diameter
from zerokelvin.linalg.dense import DENSE_LIMIT, laplacian_pseudoinverse

__all__ = ["effective_resistance", "resistance_diameter"]

Floats = NDArray[np.float64]


def effective_resistance(graph: Graph, p: int, q: int) -> float:
    """Effective resistance between the nodes with indices `p` and `q`; inf across components.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> round(effective_resistance(square, 0, 2), 12), round(effective_resistance(square, 0, 1), 12)
    (1.0, 0.75)
    """
    graph.require_positive("effective resistance")
    for node in (p, q):
        if not 0 <= node < graph.num_nodes:
            raise NodeError(f"node index {node} is outside the graph's {graph.num_nodes} nodes.")
    if p == q:
        return 0.0
    if graph.components[p] != graph.components[q]:
        return float("inf")
    inverse = laplacian_pseudoinverse(graph)
    return float(inverse[p, p] + inverse[q, q] - 2 * inverse[p, q])


def resistance_diameter(graph: Graph, dense_limit: int = DENSE_LIMIT) -> Measured:
    """The largest effective resistance R_G between two nodes of one component.

    Exact on forests of any size and where every other component has at most `dense_limit` nodes.
    Beyond, the proven upper bound R_G ≤ D_G of (9), the geodesic diameter (itself bounded above where
    it is too costly).

    Examples
    --------
    >>> resistance_diameter(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])).value
    1.0
    """
    graph.require_positive("the resistance diameter")
    sizes = np.bincount(graph.components)
    if graph.num_edges == graph.num_nodes - graph.num_components:
        geodesic = diameter(graph)
        return Measured(geodesic.value, geodesic.exact, "geodesic diameter, as on a tree")
    if sizes.max() > dense_limit:
        geodesic = diameter(graph)
        return Measured(geodesic.value, False, "geodesic diameter, R ≤ D")
    largest = 0.0
    order = np.argsort(graph.components, kind="stable")
    for stop, size in zip(np.cumsum(sizes), sizes, strict=True):
        if size > 1:
            largest = max(largest, float(all_resistances(graph.subgraph(order[stop - size : stop])).max()))
    return Measured(largest, True, "dense pseudo-inverse")


def all_resistances(graph: Graph) -> Floats:
    """The dense matrix of all effective resistances of a connected graph."""
    inverse = laplacian_pseudoinverse(graph)
    diagonal = inverse.diagonal()
    return np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * inverse, 0.0)
