"""The exponential embedding: the complete graph on points with weights exp(−a·d).

For large a the weights span more orders of magnitude than floats have, and for a → ∞ they are
infinitesimals that only their exponents tell apart. So an `ExponentialGraph` carries, beside ordinary
weights, the distance d of every edge and the scale a: nothing is lost where the weights are.

- ``weights`` are exp(−a·d) itself (eq. 23) where every one of them is an ordinary float. Otherwise all
  are multiplied by exp(a·d_min), which makes the largest 1 and changes neither effective resistances up
  to that factor nor any prediction by them, and those that would fall below 1e-300 stand at 1e-300: the
  graph stays complete, and `num_clamped` counts them.
- ``distances`` and ``exponents`` (a·d) hold one number per row of ``edges``, exact in any case.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": Definition 6 (eq. 23),
Theorem 8 for a → ∞.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.canonical import Csr, symmetric_csr
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.points.nearest_points import check_points

__all__ = ["ExponentialGraph", "exponential_graph"]

_MOST_POINTS = 5_000
_LEAST_WEIGHT = 1e-300
_LARGEST_EXPONENT = -np.log(_LEAST_WEIGHT)


class ExponentialGraph(Graph):
    """A graph whose edges weigh exp(−a·d), with the distances d and the scale a kept exactly.

    Built by `exponential_graph`.

    Parameters
    ----------
    pairs
        The edges, as rows (u, v) with u < v in ascending order.
    distances
        The finite distance d of every edge.
    scale
        The scale a > 0, possibly infinite.
    num_nodes
        Number of nodes.

    Attributes
    ----------
    scale
        The scale a.
    distances
        The distance of every row of `edges`.
    offset
        The weights are exp(offset − a·d): 0 where they are exp(−a·d), else a·d_min.
    num_clamped
        How many edges have a weight below 1e-300, and stand at that.
    """

    scale: float
    distances: Floats
    offset: float
    num_clamped: int

    def __init__(self, pairs: Ints, distances: Floats, scale: float, num_nodes: int) -> None:
        weights, offset = _weights(distances, scale)
        super().__init__(*_csr(pairs, np.maximum(weights, _LEAST_WEIGHT), num_nodes))
        kept = np.array(distances, dtype=np.float64)
        kept.setflags(write=False)
        vars(self).update(
            scale=float(scale),
            distances=kept,
            offset=offset,
            num_clamped=int((weights < _LEAST_WEIGHT).sum()),
        )

    @cached_property
    def exponents(self) -> Floats:
        """The exponent a·d of every row of `edges`; for a = ∞, infinite where d > 0 and 0 where d = 0."""
        values = _times(self.scale, self.distances)
        values.setflags(write=False)
        return values

    @cached_property
    def log_range(self) -> float:
        """Logarithm of the largest weight over the smallest.

        Beyond about 20 (a ratio of 10⁹) a dense pseudo-inverse of the Laplacian is meaningless.
        """
        if len(self.distances) == 0:
            return 0.0
        return float(_times(self.scale, self.distances.max() - self.distances.min()))

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the graph, its scale and its distances."""
        digest = hashlib.sha256(super().content_hash.encode())
        digest.update(np.float64(self.scale).tobytes())
        digest.update(self.distances.tobytes())
        return digest.hexdigest()

    def subgraph(self, nodes: ArrayLike) -> ExponentialGraph:
        """The exponential graph on the given node indices, in that order."""
        part = super().subgraph(nodes)
        number = Graph.from_edges(self.edges, np.arange(1.0, self.num_edges + 1), num_nodes=self.num_nodes)
        at = number.subgraph(nodes).edge_weights.astype(np.int64) - 1
        return ExponentialGraph(part.edges, self.distances[at], self.scale, part.num_nodes)

    def __repr__(self) -> str:
        clamped = f", clamped={self.num_clamped}" if self.num_clamped else ""
        return (
            f"ExponentialGraph(nodes={self.num_nodes}, edges={self.num_edges}, scale={self.scale:g}{clamped})"
        )


