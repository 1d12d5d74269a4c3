"""A file system that remembers every write and every sync, so that a power cut at any moment can be played.

`RecordingDisk` stands between SQLite and the real files (a VFS of apsw). `DiskReplay` goes through what was
recorded and gives, for a moment, what a disk might hold after the power failed then: everything synced
before; of the writes since, any subset, each of them whole or only some of its sectors; of the files that
were made or deleted since the folder was last synced, the first few. A sync of a file that is new syncs its
folder too, as SQLite's own file system layer for unix does.
"""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from zerokelvin.errors import MissingDependencyError
from zerokelvin.service.store.sqlite_connection import Connection

__all__ = ["Cut", "DiskReplay", "Operation", "RecordingDisk"]

SECTOR = 512
"""What a disk writes whole or not at all; no disk has smaller ones."""


class Operation(NamedTuple):
    """What SQLite did: made, deleted, write, truncate or sync, on the file with this number; or a note."""

    kind: str
    file: int = 0
    name: str = ""
    offset: int = 0
    data: bytes = b""
    folder: bool = False  # whether a sync or a deletion includes the folder
    note: int = 0


class RecordingDisk:
    """Connections whose file operations are recorded; real syncs are left out, which makes it fast."""

    count = 0

    def __init__(self, folder: Path) -> None:
        try:
            import apsw
        except ImportError:
            raise MissingDependencyError(
                "power cuts are played with apsw, which is not installed: pip install apsw"
            ) from None
        self._apsw: Any = apsw
        self.folder = folder
        self.operations: list[Operation] = []
        self._numbers: dict[str, int] = {}
        RecordingDisk.count += 1
        self._name = f"recording-{RecordingDisk.count}"
        self._vfs = _recording_vfs(apsw, self._name, self)
        self.begin()

    def begin(self) -> None:
        """Forget what was recorded; the files as they are now are taken to be on the disk."""
        self.operations.clear()
        self._numbers = {path.name: number for number, path in enumerate(sorted(self.folder.iterdir()))}
        self.before = {
            path.name: path.read_bytes() for path in sorted(self.folder.iterdir()) if path.is_file()
        }
        self._next = len(self._numbers)

    def connect(self, path: Path) -> Connection:
        """A connection on the recording file system, in place of `sqlite_connection.connect_sqlite`."""
        return self._apsw.Connection(str(path), vfs=self._name)

    def connect_without_sync(self, path: Path) -> Connection:
        """The same, with ``synchronous=NORMAL`` where the store asks for FULL: the check must find fault."""
        return _Weakened(self.connect(path))

    def note(self, number: int) -> None:
        """Remember that something, by its number, was acknowledged at this moment."""
        self.operations.append(Operation("note", note=number))

    def opened(self, name: str) -> int:
        """The number of a file, and a record if it is new."""
        if name not in self._numbers:
            self._numbers[name] = self._next
            self.operations.append(Operation("made", self._next, name))
            self._next += 1
        return self._numbers[name]

    def deleted(self, name: str, folder: bool) -> None:
        """Record that a file is gone."""
        number = self._numbers.pop(name, None)
        if number is not None:
            self.operations.append(Operation("deleted", number, name, folder=folder))

    def close(self) -> None:
        """Take the file system out of SQLite again."""
        self._vfs.unregister()


