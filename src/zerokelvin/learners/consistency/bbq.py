"""Bound on bias query: asking by variance, learning from every answer.

The rule of `sslgc`, r_t > t^−κ, with an update on every query (Cesa-Bianchi, Gentile, Orabona 2009; the
algorithm that Theorem 7 of Gu, Aggarwal, Liu, Han 2013 is about). Whether to ask does not depend on any
label, so all classes share one covariance and one decision.

Label complexity. Each query has r_t > t^−κ, and Σ r_t ≤ ln det(A/μ) over the queries since all of them
update A. Hence, with B ≥ ‖m_t‖² and d coordinates,

    N_T ≤ T^κ Σ ln(1 + λ_i/μ) ≤ T^κ d ln(1 + N_T B / (d μ)).

The paper prints the last form without B, that is for ‖m_t‖ ≤ 1. A game always asks in its first trial,
where the rule itself never does (r_1 < 1 = 1^−κ); that one query is added.

Bound. Since asking ignores the labels, and every trial let pass has a small variance, what
holds of the mistakes extends to the trials let pass, with the formulas in `bbq_bounds`: `bound` on mistakes,
with labels of any kind, and `regret_bound`. A game notes its trials for that (`run.bound`); a state that
learns label by label, as in a session, bounds the mistakes on these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.bound import Bound
from zerokelvin.learners.base import OneVsRest, Progress, Trace, Trials, learner
from zerokelvin.learners.consistency.bbq_bounds import (
    PlayedGame,
    label_complexity,
    mistake_bound,
    regret_bound,
)
from zerokelvin.learners.consistency.sslgc import Sslgc
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.ridge import RidgeGame
from zerokelvin.learners.ridge.ridge_bounds import ridge_bound
from zerokelvin.learners.ridge.ridge_fit import RidgeFit
from zerokelvin.learners.ridge.ridge_problem import RidgeProblem

__all__ = ["Bbq"]

Nodes = Sequence[Any] | NDArray[Any]


class BbqFit(RidgeFit):
    """A problem that learns from every answer: its bounds, in coordinates and in dual variables alike."""

    game: PlayedGame | None = None

    def bound(self, labels: NDArray[np.int64], theorem: str | None = None) -> Bound:
        """The bound on mistakes after Theorem ``"7"``, mended; ``"3.1"``, ``"4"`` and ``"5"`` as for `ollgc`.

        It compares with the labels that were shown, so `labels` matter to the other theorems only.
        """
        if theorem in (None, "7"):
            return mistake_bound(self, self.game)
        return ridge_bound(self, labels, theorem)

    def queries_bound(self, trials: int, spectral: bool = True) -> Bound:
        """The bound on the number of labels asked for in `trials` trials; see `label_complexity`."""
        return label_complexity(self, trials, self.kappa or 0.0, spectral)

    def regret_bound(
        self,
        nodes: Nodes,
        weights: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        spectral: bool = True,
    ) -> Bound:
        """The bound on regret or mistakes over all trials, asked about or not; see `bbq_bounds`."""
        return regret_bound(self, nodes, weights, labels, spectral)


class BbqProblem(BbqFit, RidgeProblem):
    """One binary problem in coordinates, with the bounds of bbq."""


class BbqDualState(BbqFit, DualRidgeState):
    """One binary problem on the whole kernel."""


class BbqGame(RidgeGame[BbqProblem]):
    """Problems in coordinates, which share one covariance."""

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Play, and note nodes, labels and queries."""
        return noting(self.problems, trials, lambda: super(BbqGame, self).play(trials, progress))


class BbqDualGame(OneVsRest[BbqDualState]):
    """Problems on the whole kernel side by side."""

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Play, and note nodes, labels and queries."""
        return noting(self.states, trials, lambda: super(BbqDualGame, self).play(trials, progress))


def noting(problems: Sequence[BbqFit], trials: Trials, play: Callable[[], Trace]) -> Trace:
    """Play, and tell fresh problems all trials of the game, those they let pass as well."""
    fresh = all(problem.trials == 0 for problem in problems)
    trace = play()
    prompt = trials.delay == 0 and trials.gains is None and trials.budget >= len(trials.nodes)
    by_rule = prompt and bool(np.isposinf(trials.limits).all())
    for c, problem in enumerate(problems if fresh else ()):
        problem.game = PlayedGame(trials.nodes, trials.signs[:, c], trace.asked[:, c], by_rule)
    return trace


@learner("bbq")
@dataclass(frozen=True)
class Bbq(Sslgc):
    """Bound-on-bias querying: asks by variance, learns from every answer; parameters as for `Sslgc`.

    Examples
    --------
    >>> from zerokelvin.graph import Graph
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = Bbq(kappa=0.5).start(line)
    >>> for trial, node in enumerate([0, 1, 2, 3] * 10):
    ...     if state.ask(node, trial):
    ...         state.update(node, 1)
    >>> bound = state.queries_bound(trials=40)
    >>> state.trials, round(bound.value, 1), bound.holds
    (18, 50.3, True)

    Mistakes on all trials, in a game that asks in its first:

    >>> state, nodes, labels = Bbq(kappa=0.6).start(line), [0, 1, 2, 3] * 100, [1, 1, 1, -1]
    >>> for trial, node in enumerate(nodes):
    ...     if trial == 0 or state.ask(node, trial):
    ...         state.update(node, labels[node])
    >>> bound = state.regret_bound(nodes, labels=labels)
    >>> state.trials, round(bound.value, 1), bound.holds
    (138, 32.9, True)
    """

    purpose: ClassVar[str] = "asking for few labels with a proof that few are enough"
    choose: ClassVar[str] = (
        "labels cost money and a bound on their number matters more than the last per cent of errors"
    )
    cost: ClassVar[str] = (
        "an embedding of the graph once; then O(d) per prediction and O(d²) per label learnt, d the rank"
    )

    every_round: bool = True

    dual_game: ClassVar[type[OneVsRest[Any]]] = BbqDualGame

    @property
    def learns_always(self) -> bool:
        """True: a label that was asked for is learnt, whatever `every_round` says."""
        return True

    def in_coordinates(self, source: Coordinates, columns: int) -> BbqGame:
        """Problems that share one covariance and one decision."""
        return BbqGame([BbqProblem(source, self.mu, True, self.kappa) for _ in range(columns)], shared=True)

    def in_dual_variables(self, source: KernelPoints) -> BbqDualState:
        """One binary problem on the whole kernel."""
        return BbqDualState(source, self.mu, True, self.kappa)
