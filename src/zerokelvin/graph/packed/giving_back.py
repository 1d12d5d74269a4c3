"""Pages of a mapped file given back while compiled code goes through all of it.

Compiled code runs without the interpreter's lock, so a thread can ask the system meanwhile to take the pages
back. What is touched again is read again; no value changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["giving_back"]

BETWEEN = 0.2
"""Seconds in which compiled code touches some hundred megabytes."""


@contextmanager
def giving_back(release: Callable[[], object]) -> Iterator[None]:
    """Call `release` every `BETWEEN` seconds while the block lasts."""
    ended = threading.Event()

    def repeat() -> None:
        while not ended.wait(BETWEEN):
            release()

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
