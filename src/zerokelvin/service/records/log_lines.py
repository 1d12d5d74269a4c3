"""A project's log as lines of JSON, to be read elsewhere or to be told to a new project.

The first line says what the project was made with, without its secret, and has its graph as npz in base64.
Every other line is an event. Telling the lines again gives the same session: the decisions that answers were
scored by are in the events.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from zerokelvin.client.messages import Parameter
from zerokelvin.errors import ZerokelvinError
from zerokelvin.service.records.facts import KINDS, Created, Fact
from zerokelvin.service.records.graph_source import GraphRules, check_graph, graph_of_bytes
from zerokelvin.service.records.project_snapshot import start_session
from zerokelvin.service.records.refusals import ConflictError, RefusedError
from zerokelvin.service.records.telling import runs, tell
from zerokelvin.service.store import Log, NewEvent, ProjectExists, Remembered, Store
from zerokelvin.service.store.transfer import project_with

__all__ = ["read_lines", "receive_lines"]

FORMAT = "zerokelvin project log"


class FirstLine(msgspec.Struct, forbid_unknown_fields=True):
    """What a project was made with, and its graph."""

    format: str
    version: int
    name: str
    classes: tuple[str | int, ...]
    learner: str
    graph: str
    at: float
    actor: str
    params: dict[str, Parameter] = {}
    policy: str | None = None
    budget: int | None = None
    daily_budget: int | None = None
    seed: int = 0
    audit_share: float = 0.0
    open_classes: bool = False


class EventLine(msgspec.Struct, forbid_unknown_fields=True):
    """A line of an exported log that holds one event."""

    number: int
    kind: str
    at: float
    actor: str
    body: dict[str, Any]


def read_lines(log: Log) -> Iterator[bytes]:
    """The lines of a log, each checked against the chain of hashes."""
    for event in log.read(0):
        if event.number == 1:
            made = msgspec.json.decode(event.body, type=Created)
            line: Any = FirstLine(
                FORMAT,
                1,
                made.name,
                made.classes,
                made.learner,
                base64.b64encode(log.graph()).decode(),
                event.at,
                event.actor,
                made.params,
                made.policy,
                made.budget,
                made.daily_budget,
                made.seed,
                made.audit_share,
                made.open_classes,
            )
        else:
            body = msgspec.json.decode(event.body)
            line = EventLine(event.number, event.kind, event.at, event.actor, body)
        yield msgspec.json.encode(line) + b"\n"


def receive_lines(
    store: Store,
    name: str,
    data: bytes,
    rules: GraphRules,
    answer: Callable[[int], Sequence[Remembered]] = lambda _: (),
) -> int:
    """Make a project of the lines of another; how many events there were after its creation.

    They are told to a session first: what it refuses is refused, with the number of the line. Answers to be
    remembered are made from that number, and written with it.
    """
    lines = data.splitlines()
    first = _line(lines[0] if lines else b"", 1, FirstLine)
    if first.format != FORMAT or first.version != 1:
        raise RefusedError("line 1", first.format, f"is not the beginning of a '{FORMAT}' of version 1")
    try:
        graph = base64.b64decode(first.graph, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedError("line 1", first.graph[:20], "is no graph in base64") from None
    domain = graph_of_bytes(graph, rules.most_nodes, rules)
    check_graph(domain, rules)
    created = Created(
        name=name,
        classes=first.classes,
        learner=first.learner,
        secret=base64.b64encode(secrets.token_bytes(32)).decode(),
        graph=domain.content_hash,
        params=first.params,
        policy=first.policy,
        budget=first.budget,
        daily_budget=first.daily_budget,
        seed=first.seed,
        audit_share=first.audit_share,
        open_classes=first.open_classes,
    )
    session = start_session(created, graph)
    events = [NewEvent("created", msgspec.json.encode(created), first.at, first.actor)]
    told: list[tuple[int, Fact]] = []
    for i, text in enumerate(lines[1:], start=2):
        line = _line(text, i, EventLine)
        kind = KINDS.get(line.kind)
        if kind is None or kind is Created:
            raise RefusedError(f"line {i}", line.kind, "is no kind of event")
        body = msgspec.json.encode(line.body)
        told.append((i, _line(body, i, kind)))
        events.append(NewEvent(line.kind, body, line.at, line.actor))
    for run in runs(told, of=lambda pair: pair[1]):
        try:
            tell(session, [fact for _, fact in run])
        except (ZerokelvinError, IndexError, ValueError) as problem:
            raise RefusedError(f"line {run[0][0]}", "…", f"cannot be told again: {problem}"[:500]) from None
    try:
        store.receive(project_with(name, graph, events, answer(len(events) - 1)))
    except ProjectExists as problem:
        raise ConflictError(str(problem)) from None
    return len(events) - 1


def _line(text: bytes, number: int, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise RefusedError(
            f"line {number}", text[:40].decode(errors="replace"), f"is no such line: {problem}"
        ) from None
