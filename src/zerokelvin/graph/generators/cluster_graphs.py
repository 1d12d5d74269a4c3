"""Graphs of a few dense parts, as the papers argue with them.

References
----------
Herbster, Pontil 2006, "Prediction on a graph with a perceptron": section 1.1 and Fig. 2, 3 (barbells),
section 3 and Fig. 4 (flower), section 4 (thick barbell), section 5.1 and Fig. 5 (octopus).
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": section 2.2 and Fig. 2
(three clusters).
Herbster, Pasteris, Ghosh 2015, "Online prediction at the limit of zero temperature": section 3.3 (the
double lollipop).
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.graph.generators.labelled import (
    LabelledGraph,
    clique_edges,
    joined_cliques,
    require,
    require_whole,
)
from zerokelvin.graph.graph import Graph

__all__ = [
    "balanced_octopus",
    "barbell",
    "double_lollipop",
    "flower",
    "noisy_barbell",
    "octopus",
    "thick_barbell",
    "three_clusters",
]


def barbell(m: int) -> LabelledGraph:
    """Two m-cliques joined by one edge, the first +1: cut 1, diameter 3.

    >>> barbell(5).graph
    Graph(nodes=10, edges=21)
    """
    require_whole("m", m, 2, None, "a barbell has cliques of at least 2 nodes")
    return LabelledGraph(_two_cliques(m, 1), _signs((m, 1), (m, -1)), f"barbell of two {m}-cliques")


def noisy_barbell(m: int, k: int = 1) -> LabelledGraph:
    """A barbell in which k nodes of the first clique carry the label of the second: cut k·(m − k) + 1.

    The noisy nodes are the last k of the first clique; the joining edge is at its node 0. With k = 1
    the cut is m, as in the paper.

    >>> noisy_barbell(4, 1).labels
    array([ 1,  1,  1, -1, -1, -1, -1, -1])
    """
    require_whole("m", m, 2, None, "a barbell has cliques of at least 2 nodes")
    require_whole("k", k, 1, m - 1, f"between 1 and m - 1 = {m - 1} nodes of the first clique can be noisy")
    labels = _signs((m - k, 1), (m + k, -1))
    return LabelledGraph(_two_cliques(m, 1), labels, f"barbell of two {m}-cliques, {k} nodes noisy")


def thick_barbell(m: int, l: int) -> LabelledGraph:  # noqa: E741
    """Two m-cliques joined by l < m edges, the first +1: cut l, diameter 3.

    Edge i joins node i of the first clique to node i of the second. Any two nodes are joined by l
    edge-disjoint paths of length at most five, so the resistance diameter is at most 5/l.

    >>> thick_barbell(5, 3).graph
    Graph(nodes=10, edges=23)
    """
    require_whole("m", m, 2, None, "a barbell has cliques of at least 2 nodes")
    require_whole("l", l, 1, m - 1, f"between 1 and m - 1 = {m - 1} edges join the cliques")
    description = f"thick barbell of two {m}-cliques and {l} edges"
    return LabelledGraph(_two_cliques(m, l), _signs((m, 1), (m, -1)), description)


def three_clusters(m: int, l: int, links: int = 2) -> LabelledGraph:  # noqa: E741
    """Three m-cliques: the first two joined by l edges, the third to both by `links` edges in turn.

    With l growing in proportion to m and `links` fixed, the third cluster becomes ever more remote. The
    first and third cluster are +1, the second −1: cut l + ⌊links/2⌋, below 2l for links < 2l. Link i
    leaves node i of the third clique for node i of the first (i even) or of the second (i odd).

    >>> data = three_clusters(10, 6)
    >>> data.graph, int(data.labels.sum())
    (Graph(nodes=30, edges=143), 10)
    """
    require_whole("m", m, 2, None, "clusters have at least 2 nodes")
    require_whole("l", l, 1, m - 1, f"between 1 and m - 1 = {m - 1} edges join the first two clusters")
    require_whole("links", links, 1, m - 1, f"between 1 and m - 1 = {m - 1} edges join the third cluster")
    bridge, link = np.arange(l), np.arange(links)
    graph = joined_cliques(
        m,
        3,
        np.column_stack([bridge, m + bridge]),
        np.column_stack([link + m * (link % 2), 2 * m + link]),
    )
    description = f"three {m}-cliques, {l} edges between two, {links} to the third"
    return LabelledGraph(graph, _signs((m, 1), (m, -1), (m, 1)), description)


def flower(p: int, m: int) -> LabelledGraph:
    """A stem of p nodes with m petals on its last node: p + m nodes, diameter p.

    A chain of p − 1 nodes joined to the root of an m-ary tree of depth one. The chain is +1, the root
    and its petals are −1: cut 1.

    >>> flower(3, 4).graph
    Graph(nodes=7, edges=6)
    """
    require_whole("p", p, 2, None, "the stem has at least 2 nodes")
    require_whole("m", m, 1, None, "a flower has at least one petal")
    stem, petals = np.arange(p - 1), np.arange(p, p + m)
    edges = np.concatenate([np.column_stack([stem, stem + 1]), np.column_stack([np.full(m, p - 1), petals])])
    labels = _signs((p - 1, 1), (m + 1, -1))
    return LabelledGraph(Graph.from_edges(edges), labels, f"flower with a stem of {p} and {m} petals")


def octopus(l: int, m: int, p: int) -> LabelledGraph:  # noqa: E741
    """A head (l-clique) and m tentacles of length p on one root, which one edge joins to the head.

    There are l + m·p + 1 nodes: the head c_1 .. c_l, the root r, then tentacle by tentacle from the root
    outwards. The diameter is max(p + 2, 2p). The head is +1, the root and its tentacles are −1: cut 1.

    >>> octopus(4, 3, 2).graph
    Graph(nodes=11, edges=13)
    """
    require_whole("l", l, 2, None, "the head has at least 2 nodes")
    require_whole("m", m, 2, None, "an octopus has at least 2 tentacles")
    require_whole("p", p, 1, None, "a tentacle has at least length 1")
    root = l
    tentacles = np.arange(root + 1, root + 1 + m * p).reshape(m, p)
    before = np.column_stack([np.full(m, root), tentacles[:, :-1]])
    limbs = np.column_stack([before.ravel(), tentacles.ravel()])
    edges = np.concatenate([clique_edges(l), [[0, root]], limbs])
    description = f"octopus with a head of {l} and {m} tentacles of length {p}"
    return LabelledGraph(Graph.from_edges(edges), _signs((l, 1), (m * p + 1, -1)), description)


def balanced_octopus(m: int, p: int) -> LabelledGraph:
    """The octopus whose head has as many nodes as the rest: l = m·p + 1.

    >>> balanced_octopus(3, 2).graph.num_nodes
    14
    """
    return octopus(m * p + 1, m, p)


def double_lollipop(n: int) -> LabelledGraph:
    """Two lollipops, each a path of n/4 nodes on a clique of n/4, their cliques joined by n/8 edges.

    Nodes: first clique, first path from the clique outwards, second clique, second path. The path hangs
    on the last node of its clique; edge i of the joint is between node i of either clique. The first
    lollipop is +1, the second −1: cut n/8, diameter n/2 + 3.

    >>> double_lollipop(16).graph
    Graph(nodes=16, edges=22)
    """
    require_whole("n", n, 8, None, "a lollipop has at least 8 nodes")
    require(n % 8 == 0, "n", n, "the number of nodes is a multiple of 8")
    quarter = n // 4
    path = np.arange(quarter - 1, 2 * quarter - 1)
    lollipop = np.concatenate([clique_edges(quarter), np.column_stack([path, path + 1])])
    joint = np.arange(n // 8)
    edges = np.concatenate([lollipop, lollipop + n // 2, np.column_stack([joint, joint + n // 2])])
    labels = _signs((n // 2, 1), (n // 2, -1))
    return LabelledGraph(Graph.from_edges(edges), labels, f"double lollipop of {n} nodes")


def _two_cliques(size: int, bridges: int) -> Graph:
    ends = np.arange(bridges)
    return joined_cliques(size, 2, np.column_stack([ends, size + ends]))


def _signs(*runs: tuple[int, int]) -> Ints:
    return np.repeat([sign for _, sign in runs], [count for count, _ in runs]).astype(np.int64)
