"""Results kept by their content: computed once for the same question asked of the same code.

A key is a mapping of plain values (the hash of a graph, a learner, its parameters, a seed, the version of the
code). The result is plain values, and arrays where there are any; it lies in one parquet file of one row,
named by the SHA-256 of the key. The columns are the parts of the key, the plain parts of the result, the
arrays as lists, and both as JSON, from which they are read back; so a folder of results is a table for
pandas, polars or DuckDB. Files are written whole or not at all and carry checksums: many processes and
machines can share a folder, an interrupted run goes on where it was, and what is damaged is computed again.

The version of the code is the hash of the text of every module that can change a figure: all rooms of the
package but those that only show or serve, and of the reproductions the room in question. A learner that lies
outside the package brings the text of its own module.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.io.files import PathLike, cache_folder, replacing

__all__ = ["KeptResult", "ResultStore", "code_version", "default_folder", "digest_of"]

SHOWN_ONLY = ("benchmarks", "cli", "client", "experiments", "labelling", "layout", "plot", "service", "web")
"""Rooms of which no figure depends; what the reproductions themselves compute is hashed by their room."""

Arrays = Mapping[str, NDArray[Any]]


def default_folder(kind: str = "reproduction") -> Path:
    """Where results are kept unless a folder is named: the cache of the user."""
    return cache_folder() / kind


@functools.cache
def code_version(room: str = "") -> str:
    """The hash of the package's text, with that of one room of the reproductions; 16 letters.

    >>> code_version() != code_version("graph_perceptron")
    True
    """
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    folders = [folder for folder in package.iterdir() if folder.is_dir() and folder.name not in SHOWN_ONLY]
    files = [path for folder in folders for path in folder.rglob("*.py")]
    base = package / "experiments" / "reproduction"
    if room:
        files += [*(base / room).rglob("*.py"), *base.glob("*.py")]
        files += [package / "experiments" / "report" / f"{name}.py" for name in ("claim", "laboratory")]
    for path in sorted({*package.glob("*.py"), *files}):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def code_of(thing: object) -> str:
    """The version of the code that an object of some class runs: the package's, and that of its module."""
    module = type(thing).__module__
    if module.partition(".")[0] == "zerokelvin":
        return code_version()
    try:
        text = inspect.getsource(sys.modules[module])
    except (OSError, TypeError, KeyError):  # typed in at a prompt
        text = repr(type(thing))
    return hashlib.sha256(f"{code_version()}\0{text}".encode()).hexdigest()[:16]


def digest_of(value: Any) -> str:
    """The SHA-256 of plain values, the same for equal ones."""
    text = json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class KeptResult:
    """A result: plain values, and arrays by name; one that is not `lasting` is not worth keeping."""

    result: Any
    arrays: Arrays = field(default_factory=dict)
    lasting: bool = True


class ResultStore:
    """A folder of results by key; without a folder nothing is kept.

    Attributes
    ----------
    computed, found
        How many results were computed, and how many were there already.
    """

    def __init__(self, folder: PathLike | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.computed = self.found = 0

    def result(self, key: Mapping[str, Any], compute: Callable[[], Any]) -> Any:
        """The result kept under the key; computed, and kept, where there is none.

        >>> store = ResultStore(None)
        >>> store.result({"seed": 0}, lambda: [1, 2]), store.computed
        ([1, 2], 1)
        """
        known = self.look_up(key)
        if known is not None:
            return known.result
        value = compute()
        self.keep(key, KeptResult(value))
        return value

    def look_up(self, key: Mapping[str, Any]) -> KeptResult | None:
        """What is kept under a key; None where there is nothing, or it is damaged."""
        path = self._path(key)
        if path is None or not path.is_file():
            return None
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with path.open("rb") as file:  # a name of digits in braces is no dataset to pyarrow
                (row,) = pq.ParquetFile(file, page_checksum_verification=True).read().to_batches()
            of = {name: row.column(name)[0] for name in row.schema.names}
            same = digest_of(json.loads(of["key"].as_py())) == digest_of(dict(key))
            shapes = json.loads(of["shapes"].as_py())
            arrays = {name: _array(of[name], shape) for name, shape in shapes.items()}
            result = json.loads(of["result"].as_py())
        except (OSError, ValueError, LookupError, TypeError, AttributeError, pa.ArrowException):
            return None  # damaged: computed again and written anew
        if not same:
            return None
        self.found += 1
        return KeptResult(result, arrays)

    def keep(self, key: Mapping[str, Any], kept: KeptResult) -> None:
        """Keep a result under its key."""
        self.computed += 1
        path = self._path(key)
        if path is None or not kept.lasting:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        shown = dict(key) | (kept.result if isinstance(kept.result, dict) else {}) | dict(key)
        plain = {name: [value] for name, value in shown.items() if isinstance(value, (str, int, float, bool))}
        whole: dict[str, Any] = {name: _listed(array) for name, array in kept.arrays.items()}
        whole["key"], whole["result"], whole["shapes"] = (
            [json.dumps(value, default=str, ensure_ascii=False)]
            for value in (dict(key), kept.result, {name: array.shape for name, array in kept.arrays.items()})
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as draft:
            pq.write_table(pa.table(plain | whole), draft, compression="zstd", write_page_checksum=True)

    def _path(self, key: Mapping[str, Any]) -> Path | None:
        if self.folder is None:
            return None
        name = digest_of(dict(key))
        return self.folder / name[:2] / f"{name}.parquet"


def _listed(array: NDArray[Any]) -> Any:
    """An array as the one list of a column."""
    import pyarrow as pa

    return pa.LargeListArray.from_arrays(np.array([0, array.size]), pa.array(array.ravel()))


def _array(cell: Any, shape: list[int]) -> NDArray[Any]:
    """The array that a list of a column was made of."""
    return np.asarray(cell.values.to_numpy(zero_copy_only=False)).reshape(shape)
