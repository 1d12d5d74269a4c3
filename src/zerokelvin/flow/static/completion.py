"""A labelling of all nodes that agrees with the labels of some: what a bound is compared with.

A bound holds against every labelling, so any completion will do; one of small cut makes it small. On a graph
with positive weights that is a minimum cut, without edges too light for one beside the rest. Where some are
negative there is none to be had, and labels spread from the labelled nodes, changing over negative edges.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from zerokelvin.flow.static.capacities import without_negligible
from zerokelvin.flow.static.minimum_cut import minimum_cut
from zerokelvin.graph import Graph

__all__ = ["complete_labelling"]


def complete_labelling(graph: Graph, labels: Mapping[int, int]) -> NDArray[np.int64]:
    """One label in {−1, +1} per node, given those of some node indices.

    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)], weights=[3, 1, 2])
    >>> complete_labelling(path, {0: -1, 3: 1}).tolist()
    [-1, -1, 1, 1]
    >>> complete_labelling(Graph.from_edges([(0, 1), (1, 2)], weights=[1, -2]), {0: 1}).tolist()
    [1, 1, -1]
    """
    if not graph.is_signed:
        return minimum_cut(without_negligible(graph), list(labels.items())).sides.astype(np.int64)
    sides = np.zeros(graph.num_nodes, dtype=np.int64)
    queue = list(labels)
    sides[queue] = list(labels.values())
    for node in queue:
        row = slice(graph.indptr[node], graph.indptr[node + 1])
        for other, weight in zip(graph.indices[row].tolist(), graph.weights[row].tolist(), strict=True):
            if sides[other] == 0:
                sides[other] = sides[node] if weight > 0 else -sides[node]
                queue.append(other)
    sides[sides == 0] = 1
    return sides
