"""The squared norm of a labelling in the space of K = G⁺ + b·11ᵀ + c·I, and Lemma 4.1's bound on it.

By Theorem 4.1 of Herbster and Pontil (2006),

    ‖u‖² = min { ‖g‖²_G + α²/b + ‖w‖²/c : u = (g − its component means) + α1 + w }.

For a given g the best α and w are known in closed form, so every g gives an upper bound. With c = 0 only g =
u is left (eq. 13). With c > 0 the best g of all is f = (I + cG)⁻¹u, one solve: the norm itself. Lemma 4.1 and
Theorem 4.2 take labelings g = u′ in {−1, 1}ⁿ that differ from u in k nodes,

    ‖u‖² ≤ 4Φ(u′) + β_u′/b + 4k/c,     β_u′ = (mean u′)²                                        (12)

and are never below it. The u′ of least Φ(u′) + k/c is a minimum cut of the graph with two more nodes, −1 and
+1, each joined to the nodes of its label by edges of weight 1/c. The balance β is no cut: it rewards
labelings with as many +1 as −1, and with c → ∞ and small b the best u′ would be a minimum bisection. A field
h on all nodes stands in for it, β ≥ 2hm − h² with m = mean u′, each h a minimum cut; the best u′ found is
taken, after flips of single nodes that lower (12) further.
"""

from __future__ import annotations

import math
import warnings
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import GraphError
from zerokelvin.flow.static.minimum_cut import minimum_cut
from zerokelvin.graph import Graph, cut, label_balance
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.solve.solver import analyse

__all__ = ["SmoothedCopy", "smoothed_copy", "squared_norm"]


FIELDS = 8  # fields tried for the balance
LARGE = 20_000  # edges above which one cut has to do


class SmoothedCopy(NamedTuple):
    """A labelling u′, and what Lemma 4.1 makes of it: 4Φ + β/b + 4k/c."""

    labels: Ints
    cut: float
    balance: float
    changed: int
    value: float


def smoothed_copy(graph: Graph, u: Ints, b: float, c: float) -> SmoothedCopy:
    """The best u′ of Lemma 4.1 found: u itself, that of least Φ(u′) + k/c, and others nearer to balance.

    >>> clique = [(i, j) for i in range(6) for j in range(i)]
    >>> smoothed_copy(Graph.from_edges(clique), np.array([1, 1, 1, 1, 1, -1]), b=1.0, c=1.0).changed
    1
    """
    best = _copy(graph, u, u, b, c)
    if graph.is_signed:
        return best
    low, high, field = -1.0, 1.0, 0.0
    for _ in range(FIELDS if c > 0 and graph.num_edges <= LARGE else int(c > 0)):
        try:
            found = _copy(graph, u, _least_cut(graph, u, c, field / (b * len(u)) if b > 0 else 0.0), b, c)
        except GraphError:  # weights too far apart for a minimum cut
            break
        best = min(best, found, key=lambda copy: copy.value)
        mean = float(found.labels.mean())
        if b == 0 or abs(mean - field) < 1e-12:
            break
        low, high = (field, high) if mean > field else (low, field)
        field = 0.5 * (low + high)
    while 0 < c and graph.num_edges <= LARGE and (node := _best_flip(graph, u, best.labels, b, c)) >= 0:
        flipped = best.labels.copy()
        flipped[node] = -flipped[node]
        best = _copy(graph, u, flipped, b, c)
    return best


def squared_norm(graph: Graph, u: Ints, b: float, c: float) -> tuple[float, dict[str, float]]:
    """‖u‖², infinite where u is not in the space, and the terms of Lemma 4.1 with the best u′ found."""
    best = smoothed_copy(graph, u, b, c)
    terms = {"4Φ": 4 * best.cut, "β": best.balance, "k": float(best.changed), "Lemma 4.1": best.value}
    if graph.is_signed:  # positive definite, so that u itself is in the space of G
        return terms["4Φ"], terms
    functions = [u.astype(np.float64), best.labels.astype(np.float64)]
    if c > 0:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScalingWarning)  # an error only makes the norm larger
            ridge = analyse(graph, shift=1 / c).solve(u / c).value
        functions += [ridge] if np.isfinite(ridge).all() else []
    return min(_split(graph, u, g, b, c) for g in functions), terms


def _copy(graph: Graph, u: Ints, other: Ints, b: float, c: float) -> SmoothedCopy:
    changed, balance, weight = int((u != other).sum()), label_balance(other), cut(graph, other)
    spread = balance / b if b > 0 else (math.inf if balance > 0 else 0.0)
    noise = 4 * changed / c if changed else 0.0
    return SmoothedCopy(other, weight, balance, changed, 4 * weight + spread + noise)


def _best_flip(graph: Graph, u: Ints, v: Ints, b: float, c: float) -> int:
    """The node whose flip lowers 4Φ(v) + β/b + 4k/c most; −1 where none does."""
    agreeing = v * (graph.adjacency @ v)  # weight of equal neighbours less that of others
    sums, count = int(v.sum()), len(v)
    spread = ((sums - 2 * v) ** 2 - sums**2) / (count**2 * b) if b > 0 else np.zeros(count)
    change = 4 * agreeing + spread + np.where(u == v, 4 / c, -4 / c)
    node = int(change.argmin())
    return node if change[node] < -1e-9 * (1 + np.abs(change).max()) else -1


def _least_cut(graph: Graph, u: Ints, c: float, field: float) -> Ints:
    """The labelling u′ of least Φ(u′) + k/c + field·#{u′ = 1}; a negative field favours +1."""
    count = graph.num_nodes
    every = np.arange(count)
    ties = [np.column_stack([every, np.where(u > 0, count + 1, count)])]
    weights = [graph.edge_weights, np.full(count, 1 / c)]
    if field:
        ties.append(np.column_stack([every, np.full(count, count if field > 0 else count + 1)]))
        weights.append(np.full(count, abs(field)))
    edges = np.concatenate([graph.edges, *ties])
    terminal = Graph.from_edges(edges, np.concatenate(weights), num_nodes=count + 2)
    return minimum_cut(terminal, [(count, -1), (count + 1, 1)]).sides[:count]


def _split(graph: Graph, u: Ints, g: Floats, b: float, c: float) -> float:
    """‖g‖²_G + α²/b + ‖w‖²/c with the best α and w for this g."""
    component = graph.components
    means = np.bincount(component, weights=g) / np.bincount(component)
    ends = g[graph.edges]
    energy = float((graph.edge_weights * (ends[:, 0] - ends[:, 1]) ** 2).sum())
    rest = u - g + means[component]  # what α1 + w must make up
    if c > 0:
        alpha = rest.sum() / c / (1 / b + len(u) / c) if b > 0 else 0.0
        return energy + (alpha**2 / b if b > 0 else 0.0) + float(((rest - alpha) ** 2).sum()) / c
    if np.ptp(rest) < 1e-12 and (b > 0 or abs(rest[0]) < 1e-12):
        return energy + (float(rest[0]) ** 2 / b if b > 0 else 0.0)
    return math.inf  # components differ in balance
