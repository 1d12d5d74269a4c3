"""Learners around a learner: all that a wrapper does not change is the inner learner's.

A wrapper is a learner, its problems and their states around those of an inner one. `delegates` passes on
every public method and attribute of `Learner`, `Problems` or `State` that a class does not write itself, also
those that are added there later: a wrapper says what it changes, and cannot forget to pass on a part. Four
are not passed on, for they would go past the wrapper: `start` and `start_problems` make the wrapper's own,
`play` is the plain loop through its methods, `hand_over` goes from the inner problems to the inner heir.

The contract (`zerokelvin.checks.wrappers`) holds every wrapper that has nothing to change against its inner
learner, part by part.
"""

from __future__ import annotations

import abc
import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Learner, Problems, Progress, State, Trace, Trials, make
from zerokelvin.learners.base.growth import Growth

__all__ = ["Wrapped", "WrappedProblems", "WrappedState", "delegates"]

Floats = NDArray[np.float64]
C = TypeVar("C", bound=type)


def delegates(base: type, to: str) -> Callable[[C], C]:
    """Class decorator: what is public in `base` and not written in the class is that of the attribute `to`.

    >>> class Loud:
    ...     volume = 11
    ...     def speak(self, word):
    ...         return word.upper()
    >>> @delegates(Loud, "inner")
    ... class Around(Loud):
    ...     def __init__(self, inner):
    ...         self.inner = inner
    >>> quiet = Loud()
    >>> quiet.volume = 2
    >>> Around(quiet).volume, Around(quiet).speak("here")
    (2, 'HERE')
    """

    def fill(cls: C) -> C:
        for name, member in vars(base).items():
            if not name.startswith("_") and name not in vars(cls):
                plain = inspect.isfunction(member)
                setattr(cls, name, _method(name, member, to) if plain else _Attribute(name, member, to))
        abc.update_abstractmethods(cls)
        return cls

    return fill


def _method(name: str, member: Any, to: str) -> Any:
    @functools.wraps(member)
    def passed(self: Any, *values: Any, **named: Any) -> Any:
        return getattr(getattr(self, to), name)(*values, **named)

    passed.__dict__.pop("__isabstractmethod__", None)
    return passed


class _Attribute:
    """That of the inner object; asked of a class, that of an object with its defaults, or else the base's."""

    def __init__(self, name: str, default: Any, to: str) -> None:
        self.name, self.default, self.to = name, default, to

    def __get__(self, wrapper: Any, cls: type) -> Any:
        if wrapper is None:
            try:
                wrapper = cls()
            except TypeError:  # it has no defaults
                return self.default
        return getattr(getattr(wrapper, self.to), self.name)


@delegates(State, "inner")
class WrappedState(State):
    """One binary problem: that of the problems which its owner wraps at the moment."""

    def __init__(self, owner: WrappedProblems, problem: int) -> None:
        self.owner = owner
        self.problem = problem

    @property
    def inner(self) -> State:
        """The inner learner's state of the same problem."""
        return self.owner.inner.states[self.problem]

    def margin(self, node: Any) -> float:
        """The inner margin."""
        return self.inner.margin(node)

    def update(self, node: Any, label: int) -> None:
        """Learn an answer; of several problems, update them together."""
        if len(self.owner.states) > 1:
            raise ParameterError("one answer counts for all classes here; update the problems together.")
        self.owner.update(node, [label])


@delegates(Problems, "inner")
class WrappedProblems(Problems):
    """The inner problems, and a state around each of theirs."""

    inner: Problems
    state: type[WrappedState] = WrappedState

    def __init__(self, inner: Problems) -> None:
        self.inner = inner
        super().__init__([type(self).state(self, c) for c in range(len(inner.states))])

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The plain loop, which asks and teaches through the wrapper."""
        return Problems.play(self, trials, progress)

    def hand_over(self, heir: Problems, growth: Growth) -> None:
        """The inner problems to those of the heir."""
        self.inner.hand_over(heir.inner if isinstance(heir, WrappedProblems) else heir, growth)


@delegates(Learner, "wrapped")
class Wrapped(Learner):
    """A learner around `inner`, a learner or the name of one; a subclass is a dataclass with that field."""

    inner: Any

    @property
    def wrapped(self) -> Learner:
        """The inner learner."""
        return make(self.inner)

    def start(self, graph: Graph, prepared: Any = None, rng: np.random.Generator | None = None) -> State:
        """Begin one binary problem."""
        seed = 0 if rng is None else int(rng.integers(1 << 62))
        return self.start_problems(graph, 1, prepared, seed).states[0]

    @abstractmethod
    def start_problems(self, graph: Graph, count: int, prepared: Any, seed: int) -> Problems:
        """Begin `count` problems side by side, around the inner ones."""
