"""One class of a game of ridge regression in coordinates: its trials, its weights, what follows from them.

A problem learns nothing by itself: `zerokelvin.learners.ridge.ridge.RidgeGame` moves all of them together, in
the workspace of which each sees its part. Explanations and bounds are read here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.learners.ridge.instances import Coordinates
from zerokelvin.learners.ridge.ridge_bounds import ridge_bound
from zerokelvin.learners.ridge.ridge_fit import RidgeFit
from zerokelvin.least_squares.growing_inverse import (
    due,
    empty_inverse,
    form_of,
    inverse_of,
    learn_row,
    refresh,
    score_row,
    triangle_of,
)

__all__ = ["RidgeProblem"]


class RidgeProblem(RidgeFit):
    """One binary problem in coordinates; the parameters are those of `RidgeFit`."""

    source: Coordinates
    kept: Floats
    """The workspace of the inverse that this problem uses: a view of the game's."""

    sides, side = 1, 0
    """How many problems use that inverse, and which of them this is."""

    def __init__(self, source: Coordinates, *parameters: Any, **named: Any) -> None:
        super().__init__(*parameters, **named)
        self.source = source
        self.dimension = source.dimension

    @property
    def weights(self) -> Floats:
        """The weights w = A⁻¹v."""
        return self.kept[2 + self.side, : self.dimension]

    def form(self, x: Floats) -> float:
        """The form r = xᵀA⁻¹x."""
        return float(form_of(self.kept, self.sides, x, np.empty((2, self.kept.shape[1]))))

    def variance(self, node: Any) -> float:
        """r_t = r / (1 + r), the variance that includes the node itself."""
        r = self.form(self.source.vector(node))
        return r / (1.0 + r)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share α_t x_t·x of the score, where w = Σ α_t x_t."""
        x = self.source.vector(node)
        rows, labels = self._learnt()
        duals = (labels - rows @ self.weights) / self.a  # from (aI + Σ x xᵀ) w = Σ y x
        scale = 1.0 / (1.0 + self.form(x)) if self.forward_score else 1.0
        return self.explain_from(rows @ x, scale * duals)

    def bound(self, labels: Ints, theorem: str | None = None) -> Bound:
        """Theorem ``"3.1"``, ``"4"`` (a regret), ``"5"``, or the smaller of 3.1 and 5; see `ridge_bounds`."""
        return ridge_bound(self, labels, theorem or self.theorem)

    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""
        again = empty_inverse(self.dimension, self.a)
        rows, labels = self._learnt()
        losses = np.zeros(len(rows))
        scratch = np.empty((2, self.kept.shape[1]))
        for t, (x, y) in enumerate(zip(rows, labels, strict=True)):
            losses[t] = (float(score_row(x, again[2, : self.dimension])) - y) ** 2
            learn_row(again, x, np.array([y]), scratch)
            if due(again):
                since = int(again[0, 0])
                refresh(again, rows[t + 1 - since : t + 1], labels[t + 1 - since : t + 1, None])
        return losses

    def log_determinant(self) -> float:
        """The sum Σ ln(1 + λ_i/a) = ln det(A/a), λ_i the eigenvalues of Σ x xᵀ over the learnt trials."""
        d = self.dimension
        rows, _ = self.last_learnt(self.source, int(self.kept[0, 0]))  # since the last refresh
        triangle = np.linalg.qr(np.vstack([triangle_of(self.kept, self.sides)[:d, :d], rows]), mode="r")
        return float(2.0 * np.log(np.abs(np.diag(triangle)) / math.sqrt(self.a)).sum())

    def drift(self) -> float:
        """Largest deviation of the inverse and the weights from fresh ones, relative to their size."""
        rows, labels = self._learnt()
        fresh = empty_inverse(self.dimension, self.a)
        refresh(fresh, rows, labels[:, None])
        inverse, weights = inverse_of(fresh, self.dimension), fresh[2, : self.dimension]
        off = np.abs(inverse_of(self.kept, self.dimension, self.sides) - inverse).max(initial=0.0)
        off_weights = np.abs(weights - self.weights).max(initial=0.0)
        size = max(float(np.abs(weights).max(initial=0.0)), 1e-300)
        return float(max(off / max(float(np.abs(inverse).max(initial=0.0)), 1e-300), off_weights / size))

    def _learnt(self) -> tuple[Floats, Floats]:
        return self.last_learnt(self.source, self.mistakes)
