"""What items were made of: the files as they were, and the columns that were named.

A project is opened again by the command that made it. Between two starts a file can change, and another file
can have the same name; then labels would go to items that are not those of the file. So each file leaves a
mark with the items: its length, when it was written, and the SHA-256 of its bytes, which is computed again
only where the time is another. The mark of a folder of images is made of their names and lengths.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from zerokelvin.labelling.image_kinds import image_names

__all__ = ["Origin", "changed_file", "origin_of"]

Mark = tuple[int, int, str]
"""Length, time of writing in nanoseconds, SHA-256."""


@dataclass(frozen=True)
class Origin:
    """The marks of the files by what they are for, and the columns by option."""

    files: dict[str, Mark] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)


def origin_of(files: Mapping[str, Path], columns: Mapping[str, str]) -> Origin:
    """The origin of items that are read now; without a file there is none."""
    return Origin({role: _mark(path) for role, path in files.items()}, dict(columns))


def changed_file(made: Origin, files: Mapping[str, Path]) -> Path | None:
    """A file that is there and is not what the items were made of."""
    for role, path in files.items():
        if path.exists() and (role not in made.files or not _agrees(path, made.files[role])):
            return path
    return None


def _agrees(path: Path, mark: Mark) -> bool:
    if path.is_dir():
        return _mark(path) == tuple(mark)
    found = path.stat()
    if found.st_size != mark[0]:
        return False
    return found.st_mtime_ns == mark[1] or _digest(path) == mark[2]


def _mark(path: Path) -> Mark:
    if path.is_dir():
        lines = [f"{name} {(path / name).stat().st_size}" for name in image_names(path)]
        listed = "\n".join(lines).encode("utf-8", "surrogateescape")
        return len(lines), 0, hashlib.sha256(listed).hexdigest()
    found = path.stat()
    return found.st_size, found.st_mtime_ns, _digest(path)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
