"""The Picard–Queyranne graph: every minimum cut that agrees with the labels, as one acyclic graph.

Given labels on some nodes, two nodes are in the same super-vertex iff every label-consistent minimum
cut labels them alike. The super-vertex of the source holds the nodes that are −1 in all of them, that
of the target the nodes that are +1 in all. An edge between two super-vertices is saturated by every
maximum flow, always in the same direction, and becomes an arc I → J; a labelling is a minimum cut iff
it is constant on super-vertices, agrees with source and target, and

    u_I = +1 and I → J   implies   u_J = +1.

So minimum cuts are the order ideals of the inner super-vertices. They are computed as the strongly
connected components of the residual graph of one maximum flow, those reachable from the source and
those that reach the target merged.

References: Picard and Queyranne (1980); Herbster, Pasteris and Ghosh (2015), Definition 1, Figure 1
and Theorem 2.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import MissingDependencyError
from zerokelvin.flow.static.capacities import Capacities, Labels, read_labels, scale_weights
from zerokelvin.flow.static.coupling import sample_ideals
from zerokelvin.flow.static.dag import path_lengths, topological_levels
from zerokelvin.flow.static.drawing import draw_picard_queyranne
from zerokelvin.flow.static.ideals import InnerPart, count_ideals, iterate_ideals, split_parts
from zerokelvin.flow.static.maximum_flow import maximum_flow
from zerokelvin.graph import Graph

__all__ = ["PicardQueyranne", "assemble", "picard_queyranne"]


@dataclass(frozen=True, eq=False)
class PicardQueyranne:
    """The acyclic graph of super-vertices of all label-consistent minimum cuts.

    Super-vertex 0 is the source and the last one the target (either may be empty, where no node has
    that label); those between are inner, numbered so that every arc goes upwards. A connected
    component without labels is one inner super-vertex without arcs.

    Attributes
    ----------
    graph
        The graph it was made from.
    value, rounding
        The minimum cut, and how far it may be from exact (see `MinimumCut`).
    super_vertex
        Super-vertex of every node index.
    arcs
        Distinct pairs (I, J) in ascending order; parallel edges are one arc.
    arc_weights
        Total weight of the edges behind every arc.
    """

    graph: Graph
    value: float
    rounding: float
    super_vertex: Ints
    arcs: Ints
    arc_weights: Floats
    num_super_vertices: int

    # -- asking -----------------------------------------------------------------------------------

    @property
    def source(self) -> int:
        """The source super-vertex, 0."""
        return 0

    @property
    def target(self) -> int:
        """The target super-vertex, the last one."""
        return self.num_super_vertices - 1

    def of(self, node: Hashable) -> int:
        """Super-vertex of a node, given by name."""
        return int(self.super_vertex[self.graph.index(node)])

    def place(self, node: Hashable) -> Literal["source", "target", "inner"]:
        """Where a node, given by name, lies: in the source, in the target or between them."""
        places: tuple[Literal["source", "inner", "target"], ...] = ("source", "inner", "target")
        return places[self.side(node) + 1]

    def side(self, node: Hashable) -> int:
        """−1 for a node of the source, +1 for one of the target, 0 for an inner one."""
        here = self.of(node)
        return -1 if here == self.source else 1 if here == self.target else 0

    def members(self, super_vertex: int) -> list[Hashable]:
        """Names of the nodes of a super-vertex."""
        return [self.graph.name(int(i)) for i in np.flatnonzero(self.super_vertex == super_vertex)]

    @cached_property
    def longest_from_source(self) -> Ints:
        """Arcs on the longest path from the source to every super-vertex; −1 where there is none."""
        return path_lengths(self.num_super_vertices, self.arcs, self.source, longest=True)

    @cached_property
    def longest_to_target(self) -> Ints:
        """Arcs on the longest path from every super-vertex to the target; −1 where there is none."""
        return self._to_target(longest=True)

    @cached_property
    def shortest_from_source(self) -> Ints:
        """Arcs on the shortest path from the source to every super-vertex; −1 where there is none."""
        return path_lengths(self.num_super_vertices, self.arcs, self.source, longest=False)

    @cached_property
    def shortest_to_target(self) -> Ints:
        """Arcs on the shortest path from every super-vertex to the target; −1 where there is none."""
        return self._to_target(longest=False)

    # -- minimum cuts -----------------------------------------------------------------------------

    def minimum_cuts(self) -> Iterator[Ints]:
        """Every minimum cut once, lazily, as a ±1 labelling of the nodes.

        The first has the fewest −1 nodes, the last the most; the time between two is linear in the
        number of super-vertices and arcs.

        Examples
        --------
        >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
        >>> [cut.tolist() for cut in picard_queyranne(path, {0: 0, 3: 1}).minimum_cuts()]
        [[-1, 1, 1, 1], [-1, -1, 1, 1], [-1, -1, -1, 1]]
        """
        inner = self._inner_arcs
        for ideal in iterate_ideals(self.num_super_vertices - 2, inner):
            sides = np.concatenate([[-1], np.where(ideal, -1, 1), [1]])
            yield sides[self.super_vertex]

    def count_minimum_cuts(self, max_states: int = 1_000_000) -> int | None:
        """Number of minimum cuts, or None where counting needs more than `max_states` states.

        Counting is #P-complete (Provan and Ball, 1983); it is done part by part with the frontier
        dynamic programme of `zerokelvin.flow.static.ideals`.
        """
        total = 1
        for part in split_parts(self.num_super_vertices - 2, self._inner_arcs):
            counted = count_ideals(part, max_states)
            if counted is None:
                return None
            total *= counted.source + counted.target
        return total

    def sample_minimum_cuts(self, samples: int, rng: np.random.Generator) -> Ints:
        """Independent, uniformly distributed minimum cuts, one ±1 labelling of the nodes per row."""
        num = self.num_super_vertices
        ideals = sample_ideals(InnerPart(num - 2, self._inner_arcs, 0), samples, rng)
        ends = np.full((samples, 1), -1)
        sides = np.hstack([ends, np.where(ideals, -1, 1), -ends])
        return sides[:, self.super_vertex]

    def part(self, node: Hashable) -> InnerPart | None:
        """The inner super-vertices connected with that of a node; None outside the inner part."""
        here = self.of(node)
        if here in (self.source, self.target):
            return None
        return split_parts(self.num_super_vertices - 2, self._inner_arcs, around=here - 1)[0]

    # -- leaving ----------------------------------------------------------------------------------

    def to_networkx(self) -> Any:
        """A networkx DiGraph: nodes with ``members`` and ``place``, arcs with ``weight``."""
        try:
            import networkx as nx
        except ImportError:
            raise MissingDependencyError(
                "networkx is not installed; install zerokelvin[graphs] to export the graph."
            ) from None
        out = nx.DiGraph(value=self.value)
        for v in range(self.num_super_vertices):
            place = "source" if v == self.source else "target" if v == self.target else "inner"
            out.add_node(v, members=self.members(v), place=place)
        for (i, j), weight in zip(self.arcs.tolist(), self.arc_weights.tolist(), strict=True):
            out.add_edge(i, j, weight=weight)
        return out

    def draw(self, ax: Any = None) -> Any:
        """Draw the graph from source (left) to target (right); returns the matplotlib axes."""
        return draw_picard_queyranne(self, ax)

    @cached_property
    def _inner_arcs(self) -> Ints:
        """Arcs between inner super-vertices, renumbered from 0."""
        within = (self.arcs[:, 0] != self.source) & (self.arcs[:, 1] != self.target)
        return self.arcs[within] - 1

    def _to_target(self, longest: bool) -> Ints:
        """Path lengths to the target, as those from it over the arcs turned round."""
        backward = self.target - self.arcs[:, ::-1]
        return path_lengths(self.num_super_vertices, backward, 0, longest)[::-1]

    def __repr__(self) -> str:
        return (
            f"PicardQueyranne(value={self.value:g}, super_vertices={self.num_super_vertices}, "
            f"arcs={len(self.arcs)})"
        )


def picard_queyranne(graph: Graph, labels: Labels) -> PicardQueyranne:
    """The Picard–Queyranne graph of `graph` and labelled nodes.

    Parameters
    ----------
    graph
        A graph with positive weights, connected or not.
    labels
        Node name → label, as a mapping or pairs; labels are 0/1 or −1/+1 (0 and −1: the source).

    Examples
    --------
    >>> square = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> pq = picard_queyranne(square, {"a": 0, "c": 1})
    >>> pq
    PicardQueyranne(value=2, super_vertices=4, arcs=4)
    >>> pq.place("b"), pq.members(pq.target), pq.count_minimum_cuts()
    ('inner', ['c'], 4)
    """
    capacities = scale_weights(graph, "the Picard–Queyranne graph")
    nodes, values = read_labels(graph, labels, named=True)
    flow = maximum_flow(graph, capacities, nodes, values)
    passable = flow.residual > 0
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))[passable]
    open_arcs = sp.coo_array(
        (np.ones(len(tails)), (tails, graph.indices[passable])), shape=(graph.num_nodes,) * 2
    ).tocsr()
    _, strong = sp.csgraph.connected_components(open_arcs, directed=True, connection="strong")
    sides = np.where(flow.source, -1, np.where(flow.target, 1, 0))
    return assemble(graph, capacities, flow.residual, sides, strong.astype(np.int64))


def assemble(
    graph: Graph, capacities: Capacities, residual: Ints, sides: Ints, classes: Ints
) -> PicardQueyranne:
    """Put the graph together from a maximum flow's residual capacities.

    Parameters
    ----------
    sides
        −1 on the source's nodes, +1 on the target's, 0 on inner ones.
    classes
        Any number that tells the super-vertex of an inner node.
    """
    inner = np.flatnonzero(sides == 0)
    _, first, dense = np.unique(classes[inner], return_index=True, return_inverse=True)
    num = len(first) + 2
    raw = np.where(sides < 0, 0, num - 1)
    raw[inner] = dense.reshape(-1) + 1
    tails = np.repeat(raw, np.diff(graph.indptr))
    heads = raw[graph.indices]
    crossing = np.flatnonzero((residual == 0) & (tails != heads))
    keys, at = np.unique(tails[crossing] * num + heads[crossing], return_inverse=True)
    weights = np.bincount(at.reshape(-1), graph.weights[crossing], minlength=len(keys)).astype(np.float64)
    arcs = np.column_stack([keys // num, keys % num])
    level = topological_levels(num, arcs)
    level[0], level[-1] = -1, num
    lowest = np.concatenate([[0], inner[first], [0]]).astype(np.int64)
    number = np.empty(num, dtype=np.int64)
    number[np.lexsort((lowest, level))] = np.arange(num)
    arcs = number[arcs]
    order = np.lexsort((arcs[:, 1], arcs[:, 0]))
    across = (sides[graph.edges[:, 0]] < 0) != (sides[graph.edges[:, 1]] < 0)
    return PicardQueyranne(
        graph=graph,
        value=float(graph.edge_weights[across].sum()),
        rounding=capacities.rounding,
        super_vertex=number[raw],
        arcs=arcs[order],
        arc_weights=weights[order],
        num_super_vertices=num,
    )
