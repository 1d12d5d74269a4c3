"""Small labelled graphs drawn at random, from the families in which learners behave differently.

Trees, cycles, cliques, grids, stars, barbells, random multigraphs and unions of these with lone nodes, of 1
to 24 nodes, with weights that are equal, whole, real or spread over 12 orders of magnitude; labels at random,
by region or all alike; orders at random or along the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from zerokelvin.graph import Graph

__all__ = ["FAMILIES", "Drawn", "draw_classes", "draw_graph", "draw_labels", "draw_order"]

Edges = list[tuple[int, int]]
Rng = np.random.Generator


@dataclass(frozen=True)
class Drawn:
    """A graph together with the text that builds it."""

    graph: Graph
    text: str


def _path(n: int, _rng: Rng) -> Edges:
    return [(i, i + 1) for i in range(n - 1)]


def _cycle(n: int, rng: Rng) -> Edges:
    return [(i, (i + 1) % n) for i in range(n)] if n > 2 else _path(n, rng)


def _clique(n: int, _rng: Rng) -> Edges:
    n = min(n, 12)
    return [(i, j) for i in range(n) for j in range(i)]


def _star(n: int, _rng: Rng) -> Edges:
    return [(0, i) for i in range(1, n)]


def _grid(n: int, rng: Rng) -> Edges:
    width = int(rng.integers(1, n + 1))
    across = [(i, i + 1) for i in range(n - 1) if (i + 1) % width]
    return across + [(i, i + width) for i in range(n - width)]


def _tree(n: int, rng: Rng) -> Edges:
    return [(i, int(rng.integers(i))) for i in range(1, n)]


def _binary_tree(n: int, _rng: Rng) -> Edges:
    return [(i, (i - 1) // 2) for i in range(1, n)]


def _barbell(n: int, _rng: Rng) -> Edges:
    half = n // 2
    left = [(i, j) for i in range(half) for j in range(i)]
    right = [(i, j) for i in range(half, n) for j in range(half, i)]
    return left + right + ([(half - 1, half)] if half else [])


def _multigraph(n: int, rng: Rng) -> Edges:
    pairs = rng.integers(n, size=(int(rng.integers(0, 3 * n + 1)), 2))
    return [(int(i), int(j)) for i, j in pairs if i != j]


def _forest(n: int, rng: Rng) -> Edges:
    return [edge for edge in _tree(n, rng) if rng.random() < 0.8]


def _union(n: int, rng: Rng) -> Edges:
    edges: Edges = []
    begin = 0
    while begin < n:
        size = int(rng.integers(1, n - begin + 1))
        family = FAMILIES[int(rng.integers(len(FAMILIES) - 1))]
        edges += [(begin + i, begin + j) for i, j in family(size, rng)]
        begin += size
    return edges


FAMILIES: tuple[Callable[[int, Rng], Edges], ...] = (
    _path,
    _cycle,
    _clique,
    _star,
    _grid,
    _tree,
    _binary_tree,
    _barbell,
    _multigraph,
    _forest,
    _union,
)


def draw_graph(rng: Rng) -> Drawn:
    """A graph of a random family, mostly of 1 to 12 nodes.

    >>> draw_graph(np.random.default_rng(3)).text
    'Graph.from_edges([(0, 1)], num_nodes=2)'
    """
    count = int(rng.integers(1, 13)) if rng.random() < 0.8 else int(rng.integers(13, 25))
    edges = FAMILIES[int(rng.integers(len(FAMILIES)))](count, rng)
    weights = draw_weights(len(edges), rng)
    weighing = "" if weights is None else f", weights={weights}"
    text = f"Graph.from_edges({edges}, num_nodes={count}{weighing})"
    return Drawn(Graph.from_edges(edges, num_nodes=count, weights=weights), text)


def draw_weights(count: int, rng: Rng) -> list[float] | None:
    """All 1 (None), whole numbers, real numbers, or numbers spread over 12 orders of magnitude."""
    kind = rng.random()
    if kind < 0.5 or count == 0:
        return None
    if kind < 0.7:
        return [float(w) for w in rng.integers(1, 5, count)]
    if kind < 0.85:
        return [float(f"{w:.4g}") for w in rng.uniform(0.1, 3.0, count)]
    return [float(f"{10.0**w:.4g}") for w in rng.uniform(-6.0, 6.0, count)]


def draw_classes(rng: Rng) -> tuple[Hashable, ...]:
    """One to four classes, mostly two."""
    return tuple("abcd"[: int(rng.choice([1, 2, 2, 2, 3, 4]))])


def draw_labels(graph: Graph, classes: Sequence[Hashable], rng: Rng) -> list[Hashable]:
    """A class for every node: at random, by what is nearest to a few seeds, or one for all."""
    count, kind = graph.num_nodes, rng.random()
    if kind < 0.3:
        return [classes[int(c)] for c in rng.integers(len(classes), size=count)]
    if kind < 0.4:
        return [classes[int(rng.integers(len(classes)))]] * count
    codes = np.full(count, -1)
    seeds = rng.permutation(count)[: int(rng.integers(1, 4))]
    codes[seeds] = rng.integers(len(classes), size=len(seeds))
    queue = seeds.tolist()
    for node in queue:
        for other in graph.neighbors(node).tolist():
            if codes[other] < 0:
                codes[other] = codes[node]
                queue.append(other)
    lost = codes < 0
    codes[lost] = rng.integers(len(classes), size=int(lost.sum()))
    return [classes[int(c)] for c in codes]


def draw_order(graph: Graph, nodes: Sequence[int], rng: Rng) -> list[int]:
    """The nodes at random, forwards, backwards, leaves first, from both ends in turn, or some twice."""
    ordered = sorted(nodes)
    kind = int(rng.integers(6))
    if kind == 1:
        return ordered
    if kind == 2:
        return ordered[::-1]
    if kind == 3:
        return sorted(ordered, key=lambda node: len(graph.neighbors(node)))
    if kind == 4:
        return [ordered[i // 2] if i % 2 == 0 else ordered[-1 - i // 2] for i in range(len(ordered))]
    if kind == 5:
        return [int(i) for i in rng.choice(ordered, size=2 * len(ordered))]
    return [int(i) for i in rng.permutation(ordered)]
