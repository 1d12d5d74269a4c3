"""The k nearest labelled nodes vote (Herbster and Pontil 2006, section 5.1).

The distance is geodesic, the length of a shortest path with edge lengths 1/w, or the effective resistance.
The margin is the mean label of the k labelled nodes nearest in the same component, or of all of them while
there are fewer. What the paper leaves open:

- *Ties*: of equally near labelled nodes the one labelled earlier comes first, where distances that agree to
  rounding (1e-12 geodesic, 1e-9 resistance) are equal. A tied vote (even k) is a margin of 0, hence +1.
- *Repeats*: a node keeps its last label, and its place in the order of labels.
- A node whose component has no label yet has margin 0.

Geodesic distances are kept by a search that only extends: a new label spreads from its node and stops at
every node that has k labelled nodes at least as near, since beyond it those are nearer too. Each label thus
touches only what it improves. With resistance, each label costs one kernel column. Memory O(k·n); all classes
share it.

Bounds: none exists in terms of cut and diameter, for on an octopus the mistakes grow with the number of
tentacles while both stay fixed (section 5.1). For k = 1 the separating cover number N° is one (Herbster
2008, section 5): points within a set of a diameter below the distance of the labels can err only once.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.graph.measures.covers import linkage_covers, separation
from zerokelvin.graph.measures.distances import shortest_paths
from zerokelvin.jit import kernel
from zerokelvin.learners.base import Game, Learner, OneVsRest, State, columns_of, learner
from zerokelvin.resistance.geometry import ExponentialGeometry, Geometry, geometry_of
from zerokelvin.solve.dense import DENSE_LIMIT
from zerokelvin.solve.signed import require_definite

__all__ = ["Nearest", "NearestState"]

_DISTANCES = ("geodesic", "resistance")


class Neighbours:
    """The k nearest labelled nodes of every node, nearest first; several problems may share them."""

    def __init__(self, graph: Graph, k: int, geometry: Geometry | None) -> None:
        self.graph = graph
        self.geometry = geometry
        k = min(k, max(1, graph.num_nodes))  # no more can vote
        self.nodes = np.full((graph.num_nodes, k), -1)
        self.levels = np.full((graph.num_nodes, k), np.inf)
        self.finer = np.zeros((graph.num_nodes, k))
        self.labelled = np.zeros(graph.num_nodes, dtype=np.bool_)
        self._search = (np.full(graph.num_nodes, np.inf), np.zeros(graph.num_nodes, dtype=np.int64))
        self._searches = 0

    def add(self, node: int) -> None:
        """A node has a label; nothing happens where it had one before."""
        if self.labelled[node]:
            return
        self.labelled[node] = True
        if self.geometry is None:
            self._searches += 1
            with self.graph.read_through():
                _spread(self.graph.csr, self._search, self._searches, self.nodes, self.levels, node)
        else:
            distances = self.geometry.distances(node, self.geometry.column(node))
            _insert_all(self.nodes, self.levels, self.finer, *distances, node)


class NearestState(State):
    """One binary problem: the labels so far, and the nearest of them to every node."""

    fields: ClassVar[tuple[str, ...]] = ("labels", "nodes", "levels", "finer", "labelled")

    def __init__(self, neighbours: Neighbours, learner: Nearest) -> None:
        self.neighbours = neighbours
        self.learner = learner
        self.labels = np.zeros(neighbours.graph.num_nodes, dtype=np.int8)  # 0 where unknown
        self.nodes, self.levels = neighbours.nodes, neighbours.levels
        self.finer, self.labelled = neighbours.finer, neighbours.labelled

    def margin(self, node: int) -> float:
        """The mean label of the nearest labelled nodes, 0 where there are none."""
        near = self.nodes[node]
        near = near[near >= 0]
        return float(self.labels[near].sum() / len(near)) if len(near) else 0.0

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes, one each."""
        near = self.nodes[nodes]
        votes = np.where(near >= 0, self.labels[near], 0).sum(axis=1)
        return np.asarray(votes / np.maximum((near >= 0).sum(axis=1), 1))

    def update(self, node: int, label: int) -> None:
        """Remember the label, and let it spread to the nodes it is near to."""
        self.labels[node] = label
        self.neighbours.add(node)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The voters with their share of the margin, nearest first."""
        near = self.nodes[node]
        near = near[near >= 0]
        return [(int(other), float(self.labels[other]) / len(near)) for other in near]

    def bound(self, labels: Ints) -> Bound:
        """For k = 1: the size of a cover by sets of a diameter below the distance between the labels."""
        if self.learner.k > 1:
            return super().bound(labels)
        u = np.asarray(labels)
        assumptions = (self.record.agreement(u),)
        graph = self.neighbours.graph
        name = "separating cover N°, section 5, Herbster 2008"
        if graph.num_nodes > DENSE_LIMIT:
            return Bound(float(graph.num_nodes), name, {"N°": float(graph.num_nodes)}, assumptions)
        distances, slack = self._all_distances()
        delta = separation(distances, u)
        covers = linkage_covers(distances)
        below = covers.sizes[covers.diameters < delta * (1 - 1e-8) - slack]  # nearer by more than a tie
        number = float(below.min()) if len(below) else math.inf
        return Bound(number, name, {"N°": number, "δ": delta}, assumptions)

    def _all_distances(self) -> tuple[Floats, float]:
        """The distance of every pair of nodes, and by how much two must differ to differ beyond rounding."""
        graph, geometry = self.neighbours.graph, self.neighbours.geometry
        if geometry is None:
            rows = [
                shortest_paths(graph.indptr, graph.indices, graph.weights, i) for i in range(graph.num_nodes)
            ]
            matrix = np.maximum(rows, np.transpose(rows))
        else:
            matrix = geometry.resistances()
            if isinstance(geometry, ExponentialGeometry):
                apart = ~np.eye(len(matrix), dtype=np.bool_)
                least = matrix[apart].min(initial=0.0)  # logarithms keep the order, raised above 0
                return np.where(apart, np.maximum(matrix, matrix.T) - least + 1.0, 0.0), 0.0
            matrix = np.exp(np.maximum(matrix, matrix.T))
        return matrix, 1e-8 * float(matrix[np.isfinite(matrix)].max())


@learner("nearest")
@dataclass(frozen=True)
class Nearest(Learner):
    """The k nearest labelled nodes vote; see the module for ties and repeats.

    Parameters
    ----------
    k
        How many labelled nodes vote.
    distance
        ``"geodesic"``, with edge lengths 1/w, or ``"resistance"``.
    engine, tol
        How kernel columns are computed for ``"resistance"``; see `zerokelvin.kernels.kernel_columns`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> state = Nearest().start(line)
    >>> state.update(0, -1)
    >>> state.update(4, 1)
    >>> [state.margin(node) for node in range(5)]
    [-1.0, -1.0, -1.0, 1.0, 1.0]
    """

    purpose: ClassVar[str] = "the simplest baseline: a node is what the labelled nodes nearest to it are"
    choose: ClassVar[str] = "you need something to compare with, or most nodes have labelled neighbours"
    cost: ClassVar[str] = "a search from each new label that stops where others are nearer; O(k·n) memory"

    k: int = 1
    distance: str = "geodesic"
    engine: str = "auto"
    tol: float = 1e-6

    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"distance": "resistance"}, {"k": 2})

    def __post_init__(self) -> None:
        k: Any = self.k
        if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
            raise ParameterError(f"k={k!r} must be a whole number of at least 1.")
        if self.distance not in _DISTANCES:
            raise ParameterError(f"unknown distance '{self.distance}'; known: {', '.join(_DISTANCES)}.")

    def needs_whole(self) -> str:
        """With distances by resistance, which take a solve each."""
        return (
            "" if self.distance == "geodesic" else f"distance={self.distance!r} takes a solve for each label"
        )

    def takes_exponents(self) -> bool:
        """Whether distances come from exponents of weights: only those by resistance do."""
        return self.distance == "resistance"

    def prepare(self, graph: Graph) -> Geometry | None:
        """The geometry of the graph where the distance is the resistance."""
        if self.distance == "geodesic":
            graph.require_positive("nearest with geodesic distance")
            return None
        require_definite(graph, "nearest")
        return geometry_of(graph, self.engine, self.tol)

    def start(
        self, graph: Graph, prepared: Geometry | None = None, rng: np.random.Generator | None = None
    ) -> NearestState:
        """Begin without labels."""
        geometry = self.prepare(graph) if prepared is None else prepared
        return NearestState(Neighbours(graph, self.k, geometry), self)

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin problems that share the search for neighbours."""
        geometry = self.prepare(graph) if prepared is None else prepared
        neighbours = Neighbours(graph, self.k, geometry)
        return OneVsRest([NearestState(neighbours, self) for _ in range(columns_of(classes))])


