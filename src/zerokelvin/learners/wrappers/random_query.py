"""Random querying on top of any learner: every label is asked for with probability p.

A baseline (Gu, Aggarwal, Liu, Han 2013, section 6.6), there on top of the perceptron. The coin of a
trial is a hash of the seed and the trial's number, the same for all classes, so that one answer serves all.
If the inner learner is selective too, a label is asked for where both want it.

Bound: what holds of the inner learner's mistakes on the trials asked about still does; of the others nothing
is known, so its bound is no guarantee here unless p = 1.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.coin_hash import LEAST_COIN, coins
from zerokelvin.asking.random_rate import RandomRate
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Game, Learner, Progress, Trace, Trials, learner, make
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedGame
from zerokelvin.undo import Undo

__all__ = ["RandomQuery", "RandomQueryGame"]


LEARNT = "random-learnt"
"""The saved array that counts the labels learnt, which number the coins where no trial is given."""


class RandomQueryGame(WrappedGame):
    """The inner game, with the trials that no coin wants taken out of the policy's reach."""

    def __init__(self, inner: Game, p: float, seed: int) -> None:
        super().__init__(inner)
        self.rate = RandomRate(p)
        self.seed = seed
        self.learnt = np.zeros(inner.columns, dtype=np.int64)

    def asks(self, node: Any, trial: int | None = None) -> Bools:
        """Which problems want this label: the coin of the trial, and the inner learner's own rule."""
        numbers = self.learnt if trial is None else np.full(self.columns, trial)
        return np.asarray(self._heads(numbers) & self.inner.asks(node, trial))

    def wants_every(self) -> bool:
        """Whether every label is wanted: where the coin never says no, and the inner game wants all."""
        return self.rate.p == 1 and self.inner.wants_every()

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some coin is below p, and the inner learner would ask."""
        return bool(self.rate.limits(np.array([LEAST_COIN]))[0] > 0) and self.inner.may_ask(node, trial)

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Let the inner game learn, and count what it was asked for."""
        self.inner.learn(node, code, wanted)
        self.learnt += 1 if wanted is None else np.asarray(wanted, dtype=np.int64)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Let the inner game learn answers in order, and count them."""
        self.inner.teach(nodes, codes)
        self.learnt += len(nodes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Teach the inner game: its scores before each answer."""
        scores = self.inner.scores_in_order(nodes, codes)
        self.learnt += len(nodes)
        return scores

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """The same as `learn`, and what takes it back, where the inner game can."""
        undo = self.inner.learn_reversibly(node, code, wanted)
        if undo is not None:
            undo.keep(self.learnt)
            self.learnt += 1 if wanted is None else np.asarray(wanted, dtype=np.int64)
        return undo

    def twin(self, kept: bool = False) -> Game | None:
        """One around a twin of the inner game, with its own count of labels."""
        inner = self.inner.twin(kept)
        if inner is None:
            return None
        other = copy.copy(self)
        other.inner, other.learnt = inner, self.learnt.copy()
        return other

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """The inner game to that of the heir, and how many labels were learnt."""
        super().hand_over(heir, growth)
        if isinstance(heir, RandomQueryGame):
            heir.learnt[:] = self.learnt

    def bound(self, labels: Any) -> Bound:
        """The inner game's bound, which covers the trials asked about only."""
        bound = self.inner.bound(labels)
        every = Assumption("every label is asked for", self.rate.p == 1)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, every))

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of the inner game and the number of labels learnt; none where it has none."""
        if not self.inner.fields:
            return ()
        return (*self.inner.fields, *(f"{c}/{self._name()}" for c in range(self.columns)))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The inner game's arrays and the number of labels learnt."""
        counts = {f"{c}/{self._name()}": np.array(count) for c, count in enumerate(self.learnt)}
        return self.inner.snapshot() | counts if self.inner.fields else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the inner game and the number of labels learnt."""
        self.inner.restore({name: arrays[name] for name in self.inner.fields})
        self.learnt[:] = [int(arrays[f"{c}/{self._name()}"]) for c in range(self.columns)]

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The inner game, out of the policy's reach where the coin says no."""
        heads = self._heads(np.arange(len(trials.nodes)))
        limits = np.where(heads, trials.limits, -np.inf)
        trace = self.inner.play(dataclasses.replace(trials, limits=limits), progress)
        self.learnt += trace.asked.sum(axis=0)
        return trace

    def _name(self) -> str:
        """Under what name the number of labels is saved: one that nothing inside has."""
        name = LEARNT
        while f"0/{name}" in self.inner.fields:  # of a `random` inside a forgetting learner
            name = f"outer-{name}"
        return name

    def _heads(self, numbers: Ints) -> Bools:
        """Whether the coins of these trials want their label: the policy ``random:p``."""
        return self.rate.limits(coins(self.seed, numbers)) > 0


@learner("random")
@dataclass(frozen=True)
class RandomQuery(Wrapped):
    """Ask at random with probability `p`, learn with `inner`.

    Parameters
    ----------
    p
        Probability of asking, in [0, 1].
    inner
        Name of a learner with its default parameters, or a learner.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> state = RandomQuery(p=0.5, inner="perceptron").start(line)
    >>> [state.ask(0, trial) for trial in range(6)]
    [False, False, False, True, False, True]
    """

    purpose: ClassVar[str] = "the baseline of all asking: labels at random, whatever the prediction"
    choose: ClassVar[str] = "you want to see whether a policy or a selective learner beats chance"
    cost: ClassVar[str] = "that of the inner learner"

    p: float = 0.5
    inner: Any = "perceptron"

    variants: ClassVar[tuple[dict[str, Any], ...]] = (
        {},
        {"p": 1.0},
        {"p": 1.0, "inner": "longest-path"},
    )

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ParameterError(f"p={self.p} must lie between 0 and 1.")
        if self.inner == "random" or isinstance(self.inner, RandomQuery):
            raise ParameterError("inner='random' inside random asks for a smaller p; name another learner.")
        make(self.inner)  # refuse what is no learner now

    def params(self) -> dict[str, Any]:
        """Its own hyper-parameters, p and inner, and none of the inner learner."""
        return Learner.params(self)

    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin the inner game, with coins of its own."""
        ready = self.prepare(graph) if prepared is None else prepared
        apart = int(np.random.default_rng(seed).integers(1 << 62))  # from the coins of a policy
        return RandomQueryGame(self.wrapped.start_game(graph, classes, ready, seed), self.p, apart)
