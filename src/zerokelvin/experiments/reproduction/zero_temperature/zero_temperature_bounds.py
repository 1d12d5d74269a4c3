"""Zero temperature (Herbster, Pasteris, Ghosh 2015): Figure 2, and the five bounds of Section 3.3, measured.

Section 3.3 compares, on a graph labelled with cut Φ and covered by c clusters,

    I    treeOpt on a tree                             optimal on trees
    II   treeOpt on a random spanning tree             in expectation
    III  interpolation with small p                    (Φ/κ)² log D + c
    IV   interpolation with p = 2 (label propagation)  (Φ/κ) D + c
    V    longest-path                                  Σ_C ∂ (1 + ∂ − κ) log N + c

with ∂, κ, N boundary, connectivity and atomic number of a cluster, in III and IV κ the least connectivity and
D the largest wide diameter at that level (in clusters above 200 nodes at level 1). All are taken without the
constants that O(·) hides, so they compare growth, not promises. V takes the better of two covers: the largest
uniformly labelled clusters, or those divided into their 2-edge-connected cores and what hangs from them (on
the double lollipop: the paper's four clusters).

Beside them stand what this library proves for the game played (`Run.bound`), the mistakes in random orders,
and on small graphs those against an adversary who always shows a node that is predicted wrong.

The paper's drawing of Figure 2 cannot be read from its text. The graph drawn here has every property the
text names: its minimum cuts, super-vertices and both path covers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from zerokelvin import learners
from zerokelvin.array_types import Ints
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.labelled_problem import load_problem
from zerokelvin.experiments.reproduction.adversary import hunt
from zerokelvin.experiments.reproduction.reproduction import Experiment, Picture, Progress, Report, experiment
from zerokelvin.experiments.reproduction.zero_temperature.zero_temperature_tables import (
    bound_table,
    cluster_table,
    expression_table,
    mistake_table,
)
from zerokelvin.flow.static.cluster_report import ClusterReport, cluster_report
from zerokelvin.games import play
from zerokelvin.games.labels import encode_labels
from zerokelvin.graph import Graph, cut, generators
from zerokelvin.graph.measures.connectivity import atomic_partition
from zerokelvin.learners.seminorm.seminorm_bounds import printed_bounds
from zerokelvin.sweeps.cells import SweepCell
from zerokelvin.sweeps.result_store import KeptResult

__all__ = ["FIGURE2", "METHODS", "ZeroTemperature", "figure2_graph", "paper_bounds", "paper_graphs"]

SMALL = 40  # nodes of a graph that is drawn
HUNTED = 300  # nodes up to which an adversary plays, and interpolation with small p

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "I": ("tree-opt", {"tree": "bfs"}),
    "II": ("spanning-tree", {"trees": 1, "inner": "tree-opt"}),
    "III": ("interpolation", {"p": 1.2, "tol": 1e-4}),
    "IV": ("interpolation", {"p": 2.0}),
    "V": ("longest-path", {}),
}

FIGURE2 = (
    (1, 2), (1, 3), (1, 4), (1, 5), (2, 3), (3, 4), (2, 7), (4, 8), (5, 7), (5, 8), (7, 9), (8, 6), (8, 11),
    (11, 12), (11, 10), (10, 12), (12, 6),
)  # fmt: skip
"""Edges of a graph with the minimum cuts, super-vertices and path covers that the paper names."""


@experiment("zero-temperature")
@dataclass(frozen=True)
class ZeroTemperature(Experiment):
    """Five mistake bounds and their learners on the papers' graphs, and all minimum cuts drawn (Figure 2).

    Parameters
    ----------
    data
        Data sets or files to play as well, as their most frequent class against the rest; Cora by default,
        none with `fast`. One of at most 40 nodes is drawn like Figure 2 too.
    shuffles
        Random orders per graph; 10 by default (2 with `fast`).
    """

    data: tuple[str, ...] | None = None
    shuffles: int | None = None

    def __post_init__(self) -> None:
        if self.shuffles is not None and self.shuffles < 1:
            raise ParameterError(f"shuffles={self.shuffles} must be at least 1.")

    def run(self, progress: Progress | None = None) -> Report:
        """Play every learner on every graph, and compare its mistakes with its bounds."""
        tell = progress or (lambda *_: None)
        shuffles = (2 if self.fast else 10) if self.shuffles is None else self.shuffles
        names = (() if self.fast else ("cora",)) if self.data is None else self.data
        examples = paper_graphs(self.fast) | {name: _one_class(name) for name in names}
        cells = [
            SweepCell(
                self.key(graph=_hash(graph, labels), method=numeral, shuffles=shuffles, seed=self.seed),
                (graph, labels, numeral, shuffles, self.seed),
            )
            for graph, labels in examples.values()
            for numeral in METHODS
        ]
        measured = iter(self.parts(MethodStage(), cells, tell))
        values: dict[str, Any] = {}
        covers: dict[str, ClusterReport] = {}
        for name, (graph, labels) in examples.items():
            promised, covers[name] = paper_bounds(graph, labels)
            values[name] = _describe(graph, labels, covers[name]) | {
                "methods": {
                    numeral: next(measured).result | {"paper": promised.get(numeral)} for numeral in METHODS
                }
            }
        settings = {"shuffles": shuffles, "seed": self.seed, "methods": _described()}
        tables = (
            expression_table(values),
            bound_table(values),
            mistake_table(values, shuffles),
            cluster_table(covers),
        )
        return Report(
            self.name,
            tables,
            {"settings": settings, "graphs": values},
            self._pictures(examples) if self.figures else (),
        )

    def _pictures(self, examples: dict[str, tuple[Graph, Ints]]) -> tuple[Picture, ...]:
        """Minimum cuts of the paper's Figure 2, and of the small ones of the examples asked for."""
        from zerokelvin.experiments.reproduction.zero_temperature.zero_temperature_figure import (
            draw_minimum_cuts,
        )

        graph, revealed = figure2_graph()
        pictures = [Picture("figure2", lambda: draw_minimum_cuts(graph, revealed))]
        for name in self.data or ():
            small, labels = examples[name]
            if small.num_nodes <= SMALL:
                shown = {small.name(int(np.flatnonzero(labels == y)[0])): y for y in (-1, 1) if y in labels}
                stem = "".join(letter if letter.isalnum() else "-" for letter in name)
                pictures.append(Picture(f"minimum-cuts-{stem}", partial(draw_minimum_cuts, small, shown)))
        return tuple(pictures)


