"""Ridge regression in coordinates, online: the engine of `ollgc`, `sslgc`, `bbq` and `second-order`.

A state keeps A = aI + Σ x xᵀ and v = Σ y x over the trials it learnt from, as the factorisation of
`zerokelvin.linalg.ldl`, and predicts with

    linear score    w·x,  w = A⁻¹v
    forward score   vᵀ(A + x xᵀ)⁻¹x = w·x / (1 + r),  r = xᵀA⁻¹x

which have the same sign. It learns where its prediction was wrong, or in every round. The variance is
r_t = r / (1 + r), the form of the matrix that includes the current node, below 1.

`RidgeProblems` plays the classes side by side in compiled code without allocating per trial. Learning
only from mistakes, each class has its own A; learning in every round, one A serves all classes. Where the
variance is needed in every trial, it is computed for blocks of coming trials at once and corrected for
the updates inside the block: with z = L⁻¹x, an update at x_k takes (z_jᵀD⁻¹z_k)²/(1 + r_k) off r_j.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import SessionError
from zerokelvin.jit import kernel
from zerokelvin.learners.asking import variance_floors
from zerokelvin.learners.base import Problems, Progress, State, Trace, Trials, sign
from zerokelvin.learners.instances import Coordinates
from zerokelvin.learners.trial_log import LoggedState
from zerokelvin.linalg.ldl import dot, empty_factor, forward, forward_block, learn, unpack

__all__ = ["RidgeProblems", "RidgeState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LANES = 32
CHUNK = 4096


class RidgeState(LoggedState):
    """One binary problem: the factorisation with its weights, and the trials learnt.

    `a` is the ridge; `every_round` learns from every label; `kappa` makes it ask only where the variance
    is above t^−κ; `forward_score` divides the score by 1 + r.
    """

    fields: ClassVar[tuple[str, ...]] = ("factor", *LoggedState.log)

    def __init__(
        self,
        source: Coordinates,
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
        self.dimension = source.dimension
        self.factor = empty_factor(self.dimension, a)
        self.side = 0

    @property
    def weights(self) -> Floats:
        """The weights w = A⁻¹v."""
        return self.factor[self.dimension + self.side, : self.dimension]

    def margin(self, node: Any) -> float:
        """The linear or forward score of a node index or a new vector."""
        x = self.source.vector(node)
        score = float(dot(x, self.weights))
        return score / (1.0 + self.form(x)) if self.forward_score else score

    def margins(self, nodes: Ints) -> Floats:
        """The scores of several nodes."""
        return _scores(self.source.matrix, nodes, self.factor, self.side, self.forward_score)

    def form(self, x: Floats) -> float:
        """The form r = xᵀA⁻¹x."""
        return float(forward(self.factor, x.copy(), self.dimension))

    def variance(self, node: Any) -> float:
        """r_t = r / (1 + r), the variance that includes the node itself."""
        r = self.form(self.source.vector(node))
        return r / (1.0 + r)

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether r_t > t^−κ; always, without a κ."""
        if self.kappa is None:
            return True
        number = self.trials if trial is None else trial
        return self.variance(node) > float(variance_floors(self.kappa, np.array([number]))[0])

    def update(self, node: Any, label: int) -> None:
        """Learn x if it was predicted wrong (or in every round); x = 0 changes nothing."""
        if len(self.factor) != self.dimension + 1:
            raise SessionError(
                "this problem shares one covariance with the other classes; update them together."
            )
        x = self.source.vector(node)
        learnt = bool((self.every_round or sign(float(dot(x, self.weights))) != label) and x.any())
        if learnt:
            d = self.dimension
            learn(self.factor, x, np.array([float(label)]), np.empty(d), np.empty(d + 1))
        self.note(node, label, learnt)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share α_t x_t·x of the score, where w = Σ α_t x_t."""
        x = self.source.vector(node)
        rows, labels = self._learnt()
        duals = (labels - rows @ self.weights) / self.a  # from (aI + Σ x xᵀ) w = Σ y x
        scale = 1.0 / (1.0 + self.form(x)) if self.forward_score else 1.0
        return self.explain_from(rows @ x, scale * duals)

    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""
        d = self.dimension
        factor, gain, z = empty_factor(d, self.a), np.empty(d), np.empty(d + 1)
        rows, labels = self._learnt()
        losses = np.zeros(len(rows))
        for t, (x, y) in enumerate(zip(rows, labels, strict=True)):
            losses[t] = (float(dot(x, factor[d, :d])) - y) ** 2
            learn(factor, x, np.array([y]), gain, z)
        return losses

    def log_determinant(self) -> float:
        """The sum Σ ln(1 + λ_i/a) = ln det(A/a), λ_i the eigenvalues of Σ x xᵀ over the learnt trials."""
        return float(np.log(np.diag(self.factor)[: self.dimension] / self.a).sum())

    def drift(self) -> float:
        """Largest deviation of A and the weights from a fresh factorisation, relative to their size."""
        rows, labels = self._learnt()
        fresh_a, fresh_b = self.a * np.eye(self.dimension) + rows.T @ rows, rows.T @ labels
        kept_a, _ = unpack(self.factor, self.dimension)
        weights = np.linalg.solve(fresh_a, fresh_b)
        off_a = np.abs(kept_a - fresh_a).max() / np.abs(fresh_a).max()
        off_w = np.abs(weights - self.weights).max() / max(float(np.abs(weights).max()), 1e-300)
        return float(max(off_a, off_w))

    def _learnt(self) -> tuple[Floats, Floats]:
        learnt = np.array(self.seen_learnt, dtype=np.bool_)
        labels = np.array(self.seen_labels, dtype=np.float64)
        return np.ascontiguousarray(self.seen_points(self.source)[learnt]), labels[learnt]


class RidgeProblems(Problems):
    """Ridge states side by side, with one factorisation each or one for all."""

    def __init__(self, states: Sequence[State], shared: bool = False) -> None:
        super().__init__(states)
        self.ridges = [state for state in states if isinstance(state, RidgeState)]
        first, count = self.ridges[0], len(self.ridges)
        self.shared = shared and count > 1
        sides = count if self.shared else 1
        self.factors = np.stack(
            [empty_factor(first.dimension, first.a, sides) for _ in range(1 if self.shared else count)]
        )
        for c, state in enumerate(self.ridges):
            state.factor = self.factors[0 if self.shared else c]  # a view: the game moves them together
            state.side = c if self.shared else 0
            if self.shared and c > 0:
                state.fields = LoggedState.log  # type: ignore[misc]  # saved once, with the first

    def update(self, node: Any, signs: Any, learns: Any = None) -> None:
        """Give every problem its label; with a shared covariance, all at once."""
        if not self.shared:
            super().update(node, signs, learns)
            return
        x, d = self.ridges[0].source.vector(node), self.ridges[0].dimension
        labels = np.array([float(label) for label in signs])
        if x.any():
            learn(self.factors[0], x, labels, np.empty(d), np.empty(d + len(labels)))
        for state, label in zip(self.ridges, labels, strict=True):
            state.note(node, int(label), bool(x.any()))

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code."""
        first, total = self.ridges[0], len(trials.nodes)
        rules = np.zeros((4, total))
        rules[0] = trials.limits
        rules[2] = -1.0
        if trials.gains is not None and trials.floors is not None:
            rules[1], rules[2] = trials.gains, trials.floors
        if first.kappa is not None:
            rules[3] = variance_floors(first.kappa, np.arange(total))
        settings = np.zeros(10, dtype=np.int64)
        settings[:6] = (
            trials.delay,
            trials.budget,
            first.every_round,
            first.forward_score,
            first.kappa is not None,
            trials.gains is not None,
        )
        trace = Trace.empty(trials)
        codes = np.zeros(trials.signs.shape, dtype=np.int8)
        step = CHUNK if progress is not None else max(total, 1)
        for stop in range(step, total + step, step):
            settings[9] = min(stop, total)
            matrix = first.source.matrix
            _play(matrix, trials.nodes, trials.signs, rules, settings, self.factors, trace.margins, codes)
            if progress is not None:
                progress(int(settings[9]))
        trace.asked[:] = codes > 0
        for c, state in enumerate(self.ridges):
            chosen = codes[:, c] > 0
            state.note_all(trials.nodes[chosen], trials.signs[chosen, c], codes[chosen, c] == LEARNT)
        return trace


