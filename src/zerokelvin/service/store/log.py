"""What a store of projects is: one append-only log of events per project, and what lies beside it.

The events of a project are the truth about it. A group of them is appended in one durable transaction,
together with the answers that were given for them (idempotency); a snapshot only spares replaying. Every
event carries a link of a chain of hashes (`event_chain`), so that damage and exchanged files are seen.

Only one process at a time writes to a project. `Log.lead` makes this one the writer and gives the *epoch*, a
number that grows with every change of the writer and is compared inside every append: a process that only
believes to be the writer cannot write.

Logs and stores may be used from several threads. Whatever goes wrong is a `StoreError` of `store_errors`,
whose text names the remedy.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from zerokelvin.client.messages import Role
from zerokelvin.errors import ParameterError

__all__ = [
    "ARCHIVED",
    "RESTORED",
    "AuditEntry",
    "Kept",
    "Log",
    "NewEvent",
    "ProjectCopy",
    "Remembered",
    "RememberedAnswer",
    "Store",
    "StoredEvent",
    "StoredKey",
    "check_event",
    "check_project_name",
    "checked_answer",
]

ARCHIVED = "archived"
RESTORED = "restored"
"""The last event of these two kinds says whether a project is archived; a store knows no other kinds."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
HALF = re.compile("[\ud800-\udfff]")
"""Half a character: what UTF-8 has no bytes for."""


class NewEvent(NamedTuple):
    """Something to be remembered: its kind, its content, the time in seconds since 1970, and who did it."""

    kind: str
    body: bytes
    at: float
    actor: str


class StoredEvent(NamedTuple):
    """An event as it lies in the log: numbered from 1, with the writer's epoch and its link of the chain."""

    number: int
    kind: str
    body: bytes
    at: float
    actor: str
    epoch: int
    chain: bytes


class RememberedAnswer(NamedTuple):
    """The answer to a request with an idempotency key, and a fingerprint of the request."""

    key: str
    fingerprint: bytes
    status: int
    answer: bytes
    at: float


Remembered = RememberedAnswer


class Kept(NamedTuple):
    """A snapshot: the state after `events` events, the chain there, and the sha256 of the data."""

    events: int
    chain: bytes
    digest: bytes
    data: bytes

    @classmethod
    def of(cls, events: int, chain: bytes, data: bytes) -> Kept:
        """A snapshot with the digest of its data."""
        return cls(events, chain, hashlib.sha256(data).digest(), data)

    @property
    def sound(self) -> bool:
        """Whether the data are those the digest was made of."""
        return hashlib.sha256(self.data).digest() == self.digest


class StoredKey(NamedTuple):
    """An API key as it is kept: a public identity and a digest of the secret, never the secret."""

    key: str
    digest: bytes
    role: Role
    projects: tuple[str, ...]  # empty: all projects
    made_at: float
    revoked_at: float | None = None
    note: str = ""


class AuditEntry(NamedTuple):
    """Who did what, when, to which project (empty: to the service); numbered by the trail that has it."""

    at: float
    actor: str
    action: str
    project: str
    detail: str
    number: int = 0


class ProjectCopy(NamedTuple):
    """A whole project on its way from one store to another, with the events in order."""

    name: str
    graph: bytes
    events: Iterator[StoredEvent]
    answers: Iterator[Remembered]
    snapshot: Kept | None


