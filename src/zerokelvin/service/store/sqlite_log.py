"""The log of a project in a SQLite file, in a folder of its own with the graph and the snapshots.

```
log.sqlite      events, answers, and one row about the project; -wal and -shm beside it while it is open
graph           the graph as it was given
end             how far the log reached (`log_end`)
snapshots/      (`snapshot_files`)
```

Two connections: one writes, and is used by one thread at a time; one reads what was committed meanwhile.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from zerokelvin.service.store.chained_log import AT_ONCE, ChainedLog, answer_row
from zerokelvin.service.store.event_chain import RESTORE, checked, first_link, linked
from zerokelvin.service.store.log import (
    ARCHIVED,
    RESTORED,
    Kept,
    NewEvent,
    Remembered,
    StoredEvent,
)
from zerokelvin.service.store.log_end import EndFile, LogEnd
from zerokelvin.service.store.migrations import Migration
from zerokelvin.service.store.snapshot_files import newest_sound, write_snapshot
from zerokelvin.service.store.sqlite_connection import (
    Connect,
    Connection,
    connect_sqlite,
    naming_errors,
    prepared,
    transaction,
)
from zerokelvin.service.store.store_errors import LeadLost, LedElsewhere, LogDamaged

__all__ = ["ADD_ANSWER", "ADD_EVENT", "LOG_STEPS", "SqliteLog"]

LOG_STEPS = (
    Migration(
        "events, answers and what the chain begins with",
        (
            (
                "CREATE TABLE about (one INTEGER PRIMARY KEY CHECK (one = 1), graph BLOB NOT NULL,"
                " epoch INTEGER NOT NULL, archived INTEGER NOT NULL) STRICT"
            ),
            (
                "CREATE TABLE events (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, body BLOB NOT NULL,"
                " at REAL NOT NULL, actor TEXT NOT NULL, epoch INTEGER NOT NULL, chain BLOB NOT NULL) STRICT"
            ),
            (
                "CREATE TABLE answers (key TEXT PRIMARY KEY, fingerprint BLOB NOT NULL,"
                " status INTEGER NOT NULL, answer BLOB NOT NULL, at REAL NOT NULL, sum BLOB NOT NULL)"
                " STRICT, WITHOUT ROWID"
            ),
        ),
    ),
)

ADD_EVENT = "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"
ADD_ANSWER = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)"


class SqliteLog(ChainedLog):
    """The log in a folder; implements `Log`."""

    def __init__(
        self, folder: Path, name: str, leaders: dict[str, SqliteLog] | None, connect: Connect = connect_sqlite
    ) -> None:
        super().__init__(name)
        self._leaders = leaders  # which log of this process writes to which project; None: another process
        self._folder = folder
        self._file = folder / "log.sqlite"
        self._connect = connect
        self._writing = threading.Lock()
        self._reading = threading.Lock()
        self._end: LogEnd | None = None  # of the log, as this writer knows it; None: to be read again
        if not self._file.is_file():
            raise LogDamaged(f"project '{name}' has no file '{self._file}'; {RESTORE}.")
        self._writer = prepared(self._file, connect, LOG_STEPS)
        self._reader = prepared(self._file, connect, LOG_STEPS)
        self._end_file: EndFile | None = None
        try:
            with naming_errors(folder):
                self._end_file = EndFile(folder / "end")
            self._check_end()
        except BaseException:
            self.close()
            raise

    # writing

    def lead(self) -> int:
        """Become the only writer of the project; others could only be in this process."""
        with self._writing, naming_errors(self._file):
            self._check_open()
            if self._leaders is None:
                raise LedElsewhere(self.name, "the service that uses this folder")
            if self._leaders.setdefault(self.name, self) is not self:
                raise LedElsewhere(self.name, "another part of this process")
            with transaction(self._writer):
                self._writer.execute("UPDATE about SET epoch = epoch + 1")
                epoch = int(self._about(self._writer)[1])
            self._end = None
            self._epoch = epoch
            return epoch

    def append(self, events: Sequence[NewEvent], answers: Sequence[Remembered] = ()) -> int:
        """Write events and answers in one transaction, with one sync."""
        with self._writing:
            if not self._epoch or self.closed:
                raise LeadLost(f"project '{self.name}' is not led by this log; call lead() first.")
            with naming_errors(self._file):
                end, self._end = self._end or self._read_end(self._writer), None
                stored = linked(events, end.number, end.chain, self._epoch)
                with transaction(self._writer):
                    self._fence()
                    self._writer.executemany(ADD_EVENT, stored)
                    if answers:
                        self._writer.executemany(ADD_ANSWER, map(answer_row, answers))
                    for event in events:
                        if event.kind in (ARCHIVED, RESTORED):
                            self._writer.execute("UPDATE about SET archived = ?", (event.kind == ARCHIVED,))
            self._end = LogEnd(stored[-1].number, stored[-1].chain) if stored else end
            self._note_end(self._end)
            return self._end.number

    def _fence(self) -> None:
        epoch = int(self._about(self._writer)[1])
        if epoch != self._epoch:
            mine, self._epoch = self._epoch, 0
            raise LeadLost(
                f"project '{self.name}' is led by another writer since epoch {epoch}, this one had epoch "
                f"{mine}; nothing was written. Open the project again."
            )

    def forget(self, before: float) -> int:
        """Delete answers that were given before a time."""
        with self._writing, naming_errors(self._file):
            self._check_open()
            with transaction(self._writer):
                sql = "DELETE FROM answers WHERE at < ? RETURNING 1"
                return len(self._writer.execute(sql, (before,)).fetchall())

    # reading

    def read(self, after: int = 0) -> Iterator[StoredEvent]:
        """The events behind number `after`, checked."""
        length, chain = self.length(), self.chain(after)
        return checked(self._rows(after, length), after, chain, length, self.name)

    def _page(self, after: int, until: int, most: int) -> list[Any]:
        return self._ask(
            "SELECT number, kind, body, at, actor, epoch, chain FROM events"
            " WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
            (after, until, most),
        )

    def length(self) -> int:
        """How many events have been committed."""
        return int(self._ask("SELECT coalesce(max(number), 0) FROM events")[0][0])

    def _chain_or_none(self, number: int) -> bytes | None:
        if number == 0:
            return first_link(self._graph_digest())
        rows = self._ask("SELECT chain FROM events WHERE number = ?", (number,))
        return bytes(rows[0][0]) if rows else None

    def remembered(self, key: str) -> Remembered | None:
        """The answer given for a key."""
        rows = self._ask(
            "SELECT key, fingerprint, status, answer, at, sum FROM answers WHERE key = ?", (key,)
        )
        return self._answer(rows[0]) if rows else None

    def answers(self) -> Iterator[Remembered]:
        """All answers that are remembered, by the key of their request."""
        last = ""
        while rows := self._ask("SELECT * FROM answers WHERE key > ? ORDER BY key LIMIT ?", (last, AT_ONCE)):
            yield from map(self._answer, rows)
            last = rows[-1][0]

    @property
    def archived(self) -> bool:
        """Whether the project is archived."""
        with self._reading, naming_errors(self._file):
            self._check_open()
            return bool(self._about(self._reader)[2])

    def graph(self) -> bytes:
        """The graph, if it is the one the log begins with."""
        path = self._folder / "graph"
        with naming_errors(path):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                raise LogDamaged(f"project '{self.name}' has no file '{path}'; {RESTORE}.") from None
        if hashlib.sha256(data).digest() != self._graph_digest():
            raise LogDamaged(
                f"'{path}' is not the graph that project '{self.name}' was made with; put the file back, or "
                f"{RESTORE}."
            )
        return data

    # snapshots

    def keep(self, snapshot: Kept) -> None:
        """Write a snapshot of the project into its folder."""
        self._check_own(snapshot)
        with naming_errors(self._folder):
            write_snapshot(self._folder / "snapshots", snapshot)

    def kept(self) -> Kept | None:
        """The newest snapshot that is sound."""
        return newest_sound(self._folder / "snapshots", self._chain_or_none)

    def close(self) -> None:
        """Close the files of the project, and lead it no more."""
        with self._writing, self._reading:
            self.closed, self._epoch = True, 0
            if self._leaders is not None and self._leaders.get(self.name) is self:
                del self._leaders[self.name]
            for connection in (self._reader, self._writer):
                with contextlib.suppress(Exception):  # closing merges the write-ahead log, which may wait
                    connection.close()
            if self._end_file is not None:
                self._end_file.close()

    # helpers

    def _ask(self, sql: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        with self._reading, naming_errors(self._file):
            self._check_open()
            return self._reader.execute(sql, parameters).fetchall()

    def _graph_digest(self) -> bytes:
        with self._reading, naming_errors(self._file):
            self._check_open()
            return bytes(self._about(self._reader)[0])

    def _about(self, connection: Connection) -> tuple[bytes, int, int]:
        row = connection.execute("SELECT graph, epoch, archived FROM about").fetchone()
        if row is None:
            raise LogDamaged(f"'{self._file}' does not say which graph it belongs to; {RESTORE}.")
        return row

    def _read_end(self, connection: Connection) -> LogEnd:
        row = connection.execute("SELECT number, chain FROM events ORDER BY number DESC LIMIT 1").fetchone()
        if row is None:
            return LogEnd(0, first_link(self._about(connection)[0]))
        return LogEnd(*row)

    def _check_end(self) -> None:
        """Refuse a log that is shorter than it once was."""
        with naming_errors(self._file):
            said = self._end_file.read() if self._end_file is not None else None
            there = self._read_end(self._writer)  # after what was said: another log may be writing
            if said is not None and said.number > there.number:
                raise LogDamaged(
                    f"project '{self.name}': its log ends at event {there.number}, but had reached event "
                    f"{said.number}; put '{self._file.name}' and '{self._file.name}-wal' back together, or "
                    f"{RESTORE}, or delete '{self._folder / 'end'}' to go on without what is missing."
                )

    def _note_end(self, end: LogEnd) -> None:
        if self._end_file is not None:
            with contextlib.suppress(OSError):  # it is a help, and the events are on the disk
                self._end_file.write(end)
