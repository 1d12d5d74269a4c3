"""Numbers that a game or a session takes, as Python's own: budgets, seeds, repeats, delays, shares."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError

__all__ = ["LARGEST", "require_share", "require_whole"]

LARGEST = 2**63 - 1
"""The largest whole number: compiled code and files count in 64 bits."""


def require_whole(name: str, value: Any, least: int = 0) -> int:
    """The whole number given, a NumPy one as Python's; refused below `least` and above 2⁶³ − 1.

    >>> require_whole("budget", np.int64(3))
    3
    >>> require_whole("budget", 1.5)
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: budget=1.5 must be a whole number of at least 0.
    """
    try:
        whole = operator.index(value)
    except TypeError:
        whole = least - 1
    if whole < least or isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}.")
    if whole > LARGEST:
        shown = value if whole < 10**30 else "…"
        raise ParameterError(f"{name}={shown} must be a whole number of at most {LARGEST} (2⁶³ − 1).")
    return whole


def require_share(name: str, value: Any) -> float:
    """The number given, refused outside [0, 1].

    >>> require_share("label_noise", np.float32(0.5))
    0.5
    """
    try:
        share = float(value)
    except (TypeError, ValueError, OverflowError):
        share = -1.0
    if not 0 <= share <= 1 or isinstance(value, str):
        raise ParameterError(f"{name}={value!r} must lie between 0 and 1.")
    return share
