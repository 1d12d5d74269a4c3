"""One mechanism for everything that is found by name: learners, data sets, experiments.

A registry maps a name to a value. An unknown name raises a `ParameterError` that lists the known
ones and proposes the nearest.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from zerokelvin.errors import ParameterError

__all__ = ["Registry"]

Value = TypeVar("Value")


class Registry(Mapping[str, Value], Generic[Value]):
    """A mapping from names to values that explains itself when a name is unknown.

    >>> colours = Registry("colour")
    >>> _ = colours.add("red")((255, 0, 0))
    >>> colours["rde"]
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: unknown colour 'rde'; did you mean 'red'? Known: red.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._values: dict[str, Value] = {}

    def add(self, name: str) -> Callable[[Value], Value]:
        """Decorator that registers a value under `name`, which must be free."""

        def register(value: Value) -> Value:
            if name in self._values:
                raise ParameterError(f"{self.kind} '{name}' is registered already; choose another name.")
            self._values[name] = value
            return value

        return register

    def __getitem__(self, name: str) -> Value:
        try:
            return self._values[name]
        except KeyError:
            raise ParameterError(self._unknown(name)) from None

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._values))

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(str(name), self._values, n=1)
        hint = f"did you mean '{near[0]}'? " if near else ""
        return f"unknown {self.kind} '{name}'; {hint}Known: {', '.join(self) or 'none'}."
