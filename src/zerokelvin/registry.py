"""One mechanism for everything that is found by name: learners, policies, engines, kernels, experiments.

A registry maps a name to a value. An unknown name raises a `ParameterError` that lists the known
ones and proposes the nearest. Where a name may come with a number, ``margin:2``, the registry knows the form
it is written in and parses it, the only place that does.
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
    >>> _ = colours.add("grey", "SHADE")("grey")
    >>> colours.parse("grey:0.5"), colours.forms
    (('grey', 0.5), ['grey:SHADE', 'red'])
    >>> colours.parse("grey")
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: colour 'grey' needs a number; write grey:SHADE.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._values: dict[str, Value] = {}
        self._numbers: dict[str, str] = {}

    def add(self, name: str, number: str = "") -> Callable[[Value], Value]:
        """Decorator that registers a value under `name`, which must be free.

        `number` names the number that comes with it, ``"RATE"``, in brackets where it may be left out,
        ``"[RATE]"``.
        """

        def register(value: Value) -> Value:
            if name in self._values:
                raise ParameterError(f"{self.kind} '{name}' is registered already; choose another name.")
            self._values[name] = value
            self._numbers[name] = number
            return value

        return register

    @property
    def forms(self) -> list[str]:
        """How each name is written, with its number."""
        return [self._form(name) for name in self]

    def parse(self, text: str) -> tuple[Value, float | None]:
        """The value and the number that a text such as ``margin:2`` stands for; None where it has none."""
        name, colon, written = text.partition(":")
        if name not in self._values:
            raise ParameterError(self._unknown(name))
        number = self._numbers[name]
        if not colon and (not number or number.startswith("[")):
            return self._values[name], None
        if not number:
            raise ParameterError(f"{self.kind} '{text}' takes no number; write {name}.")
        if not written:
            raise ParameterError(f"{self.kind} '{text}' needs a number; write {self._form(name)}.")
        try:
            return self._values[name], float(written)
        except ValueError:
            raise ParameterError(
                f"{self.kind} '{text}': '{written}' is no number; write {self._form(name)}."
            ) from None

    def _form(self, name: str) -> str:
        number = self._numbers[name]
        if not number:
            return name
        return f"{name}[:{number[1:]}" if number.startswith("[") else f"{name}:{number}"

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
        return f"unknown {self.kind} '{name}'; {hint}Known: {', '.join(self.forms) or 'none'}."
