"""Bytes in and bytes out: whole files, decompressed on reading, replaced in one step on writing.

A reader never sees half a file: what is written goes to a temporary file in the same folder, which
takes the place of the old one only when it is complete.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import re
import secrets
import stat
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zerokelvin.errors import DataError

__all__ = [
    "PathLike",
    "cache_folder",
    "existing_file",
    "format_suffix",
    "read_bytes",
    "replacing",
    "write_bytes",
]

PathLike = str | os.PathLike[str]

STALE_SECONDS = 3600.0
"""A draft not written to for so long has lost its writer."""


def format_suffix(path: Path) -> str:
    """The suffix that tells the format, in lower case, with a trailing ``.gz`` left out.

    >>> format_suffix(Path("graph.CSV.gz"))
    '.csv'
    """
    name = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()


def existing_file(path: PathLike) -> Path:
    """The path, if there is a file behind it."""
    found = Path(path)
    if found.is_dir():
        raise DataError(f"'{found}' is a folder; name a file in it.")
    if not found.exists():
        raise DataError(f"there is no file '{found}'; check the path.")
    return found


def read_bytes(path: PathLike) -> bytes:
    """The content of a file, decompressed where its name ends in ``.gz``; never empty."""
    found = existing_file(path)
    try:
        data = found.read_bytes()
    except OSError as problem:
        raise DataError(f"'{found}' cannot be read: {problem.strerror}.") from None
    if found.suffix.lower() == ".gz" and data:
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as problem:
            raise DataError(f"'{found}' is not a complete gzip file: {problem}.") from None
    if not data:
        raise DataError(f"'{found}' is empty; it holds no rows.")
    return data


@contextmanager
def replacing(path: PathLike) -> Iterator[Path]:
    """Write to the path given by this context; it becomes `path` when the block ends well.

    The file keeps its mode, and a link stays a link: what it leads to is replaced. What is written is on the
    disk before it takes the old one's place. Drafts that a killed writer of the same file left are removed.
    """
    final = Path(path)
    if final.is_symlink():
        final = Path(os.path.realpath(final))
        if final.is_symlink():
            raise DataError(f"'{path}' is a link that leads back to itself; name a file.")
    if not final.parent.is_dir():
        raise DataError(f"there is no folder '{final.parent}' to write '{final.name}' into; create it first.")
    if final.is_dir():
        raise DataError(f"'{final}' is a folder; name a file in it.")
    if final.exists() and not final.is_file():
        raise DataError(f"'{final}' is no ordinary file, so it cannot be replaced; name another.")
    draft = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
    try:
        mode = stat.S_IMODE(final.stat().st_mode) if final.exists() else None
        _create(draft, mode)
        yield draft
        _sync(draft)
        if mode is not None:
            draft.chmod(mode)
        draft.replace(final)
        _sync(final.parent)
        _sweep(final)
    except OSError as problem:
        raise DataError(f"'{final}' cannot be written: {problem.strerror or problem}.") from None
    finally:
        draft.unlink(missing_ok=True)


def _create(draft: Path, mode: int | None) -> None:
    """An empty draft that nobody can read who could not read the file it is to replace."""
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600)
    os.close(handle)
    if mode is not None:
        draft.chmod(mode | stat.S_IWUSR)


def _sync(path: Path) -> None:
    """Have what was written to a file, or renamed in a folder, on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # folders cannot be opened there
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP):  # a file system that knows no such thing
            raise
    finally:
        os.close(handle)


def _sweep(final: Path) -> None:
    """Remove drafts of this file that were last written to long ago; whatever is in doubt stays."""
    ours = re.compile(rf"\.{re.escape(final.name)}\.[0-9a-f]{{8}}\.part")
    with contextlib.suppress(OSError), os.scandir(final.parent) as entries:
        for entry in entries:
            if not ours.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE_SECONDS:
                Path(entry.path).unlink(missing_ok=True)


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file in one step, compressed where its name ends in ``.gz``."""
    if Path(path).suffix.lower() == ".gz":
        data = gzip.compress(data, compresslevel=6, mtime=0)
    with replacing(path) as draft:
        draft.write_bytes(data)


def cache_folder() -> Path:
    """The folder for what is downloaded or computed once: this platform's place for caches of one user."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "zerokelvin" / "Cache"
    given = os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "zerokelvin"
    try:
        home = Path.home()
    except RuntimeError:  # a user unknown to the system, without HOME: nothing is kept
        home = Path(os.sep) / "nonexistent"
    return home / ("Library/Caches" if sys.platform == "darwin" else ".cache") / "zerokelvin"
