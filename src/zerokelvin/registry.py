"""One mechanism for everything that is found by name: learners, policies, engines, kernels, experiments.

A registry maps a name to a value. An unknown name raises a `ParameterError` that lists the known
ones and proposes the nearest. Where a name may come with a number, ``margin:2``, the registry knows the form
it is written in and parses it, the only place that does.

A registry may have a room, a package each of whose modules registers what it defines with one decorator:
``Registry("learner", room="zerokelvin.learners", decorator="learner")``. A module of a room is imported when
a name of it is asked for, and not before. Which names it has is read off its text, in which the decorator
stands as ``@learner("name")`` or ``@policy("name", "NUMBER")``. What cannot be read off the text (a module
without text, a decorator that is called with anything but texts, or under another name) is imported as soon
as names are listed. So names, forms and messages are always complete, and a new module is found by being
there.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from zerokelvin.errors import ParameterError

__all__ = ["Registry"]

Value = TypeVar("Value")


class NameInText(NamedTuple):
    """What the text of a module says of a name: the module, the name's number, what it decorates."""

    module: str
    number: str
    defined: str


class RoomText(NamedTuple):
    """What the texts of a package say: the entries by name, and the modules that must be imported to know."""

    entries: dict[str, NameInText]
    opaque: list[str]


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

    def __init__(self, kind: str, *, room: str = "", decorator: str = "") -> None:
        self.kind = kind
        self._room, self._decorator = room, decorator
        self._values: dict[str, Value] = {}
        self._numbers: dict[str, str] = {}

    def add(self, name: str, number: str = "") -> Callable[[Value], Value]:
        """Decorator that registers a value under `name`, which must be free.

        `number` names the number that comes with it, ``"RATE"``, in brackets where it may be left out,
        ``"[RATE]"``.
        """

        def register(value: Value) -> Value:
            entry = self._written.entries.get(name)
            elsewhere = entry is not None and entry.module not in sys.modules
            if name in self._values or elsewhere:
                raise ParameterError(f"{self.kind} '{name}' is registered already; choose another name.")
            self._values[name] = value
            self._numbers[name] = number
            return value

        return register

    @property
    def forms(self) -> list[str]:
        """How each name is written, with its number."""
        return [self._form(name) for name in self]

    def split(self, text: str) -> tuple[Value, str | None]:
        """The value that a text such as ``margin:2`` begins with, and what follows; None if nothing does."""
        name, colon, written = text.partition(":")
        value = self[name]
        number = self._numbers[name]
        if not colon and (not number or number.startswith("[")):
            return value, None
        if not number:
            raise ParameterError(f"{self.kind} '{text}' takes no number; write {name}.")
        if not written:
            raise ParameterError(f"{self.kind} '{text}' needs a number; write {self._form(name)}.")
        return value, written

    def parse(self, text: str) -> tuple[Value, float | None]:
        """The value and the number that a text such as ``margin:2`` stands for; None where it has none."""
        value, written = self.split(text)
        if written is None:
            return value, None
        try:
            return value, float(written)
        except ValueError:
            form = self._form(text.partition(":")[0])
            raise ParameterError(f"{self.kind} '{text}': '{written}' is no number; write {form}.") from None

    def defined_as(self, name: str) -> Value | None:
        """The value that is a class or function of this name in the code; None if there is none.

        Imports the one module that defines it, and those whose texts do not tell.
        """
        known = self.definitions.get(name)
        return None if known is None else self[known]

    @property
    def definitions(self) -> dict[str, str]:
        """The names of classes and functions in the code, with the name each is registered under."""
        self._names()
        added = {getattr(value, "__name__", ""): name for name, value in self._values.items()}
        return {entry.defined: name for name, entry in self._written.entries.items()} | added

    @functools.cached_property
    def _written(self) -> RoomText:
        return _read_room(self._room, self._decorator) if self._room else RoomText({}, [])

    def _names(self) -> set[str]:
        for module in self._written.opaque:
            importlib.import_module(module)
        return self._values.keys() | self._written.entries.keys()

    def _form(self, name: str) -> str:
        entry = self._written.entries.get(name)
        number = self._numbers[name] if name in self._numbers or entry is None else entry.number
        if not number:
            return name
        return f"{name}[:{number[1:]}" if number.startswith("[") else f"{name}:{number}"

    def __getitem__(self, name: str) -> Value:
        if name not in self._values and name in self._written.entries:
            importlib.import_module(self._written.entries[name].module)
        if name not in self._values and name not in self._names():
            raise ParameterError(self._unknown(name))
        if name not in self._values:
            module = self._written.entries[name].module
            raise ParameterError(
                f"{self.kind} '{name}' stands in the text of {module}, which has not added it."
            )
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names()))

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._names()

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(str(name), sorted(self._names()), n=1)
        hint = f"did you mean '{near[0]}'? Known" if near else "known"
        return f"unknown {self.kind} '{name}'; {hint}: {', '.join(self.forms) or 'none'}."


def _read_room(room: str, decorator: str) -> RoomText:
    """Read what the modules of a package register, without importing them."""
    plain = re.compile(
        rf'^@{decorator}\(\s*"([^"\\]+)"\s*(?:,\s*"([^"\\]*)"\s*)?(?=,?\s*\)|,\s*(?!number\b)\w+\s*=)'
        r"(?s:.*?)^(?:class|def|async def) (\w+)",
        re.MULTILINE,
    )
    any_use = re.compile(rf"(?<![\w.`]){decorator}\(|\b{decorator} as \w|^\w+ = {decorator}$", re.MULTILINE)
    definition = re.compile(rf"^(?:def {decorator}\(|{decorator}\b.* = )", re.MULTILINE)
    entries: dict[str, NameInText] = {}
    opaque = []
    for module, text in _texts(room):
        if text is None:
            opaque.append(module)
            continue
        found = plain.findall(text)
        if definition.search(text) is None and len(any_use.findall(text)) != len(found):
            opaque.append(module)
            continue
        entries |= {name: NameInText(module, number, defined) for name, number, defined in found}
    return RoomText(entries, opaque)


def _texts(package: str) -> Iterator[tuple[str, str | None]]:
    """The modules of a package and of those inside it, with their texts; None where there is none to read."""
    spec = importlib.util.find_spec(package)
    waiting = [(package, list(spec.submodule_search_locations or []))] if spec is not None else []
    while waiting:
        within, folders = waiting.pop()
        for found in pkgutil.iter_modules(folders):
            name = f"{within}.{found.name}"
            base = Path(getattr(found.module_finder, "path", "")) / found.name
            if found.ispkg:
                waiting.append((name, [str(base)]))
            path = base / "__init__.py" if found.ispkg else base.with_suffix(".py")
            yield name, path.read_text(encoding="utf-8") if path.is_file() else None
