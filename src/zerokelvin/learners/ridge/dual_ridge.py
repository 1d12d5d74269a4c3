"""Ridge regression on a kernel, online: the second-order perceptron in dual variables.

Over the trials learnt, with Gram matrix G and labels y (Cesa-Bianchi, Conconi, Gentile 2005, Theorem 3.3),

    linear score    Σ α_t K(x_t, x),  α = (aI + G)⁻¹y
    forward score   linear score · a / (a + s),  s = K(x, x) − k_xᵀ(aI + G)⁻¹k_x

The Cholesky factor of aI + G grows by one row per learnt trial: O(k²) for the k-th. The variance is
r_t = s / (a + s), the same as in coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.asking.variance import variance_floors
from zerokelvin.learners.base import sign
from zerokelvin.learners.base.ties import settled_dot
from zerokelvin.learners.ridge.instances import KernelPoints
from zerokelvin.learners.ridge.trial_log import LoggedState

__all__ = ["DualRidgeState", "GrowingCholesky"]

Floats = NDArray[np.float64]


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
        """The factor as it is now."""
        return self._store[: self.size, : self.size]

    def half_solve(self, column: Floats) -> Floats:
        """L⁻¹ times a column, L the lower factor, by forward substitution."""
        if self.size == 0:
            return np.zeros(0)
        solution: Floats = scipy.linalg.solve_triangular(self.lower, column, lower=True, check_finite=False)
        return solution

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
        row = self.half_solve(column)
        k = self.size
        if k == len(self._store):
            grown = np.zeros((2 * k, 2 * k))
            grown[:k, :k] = self._store
            self._store = grown
        self._store[k, :k] = row
        rest = diagonal - float(row @ row)
        self._store[k, k] = math.sqrt(max(rest, 1e-16 * diagonal))
        self.size = k + 1

    def set(self, lower: Floats) -> None:
        """Replace the factor by a lower triangular matrix, as a snapshot holds it."""
        self.size = len(lower)
        self._store = np.zeros((max(8, self.size), max(8, self.size)))
        self._store[: self.size, : self.size] = lower


class DualRidgeState(LoggedState):
    """One binary problem in dual variables; the parameters are those of `RidgeState`."""

    fields: ClassVar[tuple[str, ...]] = ("points", "labels", "lower", "duals", *LoggedState.log)

    def __init__(
        self,
        source: KernelPoints,
        a: float,
        every_round: bool = False,
        kappa: float | None = None,
        forward_score: bool = False,
    ) -> None:
        super().__init__()
        self.source = source
        self.a = a
        self.every_round = every_round
        self.kappa = kappa
        self.forward_score = forward_score
        self.factor = GrowingCholesky()
        self._points = np.zeros((8, source.width))
        self.labels = np.zeros(0)
        self.duals = np.zeros(0)

    @property
    def points(self) -> Floats:
        """The points learnt, one row each."""
        return self._points[: self.factor.size]

    def margin(self, node: Any) -> float:
        """The linear or forward score of a node index or a new vector."""
        if not self.factor.size:
            return 0.0
        point = self.source.point(node)
        cross = self.source.cross(self.points, point)
        score = float(settled_dot(cross, self.duals))
        return score * self.a / (self.a + self._rest(point, cross)) if self.forward_score else score

    def variance(self, node: Any) -> float:
        """r_t = s / (a + s)."""
        point = self.source.point(node)
        rest = self._rest(point, self.source.cross(self.points, point))
        return rest / (self.a + rest)

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether r_t > t^−κ; always, without a κ."""
        if self.kappa is None:
            return True
        number = self.trials if trial is None else trial
        return self.variance(node) > float(variance_floors(self.kappa, np.array([number]))[0])

    def update(self, node: Any, label: int) -> None:
        """Learn the point if it was predicted wrong (or in every round); K(x, x) = 0 changes nothing."""
        point = self.source.point(node)
        norm = self.source.norm(point)
        cross = self.source.cross(self.points, point)
        wrong = sign(float(settled_dot(cross, self.duals))) != label
        learnt = bool((self.every_round or wrong) and norm > 0)
        if learnt:
            if self.factor.size == len(self._points):
                self._points = np.vstack([self._points, np.zeros_like(self._points)])
            self._points[self.factor.size] = point
            self.factor.append(cross, self.a + norm)
            self.labels = np.append(self.labels, float(label))
            self.duals = self.factor.back_solve(self.factor.half_solve(self.labels))
        self.note(node, label, learnt)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share α_t K(x_t, x) of the score."""
        point = self.source.point(node)
        cross = self.source.cross(self.points, point)
        scale = self.a / (self.a + self._rest(point, cross)) if self.forward_score else 1.0
        return self.explain_from(cross, scale * self.duals)

    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""
        innovations = self.factor.half_solve(self.labels) * np.diag(self.factor.lower)
        return np.asarray(innovations**2)

    def log_determinant(self) -> float:
        """The value ln det(I + G/a) = Σ ln(1 + λ_i/a) with λ_i the eigenvalues of the Gram matrix G."""
        return float((2 * np.log(np.diag(self.factor.lower)) - math.log(self.a)).sum())

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of everything that `update` changes, as arrays."""
        arrays = {name: np.array(getattr(self, name)) for name in LoggedState.log}
        own = {"points": self.points, "labels": self.labels, "lower": self.factor.lower, "duals": self.duals}
        return arrays | {name: array.copy() for name, array in own.items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh state to where `snapshot` was taken."""
        for name in LoggedState.log:
            setattr(self, name, arrays[name].tolist())
        self.labels, self.duals = arrays["labels"].copy(), arrays["duals"].copy()
        self.factor.set(arrays["lower"])
        self._points = np.zeros((max(8, len(arrays["points"])), self.source.width))
        self._points[: len(arrays["points"])] = arrays["points"]

    def _rest(self, point: Floats, cross: Floats) -> float:
        """s, what the learnt points leave unexplained of K(x, x)."""
        half = self.factor.half_solve(cross)
        return max(self.source.norm(point) - float(half @ half), 0.0)
