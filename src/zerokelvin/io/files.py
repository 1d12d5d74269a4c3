"""Bytes in and bytes out: whole files, decompressed on reading, replaced in one step on writing.

A reader never sees half a file: what is written goes to a temporary file in the same folder, which
takes the place of the old one only when it is complete.
"""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from zerokelvin.errors import DataError

__all__ = ["PathLike", "existing_file", "format_suffix", "read_bytes", "replacing", "write_bytes"]

PathLike = str | os.PathLike[str]


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
    """Write to the path given by this context; it becomes `path` when the block ends well."""
    final = Path(path)
    if not final.parent.is_dir():
        raise DataError(f"there is no folder '{final.parent}' to write '{final.name}' into; create it first.")
    if final.is_dir():
        raise DataError(f"'{final}' is a folder; name a file in it.")
    draft = final.with_name(f".{final.name}.{secrets.token_hex(4)}.part")
    try:
        yield draft
        draft.replace(final)
    except OSError as problem:
        raise DataError(f"'{final}' cannot be written: {problem.strerror or problem}.") from None
    finally:
        draft.unlink(missing_ok=True)


def write_bytes(path: PathLike, data: bytes) -> None:
    """Write a whole file in one step, compressed where its name ends in ``.gz``."""
    if Path(path).suffix.lower() == ".gz":
        data = gzip.compress(data, compresslevel=6, mtime=0)
    with replacing(path) as draft:
        draft.write_bytes(data)
