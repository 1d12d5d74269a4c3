"""One at a time: the lock around every public method of a session, and what an interruption leaves behind.

Threads wait for each other at every call. A call that works with the learner's state and is interrupted
(Ctrl-C, no memory, a fault in a learner) may leave that state half changed; it is then not to be trusted, and
is made anew from the events before the next call. A refusal of the package's own changes nothing, so nothing
is renewed after it; nor after a call that builds another standing beside (`beside`), which leaves the present
one alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import Any, Concatenate, ParamSpec, TypeVar

from zerokelvin.errors import ZerokelvinError
from zerokelvin.session.standing import Standing

__all__ = ["Guarded", "alone", "beside"]


class Guarded:
    """What has a standing and a lock around it."""

    def __init__(self, standing: Standing) -> None:
        self._standing = standing
        self._lock = RLock()


P = ParamSpec("P")
R = TypeVar("R")
Method = Callable[Concatenate[Any, P], R]


def beside(method: Method[P, R]) -> Method[P, R]:
    """Let a method of a session run under its lock, on a standing that is intact."""

    @wraps(method)
    def guarded(self: Guarded, /, *args: P.args, **named: P.kwargs) -> R:
        with self._lock:
            if not self._standing.intact:
                self._standing = self._standing.renewed()
            return method(self, *args, **named)

    return guarded


def alone(method: Method[P, R]) -> Method[P, R]:
    """The same for a method that works with the learner's state: if interrupted, that is made anew."""

    @wraps(method)
    def watched(self: Guarded, /, *args: P.args, **named: P.kwargs) -> R:
        try:
            return method(self, *args, **named)
        except ZerokelvinError:
            raise
        except BaseException:
            self._standing.intact = False
            raise

    return beside(watched)
