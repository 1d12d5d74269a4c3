"""Which answers lie behind a guess: the labelled items a short walk away.

A walk leaves the item along its edges in proportion to their weights and stops with probability 0.2 at every
step. Where it stops is found by pushing mass from node to node (Andersen, Chung and Lang 2006), at most so
many times; the labelled items with most of the mass are named, first of all those with the guessed label.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from typing import NamedTuple

from zerokelvin.graph import Graph

__all__ = ["NearAnswer", "nearest_answers"]

STOP = 0.2
PUSHES = 400
SMALLEST = 1e-5


class NearAnswer(NamedTuple):
    """A labelled node and its share of all the mass that came to labelled nodes."""

    node: int
    share: float


def nearest_answers(
    graph: Graph, node: int, labelled: Container[int], pushes: int = PUSHES
) -> list[NearAnswer]:
    """The labelled nodes around a node, those with most mass first; the node itself is none of them."""
    pointers, neighbours, weights = graph.indptr, graph.indices, graph.weights
    waiting: dict[int, float] = {node: 1.0}
    queue, stopped = deque([node]), dict[int, float]()
    while queue and pushes > 0:
        pushes -= 1
        here = queue.popleft()
        mass = waiting.pop(here, 0.0)
        if here != node and here in labelled:
            stopped[here] = stopped.get(here, 0.0) + mass  # a labelled item answers for what is behind it
            continue
        begin, end = int(pointers[here]), int(pointers[here + 1])
        if begin == end:
            continue
        own = weights[begin:end]
        shares = ((1.0 - STOP) * mass / float(own.sum()) * own).tolist()
        for other, share in zip(neighbours[begin:end].tolist(), shares, strict=True):
            new = waiting.get(other, 0.0) + share
            if other not in waiting and new >= SMALLEST:
                queue.append(other)
            if new >= SMALLEST:
                waiting[other] = new
    total = sum(stopped.values())
    found = [NearAnswer(other, mass / total) for other, mass in stopped.items()]
    return sorted(found, key=lambda one: (-one.share, one.node))
