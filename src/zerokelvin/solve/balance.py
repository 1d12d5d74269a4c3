"""Where a Laplacian is singular: one null vector per balanced component.

The Laplacian D − A of a connected graph with positive weights is singular with null vector 1. With
signed weights (D the absolute degrees) it is singular exactly when the component is *balanced*: its
nodes split into two camps with positive edges inside and negative ones across, and the null vector is
+1 on one camp and −1 on the other (Harary 1953). Switching the signs of one camp then turns the
component into an ordinary one, so everything written for positive weights serves it too. A component
that is not balanced is positive definite.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.graph import Graph

__all__ = ["Balance", "balance"]


@dataclass(frozen=True)
class Balance:
    """The camps of every component.

    Attributes
    ----------
    signs
        ±1 per node: the null vector of each balanced component, +1 on its lowest node; 1 elsewhere.
    balanced
        One truth value per component of ``graph.components``.
    """

    signs: NDArray[np.float64]
    balanced: NDArray[np.bool_]


def balance(graph: Graph) -> Balance:
    """Find the camps of every component; all nodes are in one camp where no weight is negative.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (0, 2)], weights=[1, -1, -1])
    >>> found = balance(triangle)
    >>> found.signs, bool(found.balanced[0])
    (array([ 1.,  1., -1.]), True)
    """
    signs = np.ones(graph.num_nodes)
    balanced = np.ones(graph.num_components, dtype=bool)
    if not graph.is_signed:
        return Balance(signs, balanced)
    count = graph.num_nodes
    same, other = graph.adjacency.maximum(0), graph.adjacency.minimum(0)
    cover = sp.block_array([[same, other], [other, same]], format="csr")
    _, sheet = sp.csgraph.connected_components(cover, directed=False)
    _, lowest = np.unique(graph.components, return_index=True)
    balanced = sheet[lowest] != sheet[lowest + count]
    with_lowest = sheet[:count] == sheet[lowest][graph.components]
    signs[balanced[graph.components] & ~with_lowest] = -1.0
    return Balance(signs, balanced)
