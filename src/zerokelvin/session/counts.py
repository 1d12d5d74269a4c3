"""Whole numbers that a game or a session takes: budgets, seeds, repeats, delays."""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.errors import ParameterError

__all__ = ["require_whole"]


def require_whole(name: str, value: Any, least: int = 0) -> None:
    """Refuse what is not a whole number of at least `least`.

    >>> require_whole("budget", 3)
    >>> require_whole("budget", 1.5)
    Traceback (most recent call last):
    zerokelvin.errors.ParameterError: budget=1.5 must be a whole number of at least 0.
    """
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))
    if not whole or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number of at least {least}.")
