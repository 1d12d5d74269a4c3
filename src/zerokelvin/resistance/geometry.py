"""The nodes of a graph as points: how far they are from one node, and the way from one to another.

Node i has the coordinate v_i = G⁺e_i, and ‖v_i − v_j‖² is the effective resistance r(i, j). A `Geometry`
answers two questions, each from one column per node and in O(n) memory:

- `distances`: which of several nodes is nearest to each node of the graph. For a kernel K = G⁺ that needs
  no diagonal: r(v, j) = K_vv + (K_jj − 2 K_vj), and the first term is the same for every j.
- `step`: the direction (v_i − v_j) / r(i, j), along which the difference of i and j grows by 1.

`KernelGeometry` reads both off kernel columns. `ExponentialGeometry` serves exponential graphs whose
weights outrun floats, see `resistance.exponential_resistance`, and `SpannedGeometry` small graphs whose
weights differ by more than 10⁸: there the differences of columns that a short distance is are lost in
rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.graph.scale import in_unit
from zerokelvin.kernels.kernels import KernelColumns, Remembered, kernel_columns
from zerokelvin.resistance.exponential_resistance import Eliminated, bottleneck_distances, eliminate

__all__ = [
    "Distances",
    "ExponentialGeometry",
    "Geometry",
    "KernelGeometry",
    "SpannedGeometry",
    "Step",
    "geometry_of",
]

TIE = 1e-9
"""Distances are equal when they differ by less than this part of the numbers they are computed from."""

_SAFE_LOG_RANGE = 16.0

SPANNED, MOST_SPANNED = 1e8, 500
"""Weights that differ by more than the first are eliminated, on graphs of at most so many nodes."""


class Distances(NamedTuple):
    """Distances of all nodes from one, to be compared with those from other nodes.

    `level` decides and, where two levels differ by no more than `slack`, `finer` does, up to one part in
    10⁹. Both may be off by an amount that depends on the node but not on what it is compared with; `level`
    is infinite in other components.
    """

    level: Floats
    finer: Floats
    slack: Floats


class Step(NamedTuple):
    """A direction d with d[node] − d[other] = 1, and the logarithm of the resistance between the two.

    Where node and other coincide, d is 0 and the logarithm −∞; on an infinite scale it is ∞.
    """

    direction: Floats
    log_resistance: float


class Geometry(Protocol):
    """What a learner needs to know about the nodes as points."""

    graph: Graph

    def column(self, node: int) -> Any:
        """What is computed once per node and serves the other methods."""
        ...

    def several(self, nodes: list[int]) -> list[Any]:
        """The same for several nodes, cheaper than one by one where that is possible."""
        ...

    def distances(self, node: int, column: Any) -> Distances:
        """The distances of all nodes from a node with this column."""
        ...

    def step(self, node: int, other: int, columns: Callable[[int], Any]) -> Step:
        """The step from `other` to `node`; `columns` gives the column of either."""
        ...

    def rise(
        self, step: tuple[int, int, float], ends: tuple[int, int], columns: Callable[[int], Any]
    ) -> float:
        """How much more than at ends[1] a step (node, other, log resistance) adds at ends[0]."""
        ...

    def resistances(self) -> Floats:
        """Logarithms of all resistances: −∞ on the diagonal, ∞ across components."""
        ...


class KernelGeometry:
    """Distances and steps from columns of the pseudo-inverse of the (signed) Laplacian."""

    def __init__(self, graph: Graph, columns: KernelColumns) -> None:
        self.graph = graph
        self.columns = columns

    def column(self, node: int) -> Floats:
        """The column of G⁺ that belongs to a node, (n,)."""
        return self.columns.column(node)

    def several(self, nodes: list[int]) -> list[Floats]:
        """The kernel columns of several nodes, from one block of right-hand sides."""
        if isinstance(self.columns, Remembered):
            return self.columns.several(nodes)
        return [self.columns.column(node) for node in nodes]

    def distances(self, node: int, column: Floats) -> Distances:
        """K_jj − 2 K_vj for every node v of the component of j."""
        level = column[node] - 2.0 * column
        slack = TIE * (abs(column[node]) + np.abs(2.0 * column))
        if self.graph.num_components > 1:
            level[self.graph.components != self.graph.components[node]] = np.inf
        return Distances(level, np.zeros(len(level)), slack)

    def step(self, node: int, other: int, columns: Callable[[int], Floats]) -> Step:
        """(K e_i − K e_j) / (K_ii + K_jj − 2 K_ij)."""
        here, there = columns(node), columns(other)
        resistance = float((here[node] - here[other]) + (there[other] - there[node]))
        if resistance <= 1e-13 * abs(float(here[node] + there[other])):
            return Step(np.zeros(len(here)), -math.inf)
        return Step((here - there) / resistance, math.log(resistance))

    def rise(
        self, step: tuple[int, int, float], ends: tuple[int, int], columns: Callable[[int], Floats]
    ) -> float:
        """From the columns of the two ends, whatever the step."""
        node, other, log = step
        here, there = columns(ends[0]), columns(ends[1])
        return float((here[node] - here[other]) - (there[node] - there[other])) / math.exp(log)

    def resistances(self) -> Floats:
        """Logarithms of all resistances as an (n, n) array, from all n kernel columns."""
        count = self.graph.num_nodes
        matrix = np.stack([self.columns.column(i) for i in range(count)])
        matrix = 0.5 * (matrix + matrix.T)
        diagonal = matrix.diagonal()
        resistance = np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * matrix, 0.0)
        resistance[self.graph.components[:, None] != self.graph.components[None, :]] = np.inf
        np.fill_diagonal(resistance, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(resistance)


class ExponentialGeometry:
    """Distances and steps of an exponential graph at any scale.

    One elimination, O(n³) and n² numbers, when first asked; then O(n) per node and O(n²) per step.
    """

    def __init__(self, graph: ExponentialGraph) -> None:
        self.graph: Graph = graph
        self._graph = graph

    @cached_property
    def _eliminated(self) -> Eliminated:
        return eliminate(self._graph)

    def column(self, node: int) -> int:
        """What `distances` is to be given: the nodes themselves, as nothing is computed beforehand."""
        return node

    def several(self, nodes: list[int]) -> list[int]:
        """What `distances` is to be given: the nodes themselves, as nothing is computed beforehand."""
        return nodes

    def distances(self, node: int, column: int) -> Distances:
        """Logarithms of resistances; on an infinite scale their exponents, and then their coefficients."""
        count = self._graph.num_nodes
        if math.isfinite(self._graph.scale):
            return Distances(self._eliminated.log_resistances[column], np.zeros(count), np.full(count, TIE))
        exponents, coefficients = self._eliminated.resistances
        return Distances(exponents[column], coefficients[column], np.full(count, self._eliminated.slack))

    def step(self, node: int, other: int, columns: Callable[[int], int]) -> Step:
        """The potential with `node` held at 1 and `other` at 0."""
        finite = math.isfinite(self._graph.scale)
        log = float(self._eliminated.log_resistances[node, other]) if finite else math.inf
        return Step(self._eliminated.potential(node, other), log)

    def rise(
        self, step: tuple[int, int, float], ends: tuple[int, int], columns: Callable[[int], int]
    ) -> float:
        """How much the potential between the two nodes of a step differs between two ends."""
        direction = self.step(step[0], step[1], columns).direction
        return float(direction[ends[0]] - direction[ends[1]])

    def resistances(self) -> Floats:
        """Logarithms; on an infinite scale bottleneck distances, which they are proportional to."""
        if math.isfinite(self._graph.scale):
            return self._eliminated.log_resistances
        distances = bottleneck_distances(self._graph)
        np.fill_diagonal(distances, -np.inf)
        return distances


class SpannedGeometry(ExponentialGeometry):
    """The same for any positive graph: its weights as e^(−d), in units of the largest."""

    def __init__(self, graph: Graph) -> None:
        largest = float(graph.edge_weights.max())
        lengths = np.log(largest / graph.edge_weights)
        super().__init__(ExponentialGraph(graph.edges, lengths, 1.0, graph.num_nodes))
        self.graph = in_unit(graph, 1.0 / largest)


def geometry_of(graph: Graph, engine: str = "auto", tol: float = 1e-6) -> Geometry:
    """The geometry of a graph: by kernel columns, or by elimination where weights outrun floats.

    >>> from zerokelvin.graph import exponential_graph
    >>> type(geometry_of(exponential_graph([[0.0], [1.0], [3.0]], a=400))).__name__
    'ExponentialGeometry'
    """
    if isinstance(graph, ExponentialGraph) and graph.log_range > _SAFE_LOG_RANGE:
        return ExponentialGeometry(graph)
    weights = graph.edge_weights
    spanned = len(weights) > 0 and not graph.is_signed and weights.max() > SPANNED * weights.min()
    if spanned and engine == "auto" and graph.num_nodes <= MOST_SPANNED:
        return SpannedGeometry(graph)
    return KernelGeometry(graph, kernel_columns(graph, "laplacian", engine, tol))
