"""States and games on a graph numbered by the names of its nodes, for a caller who numbers them otherwise.

A learner does its work on ``graph.by_name``, whatever the numbering of `graph` (`zerokelvin.learners.base`),
so that the order of sums, of pushes and of draws depends on names alone. These two classes stand between it
and the caller: every node that goes in becomes its rank by name, every node that comes out its index again.
All other attributes are those of what is inside.

Above 300 lines: all methods of a state and of a game once more, each a line or two.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.graph import Graph
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.base.multiclass import Game, Progress, Valued
from zerokelvin.learners.base.state import State
from zerokelvin.learners.base.trial_arrays import Trace, Trials
from zerokelvin.undo import Undo

__all__ = ["RenumberedGame", "RenumberedState"]


BY_NAME = "by-name-"
"""Before the names of saved arrays: a file whose arrays are in the order of numbers is replayed instead."""


class RenumberedState(State):
    """A state on ``graph.by_name``, with nodes as `graph` numbers them."""

    def __init__(self, inner: State, graph: Graph) -> None:
        self.inner = inner
        self.order, self.ranks = graph.name_order, graph.name_ranks

    def margin(self, node: int) -> float:
        """The margin of the node."""
        return self.inner.margin(int(self.ranks[node]))

    def update(self, node: int, label: int) -> None:
        """Learn the label."""
        self.inner.update(int(self.ranks[node]), label)

    def ask(self, node: int, trial: int | None = None) -> bool:
        """Whether the label is wanted."""
        return self.inner.ask(int(self.ranks[node]), trial)

    def may_ask(self, node: int, trial: int | None = None) -> bool:
        """Whether the label would be wanted by some coin."""
        return self.inner.may_ask(int(self.ranks[node]), trial)

    def variance(self, node: int) -> float:
        """How unsure the margin is."""
        return self.inner.variance(int(self.ranks[node]))

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes."""
        return self.inner.margins(self.ranks[nodes])

    def bound(self, labels: Ints, *values: Any, **named: Any) -> Bound:
        """The bound against a labelling."""
        return self.inner.bound(np.asarray(labels)[self.order], *values, **named)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin."""
        return [(int(self.order[other]), share) for other, share in self.inner.explain(int(self.ranks[node]))]

    def trail(self, node: int) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach the node."""
        return tuple(int(self.order[other]) for other in self.inner.trail(int(self.ranks[node])))

    def remark(self, node: int) -> str:
        """How the margin came about."""
        return self.inner.remark(int(self.ranks[node]))

    @property
    def fields(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the state inside, marked as in the order of names."""
        return tuple(BY_NAME + name for name in self.inner.fields)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The arrays of the state inside, marked as in the order of names."""
        return {BY_NAME + name: array for name, array in self.inner.snapshot().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the state inside, whose record goes by rank."""
        self.inner.restore({name.removeprefix(BY_NAME): array for name, array in arrays.items()})
        record = self.inner.record
        self.record.replace(0, self.order[record.nodes], record.labels)

    def twin(self) -> State | None:
        """One around a twin of the state inside."""
        inner = self.inner.twin()
        if inner is None:
            return None
        other = copy.copy(self)
        other.inner, other.record = inner, self.record.copy()
        return other

    def __getattr__(self, name: str) -> Any:
        return _inside(self, name)


class RenumberedGame(Game):
    """A game on ``graph.by_name``, with nodes as `graph` numbers them."""

    def __init__(self, inner: Game, graph: Graph) -> None:
        super().__init__(inner.classes)
        self.inner = inner
        self.order, self.ranks = graph.name_order, graph.name_ranks
        self.bound_outlives_growth = inner.bound_outlives_growth
        self.decides_alone = inner.decides_alone

    def scores(self, nodes: Any) -> Floats:
        """The margins of several nodes."""
        return self.inner.scores(self.ranks[nodes])

    def score(self, node: int) -> Floats:
        """The margins of the node."""
        return self.inner.score(int(self.ranks[node]))

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Learn the class of the node."""
        self.inner.learn(int(self.ranks[node]), code, wanted)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Learn answers in order."""
        self.inner.teach(self.ranks[nodes], codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """Learn answers in order: the scores before each."""
        return self.inner.scores_in_order(self.ranks[nodes], codes)

    def evidence(self, nodes: Any) -> Floats:
        """What speaks for each class at several nodes."""
        return self.inner.evidence(self.ranks[nodes])

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in what speaks for each class at one node."""
        self.inner.tell(int(self.ranks[node]), evidence)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Learn the classes of nodes one after the other."""
        return self.inner.learn_in_order(self.ranks[nodes], codes)

    def shares(self, node: int, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to a lead."""
        shares = self.inner.shares(int(self.ranks[node]), code, rival)
        return {int(self.order[other]): share for other, share in shares.items()}

    def asks(self, node: int, trial: int | None = None) -> Bools:
        """Which problems want this label."""
        return self.inner.asks(int(self.ranks[node]), trial)

    def wants_every(self) -> bool:
        """Whether the game inside wants every label."""
        return self.inner.wants_every()

    def may_ask(self, node: int, trial: int | None = None) -> bool:
        """Whether a problem would want this label by some coin."""
        return self.inner.may_ask(int(self.ranks[node]), trial)

    def variance(self, node: int) -> float:
        """How unsure the scores are."""
        return self.inner.variance(int(self.ranks[node]))

    def value(self, node: int, waiting: Bools) -> float:
        """How much a label of the node is worth to the nodes that wait."""
        return self.inner.value(int(self.ranks[node]), waiting[self.order])

    def most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None = None) -> Valued:
        """The nodes of the largest value first."""
        found = self.inner.most_valued(self.ranks[nodes], waiting[self.order], above, most)
        return Valued(self.order[found.nodes], found.values)

    def chances(self, node: int) -> Floats | None:
        """The probability of each class, where the learner knows them."""
        return self.inner.chances(int(self.ranks[node]))

    def chances_of(self, nodes: Any) -> Floats | None:
        """The probabilities of several nodes."""
        return self.inner.chances_of(self.ranks[nodes])

    def remaining_error(self, spent: bool = False) -> float | None:
        """The estimated share of nodes that go out wrong unasked."""
        return self.inner.remaining_error(spent)

    def trusted(self) -> dict[str, float]:
        """The weight of every expert."""
        return self.inner.trusted()

    def explain(self, node: int, column: int) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin."""
        shares = self.inner.explain(int(self.ranks[node]), column)
        return [(int(self.order[other]), share) for other, share in shares]

    def trail(self, node: int, column: int) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach the node."""
        return tuple(int(self.order[other]) for other in self.inner.trail(int(self.ranks[node]), column))

    def remark(self, node: int, column: int) -> str:
        """How the margin came about."""
        return self.inner.remark(int(self.ranks[node]), column)

    def attribute_shares(self, node: int, column: int) -> dict[str, float]:
        """What each attribute of the node adds to the margin."""
        return self.inner.attribute_shares(int(self.ranks[node]), column)

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound against one labelling per problem."""
        return self.inner.bound([np.asarray(one)[self.order] for one in labels])

    def bound_so_far(self) -> float | None:
        """That of the game inside, which no numbering changes."""
        return self.inner.bound_so_far()

    def parts(self) -> dict[str, NDArray[Any]]:
        """Those of the game inside, marked as in the order of names."""
        return {_marked(name): array for name, array in self.inner.parts().items()}

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of the game inside, marked as in the order of names."""
        return tuple(map(_marked, self.inner.fields))

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The arrays of the game inside, marked as in the order of names."""
        return {_marked(name): array for name, array in self.inner.snapshot().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the game inside."""
        self.inner.restore({name.replace(BY_NAME, "", 1): array for name, array in arrays.items()})

    def twin(self, kept: bool = False) -> Game | None:
        """One around a twin of the game inside."""
        inner = self.inner.twin(kept)
        return None if inner is None else self._around(inner)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo | None:
        """Let the game inside learn, and give what takes it back."""
        return self.inner.learn_reversibly(int(self.ranks[node]), code, wanted)

    def keeping(self) -> Iterator[Game | None] | None:
        """Those around what the steps of the game inside give."""
        steps = self.inner.keeping()
        return None if steps is None else (None if one is None else self._around(one) for one in steps)

    def _around(self, inner: Game) -> RenumberedGame:
        """One with the same numbering around another game."""
        other = copy.copy(self)
        other.inner = inner
        return other

    def make_ready(self) -> None:
        """Have the game inside do what it put off."""
        self.inner.make_ready()

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """Bring a game on a grown graph to where this one is."""
        self.inner.hand_over(heir, _ranked(growth))

    def take_over(self, old: Game, growth: Growth) -> None:
        """Have the game inside brought to where another on a smaller graph is."""
        inner = old.inner if isinstance(old, RenumberedGame) else old
        self.inner.take_over(inner, _ranked(growth))

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """Play the game inside, with its nodes by rank; traces go by trial and stay as they are."""
        return self.inner.play(dataclasses.replace(trials, nodes=self.ranks[trials.nodes]), progress)

    def __getattr__(self, name: str) -> Any:
        return _inside(self, name)


def _marked(name: str) -> str:
    """The name of a saved array, behind the number of its problem, as one in the order of names."""
    column, slash, rest = name.rpartition("/")
    return f"{column}{slash}{BY_NAME}{rest}"


def _ranked(growth: Growth) -> Growth:
    """A growth from ``before.by_name`` to ``after.by_name``."""
    ranks = growth.after.name_ranks
    place = ranks[: growth.before.num_nodes][growth.before.name_order]

    def answers() -> tuple[Ints, Ints]:
        nodes, codes = growth.answers()
        return ranks[nodes], codes

    return Growth(growth.before.by_name, growth.after.by_name, answers, place)


def _inside(outer: Any, name: str) -> Any:
    """An attribute of what is inside; the special ones are never looked up there."""
    if name.startswith("__") or "inner" not in vars(outer):
        raise AttributeError(name)
    return getattr(outer.inner, name)
