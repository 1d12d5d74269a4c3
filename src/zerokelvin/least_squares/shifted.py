"""Solving (aI + C)w = v while both the shift a and the matrix C = Σ x xᵀ grow.

The second-order perceptron with increasing parameter changes a at every update, which is no low-rank
change, and its authors knew no update cheaper than a fresh factorisation, O(d³) (Cesa-Bianchi, Conconi,
Gentile 2005, section 4.1). Here the factor of M = a₀I + C is kept at an old shift a₀ ≤ a and moved by
rank-one updates, O(d²). With δ = a − a₀ the system is

    (I + δM⁻¹) w = M⁻¹v,     eigenvalues 1 + δ/(a₀ + λ) in [1, a/a₀],

so conjugate gradients, at one pair of triangular solves per step, gain at every step a factor
(√q − 1)/(√q + 1) with q = a/a₀: 0.056 for q = 1.25. The factor is computed afresh when q passes `RATIO`.
Because a_k grows linearly in k, that happens log m / log RATIO times in m updates: O(d²) per update and
O(d³ log m) in all.

`PrimalShifted` takes vectors, `DualShifted` the rows of a growing Gram matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.least_squares.ldl import absorb, back_substitute, dot, empty_factor, forward

__all__ = ["RATIO", "DualShifted", "PrimalShifted", "Shifted"]


RATIO = 1.25
TOLERANCE = 1e-14
MAX_STEPS = 50


class Shifted(ABC):
    """A growing matrix C with its factor at an old shift."""

    def __init__(self) -> None:
        self.base = 0.0
        self.factorisations = 0

    @abstractmethod
    def refactor(self, shift: float) -> None:
        """Compute the factor of shift·I + C afresh, after which `solve` at this shift is direct."""

    @abstractmethod
    def solve_at(self, gap: float, right: Floats, guess: Floats) -> Floats:
        """The solution at the shift base + gap, from a guess."""

    def solve(self, shift: float, right: Floats, guess: Floats | None = None) -> Floats:
        """The solution of (shift·I + C) x = right, (size,), to the last digits."""
        if not RATIO * self.base >= shift >= self.base > 0:
            self.refactor(shift)
            self.base = shift
            self.factorisations += 1
        start = np.zeros(len(right)) if guess is None else guess
        return self.solve_at(shift - self.base, right, start)


class PrimalShifted(Shifted):
    """C = Σ x xᵀ over vectors of fixed length.

    >>> system = PrimalShifted(2)
    >>> system.add(np.array([1.0, 0.0]))
    >>> system.solve(1.0, np.array([1.0, 1.0])).round(12).tolist()
    [0.5, 1.0]
    >>> system.solve(1.2, np.array([1.1, 1.2])).round(12).tolist()
    [0.5, 1.0]
    >>> system.factorisations
    1
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.matrix = np.zeros((dimension, dimension))
        self.factor = empty_factor(dimension, 1.0, 0)

    def add(self, x: Floats) -> None:
        """Add x xᵀ of one point x to C, and to the factor."""
        self.matrix += x[:, None] * x
        if self.base > 0:
            absorb(self.factor, x.copy(), np.empty(len(x)))

    def refactor(self, shift: float) -> None:
        """A Cholesky factor of shift·I + C, rescaled to unit diagonal."""
        upper = scipy.linalg.cholesky(self.matrix + shift * np.eye(len(self.matrix)), check_finite=False)
        diagonal = np.diag(upper).copy()
        self.factor = np.ascontiguousarray(upper / diagonal[:, None])
        np.fill_diagonal(self.factor, diagonal**2)

    def solve_at(self, gap: float, right: Floats, guess: Floats) -> Floats:
        """Solve with the shift changed by `gap`, from a guess, by preconditioned conjugate gradients."""
        return _conjugate_gradients(self.factor, gap, right, guess.copy())


class DualShifted(Shifted):
    """C = the Gram matrix of a growing list of points.

    >>> system = DualShifted()
    >>> system.add(np.zeros(0), 1.0)
    >>> system.add(np.array([1.0]), 1.0)
    >>> system.solve(1.0, np.array([3.0, 3.0])).round(12).tolist()
    [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__()
        self.size = 0
        self._gram = np.zeros((8, 8))
        self._factor = np.zeros((8, 8))  # as in `least_squares.ldl`: D on the diagonal, columns of L as rows

    @property
    def gram(self) -> Floats:
        """The Gram matrix of the points so far, (size, size); a view."""
        return self._gram[: self.size, : self.size]

    def add(self, cross: Floats, norm: float) -> None:
        """Border C with a point's kernel values and its norm; the factor gains a column."""
        k = self.size
        if k == len(self._gram):
            for name in ("_gram", "_factor"):
                grown = np.zeros((2 * k, 2 * k))
                grown[:k, :k] = getattr(self, name)
                setattr(self, name, grown)
        self._gram[k, :k] = self._gram[:k, k] = cross
        self._gram[k, k] = norm
        if self.base > 0:
            half = cross.copy()
            form = float(forward(self._factor[:k, :k], half, k))
            self._factor[:k, k] = half / np.diag(self._factor)[:k]
            self._factor[k, k] = max(self.base + norm - form, 0.5 * self.base)
        self.size = k + 1

    def refactor(self, shift: float) -> None:
        """A Cholesky factor of shift·I + C, rescaled to unit diagonal."""
        if self.size:
            upper = scipy.linalg.cholesky(self.gram + shift * np.eye(self.size), check_finite=False)
            diagonal = np.diag(upper)
            square = self._factor[: self.size, : self.size]
            square[:] = upper / diagonal[:, None]
            np.fill_diagonal(square, diagonal**2)

    def solve_at(self, gap: float, right: Floats, guess: Floats) -> Floats:
        """Solve with the shift changed by `gap`, from a guess, by preconditioned conjugate gradients."""
        factor = np.ascontiguousarray(self._factor[: self.size, : self.size])
        return _conjugate_gradients(factor, gap, right, guess.copy())


@kernel
def _apply_inverse(factor: Floats, vector: Floats, result: Floats) -> None:
    """Set result = (L D Lᵀ)⁻¹ vector, from a factor as `least_squares.ldl` keeps it."""
    d = vector.shape[0]
    result[:] = vector
    forward(factor, result, d)
    for i in range(d):
        result[i] /= factor[i, i]
    back_substitute(factor, result, d)


@kernel
def _conjugate_gradients(factor: Floats, gap: float, right: Floats, x: Floats) -> Floats:
    """Solve (I + gap·M⁻¹) x = M⁻¹ right from the guess x, M = L D Lᵀ."""
    d = right.shape[0]
    target = np.full(d, np.nan)
    _apply_inverse(factor, right, target)
    if gap == 0.0:
        return target
    image = np.empty(d)
    _apply_inverse(factor, x, image)
    residual = target - x - gap * image
    direction = residual.copy()
    energy = dot(residual, residual)
    stop = TOLERANCE * TOLERANCE * dot(target, target)
    for _ in range(MAX_STEPS):
        if energy <= stop:
            break
        _apply_inverse(factor, direction, image)
        for i in range(d):
            image[i] = direction[i] + gap * image[i]
        step = energy / dot(direction, image)
        for i in range(d):
            x[i] += step * direction[i]
            residual[i] -= step * image[i]
        previous = energy
        energy = dot(residual, residual)
        for i in range(d):
            direction[i] = residual[i] + energy / previous * direction[i]
    return x
