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

__all__ = ["KeyedStore"]

L = TypeVar("L", bound=ChainedLog)


class KeyedStore(ABC, Generic[L]):
    """All projects of a service, its keys and its audit trail; see `Store` for the methods."""

    mark: ClassVar[str] = "?"

    @abstractmethod
    def open(self, name: str) -> L:
        """The log of a project."""

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
    def _change(self, sql: str, values: tuple[Any, ...]) -> list[Any]:
        """The rows of a statement that was carried out once, durably."""

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

    def receive(self, project: ProjectCopy) -> None:
        """A project from another store."""
        self._make(*project)

    # keys and audit trail

    def add_key(self, key: StoredKey) -> None:
        """Keep a key."""
        row = (*key[:3], self._packed(key.projects), *key[4:])
        self._change(self._marked("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING 1"), row)

    def keys(self) -> list[StoredKey]:
        """All keys, in the order they were made."""
        rows = self._ask("SELECT * FROM keys ORDER BY made_at, key", ())
        return [StoredKey._make((*row[:3], self._unpacked(row[3]), *row[4:])) for row in rows]

    def revoke_key(self, key: str, at: float) -> bool:
        """Revoke a key."""
        sql = "UPDATE keys SET revoked_at = ? WHERE key = ? AND revoked_at IS NULL RETURNING 1"
        return bool(self._change(self._marked(sql), (at, key)))

    def audit(self, entry: AuditEntry) -> None:
        """Write an entry."""
        sql = "INSERT INTO audit (at, actor, action, project, detail) VALUES (?, ?, ?, ?, ?) RETURNING 1"
        self._change(self._marked(sql), entry)

    def audited(self, project: str | None = None, limit: int = 1000) -> list[AuditEntry]:
        """The newest entries."""
        begin, end = "SELECT at, actor, action, project, detail FROM audit", " ORDER BY number DESC LIMIT ?"
        if project is None:
            rows = self._ask(self._marked(begin + end), (limit,))
        else:
            rows = self._ask(self._marked(begin + " WHERE project = ?" + end), (project, limit))
        return list(map(AuditEntry._make, rows))

    def _marked(self, sql: str) -> str:
        return sql.replace("?", self.mark)
