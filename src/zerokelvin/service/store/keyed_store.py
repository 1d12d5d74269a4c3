"""What the stores of all databases have in common: how projects are made, the API keys, the audit trail.

Statements are written with ``?`` for a value; a store gives its database's own mark.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from zerokelvin.service.store.chained_log import ChainedLog
from zerokelvin.service.store.event_chain import first_link, linked
from zerokelvin.service.store.log import (
    AuditEntry,
    Kept,
    NewEvent,
    ProjectCopy,
    Remembered,
    StoredEvent,
    StoredKey,
)

__all__ = ["KeyedStore", "Step"]

LAST = (1 << 63) - 1
"""The largest number there can be."""

Step = tuple[str, tuple[Any, ...]]
"""A statement and its values."""

L = TypeVar("L", bound=ChainedLog)


class KeyedStore(ABC, Generic[L]):
    """All projects of a service, its keys and its audit trail; see `Store` for the methods."""

    mark: ClassVar[str] = "?"

    @abstractmethod
    def open(self, name: str) -> L:
        """The log of a project, for this instance to write."""

    @abstractmethod
    def _make(
        self,
        name: str,
        graph: bytes,
        events: Iterable[StoredEvent],
        answers: Iterable[Remembered],
        snapshot: Kept | None,
    ) -> None:
        """Make a project, wholly or not at all."""

    @abstractmethod
    def _ask(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """The rows of a statement that changes nothing."""

    @abstractmethod
    def _change(self, *steps: Step) -> list[Any]:
        """The rows of the first of some statements, carried out once in one durable transaction.

        Where the first changes nothing, the others are left out.
        """

    @abstractmethod
    def _packed(self, projects: tuple[str, ...]) -> Any:
        """Names as one value of the database."""

    @abstractmethod
    def _unpacked(self, value: Any) -> tuple[str, ...]:
        """Names from one value of the database."""

    # projects

    def create(self, name: str, graph: bytes, first: NewEvent, answers: Sequence[Remembered] = ()) -> L:
        """A new project, and its log, which this process does not lead yet."""
        chain = first_link(hashlib.sha256(graph).digest())
        self._make(name, graph, linked([first], 0, chain, 0), answers, None)
        return self.open(name)

    def note_making(self, key: str, name: str) -> None:
        """Note that a request with this key is about to make a project of this name."""
        sql = "INSERT INTO makings VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET project = excluded.project"
        self._change((self._marked(f"{sql} RETURNING 1"), (key, name)))

    def made_with(self, key: str) -> str | None:
        """The project that was noted last for a key."""
        rows = self._ask(self._marked("SELECT project FROM makings WHERE key = ?"), (key,))
        return str(rows[0][0]) if rows else None

    def receive(self, project: ProjectCopy) -> None:
        """Make a project, graph, events and all, from its copy out of another store."""
        self._make(*project)

    # keys and audit trail

    def add_key(self, key: StoredKey, entry: AuditEntry | None = None) -> None:
        """Keep a key and, in the same transaction, the entry of the audit trail that tells of it."""
        row = (*key[:3], self._packed(key.projects), *key[4:])
        sql = self._marked("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING 1")
        self._change((sql, row), *self._noting(entry))

    def keys(self) -> list[StoredKey]:
        """All keys, in the order they were made."""
        rows = self._ask("SELECT * FROM keys ORDER BY made_at, key", ())
        return [StoredKey._make((*row[:3], self._unpacked(row[3]), *row[4:])) for row in rows]

    def revoke_key(self, key: str, at: float, entry: AuditEntry | None = None) -> bool:
        """Revoke a key and write the entry with it; whether there was such a key, not revoked yet."""
        sql = "UPDATE keys SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL RETURNING 1"
        return bool(self._change((self._marked(sql), (at, key)), *self._noting(entry)))

    def audit(self, entry: AuditEntry) -> None:
        """Add one entry to the audit trail."""
        self._change(*self._noting(entry))

    def _noting(self, entry: AuditEntry | None) -> list[Step]:
        sql = "INSERT INTO audit (at, actor, action, project, detail) VALUES (?, ?, ?, ?, ?) RETURNING 1"
        return [] if entry is None else [(self._marked(sql), entry[:5])]

    def audited(
        self, project: str | None = None, limit: int = 1000, before: int | None = None
    ) -> list[AuditEntry]:
        """The newest entries of the audit trail, newest first."""
        begin = "SELECT at, actor, action, project, detail, number FROM audit"
        end = " ORDER BY number DESC LIMIT ?"
        last = LAST if before is None else before - 1
        if project is None:
            rows = self._ask(self._marked(begin + " WHERE number <= ?" + end), (last, limit))
        else:
            sql = begin + " WHERE project = ? AND number <= ?" + end
            rows = self._ask(self._marked(sql), (project, last, limit))
        return list(map(AuditEntry._make, rows))

    def _marked(self, sql: str) -> str:
        return sql.replace("?", self.mark)
