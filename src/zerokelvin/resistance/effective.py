"""Effective resistances: the distance of the resistive network.

Read every edge as a resistor of conductance A_ij. The effective resistance of two nodes is

    r(p, q) = (e_p − e_q)ᵀ G⁺ (e_p − e_q) = ‖v_p − v_q‖²_G

(Herbster and Pontil 2006, eq. 7), infinite across components. It is a metric, never larger than the
geodesic distance with edge lengths 1/A_ij, and equal to it on trees (Lemma 3.2, Theorem 3.2). The
resistance diameter R_G is its maximum, and max_p ‖v_p‖² ≤ R_G ≤ D_G (9).

A pair takes one solve. Everything at once (all edges, all nodes from one, the diagonal of G⁺) takes
the inverse on the pattern of a sparse Cholesky factor and no more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import NodeError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.measures.structure import Measured, diameter
from zerokelvin.solve.dense import DENSE_LIMIT
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.layout import lay_out, substitute_one
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solver import Solver, analyse, inverse_matrix

__all__ = [
    "BLOCK",
    "edge_resistances",
    "effective_resistance",
    "kernel_diagonal",
    "node_pairs",
    "node_to_set_resistance",
    "pair_resistances",
    "resistance_diameter",
    "resistances_from",
]

BLOCK = 24
"""Right-hand sides solved together: enough to share the passes over memory."""


def effective_resistance(graph: Graph, p: int, q: int, solver: Solver | None = None) -> float:
    """Effective resistance between the nodes with indices `p` and `q`; inf across components.

    Parameters
    ----------
    graph, p, q
        The graph and two node indices.
    solver
        A solver of ``analyse(graph)`` to use; one of relative residual 10⁻¹⁰ is made otherwise.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> round(effective_resistance(square, 0, 2), 12), round(effective_resistance(square, 0, 1), 12)
    (1.0, 0.75)
    """
    return float(pair_resistances(graph, [(p, q)], solver)[0])


def pair_resistances(graph: Graph, pairs: ArrayLike, solver: Solver | None = None) -> Floats:
    """Effective resistance of every row (p, q) of an (m, 2) array of node indices."""
    graph.require_positive("effective resistance")
    chosen = node_pairs(pairs, graph.num_nodes)
    result = np.zeros(len(chosen))
    apart = graph.components[chosen[:, 0]] != graph.components[chosen[:, 1]]
    result[apart] = np.inf
    todo = np.flatnonzero(~apart & (chosen[:, 0] != chosen[:, 1]))
    if len(todo) and solver is None:
        solver = analyse(graph, tol=1e-10)
    for start in range(0, len(todo), BLOCK):
        rows = todo[start : start + BLOCK]
        ends, lane = chosen[rows], np.arange(len(rows))
        current = np.zeros((graph.num_nodes, len(rows)))
        current[ends[:, 0], lane] = 1.0
        current[ends[:, 1], lane] = -1.0
        potential = _solver(solver).solve(current).value
        result[rows] = potential[ends[:, 0], lane] - potential[ends[:, 1], lane]
    return result


def node_pairs(pairs: ArrayLike, count: int) -> Ints:
    """Rows (p, q) of node indices below `count`, checked.

    >>> node_pairs([(0, 1)], 2).tolist()
    [[0, 1]]
    """
    chosen = _indices(pairs, count)
    if chosen.size and (chosen.ndim != 2 or chosen.shape[1] != 2):
        raise NodeError(f"pairs of nodes have shape {chosen.shape}; give one row (p, q) per pair.")
    return chosen.reshape(-1, 2)


def edge_resistances(graph: Graph) -> Floats:
    """Effective resistance between the ends of every edge, in the order of ``graph.edges``.

    Examples
    --------
    >>> edge_resistances(Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3)])).round(6).tolist()
    [0.666667, 0.666667, 0.666667, 1.0]
    """
    graph.require_positive("effective resistance")
    return _from_ground(graph).by_edge


def resistances_from(graph: Graph, node: int) -> Floats:
    """Effective resistance from one node to every node; inf to those of other components."""
    graph.require_positive("effective resistance")
    _indices([node], graph.num_nodes)
    result = np.full(graph.num_nodes, np.inf)
    nodes = np.flatnonzero(graph.components == graph.components[node])
    part = graph.subgraph(nodes) if len(nodes) < graph.num_nodes else graph
    here = int(np.searchsorted(nodes, node))
    from_ground, _, ground = _from_ground(part)
    current = np.zeros(part.num_nodes)
    current[here] += 1.0
    current[ground[0]] -= 1.0
    potential = analyse(part, tol=1e-10).solve(current).value
    shared = potential - potential[ground[0]]
    result[nodes] = np.maximum(from_ground[here] + from_ground - 2 * shared, 0.0)
    result[node] = 0.0
    return result


def kernel_diagonal(graph: Graph, solver: Solver | None = None) -> Floats:
    """The diagonal of G⁺, the squared norms ‖v_p‖²_G of the nodes' coordinates.

    `solver` is one of ``analyse(graph)`` to use, as in `effective_resistance`.

    Examples
    --------
    >>> kernel_diagonal(Graph.from_edges([(0, 1)], num_nodes=3)).round(6).tolist()
    [0.25, 0.25, 0.0]
    """
    graph.require_positive("the diagonal of the kernel")
    from_ground, _, ground = _from_ground(graph)
    components = graph.components
    sizes = np.bincount(components)
    current = np.ones(graph.num_nodes)
    current[ground] -= sizes
    potential = (solver or analyse(graph, tol=1e-10)).solve(current).value
    shared = (potential - potential[ground][components]) / sizes[components]
    means = np.bincount(components, shared) / sizes
    return np.maximum(from_ground - 2 * shared + means[components], 0.0)


def node_to_set_resistance(graph: Graph, node: int, nodes: ArrayLike) -> float:
    """Effective resistance between a node and a set of nodes wired together.

    Examples
    --------
    >>> node_to_set_resistance(Graph.from_edges([(0, 1), (1, 2)]), 1, [0, 2])
    0.5
    """
    graph.require_positive("effective resistance")
    _indices([node], graph.num_nodes)
    joined = np.unique(_indices(nodes, graph.num_nodes))
    if len(joined) == 0:
        raise ParameterError("the set of nodes is empty; give at least one node index.")
    if node in joined:
        return 0.0
    place = np.arange(graph.num_nodes)
    place[joined] = joined[0]
    wired = Graph.from_edges(place[graph.edges], graph.edge_weights, num_nodes=graph.num_nodes)
    return effective_resistance(wired, node, int(joined[0]))


def resistance_diameter(graph: Graph, dense_limit: int = DENSE_LIMIT) -> Measured:
    """The largest effective resistance R_G between two nodes of one component.

    Exact on forests of any size and where every other component has at most `dense_limit` nodes.
    Beyond, the smaller of two proven upper bounds: the geodesic diameter, R_G ≤ D_G (9), and, through
    a node c and where a sparse Cholesky factor is affordable, the two largest r(c, ·), since
    r(p, q) ≤ r(p, c) + r(c, q).

    Examples
    --------
    >>> resistance_diameter(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])).value
    1.0
    """
    graph.require_positive("the resistance diameter")
    if graph.num_edges == graph.num_nodes - graph.num_components:
        geodesic = diameter(graph)
        return Measured(geodesic.value, geodesic.exact, "geodesic diameter, as on a tree")
    if np.bincount(graph.components).max() > dense_limit:
        return _diameter_bound(graph)
    largest = 0.0
    for nodes in _component_nodes(graph):
        if len(nodes) > 1:
            inverse = inverse_matrix(graph.subgraph(nodes))
            diagonal = inverse.diagonal()
            largest = max(largest, float((diagonal[:, None] + diagonal[None, :] - 2 * inverse).max()))
    return Measured(largest, True, "dense pseudo-inverse")


def _diameter_bound(graph: Graph) -> Measured:
    """The least known upper bound on the resistance diameter, without all pairs."""
    geodesic = diameter(graph)
    try:
        from_ground = _from_ground(graph).from_ground
    except ParameterError:
        return Measured(geodesic.value, False, "geodesic diameter, R ≤ D")
    largest = 0.0
    for nodes in _component_nodes(graph):
        if len(nodes) > 1:
            largest = max(largest, float(np.partition(from_ground[nodes], -2)[-2:].sum()))
    if geodesic.value <= largest:
        return Measured(geodesic.value, False, "geodesic diameter, R ≤ D")
    return Measured(largest, False, "two largest resistances from a centre")


def _component_nodes(graph: Graph) -> Iterator[Ints]:
    order = np.argsort(graph.components, kind="stable")
    yield from np.split(order, np.cumsum(np.bincount(graph.components))[:-1])


class Grounded(NamedTuple):
    """Resistances of every node from one node of its component, of every edge, and the node per component."""

    from_ground: Floats
    by_edge: Floats
    ground: Ints


def _from_ground(graph: Graph) -> Grounded:
    """Resistances from one node of every component, by entries of the inverse of the grounded Laplacian."""
    layout = lay_out(Operator(graph))
    core, offset = layout.core, graph.num_nodes - layout.core.size
    position = np.empty(graph.num_nodes, dtype=np.int64)
    position[layout.order] = np.arange(graph.num_nodes)
    ends = position[graph.edges]
    inside = (ends >= offset).all(axis=1)
    by_edge = 1 / graph.edge_weights
    from_ground = np.zeros(graph.num_nodes)
    lonely = np.arange(len(layout.parent), offset)
    grounded = lonely
    if core.size:
        factored = Direct().prepare(core)
        low, high = ends[inside].T - offset
        diagonal, entries = factored.inverse_entries(low, high)
        by_edge[inside] = diagonal[low] + diagonal[high] - 2 * entries
        from_ground[offset:] = diagonal
        hung = np.ones(core.size, dtype=bool)
        hung[factored.kept] = False
        grounded = np.concatenate([lonely, offset + np.flatnonzero(hung)])
    from_ground[: len(layout.parent)] = 1.0
    substitute_one(layout.parent, np.ones(len(layout.parent)), layout.pivot, from_ground)
    ground = np.full(graph.num_components, -1)
    nodes = layout.order[grounded]
    ground[graph.components[nodes]] = nodes
    return Grounded(from_ground[position], by_edge, ground)


def _indices(nodes: ArrayLike, count: int) -> Ints:
    """Node indices as an array, each an integer below `count`."""
    try:
        found = np.asarray(nodes)
    except ValueError:
        raise NodeError("node indices have rows of different lengths; give a rectangular array.") from None
    if found.size and found.dtype.kind not in "iu":
        raise NodeError(
            f"node {found.flat[0].item()!r} is no index; give integers from 0 to {count - 1}, "
            "graph.index(name) for a name."
        )
    bad = found[(found < 0) | (found >= count)]
    if bad.size:
        raise NodeError(f"node index {bad[0]} is outside the graph's {count} nodes.")
    return found.astype(np.int64)


def _solver(solver: Solver | None) -> Solver:
    if solver is None:
        raise ParameterError("no solver was made; pass analyse(graph).")
    return solver
