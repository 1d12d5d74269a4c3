"""Random spanning trees of graphs with very unequal weights, layer by layer.

A random walk leaves a set C of nodes after about vol(C) / X steps, with vol(C) the sum of the degrees in C
and X the weight of the edges that leave it: behind links of weight 10⁻¹⁰ Wilson's algorithm never ends.
Where that is more than the `patience` of a graph, C is a *trap*, and the tree is drawn in two parts that are
independent of each other: a spanning tree of C, and one of the graph in which C is a single node. Traps in
traps take further layers.

The tree has exactly this law where its edges inside C connect C, and it does so but with a probability of

    P(T ∩ C is not connected) ≤ E[#parts − 1] = |C| − 1 − Σ_{e in C} w_e r_e ≤ X·R,

R the resistance diameter of C: wiring all of the outside together makes every r_e smaller, Foster's theorem
then turns the sum into Σ w_o r_o − 1 over the edges o that leave C, and r_o ≤ 1/X + R by Thomson's principle.
So X·R, next to nothing where a walk would not end, bounds how far (in total variation) the trees are from
uniform ones. A trap is found in the dendrogram of the edges taken by falling weight: a set whose edges
outwards are all lighter than those that hold it together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.spanning.union_find import leader_of
from zerokelvin.trees.spanning.wilson import WilsonSampler, running_sums

__all__ = ["Layer", "LayeredSampler", "has_traps", "patience"]


def patience(graph: Graph) -> float:
    """Steps of a walk that may be spent on leaving a set of nodes."""
    return 2.0**20 + 256.0 * graph.num_edges


def has_traps(graph: Graph) -> bool:
    """Whether weights differ so much that a walk may be trapped; quick, and never wrongly no."""
    weights = graph.edge_weights
    return bool(len(weights) and 2.0 * weights.sum() > patience(graph) * weights.min())


@dataclass(frozen=True, eq=False)
class Layer:
    """The edges whose tree is drawn together, joined where they have the same ends.

    Edges ``edges[starts[g] : starts[g + 1]]`` of the whole graph are edge g of `sampler`'s; `sums` holds the
    running sums of their weights.
    """

    sampler: WilsonSampler
    keys: Ints
    starts: Ints
    edges: Ints
    sums: Floats

    @classmethod
    def of(cls, ends: Ints, edges: Ints, weights: Floats, num_nodes: int) -> Layer:
        """A layer of edges with the given ends, at least one, on `num_nodes` nodes."""
        keys, group = np.unique(ends.min(axis=1) * num_nodes + ends.max(axis=1), return_inverse=True)
        scaled = weights / weights.max()
        graph = Graph.from_edges(
            np.column_stack(np.divmod(keys, num_nodes)), np.bincount(group, scaled), num_nodes=num_nodes
        )
        order = np.argsort(group, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(group))])
        sums = running_sums(starts, scaled[order])
        return cls(WilsonSampler.of(graph), keys, starts, edges[order], sums)

    def draw(self, rng: np.random.Generator) -> Ints:
        """One spanning tree (forest) of the layer, as edges of the whole graph."""
        graph = self.sampler.graph
        arcs = self.sampler.draw(rng)
        tails, heads = np.searchsorted(graph.indptr, arcs, side="right") - 1, graph.indices[arcs]
        key = np.minimum(tails, heads) * graph.num_nodes + np.maximum(tails, heads)
        chosen = np.searchsorted(self.keys, key)
        return _pick(chosen, self.starts, self.edges, self.sums, rng.random(len(chosen)))


@dataclass(frozen=True, eq=False)
class LayeredSampler:
    """A graph taken apart at its traps; `draw` gives a spanning tree.

    Examples
    --------
    >>> pairs = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4)]
    >>> far = Graph.from_edges(pairs, weights=[1, 1, 1, 1, 1, 1, 1e-12, 1e-12])
    >>> sampler = LayeredSampler.of(far)
    >>> len(sampler.layers), sampler.draw(np.random.default_rng(0)).shape
    (2, (5,))
    """

    layers: tuple[Layer, ...]

    @classmethod
    def of(cls, graph: Graph, limit: float | None = None) -> LayeredSampler:
        """Find the traps, sets that hold a walk for more than `limit` steps; once for any number of trees."""
        ends, weights, limit = graph.edges, graph.edge_weights, limit or patience(graph)
        edges = np.arange(graph.num_edges)
        layers = []
        while len(edges):
            ranked = np.argsort(-weights, kind="stable")
            place, inside = _find_traps(ends, weights, ranked, graph.num_nodes, limit)
            if not inside.any():
                inside[:] = True
            layers.append(Layer.of(ends[inside], edges[inside], weights[inside], graph.num_nodes))
            ends, edges, weights = place[ends[~inside]], edges[~inside], weights[~inside]
        return cls(tuple(layers))

    def draw(self, rng: np.random.Generator) -> Ints:
        """One spanning tree (forest), as rows of the graph's edges."""
        return np.concatenate([layer.draw(rng) for layer in self.layers])


