"""Parameters of learners: Python's own numbers, refused in one sentence where the type is wrong.

The annotations of a learner's fields say what is meant; those other than numbers, truth values, texts and
None are left to the learner itself. NumPy's numbers become Python's, so that whatever a learner was given,
it prints, compares and is saved alike.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError

__all__ = ["check_types", "make_plain", "plain"]

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "float": (Real, "a number"),
    "int": (Integral, "a whole number"),
    "bool": ((bool, np.bool_), "True or False"),
    "str": (str, "a text"),
    "None": (type(None), "None"),
}
LARGEST, MOST = 2**63 - 1, 2**1023
"""What 64 bits hold, and what floats hold."""


def check_types(learner: type, values: Mapping[str, Any]) -> None:
    """Refuse values that a learner's fields do not take.

    >>> from zerokelvin.learners.nearest import Nearest
    >>> check_types(Nearest, {"k": 3})
    >>> check_types(Nearest, {"k": "three"})
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: k='three' must be a whole number.
    """
    for field in dataclasses.fields(learner):
        kinds = [kind.strip() for kind in str(field.type).split("|")]
        if field.name not in values or not set(kinds) <= set(KINDS):
            continue
        value = values[field.name]
        if not any(_is(kind, value) for kind in kinds):
            words = " or ".join(KINDS[kind][1] for kind in kinds)
            raise ParameterError(f"{field.name}={value!r} must be {words}.")
        if isinstance(value, Integral) and abs(operator.index(value)) > (
            MOST if "float" in kinds else LARGEST
        ):
            raise ParameterError(
                f"{field.name} is a whole number too large to compute with; give a smaller one."
            )


def make_plain(learner: Any) -> None:
    """Replace the numbers, truth values and texts among a learner's fields by Python's own."""
    for field in dataclasses.fields(learner):
        value = getattr(learner, field.name)
        if (own := plain(value)) is not value:
            object.__setattr__(learner, field.name, own)  # its fields are frozen for everyone else


def plain(value: Any) -> Any:
    """A scalar as Python's own; anything else as it is.

    >>> plain(np.float64(0.5)), plain(np.int8(3)), plain("text")
    (0.5, 3, 'text')
    """
    if isinstance(value, np.generic):
        return value.item()
    if type(value) in (bool, int, float) or not isinstance(value, Real):
        return value
    return operator.index(value) if isinstance(value, Integral) else float(value)


def _is(kind: str, value: Any) -> bool:
    truth = isinstance(value, (bool, np.bool_))
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not truth)