def figure2_graph() -> tuple[Graph, dict[Hashable, int]]:
    """The graph drawn as Figure 2, with the three labels of its caption.

    >>> from zerokelvin.flow import picard_queyranne
    >>> pq = picard_queyranne(*figure2_graph())
    >>> pq.value, [sorted(pq.members(v)) for v in range(pq.num_super_vertices)]
    (3.0, [[1, 2, 3, 4], [5, 7], [8], [10, 11, 12], [6, 9]])
    """
    order = list(range(1, 13))
    return Graph.from_edges([(a - 1, b - 1) for a, b in FIGURE2], names=order), {1: -1, 6: 1, 9: 1}


def paper_graphs(fast: bool) -> dict[str, tuple[Graph, Ints]]:
    """The graphs the papers argue with, and a grid."""
    size = 1 if fast else 4
    tree = generators.tree(2, 4 if fast else 6)
    found = {
        "line": generators.line(32 * size),
        "tree": tree,
        "barbell": generators.barbell(8 * size),
        "octopus": generators.balanced_octopus(4 * size, 4),
        "double lollipop": generators.double_lollipop(32 * size),
        "grid": generators.grid(4 * size, 4 * size),
    }
    return {
        name: (example.graph, np.asarray(example.labels, dtype=np.int64)) for name, example in found.items()
    }


def paper_bounds(graph: Graph, labels: Ints) -> tuple[dict[str, float], ClusterReport]:
    """The expressions III, IV and V of Section 3.3 with constants 1, and the cover V was taken over."""
    whole = cluster_report(graph, labels)
    cores = atomic_partition(graph, 2)
    sizes = np.bincount(cores)
    finer = cluster_report(graph, labels, np.where(sizes[cores] > 1, cores, -1))
    cover = min(whole, finer, key=lambda report: report.cost)
    printed = printed_bounds(graph, labels)
    return {"III": printed["III"], "IV": printed["IV"], "V": cover.cost}, cover


def _one_class(name: str) -> tuple[Graph, Ints]:
    """The largest component of a data set; its most frequent class is +1, the rest −1, unknown ones too."""
    problem = load_problem(name, component="largest")
    codes = encode_labels(problem.graph, problem.labels).codes
    top = np.bincount(codes[codes >= 0]).argmax()
    return problem.graph, np.where(codes == top, 1, -1)


def _describe(graph: Graph, labels: Ints, cover: ClusterReport) -> dict[str, Any]:
    cases = ("connected", "tree", "loose")
    return {
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "cut": cut(graph, labels),
        "clusters": len(cover.clusters),
        "cases": {case: sum(c.case == case for c in cover.clusters) for case in cases},
    }


class MethodStage:
    """Plays one learner on one graph."""

    def compute(self, task: tuple[Graph, Ints, str, int, int]) -> KeptResult:
        """The mistakes of one method on one graph, and its bound."""
        return KeptResult(_measure(*task))


def _hash(graph: Graph, labels: Ints) -> str:
    return hashlib.sha256(graph.content_hash.encode() + labels.astype(np.int64).tobytes()).hexdigest()


def _measure(graph: Graph, labels: Ints, numeral: str, shuffles: int, seed: int) -> dict[str, Any]:
    """Play one learner; the slow third one only on small graphs."""
    name, params = METHODS[numeral]
    small = graph.num_nodes <= HUNTED
    if numeral == "III" and not small:
        empty = ("certificate", "certificate_holds", "mistakes", "most_mistakes", "hunted")
        return {"learner": name, **dict.fromkeys(empty)}
    learner = learners.make(name, **params)
    runs = [play(graph, labels, learner, classes=[-1, 1], seed=seed + i) for i in range(shuffles)]
    mistakes = np.array([run.mistakes for run in runs])
    applies = numeral != "I" or graph.num_edges == graph.num_nodes - 1
    return {
        "learner": name,
        "certificate": float(np.mean([run.bound.value for run in runs])) if applies else None,
        "certificate_holds": all(run.bound.holds for run in runs) if applies else None,
        "mistakes": float(mistakes.mean()),
        "most_mistakes": int(mistakes.max()),
        "hunted": hunt(learner, graph, labels, seed) if small else None,
    }


def _described() -> dict[str, str]:
    return {
        numeral: " ".join([name, *(f"{key}={value}" for key, value in params.items())])
        for numeral, (name, params) in METHODS.items()
    }
