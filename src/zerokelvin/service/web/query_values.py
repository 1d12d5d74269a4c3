"""Values of addresses as they are meant: numbers within limits, nodes and classes by their names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zerokelvin.client.messages import Named
from zerokelvin.service.records.projection import Projection
from zerokelvin.service.records.refusals import RefusedError

__all__ = [
    "CONFIDENCES",
    "FLAGS",
    "class_given",
    "class_named",
    "confidence_given",
    "flag",
    "node_given",
    "number",
    "several",
    "share",
    "whole",
]

WHOLE = {"type": "integer", "minimum": 0}
CONFIDENCES = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
"""The JSON schema of a confidence."""


FLAGS = frozenset({"0", "1", "true", "false", "yes", "no"})
"""What says yes or no."""


def whole(most: int, least: int = 0) -> dict[str, Any]:
    """The JSON schema of a whole number."""
    return {"type": "integer", "minimum": least, "maximum": most}


def number(query: Mapping[str, str], name: str, usual: int, most: int, least: int = 0) -> int:
    """A whole number of an address, or the usual one."""
    text = query.get(name)
    if text is None:
        return usual
    if not text.isascii() or not text.isdecimal() or len(text) > 12 or not least <= int(text) <= most:
        raise RefusedError(name, text, f"is no whole number from {least} to {most}")
    return int(text)


def share(query: Mapping[str, str], name: str, usual: float) -> float:
    """A number from 0 to 1 of an address, or the usual one."""
    text = query.get(name)
    if text is None:
        return usual
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise RefusedError(name, text, "is no number from 0 to 1")
    return value


def confidence_given(query: Mapping[str, str], usual: float) -> float:
    """The confidence of an address, above 0 and below 1, or the usual one."""
    value = share(query, "confidence", usual)
    if not 0 < value < 1:
        raise RefusedError("confidence", query["confidence"], "is not above 0 and below 1")
    return value


def flag(query: Mapping[str, str], name: str) -> bool:
    """Yes or no: 1, true or yes, against 0, false or nothing."""
    text = query.get(name, "0").lower()
    if text not in FLAGS:
        raise RefusedError(name, text, "is neither 1 nor 0")
    return text in ("1", "true", "yes")


def several(query: Mapping[str, str], name: str) -> list[str]:
    """The values of a parameter that stands in an address several times."""
    return query[name].split("\0") if name in query else []


def node_given(query: Mapping[str, str], name: str, known: Projection) -> Named:
    """A node of an address: a number where the nodes of the project are numbers."""
    text = query.get(name)
    if text is None:
        raise RefusedError(name, None, f"is missing; add ?{name}=NODE to the address")
    return node_named(text, known, name)


def node_named(text: str, known: Projection, field: str) -> Named:
    """A node by the text of its name: a number where the nodes of the project are numbers."""
    node = _as_known(text, known.graph.names is None or isinstance(known.graph.names[0], int))
    known.index(node, field)
    return node


def class_given(query: Mapping[str, str], name: str, known: Projection) -> Named:
    """The class that a text in an address names, refused where there is none."""
    text = query.get(name)
    if text is None:
        raise RefusedError(name, None, f"is missing; add ?{name}=CLASS to the address")
    return class_named(text, known, name)


def class_named(text: str, known: Projection, field: str) -> Named:
    """A class by the text of its name: a number where the classes of the project are numbers."""
    return known.label(_as_known(text, bool(known.classes) and isinstance(known.classes[0], int)), field)


def _as_known(text: str, numbers: bool) -> Named:
    digits = text.removeprefix("-")
    return int(text) if numbers and digits.isascii() and digits.isdecimal() and len(text) < 20 else text
