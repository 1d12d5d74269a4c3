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
statement on squared loss.

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
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.ridge import RidgeState

__all__ = ["batch_loss", "ridge_bound"]


SOP = "Cesa-Bianchi, Conconi, Gentile 2005"
GU = "Gu, Aggarwal, Liu, Han 2013"


def ridge_bound(state: RidgeState | DualRidgeState, labels: Ints, theorem: str = "best") -> Bound:
    """A bound of a ridge state: ``"3.1"``, ``"5"`` (corrected), or the smaller of those that hold.

    ``"4"`` bounds the regret in squared loss over the learnt trials instead of mistakes.
    """
    view = compare(state, state.source, labels)
    if theorem == "3.1":
        return _spectral(state, view)
    if theorem == "5":
        return _ridge(state, view)
    if theorem == "4":
        return _regret(state, view)
    if theorem != "best":
        raise ParameterError(f"unknown theorem '{theorem}'; known: best, 3.1, 4, 5.")
    both = [_spectral(state, view), _ridge(state, view)]
    return min(both, key=lambda bound: (not bound.holds, bound.value))


def _every(state: RidgeState | DualRidgeState) -> Assumption:
    return Assumption("every label is asked for", state.kappa is None)


def _tie(state: RidgeState | DualRidgeState) -> float:
    points = state.seen_points(state.source)
    return largest_tie(state.mistakes * largest_norm(state.source, points) / state.a)


def _spectral(state: RidgeState | DualRidgeState, view: Comparators) -> Bound:
    logs = state.log_determinant()
    spectral = np.sqrt((state.a + view.spread) * (logs + 2.0 * state.mistakes * _tie(state)))
    value, gamma, at = best_margin(view.scores, spectral)
    terms = {"Σ ln(1 + λ_i/a)": logs, "γ": gamma, "trials": float(len(view.labels))}
    if view.comparators.shape[1]:
        terms["λ_u"] = float(view.spread[at])
    name = "Theorem 3.1" if isinstance(state, RidgeState) else "Corollary 3.4"
    mistaken = Assumption("only mistakes are learnt from", not state.every_round)
    return Bound(value, f"{name}, {SOP}", terms, (mistaken, _every(state)))


def _ridge(state: RidgeState | DualRidgeState, view: Comparators) -> Bound:
    """Over the trials seen: those not learnt from only add to the comparator's loss."""
    gamma, logs = float(state.losses().max(initial=0.0)), state.log_determinant()
    batch = batch_loss(view.rows, view.labels, state.a)
    terms = {"min a‖u‖² + Σ(u·x − y)²": batch, "γ": gamma, "Σ ln(1 + λ_i/a)": logs}
    value = (batch + gamma * logs) * cost_of_ties(_tie(state))
    return Bound(value, f"Corollary 5 (corrected), {GU}", terms, (_every(state),))


def _regret(state: RidgeState | DualRidgeState, view: Comparators) -> Bound:
    rows, labels = view.rows[view.learnt], view.labels[view.learnt]
    gamma, logs = float(state.losses().max(initial=0.0)), state.log_determinant()
    best = _ridge_solution(rows, labels, state.a)
    norm = float(best @ best)
    terms = {"a‖u‖²/2": 0.5 * state.a * norm, "γ": gamma, "Σ ln(1 + λ_i/a)": logs}
    text = (
        "read as squared loss over the learnt trials above that of the best ridge solution, not as mistakes"
    )
    value = 0.5 * state.a * norm + 0.5 * gamma * logs
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
