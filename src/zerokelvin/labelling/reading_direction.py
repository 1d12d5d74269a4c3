"""Whether a text is read from right to left, by its first letter with a direction (UAX #9, rules P2, P3)."""

from __future__ import annotations

import unicodedata
from typing import Literal

__all__ = ["direction"]

LOOK = 2000
"""Characters looked at."""


def direction(text: str) -> Literal["ltr", "rtl", "auto"]:
    """The direction of a text; ``auto`` where no letter tells.

    >>> direction("12 hello"), direction("שלום"), direction("123")
    ('ltr', 'rtl', 'auto')
    """
    for sign in text[:LOOK]:
        kind = unicodedata.bidirectional(sign)
        if kind == "L":
            return "ltr"
        if kind in ("R", "AL"):
            return "rtl"
    return "auto"
