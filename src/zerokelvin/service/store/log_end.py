"""How far a log reached, in a small file beside it: a log that was cut off is seen.

After every append the number and the link of the last event are written over the former ones, without a
sync. So the file never says more than what is on the disk, and after a power cut perhaps less; but a log
whose end is missing, because its write-ahead log was not copied or was cut, has fewer events than the file
says. A file that is itself damaged says nothing.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import NamedTuple

__all__ = ["EndFile", "LogEnd"]

SIZE = 8 + 32 + 8


class LogEnd(NamedTuple):
    """The number of the last event, and its link."""

    number: int
    chain: bytes


class EndFile:
    """The file, open for writing over."""

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)

    def read(self) -> LogEnd | None:
        """What it says; None if it is new or damaged."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        content = os.read(self._handle, SIZE)
        said, check = content[:40], content[40:]
        if hashlib.sha256(said).digest()[:8] != check:
            return None
        return LogEnd(*struct.unpack(">Q32s", said))

    def write(self, end: LogEnd) -> None:
        """Replace the end that the file tells of, with a checksum; nothing is forced to disk here."""
        said = struct.pack(">Q32s", *end)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, said + hashlib.sha256(said).digest()[:8])

    def close(self) -> None:
        """Close it; may be called twice."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
