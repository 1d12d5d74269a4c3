"""The two ways between binary problems and games of several classes.

`OneVsRest` plays several classes with one binary state each; `Binary` shows a game of two classes as a state.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.learners.base.multiclass import Game
from zerokelvin.learners.base.noting import SEEN, note_game
from zerokelvin.learners.base.record import Record
from zerokelvin.learners.base.state import State
from zerokelvin.learners.base.trial_arrays import signs_of

__all__ = ["Binary", "OneVsRest"]

S = TypeVar("S", bound=State)


class OneVsRest(Game, Generic[S]):
    """Binary states side by side: one for two classes, else one per class.

    Every label that reaches a state is on its record, whatever way it takes
    (`zerokelvin.learners.base.noting`).
    """

    def __init__(self, states: Sequence[S]) -> None:
        super().__init__(max(2, len(states)))
        self.states = tuple(states)

    def __init_subclass__(cls, **named: Any) -> None:
        """Have every label that a game of the new class learns noted."""
        super().__init_subclass__(**named)
        note_game(cls)

    def scores(self, nodes: Any) -> Floats:
        """The margin of every node in every problem, (nodes, columns); vectors are read one by one."""
        places = np.asarray(nodes)
        if places.ndim != 1 or places.dtype.kind not in "iu":  # vectors
            return np.array([self.score(node) for node in nodes]).reshape(-1, self.columns)
        return np.column_stack([state.margins(places.astype(np.int64)) for state in self.states])

    def score(self, node: Any) -> Floats:
        """The margin of a node in every problem, (columns,)."""
        return np.array([state.margin(node) for state in self.states])

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Give every state (or those `wanted`) its label of the node."""
        for c, (state, label) in enumerate(zip(self.states, self.labels(code), strict=True)):
            if wanted is None or wanted[c]:
                state.update(node, label)

    def labels(self, code: int) -> list[int]:
        """The label −1 or +1 of a class in every problem."""
        if len(self.states) == 1:
            return [1 if code == 1 else -1]
        return [1 if c == code else -1 for c in range(len(self.states))]

    def signs(self, codes: Ints) -> NDArray[np.int8]:
        """The label −1 or +1 of several classes in every problem, (codes, columns)."""
        return signs_of(codes, len(self.states))

    def asks(self, node: Any, trial: int | None = None) -> Bools:
        """Whether each problem wants the label of the node by a rule of its own, (columns,)."""
        return np.array([state.ask(node, trial) for state in self.states], dtype=np.bool_)

    def wants_every(self) -> bool:
        """Whether no state has a rule of its own."""
        if type(self).asks is not OneVsRest.asks:
            return False
        return all(type(state).ask is State.ask for state in self.states)

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether some state would want this label by some coin."""
        return any(state.may_ask(node, trial) for state in self.states)

    def variance(self, node: Any) -> float:
        """The variance of the least sure state."""
        return max(state.variance(node) for state in self.states)

    def explain(self, node: Any, column: int) -> list[tuple[int, float]]:
        """As the state of the problem explains it."""
        return self.states[column].explain(node)

    def trail(self, node: Any, column: int) -> tuple[int, ...]:
        """As the state of the problem follows it."""
        return self.states[column].trail(node)

    def remark(self, node: Any, column: int) -> str:
        """That of the state of the problem."""
        return self.states[column].remark(node)

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """A wrong class costs at least one binary mistake: the sum over the states."""
        return Bound.total([state.bound(u) for state, u in zip(self.states, labels, strict=True)])

    def records(self) -> tuple[Record, ...]:
        """Every label that reached each state, in order."""
        return tuple(state.record for state in self.states)

    @property
    def fields(self) -> tuple[str, ...]:
        """Those of every state, after its number; none where a state has none."""
        if not all(state.fields for state in self.states):
            return ()
        return tuple(f"{c}/{name}" for c, state in enumerate(self.states) for name in state.fields)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """The arrays of every state, after its number."""
        if not self.fields:
            return {}
        return {
            f"{c}/{name}": array
            for c, state in enumerate(self.states)
            for name, array in state.snapshot().items()
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore every state from its arrays."""
        for c, state in enumerate(self.states):
            state.restore({name: arrays[f"{c}/{name}"] for name in state.fields})

    def twin(self, kept: bool = False) -> Game | None:
        """The twins of all states side by side; None where a state has none."""
        states = [state.twin() for state in self.states]
        if any(state is None for state in states):
            return None
        other = copy.copy(self)
        other.states = tuple(cast(list[S], states))
        return other


note_game(OneVsRest)


class Binary(State):
    """A game of two classes as one binary problem: class 1 is +1. All else is the game's."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def margin(self, node: Any) -> float:
        """The one score of the node."""
        return float(self.game.score(node)[0])

    def margins(self, nodes: Ints) -> Floats:
        """The scores of several nodes."""
        return np.ascontiguousarray(self.game.scores(nodes)[:, 0])

    def update(self, node: Any, label: int) -> None:
        """Learn that the node is labelled −1 or +1."""
        self.game.learn(node, 1 if label > 0 else 0)

    def ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether the game wants this label."""
        return bool(self.game.asks(node, trial)[0])

    def may_ask(self, node: Any, trial: int | None = None) -> bool:
        """Whether the game would want this label by some coin."""
        return self.game.may_ask(node, trial)

    def variance(self, node: Any) -> float:
        """How unsure the margin of a node is, at least 0."""
        return self.game.variance(node)

    def bound(self, labels: Ints) -> Bound:
        """The bound of the game against this labelling."""
        return self.game.bound([np.asarray(labels)])

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin."""
        return self.game.explain(node, 0)

    def trail(self, node: Any) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach the node."""
        return self.game.trail(node, 0)

    def remark(self, node: Any) -> str:
        """A clause on how the margin of a node came about."""
        return self.game.remark(node, 0)

    @property
    def fields(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the game, and the record; none where the game has none."""
        return (*self.game.fields, *SEEN) if self.game.fields else ()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """That of the game, and the record."""
        if not self.game.fields:
            return {}
        return self.game.snapshot() | {name: np.array(getattr(self, name)) for name in SEEN}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restore the game from its own arrays among these."""
        self.game.restore({name: arrays[name] for name in self.game.fields})
