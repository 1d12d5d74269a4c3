"""Long looks that end early when somebody else waits.

What nobody waits for is best done while nobody waits for anything else. Who starts such work says with
`stop_when` what ends it; code that takes long is then done in parts, and calls `stop_if_wanted` between them,
where stopping leaves everything as it was.

>>> with stop_when(lambda: True):
...     stop_if_wanted()
Traceback (most recent call last):
...
zerokelvin.stopping.StoppedError: somebody else waits; begin again later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from zerokelvin.errors import ZerokelvinError

__all__ = ["StoppedError", "may_be_stopped", "stop_if_wanted", "stop_when"]

_WANTED: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


class StoppedError(ZerokelvinError):
    """Work was ended because somebody else waits."""


@contextmanager
def stop_when(wanted: Callable[[], bool]) -> Iterator[None]:
    """Let work of this thread end early, by `StoppedError`, as soon as something is the case."""
    token = _WANTED.set(wanted)
    try:
        yield
    finally:
        _WANTED.reset(token)


def may_be_stopped() -> bool:
    """Whether the present work is to end early if somebody waits."""
    return _WANTED.get() is not None


def stop_if_wanted() -> None:
    """End here if whoever started this work wants it to."""
    wanted = _WANTED.get()
    if wanted is not None and wanted():
        raise StoppedError("somebody else waits; begin again later.")
