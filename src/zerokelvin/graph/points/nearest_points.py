"""Points as rows of a matrix: checks, distances, exact and approximate nearest neighbours.

The k nearest neighbours of a point are the k other points of smallest Euclidean distance, equal
distances in ascending order of index; so the exact search has one answer, whatever method finds it. It
uses a k-d tree up to 15 dimensions and scikit-learn's brute force beyond, which serve as candidates:
every distance that decides is computed from coordinate differences, and a point whose candidates do not
settle its neighbours beyond doubt (ties, rounding) is searched again in full.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, MissingDependencyError, ParameterError

if TYPE_CHECKING:
    from scipy.spatial import KDTree

__all__ = ["check_points", "distances_between", "nearest_neighbors"]

TREE_DIMENSIONS = 15
EXACT_POINTS = 50_000
_SLACK = 1e-12  # relative: below this a tree's distance and ours may order two points differently
_BLOCK = 20_000_000  # numbers held at once by searches that need a row per point


def check_points(X: ArrayLike) -> Floats:
    """Points as a matrix of finite numbers, one row each."""
    if sp.issparse(X):
        raise GraphError("the points are a sparse matrix; pass X.toarray().")
    try:
        points = np.array(X, dtype=np.float64, order="C") + 0.0
    except (TypeError, ValueError) as problem:
        raise GraphError(f"the points are not a matrix of numbers: {problem}.") from None
    if points.ndim == 1:
        raise GraphError(
            f"the points have shape {points.shape}; for numbers on a line pass X.reshape(-1, 1)."
        )
    if points.ndim != 2 or points.shape[0] == 0 or points.shape[1] == 0:
        raise GraphError(f"the points have shape {points.shape}; give a matrix with one row per point.")
    bad = np.flatnonzero(~np.isfinite(points).all(axis=1))
    if len(bad):
        value = points[bad[0]][~np.isfinite(points[bad[0]])][0]
        raise GraphError(f"point {bad[0]} has coordinate {value}; drop such points or fill them in.")
    scale = float(np.abs(points).max())
    if scale > 1e150 or 0 < scale < 1e-150:
        raise GraphError(f"coordinates reach {scale:g}, whose square is no float; rescale the points.")
    return points


def distances_between(points: Floats, left: Ints, right: Ints) -> Floats:
    """Euclidean distance of every pair, from coordinate differences."""
    result = np.full(len(left), np.nan)
    step = max(1, _BLOCK // points.shape[1])
    for at in range(0, len(left), step):
        part = slice(at, at + step)
        result[part] = np.sqrt(((points[left[part]] - points[right[part]]) ** 2).sum(axis=-1))
    return result


def nearest_neighbors(
    points: Floats, k: Any, method: str = "auto", rng: np.random.Generator | None = None
) -> Ints:
    """Indices of the k nearest other points of every point, nearest first; `k` must be a whole number."""
    if method not in ("auto", "exact", "approximate"):
        raise ParameterError(f"unknown method '{method}'; choose auto, exact or approximate.")
    count, dimensions = points.shape
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ParameterError(f"k={k!r} is not a positive whole number of neighbours.")
    if k >= count:
        remedy = f"choose k <= {count - 1}" if count > 1 else "give at least two points"
        raise ParameterError(f"k={k} neighbours cannot be found among {count} points; {remedy}.")
    large = count > EXACT_POINTS and dimensions > TREE_DIMENSIONS
    if method == "approximate" or (method == "auto" and large):
        return _approximate(points, int(k), rng)
    return _exact(points, int(k))


def _exact(points: Floats, k: int) -> Ints:
    """Search among at most k + 1 copies of equal points; a point with k copies needs no search."""
    members, start, size = _equal_points(points)
    nearest = np.full((len(points), k), -1)
    crowded = np.flatnonzero(size > k)
    lowest = members[start[crowded, None] + np.arange(k + 1)]
    own = lowest == crowded[:, None]
    own[~own.any(axis=1), k] = True  # not among the lowest k + 1: leave out the last of them
    nearest[crowded] = lowest[~own].reshape(len(crowded), k)
    rows = np.flatnonzero(size <= k)
    if len(rows):
        pool = np.sort(np.concatenate([rows, np.unique(lowest)]))
        search = _by_tree if points.shape[1] <= TREE_DIMENSIONS else _by_brute_force
        nearest[rows] = pool[search(points[pool], np.searchsorted(pool, rows), k)]
    return nearest


def _equal_points(points: Floats) -> tuple[Ints, Ints, Ints]:
    """Indices grouped by equal points, ascending in each group; where each point's group starts; its size."""
    members = np.lexsort(points.T)
    fresh = np.ones(len(points), dtype=bool)
    fresh[1:] = (points[members[1:]] != points[members[:-1]]).any(axis=1)
    group = np.empty(len(points), dtype=np.int64)
    group[members] = np.cumsum(fresh) - 1
    return members, np.flatnonzero(fresh)[group], np.bincount(group)[group]


