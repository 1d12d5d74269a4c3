"""One game of several classes: what plays, learns and answers for every learner.

`Game.scores` is pure, `Game.learn` alone changes it, `Game.play` has a default loop over both. All else is
optional: own rules of asking, variance, value, probabilities, explanations, bound, snapshot. Two kinds of
learners stand behind it:

- a paper's binary learner writes margin and update of a `State`; `OneVsRest` lifts it to several classes,
  with a compiled `play` where a prediction is a look-up;
- a learner whose classes share what it knows (one covariance, one mixture) is a `Game` itself, and `Binary`
  shows its game of two classes as a `State`.

Classes are numbers, 0 … classes − 1. A node is an index, or a vector where the learner takes features.

Above 300 lines: one class, the whole of what a game may be asked, with a default for nearly all of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.class_chances import class_scores
from zerokelvin.asking.decision import NO_FLOOR, NO_GAIN, confidence, worth_asking
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.sound import finite, wrap_own
from zerokelvin.learners.base.state import no_bound
from zerokelvin.learners.base.trial_arrays import Trace, Trials, columns_of
from zerokelvin.threads import on_one_thread
from zerokelvin.undo import Undo

__all__ = ["MIXED", "Game", "Progress", "Valued", "put_back", "rank_values"]

Progress = Callable[[int], None]


MIXED = "mixture-"
"""In the names of a mixture's own saved arrays: beside them are those of its experts, which may change."""


class Valued(NamedTuple):
    """Nodes, and what a label of each is worth, the largest first."""

    nodes: Ints
    values: Floats


def rank_values(nodes: Ints, values: Floats, above: float, most: int | None) -> Valued:
    """Those of the nodes whose value is above a number, the largest first, of equal ones as they come.

    >>> rank_values(np.array([7, 8, 9]), np.array([1.0, 3.0, 1.0]), 0.5, 2).nodes.tolist()
    [8, 7]
    """
    kept = np.flatnonzero(values > above)
    order = kept[np.argsort(-values[kept], kind="stable")][:most]
    return Valued(nodes[order], values[order])


ON_ONE_THREAD = (
    "scores",
    "score",
    "asks",
    "variance",
    "value",
    "most_valued",
    "learn",
    "learn_reversibly",
    "teach",
    "scores_in_order",
    "evidence",
    "tell",
    "learn_in_order",
    "shares",
    "hand_over",
    "bound",
    "chances",
    "chances_of",
    "explain",
    "restore",
    "play",
)


