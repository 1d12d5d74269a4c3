"""Which large files were compared with their checksums on this machine, so that each is compared once.

A file is told by what its checksums say of it, its path, and by the number, size and times that the file
system keeps of it: whatever is copied, moved or written to is another file, and is compared again. What is
known lies in the user's cache, and for the length of a process also in memory. ``ZEROKELVIN_CACHE=off``
keeps nothing beyond that.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from zerokelvin.errors import DataError
from zerokelvin.io.files import cache_folder, replacing

__all__ = ["AT_ONCE", "is_known_whole", "remember_whole"]

AT_ONCE = 1 << 26
"""Bytes that are compared whenever a file is opened: a tenth of a second."""

_KNOWN: set[str] = set()


def is_known_whole(path: Path, identity: str) -> bool:
    """Whether this file was compared with its checksums, or was written here, and has not changed since."""
    name = _name(path, identity)
    if name in _KNOWN:
        return True
    place = _place(name)
    try:
        found = place is not None and place.is_file()
    except OSError:
        return False
    if found:
        _KNOWN.add(name)
    return found


def remember_whole(path: Path, identity: str) -> None:
    """Take note that a file is as its checksums say, for as long as that can be kept."""
    name = _name(path, identity)
    _KNOWN.add(name)
    place = _place(name)
    if place is None:
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with replacing(place) as draft:
            draft.write_text(f"{path}\n{identity}\n", encoding="utf-8")
    except (OSError, DataError):
        return


def _name(path: Path, identity: str) -> str:
    said = path.stat()
    told = (identity, os.path.realpath(path), said.st_dev, said.st_ino, said.st_size)
    whole = repr((*told, said.st_mtime_ns, said.st_ctime_ns))
    return hashlib.sha256(whole.encode(errors="surrogateescape")).hexdigest()[:40]


def _place(name: str) -> Path | None:
    if os.environ.get("ZEROKELVIN_CACHE", "").lower() == "off":
        return None
    return cache_folder() / "whole" / name
