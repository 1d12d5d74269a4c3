"""What random spanning trees guarantee in expectation: bound (II) of Herbster, Pasteris and Ghosh (2015).

A random spanning tree has an edge with probability w_e r_e, r_e the effective resistance between its ends, so
a labelling cuts it in Σ w_e r_e edges on average, the sum over its cut edges (Cesa-Bianchi, Gentile, Vitale,
Zappella 2010): at most Φ, and far less where clusters are well connected to each other.

The bound per cluster of `trees.online.tree_bounds`, summed over a tree with Φ_T ≥ 1 cut edges, is largest
where one cluster has all of them. With L = ⌊log₂ s⌋, s the nodes of the largest cluster, it is at most

    f(0) = 1,   f(1) = 2 + 2L,   f(Φ_T) = 7Φ_T − 8 + (9Φ_T − 12) L   from 2 on,

which is convex. A tree cuts at least q − 1 edges, q the clusters of the graph, and at most as many as are cut
and fit in a tree, so E f is at most the value of the chord between these two at E Φ_T = Σ w_e r_e.

The nearest label on a spine costs at most 1 + 2Φ_T (1 + 2⌊log₂(s w⁺/w⁻)⌋), s the nodes of the commoner label
and w⁺, w⁻ the largest and smallest weight: a spine is cut at most 2Φ_T times, falls into one stretch more,
and a stretch pays one logarithm for each of its ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import LabelError
from zerokelvin.graph import Graph
from zerokelvin.resistance.effective import edge_resistances
from zerokelvin.trees.spanning.layers import has_traps

__all__ = ["expected_cut", "expected_tree_bound"]


def expected_cut(graph: Graph, labels: ArrayLike) -> float:
    """The edges of a random spanning tree that a labelling cuts, on average: Σ w_e r_e over its cut edges.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> round(expected_cut(square, [1, 1, 0, 0]), 6)
    1.5
    """
    return float(_kept(graph)[_differ(graph, _codes(graph, labels))].sum())


def expected_tree_bound(graph: Graph, labels: ArrayLike, spine: bool = False, trees: int = 1) -> Bound:
    """The bound on the mean number of mistakes over the draw of random spanning trees.

    Parameters
    ----------
    graph, labels
        The graph, with positive weights, and one label per node; with more than two classes the bound is the
        sum over the one-vs-rest problems.
    spine
        For the nearest label on a spine; otherwise for `tree-opt`, `longest-path` and `shazoo`.
    trees
        The size of the committee, odd: it errs only where more than half of its trees do.

    Examples
    --------
    >>> from zerokelvin.graph import generators
    >>> barbell = generators.thick_barbell(20, 10)
    >>> bound = expected_tree_bound(barbell.graph, barbell.labels, spine=True)
    >>> print(round(bound.terms["Φ"]), round(bound.terms["Σ w_e r_e"], 2), bound.expected)
    10 1.82 True
    """
    codes, kept = _codes(graph, labels), _kept(graph)
    count = int(codes.max()) + 1
    if count <= 2:
        return _bound(graph, codes, kept, spine, trees)
    one_vs_rest = [(codes == c).astype(np.int64) for c in range(count)]
    return Bound.total([_bound(graph, one, kept, spine, trees) for one in one_vs_rest])


def _bound(graph: Graph, codes: Ints, kept: Floats, spine: bool, trees: int) -> Bound:
    """The bound of one binary problem, whose codes are 0 and 1; `kept` are probabilities of edges."""
    differ = _differ(graph, codes)
    component = graph.components
    means = np.bincount(component[graph.edges[differ, 0]], kept[differ], graph.num_components)
    sizes = np.bincount(component)
    alike = Graph.from_edges(graph.edges[~differ], num_nodes=graph.num_nodes)
    groups = component * 2 + codes if spine else alike.components
    largest = np.zeros(graph.num_components)
    np.maximum.at(largest, component, np.bincount(groups)[groups])
    first = np.unique(alike.components, return_index=True)[1]
    clusters = np.bincount(component[first], minlength=graph.num_components)
    weights = graph.edge_weights
    spread = float(weights.max() / weights.min()) if len(weights) else 1.0
    if spine:
        depth = np.floor(np.log2(largest * spread) + 1e-6)
        values = 1.0 + 2.0 * means * (1.0 + 2.0 * depth)
    else:
        depth = np.floor(np.log2(largest))
        cut_edges = np.bincount(component[graph.edges[differ, 0]], minlength=graph.num_components)
        least, most = clusters - 1, np.minimum(cut_edges, sizes - 1)
        low, high = _summed(least, depth), _summed(most, depth)
        slope = (high - low) / np.maximum(most - least, 1)
        values = low + np.clip(means - least, 0.0, most - least) * slope
    value = float(np.minimum(values, sizes).sum()) * 2.0 * trees / (trees + 1)
    terms = {
        "Σ w_e r_e": float(means.sum()),
        "Φ": float(weights[differ].sum()),
        "clusters": float(clusters.sum()),
        "⌊log₂⌋": float(depth.max()),
        "trees": float(trees),
    }
    assumptions = [Assumption("no walk is trapped, so that trees are drawn exactly", not has_traps(graph))]
    if not spine:
        assumptions.append(Assumption("all edges weigh the same", spread == 1.0))
    theorem = "bound (II), Herbster, Pasteris and Ghosh 2015, over random spanning trees"
    return Bound(min(value, float(graph.num_nodes)), theorem, terms, tuple(assumptions), expected=True)


def _summed(cuts: Ints, depth: Floats) -> Floats:
    """f: the most that the clusters of a tree with so many cut edges can cost together."""
    many = 7.0 * cuts - 8.0 + (9.0 * cuts - 12.0) * depth
    return np.where(cuts == 0, 1.0, np.where(cuts == 1, 2.0 + 2.0 * depth, many))


def _kept(graph: Graph) -> Floats:
    """The probability of every edge to be in a random spanning tree."""
    return np.minimum(graph.edge_weights * edge_resistances(graph), 1.0)


def _differ(graph: Graph, codes: Ints) -> NDArray[np.bool_]:
    """Which rows of ``graph.edges`` join nodes of different codes."""
    return codes[graph.edges[:, 0]] != codes[graph.edges[:, 1]]


def _codes(graph: Graph, labels: ArrayLike) -> Ints:
    """One label per node as codes 0, 1, …, in the order of the labels' values."""
    given = np.asarray(labels)
    if given.shape != (graph.num_nodes,):
        raise LabelError(f"labels have shape {given.shape} for {graph.num_nodes} nodes; give one per node.")
    return np.unique(given, return_inverse=True)[1].reshape(-1).astype(np.int64)
