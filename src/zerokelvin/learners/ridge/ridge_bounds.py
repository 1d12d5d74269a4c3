"""The bounds of the ridge learners, with constants that hold.

**Theorem 3.1 / Corollary 3.4** of Cesa-Bianchi, Conconi, Gentile 2005, for learners that learn from
mistakes only: with λ_i the eigenvalues of Σ x xᵀ over the m mistakes and λ_u = Σ (u·x)²,

    m ≤ inf_γ min_u D_γ(u)/γ + √((a + λ_u) Σ ln(1 + λ_i/a)) / γ.

**Corollary 5** of Gu, Aggarwal, Liu, Han 2013, corrected. The identity behind it (Azoury and Warmuth
2001) is, over the learnt trials with scores ŷ_t before learning,

    Σ (1 − r_t)(ŷ_t − y_t)² = min_u  a‖u‖² + Σ (u·x_t − y_t)²,

and a mistake has (ŷ_t − y_t)² ≥ 1. With γ = max (ŷ_t − y_t)² over the *learner's* scores,

    mistakes ≤ min_u { a‖u‖² + Σ (u·x_t − y_t)² } + γ Σ ln(1 + λ_i/a).

As printed, the first two terms carry a factor ½ that is lost nowhere in the proof, and γ is taken from
the comparator: both are wrong (see docs/theory/errata.md). Theorem 4 is half of the same inequality as a
problemment on squared loss.

Both need y_t ŷ_t ≤ 0 on a mistake. On a tie it may be τ > 0 (`zerokelvin.learners.base.ties`): then
Σ ln(1 + λ_i/a) grows by 2mτ in the first, and the second by the factor (1 + τ)²/(1 − τ)².
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base.ties import cost_of_ties
from zerokelvin.learners.ridge.comparators import Comparators, best_margin, compare, largest_norm, largest_tie
from zerokelvin.learners.ridge.instances import Coordinates
from zerokelvin.learners.ridge.ridge_fit import RidgeFit

__all__ = ["batch_loss", "ridge_bound"]


SOP = "Cesa-Bianchi, Conconi, Gentile 2005"
GU = "Gu, Aggarwal, Liu, Han 2013"


def ridge_bound(problem: RidgeFit, labels: Ints, theorem: str = "best") -> Bound:
    """A bound of a problem: ``"3.1"``, ``"5"`` (corrected), or the smaller of those that hold.

    ``"4"`` bounds the regret in squared loss over the learnt trials instead of mistakes.
    """
    view = compare(problem, problem.source, labels)
    if theorem == "3.1":
        return _spectral(problem, view)
    if theorem == "5":
        return _ridge(problem, view)
    if theorem == "4":
        return _regret(problem, view)
    if theorem != "best":
        raise ParameterError(f"unknown theorem '{theorem}'; known: best, 3.1, 4, 5.")
    both = [_spectral(problem, view), _ridge(problem, view)]
    return min(both, key=lambda bound: (not bound.holds, bound.value))


def _every(problem: RidgeFit) -> Assumption:
    return Assumption("every label is asked for", problem.kappa is None)


def _tie(problem: RidgeFit) -> float:
    points = problem.seen_points(problem.source)
    return largest_tie(problem.mistakes * largest_norm(problem.source, points) / problem.a)


def _spectral(problem: RidgeFit, view: Comparators) -> Bound:
    logs = problem.log_determinant()
    spectral = np.sqrt((problem.a + view.spread) * (logs + 2.0 * problem.mistakes * _tie(problem)))
    value, gamma, at = best_margin(view.scores, spectral)
    terms = {"Σ ln(1 + λ_i/a)": logs, "γ": gamma, "trials": float(len(view.labels))}
    if view.comparators.shape[1]:
        terms["λ_u"] = float(view.spread[at])
    name = "Theorem 3.1" if isinstance(problem.source, Coordinates) else "Corollary 3.4"
    mistaken = Assumption("only mistakes are learnt from", not problem.every_round)
    return Bound(value, f"{name}, {SOP}", terms, (mistaken, _every(problem)))


def _ridge(problem: RidgeFit, view: Comparators) -> Bound:
    """Over the trials seen: those not learnt from only add to the comparator's loss."""
    gamma, logs = float(problem.losses().max(initial=0.0)), problem.log_determinant()
    batch = batch_loss(view.rows, view.labels, problem.a)
    terms = {"min a‖u‖² + Σ(u·x − y)²": batch, "γ": gamma, "Σ ln(1 + λ_i/a)": logs}
    value = (batch + gamma * logs) * cost_of_ties(_tie(problem))
    return Bound(value, f"Corollary 5 (corrected), {GU}", terms, (_every(problem),))


def _regret(problem: RidgeFit, view: Comparators) -> Bound:
    rows, labels = view.rows[view.learnt], view.labels[view.learnt]
    gamma, logs = float(problem.losses().max(initial=0.0)), problem.log_determinant()
    best = _ridge_solution(rows, labels, problem.a)
    norm = float(best @ best)
    terms = {"a‖u‖²/2": 0.5 * problem.a * norm, "γ": gamma, "Σ ln(1 + λ_i/a)": logs}
    text = (
        "read as squared loss over the learnt trials above that of the best ridge solution, not as mistakes"
    )
    value = 0.5 * problem.a * norm + 0.5 * gamma * logs
    return Bound(value, f"Theorem 4 (corrected), {GU}", terms, (Assumption(text, False),))


def _ridge_solution(rows: Floats, labels: Floats, a: float) -> Floats:
    if rows.shape[1] == 0:
        return np.zeros(0)
    matrix = rows.T @ rows + a * np.eye(rows.shape[1])
    return np.asarray(np.linalg.solve(matrix, rows.T @ labels), dtype=np.float64)


def batch_loss(rows: Floats, labels: Floats, a: float) -> float:
    """min_u a‖u‖² + Σ (u·x_t − y_t)², the objective of batch LLGC over the trials."""
    u = _ridge_solution(rows, labels, a)
    return float(a * (u @ u) + ((rows @ u - labels) ** 2).sum())
