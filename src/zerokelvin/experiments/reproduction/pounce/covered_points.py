"""Figures 1 and 4: covers of points in the plane, and the value of unlabelled data (section 5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import pdist, squareform

from zerokelvin import learners
from zerokelvin.array_types import Floats, Ints
from zerokelvin.experiments.report.chart import curves, plane
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state, random_orders
from zerokelvin.graph import exponential_graph, generators
from zerokelvin.graph.measures.covers import component_separating_number, separating_number, separation

__all__ = ["TwoMoons", "UnlabelledData"]


def _moons(count: int, noise: float, seed: int) -> tuple[Floats, Ints]:
    """Two moons whose labels are apart: the first draw with a component separating cover of two."""
    for attempt in range(200):
        drawn = generators.two_moons(count, np.random.default_rng([seed, attempt]), noise=noise)
        points, labels = np.asarray(drawn.points), np.asarray(drawn.labels)
        if component_separating_number(squareform(pdist(points)), labels).value == 2:
            return points, labels
    return points, labels


def _balls(points: Floats, below: float) -> list[tuple[float, float, float, str]]:
    """Circles around the sets of a complete-linkage cover whose sets are less than `below` across."""
    found = fcluster(linkage(points, "complete"), below * (1 - 1e-9), "distance")
    circles = []
    for number in np.unique(found):
        members = points[found == number]
        centre = (members.min(axis=0) + members.max(axis=0)) / 2
        radius = float(np.sqrt(((members - centre) ** 2).sum(axis=1)).max())
        circles.append((*centre, radius, f"{len(members)} points"))
    return circles


@claim("pounce/figure-1")
class TwoMoons(Claim):
    """Two moons, covered by balls and by path-connected sets, and the bound of Theorem 8."""

    title: ClassVar[str] = "Two moons: two path-connected sets, many balls"
    place: ClassVar[str] = "Figure 1, Theorem 8, inequality (28)"
    says: ClassVar[str] = (
        "Two moons have N° = 42 balls but C° = 2 path-connected sets; with the exponential embedding and "
        "large a POUNCE makes at most C° + 1 ≤ N° + 1 mistakes."
    )
    tolerance: ClassVar[str] = (
        "C° = 2 and N° at least 10 on our draw (the paper's points are not published); at most C° + 1 "
        "mistakes in every order, an adversary's included."
    )
    cost: ClassVar[float] = 8.0

    def measure(self, lab: Laboratory) -> Found:
        """A draw with a cover of two, and the limit a → ∞."""
        points, labels = _moons(lab.pick(220, 160), 0.04, lab.seed)
        distances = squareform(pdist(points))
        balls = separating_number(distances, labels).value
        parts = component_separating_number(distances, labels).value
        learner = learners.make("pounce")
        graph = exponential_graph(points, np.inf)
        prepared = learner.prepare(graph)
        most = hunt(learner, graph, labels, lab.seed)
        for order in random_orders(len(points), lab.seeds(10, 3)):
            most = max(most, play_state(learner, graph, labels, order, prepared)[0])
        checks = (
            Check.holds("C°", "2", f"{parts:.0f}", parts == 2),
            Check.at_least("N° (complete linkage)", 10, balls),
            Check.at_most("POUNCE, worst order", parts + 1, most),
        )
        delta = separation(distances, labels)
        shown = [(x, y, int(s < 0), f"label {s:+d}") for (x, y), s in zip(points, labels, strict=True)]
        caption = (
            f"{balls:.0f} balls less than δ = {delta:.2f} across cover all; so do 2 path-connected sets."
        )
        chart = plane(
            "Covering the two moons",
            shown,
            ("label +1", "label −1"),
            circles=_balls(points, delta),
            caption=caption,
        )
        return Found(checks, (chart,))


@claim("pounce/figure-4")
class UnlabelledData(Claim):
    """Points that only unlabelled ones tell apart: mistakes with those and without."""

    title: ClassVar[str] = "Unlabelled data: 3 mistakes with it, n/2 without"
    place: ClassVar[str] = "Section 5, Figure 4"
    says: ClassVar[str] = (
        "n points whose labels are fair coins, told apart only by 5n others: without a preview of these any "
        "algorithm has n/2 expected mistakes, POUNCE with them no more than 3."
    )
    tolerance: ClassVar[str] = (
        "POUNCE at most 3 in every order; nearest neighbours without the others between 0.4n and 0.6n in "
        "the mean."
    )
    cost: ClassVar[float] = 20.0

    def measure(self, lab: Laboratory) -> Found:
        """Sizes doubled; nearest neighbours sees the n points alone."""
        made: dict[str, list[tuple[int, float]]] = {
            "POUNCE, preview": [],
            "nearest, no preview": [],
            "n/2": [],
            "3": [],
        }
        checks = []
        for n in lab.pick((10, 20, 40), (10, 20)):
            most, blind = 0, []
            for seed in lab.seeds(10, 3):
                drawn = generators.path_connected_sets(n, np.random.default_rng([lab.seed, n, seed]))
                points, labels = np.asarray(drawn.points), np.asarray(drawn.labels)
                order = np.random.default_rng(seed).permutation(n)
                graph = exponential_graph(points, np.inf)
                most = max(most, play_state(learners.make("pounce"), graph, labels, order)[0])
            for seed in lab.seeds(100, 40):
                rng = np.random.default_rng([lab.seed, n, seed, 1])
                drawn = generators.path_connected_sets(n, rng)
                coins = np.asarray(drawn.labels)[:n]
                blind.append(_blind(np.asarray(drawn.points)[:n], coins, rng.permutation(n)))
            share = float(np.mean(blind)) / n
            checks.append(Check.at_most(f"POUNCE, n = {n}", 3, most))
            checks.append(Check.between(f"nearest without the others / n, n = {n}", 0.4, 0.6, share))
            made["POUNCE, preview"].append((n, most))
            made["nearest, no preview"].append((n, float(np.mean(blind))))
            made["n/2"].append((n, n / 2))
            made["3"].append((n, 3))
        small = generators.path_connected_sets(12, np.random.default_rng(lab.seed))
        shown = [
            (x, y, 2 * int(i >= 12) + int(s < 0), f"label {s:+d}")
            for i, ((x, y), s) in enumerate(zip(np.asarray(small.points), small.labels, strict=True))
        ]
        names = ("to predict, +1", "to predict, −1", "unlabelled, of +1", "unlabelled, of −1")
        edges = small.graph.edges
        pictures = (
            plane("Two ½-path-connected sets (n = 12)", shown, names, edges=edges),
            curves("Value of unlabelled data", "points to predict, n", "mistakes", made, dashed=["n/2", "3"]),
        )
        return Found(tuple(checks), pictures)


def _blind(points: Floats, labels: Ints, order: Ints) -> int:
    """Mistakes of 1-nearest-neighbour on points that are revealed as they are predicted."""
    mistakes = 1
    for t in range(1, len(order)):
        seen, node = order[:t], order[t]
        near = seen[np.argmin(((points[seen] - points[node]) ** 2).sum(axis=1))]
        mistakes += int(labels[near] != labels[node])
    return mistakes
