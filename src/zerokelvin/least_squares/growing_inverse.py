"""Online least squares by the inverse of A = aI + Σ x xᵀ, with its drift kept in check.

Ridge regression on rows x with targets y predicts with W = A⁻¹ Σ x yᵀ. A row moves both by

    u = A⁻¹x,   r = xᵀu,   A⁻¹ −= u uᵀ / (1 + r),   w += (y − w·x) / (1 + r) · u

(Sherman, Morrison 1950). The change of A⁻¹ is left pending and made on the way when the next u is computed,
so a row costs one pass over half of A⁻¹ (`zerokelvin.machine.tiles`).

Rounding: an update multiplies the relative error by about 1 + r at worst, and otherwise adds to it. So the
inverse and the weights are computed afresh after `REFRESH` rows, or as soon as the sum of 1 + r passes
`RISK`: from the triangular factor R and Θ = Qᵀy of the rows so far, which the new rows join by a QR
decomposition. No normal equations are formed, and the new inverse R⁻¹R⁻ᵀ is positive definite.

A workspace of d coordinates and q right-hand sides has rows of d rounded up to a multiple of 8:

    0                rows since the last refresh, the pending 1/(1 + r), the sum of 1 + r
    1                the pending u
    2 … 2 + q        weights
    then             the tiles of A⁻¹; R; Θᵀ
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.machine.lanes import aligned, eight_dot, row_dot, sweep
from zerokelvin.machine.tiles import pack, padded, unpack_tiles

__all__ = [
    "due",
    "empty_inverse",
    "form_of",
    "inverse_of",
    "learn_row",
    "refresh",
    "score_row",
    "tiles_of",
    "triangle_of",
]


REFRESH = 16384
RISK = 1e7
SINCE, PENDING, HAZARD = 0, 1, 2


def empty_inverse(dimension: int, a: float, sides: int = 1) -> Floats:
    """The workspace for A = aI and weights 0: rows of numbers that the kernels here take apart."""
    width = padded(dimension)
    kept = aligned((2 + sides + width // 2 + 4 + dimension + sides) * width).reshape(-1, width)
    pack(np.eye(dimension) / a, tiles_of(kept, sides))
    triangle_of(kept, sides)[range(dimension), range(dimension)] = np.sqrt(a)
    return kept


def triangle_of(kept: Floats, sides: int) -> Floats:
    """R with Θᵀ below it, as of the last refresh."""
    width = kept.shape[1]
    return kept[2 + sides + width // 2 + 4 :]


def inverse_of(kept: Floats, dimension: int, sides: int = 1) -> Floats:
    """The inverse A⁻¹ as kept, the pending change included.

    >>> kept = empty_inverse(2, 1.0)
    >>> learn_row(kept, np.array([1.0, 2.0]), np.array([-1.0]), np.zeros((2, 8)))
    0.8333333333333334
    >>> inverse_of(kept, 2).round(12).tolist()
    [[0.833333333333, -0.333333333333], [-0.333333333333, 0.333333333333]]
    """
    u = kept[1, :dimension]
    inverse: Floats = unpack_tiles(tiles_of(kept, sides), dimension) - kept[0, PENDING] * np.outer(u, u)
    return inverse


def refresh(kept: Floats, rows: Floats, targets: Floats) -> None:
    """Compute inverse and weights afresh; `rows` and `targets` (rows by sides) came since the last time."""
    d, sides = rows.shape[1], targets.shape[1]
    base = triangle_of(kept, sides)
    old = np.hstack([base[:d, :d], base[d:, :d].T])
    joined: Floats = np.vstack([old, np.hstack([rows, targets])])
    triangle: Floats = np.asarray(np.linalg.qr(joined, mode="r"), dtype=np.float64)[:d]
    base[:d, :d], base[d:, :d] = triangle[:, :d], triangle[:, d:].T
    root = scipy.linalg.solve_triangular(triangle[:, :d], np.eye(d), check_finite=False)
    pack(root @ root.T, tiles_of(kept, sides))
    weights = scipy.linalg.solve_triangular(triangle[:, :d], triangle[:, d:], check_finite=False)
    kept[2 : 2 + sides, :d] = weights.T
    kept[:2] = 0.0


@kernel
def tiles_of(kept: Floats, sides: int) -> Floats:
    """The tiles of the inverse, without the pending change; a view, to be read row after row."""
    return kept[2 + sides : 2 + sides + kept.shape[1] // 2 + 4]


@kernel
def score_row(x: Floats, weights: Floats) -> float:
    """The product w·x of weights and a row; weights may be longer than x, which counts as 0 there."""
    return row_dot(x.reshape(1, -1), 0, weights.reshape(1, -1), 0)


@kernel
def form_of(kept: Floats, sides: int, x: Floats, scratch: Floats) -> float:
    """The form xᵀA⁻¹x; `scratch` has two rows of at least the workspace's width."""
    width = kept.shape[1]
    row, image = scratch[0, :width], scratch[1, :width]
    _lengthen(x, row)
    sweep(tiles_of(kept, sides), row, 0.0, row, image)
    part = eight_dot(kept[1], row)
    return max(eight_dot(row, image) - kept[0, PENDING] * part * part, 0.0)


@kernel
def learn_row(kept: Floats, x: Floats, labels: Floats, scratch: Floats) -> float:
    """Add the row x with one label per right-hand side; returns xᵀA⁻¹x with the new A, below 1.

    `scratch` has two rows of at least the workspace's width. Where `due` says so, `refresh` must follow.
    """
    sides, width = labels.shape[0], kept.shape[1]
    row, image, pending = scratch[0, :width], scratch[1, :width], kept[1]
    _lengthen(x, row)
    sweep(tiles_of(kept, sides), pending, kept[0, PENDING], row, image)
    r = max(eight_dot(row, image), 0.0)
    for j in range(width):
        pending[j] = image[j]
    kept[0, PENDING] = 1.0 / (1.0 + r)
    kept[0, SINCE] += 1.0
    kept[0, HAZARD] += 1.0 + r
    for side in range(sides):
        weights = kept[2 + side]
        step = (labels[side] - eight_dot(weights, row)) / (1.0 + r)
        for j in range(width):
            weights[j] += step * image[j]
    return r / (1.0 + r)


@kernel
def _lengthen(x: Floats, row: Floats) -> None:
    """Copy x and fill up with zeros; a slice would bring in checks that take longer."""
    for i in range(x.shape[0]):
        row[i] = x[i]
    for i in range(x.shape[0], row.shape[0]):
        row[i] = 0.0


@kernel
def due(kept: Floats) -> bool:
    """Whether the inverse has taken so many updates, or such ill ones, that it is to be computed afresh."""
    return kept[0, SINCE] >= REFRESH or kept[0, HAZARD] > RISK
