"""Solving (aI + C)w = v while both the shift a and the matrix C = Σ x xᵀ grow.

The second-order perceptron with increasing parameter changes a at every update, which is no low-rank
change, and its authors knew no update cheaper than a fresh factorisation, O(d³) (Cesa-Bianchi, Conconi,
Gentile 2005, section 4.1). Here the factor of a₀I + C is kept at an old shift a₀ ≤ a and moved by rank-one
updates, O(d²). As a preconditioner it leaves a matrix with eigenvalues (a + λ)/(a₀ + λ) in [1, a/a₀], so
conjugate gradients gain at every step a factor (√q − 1)/(√q + 1) with q = a/a₀: 0.056 for q = 1.25. The
factor is computed afresh when a/a₀ passes `RATIO`. Because a_k grows linearly in k, that happens
log m / log RATIO times in m updates: O(d²) per update and O(d³ log m) in all.

`PrimalShifted` takes vectors, `DualShifted` the rows of a growing Gram matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.linalg.ldl import absorb, empty_factor

__all__ = ["RATIO", "DualShifted", "PrimalShifted", "Shifted"]

Floats = NDArray[np.float64]

RATIO = 1.25
TOLERANCE = 1e-14


class Shifted(ABC):
    """A growing matrix C with a preconditioner at an old shift."""

    def __init__(self) -> None:
        self.base = 0.0
        self.factorisations = 0
        self.iterations = 0

    @abstractmethod
    def multiply(self, vector: Floats) -> Floats:
        """The product C·vector."""

    @abstractmethod
    def precondition(self, vector: Floats) -> Floats:
        """The solution at the old shift, (a₀I + C)⁻¹·vector."""

    @abstractmethod
    def refactor(self, shift: float) -> None:
        """Compute the preconditioner afresh at this shift."""

    def solve(self, shift: float, right: Floats, guess: Floats | None = None) -> Floats:
        """(shift·I + C)⁻¹ right, by conjugate gradients to the last digits."""
        if not RATIO * self.base >= shift >= self.base > 0:
            self.refactor(shift)
            self.base = shift
            self.factorisations += 1
        if self.base == shift:
            return self.precondition(right)
        x = self.precondition(right) if guess is None else guess.copy()
        residual = right - shift * x - self.multiply(x)
        z = self.precondition(residual)
        direction, energy = z, float(residual @ z)
        target = TOLERANCE * float(np.linalg.norm(right))
        for _ in range(50):
            if float(np.linalg.norm(residual)) <= target or energy <= 0:
                break
            image = shift * direction + self.multiply(direction)
            step = energy / float(direction @ image)
            x = x + step * direction
            residual = residual - step * image
            z = self.precondition(residual)
            previous, energy = energy, float(residual @ z)
            direction = z + (energy / previous) * direction
            self.iterations += 1
        return x


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
        """Add x xᵀ to C and to the preconditioner."""
        self.matrix += np.outer(x, x)
        if self.base > 0:
            absorb(self.factor, x.copy(), np.empty(len(x)))

    def multiply(self, vector: Floats) -> Floats:
        """The product C·vector."""
        return self.matrix @ vector

    def precondition(self, vector: Floats) -> Floats:
        """Two triangular solves."""
        half = scipy.linalg.solve_triangular(
            self.factor, vector, trans="T", unit_diagonal=True, check_finite=False
        )
        half /= np.diag(self.factor)
        solution: Floats = scipy.linalg.solve_triangular(
            self.factor, half, unit_diagonal=True, check_finite=False
        )
        return solution

    def refactor(self, shift: float) -> None:
        """A Cholesky factor of shift·I + C, rescaled to unit diagonal."""
        upper = scipy.linalg.cholesky(self.matrix + shift * np.eye(len(self.matrix)), check_finite=False)
        diagonal = np.diag(upper).copy()
        self.factor = np.ascontiguousarray(upper / diagonal[:, None])
        np.fill_diagonal(self.factor, diagonal**2)


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
        self._lower = np.zeros((8, 8))

    @property
    def gram(self) -> Floats:
        """The Gram matrix as it is now."""
        return self._gram[: self.size, : self.size]

    @property
    def lower(self) -> Floats:
        """Its Cholesky factor at the old shift."""
        return self._lower[: self.size, : self.size]

    def add(self, cross: Floats, norm: float) -> None:
        """Border C with a point's kernel values and its norm; the preconditioner gains a row."""
        k = self.size
        if k == len(self._gram):
            for name in ("_gram", "_lower"):
                grown = np.zeros((2 * k, 2 * k))
                grown[:k, :k] = getattr(self, name)
                setattr(self, name, grown)
        self._gram[k, :k] = self._gram[:k, k] = cross
        self._gram[k, k] = norm
        if self.base > 0:
            row = (
                scipy.linalg.solve_triangular(self.lower, cross, lower=True, check_finite=False)
                if k
                else np.zeros(0)
            )
            self._lower[k, :k] = row
            self._lower[k, k] = np.sqrt(max(self.base + norm - float(row @ row), 0.5 * self.base))
        self.size = k + 1

    def multiply(self, vector: Floats) -> Floats:
        """The product C·vector."""
        return self.gram @ vector

    def precondition(self, vector: Floats) -> Floats:
        """Two triangular solves."""
        if self.size == 0:
            return vector.copy()
        solution: Floats = scipy.linalg.cho_solve((self.lower, True), vector, check_finite=False)
        return solution

    def refactor(self, shift: float) -> None:
        """A Cholesky factor of shift·I + C."""
        if self.size:
            shifted = self.gram + shift * np.eye(self.size)
            self._lower[: self.size, : self.size] = scipy.linalg.cholesky(
                shifted, lower=True, check_finite=False
            )
