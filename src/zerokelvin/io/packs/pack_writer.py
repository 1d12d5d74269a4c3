"""Write packed graphs: sections as they come, and one file of them in the end, whole or not at all."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import index_kind
from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.io.files import PathLike, replacing
from zerokelvin.io.names import name_values
from zerokelvin.io.packs.making_folder import making_folder
from zerokelvin.io.packs.pack_layout import BLOCK, HEAD, PackHead, Section, block_digest
from zerokelvin.io.whole_files import AT_ONCE, remember_whole

__all__ = ["PackWriter", "SectionWriter", "stored_weights", "write_pack", "writing_pack"]


class SectionWriter:
    """An array that is written piece by piece, in a file of its own until the pack is put together."""

    def __init__(self, kind: Any, path: Path) -> None:
        self.kind = np.dtype(kind).newbyteorder("<")
        self.count = 0
        self.path = path
        self.digests: list[bytes] = []
        self._file: BinaryIO = path.open("w+b")
        self._rest = b""

    def add(self, array: NDArray[Any]) -> None:
        """Write further entries behind those that are there."""
        self.count += len(array)
        view = np.ascontiguousarray(array, dtype=self.kind).data.cast("B")
        self._file.write(view)
        if self._rest:
            needed = BLOCK - len(self._rest)
            self._rest += bytes(view[:needed])
            view = view[needed:]
            if len(self._rest) < BLOCK:
                return
            self.digests.append(block_digest(self._rest))
        whole = len(view) - len(view) % BLOCK
        self.digests += [block_digest(view[at : at + BLOCK]) for at in range(0, whole, BLOCK)]
        self._rest = bytes(view[whole:])

    def move_to(self, target: BinaryIO) -> None:
        """Append what was written to an open file, and remove it here."""
        if self._rest:
            self.digests.append(block_digest(self._rest))
            self._rest = b""
        self._file.seek(0)
        shutil.copyfileobj(self._file, target, 1 << 22)
        self.close()

    def read(self) -> Iterator[NDArray[Any]]:
        """What was written so far, in parts."""
        self._file.seek(0)
        while data := self._file.read(1 << 22):
            yield np.frombuffer(data, dtype=self.kind)

    def close(self) -> None:
        """Remove the file, if it is still there."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class PackWriter:
    """A pack that is being written: section after section, then the header over all of them."""

    def __init__(self, draft: Path, folder: Path, stack: ExitStack) -> None:
        self._draft = draft
        self._stack = stack
        self.folder = folder
        self.head: PackHead | None = None
        self.sections: dict[str, SectionWriter] = {}

    def section(self, name: str, kind: Any) -> SectionWriter:
        """Begin the section of one array, to be written in parts."""
        place = self.folder / f"{name}-{np.dtype(kind).str[1:]}"
        writer = SectionWriter(kind, place)
        self._stack.callback(writer.close)
        self.sections[name] = writer
        return writer

    def widen(self, name: str, kind: Any) -> SectionWriter:
        """Go on with an array in another kind, that holds what was written so far."""
        old = self.sections.pop(name)
        new = self.section(name, kind)
        for part in old.read():
            new.add(part)
        old.close()
        return new

    def put(self, name: str, array: NDArray[Any]) -> None:
        """Write the section of a whole array."""
        self.section(name, array.dtype).add(array)

    def finish(self, **facts: Any) -> PackHead:
        """Put the file together; `facts` are the fields of `PackHead` that are not found here."""
        places: dict[str, Section] = {}
        digests = bytearray()
        with self._draft.open("wb") as target:
            target.seek(HEAD)
            for name, writer in self.sections.items():
                target.seek(-target.tell() % HEAD, 1)
                places[name] = Section(writer.kind.str, writer.count, target.tell())
                writer.move_to(target)
                digests += b"".join(writer.digests)
            target.seek(-target.tell() % HEAD, 1)
            table = target.tell()
            target.write(digests)
            head = PackHead(
                **facts,
                size=target.tell(),
                checksums=hashlib.blake2b(digests, digest_size=32).hexdigest(),
                table=table,
                sections=places,
            )
            target.truncate()
            target.seek(0)
            target.write(head.to_bytes())
        self.head = head
        return head


@contextmanager
def writing_pack(path: PathLike) -> Iterator[PackWriter]:
    """A writer whose file takes its place when the block ends well; its drafts lie beside it."""
    with (
        replacing(path) as draft,
        making_folder(draft.with_name(Path(path).name)) as folder,
        ExitStack() as stack,
    ):
        writer = PackWriter(draft, folder, stack)
        yield writer
    if writer.head is not None and writer.head.size > AT_ONCE:
        remember_whole(Path(path), writer.head.identity)


def write_pack(graph: Graph, path: PathLike) -> None:
    """Write a graph that is in memory as a pack, its nodes numbered by their names."""
    names = name_values(graph, "zkg")  # refused before anything is written
    inner = graph.by_name
    indices = index_kind(inner.num_nodes)
    with writing_pack(path) as pack:
        pack.put("indptr", inner.indptr)
        pack.put("indices", inner.indices.astype(indices))
        pack.put("weights", stored_weights(inner.weights))
        pack.put("degrees", inner.degrees)
        pack.put("heaviest", inner.heaviest)
        if inner.num_components > 1:
            pack.put("components", inner.components.astype(indices))
        if graph.names is not None:
            names = name_values(inner, "zkg")
            if isinstance(names, list):
                encoded = [_encoded(name) for name in names]
                pack.put("starts", np.cumsum([0, *map(len, encoded)], dtype=np.int64))
                pack.put("texts", np.frombuffer(b"".join(encoded), dtype=np.uint8))
            else:
                pack.put("numbers", names)
        least, largest = inner.weight_range
        pack.finish(
            nodes=inner.num_nodes,
            arcs=len(inner.indices),
            order="name",
            components=inner.num_components,
            signed=inner.is_signed,
            least=least,
            largest=largest,
            total=inner.total_degree,
        )


def _encoded(name: str) -> bytes:
    """A text in UTF-8; half a pair of surrogates has no place there."""
    try:
        return name.encode()
    except UnicodeEncodeError:
        raise GraphError(f"node name {name!r} is no text that a file holds; rename the node.") from None


def stored_weights(weights: NDArray[Any]) -> NDArray[Any]:
    """Weights in as little room as keeps them exact: one where all are equal, 32 bits where that is enough.

    >>> stored_weights(np.array([2.0, 2.0])), stored_weights(np.array([0.5, 2.0])).dtype.name
    (array([2.], dtype=float32), 'float32')
    """
    if len(weights) > 1 and bool((weights == weights[0]).all()):
        weights = weights[:1]
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    return short if bool((short == weights).all()) else weights
