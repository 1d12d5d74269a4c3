"""Open packed graphs: check what can be checked at once, and map the rest.

Whatever opens a pack compares the head with its checksum, the size of the file with what the head says, so
that one that was cut off is noticed at once, and the table of checksums with its own. The arrays are compared
with theirs whenever that costs nothing to speak of (up to `AT_ONCE` bytes); in larger files once, when one is
opened that was not written here and not compared before (`zerokelvin.io.whole_files`); and when asked
(``verify=True``, ``zerokelvin pack --verify``). For that they are read, not mapped: memory stays free.
"""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import DataError
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.packed.packed_graph import PackedGraph, PackFacts
from zerokelvin.graph.packed.packed_names import PackedNames, PackedNumbers, PackedTexts
from zerokelvin.io.files import PathLike, existing_file
from zerokelvin.io.packs.pack_layout import BLOCK, DIGEST, HEAD, PackHead, block_digest, blocks_of
from zerokelvin.io.whole_files import AT_ONCE, is_known_whole, remember_whole

__all__ = ["open_graph", "reopen_graph", "verify_pack"]

Progress = Callable[[int, int], None]


def open_graph(path: PathLike, *, verify: bool | None = None) -> PackedGraph:
    """Open a graph that ``zerokelvin pack`` or `write_graph` has written; nothing of it is read into memory.

    Parameters
    ----------
    path
        The file.
    verify
        Whether to compare all of it with its checksums first, about a second per gigabyte. By default files
        of up to 64 MB are, and larger ones once: what was packed here, or compared before, and has not been
        written to since, is compared in its head, its size and its table of checksums only.

    Examples
    --------
    >>> import os, tempfile
    >>> from zerokelvin import Graph, write_graph
    >>> path = os.path.join(tempfile.mkdtemp(), "graph.zkg")
    >>> write_graph(Graph.from_edges([("ann", "bob"), ("bob", "cem")]), path)
    >>> graph = open_graph(path)
    >>> graph.num_edges, graph.index("cem"), graph.neighbors(1).tolist()
    (2, 2, [0, 2])
    """
    found = existing_file(path)
    head, content = _mapped(found, verify)
    arrays = {name: _array(content, head, name) for name in head.sections}
    weights = arrays["weights"]
    if len(weights) != head.arcs:
        weights = np.broadcast_to(weights, (head.arcs,))
    return PackedGraph(
        Csr(arrays["indptr"], arrays["indices"], weights),
        {name: arrays[name] for name in ("degrees", "heaviest", "components") if name in arrays},
        _names(arrays),
        PackFacts(
            head.identity, head.order, head.components, head.signed, head.least, head.largest, head.total
        ),
        str(found),
        (reopen_graph, (str(found), head.identity)),
        partial(_release, content.obj),
    )


def reopen_graph(path: str, identity: str) -> PackedGraph:
    """The same packed graph in another process, where another file may lie under its path."""
    graph = open_graph(path)
    if graph.content_hash != identity:
        raise DataError(
            f"'{path}' is another packed graph here than where it was sent from; copy that one here."
        )
    return graph


def verify_pack(path: PathLike, progress: Progress | None = None) -> PackHead:
    """Compare everything in a pack with its checksums; what is wrong is a `DataError` that names the place.

    `progress` is told how many blocks of how many have been compared.
    """
    found = existing_file(path)
    head, _ = _mapped(found, True, progress)
    return head


def _mapped(path: Path, verify: bool | None, progress: Progress | None = None) -> tuple[PackHead, memoryview]:
    """The head of a file, and its content mapped for reading, once it is compared as far as wanted."""
    try:
        with path.open("rb") as source:
            head = PackHead.from_bytes(source.read(HEAD), path)
            size = source.seek(0, 2)
            if size != head.size:
                raise DataError(
                    f"'{path}' has {size:,} bytes, and its head says {head.size:,}: it was cut off or "
                    "written to; pack the graph again."
                )
            source.seek(head.table)
            table = source.read()
            if hashlib.blake2b(table, digest_size=32).hexdigest() != head.checksums:
                raise DataError(f"the table of checksums of '{path}' is damaged; pack the graph again.")
            if verify is None:
                verify = head.size <= AT_ONCE or not is_known_whole(path, head.identity)
            if verify:
                _compare(path, head, source, table, progress)
                if head.size > AT_ONCE:
                    remember_whole(path, head.identity)
            return head, memoryview(mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as problem:
        raise DataError(f"'{path}' cannot be read: {problem.strerror or problem}.") from None


def _compare(path: Path, head: PackHead, source: BinaryIO, table: bytes, progress: Progress | None) -> None:
    """Compare every block of every section with its checksum; what lies between must be zeros."""
    done, end = 0, HEAD
    total = len(table) // DIGEST
    for name, section in head.sections.items():
        _require_zeros(path, source, end, section.offset)
        end = section.offset + section.size
        for block in range(blocks_of(section.size)):
            start = section.offset + block * BLOCK
            stop = min(start + BLOCK, end)
            source.seek(start)
            if block_digest(source.read(stop - start)) != table[done * DIGEST : (done + 1) * DIGEST]:
                raise DataError(
                    f"'{path}' is damaged: '{name}' differs from its checksum within bytes {start:,} to "
                    f"{stop:,}; pack the graph again, or copy the file again."
                )
            done += 1
            if progress is not None:
                progress(done, total)
    _require_zeros(path, source, end, head.table)


def _require_zeros(path: Path, source: BinaryIO, start: int, stop: int) -> None:
    """Refuse a file with anything where nothing is to be."""
    source.seek(start)
    if any(source.read(stop - start)):
        raise DataError(
            f"'{path}' is damaged within bytes {start:,} to {stop:,}; copy it, or pack it, again."
        )


def _array(content: memoryview, head: PackHead, name: str) -> NDArray[Any]:
    """One section, mapped; it cannot be written to."""
    section = head.sections[name]
    if section.count == 0:
        return np.zeros(0, dtype=section.kind)
    return np.frombuffer(content, dtype=section.kind, count=section.count, offset=section.offset)


def _release(mapping: Any) -> None:
    """Have the system take back the pages of a mapping, which it reads again when they are touched."""
    if hasattr(mmap, "MADV_DONTNEED"):
        mapping.madvise(mmap.MADV_DONTNEED)


def _names(arrays: dict[str, NDArray[Any]]) -> PackedNames | None:
    """The names, found where they lie."""
    order = arrays.get("order")
    if "numbers" in arrays:
        return PackedNumbers(arrays["numbers"], order)
    if "texts" in arrays:
        return PackedTexts(arrays["starts"], arrays["texts"], order)
    return None
