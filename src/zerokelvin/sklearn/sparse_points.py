"""Rows of sparse feature matrices: their distances, their nearest rows, and matrices given as graphs.

Distances of sparse rows come from their inner products, ‖x − y‖² = ‖x‖² + ‖y‖² − 2x·y, a block of rows at a
time, so that no dense matrix of the features is made. The cosine distance orders rows as the Euclidean
distance of the rows brought to length 1 does, ‖x − y‖² = 2 − 2 cos(x, y): so ``metric="cosine"`` is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph

__all__ = [
    "METRICS",
    "affinity_graph",
    "canonical",
    "row_keys",
    "shortest_link",
    "sparse_nearest",
    "unit_rows",
    "unit_sums",
]

METRICS = ("euclidean", "cosine", "precomputed")
"""What a distance of two rows is; precomputed rows are those of the weight matrix of a graph."""

CELLS = 2**22
"""Distances computed at a time."""


def _is_sparse(points: Any) -> bool:
    return bool(sp.issparse(points))


def canonical(points: Any) -> Any:
    """A matrix as it is kept: sparse ones by rows, columns in order, without stored zeros."""
    if not _is_sparse(points):
        return points
    rows = sp.csr_array(points, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def unit_rows(points: Any) -> Any:
    """The rows brought to length 1; a row of zeros stays as it is.

    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    if _is_sparse(points):
        lengths = np.sqrt(np.asarray(points.multiply(points).sum(axis=1)).ravel())
        return sp.csr_array(sp.diags_array(1.0 / np.where(lengths > 0, lengths, 1.0)) @ points)
    lengths = np.sqrt((points**2).sum(axis=1, keepdims=True))
    return points / np.where(lengths > 0, lengths, 1.0)


def unit_sums(points: Any) -> Any:
    """The rows brought to sum 1; a row of zeros stays as it is.

    >>> unit_sums(np.array([[3.0, 1.0], [0.0, 0.0]])).tolist()
    [[0.75, 0.25], [0.0, 0.0]]
    """
    sums = np.asarray(points.sum(axis=1)).ravel()
    scale = 1.0 / np.where(sums > 0, sums, 1.0)
    return sp.csr_array(sp.diags_array(scale) @ points) if _is_sparse(points) else points * scale[:, None]


def affinity_graph(points: Any) -> Graph:
    """The graph of which a square matrix holds the weights; of two directions the larger weight counts."""
    if points.shape[0] != points.shape[1]:
        raise ParameterError(
            f"X has shape {points.shape}; metric='precomputed' takes the square matrix of a graph's weights."
        )
    weights = sp.csr_array(points)
    both = sp.csr_array(weights.maximum(weights.T))
    both.setdiag(0)
    both.eliminate_zeros()
    return Graph.from_scipy(both)


def row_keys(points: Any) -> Iterator[bytes]:
    """One text per row, the same for equal rows."""
    if _is_sparse(points):
        for i in range(points.shape[0]):
            part = slice(points.indptr[i], points.indptr[i + 1])
            yield points.indices[part].astype(np.int64).tobytes() + points.data[part].tobytes()
    else:
        for row in np.ascontiguousarray(points) + 0.0:  # one zero instead of two
            yield row.tobytes()


def sparse_nearest(fitted: Any, points: Any, count: int, own: bool = False) -> tuple[Ints, Floats]:
    """The `count` nearest fitted rows of each row and their distances, the nearest first.

    Equal distances are taken in ascending order of index. With `own` the rows are the fitted ones, and none
    is its own neighbour.
    """
    near = np.empty((points.shape[0], count), dtype=np.int64)
    distance = np.empty(near.shape)
    for start, block in _blocks(fitted, points):
        rows = np.arange(len(block))
        if own:
            block[rows, start + rows] = np.inf
        order = np.argsort(block, axis=1, kind="stable")[:, :count]
        near[start + rows] = order
        distance[start + rows] = np.take_along_axis(block, order, 1)
    return near, np.sqrt(distance)


def shortest_link(points: Any, inside: Bools) -> tuple[int, int]:
    """The shortest edge between the sparse rows inside and those outside, the lower index first."""
    ours, others = np.flatnonzero(inside), np.flatnonzero(~inside)
    near, distance = sparse_nearest(points[others], points[ours], 1)
    at = int(np.argmin(distance[:, 0]))
    u, v = int(ours[at]), int(others[near[at, 0]])
    return min(u, v), max(u, v)


def _blocks(fitted: Any, points: Any) -> Iterator[tuple[int, Floats]]:
    """The squared distances of rows to all fitted rows, a block of rows at a time, with its first row."""
    sizes, own = (np.asarray(m.multiply(m).sum(axis=1)).ravel() for m in (fitted, points))
    columns = sp.csc_array(fitted.T)
    step = max(1, CELLS // fitted.shape[0])
    for start in range(0, points.shape[0], step):
        part = slice(start, start + step)
        dots = (points[part] @ columns).toarray()
        yield start, np.maximum(own[part, None] + sizes - 2.0 * dots, 0.0)
