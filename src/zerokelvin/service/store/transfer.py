"""From one store into another: backups of a database, and moving between SQLite and PostgreSQL.

A project that begins with many events, an import or a table with labels, comes the same way, so that it is
there with all of them or not at all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from zerokelvin.service.store.event_chain import first_link, linked
from zerokelvin.service.store.log import NewEvent, ProjectCopy, Remembered, Store

__all__ = ["copy_store", "project_with"]

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


def project_with(
    name: str, graph: bytes, events: Sequence[NewEvent], answers: Sequence[Remembered] = ()
) -> ProjectCopy:
    """A project that begins with these events, the first of which makes it; for `Store.receive`."""
    chain = first_link(hashlib.sha256(graph).digest())
    return ProjectCopy(name, graph, iter(linked(events, 0, chain, 0)), iter(answers), None)
