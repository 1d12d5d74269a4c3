"""Ridge regression in coordinates, online: the engine of `ollgc`, `sslgc`, `bbq` and `second-order`.

A state keeps the inverse of A = aI + Σ x xᵀ over the trials it learnt from, and with v = Σ y x the weights
w = A⁻¹v, in a workspace of `zerokelvin.least_squares.growing_inverse`. It predicts with

    linear score    w·x
    forward score   vᵀ(A + x xᵀ)⁻¹x = w·x / (1 + r),  r = xᵀA⁻¹x

which have the same sign. It learns where its prediction was wrong, or in every round. The variance is
r_t = r / (1 + r), the form of the matrix that includes the current node, below 1.

`RidgeGame` plays the classes side by side in compiled code (`ridge_game`). Learning only from mistakes,
each class has its own A; learning in every round, one A serves all classes. The trials learnt are in the
log, so what an inverse needs to be computed afresh is never copied.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN
from zerokelvin.asking.variance import variance_floors
from zerokelvin.errors import SessionError
from zerokelvin.learners.base import OneVsRest, Progress, Trace, Trials, sign
from zerokelvin.learners.ridge.instances import Coordinates
from zerokelvin.learners.ridge.ridge_game import DUE, LEARNT, NEXT, STOP, linear_score, play_ridge, scores_of
from zerokelvin.learners.ridge.trial_log import LoggedState
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
from zerokelvin.machine.lanes import aligned

__all__ = ["RidgeGame", "RidgeState"]


CHUNK = 4096


class RidgeState(LoggedState):
    """One binary problem: the inverse with its weights, and the trials learnt.

    `a` is the ridge; `every_round` learns from every label; `kappa` makes it ask only where the variance
    is above t^−κ; `forward_score` divides the score by 1 + r.
    """

    fields: ClassVar[tuple[str, ...]] = ("kept", *LoggedState.log)

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
        self.kept = empty_inverse(self.dimension, a)
        self.sides, self.side = 1, 0

    @property
    def weights(self) -> Floats:
        """The weights w = A⁻¹v."""
        return self.kept[2 + self.side, : self.dimension]

    def margin(self, node: Any) -> float:
        """The linear or forward score of a node index or a new vector."""
        x = self.source.vector(node)
        score = float(linear_score(x, self.kept[2 + self.side]))
        return score / (1.0 + self.form(x)) if self.forward_score else score

    def margins(self, nodes: Ints) -> Floats:
        """The scores of several nodes."""
        matrix = self.source.matrix
        return scores_of(matrix, nodes, self.kept, self.sides, self.side, self.forward_score)

    def form(self, x: Floats) -> float:
        """The form r = xᵀA⁻¹x."""
        return float(form_of(self.kept, self.sides, x, np.empty((2, self.kept.shape[1]))))

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
        if self.sides > 1:
            raise SessionError(
                "this problem shares one covariance with the other classes; update them together."
            )
        x = self.source.vector(node)
        wrong = sign(float(linear_score(x, self.kept[2]))) != label
        learnt = bool((self.every_round or wrong) and x.any())
        if learnt:
            learn_row(self.kept, x, np.array([float(label)]), np.empty((2, self.kept.shape[1])))
        self.note(node, label, learnt)
        if learnt and due(self.kept):
            self.refresh([self])

    def refresh(self, problems: Sequence[RidgeState]) -> None:
        """Compute the inverse and the weights of the problems on it afresh from the log."""
        since = int(self.kept[0, 0])
        rows = self.last_learnt(self.source, since)[0]
        refresh(self.kept, rows, np.stack([one.last_learnt(None, since)[1] for one in problems], axis=1))

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share α_t x_t·x of the score, where w = Σ α_t x_t."""
        x = self.source.vector(node)
        rows, labels = self._learnt()
        duals = (labels - rows @ self.weights) / self.a  # from (aI + Σ x xᵀ) w = Σ y x
        scale = 1.0 / (1.0 + self.form(x)) if self.forward_score else 1.0
        return self.explain_from(rows @ x, scale * duals)

    def losses(self) -> Floats:
        """(ŷ_t − y_t)² of the learnt trials, with the linear score before each was learnt."""
        again = RidgeState(self.source, self.a, every_round=True)
        rows, labels = self._learnt()
        losses = np.zeros(len(rows))
        scratch = np.empty((2, self.kept.shape[1]))
        for t, (x, y) in enumerate(zip(rows, labels, strict=True)):
            losses[t] = (float(score_row(x, again.weights)) - y) ** 2
            learn_row(again.kept, x, np.array([y]), scratch)
            if due(again.kept):
                since = int(again.kept[0, 0])
                refresh(again.kept, rows[t + 1 - since : t + 1], labels[t + 1 - since : t + 1, None])
        return losses

    def log_determinant(self) -> float:
        """The sum Σ ln(1 + λ_i/a) = ln det(A/a), λ_i the eigenvalues of Σ x xᵀ over the learnt trials."""
        return float(2.0 * np.log(np.abs(np.diag(self._triangle())) / math.sqrt(self.a)).sum())

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

    def _triangle(self) -> Floats:
        """R with RᵀR = A, the rows since the last refresh included."""
        d = self.dimension
        rows, _ = self.last_learnt(self.source, int(self.kept[0, 0]))
        base = triangle_of(self.kept, self.sides)[:d, :d]
        return np.asarray(np.linalg.qr(np.vstack([base, rows]), mode="r"), dtype=np.float64)

    def _learnt(self) -> tuple[Floats, Floats]:
        return self.last_learnt(self.source, self.mistakes)


