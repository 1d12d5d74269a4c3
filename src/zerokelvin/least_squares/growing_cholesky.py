"""The Cholesky factor of a matrix that gains rows, and solves with it for one column or for many.

With M = L Lᵀ, bordering M by a column c and a diagonal entry d adds the row

    l = L⁻¹c,   √(d − l·l)

to L. What a regression on a kernel asks about a point x is a half solve too, w = L⁻¹k_x: its mean is w·z with
z = L⁻¹y, its variance K(x, x) − w·w. A half solve for k rows reads k²/2 numbers for as many multiplications;
a block of points reads them once for all, `PANEL` rows at a time.

Every entry is summed from the first row to the last, one product after the other, for one point as in a
block: both give the same bits, and so does a row that is bordered to a block later on.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel

__all__ = ["GrowingCholesky", "HalfSolved", "dot_in_order", "products_with"]


PANEL = 32
"""Rows that a block works with at a time; with 128 points they fit the innermost cache."""


class HalfSolved(NamedTuple):
    """The half solves w = L⁻¹c of several points, as columns, and their products w·z and w·w."""

    half: Floats
    scores: Floats
    squares: Floats


class GrowingCholesky:
    """The lower Cholesky factor of a symmetric positive definite matrix that gains rows.

    >>> factor = GrowingCholesky()
    >>> factor.append(np.zeros(0), 4.0)
    >>> factor.append(np.array([2.0]), 5.0)
    >>> factor.lower.tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """

    def __init__(self) -> None:
        self.size = 0
        self._store = np.zeros((8, 8))

    @property
    def lower(self) -> Floats:
        """The lower factor of the rows added so far, (size, size); a view."""
        return self._store[: self.size, : self.size]

    def half_solve(self, column: Floats) -> Floats:
        """L⁻¹ times a column, L the lower factor, by forward substitution."""
        half = np.array(column, dtype=np.float64)
        _forward(self._store, self.size, half)
        return half

    def half_solve_block(self, columns: Floats) -> None:
        """Overwrite several columns by L⁻¹ times them: each as `half_solve` gives it, to the last bit.

        `columns` has `size` rows, or more, which are left alone.
        """
        _forward_block(self._store, self.size, columns)

    def back_solve(self, column: Floats) -> Floats:
        """L⁻ᵀ times a column, L the lower factor, by backward substitution."""
        if self.size == 0:
            return np.zeros(0)
        solution: Floats = scipy.linalg.solve_triangular(
            self.lower, column, lower=True, trans="T", check_finite=False
        )
        return solution

    def append(self, column: Floats, diagonal: float) -> None:
        """Border the matrix with a column and a diagonal entry."""
        self.append_row(self.half_solve(column), diagonal)

    def append_row(self, row: Floats, diagonal: float) -> None:
        """The same, where the half solve of the column is known."""
        k = self.size
        if k == len(self._store):
            grown = np.zeros((2 * k, 2 * k))
            grown[:k, :k] = self._store
            self._store = grown
        self._store[k, :k] = row
        rest = diagonal - dot_in_order(row, row)
        self._store[k, k] = math.sqrt(max(rest, 1e-16 * diagonal))
        self.size = k + 1

    def last_of(self, value: float, before: Floats) -> float:
        """The last entry of L⁻¹ times a column that ends with `value`, where those before are known."""
        k = self.size - 1
        return float(_last(self._store, k, value, before))

    def border(self, half: Floats, first: int) -> None:
        """Half solve the last row of a block, in which the rows before are done, from column `first` on."""
        _border(self._store, self.size - 1, half, first)

    def set(self, lower: Floats) -> None:
        """Replace the factor by a lower triangular matrix, as a snapshot holds it."""
        self.size = len(lower)
        self._store = np.zeros((max(8, self.size), max(8, self.size)))
        self._store[: self.size, : self.size] = lower


def products_with(half: Floats, z: Floats) -> HalfSolved:
    """The half solves of several points, whose first rows belong to z, with their products."""
    scores, squares = np.zeros(half.shape[1]), np.zeros(half.shape[1])
    _products(half, z, scores, squares)
    return HalfSolved(half, scores, squares)


@kernel
def dot_in_order(a: Any, b: Any) -> float:
    """The inner product, summed from the first entry to the last.

    >>> dot_in_order(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    total = 0.0
    for i in range(len(a)):
        total += a[i] * b[i]
    return total


@kernel
def _last(store: Any, k: int, value: float, before: Any) -> float:
    """(value − Σ_j L_kj before_j) / L_kk, subtracted in order."""
    for j in range(k):
        value -= store[k, j] * before[j]
    return value / store[k, k]


@kernel
def _forward(store: Any, size: int, half: Any) -> None:
    """Overwrite a column by L⁻¹ times it; eight rows side by side, each of them in order."""
    whole = size - size % 8
    for i in range(0, whole, 8):
        r0, r1, r2, r3 = store[i], store[i + 1], store[i + 2], store[i + 3]
        r4, r5, r6, r7 = store[i + 4], store[i + 5], store[i + 6], store[i + 7]
        s0, s1, s2, s3 = half[i], half[i + 1], half[i + 2], half[i + 3]
        s4, s5, s6, s7 = half[i + 4], half[i + 5], half[i + 6], half[i + 7]
        for j in range(i):
            known = half[j]
            s0 -= r0[j] * known
            s1 -= r1[j] * known
            s2 -= r2[j] * known
            s3 -= r3[j] * known
            s4 -= r4[j] * known
            s5 -= r5[j] * known
            s6 -= r6[j] * known
            s7 -= r7[j] * known
        half[i], half[i + 1], half[i + 2], half[i + 3] = s0, s1, s2, s3
        half[i + 4], half[i + 5], half[i + 6], half[i + 7] = s4, s5, s6, s7
        for k in range(i, i + 8):
            total = half[k]
            for j in range(i, k):
                total -= store[k, j] * half[j]
            half[k] = total / store[k, k]
    for k in range(whole, size):
        half[k] = _last(store, k, half[k], half)


@kernel
def _forward_block(store: Any, size: int, half: Any) -> None:
    """`_forward` for several columns: `PANEL` rows are finished, then taken out of all rows below."""
    width = half.shape[1]
    for start in range(0, size, PANEL):
        stop = min(start + PANEL, size)
        for i in range(start, stop):
            row, pivot = half[i], store[i, i]
            for k in range(start, i):
                factor, known = store[i, k], half[k]
                for c in range(width):
                    row[c] -= factor * known[c]
            for c in range(width):
                row[c] /= pivot
        for i in range(stop, size - 1, 2):  # only below a whole panel
            _take_out(store[i], store[i + 1], half, start, half[i], half[i + 1])
        if (size - stop) & 1:
            for k in range(start, stop):
                factor, known, row = store[size - 1, k], half[k], half[size - 1]
                for c in range(width):
                    row[c] -= factor * known[c]


@kernel
def _take_out(left: Any, right: Any, half: Any, start: int, first: Any, second: Any) -> None:
    """Take a whole panel out of two rows, one product after the other."""
    for k in range(start, start + PANEL, 4):
        f0, f1, f2, f3 = left[k], left[k + 1], left[k + 2], left[k + 3]
        s0, s1, s2, s3 = right[k], right[k + 1], right[k + 2], right[k + 3]
        p0, p1, p2, p3 = half[k], half[k + 1], half[k + 2], half[k + 3]
        for c in range(len(first)):
            first[c] = (((first[c] - f0 * p0[c]) - f1 * p1[c]) - f2 * p2[c]) - f3 * p3[c]
            second[c] = (((second[c] - s0 * p0[c]) - s1 * p1[c]) - s2 * p2[c]) - s3 * p3[c]


@kernel
def _border(store: Any, k: int, half: Any, first: int) -> None:
    """Overwrite row k of a block by what `_forward_block` makes of it, from one column on."""
    last, width = half[k], half.shape[1]
    for j in range(k):
        factor, known = store[k, j], half[j]
        for c in range(first, width):
            last[c] -= factor * known[c]
    for c in range(first, width):
        last[c] /= store[k, k]


@kernel
def _products(half: Any, z: Any, scores: Any, squares: Any) -> None:
    """Add w·z and w·w of every column, from the first row to the last that z has."""
    for k in range(len(z)):
        row, target = half[k], z[k]
        for c in range(len(scores)):
            scores[c] += row[c] * target
            squares[c] += row[c] * row[c]
