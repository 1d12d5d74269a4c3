"""One line of JSON on standard error per request: what, who, how long; no secrets, no names of nodes.

Lines are collected and written together, every fifth of a second, so that a log costs next to nothing.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

import msgspec

__all__ = ["RequestLog"]

EVERY = 0.2
"""Seconds that a line waits at most."""


class RequestLog:
    """Writes lines of JSON; `note` may be called from the event loop only."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self._lines: list[bytes] = []
        self._due = False
        self._encode = msgspec.json.Encoder().encode

    def note(self, event: str, **fields: Any) -> None:
        """Write a line, soon."""
        if not self.on:
            return
        self._lines.append(self._encode({"at": round(time.time(), 3), "event": event, **fields}))
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(EVERY, self.flush)

    def flush(self) -> None:
        """Write what was noted."""
        self._due = False
        if self._lines and sys.stderr is not None:
            text = b"\n".join(self._lines) + b"\n"
            self._lines = []
            sys.stderr.write(text.decode())
            sys.stderr.flush()
