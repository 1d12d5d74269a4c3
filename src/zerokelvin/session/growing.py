"""A session whose graph grows while learning goes on, and the graphs that it stood on before.

Nodes and edges may be added at any time. The session then has a new graph, on which old nodes keep their
index, and its learner follows (`learners.base.growth`): for an ``"exact"`` learner every prediction is
from then on that of a session started on the new graph and told the same answers in the same order, for a
``"carried"`` one what was learnt is expressed on the new graph. For an ``"ordered"`` one a growth has its
place among the events.

What was predicted on the smaller graph stays so: `mistakes`, `queries` and `trials` are kept, and correcting
an answer later recounts only the trials since the last growth. A bound speaks of a game on one graph; once a
growth follows an answer it is marked as no guarantee, unless it outlives growth, as the perceptron's does. A
growth that is refused, by the graph or by the learner, leaves the session as it was.

A correction replays all answers on the present graph, but where growth is ``"ordered"`` it goes over the
growths again, each at its place. Kept for that is only what is needed to go back from the present graph: how
many nodes there were, and the weight that every changed edge had, 0 where there was none. The graph before
is the present one on its first nodes with those weights put back: equal to what it was, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.learners.base.growth import touched_nodes

__all__ = ["Before", "before_growth", "graph_before", "same_graph"]


class Before(NamedTuple):
    """A graph before a growth that came after so many events.

    `nodes` is how many it had, `edges` the pairs of its nodes, (edges, 2) with the lower first, whose weight
    is another now, and `weights` what theirs was, 0 where there was no edge.
    """

    events: int
    nodes: int
    edges: Ints
    weights: Floats


def before_growth(old: Graph, new: Graph, events: int) -> Before:
    """What a growth changed between old nodes, seen from the new graph.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> before = before_growth(line, line.extended(1, [(2, 3), (0, 1), (0, 2)]), events=5)
    >>> before.nodes, before.edges.tolist(), before.weights.tolist()
    (3, [[0, 1], [0, 2]], [1.0, 0.0])
    """
    count = old.num_nodes
    touched = touched_nodes(old, new)
    rows = touched[touched < count]
    parts = [_upper_arcs(graph, rows, count) for graph in (old, new)]
    keys = np.union1d(parts[0][0], parts[1][0])
    was, now = (_looked_up(keys, *part) for part in parts)
    changed = was != now
    edges = np.column_stack([keys[changed] // count, keys[changed] % count])
    return Before(events, count, edges, was[changed])


def graph_before(graph: Graph, later: Sequence[Before]) -> Graph:
    """The graph before all of several growths, the first of them first.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> grown = line.extended(1, [(2, 3), (0, 1), (0, 2)])
    >>> graph_before(grown, [before_growth(line, grown, 0)]) == line
    True
    """
    if not later:
        return graph
    count = later[0].nodes
    edges = np.concatenate([one.edges for one in later]).reshape(-1, 2)
    weights = np.concatenate([one.weights for one in later])
    inside = edges.max(axis=1, initial=-1) < count
    keys, first = np.unique(edges[inside] @ np.array([count, 1]), return_index=True)  # the earliest counts
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    upper = (tails < graph.indices) & (graph.indices < count)
    own = tails[upper] * count + graph.indices[upper]
    stays = ~np.isin(own, keys)
    back = weights[inside][first]
    own = np.concatenate([own[stays], keys[back != 0]])
    values = np.concatenate([graph.weights[upper][stays], back[back != 0]])
    ends, shape = (own // count, own % count), (count, count)
    matrix = sp.csr_array((np.tile(values, 2), (np.concatenate(ends), np.concatenate(ends[::-1]))), shape)
    matrix.sort_indices()
    known = graph.attributes and graph.attributes.taken(np.arange(count))
    return Graph(matrix.indptr, matrix.indices, matrix.data, graph.names and graph.names[:count], known)


def same_graph(old: Graph, new: Graph) -> bool:
    """Whether a growth has added nothing: what else than names content hashes are made of is equal."""
    if old is new or old.num_nodes != new.num_nodes:
        return old is new
    arrays = ("indptr", "indices", "weights")
    return all(np.array_equal(getattr(old, name), getattr(new, name)) for name in arrays)


def _upper_arcs(graph: Graph, rows: Ints, count: int) -> tuple[Ints, Floats]:
    """The edges of some nodes with others below `count`, u·count + v with u < v ascending, and weights."""
    lengths = graph.indptr[rows + 1] - graph.indptr[rows]
    tails = np.repeat(rows, lengths)
    starts = np.repeat(graph.indptr[rows] - np.cumsum(lengths) + lengths, lengths)
    arcs = starts + np.arange(len(tails))
    heads = graph.indices[arcs]
    inside = heads < count
    low, high = np.minimum(tails, heads)[inside], np.maximum(tails, heads)[inside]
    keys, first = np.unique(low * count + high, return_index=True)
    return keys, graph.weights[arcs[inside][first]]


def _looked_up(keys: Ints, known: Ints, weights: Floats) -> Floats:
    """The weight of every edge, 0 where it is not known."""
    at = np.searchsorted(known, keys)
    there = np.append(known, -1)[at] == keys
    found: Floats = np.where(there, np.append(weights, 0.0)[at], 0.0)
    return found
