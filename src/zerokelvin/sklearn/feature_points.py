"""Feature matrices: the graph on the rows, and the nearest rows of a vector that has no node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph, knn_graph

__all__ = ["fitted_rows", "nearest_points", "neighbor_graph"]


_NUMBERS = 2**20  # coordinates compared at a time
_SPARE = 8  # candidates beyond those needed, since the search may round distances


def neighbor_graph(points: Floats, n_neighbors: int) -> Graph:
    """The k-nearest-neighbour graph of the rows, made connected; with too few rows, the complete graph.

    Components are joined as Borůvka builds a minimum spanning tree: each is linked to the nearest point
    outside it, until one is left. On separate components the Laplacian says nothing about which label
    each of them has, so a learner could not tell clusters apart.

    >>> neighbor_graph(np.array([[0.0], [1.0], [5.0], [6.0]]), 1).edges.tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    if len(points) == 1:
        return Graph([0, 0], [], [])
    graph = knn_graph(points, min(n_neighbors, len(points) - 1))
    while graph.num_components > 1:
        links = {_shortest_link(points, graph.components == part) for part in range(graph.num_components)}
        edges = np.vstack([graph.edges, np.array(sorted(links))])
        graph = Graph.from_edges(edges, num_nodes=len(points))
    return graph


def _shortest_link(points: Floats, inside: NDArray[np.bool_]) -> tuple[int, int]:
    """The shortest edge between the points inside and those outside, the lower index first."""
    ours, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    distance, nearest = NearestNeighbors(n_neighbors=1).fit(points[others]).kneighbors(points[ours])
    at = int(np.argmin(distance[:, 0]))
    u, v = int(ours[at]), int(others[nearest[at, 0]])
    return min(u, v), max(u, v)


def nearest_points(fitted: Floats, points: Floats, n_neighbors: int) -> tuple[Ints, Floats]:
    """The nearest fitted points of each point, and their weights by inverse distance, which sum to one.

    Equal distances are taken in ascending order of index. The distances that decide are computed from
    coordinate differences, so a fitted point is at distance 0 from itself, and then has all the weight.

    >>> near, weights = nearest_points(np.array([[0.0], [1.0], [9.0]]), np.array([[1.0], [0.75]]), 2)
    >>> near.tolist(), weights.tolist()
    ([[1, 0], [1, 0]], [[1.0, 0.0], [0.75, 0.25]])
    """
    count = min(n_neighbors, len(fitted))
    search = NearestNeighbors(n_neighbors=min(count + _SPARE, len(fitted))).fit(fitted)
    found = np.sort(search.kneighbors(points, return_distance=False), axis=1)
    distance = np.empty(found.shape)
    step = max(1, _NUMBERS // max(1, found.shape[1] * points.shape[1]))
    for start in range(0, len(points), step):
        some = slice(start, start + step)
        distance[some] = np.sqrt(((fitted[found[some]] - points[some, None]) ** 2).sum(axis=2))
    order = np.argsort(distance, axis=1, kind="stable")[:, :count]
    near, distance = np.take_along_axis(found, order, 1), np.take_along_axis(distance, order, 1)
    least = distance[:, :1]  # least / distance is 1 / distance up to a factor, and cannot overflow
    weights = np.where(least > 0, least / np.where(distance > 0, distance, 1.0), distance == 0)
    return near, weights / weights.sum(axis=1, keepdims=True)


def fitted_rows(fitted: Floats, points: Floats) -> tuple[Ints, NDArray[np.bool_]]:
    """The fitted point that each point equals, and whether there is exactly one: it has all the weight.

    >>> rows, own = fitted_rows(np.array([[0.0], [2.0], [2.0]]), np.array([[0.0], [1.0], [2.0]]))
    >>> rows[own].tolist(), own.tolist()
    ([0], [True, False, False])
    """
    place: dict[bytes, int] = {}
    for i, row in enumerate(_comparable(fitted)):
        key = row.tobytes()
        place[key] = -1 if key in place else i
    rows = np.array([place.get(row.tobytes(), -1) for row in _comparable(points)], dtype=np.int64)
    return rows, rows >= 0


def _comparable(points: Floats) -> Floats:
    """The rows with one zero instead of two, so that equal ones have equal bytes."""
    return np.ascontiguousarray(points) + 0.0
