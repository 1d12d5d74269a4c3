"""Asking until a share 1 − α of all nodes comes out right, those asked for counted as right.

Nodes whose risk, one minus the probability of the class predicted, is above a limit θ are asked; of the
others one in ten all the same, at random. An answer therefore stands for 1/π trials, π being 1 or 1/10, and
the errors that would have gone out unasked under any other limit can be estimated without bias (Horvitz and
Thompson 1952):

    error(θ) = Σ wrong/π over answers of risk ≤ θ, divided by Σ 1/π over all answers,
    deviation(θ) = √(Σ wrong (1 − π)/π² over the former), divided by the same.

Each time the answers have grown by a twentieth, θ becomes the largest risk with error + deviation ≤ α, one
error being added to be on the safe side, by the later half of the answers, as the learner gets better. No
trust is put in the probabilities beyond their order, and random answers never end, so that it cannot stall.
Where a budget has ended them, error(1) is what goes out wrong from then on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.coin_hash import coins

__all__ = ["AUDITS", "ENOUGH", "Target"]

AUDITS = 0.1
"""Share of the nodes of small risk that are asked all the same."""

ENOUGH = 30
"""Answers before any is thought unnecessary."""


class Target:
    """When to ask so that a share 1 − `share` of the nodes comes out right; see the module.

    >>> target = Target(0.1, seed=0)
    >>> for node in range(60):
    ...     target.learn(node, risk=0.5 if node % 4 == 0 else 0.1, wrong=node % 4 == 0)
    >>> target.limit, target.wants(60, risk=0.4), round(target.error, 3)
    (0.1, True, 0.0)
    """

    def __init__(self, share: float, seed: int) -> None:
        self.share = share
        self.seed = seed
        self.limit = -1.0  # the largest risk that is not worth a question
        self.error: float | None = None  # estimated share of errors that go out unasked
        self.blind: float | None = None  # the same, were nothing asked any more
        self._answers: list[tuple[float, bool, float]] = []  # risk, whether wrong, 1/π
        self._next = ENOUGH

    def is_audit(self, node: int) -> bool:
        """Whether a node is one of those asked at random."""
        return bool(coins(self.seed, np.array([node]))[0] < AUDITS)

    def wants(self, node: int, risk: float) -> bool:
        """Whether to ask for a node of some risk."""
        return risk > self.limit or self.is_audit(node)

    def learn(self, node: int, risk: float, wrong: bool) -> None:
        """Take an answer. One that was not asked for stands for itself alone."""
        sampled = risk <= self.limit and self.is_audit(node)
        self._answers.append((risk, wrong, 1.0 / AUDITS if sampled else 1.0))
        if len(self._answers) >= self._next:
            self._next = len(self._answers) + max(1, len(self._answers) // 20)
            self._set_limit()

    def snapshot(self) -> dict[str, NDArray[np.float64]]:
        """All that answers change, as arrays; NaN for an estimate that is not known yet."""
        known = (self.limit, self.error, self.blind, self._next)
        limits = np.array([np.nan if value is None else value for value in known], dtype=np.float64)
        return {"limits": limits, "answers": np.array(self._answers, dtype=np.float64).reshape(-1, 3)}

    def restore(self, arrays: Mapping[str, NDArray[np.float64]]) -> None:
        """Bring one without answers to where `snapshot` was taken."""
        limit, error, blind, following = arrays["limits"].tolist()
        self.limit, self._next = limit, int(following)
        self.error, self.blind = (None if math.isnan(value) else value for value in (error, blind))
        self._answers = [(risk, bool(wrong), weight) for risk, wrong, weight in arrays["answers"].tolist()]

    def _set_limit(self) -> None:
        """Set `limit`, `error` and `blind` from the answers so far; see the module for the estimate."""
        late = self._answers[len(self._answers) // 2 :] if len(self._answers) > 2 * ENOUGH else self._answers
        risks, wrong, weights = np.array(late).T
        ranks = np.argsort(risks, kind="stable")
        errors = np.cumsum((wrong * weights)[ranks]) / weights.sum()
        spread = np.sqrt(np.cumsum((wrong * weights * (weights - 1.0))[ranks])) / weights.sum()
        safe = errors + spread + 1.0 / weights.sum()
        last = np.append(risks[ranks][1:] > risks[ranks][:-1], True)  # a limit takes all of equal risk
        fits = np.flatnonzero((safe <= self.share) & last)
        within = int(fits[-1]) if len(fits) else -1
        self.error = float(errors[within]) if within >= 0 else 0.0
        self.blind = float(errors[-1])
        self.limit = float(risks[ranks][within]) if within >= 0 else -1.0
        if within == len(ranks) - 1:
            self.limit = math.inf