class RidgeGame(OneVsRest[RidgeState]):
    """Ridge states side by side, with one inverse each or one for all."""

    def __init__(self, states: Sequence[RidgeState], shared: bool = False) -> None:
        super().__init__(states)
        first, count = self.states[0], len(self.states)
        self.shared = shared and count > 1
        sides = count if self.shared else 1
        fresh = empty_inverse(first.dimension, first.a, sides)
        self.kept = aligned((1 if self.shared else count) * fresh.size).reshape(-1, *fresh.shape)
        self.kept[:] = fresh
        for c, state in enumerate(self.states):
            state.kept = self.kept[0 if self.shared else c]  # a view: the game moves them together
            state.sides, state.side = sides, c if self.shared else 0
            if self.shared and c > 0:
                state.fields = LoggedState.log  # type: ignore[misc]  # saved once, with the first

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Give every problem its label; with a shared covariance, all at once."""
        if not self.shared:
            super().learn(node, code, wanted)
            return
        x = self.states[0].source.vector(node)
        labels = np.array(self.labels(code), dtype=np.float64)
        if x.any():
            learn_row(self.kept[0], x, labels, np.empty((2, self.kept.shape[2])))
        for state, label in zip(self.states, labels, strict=True):
            state.note(node, int(label), bool(x.any()))
        self._refresh()

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The whole game in compiled code."""
        first, total = self.states[0], len(trials.nodes)
        rules = np.zeros((5, total))
        rules[4] = first.source.lengths[trials.nodes]
        rules[0] = trials.limits
        rules[1], rules[2] = NO_GAIN, NO_FLOOR
        if trials.gains is not None and trials.floors is not None:
            rules[1], rules[2] = trials.gains, trials.floors
        if first.kappa is not None:
            floors = variance_floors(first.kappa, np.arange(total))
            below = floors < 1.0
            rules[3] = np.inf
            rules[3, below] = floors[below] / (1.0 - floors[below])  # r/(1 + r) > floor as a bar on r
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
        noted = 0
        while settings[DUE] < total:
            settings[STOP] = min(int(settings[NEXT]) + step, total)
            matrix = first.source.matrix
            play_ridge(matrix, trials.nodes, trials.signs, rules, settings, self.kept, trace.margins, codes)
            if any(due(one) for one in self.kept):
                noted = self._note(trials, codes, noted, int(settings[DUE]))
                self._refresh()
            if progress is not None:
                progress(int(settings[NEXT]))
        trace.asked[:] = codes > 0
        self._note(trials, codes, noted, total)
        return trace

    def _note(self, trials: Trials, codes: NDArray[np.int8], begin: int, end: int) -> int:
        """Put the trials whose labels have come into the logs."""
        for c, state in enumerate(self.states):
            came = codes[begin:end, c] > 0
            chosen = slice(begin, end) if came.all() else begin + np.flatnonzero(came)
            state.note_all(trials.nodes[chosen], trials.signs[chosen, c], codes[chosen, c] == LEARNT)
        return end

    def _refresh(self) -> None:
        groups = [list(self.states)] if self.shared else [[state] for state in self.states]
        for group in groups:
            if due(group[0].kept):
                group[0].refresh(group)
