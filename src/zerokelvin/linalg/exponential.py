"""Resistances and potentials of the exponential embedding, for any scale a and for a → ∞.

With weights e^(−a·d) the pseudo-inverse fails silently once they differ by more than about 10⁹. Here every
number is kept as c·e^(±a·d), an exponent d in units of distance beside a coefficient c, and none is ever
subtracted from another. Vertices are eliminated one by one, a given root last: with w_k the weights of k
to the vertices left, c_k their sum and p = w_k / c_k,

    w_ij += w_ki w_kj / c_k                       on the way down,
    g(k, q) = Σ_j p_j g(j, q)                     on the way back, and
    g(k, k) = 1/c_k + Σ_j p_j g(j, k),

where g is the inverse of the Laplacian with the root grounded. The effective resistance of q and the root
is g(q, q), and g(p, q) / g(q, q) is the potential of p when q is held at 1 and the root at 0, the
probability that a random walk from p meets q before the root. All of it consists of sums, products and
quotients of positive numbers, so every entry is accurate by itself, however small beside the others.

For a → ∞ only leading terms matter: a sum keeps the terms of the larger exponent (all of them where
exponents tie, up to 1e-12 of the largest distance). Resistances become c·e^(a·β) with β the bottleneck
distance, the largest edge on the path in a minimum spanning tree; potentials become piecewise constant, with
their jumps on the edges of that length.

Cost: O(n³) and n² numbers per root.

References
----------
Herbster 2008, "Exploiting cluster-structure to predict the labeling of a graph": Definition 6, Theorem 8.
Grassmann, Taksar, Heyman 1985 for elimination without subtraction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph.exponential import ExponentialGraph
from zerokelvin.jit import kernel

__all__ = ["Rooted", "bottleneck_distances", "log_resistances", "rooted"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TIE = 1e-12


@dataclass(frozen=True)
class Rooted:
    """The exponential graph seen from one of its nodes.

    Attributes
    ----------
    root
        The node.
    scale
        The scale a of the graph.
    exponents, coefficients
        The effective resistance of every node to the root is ``coefficients · exp(a · exponents)``; the
        root itself has coefficient 0 and exponent −∞, nodes out of reach have exponent ∞.
    slack
        Exponents that differ by no more than this are equal when a is infinite.
    """

    root: int
    scale: float
    exponents: Floats
    coefficients: Floats
    slack: float
    _green: tuple[Floats, Floats]
    _members: Ints

    @property
    def log_resistances(self) -> Floats:
        """Logarithms of the resistances to the root, for a finite scale."""
        with np.errstate(divide="ignore"):
            return np.log(self.coefficients) + self.scale * self.exponents

    def potential(self, other: int) -> Floats:
        """The potential of every node when the root is held at 1 and `other` at 0.

        Nodes out of reach have potential 0.
        """
        at = int(np.searchsorted(self._members, other))
        exponents, coefficients = (part[at] for part in self._green)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            gap = exponents[at] - exponents
            inside = np.exp(-self.scale * gap) if np.isfinite(self.scale) else gap <= self.slack
            shares = np.where(coefficients > 0, coefficients / coefficients[at] * inside, 0.0)
        result = np.zeros(len(self.exponents))
        result[self._members] = 1.0 - shares
        return result


def rooted(graph: ExponentialGraph, root: int) -> Rooted:
    """Resistances to a root and the potentials between it and every other node.

    >>> from zerokelvin.graph import exponential_graph
    >>> graph = exponential_graph([[0.0], [1.0], [3.0]], a=1000)
    >>> rooted(graph, 0).log_resistances.round(9).tolist()
    [-inf, 1000.0, 2000.0]
    >>> limit = rooted(exponential_graph([[0.0], [1.0], [3.0]], a=float("inf")), 0)
    >>> limit.exponents.tolist(), limit.potential(1).tolist()
    ([-inf, 1.0, 2.0], [1.0, 0.0, 0.0])
    """
    members = np.flatnonzero(graph.components == graph.components[root])
    distances = _distance_matrix(graph)[np.ix_(members, members)]
    at = int(np.searchsorted(members, root))
    order = np.append(np.delete(np.arange(len(members)), at), at)
    slack = _TIE * float(graph.distances.max(initial=0.0))
    upper = np.ascontiguousarray(distances[np.ix_(order, order)])
    amount = np.where(np.isfinite(upper), 1.0, 0.0)
    upper[~np.isfinite(upper)] = 0.0
    green, share = _grounded(upper, amount, graph.scale, slack)
    back = np.argsort(order)
    green, share = green[np.ix_(back, back)], share[np.ix_(back, back)]
    exponents = np.full(graph.num_nodes, np.inf)
    coefficients = np.ones(graph.num_nodes)
    exponents[members], coefficients[members] = green.diagonal(), share.diagonal()
    exponents[root], coefficients[root] = -np.inf, 0.0
    return Rooted(int(root), graph.scale, exponents, coefficients, slack, (green, share), members)


def log_resistances(graph: ExponentialGraph) -> Floats:
    """Logarithms of all effective resistances, for a finite scale: −∞ on the diagonal, ∞ across components.

    One elimination, then vertex by vertex r(k, q) = 1/c_k + Σ p_j r(j, q) − ½ pᵀRp. The one subtraction
    is harmless: ½ pᵀRp is at most the number of vertices left over c_k (Foster), and r(k, q) at least 1/c_k.

    >>> from zerokelvin.graph import exponential_graph
    >>> log_resistances(exponential_graph([[0.0], [1.0], [3.0]], a=1000)).round(9)[0].tolist()
    [-inf, 1000.0, 2000.0]
    """
    distances = _distance_matrix(graph)
    result = np.full(distances.shape, np.inf)
    for component in range(graph.num_components):
        members = np.flatnonzero(graph.components == component)
        upper = distances[np.ix_(members, members)]
        amount = np.where(np.isfinite(upper), 1.0, 0.0)
        upper[~np.isfinite(upper)] = 0.0
        result[np.ix_(members, members)] = _all_pairs(upper, amount, graph.scale)
    return result


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


def _distance_matrix(graph: ExponentialGraph) -> Floats:
    matrix = np.full((graph.num_nodes, graph.num_nodes), np.inf)
    u, v = graph.edges.T
    matrix[u, v] = matrix[v, u] = graph.distances
    return matrix


@kernel
def _weight(gap: float, scale: float, slack: float) -> float:
    """e^(−scale·gap) for a gap of at least 0; for an infinite scale, 1 where the gap is none."""
    if scale == np.inf:
        return 1.0 if gap <= slack else 0.0
    power = scale * gap
    return np.exp(-power) if power < 60.0 else 0.0


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
                total[k] += amounts[k, j] * _weight(lows[k, j] - low, scale, slack)
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
                    amounts[i, j] += amount * _weight(gap, scale, slack)
                else:
                    amounts[i, j] = amount + amounts[i, j] * _weight(-gap, scale, slack)
                    lows[i, j] = path
    return least, total


@kernel
def _grounded(lows: Floats, amounts: Floats, scale: float, slack: float) -> tuple[Floats, Floats]:
    """The inverse of the Laplacian with the last vertex grounded, as amount·e^(+scale·high)."""
    count = len(lows)
    least, total = _eliminate(lows, amounts, scale, slack)
    highs, shares = np.zeros((count, count)), np.zeros((count, count))
    for k in range(count - 2, -1, -1):
        for j in range(k + 1, count - 1):
            if amounts[k, j] == 0:
                continue
            fall, part = lows[k, j] - least[k], amounts[k, j] / total[k]
            for q in range(k + 1, count - 1):
                if shares[j, q] > 0:
                    _add_to(highs, shares, k, q, highs[j, q] - fall, part * shares[j, q], scale, slack)
        for q in range(k + 1, count - 1):
            highs[q, k], shares[q, k] = highs[k, q], shares[k, q]
        highs[k, k], shares[k, k] = least[k], 1.0 / total[k]
        for j in range(k + 1, count - 1):
            if amounts[k, j] > 0 and shares[j, k] > 0:
                part = amounts[k, j] / total[k] * shares[j, k]
                high = highs[j, k] - (lows[k, j] - least[k])
                _add_to(highs, shares, k, k, high, part, scale, slack)
    return highs, shares


@kernel
def _add_to(
    highs: Floats, shares: Floats, i: int, j: int, high: float, share: float, scale: float, slack: float
) -> None:
    """Add share·e^(scale·high) to one entry."""
    gap = highs[i, j] - high
    if shares[i, j] == 0:
        highs[i, j], shares[i, j] = high, share
    elif gap >= 0:
        shares[i, j] += share * _weight(gap, scale, slack)
    else:
        shares[i, j] = share + shares[i, j] * _weight(-gap, scale, slack)
        highs[i, j] = high


@kernel
def _all_pairs(lows: Floats, amounts: Floats, scale: float) -> Floats:
    """Logarithms of all resistances of a connected graph of finite scale."""
    count = len(lows)
    least, total = _eliminate(lows, amounts, scale, 0.0)
    logs = np.full((count, count), -np.inf)
    chance = np.empty(count)
    for k in range(count - 2, -1, -1):
        base = scale * least[k] - np.log(total[k])  # log 1/c_k
        for j in range(k + 1, count):
            chance[j] = -np.inf
            if amounts[k, j] > 0:
                chance[j] = np.log(amounts[k, j] / total[k]) - scale * (lows[k, j] - least[k])
        spread = 0.0  # ½ pᵀRp in units of 1/c_k
        for i in range(k + 1, count):
            for j in range(i + 1, count):
                power = chance[i] + chance[j] + logs[i, j] - base
                if power > -60.0:
                    spread += np.exp(power)
        for q in range(k + 1, count):
            top = base
            for j in range(k + 1, count):
                if chance[j] + logs[j, q] > top:
                    top = chance[j] + logs[j, q]
            mass = np.exp(base - top) * (1.0 - spread)
            for j in range(k + 1, count):
                power = chance[j] + logs[j, q] - top
                if power > -60.0:
                    mass += np.exp(power)
            logs[k, q] = top + np.log(mass)
            logs[q, k] = logs[k, q]
    return logs
