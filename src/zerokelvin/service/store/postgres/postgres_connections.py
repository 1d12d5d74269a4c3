"""Connections to PostgreSQL: a few that are shared, with settings that make a commit durable.

Every statement is a transaction of its own unless `transaction` is asked for. A connection that broke is
thrown away; what it was doing is the caller's to find out.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from zerokelvin.errors import MissingDependencyError
from zerokelvin.service.store.event_chain import RESTORE
from zerokelvin.service.store.store_errors import LogDamaged, StoreError, StoreFull, StoreUnavailable

if TYPE_CHECKING:
    import psycopg

__all__ = ["INSTANCE", "PostgresConnections", "connect_postgres", "naming_postgres_errors"]

SCHEMA = "zerokelvin"
MOST = 8
"""Connections that are shared by all projects of an instance; who finds none free waits."""

INSTANCE = f"{socket.gethostname()[:30]}, process {os.getpid()}"
"""This process, as other instances and the server's list of connections name it."""

LINK_SETTINGS: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 8000,
    "application_name": f"zerokelvin {INSTANCE} {secrets.token_hex(2)}",  # two hosts may have one name
}

SETTINGS = (
    f"SET search_path TO {SCHEMA}",
    "SET lock_timeout = '5s'",
    "SET statement_timeout = '60s'",
    "SET idle_in_transaction_session_timeout = '60s'",
)


def connect_postgres(url: str) -> psycopg.Connection[Any]:
    """A connection on which a commit is durable when it returns."""
    try:
        import psycopg
    except ImportError:
        raise MissingDependencyError(
            "PostgreSQL needs psycopg, which is not installed: pip install 'zerokelvin[service]'"
        ) from None
    with naming_postgres_errors():
        connection = psycopg.connect(url, autocommit=True, **LINK_SETTINGS)
        try:
            for setting in SETTINGS:
                connection.execute(setting)
            _make_durable(connection)
        except BaseException:
            connection.close()
            raise
    return connection


def _make_durable(connection: psycopg.Connection[Any]) -> None:
    if _shown(connection, "fsync") == "off":
        raise StoreError(
            "this PostgreSQL runs with fsync = off and would lose acknowledged events when the power "
            "fails; set fsync = on in postgresql.conf."
        )
    if _shown(connection, "synchronous_commit") == "off":
        connection.execute("SET synchronous_commit = on")


def _shown(connection: psycopg.Connection[Any], setting: str) -> str:
    row = connection.execute(f"SHOW {setting}").fetchone()
    return str(row[0]) if row else ""


@contextmanager
def naming_postgres_errors() -> Iterator[None]:
    """Turn what the server says into errors that name the remedy."""
    import psycopg

    try:
        yield
    except psycopg.errors.DiskFull as problem:
        raise StoreFull(
            f"the database server has no room ({_said(problem)}); nothing was written. Make room, and send "
            "the request again."
        ) from problem
    except (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted) as problem:
        raise LogDamaged(f"the database is damaged ({_said(problem)}); {RESTORE}.") from problem
    except psycopg.errors.ReadOnlySqlTransaction as problem:
        raise StoreUnavailable(
            "this PostgreSQL is a stand-by that cannot be written to; name the primary server in the URL."
        ) from problem
    except psycopg.errors.InsufficientPrivilege as problem:
        raise StoreUnavailable(
            f"the database role may not do this ({_said(problem)}); make it the owner of schema '{SCHEMA}'."
        ) from problem
    except (psycopg.OperationalError, psycopg.InterfaceError, OSError) as problem:
        raise StoreUnavailable(
            f"the database server cannot be used ({_said(problem)}); check that it runs, and the URL."
        ) from problem
    except psycopg.Error as problem:  # the server carried nothing out
        raise StoreError(
            f"the database refuses this ({_said(problem)}); nothing was written. See the server's log."
        ) from problem


def _said(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0] or type(problem).__name__


class PostgresConnections:
    """Some connections, handed out one at a time to each user."""

    def __init__(self, url: str, most: int = MOST, connect: Callable[[str], Any] = connect_postgres) -> None:
        self._url = url
        self._connect = connect
        self._free = threading.BoundedSemaphore(most)
        self._idle: list[psycopg.Connection[Any]] = []
        self._closed = False

    @contextmanager
    def use(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection, for the time of the block."""
        with self._free:
            if self._closed:
                raise StoreError("the store is closed; open it again.")
            connection = self._take()
            try:
                with naming_postgres_errors():
                    yield connection
            finally:
                if connection.closed or self._closed:
                    connection.close()
                else:
                    self._idle.append(connection)

    def ask(self, sql: str, parameters: Sequence[Any] = (), binary: bool = False) -> list[Any]:
        """The rows of a statement that may be run twice: on a new connection if the first was broken."""
        try:
            with self.use() as connection:
                return connection.execute(sql, parameters, binary=binary).fetchall()
        except StoreUnavailable:
            self.drop_idle()
        with self.use() as connection:
            return connection.execute(sql, parameters, binary=binary).fetchall()

    def _take(self) -> psycopg.Connection[Any]:
        while self._idle:
            connection = self._idle.pop()
            if not connection.closed:
                return connection
        return self._connect(self._url)

    def drop_idle(self) -> None:
        """Close those that nobody uses: after one broke, the others probably are broken too."""
        while self._idle:
            self._idle.pop().close()

    def close(self) -> None:
        """Close them all, those in use when they come back; may be called twice."""
        self._closed = True
        self.drop_idle()
