"""A large graph with its nodes numbered by neighbourhoods, so that walks stay within a little memory.

Where nodes are numbered as they came, every step of a random walk reads from another page of memory, and on a
million nodes waits for it each time. In the order of a breadth-first search neighbours have numbers that are
near each other, on graphs that look like a plane within O(√n), and a walk finds most of what it needs where
it has just been.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = ["LARGE", "NumberedGraph", "number_by_neighbourhood"]

LARGE = 1 << 15
"""Nodes from which on it pays: what walks on fewer read fits into a cache, however they are numbered."""


class NumberedGraph(NamedTuple):
    """The same graph with other numbers, and the number that every node has in it."""

    graph: Graph
    number: Ints


def number_by_neighbourhood(graph: Graph) -> NumberedGraph:
    """A graph whose nodes are numbered in the order of a breadth-first search of every component.

    >>> line = Graph.from_edges([(0, 3), (3, 1), (1, 2)])
    >>> found = number_by_neighbourhood(line)
    >>> found.number.tolist(), found.graph.edges.tolist()
    ([0, 2, 3, 1], [[0, 1], [1, 2], [2, 3]])
    """
    count = graph.num_nodes
    number, order = np.full(count, -1), np.empty(count, dtype=np.int64)
    _search(graph.indptr, graph.indices, number, order)
    rows = np.concatenate([[0], np.cumsum(np.diff(graph.indptr)[order])])
    heads, weights = np.empty_like(graph.indices), np.empty_like(graph.weights)
    _renumber(graph.csr, number, order, Csr(rows[:-1].copy(), heads, weights))
    return NumberedGraph(Graph(rows, heads, weights), number)


@kernel
def _search(indptr: Ints, indices: Ints, number: Ints, order: Ints) -> None:
    """Number the nodes, from the lowest of every component on; `order` is also the queue."""
    tail = 0
    for root in range(len(number)):
        if number[root] >= 0:
            continue
        head = tail
        number[root], order[tail] = tail, root
        tail += 1
        while head < tail:
            node = order[head]
            head += 1
            for arc in range(indptr[node], indptr[node + 1]):
                other = indices[arc]
                if number[other] < 0:
                    number[other], order[tail] = tail, other
                    tail += 1


@kernel
def _renumber(csr: Csr, number: Ints, order: Ints, arcs: Csr) -> None:
    """Write the arcs that arrive from every node in turn, which leaves all rows in ascending order.

    `arcs` has the beginning of every row, moved on with every arc, and the arrays that are written.
    """
    indptr, indices, weights = csr
    free, heads, new_weights = arcs
    for node in range(len(order)):
        old = order[node]
        for arc in range(indptr[old], indptr[old + 1]):
            row = number[indices[arc]]
            heads[free[row]], new_weights[free[row]] = node, weights[arc]
            free[row] += 1
