"""Resistances and potentials of the exponential embedding, for any scale a and for a → ∞.

With weights e^(−a·d) the pseudo-inverse fails silently once they differ by more than about 10⁹. Here every
number is kept as c·e^(±a·d), an exponent d in units of distance beside a coefficient c. Vertices are
eliminated one by one, without a single subtraction: with w_k the weights of k to the vertices left and
c_k their sum,

    w_ij += w_ki w_kj / c_k                       on the way down;

then all effective resistances follow on the way back, with p = w_k / c_k, from

    r(k, q) = 1/c_k + Σ_j p_j r(j, q) − ½ pᵀRp.

The one subtraction is harmless: ½ pᵀRp is at most the number of vertices left over c_k (Foster), and r(k, q)
at least 1/c_k. Both cost O(n³), once. Potentials then cost O(n²) per pair of nodes, see
`zerokelvin.resistance.potentials`.

For a → ∞ only leading terms matter: a sum keeps the terms of the larger exponent (all of them where
exponents tie, up to 1e-12 of the largest distance). Resistances become c·e^(a·β) with β the bottleneck
distance, the largest edge on the path in a minimum spanning tree; potentials become piecewise constant, with
their jumps on the edges of that length.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": Definition 6, Theorem 8.
Grassmann, Taksar, Heyman 1985 for elimination without subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.points.exponential_embedding import ExponentialGraph
from zerokelvin.jit import kernel
from zerokelvin.resistance.potentials import EliminatedRows, joined, pair_potential, weight

__all__ = ["Eliminated", "bottleneck_distances", "eliminate", "log_conductance"]

_TIE = 1e-12


@dataclass(frozen=True)
class Eliminated:
    """An exponential graph with all its vertices eliminated; make one with `eliminate`.

    Attributes
    ----------
    graph
        The graph.
    slack
        Exponents that differ by no more than this are equal when the scale is infinite.
    place
        The place of every node among the members of its component.
    members, rows
        Per component its nodes, and what was left of each when its turn came.
    """

    graph: ExponentialGraph
    slack: float
    place: Ints
    members: list[Ints]
    rows: list[EliminatedRows]

    @cached_property
    def resistances(self) -> tuple[Floats, Floats]:
        """Exponents and coefficients of all resistances ``coefficient · exp(a · exponent)``.

        On the diagonal the coefficient is 0 and the exponent −∞, across components the exponent is ∞.
        """
        count = self.graph.num_nodes
        exponents, coefficients = np.full((count, count), np.inf), np.ones((count, count))
        for members, rows in zip(self.members, self.rows, strict=True):
            block = np.ix_(members, members)
            exponents[block], coefficients[block] = _all_pairs(rows, self.graph.scale, self.slack)
        return exponents, coefficients

    @cached_property
    def log_resistances(self) -> Floats:
        """Logarithms of all resistances, for a finite scale: −∞ on the diagonal, ∞ across components.

        >>> from zerokelvin.graph import exponential_graph
        >>> graph = exponential_graph([[0.0], [1.0], [3.0]], a=1000)
        >>> eliminate(graph).log_resistances.round(9)[0].tolist()
        [-inf, 1000.0, 2000.0]
        """
        exponents, coefficients = self.resistances
        with np.errstate(divide="ignore"):
            return np.log(coefficients) + self.graph.scale * exponents

    def potential(self, node: int, other: int) -> Floats:
        """The potential of every node when `node` is held at 1 and `other` of its component at 0.

        Nodes out of reach have potential 0.

        >>> from zerokelvin.graph import exponential_graph
        >>> limit = eliminate(exponential_graph([[0.0], [1.0], [3.0]], a=float("inf")))
        >>> limit.potential(0, 1).tolist()
        [1.0, 0.0, 0.0]
        """
        component = int(self.graph.components[node])
        pair = (int(self.place[node]), int(self.place[other]))
        result = np.zeros(self.graph.num_nodes)
        result[self.members[component]] = pair_potential(
            self.rows[component], pair, self.graph.scale, self.slack
        )
        return result


def eliminate(graph: ExponentialGraph) -> Eliminated:
    """Eliminate the vertices of a graph, component by component."""
    distances = _distance_matrix(graph)
    slack = _TIE * float(graph.distances.max(initial=0.0))
    place = np.full(graph.num_nodes, -1)
    every, rows = [], []
    for component in range(graph.num_components):
        members = np.flatnonzero(graph.components == component)
        place[members] = np.arange(len(members))
        lows = distances[np.ix_(members, members)]
        amounts = np.where(np.isfinite(lows), 1.0, 0.0)
        lows[~np.isfinite(lows)] = 0.0
        every.append(members)
        rows.append(EliminatedRows(lows, amounts, *_eliminate(lows, amounts, graph.scale, slack)))
    return Eliminated(graph, slack, place, every, rows)


def bottleneck_distances(graph: ExponentialGraph) -> Floats:
    """The least possible largest edge on a path between every two nodes: the limit of (log r) / a.

    >>> from zerokelvin.graph import exponential_graph
    >>> bottleneck_distances(exponential_graph([[0.0], [1.0], [3.0]], a=1.0))[0].tolist()
    [0.0, 1.0, 2.0]
    """
    count = graph.num_nodes
    result = np.full((count, count), np.inf)
    np.fill_diagonal(result, 0.0)
    group = np.arange(count)
    members = {i: [i] for i in range(count)}
    for at in np.argsort(graph.distances, kind="stable"):
        u, v = (int(group[i]) for i in graph.edges[at])
        if u == v:
            continue
        result[np.ix_(members[u], members[v])] = graph.distances[at]
        result[np.ix_(members[v], members[u])] = graph.distances[at]
        group[members[v]] = u
        members[u] += members.pop(v)
        if len(members) == graph.num_components:
            break
    return result


def log_conductance(graph: ExponentialGraph, sources: Ints, targets: Ints) -> float:
    """The logarithm of the conductance between two sets of nodes, each wired together; −∞ where apart.

    All other nodes are eliminated, which leaves one edge. Without subtractions, O(n³).

    >>> from zerokelvin.graph import exponential_graph
    >>> graph = exponential_graph([[0.0], [1.0], [3.0]], a=1000)
    >>> round(log_conductance(graph, np.array([0]), np.array([1, 2])), 9)
    -1000.0
    """
    if len(sources) == 0 or len(targets) == 0:
        return -np.inf
    count = graph.num_nodes
    free = np.ones(count, dtype=np.bool_)
    free[sources] = free[targets] = False
    place = np.empty(count, dtype=np.int64)
    place[free] = np.arange(free.sum())
    place[sources], place[targets] = free.sum(), free.sum() + 1
    ends = np.sort(place[graph.edges], axis=1)
    size = int(free.sum()) + 2
    lows, amounts = np.full((size, size), np.inf), np.zeros((size, size))
    np.minimum.at(lows, (ends[:, 0], ends[:, 1]), graph.distances)
    gaps = graph.distances - lows[ends[:, 0], ends[:, 1]]
    np.add.at(amounts, (ends[:, 0], ends[:, 1]), np.exp(-graph.scale * gaps))
    np.fill_diagonal(amounts, 0.0)
    lows[~np.isfinite(lows)] = 0.0
    _eliminate(lows, amounts, graph.scale, _TIE * float(graph.distances.max(initial=0.0)))
    amount = amounts[size - 2, size - 1]
    return float(np.log(amount) - graph.scale * lows[size - 2, size - 1]) if amount > 0 else -np.inf


def _distance_matrix(graph: ExponentialGraph) -> Floats:
    matrix = np.full((graph.num_nodes, graph.num_nodes), np.inf)
    u, v = graph.edges.T
    matrix[u, v] = matrix[v, u] = graph.distances
    return matrix


@kernel
def _eliminate(lows: Floats, amounts: Floats, scale: float, slack: float) -> tuple[Floats, Floats]:
    """Eliminate all vertices but the last; row k is left as it was when k's turn came, with its sum.

    A weight is amount·e^(−scale·low); amount 0 means no edge. Only entries right of the diagonal count.
    """
    count = len(lows)
    least, total = np.zeros(count), np.zeros(count)
    for k in range(count - 1):
        low = np.inf
        for j in range(k + 1, count):
            if amounts[k, j] > 0 and lows[k, j] < low:
                low = lows[k, j]
        for j in range(k + 1, count):
            if amounts[k, j] > 0:
                total[k] += amounts[k, j] * weight(lows[k, j] - low, scale, slack)
        least[k] = low
        for i in range(k + 1, count):
            if amounts[k, i] == 0:
                continue
            share = amounts[k, i] / total[k]
            for j in range(i + 1, count):
                if amounts[k, j] == 0:
                    continue
                # the smaller exponent first, so that it cancels exactly where it is the least
                if lows[k, i] < lows[k, j]:
                    path = lows[k, j] + (lows[k, i] - low)
                else:
                    path = lows[k, i] + (lows[k, j] - low)
                amount = share * amounts[k, j]
                gap = path - lows[i, j]
                if amounts[i, j] == 0:
                    lows[i, j], amounts[i, j] = path, amount
                elif gap >= 0:
                    amounts[i, j] += amount * weight(gap, scale, slack)
                else:
                    amounts[i, j] = amount + amounts[i, j] * weight(-gap, scale, slack)
                    lows[i, j] = path
    return least, total


@kernel
def _all_pairs(rows: EliminatedRows, scale: float, slack: float) -> tuple[Floats, Floats]:
    """Exponents and coefficients of all resistances of a connected graph."""
    lows, amounts, least, total = rows
    count = len(lows)
    highs, shares = np.full((count, count), -np.inf), np.zeros((count, count))
    falls, parts = np.zeros(count), np.zeros(count)
    for k in range(count - 2, -1, -1):
        for j in range(k + 1, count):
            falls[j], parts[j] = lows[k, j] - least[k], amounts[k, j] / total[k]
        spread = 0.0  # ½ pᵀRp in units of 1/c_k
        for i in range(k + 1, count):
            if parts[i] > 0:
                for j in range(i + 1, count):
                    if parts[j] > 0:
                        gap = (falls[i] + falls[j]) - (highs[i, j] - least[k])
                        spread += parts[i] * parts[j] * shares[i, j] * total[k] * weight(gap, scale, slack)
        for q in range(k + 1, count):
            highs[k, q] = least[k]
        for j in range(k + 1, count):
            if parts[j] > 0:
                for q in range(k + 1, count):
                    if q != j:
                        highs[k, q], shares[k, q] = joined(
                            -highs[k, q],
                            shares[k, q],
                            falls[j] - highs[j, q],
                            parts[j] * shares[j, q],
                            scale,
                            slack,
                        )
                        highs[k, q] = -highs[k, q]
        for q in range(k + 1, count):
            own = (1.0 - spread) / total[k]
            if shares[k, q] == 0:
                highs[k, q], shares[k, q] = least[k], own
            elif highs[k, q] >= least[k]:
                shares[k, q] += own * weight(highs[k, q] - least[k], scale, slack)
            else:
                shares[k, q] = own + shares[k, q] * weight(least[k] - highs[k, q], scale, slack)
                highs[k, q] = least[k]
            highs[q, k], shares[q, k] = highs[k, q], shares[k, q]
    return highs, shares
