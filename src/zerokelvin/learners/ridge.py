"""Ridge regression in coordinates, online: the engine of `ollgc`, `sslgc`, `bbq` and `second-order`.

A state keeps A = aI + Σ x xᵀ and v = Σ y x over the trials it learnt from, as the factorisation of
`zerokelvin.linalg.ldl`, and predicts with

    linear score    w·x,  w = A⁻¹v
    forward score   vᵀ(A + x xᵀ)⁻¹x = w·x / (1 + r),  r = xᵀA⁻¹x

which have the same sign. It learns where its prediction was wrong, or in every round. The variance is
r_t = r / (1 + r), the form of the matrix that includes the current node, below 1.

`RidgeProblems` plays the classes side by side in compiled code (`ridge_game`). Learning only from mistakes,
each class has its own A; learning in every round, one A serves all classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import SessionError
from zerokelvin.learners.asking import variance_floors
from zerokelvin.learners.base import Problems, Progress, State, Trace, Trials, sign
from zerokelvin.learners.instances import Coordinates
from zerokelvin.learners.ridge_game import LEARNT, play_ridge, scores_of
from zerokelvin.learners.trial_log import LoggedState
from zerokelvin.linalg.ldl import dot, empty_factor, forward, learn, unpack

__all__ = ["RidgeProblems", "RidgeState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

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
        return scores_of(self.source.matrix, nodes, self.factor, self.side, self.forward_score)

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
            play_ridge(
                matrix, trials.nodes, trials.signs, rules, settings, self.factors, trace.margins, codes
            )
            if progress is not None:
                progress(int(settings[9]))
        trace.asked[:] = codes > 0
        for c, state in enumerate(self.ridges):
            chosen = codes[:, c] > 0
            state.note_all(trials.nodes[chosen], trials.signs[chosen, c], codes[chosen, c] == LEARNT)
        return trace
