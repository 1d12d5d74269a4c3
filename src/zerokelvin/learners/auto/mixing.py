"""The mixture of `auto`: what experts say about a node becomes one class and one probability for each.

Expert k gives class c the evidence v_k(c), turned into the share q_k(c) ∝ max(v_k(c), 0) + f_k / C with a
floor f_k per expert. Beside the experts stand the class frequencies so far and a logistic combination
(`learners.auto.hedge`) of ln q_k for everyone of these and of v_k, between −1 and 2 and less its mean over
the classes, for regressions: a share tells how the evidence divides, v_k also how much there is, and that a
class is below nothing. Its weights begin where they were on other graphs (`learners.auto.learnt_weights`).
Everyone votes,

    p(c) = (1 − s) [c is its most likely class] + s q(c),    s = 0.01,

AdaHedge weighs the votes by the losses 1 − p(true class), starting with Δ₀ = `START`, the weights `PRIOR` for
the frequencies and the combination and equal ones for the experts; the class of largest Σ w p wins. The
probabilities given out are the combination's.

Where some experts use attributes of the nodes, the combination stays that of the graph's experts, so that
attributes which say nothing cost it nothing, and two more are weighed beside it: one of the attributes'
experts and one of everybody, whose weights begin where they were on graphs with attributes that told much,
little or nothing. The probabilities are then the combinations', weighed by how well each has predicted so
far, ∝ exp(−its logarithmic loss): the Bayesian mixture of three, whose logarithmic loss is at most ln 3 above
the best one's.

Bound. Where the prediction is wrong, the true class has at most half of the votes, so AdaHedge suffers at
least ½; and it suffers at most min_k { L_k + (1 + ln(1/π_k) / ln K) Δ } − Δ₀. Mistakes are at most twice that
at every time.

Above 300 lines: one class and its two kernels, judging and learning, which share the rows and the rules.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.learners.auto.hedge import (
    combine,
    hedge_learn,
    hedge_weights,
    largest,
    newton_step,
    prior_covariance,
)
from zerokelvin.learners.auto.learnt_weights import (
    FREQUENCIES,
    LEARNT,
    LEARNT_OF_ATTRIBUTES,
    LEARNT_OF_EVERYTHING,
    learnt_weights,
)
from zerokelvin.learners.auto.settings import (
    ATTRIBUTE_PRIOR,
    FARTHEST,
    PRIOR,
    SOFT,
    START,
    STRETCH,
)
from zerokelvin.learners.base.ties import DEAD_ZONE, first_largest, settle
from zerokelvin.threads import in_threads

__all__ = ["Mixing", "fill_rows"]


CHANGING = ("counts", "means", "covariance", "losses", "totals", "surprise", "mistakes")
"""The arrays of a `Mixing` that learning changes."""

HEARD = "means-heard"
"""What the means of the weights are saved as where nodes have attributes: files from before the values of
their experts were heard have other rows under the old name, and their events are learnt again."""

PART = 1 << 12
"""Nodes that one thread judges at once: a few milliseconds, so that threads end at about the same time."""


class Said(NamedTuple):
    """What everyone said about the node judged last.

    The rows of the combinations, logarithms of the shares q (experts and frequencies, classes) and then the
    estimates (of whom there are some, classes); the probabilities of the combinations, and at the end
    together (combinations + 1, classes); the votes p and the weights of everyone; the class predicted.
    """

    rows: Floats
    chances: Floats
    votes: Floats
    weights: Floats
    winner: Ints


class Mixing:
    """Who is trusted, and what all say together.

    Parameters
    ----------
    floors
        The floor f of each expert.
    estimates
        Which experts' evidence estimates whether a node is of a class, and enters the combination as it is.
    classes
        Number of classes.
    attributes
        Which experts use attributes: none by default.
    names
        The names of the experts, by which weights were learnt elsewhere; experts without one begin unheard.

    Examples
    --------
    >>> mixing = Mixing([0.05, 0.05], [True, False], classes=2)
    >>> for _ in range(20):
    ...     winner, chances = mixing.judge(np.array([[0.9, 0.1], [0.2, 0.8]]))
    ...     mixing.learn(0)
    >>> winner, bool(chances[0] > 0.8), bool(mixing.trust[0] > mixing.trust[1])
    (0, True, True)
    """

    def __init__(
        self,
        floors: Sequence[float],
        estimates: Sequence[bool],
        classes: int,
        attributes: Sequence[bool] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        experts = len(floors)
        self.floors = np.array(floors, dtype=np.float64)
        self.estimates = np.flatnonzero(estimates)
        known = np.zeros(experts, dtype=np.bool_) if attributes is None else np.array(attributes)
        self.groups = _groups(known, self.estimates)
        self.counts = np.zeros(classes)
        named = [""] * experts if names is None else list(names)
        beliefs = _beliefs(self.groups, [*named, FREQUENCIES], self.estimates)
        self.means = np.array([[*mean, *np.zeros(classes)] for mean, _ in beliefs])
        self.covariance = np.stack([prior_covariance(own, classes) for _, own in beliefs])
        self.prior = _prior(known)
        self._logs_of_prior = np.log(self.prior)
        self.losses = np.zeros(len(self.prior))
        self.totals = np.array([START, 0.0])
        self.surprise = np.zeros(len(self.groups))  # the logarithmic losses of the combinations
        self.mistakes = np.zeros(1, dtype=np.int64)
        self._said = self._unsaid()

    @property
    def gap(self) -> float:
        """The mixability gap Δ, the one at the start included."""
        return float(self.totals[0])

    @property
    def limits(self) -> Floats:
        """What AdaHedge has lost at most, by each of those it weighs: the least of these holds."""
        rest = 1.0 - self._logs_of_prior / np.log(len(self.prior))
        limits: Floats = self.losses + rest * self.gap - START
        return limits

    @property
    def trust(self) -> Floats:
        """The weights of the experts, the class frequencies and the combinations."""
        result = np.full(len(self.losses), np.nan)
        hedge_weights(self._logs_of_prior, self.losses, self.totals, result)
        return result

    def judge(self, values: Floats) -> tuple[int, Floats]:
        """The class predicted and the probabilities, from the evidence (experts, classes)."""
        winner = _judge(np.ascontiguousarray(values)[:, None], 0, self._rules, self._state, self._said)
        return int(winner), self._said.chances[-1].copy()

    def judge_all(self, values: Floats) -> tuple[Ints, Floats]:
        """The same for several nodes, (experts, nodes, classes): classes predicted, and probabilities."""
        _, count, classes = values.shape
        winners, chances = np.full(count, -1), np.full((count, classes), np.nan)

        def judge_part(start: int) -> None:
            nodes = np.arange(start, min(start + PART, count))
            _judge_all(values, nodes, self._rules, self._state, self._unsaid(), winners, chances)

        in_threads([partial(judge_part, start) for start in range(0, count, PART)])
        return winners, chances

    def learn(self, code: int) -> None:
        """Reveal the class of the node judged last."""
        _learn(self._rules, self._state, self._said, code)

    def play(self, values: Floats, codes: Ints) -> tuple[Ints, Floats]:
        """Judge and learn over trials, (experts, trials, classes): classes predicted, and probabilities."""
        winners = np.full(len(codes), -1)
        chances = np.full((len(codes), len(self.counts)), np.nan)
        _play(values, codes, self._rules, self._state, self._said, winners, chances)
        return winners, chances

    def parts(self) -> dict[str, NDArray[Any]]:
        """The arrays that learning changes, by the names they are saved under."""
        names = [HEARD if name == "means" and len(self.groups) > 1 else name for name in CHANGING]
        return dict(zip(names, self._state, strict=True))

    def twin(self) -> Mixing:
        """Another mixing at the same place."""
        other = copy.copy(self)
        for name in CHANGING:
            setattr(other, name, getattr(self, name).copy())
        other._said = copy.deepcopy(self._said)
        return other

    def _unsaid(self) -> Said:
        """Room for what everyone says about a node."""
        everyone, classes = len(self.losses), len(self.counts)
        return Said(
            np.zeros((self.groups.shape[1], classes)),
            np.zeros((len(self.groups) + 1, classes)),
            np.zeros((everyone, classes)),
            np.zeros(everyone),
            np.zeros(1, dtype=np.int64),
        )

    @property
    def _rules(self) -> Any:
        return self.floors, self.groups, self._logs_of_prior, self.estimates

    @property
    def _state(self) -> Any:
        return tuple(getattr(self, name) for name in CHANGING)


def _groups(known: Bools, estimates: Ints) -> Bools:
    """Which rows every combination uses: the frequencies, behind the experts, are everybody's."""
    voices = [~known, known, np.ones_like(known)] if known.any() else [~known]
    return np.array([[*own, True, *own[estimates]] for own in voices])


