"""Spanning trees of a graph: random, breadth-first, minimum and low-stretch.

- ``"random"``: uniform, weighted by the product of edge weights (`trees.spanning.wilson`; in layers where
  weights are very unequal, `trees.spanning.layers`). An edge is in the tree with probability w_e · r_e, so
  the expected cut of a labelling is Σ w_e r_e over its cut edges: dense clusters are cut seldom
  (Cesa-Bianchi, Gentile, Vitale, Zappella 2010).
- ``"bfs"``: shortest paths in edges from a random root.
- ``"minimum"``: the least total length, an edge of weight w being 1/w long; ties are broken at random.
- ``"low-stretch"``: short detours for the edges left out (`zerokelvin.trees.spanning.low_stretch`).

All take the randomness they need from a generator, and give a spanning forest of a disconnected graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.trees.spanning.layers import LayeredSampler, has_traps
from zerokelvin.trees.spanning.low_stretch import low_stretch_edges
from zerokelvin.trees.spanning.union_find import leader_of
from zerokelvin.trees.spanning.wilson import WilsonSampler

__all__ = ["KINDS", "SpanningTrees", "is_forest", "spanning_tree"]

KINDS = ("random", "bfs", "minimum", "low-stretch")


def is_forest(graph: Graph) -> bool:
    """Whether a graph has no cycle.

    >>> is_forest(Graph.from_edges([(0, 1), (2, 3)])), is_forest(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
    (True, False)
    """
    return graph.num_edges == graph.num_nodes - graph.num_components


def check_kind(kind: str) -> None:
    """Refuse a kind of tree that does not exist."""
    if kind not in KINDS:
        raise ParameterError(f"tree={kind!r} is unknown; choose one of {', '.join(KINDS)}.")


@dataclass(frozen=True, eq=False)
class SpanningTrees:
    """A graph made ready for drawing spanning trees of one kind.

    Parameters
    ----------
    graph
        The graph, connected or not, with positive weights.
    kind
        One of `KINDS`. A graph that is a forest has one spanning tree, whatever the kind.
    """

    graph: Graph
    kind: str = "random"

    def __post_init__(self) -> None:
        check_kind(self.kind)
        self.graph.require_positive("a spanning tree")

    def draw(self, rng: np.random.Generator) -> Ints:
        """Positions in the graph's CSR arrays of the edges of one tree, one arc per edge, ascending."""
        graph = self.graph
        if is_forest(graph):
            arcs = self._upper
        elif self.kind == "random" and has_traps(graph):
            arcs = self._upper[self._layers.draw(rng)]
        elif self.kind == "random":
            arcs = self._sampler.draw(rng)
        elif self.kind == "bfs":
            arcs = _breadth_first(graph.indptr, graph.indices, rng.permutation(graph.num_nodes))
        else:
            if self.kind == "minimum":
                ranked = np.lexsort((rng.random(graph.num_edges), 1.0 / graph.edge_weights))
                chosen = _kruskal(graph.edges, ranked, graph.num_nodes)
            else:
                chosen = low_stretch_edges(graph, rng)
            arcs = self._upper[chosen]
        return np.sort(arcs)

    def make_ready(self) -> None:
        """Do now what all draws share, so that several threads may draw."""
        if self.kind == "random" and not is_forest(self.graph):
            _ = self._layers if has_traps(self.graph) else self._sampler
        elif self.kind != "bfs":
            _ = self._upper

    @cached_property
    def _sampler(self) -> WilsonSampler:
        """Wilson's algorithm on the graph, made ready."""
        return WilsonSampler.of(self.graph)

    @cached_property
    def _layers(self) -> LayeredSampler:
        """The same for a graph in which walks would be trapped."""
        return LayeredSampler.of(self.graph)

    @cached_property
    def _upper(self) -> Ints:
        """The position in the CSR arrays of the arc u → v, u < v, of every row of ``graph.edges``."""
        tails = np.repeat(np.arange(self.graph.num_nodes), np.diff(self.graph.indptr))
        return np.flatnonzero(tails < self.graph.indices)


def spanning_tree(graph: Graph, kind: str = "random", rng: np.random.Generator | None = None) -> Graph:
    """A spanning tree (forest) of a graph, with the graph's nodes, names and weights.

    Parameters
    ----------
    graph
        The graph, connected or not, with positive weights.
    kind
        ``"random"``, ``"bfs"``, ``"minimum"`` or ``"low-stretch"``; see the module.
    rng
        Where the randomness comes from; seeded with 0 by default.

    Examples
    --------
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[1.0, 2.0, 3.0])
    >>> spanning_tree(triangle, "minimum").edges.tolist()
    [[0, 2], [1, 2]]
    """
    arcs = SpanningTrees(graph, kind).draw(np.random.default_rng(0) if rng is None else rng)
    tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
    edges = np.column_stack([tails, graph.indices[arcs]])
    tree = Graph.from_edges(edges, graph.weights[arcs], num_nodes=graph.num_nodes)
    return tree if graph.names is None else Graph(tree.indptr, tree.indices, tree.weights, graph.names)


@kernel
def _breadth_first(indptr: Ints, indices: Ints, roots: Ints) -> Ints:
    """Arcs of a breadth-first tree of every component, from its first node among the roots."""
    n = len(indptr) - 1
    seen = np.zeros(n, dtype=np.bool_)
    queue = np.empty(n, dtype=np.int64)
    arcs = np.empty(n, dtype=np.int64)
    tail = count = 0
    for root in roots:
        if seen[root]:
            continue
        seen[root] = True
        head = tail
        queue[tail] = root
        tail += 1
        while head < tail:
            node = queue[head]
            head += 1
            for arc in range(indptr[node], indptr[node + 1]):
                other = indices[arc]
                if not seen[other]:
                    seen[other] = True
                    arcs[count] = arc
                    count += 1
                    queue[tail] = other
                    tail += 1
    return arcs[:count].copy()


@kernel
def _kruskal(edges: Ints, ranked: Ints, n: int) -> Ints:
    """The rows of `edges` of a spanning forest of n nodes, by Kruskal's algorithm in the order `ranked`."""
    leader = np.arange(n)
    chosen = np.empty(n, dtype=np.int64)
    count = 0
    for e in ranked:
        u, v = leader_of(leader, edges[e, 0]), leader_of(leader, edges[e, 1])
        if u != v:
            leader[u] = v
            chosen[count] = e
            count += 1
    return chosen[:count].copy()
