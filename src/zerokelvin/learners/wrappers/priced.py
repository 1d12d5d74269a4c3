"""A learner whose margins are money: what its decision saves against being undecided, by given costs.

With p the probability of the class sought and ℓ(p) what the cheaper of passing over and flagging is expected
to cost (`zerokelvin.asking.costs`), the class is ahead of the others by ℓ* − ℓ(p) where the node is flagged,
and as far behind where it is not. So whatever goes by margins, predictions, questions and their order, goes
by costs. Of several classes only that one is weighed: the order of the others stays the learner's.

Costs want probabilities that are right where they are small. Those of the learner are therefore corrected by
what came of them: with intervals of their log odds, `WIDTH` wide, N labels in one of them, y of which of the
class, and q the learner's probability,

    p = (S q + y) / (S + N),        S = STRENGTH labels' worth of trust in the learner.

That is histogram binning (Zadrozny and Elkan 2001) with the learner as its prior. Whether a label is asked
for depends on p and a coin, so within an interval the labels are a fair sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.costs import Costs
from zerokelvin.asking.policies import Policy
from zerokelvin.bound import Bound
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners.base import Game, Learner
from zerokelvin.learners.base.state import no_bound
from zerokelvin.learners.wrappers.seeking import Seeking, SeekingGame

__all__ = ["Priced", "PricedGame", "priced"]

WIDTH, FARTHEST = 0.5, 8.0
"""Width of the intervals of log odds, a factor of 1.65 in p, and the log odds where the outer ones begin."""

STRENGTH = 20.0
"""Labels that the learner's own probability counts for in its interval."""

EVEN = Costs(1.0, 1.0, 0.0)
"""Prices by which mistakes are counted and questions are free."""

LEAST = 1e-9
"""Leads at least, as a share of the largest: so no node is tied. Until the class is clear none is more."""

SEEN, FOUND = "0/priced-seen", "0/priced-found"
"""In a snapshot: the labels in every interval of every class, and those of the class."""


