"""Minimum p-seminorm interpolation (Herbster and Lever 2009); p = 2 is online label propagation.

Predict with the sign of the function that agrees with all labels so far and minimises

    ‖f‖_p^p = Σ_e w_e |f_i − f_j|^p,     1 < p ≤ 2.

Every label is learnt. The interpolant of one trial is the start for the next; only the part of the graph
that the new label can reach without crossing another one is computed again. For p = 2 that is one linear
system per label, shared by all classes: with a sparse factor that serves many labels where one is cheap
(`learners.seminorm.seminorm_factor`), else by conjugate gradients (`learners.seminorm.seminorm_harmonic`).
For p < 2 it is Newton steps to a relative duality gap of `tol` (`learners.seminorm.seminorm_newton`).
`InterpolationState.gap` certifies the present interpolant independently
(`zerokelvin.learners.seminorm.seminorm_certificate`).

- *Before a component has a label* its margins are 0; with labels of one kind it has that label throughout.
- *Ties*: |f| below 1e-9 is rounding, and counts as 0, which predicts +1.
- *Repeats*: the last label given to a node counts.

Bound. ½‖·‖_p² is (p − 1)-strongly convex, so a mistake, which moves f by at least 1 at a node v, raises
‖f‖_p² by at least (p − 1) r^(−2/p), r being the p-resistance between v and the labelled nodes. The
interpolant never exceeds the comparator u, for which ‖u‖_p² = 4Φ^(2/p), Φ the weighted cut. Hence

    mistakes ≤ (labelled components) + 4 Σ_components Φ^(2/p) · X,     X = max over mistakes of r^(2/p)/(p−1).

For p = 2 r is the effective resistance, which is computed anyway; for p < 2 it is bounded by the shortest
path, r ≤ (Σ w_e^(−1/(p−1)))^(p−1): Herbster and Lever's bound with the diameter is the worst case. Known
before the game, with wide diameters and connectivity of clusters: `learners.seminorm.seminorm_bounds`.

Above 300 lines: a learner is one module: algorithm, state and learner; what it solves lies beside.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, OneVsRest, State, learner, sign
from zerokelvin.learners.base.ties import DEAD_ZONE, cost_of_ties, settle
from zerokelvin.learners.seminorm.seminorm_bounds import cover_bound
from zerokelvin.learners.seminorm.seminorm_certificate import Gap, duality_gap
from zerokelvin.learners.seminorm.seminorm_factor import FactorPlan, HeldFactor, LabelResponse
from zerokelvin.learners.seminorm.seminorm_harmonic import harmonic_response
from zerokelvin.learners.seminorm.seminorm_newton import elimination_rank, minimise
from zerokelvin.learners.seminorm.seminorm_regions import find_region
from zerokelvin.solve.engines import check_engine

__all__ = ["Interpolation", "InterpolationState"]

_FLAT = 1e-6  # differences below this are alike to an explanation


class InterpolationState(State):
    """One binary problem: the interpolant and the labels it agrees with."""

    fields: ClassVar[tuple[str, ...]] = ("f", "labels", "reach", "hard")

    def __init__(self, graph: Graph, learner: Interpolation, prepared: Ints | FactorPlan) -> None:
        self.graph = graph
        self.learner = learner
        self.rank = np.zeros(0, dtype=np.int64) if isinstance(prepared, FactorPlan) else prepared
        self.held = HeldFactor(prepared) if isinstance(prepared, FactorPlan) else None
        self.f = np.zeros(graph.num_nodes)
        self.labels = np.zeros(graph.num_nodes, dtype=np.int8)  # 0: none
        self.reach = 0.0  # X of the bound
        self.hard = graph.num_nodes + 1  # regions from this size on are left to the solvers

    def margin(self, node: int) -> float:
        """The interpolant at the node; 0 while its component has no label."""
        return float(settle(self.f[node], 1.0))

    def margins(self, nodes: Ints) -> Floats:
        """The interpolant at several nodes."""
        values = self.f[nodes]
        return np.where(np.abs(values) <= DEAD_ZONE, 0.0, values)

    def update(self, node: int, label: int) -> None:
        """Make the interpolant agree with the label −1 or +1 of a node."""
        self.update_with(node, label, _Responses())

    def update_with(self, node: int, label: int, responses: _Responses) -> None:
        """Update with the label of a node; `responses` is shared by the problems that get one together."""
        wrong = sign(self.margin(node)) != label
        mates = self.graph.components == self.graph.components[node]
        others = self.labels[mates].any() and (
            self.labels[node] == 0 or np.count_nonzero(self.labels[mates]) > 1
        )
        if not others:  # the only label of its component
            self.f[mates] = label
        elif self.learner.p == 2:
            self._respond(node, label, wrong, responses)
        else:
            if wrong:
                self.reach = max(self.reach, self._path_reach(node))
            self._descend(node, label)
        self.labels[node] = label
        self.f[node] = label

    def gap(self) -> Gap:
        """How far the interpolant is from the minimum at most; computed independently of the solvers."""
        return duality_gap(self.graph, self.labels, self.f, self.learner.p)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labels that surround the node, each with its share of f; the sum is the margin.

        For p < 2 the interpolant is harmonic with weights w |f_i − f_j|^(p−2), bounded where there is no
        difference. They divide (1 + f)/2 among the labels +1 and (1 − f)/2 among the labels −1.
        """
        if self.labels[node] != 0:
            return [(int(node), float(self.labels[node]))]
        if self.f[node] == 0:
            return []
        graph, hard = self._conductances(), self.learner.p != 2
        region = find_region(graph.csr, self.labels, node)
        response = harmonic_response(
            graph, self.labels, node, region, hard or len(region.nodes) >= self.hard, self.learner.engine
        )
        level = np.zeros(graph.num_nodes)
        level[region.nodes], level[node] = response.values, 1.0
        shares: dict[int, float] = {}
        for inside in (*region.nodes.tolist(), node):
            row = slice(graph.indptr[inside], graph.indptr[inside + 1])
            for other, weight in zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True):
                if self.labels[other] != 0:  # the current into a label is its weight in the mean
                    current = weight * float(level[inside]) * float(self.labels[other])
                    shares[other] = shares.get(other, 0.0) + current / response.conductance
        if self.learner.p != 2:
            for y in (-1, 1):
                said = {other: share for other, share in shares.items() if share * y > 0}
                whole = (1 + y * float(self.f[node])) / 2 / sum(map(abs, said.values()), start=1e-300)
                shares |= {other: share * whole for other, share in said.items()}
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """The mistake bound of the module against the comparator `labels` in {-1, +1}ⁿ.

        ``"III"`` (p < 2) and ``"IV"`` (p = 2) are those over clusters, known before the game; see
        `zerokelvin.learners.seminorm.seminorm_bounds`.
        """
        u = np.asarray(labels, dtype=np.int64)
        p = self.learner.p
        assumptions = (self.record.agreement(u),)
        if theorem in ("III", "IV"):
            fits = Assumption("p = 2", p == 2) if theorem == "IV" else Assumption("p < 2", p < 2)
            return dataclasses.replace(cover_bound(self.graph, u, p), assumptions=(*assumptions, fits))
        if theorem is not None:
            raise ParameterError(f"unknown theorem '{theorem}'; known: III, IV, or none for the game's own.")
        ends = self.graph.edges
        differ = u[ends[:, 0]] != u[ends[:, 1]]
        cuts = np.bincount(self.graph.components[ends[differ, 0]], self.graph.edge_weights[differ])
        labelled = len(np.unique(self.graph.components[self.labels != 0]))
        energy = float((4.0 * cuts ** (2 / p)).sum())
        terms = {"labelled components": float(labelled), "Σ 4Φ^(2/p)": energy, "X": self.reach, "p": p}
        value = labelled + energy * self.reach * (1 + 1e-9) * cost_of_ties(DEAD_ZONE)
        return Bound(
            value, "minimum p-seminorm interpolation, after Herbster and Lever 2009", terms, assumptions
        )

    def _conductances(self) -> Graph:
        """The graph with the weights for which the interpolant is harmonic."""
        graph = self.graph
        if self.learner.p == 2:
            return graph
        tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
        squares = (self.f[tails] - self.f[graph.indices]) ** 2
        weights = graph.weights * (squares + _FLAT**2) ** (self.learner.p / 2 - 1)
        return Graph(graph.indptr, graph.indices, weights)

    def _respond(self, node: int, label: int, wrong: bool, responses: _Responses) -> None:
        """Update for p = 2: add the harmonic response of the node, times the change at it."""
        step = label - float(self.f[node])
        if abs(step) < 1e-12 and not wrong:
            return
        response = responses.get(self, node)
        self.f[response.nodes] += step * response.values
        if wrong and response.conductance > 0:
            self.reach = max(self.reach, 1.0 / response.conductance)

    def _descend(self, node: int, label: int) -> None:
        """Update for p < 2: fix the node at its label and minimise the seminorm around it."""
        if abs(label - float(self.f[node])) < 1e-12:
            return
        known = self.labels.copy()
        known[node] = label
        self.f[node] = label
        minimise(self.graph, known, self.f, node, self.learner.p, self.learner.tol, self.rank)

    def _path_reach(self, node: int) -> float:
        """r^(2/p)/(p−1) with r bounded by the shortest path from a node to the nearest other label."""
        p = self.learner.p
        graph = self.graph
        queue, done = [(0.0, node)], set()
        while queue:
            distance, at = heapq.heappop(queue)
            if at in done:
                continue
            done.add(at)
            if self.labels[at] != 0 and at != node:
                return float(distance ** ((p - 1) * 2 / p) / (p - 1))
            row = slice(graph.indptr[at], graph.indptr[at + 1])
            for other, weight in zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True):
                heapq.heappush(queue, (distance + weight ** (-1 / (p - 1)), other))
        return 0.0


