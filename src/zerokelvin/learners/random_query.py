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

from zerokelvin.certify import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.asking import LEAST_COIN, coins
from zerokelvin.learners.base import Learner, Problems, Progress, State, Trace, Trials, learner, make

__all__ = ["RandomQuery", "RandomQueryState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class RandomQueryState(State):
    """One binary problem of the inner learner, with a coin for every trial."""

    def __init__(self, inner: State, p: float, seed: int) -> None:
        self.inner = inner
        self.p = p
        self.seed = seed
        self.updates = 0
        self.fields = inner.fields  # type: ignore[misc]  # what is saved is the inner state

    def margin(self, node: Any) -> float:
        """The inner learner's margin."""
        return self.inner.margin(node)

    def margins(self, nodes: Ints) -> Floats:
        """The inner learner's margins."""
        return self.inner.margins(nodes)

    def variance(self, node: Any) -> float:
        """The inner learner's variance."""
        return self.inner.variance(node)

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether the coin of the trial is below p, and the inner learner asks."""
        number = self.updates if trial is None else trial
        return bool(coins(self.seed, np.array([number]))[0] < self.p) and self.inner.ask(node, trial)

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some coin is below p, and the inner learner would ask."""
        return LEAST_COIN < self.p and self.inner.may_ask(node, trial)

    def update(self, node: Any, label: int) -> None:
        """Teach the inner learner."""
        self.updates += 1
        self.inner.update(node, label)

    def bound(self, labels: Ints) -> Bound:
        """The inner learner's bound, which covers the trials asked about only."""
        bound = self.inner.bound(labels)
        every = Assumption("every label is asked for", self.p == 1)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, every))

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """The inner learner's explanation."""
        return self.inner.explain(node)

    def trail(self, node: Any) -> tuple[int, ...]:
        """The inner learner's path."""
        return self.inner.trail(node)

    def remark(self, node: Any) -> str:
        """The inner learner's remark."""
        return self.inner.remark(node)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The inner learner's arrays."""
        return self.inner.snapshot()

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the inner learner."""
        self.inner.restore(arrays)


class RandomQueryProblems(Problems):
    """The inner problems, with the trials that no coin wants taken out of the policy's reach."""

    def __init__(self, inner: Problems, p: float, seed: int) -> None:
        super().__init__([RandomQueryState(state, p, seed) for state in inner.states])
        self.inner = inner
        self.p = p
        self.seed = seed

    def margins(self, node: int) -> Floats:
        """The inner problems' margins."""
        return self.inner.margins(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """What the label is worth to the inner problems."""
        return self.inner.value(node, waiting)

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Teach the inner problems."""
        self.inner.update(node, signs, learns)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The inner game, with limit 0 where the coin says no."""
        heads = coins(self.seed, np.arange(len(trials.nodes))) < self.p
        limits = np.where(heads, trials.limits, -np.inf)
        return self.inner.play(dataclasses.replace(trials, limits=limits), progress)


@learner("random")
@dataclass(frozen=True)
class RandomQuery(Learner):
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
    [False, False, True, True, False, True]
    """

    p: float = 0.5
    inner: Any = "perceptron"

    def __post_init__(self) -> None:
        if not 0 <= self.p <= 1:
            raise ParameterError(f"p={self.p} must lie between 0 and 1.")
        if self.inner == "random" or isinstance(self.inner, RandomQuery):
            raise ParameterError("inner='random' inside random asks for a smaller p; name another learner.")
        told = ("multiclass", "has_variance", "has_value", "takes_features")
        vars(self).update({name: getattr(make(self.inner), name) for name in told})  # as the inner learner

    def asks_apart(self) -> bool:
        """As the inner learner; the coins are the same for all problems."""
        return make(self.inner).asks_apart()

    def check_domain(self, graph: Graph) -> None:
        """What the inner learner takes."""
        make(self.inner).check_domain(graph)

    def prepare(self, graph: Graph) -> Any:
        """The inner learner's preparation."""
        return make(self.inner).prepare(graph)

    def start(
        self, graph: Graph, prepared: Any = None, rng: np.random.Generator | None = None
    ) -> RandomQueryState:
        """Begin the inner learner and draw the seed of the coins."""
        inner = make(self.inner)
        ready = inner.prepare(graph) if prepared is None else prepared
        return RandomQueryState(inner.start(graph, ready, rng), self.p, _seed(rng))

    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` inner problems with the same coins."""
        inner = make(self.inner)
        ready = inner.prepare(graph) if prepared is None else prepared
        problems = inner.start_problems(graph, count, ready, seed)
        return RandomQueryProblems(problems, self.p, _seed(np.random.default_rng(seed)))


def _seed(rng: np.random.Generator | None) -> int:
    """A seed for the coins, apart from those of a policy that was given the same number."""
    return 0 if rng is None else int(rng.integers(1 << 62))
