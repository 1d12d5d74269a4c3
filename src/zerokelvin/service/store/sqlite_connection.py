"""Connections to SQLite files: the settings that make a commit durable, and errors that name the remedy.

Write-ahead log with ``synchronous=FULL``: a transaction is on the disk when COMMIT returns, with one sync.
The store uses only what is named in `Connection`, which both Python's `sqlite3` and `apsw` offer, so that
the check of power cuts (`checks/power`) runs the store's own statements on a recording file system.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from zerokelvin.errors import DataError
from zerokelvin.service.store.event_chain import RESTORE
from zerokelvin.service.store.migrations import Migration, migrate
from zerokelvin.service.store.store_errors import LogDamaged, StoreError, StoreFull, StoreUnavailable

__all__ = ["SETTINGS", "Connect", "Connection", "connect_sqlite", "naming_errors", "prepared", "transaction"]

SETTINGS = (
    "PRAGMA busy_timeout = 10000",  # a backup or a person's sqlite3 holds the file for a moment
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA fullfsync = ON",  # macOS: through the disk's own cache; nothing elsewhere
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA journal_size_limit = 16777216",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)

APPLICATION = 0x7A6B6C67
"""The application number in the header of our files, "zklg"."""


class Rows(Protocol):
    """The cursor of a statement, as much of it as is used."""

    def fetchone(self) -> Any:
        """The next row as a tuple; None at the end."""

    def fetchall(self) -> list[Any]:
        """All rows that are left, as tuples."""


class Connection(Protocol):
    """The part of a connection that the store uses; every statement outside a transaction commits itself."""

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Rows:
        """Run one statement with its parameters; its rows."""

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> Any:
        """Run one statement with each of these parameters."""

    def close(self) -> None:
        """Close the connection to the database."""


Connect = Callable[[Path], Connection]


def connect_sqlite(path: Path) -> Connection:
    """A connection by Python's own sqlite3, usable from all threads, one at a time."""
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def prepared(path: Path, connect: Connect, steps: Sequence[Migration]) -> Connection:
    """A connection to a file of ours, made or brought to the present schema if need be."""
    with naming_errors(path):
        connection = connect(path)
        try:
            for setting in SETTINGS:
                connection.execute(setting).fetchall()
            _bring_up_to_date(path, connection, steps)
        except BaseException:
            connection.close()
            raise
    return connection


def _bring_up_to_date(path: Path, connection: Connection, steps: Sequence[Migration]) -> None:
    version, mark = (
        connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("user_version", "application_id")
    )
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if mark != APPLICATION and (tables or version or mark):
        raise LogDamaged(f"'{path}' is a SQLite file, but not one of a zerokelvin service; {RESTORE}.")
    if version == len(steps):
        return
    with transaction(connection):
        reached = migrate(steps, version, f"'{path}'", connection.execute)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {reached}")


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Everything inside is written, or nothing; with ``synchronous=FULL`` it is on the disk afterwards."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(Exception):  # where SQLite has rolled back itself
            connection.execute("ROLLBACK")
        raise


@contextmanager
def naming_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite and the disk say about a file into errors that name the remedy."""
    try:
        yield
    except StoreError:
        raise
    except Exception as problem:
        package = type(problem).__module__.partition(".")[0]
        if isinstance(problem, OSError | DataError) or package in ("sqlite3", "apsw"):
            raise explained(problem, path) from problem
        raise


def explained(problem: Exception, path: Path) -> StoreError:
    """The error for what SQLite or the disk said.

    >>> explained(sqlite3.OperationalError("database or disk is full"), Path("log.sqlite"))
    StoreFull("'log.sqlite': the disk is full; nothing was written. Make room, and send the request again.")
    """
    said = str(problem)
    if any(text in said for text in ("is full", "No space left", "quota exceeded", "File too large")):
        return StoreFull(
            f"'{path}': the disk is full; nothing was written. Make room, and send the request again."
        )
    if any(
        text in said for text in ("malformed", "not a database", "unsupported file format", "no such table")
    ):
        return LogDamaged(f"'{path}' is damaged ({said}); {RESTORE}.")
    if any(
        text in said for text in ("readonly", "read-only", "Read-only", "Permission denied", "unable to open")
    ):
        return StoreUnavailable(
            f"'{path}' cannot be written ({said}); let the user that runs the service write to its folder."
        )
    return StoreUnavailable(f"'{path}' cannot be used: {said}; check the disk, then start the service again.")
