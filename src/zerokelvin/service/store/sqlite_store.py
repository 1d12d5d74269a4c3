"""Projects in a data folder: the default store, which needs no server.

```
DIR/lock                  held by the one process that uses the folder
DIR/service.sqlite        keys and audit trail
DIR/projects/NAME/        one folder per project (`sqlite_log`)
```

A new project is made under another name and renamed when it is complete, so that there is never half of one.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import secrets
import shutil
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from zerokelvin.io.files import write_bytes
from zerokelvin.service.store.backup import backup_folder, sync_folder
from zerokelvin.service.store.chained_log import answer_row
from zerokelvin.service.store.event_chain import checked, first_link
from zerokelvin.service.store.folder_lock import FolderLock
from zerokelvin.service.store.keyed_store import KeyedStore, Step
from zerokelvin.service.store.log import (
    ARCHIVED,
    RESTORED,
    Kept,
    ProjectCopy,
    Remembered,
    StoredEvent,
    check_project_name,
)
from zerokelvin.service.store.migrations import Migration
from zerokelvin.service.store.snapshot_files import write_snapshot
from zerokelvin.service.store.sqlite_connection import (
    Connect,
    Connection,
    connect_sqlite,
    naming_errors,
    prepared,
    transaction,
)
from zerokelvin.service.store.sqlite_log import ADD_ANSWER, ADD_EVENT, LOG_STEPS, SqliteLog
from zerokelvin.service.store.store_errors import NoSuchProject, ProjectExists, StoreError, StoreInUse

__all__ = ["SERVICE_STEPS", "SqliteStore"]

SERVICE_STEPS = (
    Migration(
        "keys and audit trail",
        (
            (
                "CREATE TABLE keys (key TEXT PRIMARY KEY, digest BLOB NOT NULL, role TEXT NOT NULL,"
                " projects TEXT NOT NULL, made_at REAL NOT NULL, revoked_at REAL, note TEXT NOT NULL) STRICT"
            ),
            (
                "CREATE TABLE audit (number INTEGER PRIMARY KEY, at REAL NOT NULL, actor TEXT NOT NULL,"
                " action TEXT NOT NULL, project TEXT NOT NULL, detail TEXT NOT NULL) STRICT"
            ),
            "CREATE INDEX audit_by_project ON audit (project, number)",
        ),
    ),
    Migration(
        "which project was made with which idempotency key",
        ("CREATE TABLE makings (key TEXT PRIMARY KEY, project TEXT NOT NULL) STRICT, WITHOUT ROWID",),
    ),
)


class SqliteStore(KeyedStore[SqliteLog]):
    """The projects of a data folder; implements `Store`."""

    def __init__(self, folder: Path, connect: Connect = connect_sqlite, beside: bool = False) -> None:
        self.folder = folder
        self._beside = beside
        self._projects = folder / "projects"
        self._connect = connect
        self._busy = threading.RLock()
        self._open: weakref.WeakSet[SqliteLog] = weakref.WeakSet()
        self._leaders: dict[str, SqliteLog] | None = None if beside else {}
        self._archived: dict[str, bool] = {}  # of projects that are not open
        self._closed = False
        with naming_errors(folder):
            if not folder.exists():
                folder.mkdir(
                    0o700, parents=True
                )  # labels and what decisions are signed with are nobody else's
            self._projects.mkdir(exist_ok=True)
        self._lock = None if beside else FolderLock(folder)
        try:
            if not beside:
                self._sweep()
            self._service_file = folder / "service.sqlite"
            self._service = prepared(self._service_file, connect, SERVICE_STEPS)
        except BaseException:
            self._release()
            raise

    # projects

    def _make(
        self,
        name: str,
        graph: bytes,
        events: Iterable[StoredEvent],
        answers: Iterable[Remembered],
        snapshot: Kept | None,
    ) -> None:
        final = self._projects / check_project_name(name)
        digest = hashlib.sha256(graph).digest()
        with self._busy, naming_errors(final):
            if self._beside:
                raise StoreInUse(f"'{self.folder}' may be in use by a service; ask that to make '{name}'.")
            if final.exists():
                raise ProjectExists(f"there is a project '{name}' already; choose another name.")
            draft = self._projects / f".{name}.{secrets.token_hex(4)}.part"
            draft.mkdir()
            try:
                write_bytes(draft / "graph", graph)
                if snapshot is not None:
                    write_snapshot(draft / "snapshots", snapshot)
                self._fill(
                    draft / "log.sqlite", digest, checked(events, 0, first_link(digest), 0, name), answers
                )
                sync_folder(draft)
                draft.rename(final)
                sync_folder(self._projects)
            except BaseException:
                shutil.rmtree(draft, ignore_errors=True)
                raise

    def _fill(
        self, path: Path, digest: bytes, events: Iterator[StoredEvent], answers: Iterable[Remembered]
    ) -> None:
        connection = prepared(path, self._connect, LOG_STEPS)
        epoch, archived = 0, False

        def noted() -> Iterator[StoredEvent]:
            nonlocal epoch, archived
            for event in events:
                epoch = event.epoch
                archived = {ARCHIVED: True, RESTORED: False}.get(event.kind, archived)
                yield event

        try:
            with transaction(connection):
                connection.executemany(ADD_EVENT, noted())
                connection.executemany(ADD_ANSWER, map(answer_row, answers))
                connection.execute("INSERT INTO about VALUES (1, ?, ?, ?)", (digest, epoch, archived))
        finally:
            connection.close()

    def names(self, archived: bool = False) -> list[str]:
        """The names of the projects, in order."""
        with self._busy, naming_errors(self._projects):
            found = sorted(
                entry.name for entry in os.scandir(self._projects) if not entry.name.startswith(".")
            )
            return [name for name in found if self._is_archived(name) == archived]

    def _is_archived(self, name: str) -> bool:
        """Whether a project is archived; one whose log cannot be read is listed with those in use."""
        for log in self._open:
            if log.name == name and not log.closed:
                return log.archived
        if name not in self._archived:
            path = self._projects / name / "log.sqlite"
            try:
                with naming_errors(path):
                    self._archived[name] = self._archived_in(path)
            except StoreError:
                return False
        return self._archived[name]

    def _archived_in(self, path: Path) -> bool:
        """What the log of a project that is not open says; with thousands of them, each must be quick."""
        if not path.is_file():
            return False
        connection = self._connect(path)
        try:
            row = connection.execute("SELECT archived FROM about").fetchone()
        finally:
            connection.close()
        return bool(row and row[0])

    def open(self, name: str) -> SqliteLog:
        """The log of a project."""
        with self._busy:
            log = self._log(check_project_name(name))
            self._archived.pop(name, None)
            self._open.add(log)
            return log

    def _log(self, name: str) -> SqliteLog:
        folder = self._projects / name
        if self._closed:
            raise StoreError(f"the store in '{self.folder}' is closed; open it again.")
        if not folder.is_dir():
            raise NoSuchProject(f"there is no project '{name}'; make it first, or check the spelling.")
        return SqliteLog(folder, name, self._leaders, self._connect)

    def copy(self, name: str) -> ProjectCopy:
        """A project as it stands."""
        log = self.open(name)
        length = log.length()
        answers = iter(list(log.answers()))  # before events of later answers could be missing
        snapshot = log.kept()

        def events() -> Iterator[StoredEvent]:
            try:
                yield from itertools.islice(log.read(), length)
            finally:
                log.close()

        return ProjectCopy(name, log.graph(), events(), answers, snapshot)

    # keys and audit trail, in the file of the service

    @contextmanager
    def _using(self) -> Iterator[Connection]:
        with self._busy, naming_errors(self._service_file):
            if self._closed:
                raise StoreError(f"the store in '{self.folder}' is closed; open it again.")
            yield self._service

    def _ask(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        with self._using() as service:
            return service.execute(sql, values).fetchall()

    def _change(self, *steps: Step) -> list[Any]:
        with self._using() as service, transaction(service):
            found = service.execute(*steps[0]).fetchall()
            for step in steps[1:] if found else ():
                service.execute(*step).fetchall()
            return found

    def _packed(self, projects: tuple[str, ...]) -> str:
        return json.dumps(projects)

    def _unpacked(self, value: str) -> tuple[str, ...]:
        return tuple(json.loads(value))

    # the whole

    def backup(self, to: Path) -> None:
        """Copy the folder while it is used."""
        backup_folder(self.folder, to)

    def close(self) -> None:
        """Close all logs, and let another process have the folder."""
        with self._busy:
            if self._closed:
                return
            self._closed = True
            for log in list(self._open):
                log.close()
            self._service.close()
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _sweep(self) -> None:
        """Remove what a killed process left of projects that were not complete."""
        with naming_errors(self._projects):
            for entry in list(os.scandir(self._projects)):
                if entry.name.startswith(".") and entry.name.endswith(".part"):
                    shutil.rmtree(entry.path)
