"""One binary problem: what the author of a paper's learner writes.

A state predicts with `margin`, which is pure, and learns with `update`, which alone changes it. All else has
a default: asking, variance, bound, explanation, snapshot. `OneVsRest` plays
several classes with one state each.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import NONE_KNOWN, Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base.noting import note_state
from zerokelvin.learners.base.record import Record, Recorded
from zerokelvin.learners.base.sound import finite, wrap_own
from zerokelvin.threads import on_one_thread

__all__ = ["State", "no_bound", "sign"]


ON_ONE_THREAD = ("margin", "margins", "update", "ask", "variance", "bound", "explain", "restore")


def no_bound() -> Bound:
    """What is said where nothing is proven."""
    return Bound(float("inf"), NONE_KNOWN, {}, (Assumption("a bound is proven", False),))


def sign(margin: float) -> int:
    """The label a margin stands for: +1 from 0 on, −1 below."""
    return 1 if margin >= 0 else -1


class State(Recorded, ABC):
    """One binary problem: predicts with `margin`, learns with `update`.

    Subclasses list in `fields` the attributes that `update` changes (arrays, lists of numbers or
    scalars); `snapshot` and `restore` then work without further code. A subclass that leaves
    `fields` empty is restored by replaying its updates instead.

    `record` holds every label that reached the state, in order, and is among the `fields`, all without
    further code (`zerokelvin.learners.base.noting`): what a bound assumes of the labels is judged against it.
    """

    fields: ClassVar[tuple[str, ...]] = ()

    def __new__(cls, *arguments: Any, **named: Any) -> Self:
        """A state with an empty record."""
        state = super().__new__(cls)
        state.record = Record()
        return state

    def __init_subclass__(cls, **named: Any) -> None:
        """Have every label that reaches a state of the new class noted, margins finite, one thread used."""
        super().__init_subclass__(**named)
        note_state(cls)
        wrap_own(cls, ("margin", "margins"), finite)
        wrap_own(cls, ON_ONE_THREAD, on_one_thread)

    @abstractmethod
    def margin(self, node: int) -> float:
        """The signed confidence that `node` is labelled +1; pure."""

    @abstractmethod
    def update(self, node: int, label: int) -> None:
        """Learn that `node` is labelled `label`, −1 or +1."""

    def ask(self, node: int, trial: int | None = None) -> bool:
        """Whether the learner wants this label; learners that are not selective always do.

        `trial` counts the trials before this one, asked or not; without it, the labels learnt so far.
        """
        return True

    def may_ask(self, node: int, trial: int | None = None) -> bool:
        """Whether it would want this label by some coin; learners that toss none, whether they want it."""
        return self.ask(node, trial)

    def variance(self, node: int) -> float:
        """How unsure the margin of `node` is, at least 0; only learners with `has_variance` know."""
        raise ParameterError(
            f"{type(self).__name__} has no variance; use a policy that needs none, or another learner."
        )

    def margins(self, nodes: Ints) -> Floats:
        """The margins of several nodes; override where a whole array costs less than its elements."""
        return np.array([self.margin(int(node)) for node in nodes], dtype=np.float64)

    def bound(self, labels: Ints) -> Bound:
        """The bound on this state's mistakes against a labelling in {-1, +1}ⁿ."""
        return no_bound()

    def explain(self, node: int) -> list[tuple[int, float]]:
        """The labelled nodes that decided the margin of `node`, with their contributions to it."""
        return []

    def trail(self, node: int) -> tuple[int, ...]:
        """The nodes along which the deciding labels reach `node`, for learners that follow such a path."""
        return ()

    def remark(self, node: int) -> str:
        """A clause on how the margin of `node` came about, part of the prediction's reason; "" for none."""
        return ""

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Copies of everything that `update` changes, as arrays."""
        return {name: np.array(getattr(self, name)) for name in self.fields}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring a fresh state to where `snapshot` was taken."""
        for name in self.fields:
            current, saved = getattr(self, name), arrays[name]
            if isinstance(current, np.ndarray) and current.shape == saved.shape:
                current[...] = saved
            elif isinstance(current, list):
                setattr(self, name, saved.tolist())
            else:
                setattr(self, name, type(current)(saved) if saved.ndim == 0 else saved.copy())

    def twin(self) -> State | None:
        """Another state at the same place that goes its own way, what no label changes shared; None: none."""
        return None


note_state(State)
