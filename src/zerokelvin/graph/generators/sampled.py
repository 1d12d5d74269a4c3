"""Random graphs with known classes: two moons, two path-connected sets, planted partitions.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": Fig. 1 (two moons),
section 5 and Fig. 4 (two path-connected sets).
Condon, Karp 2001, "Algorithms for graph partitioning on the planted partition model".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph.generators.labelled import LabelledGraph, require, require_whole
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.points.builders import epsilon_graph, knn_graph

__all__ = ["path_connected_sets", "planted_partition", "two_moons"]


def two_moons(n: int, rng: np.random.Generator, *, noise: float = 0.1, k: int = 8) -> LabelledGraph:
    """Points on two interleaved half circles of radius 1, each joined to its k nearest neighbours.

    Of the n points the first ⌈n/2⌉ lie on the upper moon (cos t, sin t) and are +1, the others on the
    lower moon (1 − cos t, ½ − sin t) and are −1, with t uniform on [0, π] and
    Gaussian noise in both coordinates.
    The points are kept in `LabelledGraph.points`.

    >>> two_moons(100, np.random.default_rng(0)).points.shape
    (100, 2)
    """
    require_whole("n", n, 2, None, "there is at least one point on each moon")
    require(0 <= noise < np.inf, "noise", noise, "the standard deviation is not negative")
    angle = rng.uniform(0.0, np.pi, size=n)
    labels = np.where(np.arange(n) < (n + 1) // 2, 1, -1)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.where(labels[:, None] > 0, upper, np.array([1.0, 0.5]) - upper)
    points = points + noise * rng.standard_normal((n, 2))
    description = f"two moons of {n} points with noise {noise:g}, {k} nearest neighbours"
    return LabelledGraph(knn_graph(points, k), labels, description, points=points)


def path_connected_sets(n: int, rng: np.random.Generator) -> LabelledGraph:
    """The 6n points of pounce Fig. 4: n to predict, which only the other 5n tell apart.

    The points to be predicted are (1, 1), …, (n, 1), labelled ±1 by fair coins; `LabelledGraph.played`
    names them. A row of 2n points half a unit apart lies below, at height 0, and belongs to +1; another
    above, at height 2, to −1. Every positive point hangs on the lower row by a point at height ½, every
    negative one on the upper row by a point at height 3/2. So the two labels form two ½-path-connected
    sets, and points of different label are at least 1 apart.

    The graph joins points at distance ½ or less; it has exactly two components. For the exponential
    embedding pass `LabelledGraph.points` to `exponential_graph`. The paper's rows (1, 3/2, …, n) have
    2n − 1 points each; they run on to n + ½ here, so that there are 6n points as the paper counts them.

    >>> data = path_connected_sets(5, np.random.default_rng(0))
    >>> data.graph.num_nodes, data.graph.num_components, data.played
    (30, 2, array([0, 1, 2, 3, 4]))
    """
    require_whole("n", n, 1, None, "there is at least one point to predict")
    first = np.arange(1.0, n + 1)
    signs = np.where(rng.integers(2, size=n) == 1, 1, -1)
    row = 1 + np.arange(2 * n) / 2
    points = np.concatenate(
        [
            np.column_stack([first, np.ones(n)]),
            np.column_stack([row, np.zeros(2 * n)]),
            np.column_stack([row, np.full(2 * n, 2.0)]),
            np.column_stack([first, np.where(signs > 0, 0.5, 1.5)]),
        ]
    )
    labels = np.concatenate([signs, np.ones(2 * n), -np.ones(2 * n), signs]).astype(np.int64)
    description = f"two (1/2)-path-connected sets, {n} points to predict"
    return LabelledGraph(epsilon_graph(points, 0.5), labels, description, points, np.arange(n))


def planted_partition(
    sizes: Sequence[int], p_in: float, p_out: float, rng: np.random.Generator
) -> LabelledGraph:
    """A random graph with an edge of probability p_in within a class and p_out between classes.

    Class c has ``sizes[c]`` nodes; nodes are numbered class by class and labelled 0, 1, 2, ….

    >>> planted_partition([3, 2], 1.0, 0.0, np.random.default_rng(0)).labels
    array([0, 0, 0, 1, 1])
    """
    require(len(sizes) >= 1, "sizes", sizes, "there is at least one class")
    for size in sizes:
        require_whole("sizes", size, 1, None, "every class has at least one node")
    for name, value in (("p_in", p_in), ("p_out", p_out)):
        require(0 <= value <= 1, name, value, "a probability is between 0 and 1")
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    edges = []
    for a, size in enumerate(int(size) for size in sizes):
        inside = _sample(size * (size - 1) // 2, p_in, rng)
        edges.append(_triangle(inside) + starts[a])
        rest = int(starts[-1] - starts[a + 1])
        if rest:
            across = _sample(size * rest, p_out, rng)
            edges.append(np.column_stack([across // rest + starts[a], across % rest + starts[a + 1]]))
    graph = Graph.from_edges(np.concatenate(edges), num_nodes=int(starts[-1]))
    description = f"planted partition of {len(sizes)} classes, edges {p_in:g} inside and {p_out:g} between"
    return LabelledGraph(graph, np.repeat(np.arange(len(sizes)), sizes), description)


def _sample(count: int, probability: float, rng: np.random.Generator) -> Ints:
    """Numbers below `count`, each with the same probability."""
    chosen = rng.binomial(count, probability)
    return rng.choice(count, size=chosen, replace=False, shuffle=False).astype(np.int64)


def _triangle(numbers: Ints) -> Ints:
    """The pairs i < j with number j(j − 1)/2 + i."""
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) / 2).astype(np.int64)
    high -= high * (high - 1) // 2 > numbers  # the square root may be rounded up to the next whole number
    return np.column_stack([numbers - high * (high - 1) // 2, high])
