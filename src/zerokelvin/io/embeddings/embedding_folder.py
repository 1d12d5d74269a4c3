"""Embeddings that lie in a folder, mapped into memory and read where they are touched.

    manifest.json   what the embedding is of and how good it is; written last, so that a folder without one is
                    unfinished
    rows.npy        (nodes, 1 + rank) in 64 bits, C order: the constant √b, then v_k/√σ_k
    values.npy      σ_1 ≤ … ≤ σ_rank, the trivial zeros left out
    names-*.npy     the names of the nodes, if they have any, as a pack holds them

The rows are hashed in parts, each of which is named with its SHA-256 in the manifest; so are the other files.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import DataError, NodeError
from zerokelvin.graph.features import Features
from zerokelvin.graph.packed.packed_names import PackedNames, PackedNumbers, PackedTexts
from zerokelvin.io.embeddings.embedding_files import (
    FORMAT,
    MANIFEST,
    NAME_ARRAYS,
    ROWS,
    VALUES,
    hash_file,
    hash_part,
    manifest_hash,
    name_file,
)
from zerokelvin.io.files import PathLike
from zerokelvin.io.whole_files import AT_ONCE, is_known_whole, remember_whole

__all__ = ["EmbeddedRows", "open_embedding"]


class EmbeddedRows(Features):
    """Features whose rows lie in a file; their first column is the constant √b.

    A learner that adds a constant column of this b takes the rows as they are.

    Attributes
    ----------
    constant
        b, the square of the constant column.
    values
        The eigenvalues that the other columns belong to.
    manifest
        What the file `manifest.json` says.
    """

    constant: float
    values: Floats
    manifest: dict[str, Any]

    def __init__(
        self, rows: Floats, values: Floats, names: PackedNames | None, manifest: dict[str, Any], folder: str
    ) -> None:
        super().__init__(np.ones((1, 1)))  # for the kernel; the table is put in its place unread
        vars(self).update(
            X=rows,
            names=names,
            constant=float(manifest["b"]),
            values=values,
            manifest=manifest,
            _folder=folder,
        )

    @property
    def content_hash(self) -> str:
        """The hash of the manifest, which has those of the rows."""
        return str(self.manifest["hash"])

    def index(self, name: Hashable) -> int:
        """Index of the node with this name, by binary search in the file."""
        if not isinstance(self.names, PackedNames):
            return super().index(name)
        node = self.names.find(name)
        if node < 0:
            raise NodeError(self.unknown_name(name))
        return node

    @cached_property
    def name_order(self) -> Ints:
        """The node indices in the order of their names."""
        order = self.names.order if isinstance(self.names, PackedNames) else None
        return np.arange(self.num_nodes) if order is None else np.asarray(order)

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return open_embedding, (vars(self)["_folder"],)

    def __repr__(self) -> str:
        return f"EmbeddedRows('{vars(self)['_folder']}', rows={self.num_nodes}, dimension={self.dimension})"


def open_embedding(folder: PathLike, *, verify: bool | None = None) -> EmbeddedRows:
    """Open an embedding that ``zerokelvin embed`` has written, as `Features` for learners on vectors.

    Nothing of it is read into memory: rows are read from the disk where a learner looks at them.

    Parameters
    ----------
    folder
        The folder named with ``--out``.
    verify
        Whether to compare all rows and names with their hashes first, about a second per gigabyte. By default
        those of up to 64 MB are, and larger ones once after they were made, copied or written to. The size of
        the rows, the eigenvalues, and the manifest with its own hash are always compared.
    """
    base = Path(folder)
    path = base / MANIFEST
    if not path.is_file():
        raise DataError(
            f"'{base}' holds no finished embedding ('{MANIFEST}' is not there); make one, or go on with one, "
            "with zerokelvin embed."
        )
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        whole = manifest["format"] == FORMAT and manifest["hash"] == manifest_hash(manifest)
        rows = np.load(base / ROWS, mmap_mode="r", allow_pickle=False)
        values = np.load(base / VALUES, allow_pickle=False)
        arrays = {name: _array(base, name) for name in NAME_ARRAYS if name_file(base, name).exists()}
        whole = whole and hash_file(base / VALUES) == manifest["files"][VALUES]
        whole = whole and {VALUES, *(name_file(base, name).name for name in arrays)} == {*manifest["files"]}
    except (OSError, ValueError, LookupError, TypeError) as problem:
        raise DataError(f"the embedding in '{base}' is damaged ({problem}); make it again.") from None
    shape = (manifest["nodes"], manifest["rank"] + 1)
    if not whole or rows.shape != shape or rows.dtype != np.float64 or not rows.flags.c_contiguous:
        raise DataError(f"the embedding in '{base}' is damaged: its files are not those of its manifest.")
    large = [base / ROWS, *(name_file(base, name) for name in arrays)]
    if verify is None:
        small = rows.nbytes <= AT_ONCE
        verify = small or not all(is_known_whole(file, manifest["hash"]) for file in large)
    if verify:
        _compare(base, manifest)
        for file in large:
            remember_whole(file, manifest["hash"])
    return EmbeddedRows(rows, values, _names(arrays), manifest, str(base))


def _compare(base: Path, manifest: dict[str, Any]) -> None:
    """Compare rows and names with their hashes, a part mapped at a time."""
    for part in manifest["parts"]:
        start, stop = part["from"], part["to"]
        rows = np.load(base / ROWS, mmap_mode="r", allow_pickle=False)
        if hash_part(rows, start, stop) != part["sha256"]:
            raise DataError(f"rows {start:,} to {stop:,} of '{base / ROWS}' are damaged; embed again.")
    for name, digest in manifest["files"].items():
        if hash_file(base / name) != digest:
            raise DataError(f"'{base / name}' is damaged; embed again.")


def _array(folder: Path, name: str) -> NDArray[Any]:
    return np.load(name_file(folder, name), mmap_mode="r", allow_pickle=False)


def _names(arrays: dict[str, NDArray[Any]]) -> PackedNames | None:
    order = arrays.get("order")
    if "numbers" in arrays:
        return PackedNumbers(arrays["numbers"], order)
    if "texts" in arrays:
        return PackedTexts(arrays["starts"], arrays["texts"], order)
    return None
