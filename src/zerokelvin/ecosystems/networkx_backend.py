"""The backend ``zerokelvin`` of networkx: resistance distances and node classification.

``nx.resistance_distance(G, u, v, backend="zerokelvin")`` gives what networkx gives, without its dense
pseudo-inverse. Functions have networkx's own names, arguments and errors; what they cannot do they leave to
networkx by NotImplementedError (negative weights, for one).

Node classification takes the very steps of networkx, `max_iter` of them, so that predictions are the same;
``max_iter=None`` takes their limit, by exact solves: the harmonic function itself (Zhu, Ghahramani and
Lafferty 2003), and (1 − α)(I − αS)⁻¹Y (Zhou et al. 2004). A node that no label reaches gets the label that
comes first, as in networkx.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.ecosystems.networkx_graph import ALWAYS, ConvertedGraph
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.resistance.harmonic import smoothest
from zerokelvin.solve.solver import analyse

__all__ = [
    "convert_from_nx",
    "convert_to_nx",
    "current_flow_closeness_centrality",
    "effective_graph_resistance",
    "harmonic_function",
    "kemeny_constant",
    "local_and_global_consistency",
    "resistance_distance",
]


def convert_from_nx(
    graph: Any, *, edge_attrs: Any = None, node_attrs: Any = None, **_: Any
) -> ConvertedGraph:
    """A networkx graph as the backend keeps it; the two arguments map attributes to defaults."""
    return ConvertedGraph(graph, edge_attrs or {}, node_attrs or {})


def convert_to_nx(result: Any, **_: Any) -> Any:
    """What a function gave, which is never a graph."""
    return result


def resistance_distance(
    G: ConvertedGraph,
    nodeA: Hashable | None = None,
    nodeB: Hashable | None = None,
    weight: str | None = None,
    invert_weight: bool = True,
) -> Any:
    """The resistance of two nodes, of one and all others (a dict), or of all pairs (a dict of dicts)."""
    G.require_nodes()
    if not G.connected:
        raise nx.NetworkXError("Graph G must be strongly connected.")
    for name, node in (("A", nodeA), ("B", nodeB)):
        if node is not None and node not in G:
            raise nx.NetworkXError(f"Node {name} is not in graph G.")
    network = G.network(weight, invert_weight)
    if nodeA is not None and nodeB is not None:
        return network.pair(G.place[nodeA], G.place[nodeB])
    with _affordable():
        if nodeA is None and nodeB is None:
            rows = zip(G.nodes, network.rows(), strict=True)
            return {node: dict(zip(G.nodes, row.tolist(), strict=True)) for node, row in rows}
        row = network.row(G.place[nodeB if nodeA is None else nodeA])
        return dict(zip(G.nodes, row.tolist(), strict=True))


def effective_graph_resistance(
    G: ConvertedGraph, weight: str | None = None, invert_weight: bool = True
) -> float:
    """The sum of the resistances of all pairs; infinite where the graph is not connected."""
    G.require_nodes()
    if not G.connected:
        return float("inf")
    with _affordable():
        return G.network(weight, invert_weight).total()


def kemeny_constant(G: ConvertedGraph, *, weight: str | None = None) -> float:
    """The expected steps of a random walk to a node drawn from its stationary distribution."""
    G.require_nodes()
    if not G.connected:
        raise nx.NetworkXError("Graph G must be connected.")
    if (G.weights(weight) < 0).any():
        raise nx.NetworkXError("The weights of graph G must be nonnegative.")
    degrees: Floats = np.asarray(G.adjacency(weight).sum(axis=1), dtype=np.float64)
    if not degrees.all():
        raise NotImplementedError("a walk cannot leave a node without weight.")
    with _affordable():
        return G.network(weight, inverted=False).kemeny(degrees)


def current_flow_closeness_centrality(
    G: ConvertedGraph,
    weight: str | None = None,
    dtype: Any = float,  # noqa: ARG001 - networkx's argument; everything here is in double precision
    solver: str = "lu",  # noqa: ARG001
) -> dict[Hashable, float]:
    """One over the sum of a node's resistances to all others, for every node; weights are conductances."""
    if not G.nodes:
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    if not G.connected:
        raise nx.NetworkXError("Graph not connected.")
    with _affordable():
        sums = G.network(weight, inverted=False).row_sums().tolist()
    return {node: 1 / value for node, value in zip(G.nodes, sums, strict=True)}


