"""The spines of a committee of spanning trees: drawn and laid out, every tree by itself.

Every tree has a generator of its own, spawned from the one given, so that trees can be drawn and laid out on
all cores and are the same on any number of them. At which leaf the depth-first search of a tree begins (of a
forest, the first of all) and in which order it takes the branches of a node is drawn too, so that a
committee's spines differ even where its trees do not. A large graph is numbered by neighbourhoods for this
(`trees.spanning.neighbourhoods`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints, index_kind
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.threads import in_threads
from zerokelvin.trees.online.neighbours import Spines
from zerokelvin.trees.spanning.neighbourhoods import LARGE, number_by_neighbourhood
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees, is_forest
from zerokelvin.trees.spanning.spine import lay_out_spine, shuffled_rows

__all__ = ["draw_spines", "lay_out"]

MANY = 1 << 12
"""Nodes from which on trees are drawn in several threads: for fewer, these take longer to start."""


def draw_spines(trees: SpanningTrees, size: int, rng: np.random.Generator) -> Spines:
    """The spines of `size` spanning trees.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> spines = draw_spines(SpanningTrees(line), 3, np.random.default_rng(0))
    >>> sorted(spines.place.tolist()), spines.height.tolist()
    ([0, 1, 2, 3, 4, 5, 6, 7, 8], [0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0])
    """
    count = trees.graph.num_nodes
    if count < LARGE:
        return _drawn(trees, size, rng)
    numbered = number_by_neighbourhood(trees.graph)
    spines = _drawn(SpanningTrees(numbered.graph, trees.kind), size, rng)
    place: Any = np.take(spines.place.reshape(size, count), numbered.number, axis=1)
    return spines._replace(place=place.reshape(-1))


def lay_out(graph: Graph, trees: list[Ints], rngs: list[np.random.Generator]) -> Spines:
    """The spines of several spanning trees, each given as ascending positions of its edges in CSR arrays."""
    spines = _room(graph, len(trees))
    for k, arcs in enumerate(trees):
        _enter(graph, arcs, rngs[k], spines, k)
    return spines


def _drawn(trees: SpanningTrees, size: int, rng: np.random.Generator) -> Spines:
    """The same with the nodes numbered as they are."""
    graph = trees.graph
    if not is_forest(graph):
        trees.make_ready()
    spines = _room(graph, size)

    def draw(k: int, own: np.random.Generator) -> None:
        _enter(graph, trees.draw(own), own, spines, k)

    tasks = [partial(draw, k, own) for k, own in enumerate(rng.spawn(size))]
    in_threads(tasks, worth=graph.num_nodes >= MANY)
    return spines


def _room(graph: Graph, size: int) -> Spines:
    """Spines of `size` drawn trees of the graph, with arrays that are still to be filled."""
    total = size * graph.num_nodes
    kind: Any = index_kind(total)
    return Spines(np.full(total, -1, kind), np.full(total, -1, kind), np.zeros(total))


def _enter(graph: Graph, arcs: Ints, rng: np.random.Generator, spines: Spines, k: int) -> None:
    """Lay out one tree as the k-th spine."""
    n = graph.num_nodes
    own = slice(k * n, (k + 1) * n)
    forest = shuffled_rows(graph, arcs, rng)
    leaves = np.flatnonzero(np.diff(forest.rows) == 1)
    first = int(leaves[int(rng.random() * len(leaves))]) if len(leaves) else 0
    line = lay_out_spine(forest, graph.weights, first)
    spines.place[own] = line.position + k * n
    spines.part[own] = graph.components[line.order] + k * graph.num_components
    _add_resistances(line.joint, spines.height[own])


@kernel
def _add_resistances(joint: Floats, heights: Floats) -> None:
    """Fill in the resistance from the start of the part to every place but the first, which has none."""
    for i in range(1, len(joint)):
        heights[i] = heights[i - 1] + 1.0 / joint[i - 1] if joint[i - 1] > 0 else 0.0
