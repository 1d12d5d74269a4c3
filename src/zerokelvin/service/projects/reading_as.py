"""For whom a request reads: what it must have seen, so that everybody reads what they have written.

Who has sent a label sees it in the next prediction; whoever has not may be shown the newest learnt state,
which is a moment behind while many labels come in. Who somebody is, is the name of their key (without keys
all are one). A request may say instead from how many events at least its answer is to be made, with the
number that a write had answered with, in the header ``Zerokelvin-Events``.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

__all__ = ["READER", "Reader"]


class Reader(NamedTuple):
    """The name of a key, and the number of events that the answer must be made from, if it was given."""

    name: str
    events: int | None = None


READER: ContextVar[Reader | None] = ContextVar("READER", default=None)
"""Whoever the present request is from; None reads everything that was acknowledged."""
