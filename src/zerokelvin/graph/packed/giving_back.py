"""Pages of a mapped file given back when many of them count as this process's memory.

The system maps sixteen pages where one is touched, so a label on 10⁸ edges takes some eighty megabytes.
Compiled code runs without the interpreter's lock, so a thread can look meanwhile. What is touched again is
read again; no value changes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["MappedPages", "bytes_of_files"]

BETWEEN = 0.02
"""Seconds in which compiled code touches some hundred megabytes."""

ROOM = 1 << 27
"""Bytes that may be touched before they are given back."""

STATM = Path("/proc/self/statm")


def bytes_of_files() -> int | None:
    """Bytes of mapped files that count as this process's memory; nothing where the system does not tell."""
    try:
        pages = int(STATM.read_bytes().split()[2])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


class MappedPages:
    """The pages of one mapped file; `release` gives them back to the system."""

    def __init__(self, release: Callable[[], object]) -> None:
        self._release = release
        self._kept = bytes_of_files()

    def give_back(self) -> None:
        """Give back all that were touched."""
        self._release()
        self._kept = bytes_of_files()

    def look(self) -> None:
        """Give back all if many were touched since the last time, or if nobody can tell how many."""
        now = bytes_of_files()
        if now is None or self._kept is None or now > self._kept + ROOM:
            self.give_back()

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look every `BETWEEN` seconds while the block lasts, and at its end."""
        ended = threading.Event()

        def repeat() -> None:
            while not ended.wait(BETWEEN):
                self.look()

        thread = threading.Thread(target=repeat, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            self.look()
