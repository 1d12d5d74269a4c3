"""Games drawn at random for the contract checks: a graph, labels, an order and the settings of a game.

`draw_arena` is a pure function of its seed, so that a failure is played again from its number. Forests come
up most often, for there compiled code takes the most ways; labels are made to be tied as often as not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.learners import Learner

__all__ = ["FAMILIES", "ORDERS", "Arena", "draw_arena"]

Ints = NDArray[np.int64]
Pairs = list[tuple[int, int]]

SIZES = ((1, 12), (1, 12), (13, 60), (13, 60), (61, 200))
POLICIES = ("margin:0.5", "random:0.6", "variance:0.4", "doubt:0.5", "value:0.67")
SMALL = 12  # nodes for `halving`, which counts labelings one by one where there are cycles


@dataclass(frozen=True)
class Arena:
    """A game to be played: what `zerokelvin.play` takes, and a sentence that tells it apart."""

    seed: int
    text: str
    graph: Graph
    labels: Ints
    order: Ints
    settings: dict[str, Any]

    def __str__(self) -> str:
        chosen = ", ".join(f"{name}={value}" for name, value in self.settings.items())
        return f"arena {self.seed}: {self.text}{', ' if chosen else ''}{chosen}"


def draw_arena(learner: Learner, seed: int) -> Arena:
    """The arena of this number, of a size and with as many classes as the learner takes.

    >>> from zerokelvin.learners import make
    >>> print(draw_arena(make("perceptron"), 3))
    arena 3: a caterpillar with 3 nodes, 2 classes, in random order, seed=11
    """
    rng = np.random.default_rng(seed)
    family = _pick(rng, sorted(FORESTS if rng.random() < 0.5 else FAMILIES))
    low, high = SIZES[rng.integers(len(SIZES))]
    size = int(rng.integers(low, high + 1))
    if learner.name == "halving":
        size = min(size, SMALL)
    pairs = FAMILIES[family](size, rng)
    weights = [np.ones(len(pairs)), rng.integers(1, 4, len(pairs)), rng.uniform(0.1, 10.0, len(pairs))]
    kind = int(rng.choice(3, p=[0.6, 0.2, 0.2]))
    graph = Graph.from_edges(
        np.array(pairs, dtype=np.int64).reshape(-1, 2), weights[kind].astype(np.float64), num_nodes=size
    )
    classes = int(rng.choice([1, 2, 3, 5], p=[0.05, 0.55, 0.25, 0.15])) if learner.multiclass else 2
    labels = _labels(graph, classes, rng)
    name = _pick(rng, sorted(ORDERS))
    order = np.array(ORDERS[name](graph, rng), dtype=np.int64)
    weighing = ("", " of whole weights", " of real weights")[kind]
    text = f"{family}{weighing} with {size} nodes, {classes} classes, {name}"
    return Arena(seed, text, graph, labels, order, _settings(size, rng))


def _settings(size: int, rng: np.random.Generator) -> dict[str, Any]:
    settings: dict[str, Any] = {"seed": int(rng.integers(100))}
    if rng.random() < 0.5:
        return settings
    if rng.random() < 0.5:
        settings["policy"] = _pick(rng, POLICIES)
    if rng.random() < 0.25:
        settings["budget"] = int(rng.integers(0, size + 2))
    if rng.random() < 0.25:
        settings["delay"] = int(rng.integers(1, 8))
    if rng.random() < 0.25:
        settings["repeats"] = int(rng.integers(2, 4))
    if rng.random() < 0.2:
        settings["label_noise"] = float(rng.choice([0.1, 0.4]))
    if rng.random() < 0.1:
        settings["forget"] = int(rng.integers(1, size + 2))
    return settings


def _pick(rng: np.random.Generator, names: Any) -> Any:
    return names[int(rng.integers(len(names)))]


def _labels(graph: Graph, classes: int, rng: np.random.Generator) -> Ints:
    """Alternating, at random, in stretches, or by distance from a node; codes from 0 on."""
    count = graph.num_nodes
    kind = rng.integers(4)
    if kind == 0:
        return np.arange(count) % classes
    if kind == 1:
        return rng.integers(classes, size=count)
    if kind == 2:
        return np.arange(count) * classes // count
    depth = np.zeros(count, dtype=np.int64)
    reached = _breadth_first(graph, rng)
    depth[reached] = np.arange(count) // max(1, count // (2 * classes))
    return depth % classes


def _breadth_first(graph: Graph, rng: np.random.Generator) -> list[int]:
    order: list[int] = []
    seen = np.zeros(graph.num_nodes, dtype=np.bool_)
    for start in rng.permutation(graph.num_nodes).tolist():
        queue = deque([] if seen[start] else [start])
        seen[start] = True
        while queue:
            node = queue.popleft()
            order.append(node)
            for other in graph.indices[graph.indptr[node] : graph.indptr[node + 1]].tolist():
                if not seen[other]:
                    seen[other] = True
                    queue.append(other)
    return order


def _leaves_first(graph: Graph) -> list[int]:
    """Nodes of the smallest degree left, again and again."""
    left = np.diff(graph.indptr).copy()
    order: list[int] = []
    taken = np.zeros(graph.num_nodes, dtype=np.bool_)
    for _ in range(graph.num_nodes):
        node = int(np.argmin(np.where(taken, graph.num_nodes, left)))
        taken[node] = True
        order.append(node)
        left[graph.indices[graph.indptr[node] : graph.indptr[node + 1]]] -= 1
    return order


def _from_both_ends(graph: Graph) -> list[int]:
    """The first, the last, the second, the last but one, ..."""
    count = graph.num_nodes
    return [i // 2 if i % 2 == 0 else count - 1 - i // 2 for i in range(count)]


ORDERS: dict[str, Callable[[Graph, np.random.Generator], Any]] = {
    "in random order": lambda graph, rng: rng.permutation(graph.num_nodes),
    "forwards": lambda graph, rng: np.arange(graph.num_nodes),
    "backwards": lambda graph, rng: np.arange(graph.num_nodes)[::-1],
    "leaves first": lambda graph, rng: _leaves_first(graph),
    "breadth first": _breadth_first,
    "from both ends": lambda graph, rng: _from_both_ends(graph),
    "with repeats": lambda graph, rng: rng.integers(graph.num_nodes, size=2 * graph.num_nodes),
}


def _scattered(count: int, rng: np.random.Generator) -> Pairs:
    """Few edges at random: many components, nodes without neighbours."""
    return [(int(a), int(b)) for a, b in rng.integers(count, size=(count // 2, 2)) if a != b]


def _random_tree(count: int, rng: np.random.Generator) -> Pairs:
    return [(i, int(rng.integers(i))) for i in range(1, count)]


def _random_forest(count: int, rng: np.random.Generator) -> Pairs:
    return [pair for pair in _random_tree(count, rng) if rng.random() < 0.8]


def _random_graph(count: int, rng: np.random.Generator) -> Pairs:
    extra = [(int(a), int(b)) for a, b in rng.integers(count, size=(count, 2)) if a != b]
    return _random_tree(count, rng) + extra


def _circulant(count: int, steps: tuple[int, ...]) -> Pairs:
    return [(i, (i + step) % count) for step in steps for i in range(count) if (i + step) % count != i]


def _grid(count: int) -> Pairs:
    wide = max(1, int(np.sqrt(count)))
    across = [(i, i + 1) for i in range(count - 1) if (i + 1) % wide]
    return across + [(i, i + wide) for i in range(count - wide)]


FORESTS: dict[str, Callable[[int, np.random.Generator], Pairs]] = {
    "a path": lambda count, rng: [(i, i + 1) for i in range(count - 1)],
    "a star": lambda count, rng: [(0, i) for i in range(1, count)],
    "a binary tree": lambda count, rng: [(i, (i - 1) // 2) for i in range(1, count)],
    "a caterpillar": lambda count, rng: [(i, i - 2 if i % 2 == 0 else i - 1) for i in range(1, count)],
    "a random tree": _random_tree,
    "a random forest": _random_forest,
}
FAMILIES: dict[str, Callable[[int, np.random.Generator], Pairs]] = {
    **FORESTS,
    "scattered edges": _scattered,
    "a cycle": lambda count, rng: _circulant(count, (1,)) if count > 2 else [],
    "a circulant": lambda count, rng: _circulant(count, (1, 2, 5)),
    "a grid": lambda count, rng: _grid(count),
    "a clique": lambda count, rng: [(i, j) for i in range(min(count, 30)) for j in range(i)],
    "a bipartite graph": lambda count, rng: [(i, j) for i in range(min(count, 20)) for j in range(20, count)],
    "a random graph": _random_graph,
}
