"""The second-order perceptron with increasing parameter a_k = c·R²·k (Cesa-Bianchi et al. 2005, Fig. 4.1).

With k − 1 mistakes so far, predict with a = a_k: sign of vᵀ(a_k I + Σ x xᵀ)⁻¹x, the current x inside the
sum (forward score) or not (linear score); both have the same sign. The systems are solved by
`zerokelvin.least_squares.shifted` at O(d²) per update, without a fresh factorisation.

Theorem 4.1, with λ_i the eigenvalues of Σ x xᵀ over the m mistakes, a_m = c R² m and ‖x_t‖ ≤ R:

    m ≤ inf_γ min_u D_γ(u)/γ + √((a_m + λ_u)(B(c, m) + Σ ln(1 + λ_i/a_m))) / γ,
    B(c, m) = (1/c) ln((m + 1/c)/(1 + 1/c)).
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.learners.base import sign
from zerokelvin.learners.base.ties import settled_dot
from zerokelvin.learners.ridge.comparators import best_margin, compare, largest_norm, largest_tie, log_terms
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.trial_log import LoggedState
from zerokelvin.least_squares.shifted import DualShifted, PrimalShifted

__all__ = ["IncreasingState"]


class IncreasingState(LoggedState):
    """One binary problem, in coordinates or on a kernel; restored by replaying its labels."""

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self, source: Coordinates | KernelPoints, c: float, radius: float, forward_score: bool
    ) -> None:
        super().__init__()
        self.source = source
        self.c = c
        self.radius = radius
        self.forward_score = forward_score
        self.primal = PrimalShifted(source.dimension) if isinstance(source, Coordinates) else None
        self.dual = DualShifted()
        self.points = np.zeros((0, 0 if isinstance(source, Coordinates) else source.width))
        self.right = np.zeros(source.dimension if isinstance(source, Coordinates) else 0)  # v, or labels
        self.weights = self.right.copy()  # w, or the dual variables
        self.count = 0
        self._system.solve(self.a, self.right)  # the first factor, so that predicting changes nothing

    @property
    def a(self) -> float:
        """The parameter a_k of the next prediction."""
        return self.c * self.radius**2 * (self.count + 1)

    def margin(self, node: Any) -> float:
        """The linear or forward score of a node index or a new vector."""
        if not self.count:
            return 0.0
        sight = self._sight(node)
        score = float(settled_dot(sight, self.weights))
        return score / (1.0 + self._form(node, sight)) if self.forward_score else score

    def variance(self, node: Any) -> float:
        """r_t = r / (1 + r) at the present parameter."""
        r = self._form(node, self._sight(node))
        return r / (1.0 + r)

    def update(self, node: Any, label: int) -> None:
        """Learn x if it was predicted wrong, and raise a; x = 0 changes nothing."""
        sight = self._sight(node)
        wrong = sign(float(settled_dot(sight, self.weights))) != label
        norm = self._norm(node)
        learnt = wrong and norm > 0
        if learnt:
            if self.primal is not None:
                self.primal.add(sight)
                self.right = self.right + label * sight
            else:
                self.dual.add(sight, norm)
                self.points = np.vstack([self.points, self._point(node)])
                self.right = np.append(self.right, float(label))
                self.weights = np.append(self.weights, 0.0)
            self.count += 1
            self.weights = self._system.solve(self.a, self.right, self.weights)
        self.note(node, label, learnt)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share of the score."""
        sight = self._sight(node)
        scale = 1.0 / (1.0 + self._form(node, sight)) if self.forward_score else 1.0
        if self.primal is None:
            return self.explain_from(sight, scale * self.weights)
        learnt = np.array(self.seen_learnt, dtype=np.bool_)
        rows = self.seen_points(self.source)[learnt]
        duals = (np.array(self.seen_labels, dtype=np.float64)[learnt] - rows @ self.weights) / self.a
        return self.explain_from(rows @ sight, scale * duals)

    def bound(self, labels: Ints) -> Bound:
        """Theorem 4.1 against the best of several fitted comparators."""
        view = compare(self, self.source, labels)
        m = self.count
        if m == 0:
            value, gamma, logs, extra = (
                best_margin(view.scores, np.zeros(view.scores.shape[1]))[0],
                0.0,
                0.0,
                0.0,
            )
        else:
            last = self.c * self.radius**2 * m
            logs = log_terms(view.rows[view.learnt], last)
            extra = math.log((m + 1 / self.c) / (1 + 1 / self.c)) / self.c
            ties = 2.0 * m * largest_tie(1.0 / self.c)  # ‖w‖² ≤ k/a_k = 1/(cR²) after k mistakes
            spectral = np.sqrt((last + view.spread) * (extra + logs + ties))
            value, gamma, _ = best_margin(view.scores, spectral)
        reach = largest_norm(self.source, self.seen_points(self.source))
        short = Assumption("no instance is longer than the radius R", reach <= self.radius**2 * (1 + 1e-12))
        terms = {"a_m": self.c * self.radius**2 * m, "B(c, m)": extra, "Σ ln(1 + λ_i/a_m)": logs, "γ": gamma}
        return Bound(value, "Theorem 4.1, Cesa-Bianchi, Conconi, Gentile 2005", terms, (short,))

    @property
    def _system(self) -> PrimalShifted | DualShifted:
        return self.dual if self.primal is None else self.primal

    def _point(self, node: Any) -> Floats:
        return self.source.vector(node) if isinstance(self.source, Coordinates) else self.source.point(node)

    def _sight(self, node: Any) -> Floats:
        """What weights are applied to: the vector, or its kernel values with the learnt points."""
        if isinstance(self.source, Coordinates):
            return self.source.vector(node)
        return self.source.cross(self.points, self.source.point(node)) if self.count else np.zeros(0)

    def _norm(self, node: Any) -> float:
        return self._norm_of(self._point(node))

    def _norm_of(self, point: Floats) -> float:
        return float(point @ point) if isinstance(self.source, Coordinates) else self.source.norm(point)

    def _form(self, node: Any, sight: Floats) -> float:
        """The form r = xᵀ(a_k I + Σ x xᵀ)⁻¹x."""
        if self.primal is not None:
            return float(sight @ self.primal.solve(self.a, sight))
        rest = self._norm(node) - (float(sight @ self.dual.solve(self.a, sight)) if self.count else 0.0)
        return max(rest, 0.0) / self.a
