"""Lines of JSON: on standard error one per request, what, who, how long; in a file what failed.

No secrets and no names of nodes are in them. Lines for standard error are collected and written together,
every fifth of a second, so that they cost next to nothing; what failed is written at once. A file that has
become long is put aside, under its name with ``.1``, and the one put aside before is gone.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import msgspec

__all__ = ["JsonLines", "RequestLog"]

EVERY = 0.2
"""Seconds that a line waits at most."""

LONG = 1 << 20
"""Bytes of a file that has become long."""

PLACES = 12
"""Places in the code that are told of a failure, the innermost."""

_encode = msgspec.json.Encoder().encode


class RequestLog:
    """Writes lines of JSON; `note` may be called from the event loop only."""

    def __init__(self, on: bool, file: Path | None = None) -> None:
        self.on, self.file = on, file
        self._lines: list[bytes] = []
        self._due = False

    def note(self, event: str, **fields: Any) -> None:
        """Write a line, soon, if lines are wanted."""
        if not self.on:
            return
        self._lines.append(_line(event, fields))
        if not self._due:
            self._due = True
            asyncio.get_running_loop().call_later(EVERY, self.flush)

    def failure(self, error: BaseException, **fields: Any) -> None:
        """Write down what failed and where, now; on standard error too, unless only the file is wanted."""
        found = traceback.extract_tb(error.__traceback__)[-PLACES:]
        places = [f"{one.filename.rpartition('zerokelvin/')[2]}:{one.lineno}" for one in found]
        fields |= {"error": type(error).__name__, "detail": str(error)[:500], "places": places}
        line = _line("error", fields)
        if self.on or self.file is None:
            self._lines.append(line)
            self.flush()  # at once: no event loop may be running here
        if self.file is not None:
            with contextlib.suppress(OSError):  # a full disk is told of by the request itself
                _append(self.file, line)

    def flush(self) -> None:
        """Write the lines that were noted, now."""
        self._due = False
        if self._lines and sys.stderr is not None:
            text = b"\n".join(self._lines) + b"\n"
            self._lines = []
            sys.stderr.write(text.decode())
            sys.stderr.flush()


class JsonLines(logging.Handler):
    """What other parts of the process log, as lines of JSON: the server, the store, packages."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, now."""
        fields = {"level": record.levelname.lower(), "from": record.name, "detail": record.getMessage()[:500]}
        if record.exc_info is not None and record.exc_info[1] is not None:
            fields["error"] = f"{type(record.exc_info[1]).__name__}: {record.exc_info[1]}"[:500]
        if sys.stderr is not None:
            sys.stderr.write(_line("log", fields).decode() + "\n")
            sys.stderr.flush()


def _line(event: str, fields: dict[str, Any]) -> bytes:
    return _encode({"at": round(time.time(), 3), "event": event, **fields})


def _append(file: Path, line: bytes) -> None:
    if file.exists() and file.stat().st_size + len(line) + 1 > LONG:
        file.replace(file.with_name(f"{file.name}.1"))
    with file.open("ab") as opened:
        opened.write(line + b"\n")
