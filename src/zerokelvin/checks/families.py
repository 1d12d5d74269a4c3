"""Labelled graphs drawn at random, from the families in which learners behave differently.

Paths, stars, trees and forests; cycles, cliques, grids, barbells, random multigraphs and unions of these with
lone nodes; weights that are equal, whole, real or spread over 12 orders of magnitude; labels at random, by
region or all alike; orders at random or along the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from inspect import signature

import numpy as np

from zerokelvin.asking import POLICIES, parse_policy
from zerokelvin.graph import Graph

__all__ = [
    "FAMILIES",
    "FORESTS",
    "ORDERS",
    "Drawn",
    "draw_classes",
    "draw_graph",
    "draw_labels",
    "draw_order",
    "draw_policy",
    "draw_weights",
]

Edges = list[tuple[int, int]]
Rng = np.random.Generator
Family = Callable[[int, Rng], Edges]


@dataclass(frozen=True)
class Drawn:
    """A graph together with the text that builds it."""

    graph: Graph
    text: str


def _path(n: int) -> Edges:
    return [(i, i + 1) for i in range(n - 1)]


def _tree(n: int, rng: Rng) -> Edges:
    return [(i, int(rng.integers(i))) for i in range(1, n)]


def _circulant(n: int, *steps: int) -> Edges:
    return [(i, (i + step) % n) for step in steps for i in range(n) if step % n]


def _clique(nodes: range) -> Edges:
    return [(i, j) for i in nodes for j in nodes if j < i]


def _grid(n: int, rng: Rng) -> Edges:
    width = int(rng.integers(1, n + 1))
    across = [(i, i + 1) for i in range(n - 1) if (i + 1) % width]
    return across + [(i, i + width) for i in range(n - width)]


def _barbell(n: int) -> Edges:
    half = n // 2
    return _clique(range(half)) + _clique(range(half, n)) + ([(half - 1, half)] if half else [])


def _multigraph(n: int, rng: Rng) -> Edges:
    pairs = rng.integers(n, size=(int(rng.integers(0, 3 * n + 1)), 2))
    return [(int(i), int(j)) for i, j in pairs if i != j]


def _union(n: int, rng: Rng) -> Edges:
    """Several graphs of the other families beside each other."""
    others = [family for name, family in FAMILIES.items() if name != "a union"]
    edges: Edges = []
    begin = 0
    while begin < n:
        size = int(rng.integers(1, n - begin + 1))
        edges += [(begin + i, begin + j) for i, j in others[int(rng.integers(len(others)))](size, rng)]
        begin += size
    return edges


FORESTS: dict[str, Family] = {
    "a path": lambda n, rng: _path(n),
    "a star": lambda n, rng: [(0, i) for i in range(1, n)],
    "a binary tree": lambda n, rng: [(i, (i - 1) // 2) for i in range(1, n)],
    "a caterpillar": lambda n, rng: [(i, i - 2 if i % 2 == 0 else i - 1) for i in range(1, n)],
    "a random tree": _tree,
    "a random forest": lambda n, rng: [edge for edge in _tree(n, rng) if rng.random() < 0.8],
}
FAMILIES: dict[str, Family] = {
    **FORESTS,
    "a cycle": lambda n, rng: _circulant(n, 1) if n > 2 else _path(n),
    "a circulant": lambda n, rng: _circulant(n, 1, 2, 5),
    "a clique": lambda n, rng: _clique(range(min(n, 30))),
    "a grid": _grid,
    "a barbell": lambda n, rng: _barbell(min(n, 40)),
    "a bipartite graph": lambda n, rng: [(i, j) for i in range(n // 3) for j in range(n // 3, min(n, 50))],
    "a random graph": lambda n, rng: _tree(n, rng) + _multigraph(n, rng),
    "scattered edges": _multigraph,
    "a union": _union,
}


def draw_graph(rng: Rng) -> Drawn:
    """A graph of a random family, mostly of 1 to 12 nodes.

    >>> draw_graph(np.random.default_rng(3)).text
    'Graph.from_edges([(1, 0), (2, 0)], num_nodes=3, weights=[1.788, 0.373])'
    """
    count = int(rng.integers(1, 13)) if rng.random() < 0.8 else int(rng.integers(13, 25))
    family = FAMILIES[sorted(FAMILIES)[int(rng.integers(len(FAMILIES)))]]
    edges = family(count, rng)
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
    """The names of the classes of a game, one to four of them, mostly two."""
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
    """The nodes in one of the `ORDERS`."""
    order = ORDERS[sorted(ORDERS)[int(rng.integers(len(ORDERS)))]]
    return [int(node) for node in order(graph, sorted(nodes), rng)]


def draw_policy(rng: Rng) -> str:
    """A registered policy but ``always``, which is what is played without one, as it is written.

    >>> draw_policy(np.random.default_rng(0))
    'value:0.5'
    """
    names = [name for name in POLICIES if name != "always"]
    cls = POLICIES[names[int(rng.integers(len(names)))]]
    plain = cls.checked_with is None or not signature(cls).parameters
    return str(parse_policy(cls.name if plain else f"{cls.name}:{cls.checked_with}"))


def _leaves_first(graph: Graph, nodes: Sequence[int]) -> list[int]:
    """The node with the fewest neighbours still to come, again and again."""
    left = {node: len(graph.neighbors(node)) for node in nodes}
    order: list[int] = []
    while left:
        node = min(left, key=lambda i: (left[i], i))
        del left[node]
        order.append(node)
        for other in graph.neighbors(node).tolist():
            if other in left:
                left[other] -= 1
    return order


def _breadth_first(graph: Graph, nodes: Sequence[int], rng: Rng) -> list[int]:
    """Each component from a random one of the nodes on, over all nodes, of which those wanted are kept."""
    wanted, order = dict.fromkeys(rng.permutation(nodes).tolist()), []
    while wanted:
        queue = [next(iter(wanted))]
        seen = set(queue)
        for node in queue:
            fresh = [other for other in graph.neighbors(node).tolist() if other not in seen]
            queue += fresh
            seen.update(fresh)
        for node in queue:
            if node in wanted:
                del wanted[node]
                order.append(node)
    return order


def _from_both_ends(nodes: Sequence[int]) -> list[int]:
    """The first, the last, the second, the last but one, ..."""
    return [nodes[i // 2] if i % 2 == 0 else nodes[-1 - i // 2] for i in range(len(nodes))]


ORDERS: dict[str, Callable[[Graph, Sequence[int], Rng], Sequence[int]]] = {
    "in random order": lambda graph, nodes, rng: rng.permutation(nodes).tolist(),
    "forwards": lambda graph, nodes, rng: nodes,
    "backwards": lambda graph, nodes, rng: nodes[::-1],
    "leaves first": lambda graph, nodes, rng: _leaves_first(graph, nodes),
    "breadth first": _breadth_first,
    "from both ends": lambda graph, nodes, rng: _from_both_ends(nodes),
    "with repeats": lambda graph, nodes, rng: rng.choice(nodes, size=2 * len(nodes)).tolist(),
}
