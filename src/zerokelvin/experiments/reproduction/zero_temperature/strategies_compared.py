"""Propositions 6 and 7: graphs on which fixed or shortest paths err far more often; and what a game costs.

The paper's constructions are in an appendix that is not part of the published text. Those here have what the
propositions state: for Proposition 6 c layers of c nodes, each layer before the next, every node also joined
to source and target directly; for Proposition 7 c long paths of c segments, and c short ones that cross all
of them where segments begin.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, ClassVar

import numpy as np

from zerokelvin import learners
from zerokelvin.experiments.report.chart import curves
from zerokelvin.experiments.report.claim import Check, Claim, Found, claim
from zerokelvin.experiments.report.laboratory import Laboratory
from zerokelvin.flow import OnlineCut, picard_queyranne
from zerokelvin.graph import Graph, generators

__all__ = ["BadCover", "CostOfAGame", "ShortestPaths", "crossed_paths", "layered_graph"]

Arcs = list[tuple[int, int]]


def layered_graph(c: int) -> tuple[Arcs, int, int, list[list[int]], tuple[tuple[int, ...], ...]]:
    """Layers of nodes, c times c, joined through hubs, and every node directly to source and target.

    Arcs, source, target, the layers, and a cover by paths that holds every direct path.
    """
    layers = [[1 + j * (c + 1) + i for i in range(c)] for j in range(c)]
    hubs = [1 + j * (c + 1) + c for j in range(c - 1)]
    source, target = 0, 1 + c * (c + 1)
    short = [(node,) for layer in layers for node in layer]
    long = [tuple(node for j in range(c) for node in (layers[j][i], *hubs[j : j + 1])) for i in range(c)]
    arcs = []
    for path in (*short, *long):
        arcs += list(zip([source, *path], [*path, target], strict=True))
    return arcs, source, target, layers, (*short, *long)


def crossed_paths(c: int) -> tuple[Arcs, int, int, list[list[int]]]:
    """Long paths, c of c segments of c³ arcs, and c short ones across; arcs, source, target, long paths."""
    length = c * c**3
    rows = [[1 + q * length + x for x in range(length)] for q in range(c)]
    source, target = 0, 1 + c * length
    arcs = []
    for path in (*rows, *([row[j * c**3] for row in rows] for j in range(c))):
        arcs += list(zip([source, *path], [*path, target], strict=True))
    return arcs, source, target, rows


@claim("zero-temperature/proposition-6")
class BadCover(Claim):
    """Fixed paths with a bad cover."""

    title: ClassVar[str] = "Proposition 6: a bad cover costs c² mistakes where counting costs O(c)"
    place: ClassVar[str] = "Section 3.2, Proposition 6"
    says: ClassVar[str] = (
        "For every c ≥ 2 there is a Picard–Queyranne graph and a path cover with which fixed-paths makes "
        "Ω(c²) mistakes in some game, while 0-Ising makes O(c) in all."
    )
    tolerance: ClassVar[str] = (
        "On our construction fixed-paths makes at least c² mistakes, 0-Ising at most 2c; log₂ of the number "
        "of minimum cuts, which bounds it in every game, is at most 2c."
    )
    cost: ClassVar[float] = 6.0

    def measure(self, lab: Laboratory) -> Found:
        """The truth is +1 everywhere, shown from the target's side."""
        checks = []
        made: dict[str, list[tuple[int, float]]] = {
            "fixed-paths": [],
            "zero-ising": [],
            "log₂ of the cuts": [],
        }
        for c in lab.pick((2, 3, 4, 6, 8), (2, 4)):
            arcs, source, target, layers, cover = layered_graph(c)
            place = {int(node): i for i, node in enumerate(np.unique(arcs))}
            graph = Graph.from_edges([(place[a], place[b]) for a, b in arcs])
            paths = tuple(tuple(place[node] for node in path) for path in cover)
            ends: dict[Hashable, int] = {place[source]: -1, place[target]: 1}
            cuts = math.log2(picard_queyranne(graph, ends).count_minimum_cuts() or math.inf)
            for name, params in (("fixed-paths", {"cover": paths}), ("zero-ising", {})):
                state = learners.make(name, **params).start(graph)
                state.update(place[source], -1)
                state.update(place[target], 1)
                mistakes = 0
                for node in (place[node] for layer in reversed(layers) for node in layer):
                    mistakes += int(state.margin(node) < 0)
                    state.update(node, 1)
                made[name].append((c, mistakes))
            made["log₂ of the cuts"].append((c, cuts))
            checks.append(Check.at_least(f"fixed-paths, c = {c}", c**2, made["fixed-paths"][-1][1]))
            checks.append(Check.at_most(f"0-Ising, c = {c}", 2 * c, made["zero-ising"][-1][1]))
            checks.append(Check.at_most(f"log₂ of the number of cuts, c = {c}", 2 * c, cuts))
        chart = curves(
            "c layers of c nodes", "c", "mistakes", made, dashed=["log₂ of the cuts"], log_x=True, log_y=True
        )
        return Found(tuple(checks), (chart,))


