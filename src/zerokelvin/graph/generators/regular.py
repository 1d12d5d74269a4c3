"""Cliques, lines, grids and trees, labelled in two halves by as small a cut as they have.

References
----------
Herbster, Pontil 2006, "Prediction on a graph with a perceptron", section 5.2 (the line).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph.generators.labelled import LabelledGraph, clique_edges, halves, require, require_whole
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["clique", "grid", "line", "random_tree", "tree"]


def clique(n: int) -> LabelledGraph:
    """All edges between n nodes; the first half is +1, so the cut is ⌊n/2⌋·⌈n/2⌉.

    >>> clique(4).graph
    Graph(nodes=4, edges=6)
    """
    require_whole("n", n, 1, None, "a clique has at least one node")
    return LabelledGraph(Graph.from_edges(clique_edges(n), num_nodes=n), halves(n), f"clique of {n} nodes")


def line(n: int) -> LabelledGraph:
    """A path of n nodes; the first half is +1: cut 1, diameter n − 1.

    >>> line(5).labels
    array([ 1,  1,  1, -1, -1])
    """
    require_whole("n", n, 1, None, "a line has at least one node")
    nodes = np.arange(n - 1)
    graph = Graph.from_edges(np.column_stack([nodes, nodes + 1]), num_nodes=n)
    return LabelledGraph(graph, halves(n), f"line of {n} nodes")


def grid(rows: int, columns: int) -> LabelledGraph:
    """A grid, numbered row by row; the left half of the columns is +1.

    The cut is `rows` (where there are two columns or more), the diameter rows + columns − 2.

    >>> grid(2, 3).graph
    Graph(nodes=6, edges=7)
    """
    require_whole("rows", rows, 1, None, "a grid has at least one row")
    require_whole("columns", columns, 1, None, "a grid has at least one column")
    nodes = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()])
    down = np.column_stack([nodes[:-1].ravel(), nodes[1:].ravel()])
    graph = Graph.from_edges(np.concatenate([across, down]), num_nodes=rows * columns)
    return LabelledGraph(graph, np.tile(halves(columns), rows), f"grid of {rows} rows and {columns} columns")


def tree(branching: int, depth: int) -> LabelledGraph:
    """The balanced tree in which every node above the last level has `branching` children.

    Node 0 is the root and nodes are numbered level by level. The subtree of the root's first child is
    +1: cut 1, diameter 2·depth, (branching^(depth+1) − 1)/(branching − 1) nodes.

    >>> tree(2, 2).labels
    array([-1,  1, -1,  1,  1, -1, -1])
    """
    require_whole("branching", branching, 2, None, "give at least 2 children (a line has one)")
    require_whole("depth", depth, 1, None, "give at least one level below the root")
    size = (branching ** (depth + 1) - 1) // (branching - 1)
    require(size <= 1_000_000_000, "depth", depth, f"the tree would have {size} nodes")
    widths = branching ** np.arange(depth + 1)
    count = int(widths.sum())
    children = np.arange(1, count)
    graph = Graph.from_edges(np.column_stack([(children - 1) // branching, children]), num_nodes=count)
    labels = np.full(count, -1)
    for start, width in zip(np.cumsum(widths)[:-1], widths[:-1], strict=True):
        labels[start : start + width] = 1
    return LabelledGraph(graph, labels, f"tree with {branching} children per node and depth {depth}")


def random_tree(n: int, rng: np.random.Generator) -> LabelledGraph:
    """A tree drawn uniformly from the n^(n−2) trees on n nodes.

    Drawn by its Prüfer code. The labelling cuts the one edge that divides the nodes most evenly, and the
    side with node n − 1 is −1: cut 1 (0 for a single node, which is −1).

    >>> random_tree(50, np.random.default_rng(0)).graph
    Graph(nodes=50, edges=49)
    """
    require_whole("n", n, 1, None, "a tree has at least one node")
    if n == 1:
        return LabelledGraph(Graph.from_edges([], num_nodes=1), np.array([-1]), "random tree of 1 node")
    drawn = _decode_pruefer(rng.integers(n, size=max(n - 2, 0)), n)
    graph = Graph.from_edges(np.column_stack([drawn.leaves, drawn.parents]), num_nodes=n)
    return LabelledGraph(graph, drawn.labels, f"random tree of {n} nodes")


class DecodedTree(NamedTuple):
    """Leaves in the order they are removed, what each hangs on, and a label ±1 of every node."""

    leaves: Ints
    parents: Ints
    labels: Ints


@kernel
def _decode_pruefer(code: Ints, count: int) -> DecodedTree:
    """The tree on `count` nodes of a Prüfer code, and labels that differ over its most even edge."""
    remaining = np.ones(count, dtype=np.int64)
    for node in code:
        remaining[node] += 1
    leaves = np.full(count - 1, -1)
    parents = np.full(count - 1, -1)
    sizes = np.ones(count, dtype=np.int64)
    pointer = 0
    while remaining[pointer] != 1:
        pointer += 1
    leaf = pointer
    best = 0
    for step in range(count - 1):
        parent = code[step] if step < count - 2 else count - 1
        leaves[step] = leaf
        parents[step] = parent
        sizes[parent] += sizes[leaf]
        if abs(count - 2 * sizes[leaf]) < abs(count - 2 * sizes[leaves[best]]):
            best = step
        remaining[parent] -= 1
        if remaining[parent] == 1 and parent < pointer:
            leaf = parent
        else:
            pointer += 1
            while pointer < count and remaining[pointer] != 1:
                pointer += 1
            leaf = pointer
    labels = np.full(count, -1, dtype=np.int64)
    labels[leaves[best]] = 1
    for step in range(best - 1, -1, -1):
        if labels[parents[step]] == 1:
            labels[leaves[step]] = 1
    return DecodedTree(leaves, parents, labels)
