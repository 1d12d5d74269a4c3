"""The minimum cut of a graph that agrees with given labels.

With labels −1 (source) and +1 (target) on some nodes, the label-consistent minimum cut is

    Φ = min { Σ_(i,j) w_ij [u_i ≠ u_j] : u in {−1, +1}^n, u agrees with the labels },

which equals the maximum flow from the −1 nodes to the +1 nodes (Ford and Fulkerson, 1956). Herbster,
Pasteris and Ghosh (2015), Section 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerokelvin.flow.static.capacities import Labels, read_labels, scale_weights
from zerokelvin.flow.static.maximum_flow import maximum_flow
from zerokelvin.graph import Graph

__all__ = ["MinimumCut", "minimum_cut"]


@dataclass(frozen=True)
class MinimumCut:
    """A minimum cut that agrees with the labels.

    Attributes
    ----------
    value
        Φ, in the graph's weights.
    sides
        One label in {−1, +1} per node: the minimum cut with the fewest −1 nodes. Nodes of a
        component without a −1 label are all +1, so an unlabelled component is +1 too.
    rounding
        `value` exceeds the true minimum by at most this much; 0 for integers and short decimals.
    """

    value: float
    sides: NDArray[np.int64]
    rounding: float


def minimum_cut(graph: Graph, labels: Labels) -> MinimumCut:
    """The minimum cut of `graph` that agrees with `labels`.

    Parameters
    ----------
    graph
        A graph with positive weights.
    labels
        Node index → label, as a mapping or as pairs; labels are 0/1 or −1/+1, where 0 and −1 are the
        source side. Nodes left out are free.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)], weights=[3, 1, 2])
    >>> cut = minimum_cut(path, {0: -1, 3: +1})
    >>> cut.value, cut.sides.tolist()
    (1.0, [-1, -1, 1, 1])
    """
    capacities = scale_weights(graph, "a minimum cut")
    nodes, values = read_labels(graph, labels, named=False)
    flow = maximum_flow(graph, capacities, nodes, values)
    sides = np.where(flow.source, -1, 1)
    crossing = flow.source[graph.edges[:, 0]] != flow.source[graph.edges[:, 1]]
    value = float(graph.edge_weights[crossing].sum())
    return MinimumCut(value, sides, capacities.rounding)