@kernel
def _pick(chosen: Ints, starts: Ints, edges: Ints, sums: Floats, coins: Floats) -> Ints:
    """One of the edges of every chosen group, with probability proportional to its weight."""
    picked = np.full(len(chosen), -1)
    for k in range(len(chosen)):
        at, last = starts[chosen[k]], starts[chosen[k] + 1] - 1
        aim = coins[k] * sums[last]
        while at < last and sums[at] <= aim:
            at += 1
        picked[k] = edges[at]
    return picked


class Traps(NamedTuple):
    """For every node the one that stands for its trap (itself outside), and which edges lie inside one."""

    place: Ints
    inside: NDArray[np.bool_]


class Dendrogram(NamedTuple):
    """Sets joined by edges of falling weight; the first n are the single nodes, later ones come after parts.

    Attributes
    ----------
    parent
        The set that a set was joined into; a root is its own.
    jump
        A set further up, so that two sets meet after O(log n) steps.
    depth
        How many sets lie above.
    """

    parent: Ints
    jump: Ints
    depth: Ints


@kernel
def _find_traps(ends: Ints, weights: Floats, ranked: Ints, n: int, limit: float) -> Traps:
    """The innermost traps of a graph of n nodes; `ranked` are its edges by falling weight."""
    tree = _dendrogram(ends, ranked, n)
    parent, total = tree.parent, len(tree.parent)
    # weight of all edges at every set, and of those within it, counted at both ends
    volume = np.zeros(total)
    within = np.zeros(total)
    for e in range(len(weights)):
        u, v = ends[e, 0], ends[e, 1]
        volume[u] += weights[e]
        volume[v] += weights[e]
        within[_meet(tree, u, v)] += 2.0 * weights[e]
    # a trap has next to no weight that leads out of it; only the innermost count
    trap = np.zeros(total, dtype=np.bool_)
    below = np.zeros(total, dtype=np.bool_)  # whether a trap lies in it
    for c in range(total):
        up = parent[c]
        if up == c:
            continue
        trap[c] = c >= n and not below[c] and volume[c] > limit * (volume[c] - within[c])
        volume[up] += volume[c]
        within[up] += within[c]
        below[up] |= below[c] or trap[c]
    root = np.arange(total)  # the trap that holds it, or itself
    for c in range(total - 1, -1, -1):
        if trap[root[parent[c]]]:
            root[c] = root[parent[c]]
    # the lowest node of a trap stands for it
    place = np.arange(n)
    first = np.full(total, -1)
    for node in range(n):
        if trap[root[node]]:
            if first[root[node]] < 0:
                first[root[node]] = node
            place[node] = first[root[node]]
    inside = np.zeros(len(weights), dtype=np.bool_)
    for e in range(len(weights)):
        inside[e] = place[ends[e, 0]] == place[ends[e, 1]]
    return Traps(place, inside)


@inner_kernel
def _dendrogram(ends: Ints, ranked: Ints, n: int) -> Dendrogram:
    """Join the n nodes along the edges, in the order of `ranked`."""
    leader = np.arange(n)
    name = np.arange(n)  # of the set led
    parent = np.arange(2 * n)
    total = n
    for e in ranked:
        u, v = leader_of(leader, ends[e, 0]), leader_of(leader, ends[e, 1])
        if u != v:
            parent[name[u]] = parent[name[v]] = total
            leader[u] = v
            name[v] = total
            total += 1
    jump = np.arange(total)
    depth = np.zeros(total, dtype=np.int64)
    for c in range(total - 1, -1, -1):
        up = parent[c]
        if up != c:
            depth[c] = depth[up] + 1
            far = jump[up]
            even = depth[up] - depth[far] == depth[far] - depth[jump[far]]
            jump[c] = jump[far] if even else up
    return Dendrogram(parent[:total], jump, depth)


@inner_kernel
def _meet(tree: Dendrogram, u: int, v: int) -> int:
    """The smallest set that holds both, in O(log n) steps by jumps."""
    parent, jump, depth = tree
    if depth[u] < depth[v]:
        u, v = v, u
    while depth[u] > depth[v]:
        u = jump[u] if depth[jump[u]] >= depth[v] else parent[u]
    while u != v:
        if jump[u] != jump[v]:
            u, v = jump[u], jump[v]
        else:
            u, v = parent[u], parent[v]
    return u