class InterpolationGame(OneVsRest[InterpolationState]):
    """Interpolation problems side by side: the linear system of a label is solved once for all."""

    def __init__(self, states: Sequence[InterpolationState]) -> None:
        super().__init__(states)
        for state in self.states:
            state.held = self.states[0].held

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Give every problem (or those `wanted`) its label of the node."""
        responses = _Responses()
        for c, (state, label) in enumerate(zip(self.states, self.labels(code), strict=True)):
            if wanted is None or wanted[c]:
                state.update_with(node, label, responses)


@learner("interpolation")
@dataclass(frozen=True)
class Interpolation(Learner):
    """Minimum p-seminorm interpolation; see the module for the algorithm.

    Parameters
    ----------
    p
        The seminorm, 1 < p ≤ 2. Towards 1 the interpolant tends to a minimum cut.
    engine
        How linear systems are solved where conjugate gradients are too slow (p = 2); see
        `zerokelvin.solve.analyse`.
    tol
        Relative duality gap to reach (p < 2).

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Interpolation().start(line)
    >>> state.update(0, -1)
    >>> state.update(3, 1)
    >>> [round(state.margin(node), 3) for node in range(4)]
    [-1.0, -0.333, 0.333, 1.0]
    """

    purpose: ClassVar[str] = "label propagation played online, and its sharper relatives for p below 2"
    choose: ClassVar[str] = "labels are exact, neighbours mostly agree and the graph is of moderate size"
    cost: ClassVar[str] = (
        "a harmonic or p-harmonic solution is repaired at every label; p = 2 is much faster than p < 2"
    )

    p: float = 2.0
    engine: str = "auto"
    tol: float = 1e-8

    game: ClassVar[type[OneVsRest[Any]]] = InterpolationGame
    variants: ClassVar[tuple[dict[str, Any], ...]] = ({}, {"p": 1.5})

    def __post_init__(self) -> None:
        if not 1 < self.p <= 2:
            raise ParameterError(f"p={self.p} must be greater than 1 and at most 2.")
        if not (math.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol} must be a positive number.")
        check_engine(self.engine)

    def prepare(self, graph: Graph) -> Ints | FactorPlan:
        """The order in which nodes are eliminated (p < 2), or when to factor; a signed graph is refused."""
        graph.require_positive("interpolation")
        return elimination_rank(graph) if self.p < 2 else FactorPlan(graph)

    def start(
        self, graph: Graph, prepared: Ints | FactorPlan | None = None, rng: np.random.Generator | None = None
    ) -> InterpolationState:
        """Begin without labels."""
        return InterpolationState(graph, self, self.prepare(graph) if prepared is None else prepared)


class _Responses:
    """The linear system of one label, solved once for all problems that have the same nodes labelled."""

    def __init__(self) -> None:
        self._labelled: NDArray[np.bool_] | None = None
        self._found: LabelResponse | None = None
        self._swift = True

    def get(self, state: InterpolationState, node: int) -> LabelResponse:
        """The nodes that a label of `node` moves, their values per unit of change, and the conductance."""
        labelled = state.labels != 0
        labelled[node] = True
        if self._found is None or self._labelled is None or not np.array_equal(self._labelled, labelled):
            self._labelled, self._found = labelled, self._solve(state, node, labelled)
        if not self._swift:
            state.hard = min(state.hard, max(len(self._found[0]) // 2, 1000))
        return self._found

    def _solve(self, state: InterpolationState, node: int, labelled: NDArray[np.bool_]) -> LabelResponse:
        """By the factor that the state holds, or by conjugate gradients on the region of the node."""
        held = state.held
        found = None if held is None else held.response(state.record.nodes, state.labels, node)
        if found is not None:
            self._swift = True
            return found
        mask = labelled.astype(np.int8)
        region = find_region(state.graph.csr, mask, node)
        values, conductance, self._swift = harmonic_response(
            state.graph, mask, node, region, len(region.nodes) >= state.hard, state.learner.engine
        )
        return LabelResponse(region.nodes, values, conductance)
