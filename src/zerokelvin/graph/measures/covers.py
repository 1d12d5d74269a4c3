"""Covering numbers: with how few sets of small extent can a finite set of points be covered.

With a discrepancy d on a finite set X (a symmetric matrix, zero on its diagonal, infinite where points
are out of reach of each other):

- N(X, ρ), the covering number: the fewest sets of diameter at most ρ that cover X. It is the clique
  cover number of the graph "d ≤ ρ", so exact on small sets only; complete linkage gives a real cover,
  hence an upper bound, for every ρ at once.
- C(X, ρ), the component covering number: the fewest ρ-path-connected sets that cover X, that is the
  number of single-linkage components at ρ. Exact at any size.
- N° and C°, the separating covers: N and C at the largest ρ below δ, the least distance between points
  of different label (both fall as ρ grows), and infinite where δ = 0.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": eq. (8) for N, (25) for
C, Definition 7 for N° and C°. Gonzalez 1985 for farthest-first traversal. Brélaz 1979 for the exact
search.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, LabelError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.distances import shortest_paths
from zerokelvin.graph.measures.measured import Measured

__all__ = [
    "Covers",
    "component_covering_number",
    "component_separating_number",
    "covering_number",
    "linkage_covers",
    "separating_number",
    "separation",
    "traversal_covers",
]

_EXACT_POINTS = 24


@dataclass(frozen=True)
class Covers:
    """Real covers of one set: ``sizes[i]`` sets of diameter at most ``diameters[i]`` cover it.

    Diameters ascend and sizes fall; the first cover has diameter 0.
    """

    diameters: Floats
    sizes: Ints
    method: str

    def number(self, rho: float) -> int:
        """The size of the smallest of these covers whose sets have diameter at most `rho`."""
        return int(self.sizes[np.searchsorted(self.diameters, rho, side="right") - 1])


def covering_number(distances: ArrayLike, rho: float) -> Measured:
    """N(X, ρ): exact up to 24 points, beyond that the size of a complete-linkage cover.

    >>> line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> covering_number(line, 1.0)
    Measured(value=3.0, exact=True, method='exhaustive clique cover')
    """
    matrix = _checked(distances)
    if not rho >= 0:
        raise ParameterError(f"rho={rho!r} must be at least 0.")
    if len(matrix) <= _EXACT_POINTS:
        return Measured(float(_fewest_cliques(matrix <= rho)), True, "exhaustive clique cover")
    covers = linkage_covers(matrix)
    return Measured(float(covers.number(rho)), False, covers.method)


def component_covering_number(distances: ArrayLike, rho: float) -> int:
    """C(X, ρ): the number of ρ-path-connected components, exact.

    >>> component_covering_number([[0, 1, 5], [1, 0, 5], [5, 5, 0]], 2.0)
    2
    """
    near: Any = sp.csr_array(_checked(distances) <= rho)
    return int(sp.csgraph.connected_components(near, directed=False)[0])


def separation(distances: ArrayLike, labels: ArrayLike) -> float:
    """δ, the least distance between points of different label; infinite where there is one label only.

    >>> separation([[0, 1, 5], [1, 0, 4], [5, 4, 0]], [1, 1, -1])
    4.0
    """
    matrix = _checked(distances)
    given = np.asarray(labels)
    if given.shape != (len(matrix),):
        raise LabelError(f"labels have shape {given.shape} for {len(matrix)} points; give one per point.")
    differ = given[:, None] != given[None, :]
    return float(matrix[differ].min(initial=np.inf))


def separating_number(distances: ArrayLike, labels: ArrayLike) -> Measured:
    """N°: the fewest sets that cover X, each of a diameter below δ and hence of one label.

    Exact up to 24 points, beyond that the size of a complete-linkage cover.

    >>> line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> separating_number(line, [1, 1, 1, -1, -1, -1]).value
    6.0
    """
    matrix = _checked(distances)
    rho = _largest_below(matrix, separation(matrix, labels))
    return (
        Measured(math.inf, True, "equal points differ in label") if rho < 0 else covering_number(matrix, rho)
    )


def component_separating_number(distances: ArrayLike, labels: ArrayLike) -> Measured:
    """C°: the number of single-linkage components at the largest ρ below δ, exact.

    >>> line = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    >>> component_separating_number(line, [1, 1, 1, -1, -1, -1]).value
    6.0
    """
    matrix = _checked(distances)
    rho = _largest_below(matrix, separation(matrix, labels))
    if rho < 0:
        return Measured(math.inf, True, "equal points differ in label")
    return Measured(float(component_covering_number(matrix, rho)), True, "single linkage")


def linkage_covers(distances: ArrayLike) -> Covers:
    """The covers of complete linkage: merging two clusters costs the diameter of their union.

    O(n²) time and memory. Clusters out of reach of each other are never merged.

    >>> covers = linkage_covers([[0, 1, 5], [1, 0, 6], [5, 6, 0]])
    >>> covers.diameters.tolist(), covers.sizes.tolist()
    ([0.0, 1.0, 6.0], [3, 2, 1])
    """
    matrix = _checked(distances)
    count = len(matrix)
    if count == 1:
        return Covers(np.zeros(1), np.ones(1, dtype=np.int64), "complete linkage")
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    flat = squareform(matrix, checks=False)
    finite = np.isfinite(flat)
    far = 2 * float(flat[finite].max(initial=0.0)) + 1  # stands for infinity among finite numbers
    heights = linkage(np.where(finite, flat, far), method="complete")[:, 2]
    heights = heights[heights < far]
    diameters = np.maximum.accumulate(np.concatenate([[0.0], heights]))
    return Covers(diameters, count - np.arange(len(diameters)), "complete linkage")


def traversal_covers(graph: Graph, centres: int = 32) -> Covers:
    """Covers of the nodes in geodesic distance by farthest-first traversal, for graphs of any size.

    The first centre of every component is its lowest node; every further centre is the node furthest
    from all centres. Giving each node to its nearest centre makes sets of diameter at most twice the
    largest distance left. One shortest-path search per centre; the covers are those with the given
    number of centres or fewer, and the one of single nodes.

    >>> path = Graph.from_edges([(i, i + 1) for i in range(8)])
    >>> covers = traversal_covers(path, 3)
    >>> covers.diameters.tolist(), covers.sizes.tolist()
    ([0.0, 4.0, 8.0, 16.0], [9, 3, 2, 1])
    """
    graph.require_positive("a cover in geodesic distance")
    _, first = np.unique(graph.components, return_index=True)
    nearest = np.full(graph.num_nodes, np.inf)
    found: list[tuple[float, int]] = []
    for count in range(1, max(centres, len(first)) + 1):
        centre = int(first[count - 1]) if count <= len(first) else int(np.argmax(nearest))
        reach = shortest_paths(graph.indptr, graph.indices, graph.weights, centre)
        nearest = np.minimum(nearest, reach)
        if count >= len(first):
            found.append((2 * float(nearest.max()), count))
        if nearest.max() == 0:
            break
    found.append((0.0, graph.num_nodes))
    best = [pair for pair in sorted(found) if pair[1] == min(size for rho, size in found if rho <= pair[0])]
    best = [pair for i, pair in enumerate(best) if i == 0 or pair[1] < best[i - 1][1]]
    diameters, sizes = zip(*best, strict=True)
    return Covers(np.array(diameters), np.array(sizes, dtype=np.int64), "farthest-first traversal")


def _checked(distances: ArrayLike) -> Floats:
    """The distances as a square symmetric matrix with zero diagonal; anything else is refused."""
    matrix = np.asarray(distances, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
        raise GraphError(f"the distances have shape {matrix.shape}; give a square matrix.")
    if np.isnan(matrix).any() or (matrix < 0).any() or (matrix.diagonal() != 0).any():
        raise GraphError("distances must be at least 0, and 0 from every point to itself.")
    if not np.array_equal(matrix, matrix.T):
        raise GraphError("the matrix of distances is not symmetric; pass (D + D.T) / 2.")
    return matrix


def _largest_below(matrix: Floats, limit: float) -> float:
    """The largest distance below a limit; −1 where even 0 is not below it."""
    return float(matrix[matrix < limit].max(initial=-1.0))


def _fewest_cliques(near: NDArray[np.bool_]) -> int:
    """The fewest cliques that cover a graph, which is how few colours its complement needs.

    Branch and bound over points, always the one that fits into the fewest of the cliques begun.
    """
    count = len(near)
    masks = [sum(1 << j for j in range(count) if near[i, j]) for i in range(count)]
    best = count

    def search(cliques: list[int], left: int) -> None:
        """Put the points of the mask `left` into `cliques` or new ones, if that can beat the best."""
        nonlocal best
        if len(cliques) >= best:
            return
        if not left:
            best = len(cliques)
            return
        point, homes = -1, count + 1
        for i in range(count):
            if left >> i & 1:
                fits = sum(clique & ~masks[i] == 0 for clique in cliques)
                if fits < homes:
                    point, homes = i, fits
        rest = left & ~(1 << point)
        for at, clique in enumerate(cliques):
            if clique & ~masks[point] == 0:
                search([*cliques[:at], clique | 1 << point, *cliques[at + 1 :]], rest)
        search([*cliques, 1 << point], rest)

    search([], (1 << count) - 1)
    return best