def harmonic_function(
    G: ConvertedGraph, max_iter: int | None = 30, label_name: str = "label"
) -> list[Hashable]:
    """A label for every node, in node order, by the mean of its neighbours' where it has none."""
    known, codes, classes = _known_labels(G, label_name)
    matrix = G.adjacency(ALWAYS)
    target = _one_hot(len(G), known, codes, len(classes))
    if max_iter is None:
        return _decided(_harmonic_limit(G, known, codes, len(classes)), classes)
    degrees = _degrees(matrix)
    scale = 1.0 / degrees
    scale[known] = 0.0
    return _decided(_steps(sp.diags_array(scale) @ matrix, target, max_iter), classes)


def local_and_global_consistency(
    G: ConvertedGraph, alpha: float = 0.99, max_iter: int | None = 30, label_name: str = "label"
) -> list[Hashable]:
    """A label for every node, in node order, by spreading with the normalized weights."""
    known, codes, classes = _known_labels(G, label_name)
    matrix = G.adjacency(ALWAYS)
    target = (1 - alpha) * _one_hot(len(G), known, codes, len(classes))
    root = sp.diags_array(1.0 / np.sqrt(_degrees(matrix)))
    if max_iter is not None:
        return _decided(_steps(alpha * (root @ matrix @ root), target, max_iter), classes)
    if not 0 < alpha < 1:
        raise nx.NetworkXError(f"alpha={alpha} has no limit; give a number between 0 and 1.")
    graph = _plain_graph(G)
    # I − αS = α (Lₙ + (1/α − 1) I); a node alone has S = 0, where Lₙ is 0 too, so its scale is irrelevant
    solver = analyse(graph, shift=1 / alpha - 1, normalized=True, tol=1e-12)
    return _decided(solver.solve(target).value, classes)


def _known_labels(G: ConvertedGraph, name: str) -> tuple[Ints, Ints, list[Hashable]]:
    """Places of labelled nodes, codes of their labels, and the labels by code, in order of appearance."""
    labels = G.labels(name)
    if not labels:
        raise nx.NetworkXError(f"No node on the input graph is labeled by '{name}'.")
    code: dict[Hashable, int] = {}
    codes = [code.setdefault(label, len(code)) for label in labels.values()]
    return np.array(list(labels)), np.array(codes), list(code)


def _one_hot(count: int, known: Ints, codes: Ints, classes: int) -> Floats:
    target = np.zeros((count, classes))
    target[known, codes] = 1.0
    return target


def _degrees(matrix: sp.csr_array) -> Floats:
    """Sums of the rows, 1 where they are 0."""
    degrees: Floats = np.asarray(matrix.sum(axis=0), dtype=np.float64).copy()
    degrees[degrees == 0] = 1.0
    return degrees


def _steps(matrix: Any, target: Floats, count: int) -> Floats:
    scores = np.zeros_like(target)
    for _ in range(count):
        scores = matrix @ scores + target
    return scores


def _decided(scores: Floats, classes: list[Hashable]) -> list[Hashable]:
    """The label of the largest score at every node, the first of equal ones."""
    return [classes[code] for code in np.argmax(scores, axis=1).tolist()]


def _harmonic_limit(G: ConvertedGraph, known: Ints, codes: Ints, classes: int) -> Floats:
    """The share of every class at every node: voltages between its nodes and the other labelled ones."""
    graph = _plain_graph(G)
    reached = np.isin(graph.components, graph.components[known])
    shares = np.zeros((len(G), classes))
    for code in range(classes):
        values = smoothest(graph, known, np.where(codes == code, 1, -1)).values
        shares[reached, code] = 0.5 * (1 + values[reached])
    return shares


def _plain_graph(G: ConvertedGraph) -> Graph:
    """The graph of positive weights, for which limits are solved for."""
    weights, loops = G.weights(ALWAYS), G.ends[:, 0] == G.ends[:, 1]
    if loops.any() or not (np.isfinite(weights).all() and (weights > 0).all()):
        raise NotImplementedError("max_iter=None takes no self-loops, and positive weights only.")
    return Graph.from_edges(G.ends, weights, num_nodes=len(G))


@contextmanager
def _affordable() -> Iterator[None]:
    """Leave a graph to networkx where the diagonal of its inverse would take too large a factor."""
    try:
        yield
    except ParameterError as problem:
        raise NotImplementedError(str(problem)) from None