ASKED, LEARNT = 1, 2


@kernel
def _score(x: Floats, factor: Floats, side: int, forward_score: bool, z: Floats) -> float:
    d = x.shape[0]
    score = dot(x, factor[d + side, :d])
    if forward_score:
        z[:d] = x
        score /= 1.0 + forward(factor, z, d)
    return score


@kernel
def _scores(matrix: Floats, nodes: Ints, factor: Floats, side: int, forward_score: bool) -> Floats:
    scores, z = np.empty(len(nodes)), np.empty(matrix.shape[1])
    for i in range(len(nodes)):
        scores[i] = _score(matrix[nodes[i]], factor, side, forward_score, z)
    return scores


@kernel
def _teach(x: Floats, signs: Any, codes: Any, factors: Floats, every_round: bool, scratch: Floats) -> None:
    """Give one trial's labels to the problems that asked, and mark in `codes` which learnt."""
    d, groups, problems = x.shape[0], factors.shape[0], len(signs)
    empty = True
    for j in range(d):
        if x[j] != 0.0:
            empty = False
            break
    if empty:
        return
    gain, z, labels = scratch[0, :d], scratch[1], scratch[2]
    if groups < problems:
        if codes[0] == 0:
            return
        for c in range(problems):
            labels[c] = signs[c]
            codes[c] = LEARNT
        learn(factors[0], x, labels[:problems], gain, z[: d + problems])
        return
    for c in range(problems):
        if codes[c] == 0:
            continue
        guess = 1 if dot(x, factors[c, d, :d]) >= 0 else -1
        if every_round or guess != signs[c]:
            labels[0] = signs[c]
            learn(factors[c], x, labels[:1], gain, z[: d + 1])
            codes[c] = LEARNT


