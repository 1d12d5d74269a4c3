"""Spectral embeddings kept on disk, so that the same graph is embedded once.

They lie in ``embeddings`` in the user's cache folder, one npz file (no pickle) per embedding, named by the
SHA-256 of a description: the graph's content hash, every parameter that can change a number, the version of
the package and of the file layout. The description stands in the file too, and a file that is damaged or
describes something else counts as absent. Writing is atomic; where it is impossible (a full or read-only
disk) nothing is kept and nothing is said, as a cache may always be missing. Beyond 2 GB the embeddings that
have not been used for longest are deleted.

``ZEROKELVIN_CACHE=off`` turns reading and writing off.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError
from zerokelvin.io.files import cache_folder, replacing

__all__ = ["LIMIT", "embedding_path", "read_embedding", "write_embedding"]

Arrays = dict[str, NDArray[Any]]

LAYOUT = 1
LIMIT = 2_000_000_000  # bytes that all embeddings together may take


def embedding_path(description: Mapping[str, Any]) -> Path | None:
    """The file an embedding with this description belongs in; None where the cache is off."""
    if os.environ.get("ZEROKELVIN_CACHE", "").lower() == "off":
        return None
    name = hashlib.sha256(_spelled(description)).hexdigest()
    return cache_folder() / "embeddings" / f"{name[:40]}.npz"


def read_embedding(description: Mapping[str, Any]) -> Arrays | None:
    """The arrays written under this description, or None where there are none to be trusted."""
    path = embedding_path(description)
    if path is None or not path.is_file():
        return None
    try:
        with path.open("rb") as handle, np.load(handle, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        if arrays.pop("description").tobytes() != _spelled(description):
            return None
        os.utime(path)  # used now: the last to be deleted
    except (OSError, ValueError, LookupError, EOFError, AttributeError, TypeError, RuntimeError, MemoryError):
        return None
    except (ArithmeticError, struct.error, zipfile.BadZipFile, zlib.error):
        return None
    return arrays


def write_embedding(description: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Keep arrays under a description, in place of what was there."""
    path = embedding_path(description)
    size = sum(array.nbytes for array in arrays.values())
    if path is None or size > LIMIT:
        return
    members: dict[str, Any] = {"description": np.frombuffer(_spelled(description), dtype=np.uint8), **arrays}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft, draft.open("wb") as handle:
            np.savez(handle, **members)
        _delete_oldest(path.parent)
    except (OSError, DataError):
        return


def _spelled(description: Mapping[str, Any]) -> bytes:
    """A description as bytes, with the version of the package, so that equal ones are equal files."""
    try:
        version = metadata.version("zerokelvin")
    except metadata.PackageNotFoundError:  # a copy of the package that was never installed
        version = "unknown"
    whole = {"layout": LAYOUT, "zerokelvin": version, **description}
    return json.dumps(whole, sort_keys=True).encode()


def _delete_oldest(folder: Path) -> None:
    """Delete the oldest files of the cache until the rest is within its limit."""
    files = [(path.stat(), path) for path in folder.glob("*.npz")]
    room = LIMIT
    for status, path in sorted(files, key=lambda file: -file[0].st_mtime_ns):
        room -= status.st_size
        if room < 0:
            path.unlink(missing_ok=True)
