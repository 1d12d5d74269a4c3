"""Minimum p-seminorm interpolants for 1 < p < 2, moved from one label to the next by Newton's method.

Each part of the new label's region is minimised from the old interpolant, in the smoothed energy
(1/p) Σ w (d² + s²)^(p/2) with d = f_i − f_j, until the duality gap of
`learners.seminorm.seminorm_certificate` is below the tolerance. A step solves one weighted Laplacian of the
part, and is taken as far as the energy falls. As only the neighbourhood of the new label is far from its
minimum, s starts small and shrinks only while it is what keeps the gap open; should that fail, it starts
again from a large s. The Laplacians are factored in one order of elimination, found once per graph: what is
left of it is a good order for every part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Bytes, Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.learners.seminorm.seminorm_certificate import SMOOTHINGS, dual_terms
from zerokelvin.learners.seminorm.seminorm_regions import (
    Region,
    TouchingEdges,
    edges_of,
    find_part,
    routes_to_labels,
)
from zerokelvin.solve.engines.direct.ordering import minimum_degree

__all__ = ["elimination_rank", "minimise"]


# smoothings are among those that `duality_gap` tries
SAFE_START, WARM_START, LAST_SMOOTHING, SHRINK = SMOOTHINGS[0], SMOOTHINGS[7], SMOOTHINGS[-1], 0.04
WARM_STEPS, SAFE_STEPS = 25, 300
SETTLED = 1e-2  # force against pull from which on a smaller smoothing is tried


def elimination_rank(graph: Graph) -> Ints:
    """The place of every node in an order of elimination that keeps factors sparse."""
    rank = np.full(graph.num_nodes, -1)
    pivot = minimum_degree(graph.indptr, graph.indices).pivot
    rank[np.argsort(pivot, kind="stable")] = np.arange(graph.num_nodes)
    return rank


def minimise(graph: Graph, labels: Bytes, f: Floats, node: int, p: float, tol: float, rank: Ints) -> None:
    """Move f around a newly labelled node to the minimum, every part to a relative gap of `tol`."""
    done = np.zeros(graph.num_nodes, dtype=np.bool_)
    for start in graph.neighbors(node).tolist():
        if labels[start] == 0 and not done[start]:
            nodes, place = find_part(graph.csr, labels, start)
            nodes = np.sort(nodes)  # as in `duality_gap`, which then routes the same way
            place[nodes] = np.arange(len(nodes))
            done[nodes] = True
            edges = edges_of(graph.csr, Region(nodes, place))
            fixed = f[edges.ends[place[edges.ends[:, 1]] < 0, 1]]
            if fixed.min() == fixed.max():
                f[nodes] = fixed[0]
                continue
            part = _Part(nodes, edges, place[edges.ends], np.argsort(rank[nodes]))
            if not part.descend(f, p, tol, WARM_START, WARM_STEPS):
                part.descend(f, p, tol, SAFE_START, SAFE_STEPS)


class _Part:
    """A connected set of unlabelled nodes with its edges, ready for Newton's method.

    `place` holds the places of both ends of every edge among the nodes, −1 for an end outside, and `order`
    the nodes in the order in which they are eliminated.
    """

    def __init__(self, nodes: Ints, edges: TouchingEdges, place: Ints, order: Ints) -> None:
        self.nodes, self.place, self.order = nodes, place, order
        self.edges, self.weights = edges
        self.routes = routes_to_labels(place, len(nodes))
        both = np.flatnonzero(place[:, 1] >= 0)
        at = np.argsort(order)
        i, j = at[place[both]].T
        count, own = len(nodes), np.arange(len(nodes))
        rows, columns = np.concatenate([i, j, own]), np.concatenate([j, i, own])
        marks = np.arange(1.0, len(rows) + 1)
        pattern = sp.csc_array((marks, (rows, columns)), shape=(count, count))
        self.pattern = pattern
        self.slots = np.empty(len(rows), dtype=np.int64)  # where an entry stands among the pattern's
        self.slots[pattern.data.astype(np.int64) - 1] = np.arange(len(rows))
        self.both = both

    def descend(self, f: Floats, p: float, tol: float, smooth: float, steps: int) -> bool:
        """Newton's method on f, in at most `steps` steps; whether it closed the duality gap up to `tol`."""
        count = len(self.nodes)
        for _ in range(steps):
            d = f[self.edges[:, 0]] - f[self.edges[:, 1]]
            primal = float((self.weights * np.abs(d) ** p).sum() / p)
            dual = float(dual_terms(d, self.weights, self.place, self.routes, p, smooth).sum())
            if primal - dual <= 0.5 * tol * primal:
                return True
            at = _derivatives(d, self.weights, self.place, p, smooth, count)
            move = self._solve(at)
            f[self.nodes] += _best_step(d, _differences(move, self.place), self.weights, p, smooth) * move
            if np.abs(at.force).max() <= SETTLED * np.abs(at.pull).max():  # the smoothing keeps the gap open
                smooth = max(SHRINK * smooth, LAST_SMOOTHING)
        return False

    def _solve(self, at: Derivatives) -> Floats:
        """Newton's direction: minus the solution of the weighted Laplacian for the force, one per node."""
        from scipy.sparse.linalg import splu

        inner = -at.conductance[self.both]
        data = np.empty(len(self.slots))
        data[self.slots] = np.concatenate([inner, inner, at.diagonal[self.order]])
        matrix = sp.csc_array((data, self.pattern.indices, self.pattern.indptr), shape=self.pattern.shape)
        options = {"SymmetricMode": True}
        factor = splu(matrix, permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
        move = np.full(len(at.force), np.nan)
        move[self.order] = -factor.solve(at.force[self.order])
        return move


class Derivatives(NamedTuple):
    """First and second derivatives of the smoothed energy.

    Attributes
    ----------
    pull, conductance
        The first and the second derivative by the difference over every edge.
    force, diagonal
        The first and the second derivative by the value at every node.
    """

    pull: Floats
    conductance: Floats
    force: Floats
    diagonal: Floats


@kernel
def _derivatives(d: Floats, weights: Floats, place: Ints, p: float, smooth: float, count: int) -> Derivatives:
    """The derivatives at the differences d over the edges, of a part of `count` nodes."""
    pull, conductance = np.full(len(d), np.nan), np.full(len(d), np.nan)
    force, diagonal = np.zeros(count), np.zeros(count)
    for e in range(len(d)):
        square, extra = d[e] * d[e], smooth * smooth
        level = square + extra
        base = weights[e] * level ** (p / 2 - 1)
        pull[e] = base * d[e]
        conductance[e] = base / level * ((p - 1) * square + extra)
        i, j = place[e, 0], place[e, 1]
        force[i] += pull[e]
        diagonal[i] += conductance[e]
        if j >= 0:
            force[j] -= pull[e]
            diagonal[j] += conductance[e]
    return Derivatives(pull, conductance, force, diagonal)


@kernel
def _differences(move: Floats, place: Ints) -> Floats:
    """How a move of the nodes changes the difference over every edge."""
    change = np.full(len(place), np.nan)
    for e in range(len(place)):
        change[e] = move[place[e, 0]] - (move[place[e, 1]] if place[e, 1] >= 0 else 0.0)
    return change


@kernel
def _best_step(d: Floats, change: Floats, weights: Floats, p: float, smooth: float) -> float:
    """Minimise the smoothed energy Σ w ((d + t c)² + s²)^(p/2) over t ≥ 0, to a thousandth of its slope."""
    slope, bend = _slope(d, change, weights, p, smooth, 0.0)
    goal = 1e-3 * abs(slope)
    low, high, t = 0.0, np.inf, 1.0
    for _ in range(60):
        slope, bend = _slope(d, change, weights, p, smooth, t)
        if abs(slope) <= goal:
            break
        if slope < 0:
            low = t
        else:
            high = t
        t = t - slope / bend if bend > 0 else high
        if not low < t < high:
            t = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return t


@kernel
def _slope(
    d: Floats, change: Floats, weights: Floats, p: float, smooth: float, t: float
) -> tuple[float, float]:
    """First and second derivative in t of the smoothed energy Σ w ((d + t c)² + s²)^(p/2) / p, at t."""
    slope, bend = 0.0, 0.0
    for e in range(len(d)):
        x = d[e] + t * change[e]
        level = x * x + smooth * smooth
        base = weights[e] * change[e] * level ** (p / 2 - 1)
        slope += base * x
        bend += base * change[e] * ((p - 1) * x * x + smooth * smooth) / level
    return slope, bend
