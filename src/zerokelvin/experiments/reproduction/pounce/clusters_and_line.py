"""Three clusters, the line, and equation (4): POUNCE's bound beside the perceptron's (sections 2 and 6)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves, plane
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state, random_orders
from zerokelvin.graph import cut, generators
from zerokelvin.resistance.effective import edge_resistances, resistance_diameter

__all__ = ["EquationFour", "LineOfPounce", "ThreeClusters"]


def _slope(points: list[tuple[int, float]]) -> float:
    """The exponent of growth: the slope of log y against log x."""
    x, y = np.log(np.array(points, dtype=np.float64)).T
    return float(np.polyfit(x, y, 1)[0])


@claim("pounce/figure-2")
class ThreeClusters(Claim):
    """Three clusters are hard for the perceptron."""

    title: ClassVar[str] = "Three clusters: at most 20, where the perceptron's bound grows"
    place: ClassVar[str] = "Section 2.2, Figure 2, equations (4) and (10)"
    says: ClassVar[str] = (
        "Two m-cliques joined by ℓ < m edges and a third by a constant number: (4) grows as Θ(ℓ), while "
        "(10) with ρ = 2/(m − 1) and N = 3 gives POUNCE the constant 20; for two clusters (4) is the "
        "constant 42."
    )
    tolerance: ClassVar[str] = (
        "Three balls of ρ = 2/(m − 1) cover, and 4 + 4Φρ ≤ 20, at every m; "
        "from one size to the next doubled (4) grows by at least 1.6; (4) on two "
        "clusters at most 42; POUNCE within its bound in every order."
    )
    cost: ClassVar[float] = 20.0

    def measure(self, lab: Laboratory) -> Found:
        """Bounds and mistakes on three clusters of doubled size m, joined by ℓ = m/2 edges."""
        four, ten, made, checks = [], [], [], []
        for m in lab.pick((32, 64, 128, 256), (32, 64, 128)):
            example = generators.three_clusters(m, m // 2)
            graph, labels = example.graph, np.asarray(example.labels)
            phi = cut(graph, labels)
            reach = float(resistance_diameter(graph))
            four.append((m // 2, 2 * 4 * phi * reach + 2))
            ends = np.asarray(graph.edges)[:, :2].astype(np.int64) // m  # the cliques of both ends
            widest = float(edge_resistances(graph)[ends[:, 0] == ends[:, 1]].max())
            checks.append(Check.at_most(f"resistance within a clique, m = {m}", 2 / (m - 1), widest))
            printed = 3 + 4 * phi * 2 / (m - 1) + 1
            ten.append((m // 2, printed))
            learner = learners.make("pounce")
            prepared = learner.prepare(graph)
            games = [
                play_state(learner, graph, labels, o, prepared) for o in random_orders(3 * m, lab.seeds(5, 2))
            ]
            most = max(hunt(learner, graph, labels, lab.seed), *(mistakes for mistakes, _ in games))
            made.append((m // 2, most))
            checks.append(Check.at_most(f"(10), m = {m}", 20, printed))
            checks.append(Check.at_most(f"POUNCE, worst order, m = {m}", printed, most))
            two = generators.thick_barbell(m, m // 2)
            value = 2 * 4 * cut(two.graph, two.labels) * float(resistance_diameter(two.graph)) + 2
            checks.append(Check.at_most(f"(4) on two clusters, m = {m}", 42, value))
        for (edges, before), (_, after) in pairwise(four):
            checks.append(Check.at_least(f"growth of (4), ℓ = {edges} doubled", 1.6, after / before))
        series = {"POUNCE, worst order": made, "(10) of POUNCE": ten, "(4) of the perceptron": four}
        bounds = ["(10) of POUNCE", "(4) of the perceptron"]
        chart = curves(
            "Three clusters, ℓ = m/2", "edges, ℓ", "mistakes", series, dashed=bounds, log_x=True, log_y=True
        )
        return Found(tuple(checks), (_drawing(), chart))


def _drawing() -> dict[str, object]:
    """Figure 2: three cliques on circles, the third far off."""
    m, example = 10, generators.three_clusters(10, 6)
    centres = [(0.0, 0.0), (4.0, 0.0), (12.0, 3.0)]
    points = []
    for i in range(3 * m):
        x, y = centres[i // m]
        angle = 2 * math.pi * (i % m) / m
        label = int(example.labels[i])
        points.append(
            (x + 1.3 * math.cos(angle), y + 1.3 * math.sin(angle), int(label < 0), f"label {label:+d}")
        )
    circles = [(x, y, 1.7, "one ball of diameter ρ = 2/(m − 1) in resistance") for x, y in centres]
    return plane(
        "Three clusters, one in isolation",
        points,
        ("label +1", "label −1"),
        edges=example.graph.edges,
        circles=circles,
    )


@claim("pounce/line")
class LineOfPounce(Claim):
    """How bounds and mistakes grow with a line: √n by covers, n for the perceptron, log n by halving."""

    title: ClassVar[str] = "Line: O(√n) by covers, O(n) for the perceptron, O(log n) by halving"
    place: ClassVar[str] = "Section 6"
    says: ClassVar[str] = (
        "On a line with cut 1, Theorem 2 with O(√n) segments gives O(√n); the perceptron's bound is O(n), "
        "halving's O(log n)."
    )
    tolerance: ClassVar[str] = (
        "Exponents fitted over n: 0.4 to 0.6 for Theorem 2, 0.9 to 1.1 for (16), at most 0.4 for the "
        "bound of halving with k = 1; no order exceeds Theorem 2."
    )
    cost: ClassVar[float] = 10.0

    def measure(self, lab: Laboratory) -> Found:
        """Play lines of doubled length, and fit exponents to mistakes and bounds."""
        made: dict[str, list[tuple[int, float]]] = {
            "POUNCE, worst order": [],
            "Theorem 2": [],
            "(16)": [],
            "halving's bound": [],
        }
        checks = []
        for n in lab.pick((64, 128, 256, 512), (64, 128, 256)):
            example = generators.line(n)
            graph, labels = example.graph, np.asarray(example.labels)
            learner = learners.make("pounce")
            state = learner.start(graph)
            limit = state.bound(labels, theorem="2", ahead=True).value
            most = hunt(learner, graph, labels, lab.seed) if n <= 256 else 0
            for order in random_orders(n, lab.seeds(5, 2)):
                most = max(most, play_state(learner, graph, labels, order)[0])
            made["POUNCE, worst order"].append((n, most))
            made["Theorem 2"].append((n, limit))
            perceptron = learners.make("perceptron", b=1.0).start(graph)
            made["(16)"].append((n, perceptron.bound(labels, theorem="16").value))
            halving = learners.make("halving", k=1).start(graph)
            made["halving's bound"].append((n, halving.bound(labels).value))
            checks.append(Check.at_most(f"POUNCE, n = {n}", limit, most))
        checks.append(Check.between("exponent of Theorem 2", 0.4, 0.6, _slope(made["Theorem 2"])))
        checks.append(Check.between("exponent of (16)", 0.9, 1.1, _slope(made["(16)"])))
        checks.append(Check.at_most("exponent of halving's bound", 0.4, _slope(made["halving's bound"])))
        bounds = ["Theorem 2", "(16)", "halving's bound"]
        chart = curves("Line, cut of 1", "nodes, n", "mistakes", made, dashed=bounds, log_x=True, log_y=True)
        return Found(tuple(checks), (chart,))


@claim("pounce/equation-4")
class EquationFour(Claim):
    """Equation (4), and the factor two of Theorem 2."""

    title: ClassVar[str] = "Equation (4), improved by a factor of two"
    place: ClassVar[str] = "Equation (4), Theorem 2, footnote 1"
    says: ClassVar[str] = (
        "With b = R_G the perceptron makes at most 2‖u*‖²R_G + 2 mistakes; with one ball Theorem 2 is "
        "‖u‖²R_G + 2, half of the leading term."
    )
    tolerance: ClassVar[str] = (
        "No order exceeds either; Theorem 2 is at most (‖u‖²R_G + 2) with u the labelling."
    )
    cost: ClassVar[float] = 10.0

    def measure(self, lab: Laboratory) -> Found:
        """The graphs of the paper and a grid."""
        size = lab.pick(16, 8)
        examples = {
            "barbell": generators.barbell(size),
            "thick barbell": generators.thick_barbell(size, 5),
            "three clusters": generators.three_clusters(size, 5),
            "octopus": generators.balanced_octopus(4, 3),
            "line": generators.line(4 * size),
            "grid": generators.grid(size, size),
        }
        checks = []
        series: dict[str, list[Any]] = {"(4), perceptron": [], "Theorem 2, POUNCE": []}
        for name, example in examples.items():
            graph, labels = example.graph, np.asarray(example.labels)
            reach = float(resistance_diameter(graph))
            one_ball = 4 * cut(graph, labels) * reach + 2
            for learner, theorem, kind in (
                (learners.make("perceptron", b=reach), "4", "(4), perceptron"),
                (learners.make("pounce"), "2", "Theorem 2, POUNCE"),
            ):
                worst, limit = 0, 0.0
                for order in random_orders(graph.num_nodes, lab.seeds(5, 2)):
                    mistakes, state = play_state(learner, graph, labels, order)
                    bound = state.bound(labels, theorem=theorem).value
                    if mistakes / bound >= worst / max(limit, 1e-9) or not limit:
                        worst, limit = mistakes, bound
                checks.append(Check.at_most(f"{kind}, {name}", limit, worst))
                series[kind].append((worst, limit, f"{name}: {worst} made, {limit:.1f} allowed"))
            checks.append(Check.at_most(f"Theorem 2 on {name}", one_ball, series["Theorem 2, POUNCE"][-1][1]))
        chart = curves(
            "Random orders",
            "mistakes",
            "bound",
            series,
            loose=True,
            log_x=True,
            log_y=True,
            diagonal="bound = mistakes",
        )
        return Found(tuple(checks), (chart,))
