"""A certificate for minimum p-seminorm interpolants, independent of how they were found.

Minimise E(f) = (1/p) Σ w_e |f_i − f_j|^p over f that agrees with the labels, 1 < p ≤ 2. Any flow g that is
conserved at the unlabelled nodes bounds the minimum from below,

    E ≥ Σ g_e d_e − (1/q) Σ w_e^(1−q) |g_e|^q,      1/p + 1/q = 1,  d_e = f_i − f_j.

The flow w d (d² + s²)^(p/2−1) is nearly conserved; what is missing is routed along a breadth-first forest to
the nearest labels. `duality_gap` does this without using the solvers it judges
(`learners.seminorm.seminorm_harmonic` for p = 2, `learners.seminorm.seminorm_newton` for p < 2).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bytes, Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.learners.seminorm.seminorm_regions import (
    Region,
    Routes,
    edges_of,
    part_numbers,
    routes_to_labels,
)

__all__ = ["Gap", "dual_terms", "duality_gap"]

SMOOTHINGS = tuple(0.1 * 0.2**k for k in range(17))


class Gap(NamedTuple):
    """Value of an interpolant, a lower bound on the minimum, and the gap between them relative to it."""

    primal: float
    dual: float
    relative: float


def duality_gap(graph: Graph, labels: Bytes, f: Floats, p: float) -> Gap:
    """Certify f as a minimum p-seminorm interpolant of the labels (0: none) on every labelled component."""
    reached = np.isin(graph.components, graph.components[labels != 0])
    nodes = np.flatnonzero(reached & (labels == 0))
    place = np.full(graph.num_nodes, -1)
    place[nodes] = np.arange(len(nodes))
    edges, weights = edges_of(graph.csr, Region(nodes, place))
    d, ends = f[edges[:, 0]] - f[edges[:, 1]], place[edges]
    routes, part = routes_to_labels(ends, len(nodes)), part_numbers(ends, len(nodes))[ends[:, 0]]
    best = np.full(len(nodes), -np.inf)  # by part: the smoothing that certifies most
    for smooth in [0.0] if p == 2 else (0.0, *SMOOTHINGS):
        terms = dual_terms(d, weights, ends, routes, p, smooth)
        best = np.maximum(best, np.bincount(part, terms, len(nodes)))
    primal, dual = float((weights * np.abs(d) ** p).sum() / p), float(best.sum()) if len(nodes) else 0.0
    both = (labels[graph.edges] != 0).all(axis=1)
    fixed = float(
        (graph.edge_weights * np.abs(f[graph.edges[:, 0]] - f[graph.edges[:, 1]]) ** p)[both].sum() / p
    )
    primal, dual = primal + fixed, dual + fixed
    floor = 1e-16 * float(graph.edge_weights.sum())  # an energy that is only rounding
    return Gap(primal, dual, max(primal - dual, 0.0) / primal if primal > floor else 0.0)


@kernel
def dual_terms(d: Floats, weights: Floats, place: Ints, routes: Routes, p: float, smooth: float) -> Floats:
    """What every edge adds to the dual value of the flow of differences d, made conserved.

    The flow is that of the smoothed energy, w d (d² + s²)^(p/2−1): where d is next to nothing, it still
    tells how much flows.
    """
    order, via = routes
    q = p / (p - 1)
    flow = np.empty(len(d))
    excess = np.zeros(len(order))
    # the flow of every edge, and how much too much arrives at every node
    for e in range(len(d)):
        level = d[e] * d[e] + smooth * smooth
        flow[e] = weights[e] * d[e] * level ** (p / 2 - 1) if level > 0 else 0.0
        excess[place[e, 0]] += flow[e]
        if place[e, 1] >= 0:
            excess[place[e, 1]] -= flow[e]
    # send the excess of every node to a label along the forest, from its leaves on
    for k in range(len(order) - 1, -1, -1):
        node = order[k]
        e = via[node]
        if place[e, 0] == node:
            flow[e] -= excess[node]
            if place[e, 1] >= 0:
                excess[place[e, 1]] += excess[node]
        else:
            flow[e] += excess[node]
            excess[place[e, 0]] += excess[node]
    # the dual value, edge by edge
    terms = np.full(len(d), np.nan)
    for e in range(len(d)):
        size = abs(flow[e])
        terms[e] = flow[e] * d[e] - size * (size / weights[e]) ** (q - 1) / q
    return terms
