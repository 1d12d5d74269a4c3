"""Integer capacities for real weights, and labels as source (−1) and target (+1) terminals.

Flows are exact only in integers, so weights become int64 capacities c_e = round(w_e · scale):

- integers keep scale 1;
- decimals of at most nine places are read as the decimals they were written as (scale 10^k), so
  that 0.1 + 0.2 ties with 0.3;
- anything else is scaled by the largest power of two that keeps the sum of all capacities below
  2^62, which is exact whenever the weights' binary digits fit.

With δ = Σ_e |w_e − c_e / scale|, every labelling's cut moves by at most δ, so a minimum cut for the
capacities is a minimum cut for the weights up to 2δ. That is the rounding reported.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError, LabelError
from zerokelvin.graph import Graph

__all__ = ["Capacities", "Labels", "read_labels", "scale_weights", "without_negligible"]

Labels = Mapping[Hashable, int] | Iterable[tuple[Hashable, int]]

LARGEST_SUM = 2.0**62
DECIMALS = 9


@dataclass(frozen=True)
class Capacities:
    """Integer capacities of the arcs of a graph's CSR arrays.

    Attributes
    ----------
    values
        One positive int64 per stored arc, equal in both directions of an edge.
    reverse
        Position of the opposite arc of every arc.
    scale
        Capacity units per unit of weight.
    rounding
        Bound on how far a minimum cut for the capacities is from minimum for the weights.
    """

    values: Ints
    reverse: Ints
    scale: float
    rounding: float


def scale_weights(graph: Graph, purpose: str) -> Capacities:
    """Integer capacities of a graph with positive weights; `purpose` names the caller in errors.

    >>> caps = scale_weights(Graph.from_edges([(0, 1), (1, 2)], [0.1, 0.25]), "a cut")
    >>> caps.values.tolist(), caps.scale, caps.rounding
    ([10, 10, 25, 25], 100.0, 0.0)
    """
    graph.require_positive(purpose)
    weights = graph.weights
    scale, decimal = _scale(graph.edge_weights)
    values = np.rint(weights * scale).astype(np.int64)
    if len(values) and values.min() < 1:
        raise GraphError(
            f"{purpose} cannot scale weights from {weights.min():g} to {weights.max():g} to integers; "
            f"drop edges lighter than {1 / scale:g}."
        )
    moved = 0.0 if decimal else float(np.abs(weights - values / scale).sum())  # both arcs: twice δ
    numbers, shape = np.arange(len(values)), (graph.num_nodes, graph.num_nodes)
    reverse = sp.csr_array((numbers, graph.indices, graph.indptr), shape).tocsc().data  # a symmetric matrix
    return Capacities(values, reverse, scale, moved)


def without_negligible(graph: Graph) -> Graph:
    """The graph without the edges that `scale_weights` refuses as too light for an integer capacity.

    They weigh less than 2⁻⁶² of all together, so no cut is moved by more than that of the whole each.

    >>> graph = Graph.from_edges([(0, 1), (1, 2)], [1.0, 1e-30])
    >>> without_negligible(graph).num_edges
    1
    """
    kept = np.rint(graph.edge_weights * _scale(graph.edge_weights)[0]) >= 1
    if kept.all():
        return graph
    return Graph.from_edges(graph.edges[kept], graph.edge_weights[kept], num_nodes=graph.num_nodes)


def read_labels(graph: Graph, labels: Labels, named: bool) -> tuple[Ints, Ints]:
    """Labelled node indices and their labels in {−1, +1}, in the order given.

    Labels are 0/1 or −1/+1, not a mixture; `named` tells whether nodes are names or indices. The
    same label given twice counts once, two different ones are refused.
    """
    pairs = list(labels.items() if isinstance(labels, Mapping) else labels)
    found: dict[int, int] = {}
    values = set()
    for node, label in pairs:
        index = graph.index(node) if named else _check_index(graph, node)
        if label not in (-1, 0, 1):
            raise LabelError(f"label {label!r} of node {node!r} is not 0/1 or -1/+1.")
        values.add(int(label))
        y = 1 if label == 1 else -1
        if found.setdefault(index, y) != y:
            raise LabelError(f"node {node!r} is labelled both ways; give it one label.")
    if {-1, 0} <= values:
        raise LabelError("labels mix 0 and -1; use 0/1 or -1/+1, and leave unlabelled nodes out.")
    nodes = np.fromiter(found.keys(), dtype=np.int64, count=len(found))
    return nodes, np.fromiter(found.values(), dtype=np.int64, count=len(found))


def _check_index(graph: Graph, node: Hashable) -> int:
    """The node as an index, refused where it is none of the graph's."""
    if isinstance(node, (int, np.integer)) and not isinstance(node, bool) and 0 <= node < graph.num_nodes:
        return int(node)
    raise LabelError(f"labelled node {node!r} is not an index from 0 to {graph.num_nodes - 1}.")


def _scale(weights: Floats) -> tuple[float, bool]:
    """The scale, and whether the weights are decimals at that scale."""
    total = float(weights.sum())
    for places in range(DECIMALS + 1):
        scale = 10.0**places
        if total * scale >= LARGEST_SUM / 2:
            break
        if np.array_equal(np.rint(weights * scale) / scale, weights):
            return scale, True
    room = math.floor(math.log2(LARGEST_SUM / 2 / total))
    return 2.0**room, False
