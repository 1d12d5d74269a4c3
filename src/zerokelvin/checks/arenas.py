"""Games drawn at random for the contract checks: a graph, labels, an order and the settings of a game.

`draw_arena` is a pure function of its seed, so that a failure is played again from its number. Forests come
up most often, for there compiled code takes the most ways; labels are made to be tied as often as not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.checks.families import FAMILIES, FORESTS, ORDERS, draw_policy
from zerokelvin.graph import Graph
from zerokelvin.learners import Learner

__all__ = ["Arena", "draw_arena"]

Rng = np.random.Generator

SIZES = ((1, 12), (1, 12), (13, 60), (13, 60), (61, 200))


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
        return f"arena {self.seed}: {self.text}, {chosen}"


def draw_arena(learner: Learner, seed: int) -> Arena:
    """The arena of this number, of a size and with as many classes as the learner takes.

    >>> from zerokelvin.learners import make
    >>> print(draw_arena(make("perceptron"), 3))
    arena 3: a caterpillar with 3 nodes, 2 classes, in random order, seed=11
    """
    rng = np.random.default_rng(seed)
    families = FORESTS if rng.random() < 0.5 else FAMILIES
    family = _pick(rng, sorted(families))
    low, high = SIZES[rng.integers(len(SIZES))]
    size = min(int(rng.integers(low, high + 1)), learner.checked_up_to)
    pairs = families[family](size, rng)
    weights = [np.ones(len(pairs)), rng.integers(1, 4, len(pairs)), rng.uniform(0.1, 10.0, len(pairs))]
    kind = int(rng.choice(3, p=[0.6, 0.2, 0.2]))
    graph = Graph.from_edges(
        np.array(pairs, dtype=np.int64).reshape(-1, 2), weights[kind].astype(np.float64), num_nodes=size
    )
    classes = int(rng.choice([1, 2, 3, 5], p=[0.05, 0.55, 0.25, 0.15])) if learner.multiclass else 2
    labels = _labels(graph, classes, rng)
    name = _pick(rng, sorted(ORDERS))
    order = np.array(ORDERS[name](graph, range(size), rng), dtype=np.int64)
    weighing = ("", " of whole weights", " of real weights")[kind]
    text = f"{family}{weighing} with {size} nodes, {classes} classes, {name}"
    return Arena(seed, text, graph, labels, order, _settings(size, rng))


def _settings(size: int, rng: Rng) -> dict[str, Any]:
    """Keyword arguments of `play` for a game over `size` nodes: half the time a seed alone."""
    settings: dict[str, Any] = {"seed": int(rng.integers(100))}
    if rng.random() < 0.5:
        return settings
    if rng.random() < 0.5:
        settings["policy"] = draw_policy(rng)
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


def _labels(graph: Graph, classes: int, rng: Rng) -> Ints:
    """Alternating, at random, in stretches, or in stretches of a search; codes from 0 on."""
    count = graph.num_nodes
    kind = rng.integers(4)
    if kind == 0:
        return np.arange(count) % classes
    if kind == 1:
        return rng.integers(classes, size=count)
    if kind == 2:
        return np.arange(count) * classes // count
    labels = np.zeros(count, dtype=np.int64)
    reached = ORDERS["breadth first"](graph, range(count), rng)
    labels[np.array(reached)] = np.arange(count) // max(1, count // (2 * classes)) % classes
    return labels


def _pick(rng: Rng, names: Any) -> Any:
    return names[int(rng.integers(len(names)))]
