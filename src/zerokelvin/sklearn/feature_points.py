"""Feature matrices: the graph on the rows, and the nearest rows of a vector that has no node."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.sklearn.sparse_points import row_keys, shortest_link, sparse_nearest

__all__ = ["fitted_rows", "nearest_points", "neighbor_graph"]


_NUMBERS = 2**20  # coordinates compared at a time
_SPARE = 8  # candidates beyond those needed, since the search may round distances


def neighbor_graph(points: Any, n_neighbors: int) -> Graph:
    """The k-nearest-neighbour graph of the rows, made connected; with too few rows, the complete graph.

    Components are joined as Borůvka builds a minimum spanning tree: each is linked to the nearest point
    outside it, until one is left. On separate components the Laplacian says nothing about which label
    each of them has, so a learner could not tell clusters apart.

    >>> neighbor_graph(np.array([[0.0], [1.0], [5.0], [6.0]]), 1).edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    count = points.shape[0]
    if count == 1:
        return Graph([0, 0], [], [])
    neighbors = min(n_neighbors, count - 1)
    if sp.issparse(points):
        near = sparse_nearest(points, points, neighbors, own=True)[0]
        pairs = np.column_stack([np.repeat(np.arange(count), neighbors), near.ravel()])
        graph = Graph.from_edges(np.unique(np.sort(pairs, axis=1), axis=0), num_nodes=count)
    else:
        graph = knn_graph(points, neighbors)
    while graph.num_components > 1:
        links = {_shortest_link(points, graph.components == part) for part in range(graph.num_components)}
        edges = np.vstack([graph.edges, np.array(sorted(links))])
        graph = Graph.from_edges(edges, num_nodes=count)
    return graph


def _shortest_link(points: Any, inside: NDArray[np.bool_]) -> tuple[int, int]:
    """The shortest edge between the points inside and those outside, the lower index first."""
    if sp.issparse(points):
        return shortest_link(points, inside)
    ours, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    distance, nearest = NearestNeighbors(n_neighbors=1).fit(points[others]).kneighbors(points[ours])
    at = int(np.argmin(distance[:, 0]))
    u, v = int(ours[at]), int(others[nearest[at, 0]])
    return min(u, v), max(u, v)


def nearest_points(fitted: Any, points: Any, n_neighbors: int) -> tuple[Ints, Floats]:
    """The nearest fitted points of each point, and their weights by inverse distance, which sum to one.

    Equal distances are taken in ascending order of index. The distances that decide are computed from
    coordinate differences, so a fitted point is at distance 0 from itself, and then has all the weight.

    >>> near, weights = nearest_points(np.array([[0.0], [1.0], [9.0]]), np.array([[1.0], [0.75]]), 2)
    >>> near.tolist(), weights.tolist()
    ([[1, 0], [1, 0]], [[1.0, 0.0], [0.75, 0.25]])
    """
    count = min(n_neighbors, fitted.shape[0])
    if sp.issparse(fitted):
        near, distance = sparse_nearest(fitted, points, count)
    else:
        near, distance = _dense_nearest(fitted, points, count)
    least = distance[:, :1]  # least / distance is 1 / distance up to a factor, and cannot overflow
    weights = np.where(least > 0, least / np.where(distance > 0, distance, 1.0), distance == 0)
    return near, weights / weights.sum(axis=1, keepdims=True)


def _dense_nearest(fitted: Floats, points: Floats, count: int) -> tuple[Ints, Floats]:
    """The nearest fitted points of each point and their distances."""
    search = NearestNeighbors(n_neighbors=min(count + _SPARE, len(fitted))).fit(fitted)
    found = np.sort(search.kneighbors(points, return_distance=False), axis=1)
    distance = np.empty(found.shape)
    step = max(1, _NUMBERS // max(1, found.shape[1] * points.shape[1]))
    for start in range(0, len(points), step):
        some = slice(start, start + step)
        distance[some] = np.sqrt(((fitted[found[some]] - points[some, None]) ** 2).sum(axis=2))
    order = np.argsort(distance, axis=1, kind="stable")[:, :count]
    return np.take_along_axis(found, order, 1), np.take_along_axis(distance, order, 1)


def fitted_rows(fitted: Any, points: Any) -> tuple[Ints, NDArray[np.bool_]]:
    """The fitted point that each point equals, and whether there is exactly one: it has all the weight.

    >>> rows, own = fitted_rows(np.array([[0.0], [2.0], [2.0]]), np.array([[0.0], [1.0], [2.0]]))
    >>> rows[own].tolist(), own.tolist()
    ([0], [True, False, False])
    """
    place: dict[bytes, int] = {}
    for i, key in enumerate(row_keys(fitted)):
        place[key] = -1 if key in place else i
    rows = np.array([place.get(key, -1) for key in row_keys(points)], dtype=np.int64)
    return rows, rows >= 0
