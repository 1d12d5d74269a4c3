"""Two cliques: one edge between them, one noisy node, many edges (sections 1.1 and 4)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state, random_orders
from zerokelvin.graph import cut, diameter, generators
from zerokelvin.resistance.effective import resistance_diameter

__all__ = ["Barbell", "NoisyBarbell", "ThickBarbell"]


def _worst(
    lab: Laboratory, example: generators.LabelledGraph, theorem: str, **params: float
) -> tuple[int, float]:
    """The most mistakes of the perceptron in random orders and against an adversary, and its least bound."""
    learner = learners.make("perceptron", **params)
    graph, labels = example.graph, np.asarray(example.labels)
    most, least = hunt(learner, graph, labels, lab.seed), np.inf
    for order in random_orders(graph.num_nodes, lab.seeds(5, 2)):
        mistakes, state = play_state(learner, graph, labels, order)
        most, least = max(most, mistakes), min(least, state.bound(labels, theorem=theorem).value)
    return most, float(least)


@claim("graph-perceptron/barbell")
class Barbell(Claim):
    """Equation (1) is 12 on every barbell, and the perceptron keeps within it."""

    title: ClassVar[str] = "Barbell: a bound of 12, whatever the size"
    place: ClassVar[str] = "Section 1.1, Figure 2, equation (1)"
    says: ClassVar[str] = "On two m-cliques joined by one edge 4Φ·D·bal = 4·1·3·1 = 12, independent of m."
    tolerance: ClassVar[str] = "(1) is 12 to rounding at every m, and no order has more than 12 mistakes."

    def measure(self, lab: Laboratory) -> Found:
        """Equation (1) and the mistakes in the worst order, on cliques of doubled size."""
        checks, made, bounds = [], [], []
        for m in lab.pick((4, 8, 16, 32, 64), (4, 8)):
            most, value = _worst(lab, generators.barbell(m), "1", b=0.0)
            checks.append(Check.close(f"equation (1), m = {m}", 12.0, value, 1e-6, 6))
            checks.append(Check.at_most(f"mistakes, worst order, m = {m}", 12, most))
            made.append((m, most))
            bounds.append((m, value))
        chart = curves(
            "Barbell",
            "nodes in a clique, m",
            "mistakes",
            {"worst order": made, "equation (1)": bounds},
            dashed=["equation (1)"],
            log_x=True,
            caption="Perceptron with the kernel G⁺ (b = 0).",
        )
        return Found(tuple(checks), (chart,))


@claim("graph-perceptron/noisy-barbell")
class NoisyBarbell(Claim):
    """Equations (1) and (15) under concept noise."""

    title: ClassVar[str] = "Noisy barbell: (1) grows with m, (15) does not"
    place: ClassVar[str] = "Sections 1.1 and 4, Figure 3, equations (1) and (15)"
    says: ClassVar[str] = (
        "With k noisy vertices Φ = m for k = 1 and (1) is O(kn), vacuous; (15) with b = c = 1 is O(k)."
    )
    tolerance: ClassVar[str] = (
        "Doubling m multiplies (1) by at least 1.8 and (15) by at most 1.1; (15) grows with k at most in "
        "proportion; no order has more mistakes than (15)."
    )

    def measure(self, lab: Laboratory) -> Found:
        """Sizes doubled at one noisy node, then more noisy nodes at one size."""
        sizes = lab.pick((16, 32, 64, 128), (16, 32))
        rows = {m: (_worst(lab, generators.noisy_barbell(m), "1", b=0.0)[1],) for m in sizes}
        most = {m: _worst(lab, generators.noisy_barbell(m), "4.2", b=1.0, c=1.0) for m in sizes}
        checks = []
        for m, twice in pairwise(sizes):
            checks.append(
                Check.at_least(f"(1) at m = {twice} over m = {m}", 1.8, rows[twice][0] / rows[m][0])
            )
            checks.append(
                Check.at_most(f"(15) at m = {twice} over m = {m}", 1.1, most[twice][1] / most[m][1])
            )
        checks += [Check.at_most(f"mistakes, worst order, m = {m}", most[m][1], most[m][0]) for m in sizes]
        counts = lab.pick((1, 2, 4, 8), (1, 2))
        big = sizes[-1]
        grown = {k: _worst(lab, generators.noisy_barbell(big, k), "4.2", b=1.0, c=1.0) for k in counts}
        for k in counts[1:]:
            checks.append(Check.at_most(f"(15) at k = {k} over k = 1", k, grown[k][1] / grown[1][1]))
        series: dict[str, list[Any]] = {
            "equation (1)": [(m, rows[m][0]) for m in sizes],
            "equation (15), b = c = 1": [(m, most[m][1]) for m in sizes],
            "mistakes, worst order": [(m, most[m][0]) for m in sizes],
        }
        chart = curves(
            "One noisy node",
            "nodes in a clique, m",
            "mistakes",
            series,
            log_x=True,
            log_y=True,
            dashed=["equation (1)", "equation (15), b = c = 1"],
        )
        return Found(tuple(checks), (chart,))


@claim("graph-perceptron/thick-barbell")
class ThickBarbell(Claim):
    """Cliques joined by many edges: the bound by resistance beside that by geodesic diameter."""

    title: ClassVar[str] = "Thick barbell: 20 by resistance, 16ℓ by distance"
    place: ClassVar[str] = "Section 4, end"
    says: ClassVar[str] = (
        "With ℓ edges between two m-cliques R_G ≤ 5/ℓ and D_G = 3: (16) with D_G is 16ℓ, (15) with b = "
        "1/(4n) and R_G ≤ 5/ℓ is 20, independent of ℓ."
    )
    tolerance: ClassVar[str] = (
        "R_G ≤ 5/ℓ; (4Φ)(R_G + b) ≤ 20 with R_G as computed; Φ = ℓ and D_G = 3, which make (16) 16ℓ; "
        "mistakes within both."
    )

    def measure(self, lab: Laboratory) -> Found:
        """More and more edges between cliques of one size."""
        m = lab.pick(40, 12)
        checks, by_resistance, by_distance, made = [], [], [], []
        for edges in lab.pick((1, 2, 5, 10, 20, 39), (1, 4, 11)):
            example = generators.thick_barbell(m, edges)
            reach = float(resistance_diameter(example.graph))
            b = 1 / (4 * example.graph.num_nodes)
            most, value = _worst(lab, example, "4.2", b=b)
            across = cut(example.graph, example.labels)
            longest = float(diameter(example.graph))
            geodesic = 4 * across * (longest + 1)  # (16) with D_G for R_G, on labels in balance
            checks.append(Check.at_most(f"R_G, ℓ = {edges}", 5 / edges, reach))
            checks.append(Check.at_most(f"(15), ℓ = {edges}", 20, value))
            checks.append(Check.close(f"cut, ℓ = {edges}", edges, across, 1e-9, 0))
            checks.append(Check.close(f"D_G, ℓ = {edges}", 3, longest, 1e-9, 0))
            checks.append(Check.at_most(f"mistakes, ℓ = {edges}", min(value, geodesic), most))
            by_resistance.append((edges, value))
            by_distance.append((edges, geodesic))
            made.append((edges, most))
        series: dict[str, list[Any]] = {
            "worst order": made,
            "(15), resistance": by_resistance,
            "(16), distance": by_distance,
        }
        chart = curves(
            f"Two {m}-cliques",
            "edges between them, ℓ",
            "mistakes",
            series,
            log_x=True,
            log_y=True,
            dashed=["(15), resistance", "(16), distance"],
        )
        return Found(tuple(checks), (chart,))
