"""Games of one state: in a given order, and against an adversary who shows the node that hurts most.

A bound holds for every order, so random orders alone would not put it to the test.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner

__all__ = ["hunt", "play_state", "random_orders"]


def hunt(learner: Learner, graph: Graph, labels: Ints, seed: int) -> int:
    """Most mistakes of a learner when an adversary always shows a node that is predicted wrong.

    Three adversaries: the last such node, the one with the smallest margin, a random one.
    """
    nodes = np.arange(graph.num_nodes)
    prepared = learner.prepare(graph)
    most = 0
    for kind in range(3):
        rng = np.random.default_rng([seed, kind])
        state = learner.start(graph, prepared, np.random.default_rng(seed))
        seen = np.zeros(len(nodes), dtype=np.bool_)
        while True:
            margins = state.margins(nodes)
            wrong = nodes[(np.where(margins >= 0, 1, -1) != labels) & ~seen]
            if len(wrong) == 0:
                break
            nearest = wrong[np.argmin(np.abs(margins[wrong]))]
            node = int((wrong[-1], nearest, rng.choice(wrong))[kind])
            state.update(node, int(labels[node]))
            seen[node] = True
        most = max(most, int(seen.sum()))
    return most


def play_state(
    learner: Learner, graph: Graph, labels: Ints, order: Ints, prepared: Any = None
) -> tuple[int, Any]:
    """Mistakes of a learner when the nodes come in this order, and the state it ends in."""
    state = learner.start(graph, prepared, np.random.default_rng(0))
    mistakes = 0
    for node in order:
        mistakes += int((state.margin(int(node)) >= 0) != (labels[node] > 0))
        state.update(int(node), int(labels[node]))
    return mistakes, state


def random_orders(count: int, seeds: Iterable[int]) -> list[Ints]:
    """One order of `count` nodes for every seed."""
    return [np.random.default_rng(seed).permutation(count) for seed in seeds]
