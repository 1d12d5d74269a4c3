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

import math
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel

__all__ = ["EliminatedRows", "Weight", "joined", "pair_potential", "weight"]


class EliminatedRows(NamedTuple):
    """The weights of every vertex to later ones when its turn came, in the order of elimination.

    Attributes
    ----------
    lows, amounts
        The weight of k to j > k is amounts[k, j]·e^(−scale·lows[k, j]), none where the amount is 0.
    least, sums
        The least low of every row, and the sum of its weights as an amount at that low.
    """

    lows: Floats
    amounts: Floats
    least: Floats
    sums: Floats


class Weight(NamedTuple):
    """A weight amount·e^(−scale·low), kept so since floats may not hold it; amount 0 is none."""

    low: float
    amount: float


class WeightRow(NamedTuple):
    """The weights of one vertex to all, as lows and amounts."""

    lows: Floats
    amounts: Floats


@kernel
def weight(gap: float, scale: float, slack: float) -> float:
    """e^(−scale·gap) for a gap of at least 0 up to rounding; on an infinite scale 1 where there is none."""
    if scale == np.inf:
        return 1.0 if gap <= slack else 0.0
    power = scale * gap
    return math.exp(-power) if power < 60.0 else 0.0


@kernel
def joined(low: float, amount: float, other_low: float, other: float, scale: float, slack: float) -> Weight:
    """The sum of the weights (low, amount) and (other_low, other)."""
    if other == 0:
        return Weight(low, amount)
    if amount == 0:
        return Weight(other_low, other)
    gap = other_low - low
    if gap >= 0:
        return Weight(low, amount + other * weight(gap, scale, slack))
    return Weight(other_low, other + amount * weight(-gap, scale, slack))


@kernel
def _through(low: float, amount: float, other_low: float, other: float, total: Weight) -> Weight:
    """The weight of the path over two edges at a vertex whose weights add up to `total`."""
    # the smaller exponent first, so that it cancels exactly where it is the least
    if low < other_low:
        path = other_low + (low - total.low)
    else:
        path = low + (other_low - total.low)
    return Weight(path, amount * other / total.amount)


@kernel
def _kept(row: WeightRow, start: int, link: Weight, scale: float, slack: float) -> Weight:
    """All weights of an end added up: the link to the other end and those to vertices from `start` on."""
    low, amount = link
    for j in range(start, len(row.lows)):
        low, amount = joined(low, amount, row.lows[j], row.amounts[j], scale, slack)
    return Weight(low, amount)


@kernel
def _take_off(own: WeightRow, end: WeightRow, k: int, total: Weight, scale: float, slack: float) -> None:
    """Take what goes through an end, whose weights add up to `total`, off the weights of vertex k, `own`."""
    lows, amounts = own
    if end.amounts[k] == 0:
        return
    for j in range(k + 1, len(lows)):
        if amounts[j] > 0 and end.amounts[j] > 0:
            path, amount = _through(end.lows[k], end.amounts[k], end.lows[j], end.amounts[j], total)
            left = amounts[j] - amount * weight(path - lows[j], scale, slack)
            amounts[j] = left if left > 1e-14 * amounts[j] else 0.0


@kernel
def _pass_on(end: WeightRow, own: WeightRow, k: int, total: Weight, scale: float, slack: float) -> None:
    """Eliminate k from the weights of an end; `own` are the weights of k, which add up to `total`."""
    lows, amounts = end
    if amounts[k] > 0:
        for j in range(k + 1, len(lows)):
            if own.amounts[j] > 0:
                path, amount = _through(lows[k], amounts[k], own.lows[j], own.amounts[j], total)
                lows[j], amounts[j] = joined(lows[j], amounts[j], path, amount, scale, slack)


@kernel
def pair_potential(rows: EliminatedRows, pair: tuple[int, int], scale: float, slack: float) -> Floats:
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
    first = WeightRow(lows[early].copy(), amounts[early].copy())
    second = WeightRow(np.zeros(count), np.zeros(count))
    beside = WeightRow(np.zeros(count), np.zeros(count))  # of the second end, once the first is eliminated
    link = none = Weight(0.0, 0.0)
    for k in range(early + 1, count):
        own = WeightRow(lows[k].copy(), amounts[k].copy())
        total = _kept(first, k, link, scale, slack)
        _take_off(own, first, k, total, scale, slack)
        if k == late:
            link = Weight(first.lows[k], first.amounts[k])
            second.lows[k + 1 :], second.amounts[k + 1 :] = own.lows[k + 1 :], own.amounts[k + 1 :]
            first.amounts[k] = 0.0
            continue
        if k > late:
            for j in range(k, count):
                beside.lows[j], beside.amounts[j] = second.lows[j], second.amounts[j]
                if link.amount > 0 and first.amounts[j] > 0:
                    path, amount = _through(link.low, link.amount, first.lows[j], first.amounts[j], total)
                    beside.lows[j], beside.amounts[j] = joined(
                        second.lows[j], second.amounts[j], path, amount, scale, slack
                    )
            _take_off(own, beside, k, _kept(beside, k, none, scale, slack), scale, slack)
        bound = joined(first.lows[k], first.amounts[k], second.lows[k], second.amounts[k], scale, slack)
        total = _kept(own, k + 1, bound, scale, slack)
        for j in range(k + 1, count):
            if own.amounts[j] > 0:
                chances[k, j] = own.amounts[j] / total.amount * weight(own.lows[j] - total.low, scale, slack)
        if first.amounts[k] > 0:
            chances[k, early] = (
                first.amounts[k] / total.amount * weight(first.lows[k] - total.low, scale, slack)
            )
        if second.amounts[k] > 0:
            chances[k, late] = (
                second.amounts[k] / total.amount * weight(second.lows[k] - total.low, scale, slack)
            )
        if first.amounts[k] > 0 and second.amounts[k] > 0:
            path, amount = _through(first.lows[k], first.amounts[k], second.lows[k], second.amounts[k], total)
            link = joined(link.low, link.amount, path, amount, scale, slack)
        _pass_on(first, own, k, total, scale, slack)
        _pass_on(second, own, k, total, scale, slack)
        first.amounts[k] = second.amounts[k] = 0.0
    potential = np.zeros(count)
    potential[pair[0]] = 1.0
    for k in range(count - 1, -1, -1):
        if k not in (early, late):
            value = 0.0
            for j in range(count):
                value += chances[k, j] * potential[j]
            potential[k] = value
    return potential
