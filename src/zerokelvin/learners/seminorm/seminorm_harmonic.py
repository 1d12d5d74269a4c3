"""Harmonic functions around a node: what one label changes of a minimum 2-seminorm interpolant.

With h the harmonic function of the node's region that is 1 at v and 0 at the other labels, the interpolant
after a label y at v is f + (y − f_v) h, whatever the labels are: one linear system per label for all classes.
It is solved by conjugate gradients on the region; where they need too many steps (long paths, few labels), by
`zerokelvin.solve.analyse` on the region with all other labels joined to one node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bytes, Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.learners.seminorm.seminorm_regions import Region, edges_of
from zerokelvin.solve.solver import analyse

__all__ = ["Response", "harmonic_response"]

CG_STEPS = 400


class Response(NamedTuple):
    """What one label changes: the harmonic function that is 1 at its node and 0 at the other labels.

    Attributes
    ----------
    values
        The function on the nodes of the region, in their order.
    conductance
        Between the node and the other labels; 0 if there are none.
    swift
        Whether conjugate gradients were enough.
    """

    values: Floats
    conductance: float
    swift: bool


def harmonic_response(
    graph: Graph, labels: Bytes, node: int, region: Region, direct: bool, engine: str
) -> Response:
    """The response of a region to `node`; by the solvers if `direct`, and where gradients do not converge."""
    values = np.zeros(len(region.nodes))
    if not _touches(graph.csr, labels, region, node):
        return Response(np.ones(len(region.nodes)), 0.0, True)
    swift = not direct and bool(_conjugate_gradients(graph.csr, region, node, values))
    if not swift:
        values = _joined_solve(graph, node, region, engine)
    return Response(values, float(_conductance(graph.csr, region.place, node, values)), swift)


def _joined_solve(graph: Graph, node: int, region: Region, engine: str) -> Floats:
    """The harmonic response through the Laplacian solvers: all other labels become one node."""
    edges, weights = edges_of(graph.csr, region)
    count = len(region.nodes)
    local = region.place[edges]
    local = np.where(local >= 0, local, np.where(edges == node, count, count + 1))
    joined = Graph.from_edges(local, weights, num_nodes=count + 2)
    drive = np.zeros(count + 2)
    drive[count], drive[count + 1] = 1.0, -1.0
    x = analyse(joined, engine, tol=1e-10).solve(drive).value
    return (x[:count] - x[count + 1]) / (x[count] - x[count + 1])


@kernel
def _touches(csr: Csr, labels: Bytes, region: Region, node: int) -> bool:
    """Whether the region, or the node itself, borders on another labelled node."""
    indptr, indices = csr.indptr, csr.indices
    nodes, place = region
    for k in range(-1, len(nodes)):
        at = node if k < 0 else nodes[k]
        for arc in range(indptr[at], indptr[at + 1]):
            other = indices[arc]
            if place[other] < 0 and other != node and labels[other] != 0:
                return True
    return False


@kernel
def _conductance(csr: Csr, place: Ints, node: int, values: Floats) -> float:
    """The current out of the node when it is at 1 and the other labels at 0."""
    indptr, indices, weights = csr
    total = 0.0
    for arc in range(indptr[node], indptr[node + 1]):
        other = place[indices[arc]]
        total += weights[arc] * (1.0 - (values[other] if other >= 0 else 0.0))
    return total


@kernel
def _conjugate_gradients(csr: Csr, region: Region, node: int, x: Floats) -> bool:
    """Solve for the harmonic response on a region with Jacobi preconditioning; whether it converged."""
    indptr, indices, weights = csr
    nodes, place = region
    count, filled = len(nodes), 0
    for k in range(count):
        filled += indptr[nodes[k] + 1] - indptr[nodes[k]]
    starts, others, inner = (
        np.zeros(count + 1, dtype=np.int64),
        np.empty(filled, dtype=np.uint32),  # unsigned, so that none counts from the end
        np.empty(filled),
    )
    residual, scale = np.zeros(count), np.zeros(count)
    filled = 0
    for k in range(count):  # the region's own rows, so that the loop below reads memory in order
        for arc in range(indptr[nodes[k]], indptr[nodes[k] + 1]):
            scale[k] += weights[arc]
            other = place[indices[arc]]
            if indices[arc] == node:
                residual[k] += weights[arc]
            elif other >= 0:
                others[filled], inner[filled] = other, weights[arc]
                filled += 1
        starts[k + 1] = filled
    # conjugate gradients; `size` is the squared norm of the residual, scaled by the diagonal
    direction = residual / scale
    product = np.zeros(count)
    size = 0.0
    for k in range(count):
        size += residual[k] * direction[k]
    goal = 1e-24 * size
    for _ in range(CG_STEPS):
        if size <= goal:
            return True
        curvature = 0.0
        for k in range(count):
            total = scale[k] * direction[k]
            for at in range(starts[k], starts[k + 1]):
                total -= inner[at] * direction[others[at]]
            product[k] = total
            curvature += total * direction[k]
        step, before, size = size / curvature, size, 0.0
        for k in range(count):
            x[k] += step * direction[k]
            residual[k] -= step * product[k]
            size += residual[k] * residual[k] / scale[k]
        for k in range(count):
            direction[k] = residual[k] / scale[k] + size / before * direction[k]
    return size <= goal
