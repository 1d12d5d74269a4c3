"""How every label that reaches a state comes into its record, whatever way it takes.

`State` and `OneVsRest` wrap the methods of their subclasses when a class is made, so that no learner forgets
to note a label. It may come through ``State.update``, through ``Game.learn``, in a compiled game (``play``),
as one of many (``teach``), from a smaller graph (``hand_over``) or from a snapshot (``restore``). Each looks
at the record before and after: what is missing, because labels went past ``State.update``, is added, for a
compiled game as two arrays.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.learners.base.sound import wrap_own

if TYPE_CHECKING:
    from zerokelvin.learners.base.growth import Growth

__all__ = ["SEEN", "note_game", "note_state"]

SEEN = ("seen_nodes", "seen_labels")
"""The names under which a snapshot holds the record."""

Method = Callable[..., Any]


def note_state(cls: Any) -> None:
    """Have the methods that a class of states defines itself fill its record, and keep it in a snapshot."""
    _wrap(cls, {"update": _update, "restore": _restore})
    fields = vars(cls).get("fields", ())
    if isinstance(fields, tuple) and fields and SEEN[0] not in fields:
        cls.fields = (*fields, *SEEN)


def note_game(cls: type) -> None:
    """The same for a class of games with states side by side."""
    _wrap(cls, {"learn": _learn, "play": _play, "teach": _teach, "hand_over": _hand_over})


def _wrap(cls: type, wrappers: Mapping[str, Callable[[Method], Method]]) -> None:
    for name, wrapper in wrappers.items():
        wrap_own(cls, (name,), wrapper)


def _update(method: Method) -> Method:
    @functools.wraps(method)
    def update(self: Any, node: Any, label: int) -> None:
        before = len(self.record)
        method(self, node, label)
        if len(self.record) == before:
            self.record.note(node, label)

    return update


def _restore(method: Method) -> Method:
    @functools.wraps(method)
    def restore(self: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        method(self, arrays)
        if SEEN[0] in arrays and len(self.record) < len(arrays[SEEN[0]]):
            self.record.replace(0, *(arrays[name].copy() for name in SEEN))

    return restore


def _learn(method: Method) -> Method:
    @functools.wraps(method)
    def learn(self: Any, node: Any, code: int, wanted: Any = None) -> None:
        before = [len(state.record) for state in self.states]
        method(self, node, code, wanted)
        for c, (state, label) in enumerate(zip(self.states, self.labels(code), strict=True)):
            if len(state.record) == before[c] and (wanted is None or wanted[c]):
                state.record.note(node, label)

    return learn


def _play(method: Method) -> Method:
    @functools.wraps(method)
    def play(self: Any, trials: Any, progress: Any = None) -> Any:
        before = [len(state.record) for state in self.states]
        trace = method(self, trials, progress)
        for c, state in enumerate(self.states):
            asked = trace.asked[:, c]
            if len(state.record) - before[c] < np.count_nonzero(asked):
                every = asked.all()
                nodes = trials.nodes if every else trials.nodes[asked]
                labels = trials.signs[:, c] if every else trials.signs[asked, c]
                state.record.replace(before[c], nodes, labels)
        return trace

    return play


def _teach(method: Method) -> Method:
    @functools.wraps(method)
    def teach(self: Any, nodes: NDArray[Any], codes: NDArray[Any]) -> None:
        before = [len(state.record) for state in self.states]
        method(self, nodes, codes)
        if any(
            len(state.record) - seen < len(nodes) for state, seen in zip(self.states, before, strict=True)
        ):
            for c, labels in enumerate(self.signs(codes).T):
                self.states[c].record.replace(before[c], nodes, labels)

    return teach


def _hand_over(method: Method) -> Method:
    @functools.wraps(method)
    def hand_over(self: Any, heir: Any, growth: Growth) -> None:
        method(self, heir, growth)
        for old, new in zip(self.states, getattr(heir, "states", ()), strict=False):
            if len(new.record) < len(old.record):
                new.record.replace(0, growth.places[old.record.nodes], old.record.labels.copy())

    return hand_over
