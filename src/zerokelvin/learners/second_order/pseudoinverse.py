"""The second-order perceptron with pseudo-inverse (Cesa-Bianchi et al. 2005, Fig. 4.2), incrementally.

Predict sign(vᵀ(S Sᵀ)⁺x), S the learnt instances with the current x (forward score) or without it (linear).
Greville's method splits a new instance into its part z inside the span of the learnt ones and the length ρ
of what lies outside. Here the span has an orthonormal basis (vectors: Gram–Schmidt done twice; kernels: the
Cholesky factor of an independent subset), so that in its coordinates Σ x xᵀ is an ordinary positive
definite matrix of order r, which grows by a row when ρ > 0 and otherwise gets a rank-one update.

The rank decision: x is outside if ρ > τ‖x‖, with τ = 1e-10 for vectors, where twice-orthogonalised residuals
are exact to rounding, and τ = 1e-6 for kernels, where ρ² is a difference of kernel values.

For x outside the span the forward score is 0, so +1 is predicted; the linear score is not, so, against the
paper's remark in section 3, the two versions differ here (docs/theory/errata.md). Theorem 4.2 holds for both:

    m ≤ inf_γ min_u D_γ(u)/γ + √(λ_u (r + ½ r(r+1) ln(1 + 2R²m/(λ* r(r+1))))) / γ,

λ* the least positive eigenvalue met in the run: within one rank eigenvalues only grow, so only the matrices
right after a growth of the rank need be looked at.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.learners.base import sign
from zerokelvin.learners.base.ties import DEAD_ZONE, settled_dot
from zerokelvin.learners.ridge.comparators import best_margin, compare
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.trial_log import LoggedState
from zerokelvin.least_squares.growing_cholesky import GrowingCholesky
from zerokelvin.least_squares.ldl import absorb, unpack

__all__ = ["PseudoinverseState"]


class VectorSpan:
    """An orthonormal basis of vectors, as rows."""

    tolerance = 1e-10

    def __init__(self, source: Coordinates) -> None:
        self.source = source
        self.basis = np.zeros((0, source.dimension))
        self._outside = np.zeros(source.dimension)

    def split(self, node: Any) -> tuple[Floats, float, float]:
        """Coordinates inside the span, length outside (0 where it counts as inside), and ‖x‖."""
        x = self.source.vector(node)
        inside = self.basis @ x
        outside = x - self.basis.T @ inside
        again = self.basis @ outside
        outside -= self.basis.T @ again
        norm, rho = float(np.linalg.norm(x)), float(np.linalg.norm(outside))
        self._outside = outside
        return inside + again, rho if rho > self.tolerance * norm else 0.0, norm

    def grow(self) -> None:
        """Take in the outside part of the last vector that was split."""
        self.basis = np.vstack([self.basis, self._outside / np.linalg.norm(self._outside)])


class KernelSpan:
    """An orthonormal basis given by the Cholesky factor of an independent set of points."""

    tolerance = 1e-6

    def __init__(self, source: KernelPoints) -> None:
        self.source = source
        self.points = np.zeros((0, source.width))
        self.factor = GrowingCholesky()
        self._last: tuple[Floats, Floats, float] = (np.zeros(0), np.zeros(0), 0.0)

    def split(self, node: Any) -> tuple[Floats, float, float]:
        """Coordinates inside the span, length outside (0 where it counts as inside), and ‖x‖."""
        point = self.source.point(node)
        norm = self.source.norm(point)
        cross = self.source.cross(self.points, point) if len(self.points) else np.zeros(0)
        inside = self.factor.half_solve(cross)
        rest = norm - float(inside @ inside)
        self._last = (point, cross, norm)
        rho = math.sqrt(rest) if rest > self.tolerance**2 * norm else 0.0
        return inside, rho, math.sqrt(max(norm, 0.0))

    def grow(self) -> None:
        """Take in the last point that was split."""
        point, cross, norm = self._last
        self.factor.append(cross, norm)
        self.points = np.vstack([self.points, point])


class PseudoinverseState(LoggedState):
    """One binary problem, in coordinates or on a kernel; restored by replaying its labels."""

    fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, source: Coordinates | KernelPoints, forward_score: bool) -> None:
        super().__init__()
        self.source = source
        self.forward_score = forward_score
        self.span: VectorSpan | KernelSpan = (
            VectorSpan(source) if isinstance(source, Coordinates) else KernelSpan(source)
        )
        self.rank = 0
        self.factor = np.zeros((1, 1))  # of the bordered matrix, as in `least_squares.ldl`
        self.least = math.inf  # λ*
        self.reach = 0.0  # R², over the learnt

    def margin(self, node: Any) -> float:
        """The linear or forward score; the latter is 0 outside the span of what was learnt."""
        if not self.rank:
            return 0.0
        inside, rho, _ = self.span.split(node)
        if self.forward_score and rho > 0:
            return 0.0
        half = self._half(inside)
        score = float(settled_dot(half, np.ascontiguousarray(self.factor[: self.rank, self.rank])))
        form = float((half**2 / np.diag(self.factor)[: self.rank]).sum()) if self.forward_score else 0.0
        return score / (1.0 + form)

    def update(self, node: Any, label: int) -> None:
        """Learn x if it was predicted wrong; x = 0 changes nothing."""
        wrong = sign(self.margin(node)) != label
        inside, rho, norm = self.span.split(node)
        learnt = wrong and norm > 0
        if learnt:
            if rho > 0:
                self.span.grow()
                self._grow()
                inside = np.append(inside, rho)
            absorb(self.factor, np.append(inside, float(label)), np.empty(self.rank))
            self.reach = max(self.reach, norm**2)
            if rho > 0:
                matrix, _ = unpack(self.factor, self.rank)
                self.least = min(self.least, float(scipy.linalg.eigvalsh(matrix, subset_by_index=[0, 0])[0]))
        self.note(node, label, learnt)

    def bound(self, labels: Ints) -> Bound:
        """Theorem 4.2 against the best of several fitted comparators."""
        view = compare(self, self.source, labels)
        m, r = self.mistakes, self.rank
        pairs = 0.5 * r * (r + 1)
        logs = pairs * math.log1p(self.reach * m / (max(self.least, 1e-300) * pairs)) if m else 0.0
        # margins are products of L⁻¹x and L⁻¹v, whose squares are at most R²/λ* and m
        ties = 2.0 * m * DEAD_ZONE * math.sqrt(m * self.reach / max(self.least, 1e-300))
        spectral = np.sqrt(view.spread * (r + logs + ties))
        value, gamma, _ = best_margin(view.scores, spectral)
        terms = {"r": float(r), "λ*": self.least, "R²": self.reach, "γ": gamma}
        return Bound(value, "Theorem 4.2, Cesa-Bianchi, Conconi, Gentile 2005", terms, ())

    def _half(self, inside: Floats) -> Floats:
        """L⁻¹ of a vector of coordinates."""
        square = self.factor[: self.rank, : self.rank]
        half: Floats = scipy.linalg.solve_triangular(
            square, inside, trans="T", unit_diagonal=True, check_finite=False
        )
        return half

    def _grow(self) -> None:
        """Room for one more coordinate, with nothing in it yet."""
        r = self.rank
        grown = np.zeros((r + 2, r + 2))
        grown[:r, :r] = self.factor[:r, :r]
        grown[:r, r + 1] = self.factor[:r, r]
        self.factor = grown
        self.rank = r + 1