@kernel
def _insert(nodes: Ints, levels: Floats, level: float, node: int) -> bool:
    """Put a labelled node into a list of the nearest, after equally near ones; False where it is full."""
    k = len(nodes)
    at = k
    while at > 0 and (nodes[at - 1] < 0 or level < levels[at - 1] * (1.0 - 1e-12)):
        at -= 1
    if at == k:
        return False
    for i in range(k - 1, at, -1):
        nodes[i], levels[i] = nodes[i - 1], levels[i - 1]
    nodes[at], levels[at] = node, level
    return True


@kernel
def _spread(csr: Any, search: Any, number: int, nodes: Ints, levels: Floats, node: int) -> None:
    """Search from a new labelled node by increasing distance, through the nodes it is near to only.

    search = (least, when): the distance at which each node waits, and in which search that was written, so
    that it waits again only for a shorter one.
    """
    indptr, indices, weights = csr
    least, when = search
    heap: list[Any] = [(0.0, node)]
    while heap:
        level, v = heapq.heappop(heap)
        known = False
        for i in range(nodes.shape[1]):
            known |= nodes[v, i] == node
        if known or not _insert(nodes[v], levels[v], level, node):
            continue
        for at in range(indptr[v], indptr[v + 1]):
            other = np.int64(indices[at])
            far = level + 1.0 / np.float64(weights[at])
            if when[other] == number and least[other] <= far:
                continue
            when[other], least[other] = number, far
            heapq.heappush(heap, (far, other))


@kernel
def _insert_all(
    nodes: Ints,
    levels: Floats,
    finer: Floats,
    new_level: Floats,
    new_finer: Floats,
    slack: Floats,
    node: int,
) -> None:
    """Put a labelled node into the list of every node of its component that it is near to."""
    k = nodes.shape[1]
    for v in range(len(nodes)):
        level, fine = new_level[v], new_finer[v]
        if level == np.inf:
            continue
        if v == node:
            level = -np.inf
        at = k
        while at > 0:
            gap = levels[v, at - 1] - level
            nearer = gap > slack[v] or (gap >= -slack[v] and fine < finer[v, at - 1] * (1.0 - 1e-9))
            if nodes[v, at - 1] >= 0 and not nearer:
                break
            at -= 1
        for i in range(k - 1, at, -1):
            nodes[v, i], levels[v, i], finer[v, i] = nodes[v, i - 1], levels[v, i - 1], finer[v, i - 1]
        if at < k:
            nodes[v, at], levels[v, at], finer[v, at] = node, level, fine
