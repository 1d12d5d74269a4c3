"""Small labelled graphs that the contract checks play on."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.games.labels import encode_labels, to_signs
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner, Trials

__all__ = ["Example", "examples"]


@dataclass(frozen=True)
class Example:
    """A graph, its labels in node order, and an order of node indices with repeats."""

    name: str
    graph: Graph
    labels: tuple[Hashable, ...]
    order: tuple[int, ...]

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes, sorted."""
        return encode_labels(self.graph, self.labels).classes

    @property
    def num_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    def named_trials(self) -> list[tuple[Hashable, Any]]:
        """Node names with their labels, in order."""
        return [(self.graph.name(i), self.labels[i]) for i in self.order]

    def binary_trials(self) -> list[tuple[int, int]]:
        """Node indices with +1 for the last class and −1 for the others, in order."""
        return [(i, 1 if self.labels[i] == self.classes[-1] else -1) for i in self.order]

    def trials(self, delay: int, budget: int, limit: float) -> Trials:
        """The game over `order` as arrays."""
        nodes = np.array(self.order)
        codes = encode_labels(self.graph, self.labels).codes[nodes]
        limits = np.full(len(nodes), limit)
        return Trials(nodes, to_signs(codes, self.num_classes), limits, delay, budget)


def examples(learner: Learner) -> list[Example]:
    """Examples the learner can play: binary ones only for a binary learner."""
    rng = np.random.default_rng(7)
    line = Graph.from_edges([(i, i + 1) for i in range(7)])
    names = ["ann", "bob", ("pair", 1), 4, "eve", "fay", "gus", "hal", "ida", "jon"]
    weighted = Graph.from_edges(
        [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 5), (3, 5), (5, 6), (6, 7), (7, 8), (8, 9), (6, 9)],
        weights=[1.0, 2.0, 0.5, 0.25, 3.0, 1.0, 1.5, 0.1, 2.0, 1.0, 1.0, 4.0],
        names=names,
    )
    islands = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (3, 5), (6, 7)], num_nodes=9)
    found = [
        Example("a line", line, (0, 0, 0, 0, 1, 1, 1, 1), (0, 7, 3, 4, 2, 5, 1, 6)),
        Example(
            "a weighted graph with repeats", weighted, tuple("aaabbbaabb"), (*rng.permutation(10), 3, 0, 9, 3)
        ),
        Example("three islands and a lone node", islands, tuple("nnnyyyyny"), tuple(rng.permutation(9))),
        Example("three classes", weighted, tuple("abcabcabca"), (*rng.permutation(10), 1, 2)),
    ]
    plain = [Example(e.name, e.graph, e.labels, tuple(int(i) for i in e.order)) for e in found]
    return [e for e in plain if learner.multiclass or e.num_classes == 2]
