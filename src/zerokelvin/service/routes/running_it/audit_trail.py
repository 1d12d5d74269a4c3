"""Who did what and when: labels, corrections and skips from the logs, exports and keys from the audit trail.

Both are told in one form, newest first. What was done to a project's labels is in its log, whose every event
names who sent it, under the chain of hashes; nothing of it is written twice. Making and archiving projects,
exports, imports, logins and keys, which are no events of a session, are in the trail of the store.

Logs are read from their end, as far as needed and never more than `SCANNED` events in one request. A *page*
of one project ends with a text, EVENT.ENTRY, that says where the next begins: before that event of the log
and before that entry of the trail. So pages neither leave anything out nor tell it twice, whatever the clock
did.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from zerokelvin.client.messages import Audited, AuditShown
from zerokelvin.service.projects.writing_thread import FIRST
from zerokelvin.service.records.refusals import RefusedError, TooLargeError
from zerokelvin.service.store import AuditEntry, NoSuchProject, Store, StoredEvent
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.query_values import number, whole
from zerokelvin.service.web.route_table import Call, route

MOST = 10_000
SCANNED = 20_000
"""Events of a log, and entries of the trail, that are looked at for one request."""

MANY = 500
"""Projects whose logs are opened for one request."""

AT_ONCE = 1000
"""Events of a log read at a time."""

DIGITS = 15
LAST = 10**DIGITS - 1
"""Above all numbers."""

TEXT = {"type": "string", "minLength": 1, "maxLength": 200}
PAGE = {"type": "string", "pattern": r"^[0-9]{1,15}\.[0-9]{1,15}$"}

SAID = {
    "created": "created",
    "label": "labelled",
    "teach": "taught",
    "correct": "corrected",
    "revise": "corrected",
    "skip": "skipped",
    "grown": "grew the graph",
    "classes": "added classes",
    "budget": "set budgets",
    "check": "drew a random check",
}
"""What an event of a kind is called; archiving is in the trail of the store."""


class Place(NamedTuple):
    """Where a page begins: before an event of the log and before an entry of the trail, by their numbers."""

    event: int = LAST
    entry: int = LAST


class Page(NamedTuple):
    """Entries, newest first, and where the next page begins; None where there is none."""

    entries: list[AuditEntry]
    next: str | None


@route(
    "GET",
    "/v1/audit",
    "admin",
    gives=AuditShown,
    query={
        "project": (TEXT, "The project; all if left out."),
        "actor": (TEXT, "The key that did it; all if left out."),
        "limit": (whole(MOST, 1), "How many entries at most, the newest."),
        "before": (PAGE, "What `next` of the page before says; with a project only."),
    },
    seconds=120.0,
)
async def audit_trail(call: Call) -> AuditShown:
    """List who labelled, corrected, skipped, exported, imported, made keys, and when; newest first."""
    limit, actor = number(call.query, "limit", 100, MOST, 1), call.query.get("actor")
    project, before = call.query.get("project"), call.query.get("before")
    if project is None:
        if before is not None:
            raise RefusedError("before", before, "needs a project; add ?project=NAME to go further back")
        found = await aside(newest_of_all, call.hall.store, actor, limit)
        return AuditShown(entries=[_shown(one) for one in found if _visible(call, one)])
    if not call.actor.sees(project):
        raise RefusedError("project", project, f"is none that key '{call.actor.name}' is for")
    page = await aside(page_of, call.hall.store, project, actor, limit, _place(before))
    return AuditShown(entries=[_shown(one) for one in page.entries], next=page.next)


def _place(before: str | None) -> Place:
    """The event and the entry that a page begins before."""
    if before is None:
        return Place()
    event, _, entry = before.partition(".")
    if not all(part.isascii() and part.isdecimal() and len(part) <= DIGITS for part in (event, entry)):
        raise RefusedError("before", before, "is no page; send what 'next' of the page before says")
    return Place(int(event), int(entry))


def _visible(call: Call, entry: AuditEntry) -> bool:
    return call.actor.sees(entry.project) if entry.project else not call.actor.projects


def newest_of_all(store: Store, actor: str | None, limit: int) -> list[AuditEntry]:
    """The newest entries of all projects and of the trail, newest first."""
    names = [*store.names(), *store.names(archived=True)]
    if len(names) > MANY:
        raise TooLargeError(f"there are {len(names):,} projects; add ?project=NAME for one of them.")
    found = [one for one in store.audited(None, SCANNED) if actor is None or one.actor == actor][:limit]
    for name in names:
        ours = page_of(store, name, actor, limit, Place(entry=0)).entries
        found = heapq.nlargest(limit, [*found, *ours], key=lambda one: one.at)
    return found


def page_of(store: Store, project: str, actor: str | None, limit: int, before: Place) -> Page:
    """A page about one project, from before an event of its log and before an entry of the trail."""
    size = limit if actor is None else SCANNED
    trail = store.audited(project, size, before.entry)
    try:
        log = store.open(project)
    except (NoSuchProject, ValueError):
        return _merged(project, iter(()), trail, actor, limit, before, len(trail) == size)
    try:
        events = islice(log.newest(before.event, min(size, AT_ONCE)), SCANNED)
        return _merged(project, events, trail, actor, limit, before, len(trail) == size)
    finally:
        log.close()


def _merged(
    project: str,
    events: Iterator[StoredEvent],
    entries: Sequence[AuditEntry],
    actor: str | None,
    limit: int,
    place: Place,
    more: bool,
) -> Page:
    """Take what is later, event or entry, until there are enough or both end; `more` entries may follow."""
    found: list[AuditEntry] = []
    trail = iter(entries)
    event, entry = next(events, None), next(trail, None)
    while len(found) < limit and (event is not None or entry is not None):
        if event is not None and (entry is None or event.at >= entry.at):
            told, place = _entry(event, project), place._replace(event=event.number)
            event = next(events, None)
        elif entry is not None:
            told, place = entry, place._replace(entry=entry.number)
            entry = next(trail, None)
        if told is not None and (actor is None or told.actor == actor):
            found.append(told)
    goes_on = more or event is not None or entry is not None or FIRST < place.event < LAST
    return Page(found, f"{place.event}.{place.entry}" if goes_on else None)


def _entry(event: StoredEvent, project: str) -> AuditEntry | None:
    if event.kind not in SAID:
        return None
    body: Any = {} if event.kind == "created" else msgspec.json.decode(event.body)
    return AuditEntry(event.at, event.actor, SAID[event.kind], project, _detail(event.kind, body))


def _detail(kind: str, body: dict[str, Any]) -> str:
    if kind in ("label", "teach", "correct"):
        label = body.get("label")
        return f"{body['node']}: {'taken back' if label is None else label}"
    if kind == "revise":
        pairs = zip(body["nodes"], body["labels"], strict=True)
        return ", ".join(f"{node}: {'taken back' if label is None else label}" for node, label in pairs)
    if kind == "classes":
        return ", ".join(map(str, body["labels"]))
    if kind == "skip":
        return str(body["node"])
    if kind == "grown":
        return f"{len(body.get('nodes', []))} nodes, {len(body.get('edges', []))} edges"
    return ", ".join(f"{name} {value}" for name, value in body.items())


def _shown(entry: AuditEntry) -> Audited:
    at = datetime.fromtimestamp(entry.at, UTC).isoformat()
    return Audited(at=at, actor=entry.actor, action=entry.action, project=entry.project, detail=entry.detail)
