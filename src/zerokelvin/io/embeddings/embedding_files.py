"""The files of an embedding on disk, and their hashes; `embedding_folder` says what they hold."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import open_memmap
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.errors import DataError
from zerokelvin.graph.packed.packed_names import PackedNumbers, PackedTexts
from zerokelvin.io.files import replacing

__all__ = [
    "FORMAT",
    "MANIFEST",
    "NAME_ARRAYS",
    "ROWS",
    "VALUES",
    "hash_file",
    "hash_part",
    "manifest_hash",
    "name_file",
    "reserve_array",
    "save_names",
    "save_values",
]

MANIFEST, ROWS, VALUES = "manifest.json", "rows.npy", "values.npy"
FORMAT = "zerokelvin embedding 1"
NAME_ARRAYS = ("numbers", "starts", "texts", "order")


def manifest_hash(manifest: dict[str, Any]) -> str:
    """The SHA-256 of all but the hash itself."""
    rest = {name: value for name, value in manifest.items() if name != "hash"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def hash_part(rows: NDArray[Any], start: int, stop: int) -> str:
    """The SHA-256 of some rows."""
    return hashlib.sha256(np.ascontiguousarray(rows[start:stop]).tobytes()).hexdigest()


def hash_file(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def reserve_array(path: Path, kind: Any, shape: tuple[int, int]) -> None:
    """A file of zeros that will be mapped and written to: a full disk is noticed here, and not then."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    try:
        open_memmap(path, mode="w+", dtype=kind, shape=shape).flush()
        if hasattr(os, "posix_fallocate"):
            with path.open("r+b") as file:
                os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    except OSError as problem:
        path.unlink(missing_ok=True)
        raise DataError(
            f"'{path}' cannot be written: {problem.strerror or problem}; it takes {size / 1e9:.2g} GB."
        ) from None


def save_values(folder: Path, values: Floats, manifest: dict[str, Any]) -> None:
    """Write the eigenvalues, then the manifest, which ends the embedding."""
    with replacing(folder / VALUES) as draft, draft.open("wb") as file:
        np.save(file, values, allow_pickle=False)
    files = [folder / VALUES, *(place for name in NAME_ARRAYS if (place := name_file(folder, name)).exists())]
    whole = {"format": FORMAT, **manifest, "files": {file.name: hash_file(file) for file in files}}
    whole["hash"] = manifest_hash(whole)
    with replacing(folder / MANIFEST) as draft:
        draft.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def save_names(folder: Path, names: Any) -> None:
    """Write the names of a packed graph beside its embedding."""
    found = {} if names is None else {"order": names.order}
    if isinstance(names, PackedNumbers):
        found["numbers"] = names.values
    elif isinstance(names, PackedTexts):
        found |= {"starts": names.starts, "texts": names.content}
    for name in NAME_ARRAYS:
        name_file(folder, name).unlink(missing_ok=True)
        if found.get(name) is not None:
            with replacing(name_file(folder, name)) as draft, draft.open("wb") as file:
                np.save(file, found[name], allow_pickle=False)


def name_file(folder: Path, name: str) -> Path:
    """The file of one of `NAME_ARRAYS`."""
    return folder / f"names-{name}.npy"
