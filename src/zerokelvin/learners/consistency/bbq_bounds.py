"""The bounds of `bbq`: labels asked for, and regret or mistakes over all trials, asked about or not.

Notation: r = mᵀA⁻¹m before trial t and r_t = r/(1 + r); the N trials asked about are learnt from, the first
among them; a trial let pass has r_t ≤ t^−κ. D = ln det(A/μ) ≥ Σ r_t over the queries.

**Queries** (Gu, Aggarwal, Liu, Han 2013, Theorem 7): N ≤ 1 + T^κ D.

**Regret**, Theorem 7 mended. If labels are independent with E[y_t] = Δ_t = α·m_t and ‖α‖² = C, for every ε,

    R_T ≤ Σ_{|Δ_t| < ε} |Δ_t| + (μC + D)/ε + Σ_{j=2}^{T−N+1} min{1, exp ½(μC − ε²(j^κ − 1))}.

**Mistakes**, for labels of any kind. For every u and ε, with Q = μ‖u‖² + Σ (u·m_t − y_t)² over the queries,

    on the queries:        mistakes ≤ Q + D,
    on the trials passed:  mistakes ≤ #{passed: y_t u·m_t < ε} + #{2 ≤ j ≤ T−N+1: j^κ ≤ 1 + Q/ε²}.

The two halves hold separately, so each takes its own best u. No term counts more trials than there are. The
proofs are in docs/theory/second-order.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.array_types import Bools, Floats
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.learners.base import State
from zerokelvin.learners.base.ties import cost_of_ties
from zerokelvin.learners.ridge.comparators import REGULARISERS, isometry, largest_norm, largest_tie
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.instances import Coordinates, is_vector
from zerokelvin.learners.ridge.ridge import RidgeGame, RidgeState
from zerokelvin.learners.ridge.ridge_bounds import batch_loss
from zerokelvin.learners.ridge.ridge_fit import RidgeFit
from zerokelvin.learners.ridge.ridge_problem import RidgeProblem

__all__ = [
    "PlayedGame",
    "expected_regret",
    "label_complexity",
    "mistake_bound",
    "mistakes_anywhere",
    "regret_bound",
]

GU = "Gu, Aggarwal, Liu, Han 2013"
HAIR = 1.0 + 2e-9  # the thresholds t^−κ of `asking` are raised by 1e-9
SEARCHED, BLOCKS = 256, 4000


class PlayedGame(NamedTuple):
    """All trials of a game: nodes, labels shown, which were asked about, and whether by the rule alone."""

    nodes: NDArray[np.int64]
    labels: NDArray[np.int8]
    asked: Bools
    by_rule: bool


def label_complexity(problem: RidgeFit, trials: int, kappa: float, spectral: bool = True) -> Bound:
    """The bound on the queries of a problem that learnt from all of them, over `trials` trials.

    ``spectral=False`` gives the second form, which needs only d, B and the number of queries.
    """
    factor = float(trials) ** kappa
    logs, terms = _log_volume(problem, spectral)
    every = Assumption("every query is learnt from", problem.mistakes == problem.trials)
    theorem = f"label complexity of Theorem 7 (for updates on every query), {GU}"
    return Bound(1.0 + factor * logs, theorem, {"T^κ": factor} | terms, (every,))


def regret_bound(
    problem: RidgeFit,
    nodes: Sequence[Any] | NDArray[Any],
    weights: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    spectral: bool = True,
) -> Bound:
    """The bound over all trials of a game, whose `nodes` are given in the order played.

    Parameters
    ----------
    problem
        The problem after the game.
    nodes
        The node of every trial, asked about or not; with `weights` also vectors.
    weights
        The coefficients α of E[y_t] = α·m_t: one per coordinate, or, on a kernel, one per node of the
        table, for Σ α_i K(i, ·). The bound is then on the expected regret R_T.
    labels
        A labelling of the table in {−1, +1}. The bound is then on mistakes, whatever the labels are; the
        queries count with the label they were answered with. Give this or `weights`.
    spectral
        Take D = ln det(A/μ) itself, not d ln(1 + N B/(dμ)).
    """
    if (weights is None) == (labels is None):
        raise ParameterError(
            "give either weights, for the expected regret, or labels, for mistakes; not both or none."
        )
    asked, points = _replay(problem, nodes)
    logs, parts = _log_volume(problem, spectral)
    followed = np.array_equal(problem.seen_points(problem.source), points[asked])
    rule = Assumption("labels were asked for by the rule alone and came at once", followed)
    kappa = problem.kappa or 0.0
    if weights is not None:
        margins, norm = _expectations(problem, np.asarray(weights, dtype=np.float64), points)
        value, terms = expected_regret(margins, asked, problem.a, kappa, norm, logs)
        fits = Assumption("|α·m| ≤ 1 in every trial", bool((np.abs(margins) <= 1 + 1e-9).all()))
        sure = bool(np.allclose(np.abs(margins), 1.0, rtol=0, atol=1e-9))
        read = Assumption("read as expected regret under labels of mean α·m, not as mistakes", sure)
        return Bound(value, f"regret of Theorem 7 (mended), {GU}", terms | parts, (rule, fits, read))
    truth = _labels_of(np.asarray(labels), nodes)
    if followed:
        truth[asked] = problem.seen_labels
    value, terms = _mistakes(problem, points, truth, asked, logs)
    return Bound(value, f"mistakes on all trials, after Theorem 7, {GU}", terms | parts, (rule,))


def mistake_bound(problem: RidgeFit, game: PlayedGame | None) -> Bound:
    """The bound on mistakes in all trials of a game, or, where none is known, on the labels learnt.

    Whatever the labels are: they are those that were shown. Without a game no trial was let pass that could
    be a mistake, as in a session, whose mistakes are among the answers.
    """
    logs, parts = _log_volume(problem, spectral=True)
    if game is None or int(game.asked.sum()) != problem.trials:
        points, truth = problem.seen_points(problem.source), np.array(problem.seen_labels, dtype=np.float64)
        value, terms = _mistakes(problem, points, truth, np.ones(len(truth), dtype=np.bool_), logs)
        return Bound(value, f"mistakes on the labels learnt, after Theorem 7, {GU}", terms | parts)
    source = problem.source
    look = source.vector if isinstance(source, Coordinates) else source.point
    points = np.array([look(node) for node in game.nodes.tolist()], dtype=np.float64)
    value, terms = _mistakes(problem, points, game.labels.astype(np.float64), game.asked, logs)
    rule = Assumption("labels were asked for by the rule alone and came at once", game.by_rule)
    return Bound(value, f"mistakes on all trials, after Theorem 7, {GU}", terms | parts, (rule,))


def _mistakes(
    problem: RidgeFit, points: Floats, truth: Floats, asked: Bools, logs: float
) -> tuple[float, dict[str, float]]:
    """The least bound on mistakes over u and ε, on the queries and elsewhere, with its terms."""
    source = problem.source
    rows = points if isinstance(source, Coordinates) else isometry(source, points, asked)
    fit = batch_loss(rows[asked], truth[asked], problem.a)
    tie = largest_tie(problem.mistakes * largest_norm(problem.source, points) / problem.a)
    queries = min((fit + logs) * cost_of_ties(tie), float(asked.sum()))
    best: tuple[float, dict[str, float]] = (math.inf, {})
    for u in _ridge_solutions(rows, truth, problem.a) if not asked.all() else ():
        scores = rows @ u
        own = float(problem.a * (u @ u) + ((scores - truth)[asked] ** 2).sum())
        found, terms = mistakes_anywhere(truth * scores, asked, problem.kappa or 0.0, own, logs, tie)
        best = min(best, (found - terms["asked"], terms), key=lambda pair: pair[0])
    elsewhere = best[0] if best[1] else 0.0
    kept = {"Q": fit, "asked": queries, "ε": math.inf, "near": 0.0, "passed": 0.0}
    kept |= {name: best[1][name] for name in ("ε", "near", "passed") if best[1]}
    return queries + elsewhere, kept


def expected_regret(
    margins: Floats, asked: Bools, mu: float, kappa: float, norm: float, logs: float
) -> tuple[float, dict[str, float]]:
    """The least regret bound over ε, and its terms, from Δ_t and whether t was asked about, for every trial.

    `norm` is C = ‖α‖² and `logs` is D. Between two values of |Δ_t| the bound falls in ε, so the least is
    at one of them; of more than 256, as many are tried.

    >>> value, terms = expected_regret(np.ones(1000), np.arange(1000) < 40, 1.0, 1.0, norm=2.0, logs=3.0)
    >>> round(value, 2), terms["ε"], terms["asked"]
    (8.54, 1.0, 5.0)
    """
    sizes = np.abs(margins)
    starts, counts = _blocks(int((~asked).sum()))
    heights = np.maximum(starts**kappa / HAIR - 1.0, 0.0)
    bayes = {"C": norm, "mistakes of the best": float((1.0 - np.minimum(sizes, 1.0)).sum() / 2)}
    best = float(sizes.sum())
    terms = {"ε": math.inf, "T_ε": float(len(sizes)), "near": best, "asked": 0.0, "passed": 0.0}
    for epsilon in _candidates(sizes):
        far = sizes >= epsilon
        near = float(sizes[~far].sum())
        queries = min((mu * norm + logs) / epsilon, float((far & asked).sum()))
        tails = np.exp(np.minimum(0.5 * (mu * norm - epsilon**2 * heights), 0.0))
        passed = min(float(counts @ tails), float((far & ~asked).sum()))
        if near + queries + passed < best:
            best = near + queries + passed
            terms = {"ε": epsilon, "T_ε": float((~far).sum()), "near": near}
            terms |= {"asked": queries, "passed": passed}
    return best, terms | bayes


def mistakes_anywhere(
    scores: Floats, asked: Bools, kappa: float, fit: float, logs: float, tie: float = 0.0
) -> tuple[float, dict[str, float]]:
    """The least mistake bound over ε, and its terms, from y_t u·m_t for every trial; `fit` is Q, `logs` D.

    A mistake on a `tie` has y_t ŷ_t up to that, so that u·m_t and ŷ_t are only ε less it apart.

    >>> mistakes_anywhere(np.ones(1000), np.arange(1000) < 40, 1.0, fit=2.0, logs=3.0)[0]
    7.0
    """
    passed = np.sort(scores[~asked])
    queries = min((fit + logs) * cost_of_ties(tie), float(asked.sum()))
    best = queries + len(passed)
    terms = {"Q": fit, "ε": math.inf, "asked": queries, "near": float(len(passed)), "passed": 0.0}
    for epsilon in (value for value in _candidates(passed) if value > tie):
        near = int(np.searchsorted(passed, epsilon))
        power = math.log(HAIR) + math.log1p(fit / (epsilon - tie) ** 2)
        last = math.floor(math.exp(min(power / kappa, 700.0))) if kappa > 0 else math.inf
        late = min(last - 1, len(passed) - near)
        if queries + near + late < best:
            best = queries + near + late
            terms |= {"ε": epsilon, "near": float(near), "passed": float(late)}
    return best, terms


def _log_volume(problem: RidgeFit, spectral: bool) -> tuple[float, dict[str, float]]:
    """D or its upper bound d ln(1 + N B/(dμ)), with the terms it is made of."""
    if spectral:
        logs = problem.log_determinant()
        return logs, {"Σ ln(1 + λ_i/μ)": logs}
    queries, source = problem.trials, problem.source
    reach = largest_norm(source, problem.seen_points(source))
    d = source.dimension if isinstance(source, Coordinates) else max(queries, 1)
    logs = d * math.log1p(queries * reach / (d * problem.a)) if d else 0.0
    return logs, {"d": float(d), "B": reach, "N_T": float(queries)}


def _replay(problem: RidgeFit, nodes: Sequence[Any] | NDArray[Any]) -> tuple[Bools, Floats]:
    """Where the rule asks, the first trial included, and the point of every trial; no label matters."""
    source, terms = problem.source, (problem.a, True, problem.kappa)
    fresh: State
    if isinstance(source, Coordinates):
        fresh = RidgeState(RidgeGame([RidgeProblem(source, *terms)]))
    else:
        fresh = DualRidgeState(source, *terms)
    look = source.vector if isinstance(source, Coordinates) else source.point
    asked = np.zeros(len(nodes), dtype=np.bool_)
    points = []
    for trial, node in enumerate(nodes):
        points.append(look(node))
        asked[trial] = trial == 0 or fresh.ask(node, trial)
        if asked[trial]:
            fresh.update(node, 1)
    width = source.dimension if isinstance(source, Coordinates) else source.width
    return asked, np.array(points, dtype=np.float64).reshape(len(nodes), width)


def _expectations(problem: RidgeFit, weights: Floats, points: Floats) -> tuple[Floats, float]:
    """α·m_t for every trial, and C = ‖α‖²."""
    source = problem.source
    size = source.dimension if isinstance(source, Coordinates) else len(source.table)
    if weights.shape != (size,) or not np.isfinite(weights).all():
        what = "coordinate" if isinstance(source, Coordinates) else "node of the table"
        raise ParameterError(
            f"weights have shape {weights.shape}; give {size} finite numbers, one per {what}."
        )
    if isinstance(source, Coordinates):
        return points @ weights, float(weights @ weights)
    used = np.flatnonzero(weights)
    base, alpha = source.table[used], weights[used]
    distinct, back = np.unique(points, axis=0, return_inverse=True)
    values = np.array([float(source.cross(base, point) @ alpha) for point in distinct])
    return values[back.reshape(-1)], float(alpha @ source.gram(base) @ alpha) if len(used) else 0.0


def _labels_of(labels: NDArray[Any], nodes: Sequence[Any] | NDArray[Any]) -> Floats:
    if any(is_vector(node) for node in nodes):
        raise ParameterError("a labelling says nothing of vectors outside the table; give weights instead.")
    truth: Floats = labels.astype(np.float64)[np.asarray(nodes, dtype=np.int64)]
    if not np.isin(truth, (-1.0, 1.0)).all():
        raise LabelError("every node played needs a label −1 or +1; leave the others out of the game.")
    return truth


def _ridge_solutions(rows: Floats, labels: Floats, mu: float) -> Floats:
    """Rows u, each the least-squares fit to all trials under one of several multiples of μ."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    target = left.T @ labels
    return np.array([(values * target / (values**2 + mu * factor)) @ right for factor in REGULARISERS])


def _candidates(sizes: Floats) -> list[float]:
    """The distinct positive values, thinned to at most `SEARCHED` with the ends kept."""
    values = np.unique(sizes[sizes > 1e-100])
    chosen = np.unique(np.linspace(0, len(values) - 1, min(len(values), SEARCHED)).astype(np.int64))
    return [float(values[at]) for at in chosen]


def _blocks(count: int) -> tuple[Floats, Floats]:
    """The trials 2, …, count + 1 in blocks that grow geometrically: the first of each, and its length."""
    if count == 0:
        return np.zeros(0), np.zeros(0)
    edges = np.unique(np.rint(np.geomspace(2.0, count + 2.0, BLOCKS)))
    return edges[:-1], np.diff(edges)
