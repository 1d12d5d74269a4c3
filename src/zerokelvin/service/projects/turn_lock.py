"""A lock that nobody who waits for it can be kept from by one who takes it again and again.

`threading.Lock` goes to whoever comes first after it is free, and that is most often the thread that has just
let it go. A thread that learns part by part would so keep a reader waiting for all parts. Here whoever waits
stands in a *gate*, which everybody passes: one who comes back has to wait behind.
"""

from __future__ import annotations

import threading
from types import TracebackType

__all__ = ["TurnLock"]


class TurnLock:
    """A lock for one thread at a time; the first to wait is the next to have it."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._held = threading.Lock()

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; False where it would have to be waited for and `blocking` is false."""
        if not self._gate.acquire(blocking=blocking):
            return False
        try:
            return self._held.acquire(blocking=blocking)
        finally:
            self._gate.release()

    def release(self) -> None:
        """Give the lock up, so that whoever waits next has it."""
        self._held.release()

    def locked(self) -> bool:
        """Whether some thread holds the lock."""
        return self._held.locked()

    def wanted(self) -> bool:
        """Whether some thread waits for the lock."""
        return self._gate.locked()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
