"""A project's snapshot: what `Session.save` writes, the graph if it grew, and the count of the day.

From the newest sound snapshot on, only the events after it are told again. A snapshot is no truth of its
own: whatever is wrong with one, the log has everything.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec

from zerokelvin.errors import ZerokelvinError
from zerokelvin.service.passing_files import passing_folder
from zerokelvin.service.records.facts import KINDS, Created, Fact
from zerokelvin.service.records.graph_source import graph_bytes, graph_of_bytes
from zerokelvin.service.records.projection import Book, Projection
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.records.telling import runs, tell
from zerokelvin.service.store import Kept, Log, LogDamaged, StoredEvent
from zerokelvin.session import Session, load, start

__all__ = ["Restored", "pack", "restored", "start_session"]

F = TypeVar("F", bound=Fact)

OURS = {"graph", "learner", "classes", "open_classes", "seed", "policy", "budget", "attributes", "obsp"}
"""What `start` takes that is no parameter of a learner."""

MOST_NODES = 1 << 40
AT_ONCE = 4096
"""Events read from the log at a time."""


class PackedProject(msgspec.Struct, frozen=True):
    """What a snapshot of a project holds: its session and its graph as bytes, and its book."""

    session: bytes
    graph: bytes | None
    book: Book
    version: int = 1


class Restored(NamedTuple):
    """A project as its log says: the first event, its time, the session, the projection, the last number.

    `since` counts the events that were told again, after the newest snapshot or from the start.
    """

    created: Created
    created_at: float
    session: Session
    known: Projection
    last: int
    since: int


def start_session(created: Created, graph: bytes) -> Session:
    """The session that a project begins with; refused where there can be none."""
    for name in created.params:
        if name in OURS or not name.isidentifier():
            raise RefusedError("params", name, "is no parameter of a learner; it has a field of its own")
    domain, params = graph_of_bytes(graph, MOST_NODES), dict[str, Any](created.params)
    return start(
        domain,
        created.learner,
        classes=list(created.classes) or None,
        policy=created.policy,
        budget=created.budget,
        seed=created.seed,
        **params,
    )


def pack(session: Session, book: Book, first_graph: str) -> bytes:
    """A session, and what else there is to know, as bytes."""
    with passing_folder() as folder:
        path = folder / "session.zk"
        session.save(path)
        data = path.read_bytes()
    graph = None if session.graph.content_hash == first_graph else graph_bytes(session.graph)
    return msgspec.msgpack.encode(PackedProject(data, graph, book))


def restored(log: Log) -> Restored:
    """A project from its log: from the newest snapshot and the events after it, or from the first event."""
    first = next(iter(log.read(0)), None)
    if first is None or first.kind != "created":
        raise LogDamaged(f"the log of '{log.name}' does not begin with its creation; restore a backup.")
    created = _decode(first, Created, log)
    kept = log.kept()
    session, known, last = (
        _from_snapshot(log, created, kept) if kept is not None else _from_start(log, created)
    )
    known.created_at = first.at
    begun = last
    part: list[StoredEvent] = []
    for event in log.read(last):
        part.append(event)
        if len(part) == AT_ONCE:
            last = _replay(log, session, known, part)
            part = []
    last = _replay(log, session, known, part) if part else last
    return Restored(created, first.at, session, known, last, last - begun)


def _from_start(log: Log, created: Created) -> tuple[Session, Projection, int]:
    session = start_session(created, log.graph())
    return session, Projection(created, session), 1


def _from_snapshot(log: Log, created: Created, kept: Kept) -> tuple[Session, Projection, int]:
    try:
        packed = msgspec.msgpack.decode(kept.data, type=PackedProject)
        graph = graph_of_bytes(log.graph() if packed.graph is None else packed.graph, MOST_NODES)
        with passing_folder() as folder:
            path = folder / "session.zk"
            path.write_bytes(packed.session)
            session = load(path, graph)
    except LogDamaged:
        raise
    except (msgspec.DecodeError, ZerokelvinError):  # of another version, say: the log has everything
        return _from_start(log, created)
    known = Projection(created, session)
    known.book = packed.book
    return session, known, kept.events


def _replay(log: Log, session: Session, known: Projection, events: list[StoredEvent]) -> int:
    """Tell a session events of its log; the number of the last."""
    told = [(event.at, _decode(event, KINDS[event.kind], log)) for event in events if event.kind in KINDS]
    for run in runs(told, of=lambda pair: pair[1]):
        tell(session, [fact for _, fact in run])
    known.graph = session.graph  # before the others: a label may be of a node that a growth brought
    for at, fact in told:
        known.note([fact], at)
    known.settle()
    return events[-1].number


def _decode(event: StoredEvent, kind: type[F], log: Log) -> F:
    try:
        return msgspec.json.decode(event.body, type=kind)
    except msgspec.DecodeError as problem:
        raise LogDamaged(
            f"event {event.number} of '{log.name}' is no '{event.kind}' ({problem}); restore a backup."
        ) from None
