"""Graphs from points: nearest neighbours and ε-balls.

Points are the rows of a matrix, distances Euclidean. Edges weigh 1, or fall with the distance d:

- ``"unit"``: w = 1;
- ``"heat"``: w = exp(−d² / 2σ²), with the bandwidth σ given or, by default, the median length of the edges;
- ``"inverse-distance"``: w = 1/d, so that geodesic distances in the graph are lengths of paths along points.

The complete graph with weights exp(−a·d) is built by `exponential_graph`.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph", section 5.
Belkin, Niyogi, Sindhwani 2006, "Manifold regularization" (heat weights).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.points.nearest_points import (
    TREE_DIMENSIONS,
    check_points,
    distances_between,
    nearest_neighbors,
)

__all__ = ["epsilon_graph", "knn_graph"]

_MOST_EDGES = 100_000_000


def knn_graph(
    X: ArrayLike,
    k: int = 10,
    *,
    weights: str = "unit",
    bandwidth: float | None = None,
    mode: str = "union",
    method: str = "auto",
    rng: np.random.Generator | None = None,
) -> Graph:
    """Join every point to its k nearest other points.

    Equal distances are taken in ascending order of index, so the graph is determined by the points;
    duplicates of a point are its neighbours at distance 0.

    Parameters
    ----------
    X
        One row per point; NaN and infinite coordinates are refused.
    k
        Number of neighbours, below the number of points.
    weights, bandwidth
        ``"unit"``, ``"heat"`` (σ = `bandwidth`) or ``"inverse-distance"`` (no duplicates allowed).
    mode
        ``"union"``: an edge where either end is among the other's neighbours; ``"mutual"``: where both are.
    method
        ``"exact"``, ``"approximate"`` (pynndescent, extra ``neighbors``), or ``"auto"``: approximate above
        50,000 points in more than 15 dimensions. About 99 in 100 approximate neighbours are true ones; the
        first search of a process compiles for up to a minute.
    rng
        For the approximate search; without it a fixed seed is used.

    Examples
    --------
    >>> knn_graph([[0.0], [1.0], [3.0], [7.0]], k=1).edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    >>> knn_graph([[0.0], [1.0], [3.0], [7.0]], k=1, mode="mutual").edges.tolist()
    [[0, 1]]
    """
    if mode not in ("union", "mutual"):
        raise ParameterError(f"unknown mode '{mode}'; choose union or mutual.")
    _check_weights(weights, bandwidth)
    points = check_points(X)
    neighbors = nearest_neighbors(points, k, method, rng)
    count = len(points)
    ends = np.repeat(np.arange(count), k)
    low, high = np.minimum(ends, neighbors.ravel()), np.maximum(ends, neighbors.ravel())
    keys, times = np.unique(low * count + high, return_counts=True)
    if mode == "mutual":
        keys = keys[times == 2]
    return _weighted(points, np.column_stack([keys // count, keys % count]), weights, bandwidth)


def epsilon_graph(X: ArrayLike, r: float, *, weights: str = "unit", bandwidth: float | None = None) -> Graph:
    """Join all points at distance r or less.

    Parameters
    ----------
    X
        One row per point; NaN and infinite coordinates are refused.
    r
        The radius, positive. More than 100 million edges are refused.
    weights, bandwidth
        As for `knn_graph`.

    Examples
    --------
    >>> epsilon_graph([[0.0], [1.0], [3.0]], r=2).edges.tolist()
    [[0, 1], [1, 2]]
    """
    if not 0 < r < np.inf:
        raise ParameterError(f"r={r!r} is not a positive number.")
    _check_weights(weights, bandwidth)
    points = check_points(X)
    pairs = _tree_pairs(points, r) if points.shape[1] <= TREE_DIMENSIONS else _all_pairs(points, r)
    near = distances_between(points, pairs[:, 0], pairs[:, 1]) <= r
    return _weighted(points, pairs[near], weights, bandwidth)


def _tree_pairs(points: Floats, r: float) -> Ints:
    """Pairs of points at most r apart, perhaps a few just beyond, by a k-d tree."""
    from scipy.spatial import KDTree

    tree = KDTree(points)
    reach = r * (1 + 1e-12)  # the caller compares exactly
    _refuse_many((int(tree.count_neighbors(tree, reach)) - len(points)) // 2, r)
    return tree.query_pairs(reach, output_type="ndarray").astype(np.int64)


def _all_pairs(points: Floats, r: float) -> Ints:
    """Pairs of points at most r apart, perhaps a few just beyond, by all distances, block by block."""
    from scipy.spatial.distance import cdist

    def blocks() -> Iterator[Ints]:
        """The pairs of one block of points after the other."""
        total, step = 0, max(1, 10_000_000 // len(points))
        for at in range(0, len(points), step):
            near = np.argwhere(cdist(points[at : at + step], points[at:]) <= r * (1 + 1e-12))
            near = near[near[:, 0] < near[:, 1]] + at
            total += len(near)
            _refuse_many(total, r)
            yield near

    return np.concatenate(list(blocks()))


def _refuse_many(edges: int, r: float) -> None:
    """Refuse a radius that joins more pairs than a graph can hold."""
    if edges > _MOST_EDGES:
        raise GraphError(f"r={r:g} joins at least {edges} pairs of points; choose a smaller r, or knn_graph.")


def _check_weights(weights: str, bandwidth: float | None) -> None:
    """Refuse a kind of weights that is unknown, and a bandwidth where it has no meaning."""
    if weights not in ("unit", "heat", "inverse-distance"):
        raise ParameterError(f"unknown weights '{weights}'; choose unit, heat or inverse-distance.")
    if bandwidth is not None and weights != "heat":
        raise ParameterError(f"bandwidth={bandwidth!r} goes with weights='heat'; leave it out.")
    if bandwidth is not None and not 0 < bandwidth < np.inf:
        raise ParameterError(f"bandwidth={bandwidth!r} is not a positive number.")


def _weighted(points: Floats, pairs: Ints, weights: str, bandwidth: float | None) -> Graph:
    """The graph with these pairs of points as edges, weighted by their distance."""
    values = None
    if weights != "unit" and len(pairs):
        distance = distances_between(points, pairs[:, 0], pairs[:, 1])
        values = (
            _inverse(distance, pairs) if weights == "inverse-distance" else _heat(distance, pairs, bandwidth)
        )
    return Graph.from_edges(pairs, values, num_nodes=len(points))


def _inverse(distance: Floats, pairs: Ints) -> Floats:
    """Weights 1/distance; equal points are refused."""
    same = np.flatnonzero(distance == 0)
    if len(same):
        u, v = pairs[same[0]]
        raise GraphError(
            f"points {u} and {v} are equal, so 1/distance is infinite; merge them or use weights='unit'."
        )
    return 1.0 / distance


def _heat(distance: Floats, pairs: Ints, bandwidth: float | None) -> Floats:
    """Weights exp(−d²/2σ²), σ the bandwidth or the median distance; weights of 0 are refused."""
    sigma = float(np.median(distance)) if bandwidth is None else float(bandwidth)
    if sigma == 0:
        raise GraphError("at least half of the edges have length 0, so there is no median; give a bandwidth.")
    values: Floats = np.exp(-((distance / sigma) ** 2) / 2)
    lost = np.flatnonzero(values == 0)
    if len(lost):
        u, v = pairs[lost[0]]
        raise GraphError(
            f"edge ({u}, {v}) of length {distance[lost[0]]:g} has weight 0 at bandwidth {sigma:g}; "
            "give a larger bandwidth."
        )
    return values
