"""Where the perceptron beats nearest neighbours, and where halving beats it (section 5)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.experiments.reproduction.adversary import hunt, play_state
from zerokelvin.graph import generators

__all__ = ["LineAgainstHalving", "LogarithmOfTheLine", "OctopusAgainstNeighbours"]


@claim("graph-perceptron/octopus")
class OctopusAgainstNeighbours(Claim):
    """Nearest neighbours fail on the octopus."""

    title: ClassVar[str] = "Octopus: nearest neighbours err once per tentacle"
    place: ClassVar[str] = "Section 5.1, Figure 5"
    says: ClassVar[str] = (
        "On (c₁, +1), (t₁,ₚ, −1), (c₂, +1), … with p ≥ 3 k-nearest neighbours make a mistake on every tip, "
        "m in all, by either distance; the perceptron with b = 1 makes at most 10p + 5, however many "
        "tentacles."
    )
    tolerance: ClassVar[str] = (
        "Exactly: at least m mistakes of each nearest-neighbour learner, at most 10p + 5 here."
    )

    def measure(self, lab: Laboratory) -> Found:
        """Tentacles doubled; k = 1 and 3 by both distances."""
        p, limit = 3, 10 * 3 + 5
        kinds = {
            f"nearest, k = {k}, {distance}": {"k": k, "distance": distance}
            for k in (1, 3)
            for distance in ("geodesic", "resistance")
        }
        made: dict[str, list[tuple[int, int]]] = {name: [] for name in (*kinds, "perceptron")}
        checks = []
        for m in lab.pick((4, 8, 16, 32, 64), (4, 8)):
            example = generators.balanced_octopus(m, p)
            head = m * p + 1
            tips = head + 1 + p * np.arange(m) + p - 1
            order = np.column_stack([np.arange(m), tips]).ravel()
            labels = np.asarray(example.labels)
            for name, params in kinds.items():
                learner = learners.make("nearest", **params)
                mistakes, _ = play_state(learner, example.graph, labels, order)
                made[name].append((m, mistakes))
                checks.append(Check.at_least(f"{name}, m = {m}", m, mistakes))
            mistakes, _ = play_state(learners.make("perceptron"), example.graph, labels, order)
            made["perceptron"].append((m, mistakes))
            checks.append(Check.at_most(f"perceptron, m = {m}", limit, mistakes))
        made["10p + 5"] = [(m, limit) for m, _ in made["perceptron"]]
        chart = curves(
            "Octopus, tentacles of length 3",
            "tentacles, m",
            "mistakes",
            made,
            log_x=True,
            log_y=True,
            dashed=["10p + 5"],
        )
        return Found(tuple(checks), (chart,))


@claim("graph-perceptron/line-halving")
class LineAgainstHalving(Claim):
    """On a line halving makes about log n mistakes, while the bound of the perceptron grows with n."""

    title: ClassVar[str] = "Line: halving needs log n, the perceptron's bound is 5n + 5"
    place: ClassVar[str] = "Section 5.2"
    says: ClassVar[str] = (
        "On a line with a cut of 1 halving makes at most about log n mistakes, while (16) allows the "
        "perceptron 5n + 5."
    )
    tolerance: ClassVar[str] = (
        "Halving stays within ⌊1 + log₂ n⌋ (mended, see the errata) against an adversary; (16), as the "
        "perceptron computes it, is at most 5n + 5, and never exceeded."
    )

    def measure(self, lab: Laboratory) -> Found:
        """Lines doubled, an adversary against each."""
        made: dict[str, list[tuple[int, float]]] = {
            "perceptron": [],
            "halving": [],
            "⌊1 + log₂ n⌋": [],
            "(16)": [],
        }
        checks = []
        for n in lab.pick((8, 16, 32, 64, 128), (8, 16, 32)):
            example = generators.line(n)
            graph, labels = example.graph, np.asarray(example.labels)
            limit = math.floor(1 + math.log2(n))
            halving = hunt(learners.make("halving", k=1), graph, labels, lab.seed)
            perceptron = hunt(learners.make("perceptron"), graph, labels, lab.seed)
            bound = learners.make("perceptron", b=1.0).start(graph).bound(labels, theorem="16").value
            checks.append(Check.at_most(f"halving, n = {n}", limit, halving))
            checks.append(Check.at_most(f"(16), n = {n}", 5 * n + 5, bound))
            checks.append(Check.at_most(f"perceptron, n = {n}", bound, perceptron))
            made["halving"].append((n, halving))
            made["perceptron"].append((n, perceptron))
            made["⌊1 + log₂ n⌋"].append((n, limit))
            made["(16)"].append((n, bound))
        chart = curves(
            "Line with a cut of 1, an adversary",
            "nodes, n",
            "mistakes",
            made,
            log_x=True,
            log_y=True,
            dashed=["⌊1 + log₂ n⌋", "(16)"],
        )
        return Found(tuple(checks), (chart,))


@claim("graph-perceptron/erratum-log-n")
class LogarithmOfTheLine(Claim):
    """⌈log₂ n⌉ leaves out the sign."""

    title: ClassVar[str] = "⌈log₂ n⌉ for halving on a line is one too few"
    place: ClassVar[str] = "Section 5.2"
    says: ClassVar[str] = (
        "On a line graph with a cut size of 1 the halving algorithm has an upper bound of ⌈log n⌉."
    )
    tolerance: ClassVar[str] = "Holds as printed if no labelling of cut 1 and no adversary has more."
    erratum: ClassVar[bool] = True

    def measure(self, lab: Laboratory) -> Found:
        """Every cut of a line of n nodes, both signs, an adversary against each."""
        checks = []
        for n in lab.pick((4, 8, 16), (4, 8)):
            most = 0
            for place in range(1, n):
                for sign in (-1, 1):
                    labels = np.where(np.arange(n) < place, sign, -sign)
                    graph = generators.line(n).graph
                    most = max(most, hunt(learners.make("halving", k=1), graph, labels, lab.seed))
            checks.append(Check.at_most(f"most mistakes, n = {n}", math.ceil(math.log2(n)), most))
            mended = math.floor(1 + math.log2(n))
            checks.append(Check.shown(f"mended, ⌊1 + log₂ n⌋, n = {n}", str(mended), str(most)))
        note = "A cut of 1 on n nodes has 2(n − 1) labelings, not n: the sign is one bit more."
        return Found(tuple(checks), notes=(note,))
