"""The potential between two nodes of an exponential graph, from an elimination that did not know them.

Held at 1 in one node and at 0 in another, the potential of a third is the chance that a random walk from
there meets the one before the other. The rows of an elimination give, for each vertex, the chances of the
first later vertex on its walk. They serve as they are for vertices eliminated before both ends of the
pair; later ones may have passed through an end, which now stops the walk. So from there on the ends are
kept, with their weights A to all vertices left. In the network N of the ends and the vertices from k on,
the weights of k to others are those of the row of k, less what goes through the ends,

    W_kj = w_kj − A_k A_j / C                     (and again for the second end),

and eliminating k adds A_k W_kj / C_k to A_j: O(n) per vertex, O(n²) in all.

This subtraction may lose every digit of W_kj, but never one that matters: it does so only where W_kj is
below 10⁻¹⁵ of what binds both k and j to the ends, so that a walk from either stops there and takes the lost
link with chance 10⁻¹⁵. Potentials come out with that absolute error, however far their nodes are from
the pair, whereas ½ [r(v, η) − r(v, i)] / r(i, η) is noise once r(v, η) passes 10¹⁵·r(i, η).

Weights are kept as amount·e^(−scale·low), as in `zerokelvin.resistance.exponential_resistance`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel

__all__ = ["Rows", "joined", "pair_potential", "weight"]

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats, Floats, Floats]
"""Lows and amounts of every vertex's weights when its turn came, and the least low and the sum of each."""


@kernel
def weight(gap: float, scale: float, slack: float) -> float:
    """e^(−scale·gap) for a gap of at least 0 up to rounding; on an infinite scale 1 where there is none."""
    if scale == np.inf:
        return 1.0 if gap <= slack else 0.0
    power = scale * gap
    return np.exp(-power) if power < 60.0 else 0.0


@kernel
def joined(
    low: float, amount: float, other_low: float, other: float, scale: float, slack: float
) -> tuple[float, float]:
    """The sum of two weights; amount 0 is none."""
    if other == 0:
        return low, amount
    if amount == 0:
        return other_low, other
    gap = other_low - low
    if gap >= 0:
        return low, amount + other * weight(gap, scale, slack)
    return other_low, other + amount * weight(-gap, scale, slack)


@kernel
def _through(low: float, amount: float, other_low: float, other: float, total: Floats) -> tuple[float, float]:
    """The weight of the path over two edges at a vertex whose weights add up to total = (low, amount)."""
    # the smaller exponent first, so that it cancels exactly where it is the least
    if low < other_low:
        path = other_low + (low - total[0])
    else:
        path = low + (other_low - total[0])
    return path, amount * other / total[1]


@kernel
def _kept(rows: tuple[Floats, Floats], start: int, link: Floats, scale: float, slack: float) -> Floats:
    """All weights of an end added up: the link to the other end and those to vertices from `start` on."""
    lows, amounts = rows
    low, amount = link[0], link[1]
    for j in range(start, len(lows)):
        low, amount = joined(low, amount, lows[j], amounts[j], scale, slack)
    return np.array([low, amount])


@kernel
def _take_off(
    own: tuple[Floats, Floats], end: tuple[Floats, Floats], k: int, total: Floats, scale: float, slack: float
) -> None:
    """Take what goes through an end off the weights of vertex k to later ones."""
    lows, amounts = own
    end_lows, end_amounts = end
    if end_amounts[k] == 0:
        return
    for j in range(k + 1, len(lows)):
        if amounts[j] > 0 and end_amounts[j] > 0:
            path, amount = _through(end_lows[k], end_amounts[k], end_lows[j], end_amounts[j], total)
            left = amounts[j] - amount * weight(path - lows[j], scale, slack)
            amounts[j] = left if left > 1e-14 * amounts[j] else 0.0


@kernel
def _pass_on(
    end: tuple[Floats, Floats], own: tuple[Floats, Floats], k: int, total: Floats, scale: float, slack: float
) -> None:
    """Eliminate k from the weights of an end; `own` are the weights of k."""
    lows, amounts = end
    if amounts[k] > 0:
        for j in range(k + 1, len(lows)):
            if own[1][j] > 0:
                path, amount = _through(lows[k], amounts[k], own[0][j], own[1][j], total)
                lows[j], amounts[j] = joined(lows[j], amounts[j], path, amount, scale, slack)


@kernel
def pair_potential(rows: Rows, pair: tuple[int, int], scale: float, slack: float) -> Floats:
    """The potential of every vertex of a connected graph, 1 at pair[0] and 0 at pair[1]."""
    lows, amounts, least, sums = rows
    count = len(lows)
    early, late = min(pair[0], pair[1]), max(pair[0], pair[1])
    chances = np.zeros((count, count))  # of the first later vertex, or end, on a walk from each
    for k in range(early):
        for j in range(k + 1, count):
            if amounts[k, j] > 0:
                share = amounts[k, j] / sums[k]
                chances[k, j] = share * weight(lows[k, j] - least[k], scale, slack)
    first = (lows[early].copy(), amounts[early].copy())
    second = (np.zeros(count), np.zeros(count))
    beside = (np.zeros(count), np.zeros(count))  # weights of the second end, once the first is eliminated
    link = np.zeros(2)
    none = np.zeros(2)
    for k in range(early + 1, count):
        own = (lows[k].copy(), amounts[k].copy())
        total = _kept(first, k, link, scale, slack)
        _take_off(own, first, k, total, scale, slack)
        if k == late:
            link[0], link[1] = first[0][k], first[1][k]
            second[0][k + 1 :], second[1][k + 1 :] = own[0][k + 1 :], own[1][k + 1 :]
            first[1][k] = 0.0
            continue
        if k > late:
            for j in range(k, count):
                beside[0][j], beside[1][j] = second[0][j], second[1][j]
                if link[1] > 0 and first[1][j] > 0:
                    path, amount = _through(link[0], link[1], first[0][j], first[1][j], total)
                    beside[0][j], beside[1][j] = joined(
                        second[0][j], second[1][j], path, amount, scale, slack
                    )
            _take_off(own, beside, k, _kept(beside, k, none, scale, slack), scale, slack)
        bound = np.zeros(2)
        bound[0], bound[1] = joined(first[0][k], first[1][k], second[0][k], second[1][k], scale, slack)
        total = _kept(own, k + 1, bound, scale, slack)
        for j in range(k + 1, count):
            if own[1][j] > 0:
                chances[k, j] = own[1][j] / total[1] * weight(own[0][j] - total[0], scale, slack)
        if first[1][k] > 0:
            chances[k, early] = first[1][k] / total[1] * weight(first[0][k] - total[0], scale, slack)
        if second[1][k] > 0:
            chances[k, late] = second[1][k] / total[1] * weight(second[0][k] - total[0], scale, slack)
        if first[1][k] > 0 and second[1][k] > 0:
            path, amount = _through(first[0][k], first[1][k], second[0][k], second[1][k], total)
            link[0], link[1] = joined(link[0], link[1], path, amount, scale, slack)
        _pass_on(first, own, k, total, scale, slack)
        _pass_on(second, own, k, total, scale, slack)
        first[1][k] = second[1][k] = 0.0
    potential = np.zeros(count)
    potential[pair[0]] = 1.0
    for k in range(count - 1, -1, -1):
        if k not in (early, late):
            value = 0.0
            for j in range(count):
                value += chances[k, j] * potential[j]
            potential[k] = value
    return potential