def _beliefs(groups: Bools, names: Sequence[str], estimates: Ints) -> list[tuple[Floats, Floats]]:
    """Mean and covariance of every combination's weights before any label, 0 outside its rows."""
    beliefs = []
    for group, learnt in zip(groups, (LEARNT, LEARNT_OF_ATTRIBUTES, LEARNT_OF_EVERYTHING), strict=False):
        mean, covariance = learnt_weights(names, [names[k] for k in estimates], learnt)
        beliefs.append((group * mean, np.outer(group, group) * covariance))
    return beliefs


def _prior(known: Bools) -> Floats:
    """The weights of experts, frequencies and combinations before any label."""
    share, *others = ATTRIBUTE_PRIOR if known.any() else (0.0, *PRIOR)
    own = (1.0 - share - sum(others)) / max(1, int(np.count_nonzero(~known)))
    experts = np.where(known, share / max(1, int(np.count_nonzero(known))), own)
    return np.array([*experts, *others])


@kernel
def fill_rows(values: Any, t: int, floors: Any, estimates: Any, counts: Any, rows: Any) -> None:
    """The rows of the combination at a node, from the evidence values[:, t]: ln q, then the estimates."""
    experts, _, classes = values.shape
    for k in range(experts + 1):
        total = 0.0
        for c in range(classes):
            share = counts[c] + 1.0 if k == experts else max(values[k, t, c], 0.0) + floors[k] / classes
            rows[k, c] = share
            total += share
        for c in range(classes):
            rows[k, c] = math.log(rows[k, c] / total)
    low, high = FARTHEST
    for e in range(len(estimates)):
        k, mean = experts + 1 + e, 0.0
        for c in range(classes):
            rows[k, c] = min(max(values[estimates[e], t, c], low), high)
            mean += rows[k, c] / classes
        for c in range(classes):
            rows[k, c] = STRETCH * (rows[k, c] - mean)


