"""The store of the service: logs of events, snapshots, keys and audit trail, in SQLite or PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from zerokelvin.service.store.log import (
    ARCHIVED,
    RESTORED,
    AuditEntry,
    Kept,
    Log,
    NewEvent,
    ProjectCopy,
    Remembered,
    Store,
    StoredEvent,
    StoredKey,
    check_project_name,
)
from zerokelvin.service.store.store_errors import (
    LeadLost,
    LedElsewhere,
    LogDamaged,
    NoSuchProject,
    ProjectExists,
    SchemaTooNew,
    StoreError,
    StoreFull,
    StoreInUse,
    StoreUnavailable,
)

__all__ = [
    "ARCHIVED",
    "RESTORED",
    "AuditEntry",
    "Kept",
    "LeadLost",
    "LedElsewhere",
    "Log",
    "LogDamaged",
    "NewEvent",
    "NoSuchProject",
    "ProjectCopy",
    "ProjectExists",
    "Remembered",
    "SchemaTooNew",
    "Store",
    "StoreError",
    "StoreFull",
    "StoreInUse",
    "StoreUnavailable",
    "StoredEvent",
    "StoredKey",
    "check_project_name",
    "open_store",
]


def open_store(where: str | Path, beside: bool = False) -> Store:
    """The store in a folder (SQLite), which is made if need be, or behind ``postgresql://…``.

    `StoreInUse` if another process uses the folder, `SchemaTooNew` if a newer zerokelvin wrote it. With
    `beside`, another process may be using it: for keys, backups and reading; nothing else is written.
    """
    if str(where).startswith(("postgresql://", "postgres://")):
        from zerokelvin.service.store.postgres.postgres_store import PostgresStore

        return PostgresStore(str(where))
    from zerokelvin.service.store.sqlite_store import SqliteStore

    return SqliteStore(Path(where), beside=beside)
