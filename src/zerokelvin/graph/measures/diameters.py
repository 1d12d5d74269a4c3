"""The geodesic diameter D_G: exact where that is affordable, otherwise a proven upper bound.

A sweep is the distances from one node to all others. The diameter of a tree takes two sweeps. Any other
component starts from a centre c, the node nearest to a few remote nodes, and visits nodes by falling
distance from c. With d₁ ≥ d₂ the largest distances from c among nodes not yet visited, two of these are
at most d₁ + d₂ apart by the triangle inequality, so

    max ecc(visited)  ≤  D_G  ≤  max(max ecc(visited), d₁ + d₂).

The two sides meet after a handful of sweeps on most graphs; out of sweeps, the right side is returned,
which is never above twice the eccentricity of c.

References
----------
Herbster, Pontil 2006, "Prediction on a graph with a perceptron", section 3 and eq. (9): R_G ≤ D_G.
Crescenzi, Grossi, Habib, Lanzi, Marino 2013, "On computing the diameter of real-world undirected
graphs" (the order of visits).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.distances import shortest_paths
from zerokelvin.graph.measures.measured import Measured

__all__ = ["diameter"]

_STEPS = 300_000_000  # edge visits spent by default; Dijkstra costs about ten times a breadth-first step
_REMOTE = 5  # remote nodes, beside a first one, that a centre is nearest to
_ROUNDING = 1e-12  # two sums of the same lengths in another order agree to this


def diameter(graph: Graph, max_sweeps: int | None = None) -> Measured:
    """The geodesic diameter D_G, or an upper bound on it where the exact value would take too long.

    Of a disconnected graph, the largest diameter of its components; `Measured.method` says so.

    Parameters
    ----------
    graph
        The graph, weights positive.
    max_sweeps
        Most sweeps per component that is not a tree; by default as many as fit in about 3·10⁸ edge
        visits (3·10⁷ where weights differ), at least 16. That is enough for every node, so for an
        exact value on any graph, up to a few thousand nodes.

    Examples
    --------
    >>> diameter(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]))
    Measured(value=2.0, exact=True, method='eccentricities from a centre')
    """
    graph.require_positive("the geodesic diameter")
    if max_sweeps is not None and max_sweeps < 1:
        raise ParameterError(f"max_sweeps={max_sweeps} is not positive; give at least 1.")
    lower, upper, method = 0.0, 0.0, "no edges"
    for part in _components(graph):
        if part.longest_possible() > lower:
            found = part.diameter_bounds(max_sweeps)
            if found.upper > upper:
                upper, method = found.upper, found.method
            lower = max(lower, found.lower)
    exact = lower >= upper * (1 - _ROUNDING)
    if graph.num_components > 1:
        method += f"; maximum over {graph.num_components} components"
    return Measured(lower if exact else upper, exact, method)


class DiameterBounds(NamedTuple):
    """A lower and an upper bound on a diameter, equal where it is exact, and how they were found."""

    lower: float
    upper: float
    method: str


@dataclass(frozen=True)
class _Component:
    """One connected component as a CSR graph of its own."""

    indptr: Ints
    indices: Ints
    weights: Floats

    def longest_possible(self) -> float:
        """A bound on the diameter without any sweep: a path over all nodes along the longest edges."""
        with np.errstate(over="ignore"):
            return (len(self.indptr) - 2) / float(self.weights.min())

    def sweep(self, node: int) -> Floats:
        """The distance of every node of the component from one of them."""
        return shortest_paths(self.indptr, self.indices, self.weights, node)

    def diameter_bounds(self, max_sweeps: int | None) -> DiameterBounds:
        """Bounds on the diameter from at most so many sweeps, or as many as `_budget` says."""
        first = self.sweep(0)
        far = self.sweep(int(first.argmax()))
        lower = float(far.max())
        if len(self.indices) == 2 * (len(self.indptr) - 2):
            return DiameterBounds(lower, lower, "two sweeps of a tree")
        centre, lower = self._centre(far, lower)
        return self._visit(centre, lower, self._budget(max_sweeps))

    def _budget(self, max_sweeps: int | None) -> int:
        """How many sweeps may be made: as given, else as many as take a fixed number of steps."""
        if max_sweeps is not None:
            return max_sweeps
        steps = _STEPS if self.weights.min() == self.weights.max() else _STEPS // 10
        return max(16, steps // (len(self.indptr) + len(self.indices)))

    def _centre(self, far: Floats, lower: float) -> tuple[int, float]:
        """The node nearest to all of a few remote nodes, and the largest eccentricity of these."""
        nearest, furthest = far, far
        for _ in range(_REMOTE):
            distance = self.sweep(int(nearest.argmax()))
            lower = max(lower, float(distance.max()))
            nearest, furthest = np.minimum(nearest, distance), np.maximum(furthest, distance)
        return int(furthest.argmin()), lower

    def _visit(self, centre: int, lower: float, sweeps: int) -> DiameterBounds:
        """Bounds on the diameter from the eccentricities of nodes, the farthest from the centre first."""
        distance = self.sweep(centre)
        order = np.argsort(-distance, kind="stable")
        falling = np.append(distance[order], 0.0)  # the last node has no partner left
        for visited, node in enumerate(order):
            upper = max(lower, float(falling[visited] + falling[visited + 1]))
            if lower >= upper * (1 - _ROUNDING):
                break
            if visited >= sweeps:
                return DiameterBounds(lower, upper, "two largest distances from a centre")
            lower = max(lower, float(self.sweep(int(node)).max()))
        return DiameterBounds(lower, lower, "eccentricities from a centre")


def _components(graph: Graph) -> Iterator[_Component]:
    """The components that have edges, the largest first."""
    order = np.argsort(graph.components, kind="stable")
    sizes = np.bincount(graph.components)
    ends = np.cumsum(sizes)
    if len(sizes) == 1:
        matrix = graph.adjacency
    else:
        matrix = graph.adjacency[order][:, order].tocsr()
    for part in np.argsort(-sizes, kind="stable"):
        if sizes[part] == 1:
            return
        low, high = int(ends[part] - sizes[part]), int(ends[part])
        begin, end = int(matrix.indptr[low]), int(matrix.indptr[high])
        yield _Component(
            matrix.indptr[low : high + 1].astype(np.int64) - begin,
            matrix.indices[begin:end].astype(np.int64) - low,
            matrix.data[begin:end],
        )
