"""Evaluating mistake bounds against real comparators.

The second-order bounds hold for every unit vector u and every margin γ > 0:

    mistakes ≤ D_γ(u)/γ + S(u)/γ,     D_γ(u) = Σ_t max(0, γ − y_t u·x_t) over all trials.

Here u runs over the regularised least-squares solutions that fit the comparator labelling, and for each
of them the best γ is found exactly: between two consecutive values of y_t u·x_t the bound is of the form
n + const/γ, so its infimum is attained at one of those values or as γ → ∞, where it is the number of
trials.

Kernels are reduced to coordinates: with the Gram matrix G = QΛQᵀ of the distinct points, every point has
coordinates Λ^(−1/2) Qᵀ k(x), an isometry of their span.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base.ties import DEAD_ZONE
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.trial_log import TrialLog

__all__ = [
    "REGULARISERS",
    "Comparators",
    "best_margin",
    "compare",
    "isometry",
    "largest_norm",
    "largest_tie",
    "log_terms",
    "recommended_a",
]


REGULARISERS = 10.0 ** np.arange(-6.0, 5.0)
MAX_BASE = 1500


@dataclass(frozen=True)
class Comparators:
    """All trials in coordinates, which of them were learnt, and unit comparators as columns."""

    rows: Floats
    labels: Floats
    learnt: NDArray[np.bool_]
    comparators: Floats

    @property
    def scores(self) -> Floats:
        """y_t u·x_t for every trial and comparator."""
        return self.labels[:, None] * (self.rows @ self.comparators)

    @property
    def spread(self) -> Floats:
        """λ_u = Σ (u·x_t)² over the learnt trials, for every comparator."""
        return ((self.rows[self.learnt] @ self.comparators) ** 2).sum(axis=0)


def compare(log: TrialLog, source: Coordinates | KernelPoints, labels: Ints) -> Comparators:
    """The trials of a problem with comparators fitted to `labels` in {−1, 0, +1}ⁿ (0 = unknown).

    Vectors from outside the table count with the label they were shown with.
    """
    points = log.seen_points(source)
    nodes = np.array(log.seen_nodes, dtype=np.int64)
    shown = np.array(log.seen_labels, dtype=np.float64)
    learnt = np.array(log.seen_learnt, dtype=np.bool_)
    table = np.asarray(labels, dtype=np.float64)
    wanted = shown.copy()
    wanted[nodes >= 0] = table[nodes[nodes >= 0]]
    rows = points if isinstance(source, Coordinates) else isometry(source, points, learnt)
    if isinstance(source, Coordinates) and (nodes >= 0).all():
        known = table != 0
        fit_rows, fit_labels = source.matrix[known], table[known]
    else:
        fit_rows, fit_labels = rows[wanted != 0], wanted[wanted != 0]
    return Comparators(rows, shown, learnt, _ridge_path(fit_rows, fit_labels))


def largest_norm(source: Coordinates | KernelPoints, points: Floats) -> float:
    """X²: the largest squared length of some instances."""
    if isinstance(source, Coordinates):
        return float((points**2).sum(axis=1).max(initial=0.0))
    return max((source.norm(point) for point in points), default=0.0)


def largest_tie(instances: float) -> float:
    """The largest margin that counts as a tie in ridge regression; `instances` is m X²/a.

    m labels give weights ‖w‖ ≤ √(m/a) beside ‖x‖ ≤ X, and dual ones ‖α‖ ≤ √m/a beside ‖k_x‖ ≤ √m X²: the
    sizes `zerokelvin.learners.base.ties` compares a margin with.

    >>> largest_tie(0.25), largest_tie(64.0)
    (5e-10, 6.4e-08)
    """
    return DEAD_ZONE * max(instances, math.sqrt(instances))


def best_margin(scores: Floats, spectral: Floats) -> tuple[float, float, int]:
    """The least (D_γ + S)/γ over all γ and comparators; returns value, γ and the comparator's index.

    >>> best_margin(np.array([[1.0], [1.0], [-1.0]]), np.array([0.5]))
    (2.5, 1.0, 0)
    """
    best = (float(len(scores)), math.inf, 0)
    for index in range(scores.shape[1]):
        ordered = np.sort(scores[:, index])
        below = np.concatenate([[0.0], np.cumsum(ordered)[:-1]])
        positive = ordered > 1e-100  # below, 1/γ may not be a number
        if not positive.any():
            continue
        gamma = ordered[positive]
        count = np.flatnonzero(positive)
        values = count + (spectral[index] - below[positive]) / gamma
        at = int(np.argmin(values))
        if values[at] < best[0]:
            best = (float(values[at]), float(gamma[at]), index)
    return best


def log_terms(rows: Floats, a: float) -> float:
    """Σ ln(1 + λ_i/a) with λ_i the eigenvalues of Σ x xᵀ over the rows.

    >>> round(log_terms(np.eye(3), 1.0) / math.log(2), 12)
    3.0
    """
    if len(rows) == 0:
        return 0.0
    gram = rows.T @ rows if rows.shape[1] <= len(rows) else rows @ rows.T
    return float(np.linalg.slogdet(np.eye(len(gram)) + gram / a)[1])


def recommended_a(spread: float, radius: float, mistakes: int, dimension: int) -> float:
    """The a of Lemma 3.2, rλ/(r − 2λ) with r = R²m/n; infinite (plain perceptron) where λ ≥ r/2.

    `spread` is λ_u = Σ (u·x_t)² over the m mistakes, `dimension` is n.

    >>> recommended_a(spread=1.0, radius=2.0, mistakes=100, dimension=40)
    1.25
    >>> recommended_a(spread=5.0, radius=2.0, mistakes=100, dimension=40)
    inf
    """
    if not spread > 0:
        raise ParameterError(f"spread={spread} must be positive; Lemma 3.2 is about λ > 0.")
    r = radius**2 * mistakes / dimension
    return r * spread / (r - 2 * spread) if 2 * spread < r else math.inf


def _ridge_path(rows: Floats, labels: Floats) -> Floats:
    """Unit vectors along the least-squares solutions for a range of regularisers, as columns."""
    if rows.size == 0:
        return np.zeros((rows.shape[1], 0))
    values, vectors = scipy.linalg.eigh(rows.T @ rows)
    values = np.maximum(values, 0.0)
    target = vectors.T @ (rows.T @ labels)
    scale = max(float(values.max()) / max(len(values), 1), 1e-300)
    path = vectors @ (target[:, None] / (values[:, None] + scale * REGULARISERS[None, :]))
    norms = np.linalg.norm(path, axis=0)
    result: Floats = path[:, norms > 0] / norms[norms > 0]
    return result


def isometry(source: KernelPoints, points: Floats, learnt: NDArray[np.bool_]) -> Floats:
    """Coordinates of the points in the span of at most `MAX_BASE` distinct ones, the learnt first."""
    order = np.argsort(~learnt, kind="stable")
    _, first = np.unique(points[order], axis=0, return_index=True)
    base = points[order][np.sort(first)[:MAX_BASE]]
    if len(base) == 0:
        return np.zeros((0, 0))
    values, vectors = scipy.linalg.eigh(source.gram(base))
    kept = values > 1e-12 * max(float(values.max()), 1e-300)
    basis = vectors[:, kept] / np.sqrt(values[kept])
    return np.array([source.cross(base, point) @ basis for point in points]).reshape(len(points), -1)
