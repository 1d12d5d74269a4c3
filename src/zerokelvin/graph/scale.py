"""The scale of a graph's weights: whether floats can carry them, and graphs in another unit.

Most of what is done with a graph does not depend on the unit of its weights, but floats end at 10³⁰⁸ and
begin at 10⁻³⁰⁸, and products of a few weights leave that range much earlier. `sound_scale` says what to do:

- weights whose sum overflows, or that span more than 2⁶⁰⁰ (10¹⁸⁰), are refused;
- a graph whose weights and degrees lie within 2^±300 (10^±90) stays as it is;
- any other is to be multiplied by a power of two, which is exact: the same arithmetic in the middle of the
  range.

`at_mean_degree` gives a graph the mean degree 4, on which kernels mean the same whatever the unit was.
"""

from __future__ import annotations

import math

import numpy as np

from zerokelvin.errors import GraphError
from zerokelvin.graph.graph import Graph

__all__ = ["MEAN_DEGREE", "at_mean_degree", "in_levels", "in_unit", "mean_degree", "sound_scale"]

MEAN_DEGREE = 4.0
"""The mean degree of graphs on which relative kernels are defined: about that of the citation graphs."""

FARTHEST = 300
"""Weights and degrees within 2^±FARTHEST need no other unit: cubes of them are floats."""


def sound_scale(graph: Graph) -> int:
    """The exponent k for which weights times 2^k are far from the ends of the floats; 0 where they are so.

    >>> [sound_scale(Graph.from_edges([(0, 1), (1, 2)], weights)) for weights in ([1e300, 2e300], [1.0, 2.0])]
    [-998, 0]
    """
    if graph.num_edges == 0:
        return 0
    total = graph.total_degree
    least, largest = graph.weight_range
    if not math.isfinite(total):
        raise GraphError(
            f"the weights, up to {largest:.1e}, sum to more than a float can hold; divide all of them by "
            f"{largest:.0e}."
        )
    low, high = math.frexp(least)[1], math.frexp(total)[1]
    if -FARTHEST <= low and high <= FARTHEST:
        return 0
    if high - low > 2 * FARTHEST:
        raise GraphError(
            f"the weights span from {least:.1e} to {largest:.1e}, too much for sums of floats; drop the "
            f"edges lighter than {largest * 2.0**-FARTHEST:.0e}."
        )
    return -((low + high) // 2)


def in_unit(graph: Graph, factor: float) -> Graph:
    """The graph with all weights times a positive `factor`, the same one where that is 1."""
    if factor == 1.0:
        return graph
    return Graph(graph.indptr, graph.indices, graph.weights * factor, graph.names, graph.attributes)


def in_levels(graph: Graph, levels: int) -> Graph:
    """The graph with weights rounded to multiples of their median over `levels`, none of them to 0.

    The multiples are the weights; the graph itself, whose weights are in another unit, where all of them are
    multiples already.

    >>> in_levels(Graph.from_edges([(0, 1), (1, 2), (2, 0)], [0.01, 0.5, 0.77]), 4).edge_weights.tolist()
    [1.0, 6.0, 4.0]
    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)], [1.0, 2.0, 5.0])
    >>> in_levels(triangle, 4) is triangle
    True
    """
    if graph.num_edges == 0:
        return graph
    unit = float(np.median(graph.weights)) / levels
    multiples = np.maximum(np.rint(graph.weights / unit), 1.0)
    if np.allclose(multiples * unit, graph.weights, rtol=1e-12, atol=0.0):
        return graph
    return Graph(graph.indptr, graph.indices, multiples, graph.names, graph.attributes)


def mean_degree(graph: Graph) -> float:
    """The mean degree, 0 without edges."""
    return graph.total_degree / graph.num_nodes


def at_mean_degree(graph: Graph) -> Graph:
    """The graph with weights scaled to the mean degree `MEAN_DEGREE`, itself where it has no edges.

    >>> at_mean_degree(Graph.from_edges([(0, 1), (1, 2), (2, 0)], [5.0, 5.0, 5.0])).weight(0, 1)
    2.0
    """
    mean = mean_degree(graph)
    if mean == 0:
        return graph
    scaled = in_unit(graph, MEAN_DEGREE / mean)
    vars(scaled)["components"] = graph.components
    return scaled