@kernel
def _correct(z: Floats, inverse: Floats, taken: Floats, used: int, k: int, forms: Floats) -> None:
    """Take the update at lane k off the forms of the later lanes; `taken` keeps what was taken."""
    d, lanes = z.shape
    row = taken[used]
    row[:] = 0.0
    for i in range(d):
        zi = z[i]
        factor = zi[k] * inverse[i]
        for j in range(lanes):
            row[j] += factor * zi[j]
    for earlier in range(used):
        factor = taken[earlier, k]
        for j in range(lanes):
            row[j] -= factor * taken[earlier, j]
    scale = 1.0 / np.sqrt(1.0 + forms[k])
    for j in range(lanes):
        row[j] *= scale
    for j in range(k + 1, lanes):
        forms[j] = max(forms[j] - row[j] * row[j], 0.0)


@kernel
def _play(
    matrix: Floats,
    nodes: Ints,
    signs: NDArray[np.int8],
    rules: Floats,
    settings: Ints,
    factors: Floats,
    margins: Floats,
    codes: NDArray[np.int8],
) -> None:
    """Play from the cursor to the stop.

    rules = limits, gains, floors of the policy and the learner's own floors, one column per trial.
    settings = delay, budget, every_round, forward_score, own rule, policy sees variance; then the
    cursor: next trial, next label to learn, trials asked, stop.
    """
    delay, budget, every, forward_score = settings[0], settings[1], settings[2] != 0, settings[3] != 0
    own, sees = settings[4] != 0, settings[5] != 0
    total, problems = signs.shape
    d, groups = matrix.shape[1], factors.shape[0]
    scratch = np.empty((3, d + problems + 1))
    z = np.empty((groups, d, LANES))
    inverse = np.empty((groups, d))
    forms = np.zeros((groups, LANES))
    taken = np.empty((groups, LANES, LANES))
    used = np.zeros(groups, dtype=np.int64)
    lane = LANES
    for t in range(settings[6], settings[9]):
        if (own or sees) and lane == LANES:
            for g in range(groups):
                for b in range(LANES):
                    x = matrix[nodes[min(t + b, total - 1)]]
                    for i in range(d):
                        z[g, i, b] = x[i]
                for i in range(d):
                    inverse[g, i] = 1.0 / factors[g, i, i]
                forward_block(factors[g], z[g], forms[g])
                used[g] = 0
            lane = 0
        x = matrix[nodes[t]]
        first, second = -np.inf, -np.inf
        for c in range(problems):
            g, side = (c, 0) if groups == problems else (0, c)
            margin = dot(x, factors[g, d + side])
            if forward_score:
                margin = _score(x, factors[g], side, True, scratch[1])
            margins[t, c] = margin
            if margin > first:
                first, second = margin, first
            elif margin > second:
                second = margin
        if settings[8] < budget:
            wanted = settings[8] == 0
            if not wanted:
                sureness = abs(first) if problems == 1 else 0.5 * (first - second)
                limit = rules[0, t]
                spread = 0.0
                if sees:
                    form = forms[:, lane].max()
                    spread = form / (1.0 + form)
                    limit += rules[1, t] * np.sqrt(spread)
                if spread > rules[2, t] and sureness < limit:
                    for c in range(problems):
                        form = forms[c if groups == problems else 0, lane] if own else np.inf
                        if not own or form / (1.0 + form) > rules[3, t]:
                            codes[t, c] = ASKED
                            wanted = True
            else:
                codes[t, :] = ASKED
            if wanted:
                settings[8] += 1
        settings[6] = t + 1
        if t >= delay:
            due = settings[7]
            settings[7] += 1
            _teach(matrix[nodes[due]], signs[due], codes[due], factors, every, scratch)
            for g in range(groups):
                if lane >= LANES - 1 or codes[due, g] != LEARNT:
                    continue
                if delay > 0:
                    lane = LANES - 1  # the learnt node is not in this block: begin another
                else:
                    _correct(z[g], inverse[g], taken[g], used[g], lane, forms[g])
                    used[g] += 1
        if own or sees:
            lane += 1
    if settings[6] == total:
        for due in range(settings[7], total):
            _teach(matrix[nodes[due]], signs[due], codes[due], factors, every, scratch)
        settings[7] = total