def exponential_graph(X: ArrayLike, a: float, *, metric: str = "euclidean") -> ExponentialGraph:
    """The complete graph on the points with weights exp(−a·d).

    Equal points have weight 1. At most 5,000 points, as the graph is complete.

    Parameters
    ----------
    X
        One row per point, or with ``metric="precomputed"`` the symmetric matrix of all distances, whose
        infinite entries mean no edge.
    a
        The scale, positive; ``float("inf")`` stands for the limit a → ∞.
    metric
        Any metric of `scipy.spatial.distance.pdist`, or ``"precomputed"``.

    Examples
    --------
    >>> graph = exponential_graph([[0.0], [1.0], [3.0]], a=2)
    >>> graph.exponents
    array([2., 6., 4.])
    >>> float(np.log(graph.weight(0, 2)))
    -6.0
    >>> exponential_graph([[0.0], [1.0], [3.0]], a=1000)
    ExponentialGraph(nodes=3, edges=3, scale=1000, clamped=2)
    """
    if not a > 0:
        raise ParameterError(f"a={a!r} is not a positive number (float('inf') is allowed).")
    if metric == "precomputed":
        count, distances = _given(X)
    else:
        from scipy.spatial.distance import pdist

        points = check_points(X)
        count = len(points)
        _refuse_many(count)
        kind: Any = metric  # a name or a function; which ones there are, scipy says
        try:
            distances = pdist(points, kind)
        except (TypeError, ValueError) as problem:
            raise ParameterError(f"metric {metric!r} cannot be used: {problem}.") from None
    pairs = np.column_stack(np.triu_indices(count, k=1)).astype(np.int64)
    return _from_distances(pairs, distances, float(a), count)


def _from_distances(pairs: Ints, distances: Floats, scale: float, count: int) -> ExponentialGraph:
    """The graph with one edge per pair at a finite distance; negative ones and NaN are refused."""
    bad = np.flatnonzero(np.isnan(distances) | (distances < 0))
    if len(bad):
        u, v = pairs[bad[0]]
        raise GraphError(
            f"the distance between points {u} and {v} is {distances[bad[0]]}; it cannot be used."
        )
    finite = np.isfinite(distances)
    return ExponentialGraph(pairs[finite], distances[finite], scale, count)


def _given(matrix: Any) -> tuple[int, Floats]:
    """The number of points and the distances of all pairs i < j, from a square matrix."""
    table = np.asarray(matrix, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or table.shape[0] == 0:
        raise GraphError(f"the distances have shape {table.shape}; give a square matrix.")
    _refuse_many(len(table))
    if not np.array_equal(table, table.T, equal_nan=True):
        raise GraphError("the matrix of distances is not symmetric; pass (D + D.T) / 2.")
    return len(table), table[np.triu_indices(len(table), k=1)]


def _refuse_many(count: int) -> None:
    """Refuse more points than a complete graph can hold."""
    if count > _MOST_POINTS:
        raise GraphError(
            f"an exponential graph on {count} points would have {count * (count - 1) // 2} edges; "
            f"take at most {_MOST_POINTS} points, or build a knn_graph."
        )


def _weights(distances: Floats, scale: float) -> tuple[Floats, float]:
    """The weights before clamping, and the offset of their exponents."""
    if len(distances) == 0:
        return np.ones(0), 0.0
    if _times(scale, distances.max()) <= _LARGEST_EXPONENT:
        return np.exp(-_times(scale, distances)), 0.0
    least = distances.min()
    return np.exp(-_times(scale, distances - least)), float(_times(scale, least))


def _csr(pairs: Ints, weights: Floats, count: int) -> Csr:
    """The symmetric matrix of the pairs; of a complete graph without sorting its many edges."""
    if len(pairs) < count * (count - 1) // 2 or count == 1:
        return symmetric_csr(pairs, weights, count)
    column = np.arange(count - 1)
    indices = (column + (column >= np.arange(count)[:, None])).ravel()
    off_diagonal = ~np.eye(count, dtype=bool)
    from scipy.spatial.distance import squareform

    values = squareform(weights, checks=False)[off_diagonal]
    return Csr(np.arange(count + 1) * (count - 1), indices, values)


def _times(scale: float, distances: Any) -> Any:
    """The product a·d, with ∞·0 = 0."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(np.equal(distances, 0), 0.0, scale * np.asarray(distances))
