"""Parameters of learners: refuse values of the wrong type in one sentence, before anything is computed.

The annotations of a learner's fields say what is meant; those other than numbers, truth values, texts and
None are left to the learner itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError

__all__ = ["check_types"]

KINDS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "float": (Real, "a number"),
    "int": (Integral, "a whole number"),
    "bool": ((bool, np.bool_), "True or False"),
    "str": (str, "a text"),
    "None": (type(None), "None"),
}


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


def _is(kind: str, value: Any) -> bool:
    truth = isinstance(value, (bool, np.bool_))
    return isinstance(value, KINDS[kind][0]) and (kind == "bool" or not truth)