class PricedGame(SeekingGame):
    """A game whose margins are what its decisions save; see the module."""

    decides_alone = True

    def __init__(
        self, inner: Game, domain: Graph | Features, calibrated: bool, code: int, seed: int, costs: Costs
    ) -> None:
        super().__init__(inner, domain, calibrated, code, seed)
        self.costs = costs
        intervals = 2 + int(2 * FARTHEST / WIDTH)
        self.seen = np.zeros((inner.classes, intervals))
        self.found = np.zeros((inner.classes, intervals))

    def corrected(self, nodes: Any, margins: Floats) -> Floats:
        """The probability of every class at nodes of these margins, corrected; rows add up to 1."""
        raw = self.told(nodes, margins)
        if not self.clear:
            return raw
        own = self.sought
        at = _interval(raw[:, own])
        seen, found = self.seen[own, at], self.found[own, at]
        chances = (STRENGTH * raw[:, own] + found) / (STRENGTH + seen)
        rest = 1.0 - raw[:, own]
        share = np.where(rest > 0, (1.0 - chances) / np.where(rest > 0, rest, 1.0), 0.0)
        corrected = raw * share[:, None]
        spare = np.where(rest > 0, 0.0, (1.0 - chances) / max(1, raw.shape[1] - 1))
        corrected += spare[:, None]
        corrected[:, own] = chances
        return corrected

    def scores(self, nodes: Any) -> Floats:
        """What the decision at each node saves, (nodes, problems)."""
        return self._priced(nodes, self.inner.scores(nodes))

    def score(self, node: Any) -> Floats:
        """What the decision at one node saves."""
        return self._priced([node], self.inner.score(node)[None, :])[0]

    def _priced(self, nodes: Any, margins: Floats) -> Floats:
        if not self.counts.any():
            return margins
        least, own = LEAST * self.costs.most, self.sought
        if not self.clear:  # every label is asked for, and the learner predicts as ever
            size = np.abs(margins).max(axis=1, keepdims=True)
            return least * np.divide(margins, size, out=np.zeros_like(margins), where=size > 0)
        chances = self.corrected(nodes, margins)[:, own]
        lead = np.maximum(self.costs.most - self.costs.losses(chances), least)
        signs = np.where(self.costs.flags(chances), 1.0, -1.0)
        if margins.shape[1] == 1:
            return (lead * signs * (1.0 if own == 1 else -1.0))[:, None]
        others = margins.copy()
        others[:, own] = -np.inf
        best = others.max(axis=1, keepdims=True)
        top = (-lead * signs)[:, None]  # the margin of the best of the others
        below = np.where(others < best, np.minimum(top, -lead[:, None]) - (best - others), top)
        below[:, own] = lead * signs
        return below

    def chances(self, node: Any) -> Floats | None:
        """The corrected probability of each class."""
        return self.corrected([node], self.inner.score(node)[None, :])[0] if self.counts.any() else None

    def chances_of(self, nodes: Any) -> Floats | None:
        """The corrected probabilities of several nodes, (nodes, classes)."""
        return self.corrected(nodes, self.inner.scores(nodes)) if self.counts.any() else None

    def suspicions(self, nodes: Any) -> Floats:
        """The corrected probability that nodes are of the class sought."""
        return self.corrected(nodes, self.inner.scores(nodes))[:, self.sought]

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Let the inner game learn, and note what came of its probabilities."""
        self._note(node, self.inner.score(node), code)
        super().learn(node, code, wanted)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, and note what came of the probabilities before each."""
        self.scores_in_order(nodes, codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order: what the decision before each saved."""
        margins = self.inner.scores_in_order(nodes, codes)
        priced = np.full_like(margins, np.nan)
        for t, (node, code) in enumerate(zip(nodes, codes.tolist(), strict=True)):
            priced[t] = self._priced([node], margins[t : t + 1])[0]
            self._note(node, margins[t], code)
            self._count(node, code)
        return priced

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> None:
        """None: a copy is made instead."""

    def _note(self, node: Any, margins: Floats, code: int) -> None:
        """Note what class a node has whose margins are these; before any label they say nothing."""
        if self.counts.any():
            at = _interval(self.told([node], margins[None, :])[0])
            self.seen[np.arange(self.classes), at] += 1.0
            self.found[code, at[code]] += 1.0

    def _own(self) -> dict[str, NDArray[Any]]:
        return super()._own() | {SEEN: self.seen, FOUND: self.found}

    def _around(self, inner: Game) -> SeekingGame:
        other = super()._around(inner)
        if isinstance(other, PricedGame):  # a copy of this one
            other.seen, other.found = self.seen.copy(), self.found.copy()
        return other

    def remark(self, node: Any, column: int) -> str:
        """The learner's remark, and from which probability on the class sought is predicted."""
        costs = self.costs
        what = "the class sought" if costs.label is None else f"'{costs.label}'"
        said = f"{what} is predicted from probability {costs.threshold:.3g} on"
        remark = self.inner.remark(node, column)
        return f"{remark}, and {said}" if remark else said

    def bound(self, labels: Any) -> Bound:
        """None is known: that of the learner counts mistakes, whatever they cost."""
        return no_bound()


@dataclass(frozen=True)
class Priced(Seeking):
    """A learner that decides by costs; see the module."""

    prices: Costs = EVEN

    has_value: ClassVar[bool] = False

    @property
    def costs(self) -> Costs:
        """The prices by which it decides."""
        return self.prices

    def goes_by_name(self) -> bool:
        """Whether the inner learner does."""
        return self.inner.goes_by_name()

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game around the inner one."""
        ready = self.inner.prepare(graph) if prepared is None else prepared
        inner = self.inner.start_game(graph, classes, ready, seed)
        return PricedGame(inner, graph, self.inner.calibrated, self.code, seed, self.prices)


def priced(learner: Learner, policy: Policy) -> Learner:
    """The learner itself, or one that decides by costs where the policy has some.

    >>> from zerokelvin.learners import make, parse_policy
    >>> priced(make("nearest"), parse_policy("costs:miss=20,alarm=1,ask=0.5")).costs.miss
    20.0
    """
    return Priced(learner, policy.label, prices=policy) if isinstance(policy, Costs) else learner


def _interval(chances: Floats) -> Ints:
    """The interval of log odds in which each probability lies."""
    with np.errstate(divide="ignore"):
        odds = np.log(chances) - np.log1p(-chances)
    places: Ints = np.clip(np.floor((odds + FARTHEST) / WIDTH), -1, 2 * FARTHEST / WIDTH).astype(np.int64)
    return places + 1
