"""Which of the coming trials a variance rule asks about, in single precision wherever that is sure.

A rule r/(1 + r) > floor needs only the side of the bar floor/(1 − floor) on which r = xᵀPx lies. In single
precision, with unit roundoff ε = 2⁻²⁴, every rounding of a factor, product or sum is off by at most ε of its
size, and |P_ij| ≤ √(P_ii P_jj). So the computed r of d coordinates is off by at most

    (2d + 16) ε (Σ |x_i| √P_ii)²,

the two chains of d sums and a few roundings each. An inverse only ever shrinks as rows are learnt, so the
roots of an earlier diagonal will do, and the largest of those of all classes. Where the bar is nearer than
that, r is computed again in double precision: about one trial in a thousand on the papers' graphs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.least_squares.growing_inverse import PENDING, SINCE, tiles_of
from zerokelvin.machine.lanes import LANES, add_forms, combine_sizes, shorten
from zerokelvin.machine.tiles import diagonal

__all__ = ["copy_short", "largest_roots", "screen", "side_of", "slacks"]

Shorts = NDArray[np.float32]

ROUNDOFF = 2.0**-24
LEAST = 1e-30  # for what underflows


@kernel
def largest_roots(kept: Floats, sides: int, roots: Floats, found: Floats) -> None:
    """The largest √P_ii of several inverses, for every coordinate; `found` is room as long."""
    roots[:] = 0.0
    for g in range(kept.shape[0]):
        diagonal(tiles_of(kept[g], sides), found)
        for i in range(roots.shape[0]):
            roots[i] = max(roots[i], np.sqrt(max(found[i], 0.0)))


@kernel
def slacks(block: Floats, roots: Floats, dimension: int, slack: Floats) -> None:
    """How far the forms of a block in single precision may be off."""
    combine_sizes(block, dimension, roots, 0, slack)
    for b in range(LANES):
        slack[b] = (2 * dimension + 16) * ROUNDOFF * slack[b] * slack[b] + LEAST


@kernel
def copy_short(kept: Floats, sides: int, copy: Shorts, stamp: Floats) -> None:
    """Copy the tiles of the inverse in single precision, if rows have been learnt since `stamp`."""
    if stamp[0] != kept[0, SINCE]:
        stamp[0] = kept[0, SINCE]
        shorten(tiles_of(kept, sides), kept[1], kept[0, PENDING], copy)


@kernel
def screen(copy: Shorts, dimension: int, short: Shorts, forms: Floats) -> None:
    """The forms of a block; `short` is the block in single precision and, behind it, room for the results."""
    end = short.shape[0] - LANES
    results = short[end:]
    for b in range(LANES):
        results[b] = 0.0
    add_forms(copy, dimension, short[:end], 0, results)
    for b in range(LANES):
        forms[b] = results[b]


@kernel
def side_of(form: float, slack: float, bar: float) -> int:
    """Whether r > bar for the r that `form` is within `slack` of: 1 if so, 0 if not, −1 if unsure."""
    gap = form - bar
    return 1 if gap > slack else (0 if gap < -slack or slack == 0.0 else -1)