@claim("zero-temperature/proposition-7")
class ShortestPaths(Claim):
    """Shortest paths are worse than any fixed ones."""

    title: ClassVar[str] = "Proposition 7: shortest paths cost c² log c, any fixed paths O(c²)"
    place: ClassVar[str] = "Section 3.2, Proposition 7"
    says: ClassVar[str] = (
        "For every c ≥ 4 there is a Picard–Queyranne graph and a game in which shortest-path makes "
        "Ω(c² log c) mistakes, while fixed-paths makes O(c²) with every cover in all games."
    )
    tolerance: ClassVar[str] = (
        "On our construction shortest-path makes at least c² log₂ c mistakes, and more than Σ log₂|p|, the "
        "most that any cover allows (Theorem 8); that is at most 4c², and longest-path stays within it."
    )
    cost: ClassVar[float] = 10.0

    def measure(self, lab: Laboratory) -> Found:
        """The truth is +1 everywhere; what is predicted −1 is shown, the last first."""
        checks = []
        made: dict[str, list[tuple[int, float]]] = {"shortest-path": [], "longest-path": [], "any cover": []}
        for c in lab.pick((4, 5, 6), (4,)):
            arcs, source, target, rows = crossed_paths(c)
            graph, cover = Graph.from_edges(arcs), 2 * c * math.log2(len(arcs) / (2 * c))
            for name in ("shortest-path", "longest-path"):
                state = learners.make(name).start(graph)
                state.update(source, -1)
                state.update(target, 1)
                mistakes = 0
                for row in reversed(rows):
                    for j in reversed(range(c)):
                        segment = np.array(row[j * c**3 : (j + 1) * c**3])
                        while len(wrong := segment[state.margins(segment) < 0]):
                            state.update(int(wrong[-1]), 1)
                            mistakes += 1
                made[name].append((c, mistakes))
            made["any cover"].append((c, cover))
            least = max(c**2 * math.log2(c), cover)
            checks.append(Check.at_least(f"shortest-path, c = {c}", least, made["shortest-path"][-1][1]))
            checks.append(Check.at_most(f"Σ log₂|p| of any cover, c = {c}", 4 * c**2, cover))
            checks.append(Check.at_most(f"longest-path, c = {c}", cover, made["longest-path"][-1][1]))
        chart = curves("Long paths, crossed by short ones", "c", "mistakes", made, dashed=["any cover"])
        return Found(tuple(checks), (chart,))


@claim("zero-temperature/cost")
class CostOfAGame(Claim):
    """The cumulative cost of longest-path."""

    title: ClassVar[str] = "A whole game of longest-path costs O(max(φ, n)·|E|)"
    place: ClassVar[str] = "Section 3.3, computational complexity"
    says: ClassVar[str] = (
        "longest-path may be implemented with a cumulative computational complexity of O(max(φ, n)·|E|), φ "
        "the minimum cut consistent with all labels."
    )
    tolerance: ClassVar[str] = (
        "The arcs looked at, counted in the code, never exceed max(φ, n)·|E|, and from one size to the next "
        "quadrupled they grow no faster than it does."
    )
    cost: ClassVar[float] = 6.0

    def measure(self, lab: Laboratory) -> Found:
        """Every node once in random order, a tenth of the labels turned."""
        checks, sizes = [], lab.pick((256, 1024, 4096), (256, 1024))
        looked: dict[str, list[Any]] = {}
        rng = np.random.default_rng(lab.seed)
        for n in sizes:
            side = math.isqrt(n)
            examples = {
                "line": generators.line(n),
                "random tree": generators.random_tree(n, rng),
                "grid": generators.grid(side, side),
                "double lollipop": generators.double_lollipop(n // 4),
            }
            for name, example in examples.items():
                graph, count = example.graph, example.graph.num_nodes
                truth = np.where(np.arange(count) < count // 2, -1, 1)
                truth = np.where(rng.random(count) < 0.1, -truth, truth).astype(np.int64)
                cut = OnlineCut(graph)
                cut.play(rng.permutation(count), truth)
                allowed = max(cut.value, count) * graph.num_edges
                checks.append(Check.at_most(f"arcs, {name} of {count:,}", allowed, cut.touches))
                if name in looked:
                    _, before, promised = looked[name][-1]
                    checks.append(
                        Check.at_most(
                            f"growth, {name} to {count:,}", allowed / promised, cut.touches / before
                        )
                    )
                looked.setdefault(name, []).append((count, cut.touches, allowed))
        series = {name: [(count, arcs) for count, arcs, _ in rows] for name, rows in looked.items()}
        series["n·|E| on the line"] = [(count, allowed) for count, _, allowed in looked["line"]]
        chart = curves(
            "Arcs looked at in a whole game",
            "nodes, n",
            "arcs",
            series,
            log_x=True,
            log_y=True,
            dashed=["n·|E| on the line"],
        )
        return Found(tuple(checks), (chart,))
