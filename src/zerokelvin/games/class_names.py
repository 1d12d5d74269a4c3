"""Which labels may name a class, decided once: what a session accepts, a session file can hold.

A class is text, True or False, a whole number, a finite number, or a tuple of those, nested at will. Anything
else is refused when it is first given, not when the session is saved. NumPy scalars become Python's own.

In a session file a class is JSON: itself, and a tuple ``{"tuple": [...]}``.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from zerokelvin.errors import LabelError

__all__ = ["class_name", "from_json", "refuse_stranger", "to_json"]

DEPTH = 20
"""How deep tuples may be nested."""

DIGITS = 10**300
"""Whole numbers stay below it: within reach of floats, and of what JSON readers take."""


def class_name(label: Any) -> Hashable:
    """The label as a class: Python's own value for a NumPy scalar, refused where it cannot name a class.

    >>> class_name(np.int64(3)), class_name(("a", 1.5))
    (3, ('a', 1.5))
    >>> class_name(float("inf"))
    Traceback (most recent call last):
    zerokelvin.errors.LabelError: label inf is not finite; a class is text, a number or a tuple of those.
    """
    return _checked(label, label, 0)


def refuse_stranger(label: Hashable, classes: Sequence[Hashable], node: Hashable) -> None:
    """Refuse a label that is not among the classes given, naming the nearest."""
    if label in classes:
        return
    shown = ", ".join(map(repr, classes[:10])) + (", …" if len(classes) > 10 else "")
    near = nearest(label, classes)
    meant = "" if near is None else f"give {near!r}, or "
    raise LabelError(
        f"label {label!r} for node {node!r} is not among the classes ({shown}); {meant}start with "
        "open_classes=True if it is a class of its own."
    )


def nearest(label: Hashable, classes: Sequence[Hashable]) -> Hashable | None:
    """The class that looks most like a label, whatever its case or type; None where none does.

    >>> nearest("Fraud", ["ok", "fraud"]), nearest("1", [0, 1]), nearest("x", ["ok"])
    ('fraud', 1, None)
    """
    spelled = {str(name).casefold(): name for name in classes}
    found = difflib.get_close_matches(str(label).casefold(), list(spelled), n=1, cutoff=0.5)
    return spelled[found[0]] if found else None


def to_json(label: Hashable) -> Any:
    """What a session file holds of a class: the value itself, a tuple as ``{"tuple": [...]}``."""
    if isinstance(label, tuple):
        return {"tuple": [to_json(part) for part in label]}
    for kind in (bool, int, float, str):
        if isinstance(label, kind):
            return kind(label)  # a subclass, such as an enumeration, is equal to the value it stands for
    return class_name(label)


def from_json(value: Any) -> Hashable:
    """The class that `to_json` wrote; refused where it wrote none."""
    return class_name(_read(value))


def _read(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["tuple"] and isinstance(value["tuple"], list):
        return tuple(_read(part) for part in value["tuple"])
    if not isinstance(value, (str, bool, int, float)):
        raise LabelError(f"{value!r} is no class.")
    return value


def _checked(part: Any, label: Any, depth: int) -> Hashable:
    """A label, or a part of it `depth` tuples deep, as Python's own value; errors name the whole label."""
    if isinstance(part, np.generic):
        part = part.item()
    if isinstance(part, (bool, str)):
        return part
    if isinstance(part, int):
        if abs(part) >= DIGITS:
            raise LabelError("a label is a whole number of more than 300 digits; give it as text.")
        return part
    if isinstance(part, float):
        if not math.isfinite(part):
            raise LabelError(f"label {label!r} is not finite; a class is text, a number or a tuple of those.")
        return part
    if isinstance(part, tuple):
        if depth == DEPTH:
            raise LabelError(f"a label is a tuple nested more than {DEPTH} deep; give a flat one, or text.")
        return tuple(_checked(piece, label, depth + 1) for piece in part)
    try:
        hash(part)
    except TypeError:
        raise LabelError(f"label {label!r} is not hashable; give text, a number or a tuple.") from None
    raise LabelError(
        f"label {label!r} is or holds a {type(part).__name__}; a class is text, a number or a tuple of those."
    )