def _by_tree(points: Floats, rows: Ints, k: int) -> Ints:
    """The k nearest points of the points `rows`, by a k-d tree: one row of indices each, nearest first."""
    from scipy.spatial import KDTree

    tree = KDTree(points)
    place = np.empty(len(points), dtype=np.int64)
    place[tree.indices] = np.arange(len(points))
    visit = np.argsort(place[rows])  # near points one after the other: half the time on a million points
    nearest = np.full((len(rows), k), -1)
    nearest[visit] = _from_tree(points, tree, rows[visit], k)
    return nearest


def _from_tree(points: Floats, tree: KDTree, rows: Ints, k: int) -> Ints:
    """The same for rows in a good order; where ties may hide a lower index, all points in reach are seen."""
    wanted = min(len(points), k + 2)  # the point itself, its k neighbours, and one more to see ties
    found = tree.query(points[rows], k=wanted)[1].reshape(len(rows), wanted)
    nearest, settled = _settle(points, rows, found, k)
    if wanted == len(points):
        return nearest
    unsettled = np.flatnonzero(~settled)
    reach = distances_between(points, rows[unsettled], nearest[unsettled, -1]) * (1 + _SLACK)
    for at in range(0, len(unsettled), 4096):
        part = unsettled[at : at + 4096]
        balls = tree.query_ball_point(points[rows[part]], reach[at : at + 4096])
        for row, ball in zip(part, balls, strict=True):
            nearest[row] = _first(points, rows[row], np.array(ball, dtype=np.int64), k)
    return nearest


def _by_brute_force(points: Floats, rows: Ints, k: int) -> Ints:
    """The k nearest points of the points `rows`, by all distances: one row of indices each."""
    from sklearn.neighbors import NearestNeighbors

    count, dimensions = points.shape
    wanted = min(count, k + 9)
    search = NearestNeighbors(n_neighbors=wanted, algorithm="brute").fit(points)
    far, found = search.kneighbors(points[rows])
    nearest, _ = _settle(points, rows, found.astype(np.int64), k)
    if wanted == count:
        return nearest
    reach = distances_between(points, rows, nearest[:, -1])
    # the search computes |x|² − 2xy + |y|²; its error is at most (dimensions + 8) ulp of (|x| + |y|)²
    norms = np.sqrt((points**2).sum(axis=-1))
    error = (dimensions + 8) * np.finfo(np.float64).eps * (norms[rows] + norms.max()) ** 2
    everyone = np.arange(count)
    for row in np.flatnonzero(reach**2 * (1 + _SLACK) >= far[:, -1] ** 2 - 2 * error):
        nearest[row] = _first(points, rows[row], everyone, k)
    return nearest


def _settle(points: Floats, rows: Ints, found: Ints, k: int) -> tuple[Ints, NDArray[np.bool_]]:
    """The k best candidates of each row, and whether the next one is clearly further away."""
    wanted = found.shape[1]
    distance = distances_between(points, np.repeat(rows, wanted), found.ravel()).reshape(-1, wanted)
    distance[found == rows[:, None]] = np.inf  # a point is no neighbour of itself
    order = np.lexsort((found, distance), axis=-1)
    ranked, distance = np.take_along_axis(found, order, 1), np.take_along_axis(distance, order, 1)
    settled = np.ones(len(rows), dtype=bool)
    if wanted > k:
        settled = distance[:, k - 1] * (1 + 2 * _SLACK) < distance[:, k]
    return ranked[:, :k], settled


def _first(points: Floats, row: Any, candidates: Ints, k: int) -> Ints:
    """The k nearest of some candidates to one point; of equally near ones the lowest indices."""
    candidates = candidates[candidates != row]
    distance = distances_between(points, np.full(len(candidates), row), candidates)
    chosen: Ints = candidates[np.lexsort((candidates, distance))[:k]]
    return chosen


def _approximate(points: Floats, k: int, rng: np.random.Generator | None) -> Ints:
    """The k nearest points of every point by nearest-neighbour descent, of which about 1 in 100 is wrong."""
    try:
        pynndescent: Any = importlib.import_module("pynndescent")
    except ImportError:
        raise MissingDependencyError(
            f"{len(points)} points in {points.shape[1]} dimensions are searched with pynndescent, which is "
            "not installed; run pip install zerokelvin[neighbors], or pass method='exact' and wait."
        ) from None
    seed = 0 if rng is None else int(rng.integers(2**31 - 1))
    wanted = min(len(points), 2 * k + 10)  # searching wider finds 99 in 100 true neighbours, not 90
    index = pynndescent.NNDescent(  # one thread: its answer depends on the number of threads
        points.astype(np.float32), n_neighbors=wanted, random_state=seed, n_jobs=1
    )
    found = index.neighbor_graph[0].astype(np.int64)
    if (found < 0).any():
        row = int(np.flatnonzero((found < 0).any(axis=1))[0])
        raise GraphError(
            f"the approximate search found too few neighbours of point {row}; pass method='exact'."
        )
    return _settle(points, np.arange(len(points)), found, k)[0]
