"""The bounds of POUNCE (Herbster 2008), with every quantity computed or bounded above by a real cover.

The theorems hold for every u in ℝⁿ with y_t u(i_t) ≥ 1 at the mistakes t, the first trials among them. The
best such u takes the labels of the mistakes and is harmonic elsewhere (Theorem 5 and eq. 5): the voltages of
`resistance.harmonic`, one solve. With ‖u‖² = uᵀGu for that u, and c the number of components (their
first trials are free):

- Theorem 2:  |M| ≤ N(V, ρ) + ‖u‖² ρ + c  for every ρ > 0. The minimum over ρ is taken over the covers of all
  nodes by complete linkage in resistance distance, up to 3,000 nodes. Beyond, over the covers by
  farthest-first traversal in geodesic distance, which is never below the resistance.
  Before a game (`ahead`) the mistakes are not known, and u is the labelling itself, ‖u‖² = 4Φ(u).
- Eq. (19):   Σ 1 / r(i_t, η_t) ≤ ‖u‖² over the mistakes but the first ones. With H the harmonic mean of
  those resistances this says |M| ≤ ‖u‖² H + c, after the game.
- Theorem 8:  |M| ≤ C° + 1 on the exponential graph of connected points once a > a′. With ρ the largest
  single-linkage edge below the separation δ of the labels, the proof needs 4 n³ e^(−a(δ − ρ)) < 1, so
  a′ = ln(4 n³) / (δ − ρ).

A mistake on a tie (`learners.base.ties`) has a margin of up to 10⁻⁹ where the proofs say at most 0; it
costs ‖u‖² a factor of (1 − 10⁻⁹)⁻², which Theorem 2 and eq. (19) take in.

Theorem 2 is stated for connected graphs; components are independent games, and their bounds add up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph.measures.covers import (
    Covers,
    component_separating_number,
    linkage_covers,
    separation,
    traversal_covers,
)
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.learners.base.ties import DEAD_ZONE
from zerokelvin.resistance.exponential_resistance import bottleneck_distances
from zerokelvin.resistance.geometry import ExponentialGeometry, Geometry
from zerokelvin.resistance.harmonic import log_smoothest_norm, smoothest
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = ["Certificate", "Entry"]


_SOURCE = "Herbster 2008"
_TIES = -2.0 * math.log1p(-DEAD_ZONE)


class Entry(NamedTuple):
    """One trial that was learnt.

    Attributes
    ----------
    node, label
        The node and its label −1 or +1.
    other
        The nearest mistake at the time, −1 where the component had none.
    wrong
        Whether the prediction was a mistake.
    gain
        By how much the difference w(node) − w(other) was changed.
    log_resistance
        The logarithm of the resistance between node and other, −∞ where w was not changed.
    """

    node: int
    label: int
    other: int
    wrong: bool
    gain: float
    log_resistance: float

    @classmethod
    def read(cls, numbers: Sequence[float]) -> Entry:
        """The entry whose six fields, in their order, are these numbers; as a snapshot holds them."""
        node, label, other, wrong, gain, log = numbers
        return cls(int(node), int(label), int(other), bool(wrong), gain, log)


class Certificate:
    """The geometry of a graph, and the covers its bounds need, computed when first asked for."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.graph = geometry.graph

    def bound(
        self, u: Ints, entries: Sequence[Entry], theorem: str | None = None, ahead: bool = False
    ) -> Bound:
        """The bound of one theorem, or the best of those that hold; `ahead`: for any game with labels u."""
        consistent = Assumption(
            "no label contradicts the comparator", all(u[entry.node] == entry.label for entry in entries)
        )
        if theorem is None and isinstance(self.graph, ExponentialGraph):
            bounds = [self._theorem_8(u, consistent), self._theorem_2(u, entries, consistent, ahead)]
            return min(bounds, key=lambda bound: (not bound.holds, bound.value))
        if theorem in (None, "2"):
            return self._theorem_2(u, entries, consistent, ahead)
        if theorem == "8":
            return self._theorem_8(u, consistent)
        if theorem == "19":
            return self._equation_19(u, entries, consistent)
        raise ParameterError(f"unknown theorem '{theorem}'; known: 2, 8, 19.")

    def _theorem_2(self, u: Ints, entries: Sequence[Entry], consistent: Assumption, ahead: bool) -> Bound:
        """Theorem 2: the least N(V, ρ) + ρ ‖u‖² over the covers known, plus the number of components."""
        components = self.graph.num_components
        if not self._finite:
            limit = Assumption("the scale is finite", False)
            return Bound(math.inf, f"Theorem 2, {_SOURCE}", {}, (limit, consistent))
        cut = self._log_norm(u)
        norm = cut if ahead else min(cut, self._log_least_norm(u, entries))
        logs, sizes = self._covers
        with np.errstate(over="ignore"):
            spread = np.exp(norm + logs + _TIES) if norm > -math.inf else np.zeros(len(logs))
        values = sizes + spread + components
        best = int(np.argmin(values))
        terms = {
            "N(V, ρ)": float(sizes[best]),
            "ρ": _exp(float(logs[best])),
            "‖u‖²": _exp(norm),
            "4Φ": _exp(cut),
            "components": float(components),
        }
        return Bound(float(values[best]), f"Theorem 2, {_SOURCE}", terms, (consistent,))

    def _equation_19(self, u: Ints, entries: Sequence[Entry], consistent: Assumption) -> Bound:
        """Equation (19): ‖u‖² times the harmonic mean of the resistances at mistakes, plus first trials."""
        name = f"Equation (19), {_SOURCE}"
        if not self._finite:
            return Bound(math.inf, name, {}, (Assumption("the scale is finite", False), consistent))
        logs = [entry.log_resistance for entry in entries if entry.wrong and entry.other != entry.node]
        firsts = sum(entry.other < 0 for entry in entries)
        cut = self._log_norm(u)
        norm = min(cut, self._log_least_norm(u, entries))
        inverse = float(logsumexp([-log for log in logs])) if logs else -math.inf
        value = len(logs) * _exp(norm - inverse + _TIES) + firsts if logs else float(firsts)
        terms = {
            "Σ 1/r": _exp(inverse),
            "‖u‖²": _exp(norm),
            "4Φ": _exp(cut),
            "first trials": float(firsts),
            "H": len(logs) * _exp(-inverse) if logs else 0.0,
        }
        return Bound(value, name, terms, (consistent,))

    def _theorem_8(self, u: Ints, consistent: Assumption) -> Bound:
        """Theorem 8, for exponential graphs of large scale: the component separating number C° plus 1."""
        graph = self.graph
        if not isinstance(graph, ExponentialGraph):
            raise ParameterError("Theorem 8 speaks of exponential graphs; build one with exponential_graph.")
        count = graph.num_nodes
        delta = separation(self._distances, u)
        number = component_separating_number(self._distances, u)
        edges = self._bottlenecks[self._bottlenecks < delta]
        rho = float(edges.max(initial=0.0))
        least = math.log(4 * count**3) / (delta - rho) if delta > rho else math.inf
        terms = {"C°": number.value, "δ": delta, "ρ": rho, "a′": least, "a": graph.scale}
        assumptions = (
            Assumption("the points are connected", graph.num_components == 1),
            Assumption("points of different label are apart", delta > 0),
            Assumption("a > a′", graph.scale > least),
            consistent,
        )
        return Bound(number.value + 1, f"Theorem 8, {_SOURCE}", terms, assumptions)

    @property
    def _finite(self) -> bool:
        """Whether resistances are numbers: not so on an exponential graph of infinite scale."""
        return not isinstance(self.graph, ExponentialGraph) or math.isfinite(self.graph.scale)

    def _log_norm(self, u: Ints) -> float:
        """The logarithm of 4Φ(u), in the units of the geometry's resistances."""
        edges, graph = self.graph.edges, self.graph
        differ = u[edges[:, 0]] != u[edges[:, 1]]
        if isinstance(graph, ExponentialGraph) and isinstance(self.geometry, ExponentialGeometry):
            exponents = graph.exponents[differ]
            return math.log(4) + float(logsumexp(-exponents)) if len(exponents) else -math.inf
        weights = graph.edge_weights
        cut = float(np.abs(weights[differ == (weights > 0)]).sum())
        return math.log(4 * cut) if cut > 0 else -math.inf

    def _log_least_norm(self, u: Ints, entries: Sequence[Entry]) -> float:
        """The logarithm of the least ‖·‖² of a function that is u at the nodes learnt."""
        nodes = np.unique(np.array([entry.node for entry in entries], dtype=np.int64))
        if isinstance(self.graph, ExponentialGraph) and isinstance(self.geometry, ExponentialGeometry):
            return log_smoothest_norm(self.graph, nodes, u[nodes])
        least = smoothest(self.graph, nodes, u[nodes]).squared_norm
        return math.log(least) if least > 0 else -math.inf

    @cached_property
    def _covers(self) -> tuple[Floats, Ints]:
        """Logarithms of diameters, and for each the number of sets of that diameter that cover all nodes."""
        count = self.graph.num_nodes
        exponential = isinstance(self.geometry, ExponentialGeometry)
        if count <= DENSE_LIMIT or exponential:
            logs = self.geometry.resistances()
            values, ranks = np.unique(logs, return_inverse=True)  # linkage needs only their order
            rank = ranks.reshape(logs.shape).astype(np.float64)
            rank[np.isposinf(logs)] = np.inf
            rank = np.maximum(rank, rank.T)
            covers = linkage_covers(rank)
            return values[covers.diameters.astype(np.int64)], covers.sizes
        covers = Covers(np.zeros(1), np.array([count]), "single nodes")
        if not self.graph.is_signed:
            covers = traversal_covers(self.graph)
        with np.errstate(divide="ignore"):
            return np.log(covers.diameters), covers.sizes

    @cached_property
    def _distances(self) -> Floats:
        """The distance of every pair of points of an exponential graph, ∞ where no edge joins them."""
        graph = self.graph
        matrix = np.full((graph.num_nodes, graph.num_nodes), np.inf)
        np.fill_diagonal(matrix, 0.0)
        if isinstance(graph, ExponentialGraph):
            u, v = graph.edges.T
            matrix[u, v] = matrix[v, u] = graph.distances
        return matrix

    @cached_property
    def _bottlenecks(self) -> Floats:
        """The distinct bottleneck distances between points, ascending: edges of a minimum spanning tree."""
        graph = self.graph
        return np.unique(bottleneck_distances(graph)) if isinstance(graph, ExponentialGraph) else np.zeros(0)


def _exp(log: float) -> float:
    """exp(log), ∞ where that is beyond the floats."""
    return math.exp(log) if log < 700 else math.inf
