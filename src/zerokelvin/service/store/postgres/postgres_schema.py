"""The tables of the store in PostgreSQL, and the steps that lead to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zerokelvin.service.store.migrations import Migration, migrate
from zerokelvin.service.store.postgres.postgres_connections import SCHEMA

if TYPE_CHECKING:
    import psycopg

__all__ = ["POSTGRES_STEPS", "bring_up_to_date"]

MIGRATING = 0x7A6B6C67
"""The advisory lock under which one instance at a time changes the schema."""

POSTGRES_STEPS = (
    Migration(
        "projects, events, answers, snapshots, instances, keys, audit trail",
        (
            """CREATE TABLE projects (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
                graph bytea NOT NULL, digest bytea NOT NULL, epoch bigint NOT NULL, holder text NOT NULL,
                length bigint NOT NULL, chain bytea NOT NULL, archived boolean NOT NULL)""",
            """CREATE TABLE events (
                project bigint NOT NULL REFERENCES projects, number bigint NOT NULL, kind text NOT NULL,
                body bytea NOT NULL, at double precision NOT NULL, actor text NOT NULL, epoch bigint NOT NULL,
                chain bytea NOT NULL, PRIMARY KEY (project, number))""",
            """CREATE TABLE answers (
                project bigint NOT NULL REFERENCES projects, key text NOT NULL, fingerprint bytea NOT NULL,
                status integer NOT NULL, answer bytea NOT NULL, at double precision NOT NULL,
                sum bytea NOT NULL, PRIMARY KEY (project, key))""",
            """CREATE TABLE snapshots (
                project bigint NOT NULL REFERENCES projects, events bigint NOT NULL, chain bytea NOT NULL,
                digest bytea NOT NULL, data bytea NOT NULL, PRIMARY KEY (project, events))""",
            """CREATE TABLE instances (
                backend integer PRIMARY KEY, name text NOT NULL, seen timestamptz NOT NULL)""",
            """CREATE TABLE keys (
                key text PRIMARY KEY, digest bytea NOT NULL, role text NOT NULL, projects text[] NOT NULL,
                made_at double precision NOT NULL, revoked_at double precision, note text NOT NULL)""",
            """CREATE TABLE audit (
                number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at double precision NOT NULL,
                actor text NOT NULL, action text NOT NULL, project text NOT NULL, detail text NOT NULL)""",
            "CREATE INDEX audit_by_project ON audit (project, number)",
        ),
    ),
    Migration(
        "which project was made with which idempotency key",
        ("CREATE TABLE makings (key text PRIMARY KEY, project text NOT NULL)",),
    ),
)


def bring_up_to_date(connection: psycopg.Connection[Any]) -> None:
    """Make the schema, or run the steps that it lacks, in one transaction, one instance at a time."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATING,))
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)")
        row = connection.execute("SELECT version FROM schema_version").fetchone()
        version = row[0] if row else 0
        reached = migrate(POSTGRES_STEPS, version, f"the database schema '{SCHEMA}'", connection.execute)
        if row is None:
            connection.execute("INSERT INTO schema_version VALUES (%s)", (reached,))
        elif reached != version:
            connection.execute("UPDATE schema_version SET version = %s", (reached,))
