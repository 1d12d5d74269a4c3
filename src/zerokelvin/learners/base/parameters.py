"""Parameters of learners: Python's own numbers, refused in one sentence where type or size is wrong.

The annotations of a learner's fields say what is meant; those other than numbers, truth values, texts and
None are left to the learner itself. NumPy's numbers become Python's, so that whatever a learner was given,
it prints, compares and is saved alike.
"""

from __future__ import annotations

import dataclasses
import math
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

WHOLE = 2**62
"""Twice as much is a 64-bit number."""

LARGE = 1e150
"""The square of a parameter, or of its inverse, is a float."""


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
        _check_size(field.name, value)


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


def _check_size(name: str, value: Any) -> None:
    """Refuse finite numbers whose squares or sums are none; what is not finite the learner judges."""
    if isinstance(value, Integral) and abs(int(value)) > WHOLE:
        digits = math.ceil(int(value).bit_length() * math.log10(2))
        raise ParameterError(f"{name}, of {digits} digits, is too large; choose a whole number up to 2^62.")
    if not isinstance(value, Real) or isinstance(value, Integral):
        return
    size = abs(float(value))
    if 0 < size < 1 / LARGE or LARGE < size < math.inf:
        raise ParameterError(f"{name}={value!r} is out of reach; choose a size between 1e-150 and 1e150.")


def _is(kind: str, value: Any) -> bool:
    truth = isinstance(value, (bool, np.bool_))
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not truth)
