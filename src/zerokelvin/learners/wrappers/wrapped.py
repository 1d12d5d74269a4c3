"""Learners around a learner: all that a wrapper does not change is the inner learner's.

A wrapper is a learner and its game around those of an inner one. `delegates` passes on every public method
and attribute of `Learner` or `Game` that a class does not write itself, also those that are added there
later: a wrapper says what it changes, and cannot forget to pass on a part. Some are not passed on, for they
would go past the wrapper: `start` and `start_game` make the wrapper's own, `score`, `scores_in_order` and
`play` go through its methods, `hand_over` goes from the inner game to the inner heir, and what a wrapper
copies (`twin`, `keeping`), takes back (`learn_reversibly`) or can bound (`bound_so_far`) it says itself.

The contract (`zerokelvin.checks.wrappers`) holds every wrapper that has nothing to change against its inner
learner, part by part.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.learners.base import Game, Learner, Progress, State, Trace, Trials, make
from zerokelvin.learners.base.growth import Growth
from zerokelvin.undo import Undo

__all__ = ["Wrapped", "WrappedGame", "delegates"]

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


@delegates(Game, "inner")
class WrappedGame(Game):
    """A game that is the inner one in all that a subclass does not change."""

    def __init__(self, inner: Game) -> None:
        super().__init__(inner.classes)
        self.inner = inner

    def scores(self, nodes: Any) -> Floats:
        """The scores of the inner game, (nodes, columns)."""
        return self.inner.scores(nodes)

    def score(self, node: Any) -> Floats:
        """The score of the inner game at one node, (columns,)."""
        return self.inner.score(node)

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Let the inner game learn."""
        self.inner.learn(node, code, wanted)

    def teach(self, nodes: Any, codes: Ints) -> None:
        """Let the inner game learn answers in order."""
        self.inner.teach(nodes, codes)

    def scores_in_order(self, nodes: Any, codes: Ints) -> Floats:
        """The plain loop, through the wrapper."""
        return Game.scores_in_order(self, nodes, codes)

    def twin(self, kept: bool = False) -> Game | None:
        """None: a wrapper that has something of its own to copy writes how."""
        return None

    def learn_reversibly(self, node: Any, code: int, wanted: Any = None) -> Undo | None:
        """None: a wrapper that has something of its own to take back writes how."""
        return None

    def keeping(self) -> Iterator[Game | None] | None:
        """None: what a wrapper copies, it copies at once."""
        return None

    def bound_so_far(self) -> float | None:
        """None: what a wrapper changes, its bound may not cover."""
        return None

    def evidence(self, nodes: Any) -> Floats:
        """By the scores of the wrapper."""
        return Game.evidence(self, nodes)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """The plain loop, through the wrapper."""
        return Game.learn_in_order(self, nodes, codes)

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """The plain loop, which asks and learns through the wrapper."""
        return Game.play(self, trials, progress)

    def hand_over(self, heir: Game, growth: Growth) -> None:
        """The inner game to that of the heir."""
        self.inner.hand_over(heir.inner if isinstance(heir, WrappedGame) else heir, growth)

    def take_over(self, old: Game, growth: Growth) -> None:
        """Be brought to where a game on a smaller graph is."""
        old.hand_over(self, growth)


@delegates(Learner, "wrapped")
class Wrapped(Learner):
    """A learner around `inner`, a learner or the name of one; a subclass is a dataclass with that field."""

    inner: Any

    @property
    def wrapped(self) -> Learner:
        """The inner learner, made where `inner` is its name."""
        return make(self.inner)

    def named(self, classes: Sequence[Hashable], closed: bool = True) -> Learner:
        """The same where classes have these names, and no others come if they are `closed`."""
        inner = self.wrapped.named(classes, closed)
        if inner is self.wrapped:
            return self
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return type(self)(**fields | {"inner": inner})

    def start(self, graph: Graph, prepared: Any = None, rng: np.random.Generator | None = None) -> State:
        """Begin one binary problem."""
        return Learner.start(self, graph, prepared, rng)

    @abstractmethod
    def start_game(self, graph: Graph, classes: int, prepared: Any = None, seed: int = 0) -> Game:
        """Begin a game around the inner one."""
