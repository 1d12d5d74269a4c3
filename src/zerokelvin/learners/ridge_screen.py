"""Which of the coming trials a variance rule asks about, in single precision wherever that is sure.

A rule r/(1 + r) > floor needs only the side of a threshold on which r = xᵀPx lies. In single precision, with
unit roundoff ε = 2⁻²⁴, every rounding of a factor, product or sum is off by at most ε of its size, and
|P_ij| ≤ √(P_ii P_jj). So the computed r of d padded coordinates is off by at most

    (2d + 16) ε (Σ |x_i| √P_ii)²,

the two chains of d sums and a few roundings each. Where the threshold is nearer than that, r is computed
again in double precision: about one trial in a thousand on the papers' graphs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.linalg.growing_inverse import form_of, tiles_of
from zerokelvin.linalg.lanes import LANES, combine
from zerokelvin.linalg.tiles import diagonal, short_forms

__all__ = ["above", "screen"]

Floats = NDArray[np.float64]
Shorts = NDArray[np.float32]

ROUNDOFF = 2.0**-24
LEAST = 1e-30  # for what underflows


@kernel
def screen(
    kept: Floats, sides: int, sizes: Floats, short: Shorts, forms: Floats, slack: Floats, scratch: Floats
) -> None:
    """The forms of a block by the inverse without its pending change, each off by at most its slack.

    `sizes` are the absolute values of the block. `short`, in single precision, begins with the block; behind
    it is room for the results and for the tiles.
    """
    tiles, width = tiles_of(kept, sides), kept.shape[1]
    block, results = short[: LANES * width], short[LANES * width : LANES * (width + 1)]
    short_tiles = short[LANES * (width + 1) :]
    for k in range(tiles.shape[0]):
        short_tiles[k] = tiles[k]
    short_forms(short_tiles, width // 8, block, results)
    roots = scratch[0, :width]
    diagonal(tiles, roots)
    for i in range(width):
        roots[i] = np.sqrt(max(roots[i], 0.0))
    combine(sizes, roots, 0, slack)
    for b in range(LANES):
        forms[b] = results[b]
        slack[b] = (2 * width + 16) * ROUNDOFF * slack[b] * slack[b] + LEAST


@kernel
def above(
    form: float, slack: float, floor: float, kept: Floats, sides: int, x: Floats, scratch: Floats
) -> bool:
    """Whether r/(1 + r) > floor for the r that `form` is within `slack` of."""
    low, high = form - slack, form + slack
    if low > 0.0 and low / (1.0 + low) > floor:
        return True
    if high / (1.0 + high) <= floor:
        return False
    exact = form_of(kept, sides, x, scratch)
    return exact / (1.0 + exact) > floor
