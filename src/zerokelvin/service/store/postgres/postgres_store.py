"""Projects in a PostgreSQL database, which several instances of the service may share.

Everything is in the schema ``zerokelvin`` of the database that the URL names. Several instances may read a
project; one at a time writes to it (`postgres_leading`).
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from zerokelvin.service.store.backup import new_folder
from zerokelvin.service.store.chained_log import answer_row
from zerokelvin.service.store.event_chain import checked, first_link
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
from zerokelvin.service.store.postgres.postgres_connections import PostgresConnections
from zerokelvin.service.store.postgres.postgres_leading import Leadership
from zerokelvin.service.store.postgres.postgres_log import PostgresLog
from zerokelvin.service.store.postgres.postgres_schema import bring_up_to_date
from zerokelvin.service.store.sqlite_store import SqliteStore
from zerokelvin.service.store.store_errors import NoSuchProject, ProjectExists
from zerokelvin.service.store.transfer import copy_store

__all__ = ["PostgresStore"]

COPY_EVENTS = "COPY events (project, number, kind, body, at, actor, epoch, chain) FROM STDIN"
COPY_ANSWERS = "COPY answers (project, key, fingerprint, status, answer, at, sum) FROM STDIN"


class PostgresStore(KeyedStore[PostgresLog]):
    """The projects of a database; implements `Store`."""

    mark: ClassVar[str] = "%s"

    def __init__(self, url: str) -> None:
        self._connections = PostgresConnections(url)
        self._open: weakref.WeakSet[PostgresLog] = weakref.WeakSet()
        try:
            with self._connections.use() as connection:
                bring_up_to_date(connection)
        except BaseException:
            self._connections.close()
            raise
        self._leadership = Leadership(url)

    # projects

    def _make(
        self,
        name: str,
        graph: bytes,
        events: Iterable[StoredEvent],
        answers: Iterable[Remembered],
        snapshot: Kept | None,
    ) -> None:
        digest = hashlib.sha256(graph).digest()
        with self._connections.use() as connection, connection.transaction():
            row = connection.execute(
                "INSERT INTO projects (name, graph, digest, epoch, holder, length, chain, archived)"
                " VALUES (%s, %b, %b, 0, '', 0, %b, false) ON CONFLICT (name) DO NOTHING RETURNING id",
                (check_project_name(name), graph, digest, first_link(digest)),
            ).fetchone()
            if row is None:
                raise ProjectExists(f"there is a project '{name}' already; choose another name.")
            project, last, archived = row[0], None, False
            with connection.cursor().copy(COPY_EVENTS) as copy:
                for event in checked(events, 0, first_link(digest), 0, name):
                    copy.write_row((project, *event))
                    archived = {ARCHIVED: True, RESTORED: False}.get(event.kind, archived)
                    last = event
            with connection.cursor().copy(COPY_ANSWERS) as copy:
                for answer in answers:
                    copy.write_row((project, *answer_row(answer)))
            if snapshot is not None:
                connection.execute("INSERT INTO snapshots VALUES (%s, %s, %b, %b, %b)", (project, *snapshot))
            if last is not None:
                connection.execute(
                    "UPDATE projects SET length = %s, chain = %b, epoch = %s, archived = %s WHERE id = %s",
                    (last.number, last.chain, last.epoch, archived, project),
                )

    def names(self, archived: bool = False) -> list[str]:
        """The names of the projects, in order."""
        rows = self._ask("SELECT name FROM projects WHERE archived = %s", (archived,))
        return sorted(row[0] for row in rows)

    def open(self, name: str) -> PostgresLog:
        """The log of a project."""
        rows = self._ask("SELECT id FROM projects WHERE name = %s", (check_project_name(name),))
        if not rows:
            raise NoSuchProject(f"there is no project '{name}'; make it first, or check the spelling.")
        log = PostgresLog(rows[0][0], name, self._connections, self._leadership)
        self._open.add(log)
        return log

    def copy(self, name: str) -> ProjectCopy:
        """A project as it stands."""
        log = self.open(name)
        rows = self._ask(
            "SELECT key, fingerprint, status, answer, at FROM answers JOIN projects ON id = project"
            " WHERE name = %s",
            (name,),
        )
        snapshot = log.kept()
        events = log.read()  # no more than what is there now, after answers and snapshot
        return ProjectCopy(name, log.graph(), events, map(Remembered._make, rows), snapshot)

    # the whole

    def backup(self, to: Path) -> None:
        """Copy everything into a data folder for SQLite, project by project."""
        with new_folder(to) as draft:
            target = SqliteStore(draft)
            try:
                copy_store(self, target)
            finally:
                target.close()

    def close(self) -> None:
        """Give up all projects, and close the connections."""
        for log in list(self._open):
            log.close()
        self._leadership.close()
        self._connections.close()

    def _ask(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        return self._connections.ask(sql, values)

    def _change(self, *steps: Step) -> list[Any]:
        with self._connections.use() as connection, connection.transaction():
            found = connection.execute(*steps[0]).fetchall()  # not sent twice: a key would be found revoked
            for step in steps[1:] if found else ():
                connection.execute(*step)
            return found

    def _packed(self, projects: tuple[str, ...]) -> list[str]:
        return list(projects)

    def _unpacked(self, value: list[str]) -> tuple[str, ...]:
        return tuple(value)
