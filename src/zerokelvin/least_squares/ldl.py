"""Online least squares as a growing factorisation A = L D Lᵀ with carried right-hand sides.

Ridge regression on rows x with targets y needs A = aI + Σ x xᵀ and B = Σ x yᵀ. Bordering A with B and
factorising the bordered matrix,

    [ A  B ]   [ L   0 ] [ D  0 ] [ Lᵀ  Θ ]
    [ Bᵀ · ] = [ Θᵀ  I ] [ 0  · ] [ 0   I ],     Θ = D⁻¹ L⁻¹ B,

one rank-one update with the bordered vector (x, y) moves A and every right-hand side at once (Bennett
1965; method C1 of Gill, Golub, Murray, Saunders 1974). A positive update only adds positive numbers to
D, so A stays positive definite whatever the rounding, and W = A⁻¹B is one back-substitution LᵀW = Θ.

The workspace of d coordinates and q right-hand sides is one square array of order d + q:

    F[i, i]           D_i                      i < d
    F[i, j], j < d    column i of L            i < j
    F[i, d + c]       Θ of right-hand side c

An update costs d² multiplications, the form xᵀA⁻¹x d²/2. For the learners that play a whole game in compiled
code, `zerokelvin.least_squares.growing_inverse` does the same three times faster.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel

__all__ = [
    "absorb",
    "back_substitute",
    "dot",
    "empty_factor",
    "forward",
    "unpack",
]


def empty_factor(dimension: int, a: float, sides: int = 1) -> Floats:
    """The workspace for A = aI and B = 0.

    >>> empty_factor(2, 0.5).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    """
    factor = np.zeros((dimension + sides, dimension + sides))
    factor[range(dimension), range(dimension)] = a
    return factor


def unpack(factor: Floats, dimension: int) -> tuple[Floats, Floats]:
    """The matrices (A, B) that a workspace stands for.

    >>> factor = empty_factor(2, 1.0)
    >>> absorb(factor, np.array([1.0, 2.0, -1.0]), np.empty(2))
    0.8333333333333334
    >>> A, B = unpack(factor, 2)
    >>> A.round(12).tolist(), B.round(12).tolist()
    ([[2.0, 2.0], [2.0, 5.0]], [[-1.0], [-2.0]])
    """
    square = factor[:dimension, :dimension]
    diagonal = np.diag(square)
    lower = np.triu(square, 1).T + np.eye(dimension)
    matrix: Floats = (lower * diagonal) @ lower.T
    sides: Floats = lower @ (diagonal[:, None] * factor[:dimension, dimension:])
    return matrix, sides


@kernel
def dot(a: Floats, b: Floats) -> float:
    """Inner product in a fixed order of additions, the same compiled or not."""
    n = a.shape[0]
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = n // 8
    for k in range(whole):
        j = 8 * k
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        s4 += a[j + 4] * b[j + 4]
        s5 += a[j + 5] * b[j + 5]
        s6 += a[j + 6] * b[j + 6]
        s7 += a[j + 7] * b[j + 7]
    for j in range(8 * whole, n):
        s0 += a[j] * b[j]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def forward(factor: Floats, z: Floats, d: int) -> float:
    """Overwrite z = x by L⁻¹x and return xᵀA⁻¹x, a sum of positive terms."""
    total = 0.0
    for i in range(d):
        p = z[i]
        row = factor[i]
        total += p * p / row[i]
        tail, rest = row[i + 1 : d], z[i + 1 : d]
        for j in range(tail.shape[0]):
            rest[j] -= p * tail[j]
    return total


@kernel
def _pivot(row: Floats, i: int, p: float, a: float) -> tuple[float, float]:
    """Move D_i for the pivot p at scale a; returns the multiplier β and the next scale."""
    old = row[i]
    new = old + a * p * p
    row[i] = new
    return a * p / new, a * old / new


@kernel
def absorb(factor: Floats, z: Floats, gain: Floats) -> float:
    """Add the bordered row z = (x, y) to the factorisation; z is overwritten.

    `gain` receives D⁻¹L⁻¹x of the new factor, so that A⁻¹x is one back-substitution away. Returns
    xᵀA⁻¹x with the new A, which lies in [0, 1).
    """
    d, n = gain.shape[0], z.shape[0]
    a = 1.0
    start = d - d % 4
    for group in range(start // 4):
        i = 4 * group
        f0, f1, f2, f3 = factor[i], factor[i + 1], factor[i + 2], factor[i + 3]
        p0 = z[i]
        b0, a = _pivot(f0, i, p0, a)
        p1 = z[i + 1] - p0 * f0[i + 1]
        f0[i + 1] += b0 * p1
        b1, a = _pivot(f1, i + 1, p1, a)
        p2 = z[i + 2] - p0 * f0[i + 2]
        f0[i + 2] += b0 * p2
        p2 -= p1 * f1[i + 2]
        f1[i + 2] += b1 * p2
        b2, a = _pivot(f2, i + 2, p2, a)
        p3 = z[i + 3] - p0 * f0[i + 3]
        f0[i + 3] += b0 * p3
        p3 -= p1 * f1[i + 3]
        f1[i + 3] += b1 * p3
        p3 -= p2 * f2[i + 3]
        f2[i + 3] += b2 * p3
        b3, a = _pivot(f3, i + 3, p3, a)
        gain[i], gain[i + 1], gain[i + 2], gain[i + 3] = b0, b1, b2, b3
        e0, e1, e2, e3, rest = f0[i + 4 : n], f1[i + 4 : n], f2[i + 4 : n], f3[i + 4 : n], z[i + 4 : n]
        for j in range(rest.shape[0]):
            l0, l1, l2, l3 = e0[j], e1[j], e2[j], e3[j]
            t = rest[j] - p0 * l0
            e0[j] = l0 + b0 * t
            t -= p1 * l1
            e1[j] = l1 + b1 * t
            t -= p2 * l2
            e2[j] = l2 + b2 * t
            t -= p3 * l3
            e3[j] = l3 + b3 * t
            rest[j] = t
    for i in range(start, d):
        p, row = z[i], factor[i]
        beta, a = _pivot(row, i, p, a)
        gain[i] = beta
        for j in range(i + 1, n):
            z[j] -= p * row[j]
            row[j] += beta * z[j]
    return 1.0 - a


@kernel
def back_substitute(factor: Floats, w: Floats, d: int) -> None:
    """Overwrite w by L⁻ᵀw, four rows per sweep."""
    i = d
    while i >= 4:
        i -= 4
        r0, r1, r2, r3 = (
            factor[i, i + 4 : d],
            factor[i + 1, i + 4 : d],
            factor[i + 2, i + 4 : d],
            factor[i + 3, i + 4 : d],
        )
        known = w[i + 4 : d]
        n = known.shape[0]
        whole = n // 4
        a0, a1, a2, a3, b0, b1, b2, b3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        c0, c1, c2, c3, e0, e1, e2, e3 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(whole):
            j = 4 * k
            v0, v1, v2, v3 = known[j], known[j + 1], known[j + 2], known[j + 3]
            a0 += r0[j] * v0
            a1 += r0[j + 1] * v1
            a2 += r0[j + 2] * v2
            a3 += r0[j + 3] * v3
            b0 += r1[j] * v0
            b1 += r1[j + 1] * v1
            b2 += r1[j + 2] * v2
            b3 += r1[j + 3] * v3
            c0 += r2[j] * v0
            c1 += r2[j + 1] * v1
            c2 += r2[j + 2] * v2
            c3 += r2[j + 3] * v3
            e0 += r3[j] * v0
            e1 += r3[j + 1] * v1
            e2 += r3[j + 2] * v2
            e3 += r3[j + 3] * v3
        for j in range(4 * whole, n):
            v0 = known[j]
            a0 += r0[j] * v0
            b0 += r1[j] * v0
            c0 += r2[j] * v0
            e0 += r3[j] * v0
        w3 = w[i + 3] - ((e0 + e1) + (e2 + e3))
        w2 = w[i + 2] - ((c0 + c1) + (c2 + c3)) - factor[i + 2, i + 3] * w3
        w1 = w[i + 1] - ((b0 + b1) + (b2 + b3)) - factor[i + 1, i + 3] * w3 - factor[i + 1, i + 2] * w2
        w0 = w[i] - ((a0 + a1) + (a2 + a3)) - factor[i, i + 3] * w3 - factor[i, i + 2] * w2
        w[i], w[i + 1], w[i + 2], w[i + 3] = w0 - factor[i, i + 1] * w1, w1, w2, w3
    for row in range(i - 1, -1, -1):
        total = 0.0
        for j in range(row + 1, d):
            total += factor[row, j] * w[j]
        w[row] -= total
