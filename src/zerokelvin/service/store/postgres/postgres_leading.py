"""Who writes to which project, where several instances share a PostgreSQL server.

An instance holds one connection on which it does nothing but keep advisory locks, one per project it leads,
and say every quarter of a second that it is alive. The server frees the locks when the process ends. An
instance that is stopped or cut off keeps them, so whoever wants to lead and finds nothing heard of the holder
for `SILENT` seconds by the server's own clock ends that connection. Whatever the holder asks the server on
any of its connections is heard too: one that is too busy to say so in time, and writes, is not silent.

None of this keeps an instance from writing that does not know it has lost: the epoch does. Taking a project
over raises its epoch, and every append compares it inside its own transaction (`postgres_log`).
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
import time
from typing import TYPE_CHECKING, Any

from zerokelvin.service.store.postgres.postgres_connections import (
    INSTANCE,
    connect_postgres,
    naming_postgres_errors,
)
from zerokelvin.service.store.store_errors import LedElsewhere, StoreError

if TYPE_CHECKING:
    import psycopg

__all__ = ["Leadership"]

BEAT = 0.25
SILENT = 2.0
"""Seconds; with a candidate that asks every second, a project changes hands within 5, of which two are left
for what a busy machine makes of a few statements and commits."""

HOLDER = """
SELECT held.pid, name, extract(epoch FROM clock_timestamp() - greatest(seen, (
    SELECT max(mine.state_change)
    FROM pg_stat_activity lock JOIN pg_stat_activity mine USING (application_name)
    WHERE lock.pid = held.pid AND mine.pid <> pg_backend_pid()
)))::float8
FROM pg_locks held LEFT JOIN instances ON backend = held.pid
WHERE locktype = 'advisory' AND classid::bigint = %s AND objid::bigint = %s AND objsubid = 1 AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""Who holds a lock, and for how long nothing was heard of it."""


class Leadership:
    """The locks on the server by which this instance leads projects."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._busy = threading.RLock()
        self._connection: psycopg.Connection[Any] | None = None
        self._held: dict[str, object] = {}
        self._ended = threading.Event()
        self._beating = threading.Thread(target=self._beat, name="zerokelvin-leading", daemon=True)
        self._beating.start()

    def claim(self, project: str, log: object) -> None:
        """Hold the lock of a project for a log of this process, or say who holds it."""
        with self._busy, naming_postgres_errors():
            connection = self._connected()
            if self._held.get(project, log) is not log:
                raise LedElsewhere(project, "another part of this process")
            if project in self._held:
                return
            if not self._try(connection, project):
                self._end_silent_holder(connection, project)
            self._held[project] = log

    def release(self, project: str, log: object) -> None:
        """Give the lock of a project up, if this log has it."""
        with self._busy:
            if self._held.get(project) is not log:
                return
            del self._held[project]
            if self._connection is not None:
                with contextlib.suppress(Exception):  # a broken connection holds no locks
                    self._connection.execute("SELECT pg_advisory_unlock(%s)", (_number(project),))

    def close(self) -> None:
        """Give up all locks; may be called twice."""
        self._ended.set()
        with self._busy:
            self._held.clear()
            if self._connection is not None:
                with contextlib.suppress(Exception):  # the server forgets silent instances by itself
                    self._connection.execute("DELETE FROM instances WHERE backend = pg_backend_pid()")
                self._connection.close()
                self._connection = None

    def _connected(self) -> psycopg.Connection[Any]:
        """The connection of the locks; a new one holds none, so that every project is claimed anew."""
        if self._ended.is_set():
            raise StoreError("the store is closed; open it again.")
        if self._connection is not None and not self._connection.closed and not self._alive():
            self._connection.close()
        if self._connection is None or self._connection.closed:
            self._held.clear()
            self._connection = connect_postgres(self._url)
            self._connection.execute("SET lock_timeout = '2s'")
            # Beats say what is so now: none need wait for the disk, which may be busy.
            self._connection.execute("SET synchronous_commit = off")
            self._connection.execute(
                "INSERT INTO instances VALUES (pg_backend_pid(), %s, clock_timestamp())"
                " ON CONFLICT (backend) DO UPDATE SET name = excluded.name, seen = excluded.seen",
                (INSTANCE,),
            )
        return self._connection

    def _alive(self) -> bool:
        if self._connection is None:
            return False
        try:
            self._connection.execute(
                "UPDATE instances SET seen = clock_timestamp() WHERE backend = pg_backend_pid()"
            )
        except Exception:  # noqa: BLE001 - whatever it is, the connection is of no use
            return False
        return True

    def _beat(self) -> None:
        while not self._ended.wait(BEAT):
            with self._busy:
                if self._connection is not None and not self._alive():
                    self._connection.close()
                    self._connection = None

    def _try(self, connection: psycopg.Connection[Any], project: str) -> bool:
        row = connection.execute("SELECT pg_try_advisory_lock(%s)", (_number(project),)).fetchone()
        return bool(row and row[0])

    def _end_silent_holder(self, connection: psycopg.Connection[Any], project: str) -> None:
        """Take the lock from an instance that was not heard of; `LedElsewhere` if it was."""
        number = _number(project) % 2**64
        row = connection.execute(HOLDER, (number >> 32, number & 0xFFFFFFFF)).fetchone()
        if row is not None:
            pid, holder, silence = row
            if silence is not None and silence < SILENT:
                raise LedElsewhere(project, holder)
            connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
            connection.execute("DELETE FROM instances WHERE backend = %s", (pid,))
        end = time.monotonic() + 1.0
        while not self._try(connection, project):
            if time.monotonic() > end:
                raise LedElsewhere(project, "another instance that is just taking it over")
            time.sleep(0.02)


def _number(project: str) -> int:
    """The number of a project's advisory lock, a signed 64-bit number."""
    return int.from_bytes(
        hashlib.sha256(b"zerokelvin project " + project.encode()).digest()[:8], "big", signed=True
    )
