"""From one store into another: backups of a database, and moving between SQLite and PostgreSQL."""

from __future__ import annotations

from zerokelvin.service.store.log import Store

__all__ = ["copy_store"]

ALL = 2**62


def copy_store(source: Store, target: Store) -> None:
    """Copy all projects, keys and audit entries into a store that has none of them, chains as they are."""
    for archived in (False, True):
        for name in source.names(archived):
            target.receive(source.copy(name))
    for key in source.keys():  # noqa: SIM118 - a store is no dictionary
        target.add_key(key)
    for entry in reversed(source.audited(limit=ALL)):
        target.audit(entry)