class _Weakened:
    """A connection that commits without waiting for the disk."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Any = (), /) -> Any:
        return self._connection.execute(sql.replace("synchronous = FULL", "synchronous = NORMAL"), parameters)

    def executemany(self, sql: str, parameters: Any, /) -> Any:
        return self._connection.executemany(sql, parameters)

    def close(self) -> None:
        self._connection.close()


def _recording_vfs(apsw: Any, name: str, disk: RecordingDisk) -> Any:
    """The file system, registered with SQLite; its classes exist only where apsw does."""

    class RecordingFile(apsw.VFSFile):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self, path: Any, flags: list[int]) -> None:
            super().__init__("", path, flags)
            text = path.filename() if isinstance(path, apsw.URIFilename) else path
            self.recorded = text is not None and not text.endswith("-shm")
            self.number = disk.opened(Path(text).name) if self.recorded else -1
            self.new = self.recorded and bool(disk.operations) and disk.operations[-1].kind == "made"

        def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
            if self.recorded:
                disk.operations.append(Operation("write", self.number, offset=offset, data=bytes(data)))
            super().xWrite(data, offset)

        def xTruncate(self, size: int) -> None:  # noqa: N802
            if self.recorded:
                disk.operations.append(Operation("truncate", self.number, offset=size))
            super().xTruncate(size)

        def xSync(self, flags: int) -> None:  # noqa: N802
            if self.recorded:
                disk.operations.append(Operation("sync", self.number, folder=self.new))
                self.new = False

    class RecordingVfs(apsw.VFS):  # type: ignore[misc,name-defined,unused-ignore]
        def __init__(self) -> None:
            super().__init__(name, "")

        def xOpen(self, path: Any, flags: list[int]) -> Any:  # noqa: N802
            return RecordingFile(path, flags)

        def xDelete(self, path: str, syncdir: bool) -> None:  # noqa: N802
            super().xDelete(path, False)
            disk.deleted(Path(path).name, syncdir)

    return RecordingVfs()


class Cut(NamedTuple):
    """What the disk holds after a power cut, and the last note before it."""

    files: dict[str, bytes]
    note: int
    lost: int  # writes that had not been synced and are not on the disk as a whole


@dataclass
class DiskReplay:
    """What was recorded, gone through from the beginning."""

    before: dict[str, bytes]
    operations: list[Operation]
    position: int = 0
    note: int = 0
    _synced: dict[int, bytearray] = field(default_factory=dict)
    _waiting: dict[int, list[Operation]] = field(default_factory=dict)
    _folder: dict[str, int] = field(default_factory=dict)
    _folder_waiting: deque[Operation] = field(default_factory=deque)

    def __post_init__(self) -> None:
        for number, (name, data) in enumerate(self.before.items()):
            self._synced[number] = bytearray(data)
            self._folder[name] = number

    def advance(self, to: int) -> None:
        """Go on until `to` operations are done."""
        for operation in self.operations[self.position : to]:
            if operation.kind == "note":
                self.note = operation.note
            elif operation.kind in ("made", "deleted"):
                self._synced.setdefault(operation.file, bytearray())
                self._folder_waiting.append(operation)
            elif operation.kind in ("write", "truncate"):
                self._waiting.setdefault(operation.file, []).append(operation)
            else:
                for waiting in self._waiting.pop(operation.file, []):
                    _apply(self._synced[operation.file], waiting)
            if operation.folder:
                while self._folder_waiting:
                    _rename(self._folder, self._folder_waiting.popleft())
        self.position = to

    def cut(self, chance: random.Random) -> Cut:
        """The disk if the power failed now."""
        names = dict(self._folder)
        for operation in list(self._folder_waiting)[: chance.randint(0, len(self._folder_waiting))]:
            _rename(names, operation)
        share = chance.choice((0.0, 0.0, 0.5, 0.9, chance.random(), chance.random(), 1.0))
        torn = chance.random() < 0.5
        files, lost = {}, 0
        for name, number in names.items():
            content = bytearray(self._synced[number])
            for operation in self._waiting.get(number, ()):
                if chance.random() < share:
                    _apply(content, operation)
                else:
                    lost += 1
                    if torn and operation.kind == "write":
                        _tear(content, operation, chance)
            files[name] = bytes(content)
        return Cut(files, self.note, lost)


def _rename(folder: dict[str, int], operation: Operation) -> None:
    if operation.kind == "made":
        folder[operation.name] = operation.file
    else:
        folder.pop(operation.name, None)


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == "truncate":
        del content[operation.offset :]
        return
    end = operation.offset + len(operation.data)
    if len(content) < operation.offset:
        content.extend(bytes(operation.offset - len(content)))
    content[operation.offset : end] = operation.data


def _tear(content: bytearray, operation: Operation, chance: random.Random) -> None:
    """Write some of the sectors of a write."""
    start, end = operation.offset, operation.offset + len(operation.data)
    for sector in range(start // SECTOR, -(-end // SECTOR)):
        if chance.random() < 0.5:
            low, high = max(start, sector * SECTOR), min(end, (sector + 1) * SECTOR)
            part = operation.data[low - start : high - start]
            _apply(content, operation._replace(offset=low, data=part))
