"""Random querying on top of any learner: every label is asked for with probability p.

A baseline (Gu, Aggarwal, Liu, Han 2013, section 6.6), there on top of the perceptron. The coin of a
trial is a hash of the seed and the trial's number, the same for all classes, so that one answer serves all.
If the inner learner is selective too, a label is asked for where both want it.

What holds of the inner learner's mistakes on the trials asked about still does; of the others nothing is
known, so its bound is no guarantee here unless p = 1.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.coin_hash import LEAST_COIN, coins
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, Problems, Progress, Trace, Trials, learner, make
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.wrappers.wrapped import Wrapped, WrappedProblems, WrappedState

__all__ = ["RandomQuery", "RandomQueryState"]

Ints = NDArray[np.int64]

LEARNT = "random-learnt"
"""The saved array that counts the labels learnt, which number the coins where no trial is given."""


class RandomQueryState(WrappedState):
    """One binary problem of the inner learner, with a coin for every trial."""

    owner: RandomQueryProblems

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether the coin of the trial is below p, and the inner learner asks."""
        number = int(self.owner.learnt[self.problem]) if trial is None else trial
        return self.owner.heads(number) and self.inner.ask(node, trial)

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some coin is below p, and the inner learner would ask."""
        return LEAST_COIN < self.owner.p and self.inner.may_ask(node, trial)

    def update(self, node: Any, label: int) -> None:
        """Teach the inner learner."""
        self.inner.update(node, label)
        self.owner.learnt[self.problem] += 1

    def bound(self, labels: Ints) -> Bound:
        """The inner learner's bound, which covers the trials asked about only."""
        return self.owner.certify(self.inner.bound(labels))

    @property
    def fields(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the inner state and the number of labels learnt; none where it has none."""
        return (*self.inner.fields, LEARNT) if self.inner.fields else ()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The inner learner's arrays and the number of labels learnt."""
        count = self.owner.learnt[self.problem]
        return {**self.inner.snapshot(), LEARNT: np.array(count)} if self.inner.fields else {}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the inner learner and the number of labels learnt."""
        self.inner.restore({name: arrays[name] for name in self.inner.fields})
        self.owner.learnt[self.problem] = int(arrays[LEARNT])


class RandomQueryProblems(WrappedProblems):
    """The inner problems, with the trials that no coin wants taken out of the policy's reach."""

    state = RandomQueryState

    def __init__(self, inner: Problems, p: float, seed: int) -> None:
        super().__init__(inner)
        self.p = p
        self.seed = seed
        self.learnt = np.zeros(len(inner.states), dtype=np.int64)

    def heads(self, number: int) -> bool:
        """Whether the coin of a trial is below p."""
        return bool(coins(self.seed, np.array([number]))[0] < self.p)

    def asks(self, node: Any, trial: int | None = None) -> NDArray[np.bool_]:
        """Which problems want this label: the coin of the trial, and the inner learner's own rule."""
        numbers = self.learnt if trial is None else np.full(len(self.states), trial)
        heads = coins(self.seed, numbers) < self.p
        return np.asarray(heads & self.inner.asks(node, trial))

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some coin is below p, and the inner learner would ask."""
        return LEAST_COIN < self.p and self.inner.may_ask(node, trial)

    def update(self, node: Any, signs: Any, learns: Any = None) -> None:
        """Teach the inner problems."""
        self.inner.update(node, signs, learns)
        self.learnt += 1 if learns is None else np.asarray(learns, dtype=np.int64)

    def teach(self, nodes: Ints, signs: NDArray[np.int8]) -> None:
        """Teach the inner problems."""
        self.inner.teach(nodes, signs)
        self.learnt += len(nodes)

    def hand_over(self, heir: Problems, growth: Growth) -> None:
        """The inner problems to those of the heir, and how many labels were learnt."""
        super().hand_over(heir, growth)
        if isinstance(heir, RandomQueryProblems):
            heir.learnt[:] = self.learnt

    def bound(self, labels: Any) -> Bound:
        """The inner problems' bound, which covers the trials asked about only."""
        return self.certify(self.inner.bound(labels))

    def certify(self, bound: Bound) -> Bound:
        """A bound of the inner learner, no guarantee where labels are left out."""
        every = Assumption("every label is asked for", self.p == 1)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, every))

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The inner game, with limit 0 where the coin says no."""
        heads = coins(self.seed, np.arange(len(trials.nodes))) < self.p
        limits = np.where(heads, trials.limits, -np.inf)
        trace = self.inner.play(dataclasses.replace(trials, limits=limits), progress)
        self.learnt += trace.asked.sum(axis=0)
        return trace


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

    p: float = 0.5
    inner: Any = "perceptron"

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ParameterError(f"p={self.p} must lie between 0 and 1.")
        if self.inner == "random" or isinstance(self.inner, RandomQuery):
            raise ParameterError("inner='random' inside random asks for a smaller p; name another learner.")
        make(self.inner)  # refuse what is no learner now

    def params(self) -> dict[str, Any]:
        """Its own hyper-parameters."""
        return Learner.params(self)

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` inner problems with the same coins."""
        ready = self.prepare(graph) if prepared is None else prepared
        problems = self.wrapped.start_problems(graph, count, ready, seed)
        apart = int(np.random.default_rng(seed).integers(1 << 62))  # from the coins of a policy
        return RandomQueryProblems(problems, self.p, apart)