class Game(ABC):
    """One game of `classes` classes; see the module.

    `bound_outlives_growth` says that the bound also covers mistakes made before the graph grew. One that
    `decides_alone` by what its decisions cost is overruled nowhere: neither by the class prior in a component
    without labels, nor are its probabilities made to agree with the class predicted.
    """

    bound_outlives_growth: bool = False
    decides_alone: bool = False

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def __init_subclass__(cls, **named: Any) -> None:
        """Have scores finite and one thread used wherever the new class makes them."""
        super().__init_subclass__(**named)
        wrap_own(cls, ("scores", "score", "play"), finite)
        wrap_own(cls, ON_ONE_THREAD, on_one_thread)

    @property
    def columns(self) -> int:
        """How many binary problems there are: one for two classes, else one per class."""
        return columns_of(self.classes)

    @abstractmethod
    def scores(self, nodes: Any) -> Floats:
        """The margin of every node in every problem, (nodes, columns); pure."""

    @abstractmethod
    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Learn the class of a node; where the problems ask apart, only those `wanted` do."""

    def score(self, node: Any) -> Floats:
        """The margin of one node in every problem, (columns,); pure."""
        return self.scores([node])[0]

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order, whatever a rule of asking says; override where a compiled game can."""
        for node, code in zip(nodes, codes.tolist(), strict=True):
            self.learn(node, code)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order, like `learn`: the scores of each node before its own, (nodes, columns)."""
        seen = np.full((len(nodes), self.columns), np.nan)
        for t, (node, code) in enumerate(zip(nodes, codes.tolist(), strict=True)):
            seen[t] = self.score(node)
            self.learn(node, code)
        return seen

    def evidence(self, nodes: Any) -> Floats:
        """How much speaks for each class, (nodes, classes), for a mixture of games; by default the scores."""
        return class_scores(self.scores(nodes))

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in how much speaks for each class at one node, as `evidence` does for several."""
        evidence[:] = self.evidence([node])[0]

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Learn the classes of nodes one after the other: the evidence before each, (nodes, classes)."""
        seen = np.full((len(nodes), self.classes), np.nan)
        for t, (node, code) in enumerate(zip(nodes.tolist(), codes.tolist(), strict=True)):
            seen[t] = self.evidence([node])[0]
            self.learn(node, code)
        return seen

    # -- asking ---------------------------------------------------------------------------------------

    def asks(self, node: Any, trial: int | None = None) -> Bools:
        """Which problems want this label by their own rule; those that have none want every label.

        `trial` counts the trials before this one, asked or not; without it, the labels learnt so far.
        """
        return np.ones(self.columns, dtype=np.bool_)

    def wants_every(self) -> bool:
        """Whether every problem wants every label: there is no rule of its own."""
        return type(self).asks is Game.asks

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some problem would want this label by some coin."""
        return bool(self.asks(node, trial).any())

    def variance(self, node: Any) -> float:
        """How unsure the scores of a node are, at least 0; only learners with `has_variance` know."""
        raise ParameterError(
            f"{type(self).__name__} has no variance; use a policy that needs none, or another learner."
        )

    def value(self, node: Any, waiting: Bools) -> float:
        """How much a label of a node is worth to the nodes that wait; only learners with `has_value` know."""
        raise ParameterError(
            f"{type(self).__name__} knows no value of a label; use another policy or another learner."
        )

    def most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None = None) -> Valued:
        """The nodes whose label is worth more than `above`, those of the largest value first.

        At most `most` of them; of equal value, the one that comes first in `nodes` first. As by `value`,
        node by node; override where fewer need be looked at, the order being nearly by value.
        """
        values = np.array([self.value(node, waiting) for node in nodes.tolist()], dtype=np.float64)
        return rank_values(nodes, values, above, most)

    # -- answering for itself -------------------------------------------------------------------------

    def chances(self, node: Any) -> Floats | None:
        """The probability of each class, where the learner knows calibrated ones."""
        return None

    def chances_of(self, nodes: Any) -> Floats | None:
        """The probabilities of several nodes, (nodes, classes), where the learner knows calibrated ones."""
        rows = [self.chances(node) for node in nodes]
        known = [row for row in rows if row is not None]
        return np.array(known).reshape(len(rows), -1) if known and len(known) == len(rows) else None

    def remaining_error(self, spent: bool = False) -> float | None:
        """The estimated share of nodes that go out wrong unasked, where the learner has a target for it.

        `spent` tells that nothing can be asked any more; None that too little is known yet.
        """
        return None

    def trusted(self) -> dict[str, float]:
        """The weight of every expert, where the learner is a mixture."""
        return {}

    def explain(self, node: Any, column: int) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin of a node in one problem, with their share of it."""
        return []

    def shares(self, node: Any, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to the lead of one class over another; empty where unknown."""
        return {}

    def trail(self, node: Any, column: int) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach a node, for learners that follow such a path."""
        return ()

    def remark(self, node: Any, column: int) -> str:
        """A clause on how the margin of a node came about, part of the prediction's reason; "" for none."""
        return ""

    def attribute_shares(self, node: Any, column: int) -> dict[str, float]:
        """What each attribute of a node adds to the margin of a problem, by its name; empty where unknown."""
        return {}

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound on the mistakes of the class, against one labelling in {-1, +1}ⁿ per problem."""
        return no_bound()

    def bound_so_far(self) -> float | None:
        """The bound on the mistakes so far where it depends on no labels but those learnt; else None."""
        return None

    # -- keeping and growing --------------------------------------------------------------------------

    def make_ready(self) -> None:  # noqa: B027 (most games put nothing off)
        """Do now what was put off at the start, since a game that another hands over to may not need it."""

    def parts(self) -> Mapping[str, NDArray[Any]]:
        """The arrays that `learn` changes in place, by name; enough to be kept and put back.

        Names begin with the number of a problem: ``0/x``.
        """
        return {}

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of what `snapshot` holds; none where a game is restored by learning all answers again."""
        return tuple(self.parts())

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of everything that `learn` changes, as arrays, under the names of `fields`."""
        return {name: array.copy() for name, array in self.parts().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh game to where `snapshot` was taken."""
        for name, array in self.parts().items():
            put_back(name, arrays[name], array)

    def twin(self, kept: bool = False) -> Game | None:
        """Another game at the same place that goes its own way; what no label changes is shared.

        None where a game has none: it is then brought there by a snapshot. With `kept` it may be packed, and
        then only be asked for a twin of its own (`zerokelvin.learners.base.kept`).
        """
        return None

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """Learn a class as `learn` does, and give what takes it back to the last bit.

        None, with nothing learnt, where a game cannot: there a twin is made instead.
        """
        return None

    def keeping(self) -> Iterator[Game | None] | None:
        """The twin that is to be kept, made in steps between which the game may learn on, one by one.

        Every step gives None but the last, which gives the twin of where the game then is; they end without
        one where there is no twin. None where a game is copied at once.
        """
        return None

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Bring a game just started on a grown graph to where this one is; changes nothing here.

        By default it learns all answers again; see `zerokelvin.learners.base.growth`.
        """
        heir.teach(*growth.answers())

    def take_over(self, old: Game, growth: Growth) -> None:
        """Be brought to where a game on a smaller graph is."""
        old.hand_over(self, growth)

    # -- playing --------------------------------------------------------------------------------------

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Predict, ask and learn over all trials, in order."""
        trace = Trace.empty(trials)
        asked_trials = 0
        waiting = trials.waiting()
        for t, node in enumerate(trials.nodes.tolist()):
            margins = self.score(node)
            waiting[node] = False
            first = asked_trials == 0
            if asked_trials < trials.budget and (first or self._worthwhile(trials, t, margins, waiting)):
                trace.asked[t] = True if first else self.asks(node, t)
                asked_trials += bool(trace.asked[t].any())
            trace.margins[t] = margins
            self._learn_due(trials, trace, t - trials.delay)
            if progress is not None:
                progress(t + 1)
        for t in range(max(0, len(trials.nodes) - trials.delay), len(trials.nodes)):
            self._learn_due(trials, trace, t)
        return trace

    def _worthwhile(self, trials: Trials, t: int, margins: Floats, waiting: Bools) -> bool:
        sure, limit = confidence(margins), float(trials.limits[t])
        if trials.gains is None or trials.floors is None:
            return worth_asking(sure, 0.0, limit, NO_GAIN, NO_FLOOR)
        node = int(trials.nodes[t])
        spread = self.value(node, waiting) if trials.by_value else self.variance(node)
        return worth_asking(sure, spread, limit, float(trials.gains[t]), float(trials.floors[t]))

    def _learn_due(self, trials: Trials, trace: Trace, t: int) -> None:
        if t >= 0 and trace.asked[t].any():
            self.learn(int(trials.nodes[t]), int(trials.codes[t]), trace.asked[t])


wrap_own(Game, ON_ONE_THREAD, on_one_thread)


def put_back(name: str, saved: NDArray[Any], array: NDArray[Any]) -> None:
    """Put a saved array into the one it was copied from, which has its shape.

    >>> put_back("0/x", np.ones(3), np.zeros((2, 3)))
    Traceback (most recent call last):
    ValueError: the saved array '0/x' has the shape (3,), not (2, 3).
    """
    if saved.shape != array.shape:
        raise ValueError(f"the saved array {name!r} has the shape {saved.shape}, not {array.shape}.")
    array[...] = saved
