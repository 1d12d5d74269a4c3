"""Small graphs of many shapes with integer costs, and the same graphs with the weights a user has."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.graph import Graph


class SmallGraph(NamedTuple):
    n: int
    edges: list
    costs: np.ndarray  # integers, so that ties are exact
    graph: Graph  # weights = costs · unit
    unit: float


SHAPES = ("random", "sparse", "path", "star", "clique", "cycle", "whiskers", "two parts", "multi", "grid")
UNITS = (1.0, 1.0, 0.1, 0.001, 0.375, np.pi)


def small_graph(rng, largest=8):
    """A graph of 1 to `largest` nodes: unweighted, integer, decimal or real weights, many ties."""
    n = int(rng.integers(1, largest + 1))
    shape = SHAPES[rng.integers(len(SHAPES))]
    edges = _edges(rng, shape, n)
    if rng.random() < 0.3:  # relabel the nodes
        order = rng.permutation(n)
        edges = [(int(order[u]), int(order[v])) for u, v in edges]
    unit = UNITS[rng.integers(len(UNITS))]
    choices = [1, 2, 4] if unit == np.pi else [1, 2, 3, 4]  # powers of two times π are exact floats
    kind = rng.random()
    costs = np.ones(len(edges), dtype=int) if kind < 0.4 else rng.choice(choices, len(edges))
    if shape == "multi" and unit == np.pi:
        unit = 1.0
    if shape == "multi" and unit in (0.1, 0.001):
        unit = 0.5  # sums of decimals are not the decimals of the sums
    weights = np.round(costs * unit, 3) if unit in (0.1, 0.001) else costs * unit  # 0.3, not 3 * 0.1
    graph = Graph.from_edges(np.array(edges, dtype=int).reshape(-1, 2), weights, num_nodes=n)
    return SmallGraph(n, edges, costs, graph, unit)


def _edges(rng, shape, n):
    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    if shape == "path":
        return [(i, i + 1) for i in range(n - 1)]
    if shape == "star":
        return [(0, i) for i in range(1, n)]
    if shape == "clique":
        return pairs
    if shape == "cycle":
        return [(i, i + 1) for i in range(n - 1)] + ([(0, n - 1)] if n > 2 else [])
    if shape == "whiskers":
        core = max(1, n // 2)
        return [(i, j) for i, j in pairs if j < core] + [(max(0, i - core), i) for i in range(core, n)]
    if shape == "two parts":
        half = n // 2
        return [(i, j) for i, j in pairs if (i < half) == (j < half) and rng.random() < 0.7]
    if shape == "grid":
        wide = max(1, int(np.sqrt(n)))
        right = [(i, i + 1) for i in range(n - 1) if (i + 1) % wide]
        return right + [(i, i + wide) for i in range(n - wide)]
    if shape == "multi" and pairs:
        return [pairs[k] for k in rng.integers(len(pairs), size=2 * n)]
    keep = rng.random(len(pairs)) < (0.3 if shape == "sparse" else rng.uniform(0.2, 0.9))
    return [pair for pair, k in zip(pairs, keep, strict=True) if k]


def random_labels(rng, n, fewest=0):
    """Node → 0/1 for a random subset of the nodes, often one node of each kind."""
    count = int(rng.integers(fewest, n + 1)) if rng.random() < 0.4 else min(n, int(rng.integers(2, 4)))
    nodes = rng.permutation(n)[:count]
    values = rng.integers(0, 2, count)
    if count >= 2 and rng.random() < 0.7:
        values[:2] = (0, 1)
    return {int(v): int(y) for v, y in zip(nodes, values, strict=True)}