@kernel
def _judge(values: Any, t: int, rules: Any, state: Any, said: Said) -> int:
    """Fill in what everyone says about a node, from the evidence values[:, t]; the class predicted."""
    floors, _, prior, estimates = rules
    counts, means, _, losses, totals, surprise, _ = state
    rows, chances, votes, weights, winner = said
    experts, _, classes = values.shape
    fill_rows(values, t, floors, estimates, counts, rows)
    for k in range(experts + 1):
        for c in range(classes):
            votes[k, c] = math.exp(rows[k, c])
    groups = len(surprise)
    for c in range(classes):
        chances[groups, c] = 0.0
    for g in range(groups):
        combine(means[g], rows, chances[g])  # weights outside the group are 0
        total = 0.0
        for h in range(groups):
            total += math.exp(min(surprise[g] - surprise[h], 700.0))
        for c in range(classes):
            votes[experts + 1 + g, c] = chances[g, c]
            chances[groups, c] += chances[g, c] / total
    hedge_weights(prior, losses, totals, weights)
    together = np.zeros(classes)
    for k in range(len(votes)):
        top = largest(votes[k])
        leaders = 0
        for c in range(classes):
            leaders += votes[k, c] >= top - DEAD_ZONE
        for c in range(classes):
            lead = (1.0 - SOFT) / leaders if votes[k, c] >= top - DEAD_ZONE else 0.0
            votes[k, c] = SOFT * votes[k, c] + lead
            together[c] += weights[k] * votes[k, c]
    winner[0] = first_largest(together)
    if classes == 2:  # a tie of two is +1, as everywhere in the package
        winner[0] = 1 if settle(together[1] - together[0], 1.0) >= 0 else 0
    return winner[0]


@kernel
def _learn(rules: Any, state: Any, said: Said, code: int) -> None:
    """Reveal the class of the node judged last."""
    _, groups, prior, _ = rules
    counts, means, covariance, losses, totals, surprise, mistakes = state
    rows, chances, votes, weights, winner = said
    mistakes[0] += winner[0] != code
    suffered = np.empty(len(votes))
    for k in range(len(votes)):
        suffered[k] = 1.0 - votes[k, code]
    hedge_learn(prior, losses, totals, weights, suffered)
    for g in range(len(surprise)):
        surprise[g] -= math.log(chances[g, code]) if chances[g, code] > 0.0 else -np.inf
        used = np.empty(rows.shape)
        for k in range(len(rows)):
            for c in range(rows.shape[1]):
                used[k, c] = rows[k, c] if groups[g, k] else 0.0
        newton_step(means[g], covariance[g], used, chances[g], code)
    counts[code] += 1.0


@kernel
def _judge_all(
    values: Any, nodes: Any, rules: Any, state: Any, said: Said, winners: Any, chances: Any
) -> None:
    for t in nodes:
        winners[t] = _judge(values, t, rules, state, said)
        for c in range(chances.shape[1]):  # a row at once would be compiled for two seconds longer
            chances[t, c] = said.chances[-1, c]


@kernel
def _play(values: Any, codes: Any, rules: Any, state: Any, said: Said, winners: Any, chances: Any) -> None:
    for t in range(len(codes)):
        winners[t] = _judge(values, t, rules, state, said)
        for c in range(chances.shape[1]):
            chances[t, c] = said.chances[-1, c]
        _learn(rules, state, said, codes[t])
