"""The norm of a coordinate: Theorem 3.2, Corollary 3.1, and the flower on which (9) is nearly tight."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.graph import Graph, diameter, generators
from zerokelvin.graph.measures.distances import eccentricity, geodesic_distances
from zerokelvin.resistance.effective import kernel_diagonal, resistance_diameter, resistances_from

__all__ = ["CoordinateNorms", "Flower", "MoreEdges"]


@claim("graph-perceptron/flower")
class Flower(Claim):
    """How tight inequality (9) is on flowers: the gap tends to 1."""

    title: ClassVar[str] = "Flower: (9) is tight up to 1"
    place: ClassVar[str] = "Section 3, Figure 4, inequality (9)"
    says: ClassVar[str] = (
        "On a stem of p vertices with m petals (p − 1) − (p − 1)²p²/(4m) ≤ ‖v₁‖² ≤ p; as m → ∞ the gap to "
        "the diameter p is 1."
    )
    tolerance: ClassVar[str] = (
        "Both inequalities to rounding; with the most petals the gap lies in [0.99, 1.01]."
    )

    def measure(self, lab: Laboratory) -> Found:
        """‖v₁‖² on flowers of more and more petals, and the two sides of (9)."""
        p, checks, norms, lower = 6, [], [], []
        petals = lab.pick((10, 100, 1000, 10_000, 100_000), (10, 1000, 20_000))
        for m in petals:
            norm = float(kernel_diagonal(generators.flower(p, m).graph)[0])
            least = (p - 1) - (p - 1) ** 2 * p**2 / (4 * m)
            checks.append(Check.between(f"‖v₁‖², m = {m:,}", least, p, norm))
            norms.append((m, norm))
            lower.append((m, max(least, 0.0)))
        checks.append(Check.between("gap p − ‖v₁‖² with the most petals", 0.99, 1.01, p - norms[-1][1]))
        series = {"‖v₁‖²": norms, "lower limit": lower, "diameter p": [(m, p) for m in petals]}
        chart = curves(
            f"Flower with a stem of {p}",
            "petals, m",
            "squared norm",
            series,
            log_x=True,
            dashed=["lower limit", "diameter p"],
        )
        return Found(tuple(checks), (chart,))


@claim("graph-perceptron/coordinate-norms")
class CoordinateNorms(Claim):
    """At every vertex ‖v_p‖² is at most the mean resistance, and that at most the eccentricity."""

    title: ClassVar[str] = "‖v_p‖² ≤ mean resistance ≤ eccentricity"
    place: ClassVar[str] = "Theorem 3.2, inequality (9)"
    says: ClassVar[str] = "‖v_p‖² ≤ (1/n) Σ r(p, q) ≤ d(p) for every vertex, and max ‖v_p‖² ≤ R_G ≤ D_G."
    tolerance: ClassVar[str] = "No vertex of any graph tried exceeds either side (10⁻⁹)."

    def measure(self, lab: Laboratory) -> Found:
        """Every vertex of the paper's graphs and of random trees."""
        size = lab.pick(12, 6)
        rng = np.random.default_rng(lab.seed)
        graphs = {
            "barbell": generators.barbell(size).graph,
            "octopus": generators.balanced_octopus(4, 3).graph,
            "flower": generators.flower(6, 20).graph,
            "line": generators.line(4 * size).graph,
            "grid": generators.grid(size, size).graph,
            "random tree": generators.random_tree(5 * size, rng).graph,
        }
        checks = []
        for name, graph in graphs.items():
            norms = kernel_diagonal(graph)
            means = np.array([resistances_from(graph, node).mean() for node in range(graph.num_nodes)])
            reach = np.array([eccentricity(graph, node) for node in range(graph.num_nodes)])
            checks.append(Check.at_most(f"{name}: largest ‖v‖² / mean resistance", 1, (norms / means).max()))
            checks.append(Check.at_most(f"{name}: largest mean resistance / d(p)", 1, (means / reach).max()))
            whole = float(resistance_diameter(graph))
            checks.append(Check.at_most(f"{name}: max ‖v‖² and R_G", whole, float(norms.max())))
            checks.append(Check.at_most(f"{name}: R_G and D_G", float(diameter(graph)), whole))
        return Found(tuple(checks))


@claim("graph-perceptron/more-edges")
class MoreEdges(Claim):
    """Corollary 3.1 and Lemma 3.2."""

    title: ClassVar[str] = "More edges raise no resistance and no norm; on a tree resistance is distance"
    place: ClassVar[str] = "Corollary 3.1, Lemma 3.2"
    says: ClassVar[str] = (
        "If no distance Δ of G exceeds that of G′, no ‖v_p‖² and no resistance of G exceeds that of G′; on a "
        "tree r(p, q) = d(p, q)."
    )
    tolerance: ClassVar[str] = "On random trees that get more and more edges, to rounding (10⁻⁹)."

    def measure(self, lab: Laboratory) -> Found:
        """A random tree, then a few edges more at a time."""
        n, checks = lab.pick(60, 20), []
        shown: dict[str, list[tuple[int, float]]] = {"largest resistance": [], "largest ‖v‖²": []}
        for seed in lab.seeds(3, 1):
            rng = np.random.default_rng([lab.seed, seed])
            graph = generators.random_tree(n, rng).graph
            norms, resistances = kernel_diagonal(graph), _resistances(graph)
            distances = np.array([geodesic_distances(graph, node) for node in range(n)])
            apart = float(np.abs(resistances - distances).max())
            checks.append(Check.at_most(f"tree {seed}: largest |r − d|", 1e-9, apart))
            for _ in range(5):
                extra = rng.integers(n, size=(n // 5, 2))
                extra = extra[extra[:, 0] != extra[:, 1]]
                edges = np.concatenate([np.asarray(graph.edges)[:, :2].astype(np.int64), extra])
                graph = Graph.from_edges(np.unique(np.sort(edges, axis=1), axis=0), num_nodes=n)
                fewer_norms, fewer = kernel_diagonal(graph), _resistances(graph)
                what = f"tree {seed}, {graph.num_edges} edges: largest rise of a"
                checks.append(Check.at_most(f"{what} norm", 1e-9, float((fewer_norms - norms).max())))
                checks.append(Check.at_most(f"{what} resistance", 1e-9, float((fewer - resistances).max())))
                norms, resistances = fewer_norms, fewer
                if seed == lab.seed:
                    shown["largest resistance"].append((graph.num_edges, float(fewer.max())))
                    shown["largest ‖v‖²"].append((graph.num_edges, float(fewer_norms.max())))
        chart = curves(f"A tree of {n} nodes that gets more edges", "edges", "", shown)
        return Found(tuple(checks), (chart,))


def _resistances(graph: Graph) -> Floats:
    """Between all pairs of nodes."""
    return np.array([resistances_from(graph, node) for node in range(graph.num_nodes)])
