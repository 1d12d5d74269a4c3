"""Edges that say "differ": Lemma 1, Theorem 5 and Theorem 2 on signed Laplacians (sections 3.1 and 4)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.optimize import minimize

from zerokelvin import learners
from zerokelvin.array_types import Floats, Ints
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state, random_orders
from zerokelvin.graph import Graph

__all__ = ["SignedLaplacians"]


@claim("pounce/signed-laplacians")
class SignedLaplacians(Claim):
    """POUNCE on signed graphs."""

    title: ClassVar[str] = "Signed Laplacians: the energy counts violated edges, and the bound stays"
    place: ClassVar[str] = "Section 3.1, Lemma 1; section 4, Theorems 2 and 5"
    says: ClassVar[str] = (
        "uᵀMu sums |M|(u_i − u_j)² over edges that say “alike” and |M|(u_i + u_j)² over those that say "
        "“differ”; the least energy with u_i = y_i is the least with u_i·y_i ≥ 1; and Theorem 2 holds for "
        "every positive definite signed Laplacian."
    )
    tolerance: ClassVar[str] = (
        "On random signed graphs that no split into two camps satisfies: both sides of Lemma 1 equal to "
        "10⁻⁹, of Theorem 5 to 10⁻⁵ (the second minimised numerically), and no order exceeds Theorem 2."
    )
    cost: ClassVar[float] = 10.0

    def measure(self, lab: Laboratory) -> Found:
        """Random graphs, a third of the edges negative, labels tossed."""
        apart, between, over = 0.0, 0.0, 0
        points: list[Any] = []
        games = lab.pick(40, 8)
        for number in range(games):
            rng = np.random.default_rng([lab.seed, number])
            graph, labels = _signed_graph(rng, int(rng.integers(8, 20)))
            M = graph.laplacian().toarray()
            u = rng.normal(size=graph.num_nodes)
            apart = max(apart, abs(float(u @ M @ u) - _by_edges(graph, u)))
            known = rng.choice(graph.num_nodes, graph.num_nodes // 3, replace=False)
            between = max(between, abs(_least_energy(M, labels, known) - _least_beyond(M, labels, known)))
            learner = learners.make("pounce")
            limit = learner.start(graph).bound(labels, theorem="2", ahead=True).value
            most = hunt(learner, graph, labels, lab.seed)
            for order in random_orders(graph.num_nodes, lab.seeds(5, 2)):
                most = max(most, play_state(learner, graph, labels, order)[0])
            over += int(most > limit * (1 + 1e-9))
            points.append((most, limit, f"{graph.num_nodes} nodes: {most} made, {limit:.1f} allowed"))
        checks = (
            Check.at_most(f"Lemma 1: largest difference, {games} graphs", 1e-9, apart),
            Check.at_most("Theorem 5: largest difference of the two energies", 1e-5, between),
            Check.at_most("games over Theorem 2", 0, over),
        )
        chart = curves(
            "Signed graphs, worst order",
            "mistakes",
            "Theorem 2",
            {"a graph": points},
            loose=True,
            log_x=True,
            log_y=True,
            diagonal="bound = mistakes",
        )
        return Found(checks, (chart,))


def _signed_graph(rng: np.random.Generator, count: int) -> tuple[Graph, Ints]:
    """A connected graph with a triangle that no two camps satisfy, so that M is positive definite; labels."""
    tree = [(int(rng.integers(i)), i) for i in range(1, count)]
    extra = rng.integers(count, size=(count, 2))
    pairs = {(min(a, b), max(a, b)) for a, b in [*tree, *extra.tolist(), (0, 1), (1, 2), (0, 2)] if a != b}
    weights = {pair: -1.0 if rng.random() < 1 / 3 else 1.0 for pair in sorted(pairs)}
    weights |= {(0, 1): 1.0, (1, 2): 1.0, (0, 2): -1.0}
    labels = np.where(rng.random(count) < 0.5, -1, 1).astype(np.int64)
    graph = Graph.from_edges(
        np.array(list(weights)), weights=np.array(list(weights.values())), num_nodes=count
    )
    return graph, labels


def _by_edges(graph: Graph, u: Floats) -> float:
    """The right side of Lemma 1; no vertex has a weight of its own."""
    weights = graph.adjacency.tocoo()
    a, b, w = weights.row, weights.col, weights.data
    return float((np.abs(w) * (u[a] - np.sign(w) * u[b]) ** 2).sum() / 2)


def _least_energy(M: Floats, labels: Ints, known: Ints) -> float:
    """The least uᵀMu with the labels on some nodes."""
    rest = np.setdiff1d(np.arange(len(M)), known)
    u = labels.astype(np.float64)
    u[rest] = np.linalg.solve(M[np.ix_(rest, rest)], -M[np.ix_(rest, known)] @ u[known])
    return float(u @ M @ u)


def _least_beyond(M: Floats, labels: Ints, known: Ints) -> float:
    """The least uᵀMu with u·y at least 1 on these nodes, numerically."""
    limits: list[tuple[float | None, float | None]] = [(None, None)] * len(M)
    for node in known.tolist():
        limits[node] = (1.0, None) if labels[node] > 0 else (None, -1.0)
    options = {"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-10}

    def energy(u: Floats) -> tuple[float, Floats]:
        return float(u @ M @ u), 2.0 * (M @ u)

    start: Floats = 2.0 * labels.astype(np.float64)
    found: Any = minimize(energy, start, jac=True, bounds=limits, options=options)  # type: ignore[call-overload]
    return float(found.fun)
