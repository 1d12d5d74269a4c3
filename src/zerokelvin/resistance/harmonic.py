"""The smoothest function that takes given labels: voltages between two sets of nodes.

Hold the nodes labelled +1 at voltage 1 and those labelled −1 at −1. The voltages u of all other nodes then
minimise

    ‖u‖² = Σ_(i,j) w_ij (u_i − u_j)²     over all u that agree with the labels

(Thomson's principle; Herbster 2008, eq. 5), an edge of negative weight counting |w_ij| (u_i + u_j)². Nodes of
one label are wired together, so one solve with the Laplacian of the wired graph finds u. A signed graph is
laid out twice first, once with every label reversed, and negative edges lead from one copy to the other.

The norm is computed from u edge by edge, and u takes the labels exactly: whatever the solver's error, it is
the norm of a function that agrees with the labels, so never below the minimum.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.graph import Graph
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.resistance.exponential_resistance import log_conductance
from zerokelvin.solve.dense import DENSE_LIMIT
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.solve.solver import analyse

__all__ = ["Smoothest", "log_smoothest_norm", "smoothest"]


class Smoothest(NamedTuple):
    """The smoothest function with given values: its value at every node, and its squared norm."""

    values: Floats
    squared_norm: float


def smoothest(graph: Graph, nodes: Ints, labels: Ints) -> Smoothest:
    """The function of least norm that is `labels` (−1 or +1) at `nodes`; 0 where no label reaches.

    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> found = smoothest(line, np.array([0, 4]), np.array([-1, 1]))
    >>> found.values.round(6).tolist(), round(found.squared_norm, 6)
    ([-1.0, -0.5, 0.0, 0.5, 1.0], 1.0)
    """
    nodes, labels = np.asarray(nodes, dtype=np.int64), np.asarray(labels, dtype=np.int64)
    count = graph.num_nodes
    if graph.is_signed:
        edges, weights = graph.edges, graph.edge_weights
        across = np.where(weights < 0, count, 0)
        twice = np.concatenate(
            [
                np.column_stack([edges[:, 0], edges[:, 1] + across]),
                np.column_stack([edges[:, 0] + count, edges[:, 1] + count - across]),
            ]
        )
        cover = Graph.from_edges(twice, np.abs(np.tile(weights, 2)), num_nodes=2 * count)
        both = _voltages(cover, np.append(nodes, nodes + count), np.append(labels, -labels))
        values = 0.5 * (both[:count] - both[count:])
        values[nodes] = labels
    else:
        values = _voltages(graph, nodes, labels)
    return Smoothest(values, _squared_norm(graph, values))


def log_smoothest_norm(graph: ExponentialGraph, nodes: Ints, labels: Ints) -> float:
    """The logarithm of the least squared norm on an exponential graph whose weights outrun floats.

    >>> from zerokelvin.graph import exponential_graph
    >>> graph = exponential_graph([[0.0], [1.0], [3.0]], a=1000)
    >>> round(log_smoothest_norm(graph, np.array([0, 2]), np.array([1, -1])) - float(np.log(4)), 9)
    -2000.0
    """
    return float(np.log(4.0) + log_conductance(graph, nodes[labels > 0], nodes[labels < 0]))


def _voltages(graph: Graph, nodes: Ints, labels: Ints) -> Floats:
    """The harmonic function that agrees with the labels −1 and +1 at these nodes; 0 in components without."""
    plus, minus = nodes[labels > 0], nodes[labels < 0]
    place = np.arange(graph.num_nodes)
    for same in (plus, minus):
        place[same] = same[0] if len(same) else 0
    wired = Graph.from_edges(place[graph.edges], graph.edge_weights, num_nodes=graph.num_nodes)
    values = np.zeros(graph.num_nodes)
    for same, label in ((plus, 1.0), (minus, -1.0)):
        if len(same):
            values[wired.components == wired.components[same[0]]] = label
    if len(plus) and len(minus) and wired.components[plus[0]] == wired.components[minus[0]]:
        reached = wired.components == wired.components[plus[0]]
        values[reached] = _between(wired, int(plus[0]), int(minus[0]))[reached]
    values = values[place]
    values[plus], values[minus] = 1.0, -1.0
    return values


def _between(graph: Graph, plus: int, minus: int) -> Floats:
    """The voltages with one node at 1 and another at −1."""
    current = np.zeros(graph.num_nodes)
    current[plus], current[minus] = 1.0, -1.0
    forest = graph.num_edges == graph.num_nodes - graph.num_components
    engine = "direct" if graph.num_nodes <= DENSE_LIMIT and not forest else "auto"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ScalingWarning)  # an error only makes the norm larger
        potential = analyse(graph, engine).solve(current).value
    middle, height = 0.5 * (potential[plus] + potential[minus]), 0.5 * (potential[plus] - potential[minus])
    if not (np.isfinite(potential).all() and height > 0):
        return np.zeros(graph.num_nodes)
    return np.clip((potential - middle) / height, -1.0, 1.0)


def _squared_norm(graph: Graph, values: Floats) -> float:
    ends, weights = values[graph.edges], graph.edge_weights
    return float((np.abs(weights) * (ends[:, 0] - np.sign(weights) * ends[:, 1]) ** 2).sum())
