"""Machine code on disk: bound to a stamp, and safe with many processes and with processes that are killed.

numba keeps the code of a kernel in numbered files beside an index that says which signature is in which. Two
things are changed here. The index is bound to the stamp of the texts instead of the time of the module's
file, so that copies of an installation, in the layers of a container or on another disk, find their code. And
a process that adds to an index holds a lock: numba itself lets two processes that compile different
signatures of a kernel at the same time choose the same number, after which one may run the code of the other.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zerokelvin.file_lock import lock_file

__all__ = ["bind_to", "keep_apart"]

LOCK = "zerokelvin.lock"


def bind_to(cache: Any, stamp: str, *, covers_module: bool) -> None:
    """Let the files of a kernel, a numba ``IndexDataCacheFile``, hold good for this stamp alone.

    Where the stamp does not cover the kernel's own module, the time and size of its file count too.
    """
    # in the version, which numba compares before it unpickles the rest: an index written when a class of the
    # signatures had another name could not be read at all
    cache._version = f"{cache._version} {stamp}"
    if covers_module:
        cache._source_stamp = stamp
    cache.save = lambda key, data: _save(cache, key, data)


def keep_apart(cache: Any, mark: str) -> None:
    """Give the files of a kernel names that end in a mark, beside those of the same kernel without it.

    Numba names the files by the function and knows their contents by the signature, not by the flags.
    """
    base = cache._index_name.removesuffix(".nbi") + f"-{mark}"
    cache._index_name = f"{base}.nbi"
    cache._index_path = str(Path(cache._cache_path) / cache._index_name)
    cache._data_name_pattern = f"{base}.{{number:d}}.nbc"


def _save(cache: Any, key: Any, data: Any) -> None:
    """Keep the code of a signature: an index never names a file before it is written.

    An index of another stamp is emptied first; its files are then nobody's, and are written over.
    """
    with _locked(Path(cache._cache_path)):
        known = cache._load_index()
        if not known:
            cache._save_index({})
        name = known.get(key)
        if name is None:
            taken = set(known.values())
            name = next(name for i in itertools.count(1) if (name := cache._data_name(i)) not in taken)
        cache._save_data(name, data)
        cache._save_index(known | {key: name})


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Be the only process that writes to a folder; where files cannot be locked, be one of several."""
    with (folder / LOCK).open("ab") as file:
        with contextlib.suppress(OSError):  # a file system without locks
            lock_file(file.fileno(), wait=True)
        yield  # closing the file gives the lock back