class Log(Protocol):
    """The log of one project: events in order, each bound to those before by a hash."""

    @property
    def name(self) -> str:
        """The name of the project whose log it is."""

    def lead(self) -> int:
        """Become the only writer of the project and return the epoch; `LedElsewhere` if there is another."""

    def append(self, events: Sequence[NewEvent], answers: Sequence[Remembered] = ()) -> int:
        """Write events and answers in one transaction; on the disk when it returns the last event's number.

        All or nothing. `LeadLost` if this process is not the writer (any more), `StoreFull` if there is no
        room: nothing was written then. After `StoreUnavailable` it is not known whether they were written;
        `lead` again, and read.
        """

    def read(self, after: int = 0) -> Iterator[StoredEvent]:
        """The events behind number `after`, each checked against the chain; `LogDamaged` names a bad one."""

    def newest(self, before: int | None = None, most: int = 1000) -> Iterator[StoredEvent]:
        """The events, the last first, or those before number `before`; checked and read `most` at a time."""

    def length(self) -> int:
        """How many events have been committed."""

    def chain(self, number: int) -> bytes:
        """The link of event `number`, for a snapshot made after it; of 0, the link that names the graph."""

    def remembered(self, key: str) -> Remembered | None:
        """The answer that was given for an idempotency key."""

    def forget(self, before: float) -> int:
        """Delete the answers given before a time; returns how many."""

    def graph(self) -> bytes:
        """The graph the project began with; `LogDamaged` if it is not the one the chain begins with."""

    def keep(self, snapshot: Kept) -> None:
        """Keep a snapshot; the two with the most events stay."""

    def kept(self) -> Kept | None:
        """The newest snapshot that is sound and of this log; others are named in a logged warning."""

    def close(self) -> None:
        """Give up writing, and close files and connections; may be called twice."""


class Store(Protocol):
    """All projects of a service, its keys and its audit trail."""

    def create(self, name: str, graph: bytes, first: NewEvent, answers: Sequence[Remembered] = ()) -> Log:
        """A new project with its first event, on the disk when this returns; `ProjectExists` otherwise."""

    def note_making(self, key: str, name: str) -> None:
        """Note that a request with this idempotency key is about to make a project of this name."""

    def made_with(self, key: str) -> str | None:
        """The project that was noted last for a key; whether it was made then, its log says."""

    def names(self, archived: bool = False) -> list[str]:
        """The names of the projects that are not archived, or of those that are, in order."""

    def open(self, name: str) -> Log:
        """The log of a project; `NoSuchProject` if there is none."""

    def copy(self, name: str) -> ProjectCopy:
        """Everything about a project, as it stood at one moment."""

    def receive(self, project: ProjectCopy) -> None:
        """A project from another store, chain and epochs as they were; `ProjectExists` if there is one."""

    def add_key(self, key: StoredKey, entry: AuditEntry | None = None) -> None:
        """Keep an API key and write to the audit trail, both or neither."""

    def keys(self) -> list[StoredKey]:
        """All API keys, revoked ones too, in the order they were made."""

    def revoke_key(self, key: str, at: float, entry: AuditEntry | None = None) -> bool:
        """Revoke a key from now on, and write that to the trail; whether there was such a key in force."""

    def audit(self, entry: AuditEntry) -> None:
        """Write to the audit trail, durably."""

    def audited(
        self, project: str | None = None, limit: int = 1000, before: int | None = None
    ) -> list[AuditEntry]:
        """The newest entries, newest first, of one project or of all, or those before number `before`."""

    def backup(self, to: Path) -> None:
        """Copy everything into a new folder, from which a service can be started, while this one runs."""

    def close(self) -> None:
        """Close all logs and give up the data; may be called twice."""


def check_project_name(name: str) -> str:
    """The name, if it can be one of a project, and so of a folder.

    >>> check_project_name("fraud-2026")
    'fraud-2026'
    """
    if not NAME.fullmatch(name):
        raise ParameterError(
            f"{name[:120]!r} cannot name a project; use up to 100 of a-z, A-Z, 0-9, '.', '_' and '-', "
            "beginning with a letter or digit."
        )
    return name


def check_event(event: NewEvent) -> None:
    """Refuse what not every store gives back as it was: NUL or half a character in a text, a time NaN."""
    _check_texts(event.kind, event.actor)
    _check_time(event.at)


def checked_answer(answer: RememberedAnswer) -> RememberedAnswer:
    """The answer with values of the types that stores give back; refused like an event."""
    _check_texts(answer.key)
    _check_time(answer.at)
    at = float(answer.at) + 0.0  # a negative zero is not kept by SQLite
    return answer._replace(fingerprint=bytes(answer.fingerprint), answer=bytes(answer.answer), at=at)


def _check_texts(*texts: str) -> None:
    for text in texts:
        if "\0" in text or not (text.isascii() or HALF.search(text) is None):
            raise ParameterError(f"{text[:80]!r} holds a character that cannot be stored; leave it out.")


def _check_time(at: float) -> None:
    if not abs(at) < float("inf"):
        raise ParameterError(f"the time of an event must be a number, not {at}.")
