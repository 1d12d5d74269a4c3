"""Who did what and when: labels, corrections and skips from the logs, exports and keys from the audit trail.

Both are told in one form, newest first. What was done to a project's labels is in its log, whose every event
names who sent it, under the chain of hashes; nothing of it is written twice. Making and archiving projects,
exports, imports, logins and keys, which are no events of a session, are in the trail of the store.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import msgspec

from zerokelvin.client.messages import Audited, AuditShown
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.store import AuditEntry, NoSuchProject, Store
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.query_values import number, whole
from zerokelvin.service.web.route_table import Call, route

MOST = 10_000
TEXT = {"type": "string", "minLength": 1, "maxLength": 200}

SAID = {
    "created": "created",
    "label": "labelled",
    "teach": "taught",
    "correct": "corrected",
    "skip": "skipped",
    "grown": "grew the graph",
    "budget": "set budgets",
    "check": "drew a random check",
}
"""What an event of a kind is called; archiving is in the trail of the store."""


@route(
    "GET",
    "/v1/audit",
    "admin",
    gives=AuditShown,
    query={
        "project": (TEXT, "The project; all if left out."),
        "actor": (TEXT, "The key that did it; all if left out."),
        "limit": (whole(MOST, 1), "How many entries at most, the newest."),
    },
    seconds=120.0,
)
async def audit_trail(call: Call) -> AuditShown:
    """List who labelled, corrected, skipped, exported, imported, made keys, and when; newest first."""
    limit, actor = number(call.query, "limit", 100, MOST, 1), call.query.get("actor")
    project = call.query.get("project")
    if project is not None and not call.actor.sees(project):
        raise RefusedError("project", project, f"is none that key '{call.actor.name}' is for")
    found = await aside(audit_entries, call.hall.store, project, actor, limit)
    return AuditShown(entries=[_shown(one) for one in found if _visible(call, one)])


def _visible(call: Call, entry: AuditEntry) -> bool:
    return call.actor.sees(entry.project) if entry.project else not call.actor.projects


def audit_entries(store: Store, project: str | None, actor: str | None, limit: int) -> list[AuditEntry]:
    """The newest entries, newest first, of a project and a key or of all."""
    names = [*store.names(), *store.names(archived=True)] if project is None else [project]
    trail = (one for one in store.audited(project, MOST) if actor is None or one.actor == actor)
    parts = [trail, *(_of_log(store, name, actor, limit) for name in names)]
    return heapq.nlargest(limit, (entry for part in parts for entry in part), key=lambda one: one.at)


def _of_log(store: Store, name: str, actor: str | None, limit: int) -> Iterator[AuditEntry]:
    """The last events of a project's log, as entries."""
    try:
        log = store.open(name)
    except (NoSuchProject, ValueError):
        return
    try:
        chosen = (e for e in log.read(0) if e.kind in SAID and (actor is None or e.actor == actor))
        for event in deque(chosen, maxlen=limit):
            body: Any = {} if event.kind == "created" else msgspec.json.decode(event.body)
            yield AuditEntry(event.at, event.actor, SAID[event.kind], name, _detail(event.kind, body))
    finally:
        log.close()


def _detail(kind: str, body: dict[str, Any]) -> str:
    if kind in ("label", "teach", "correct"):
        label = body.get("label")
        return f"{body['node']}: {'taken back' if label is None else label}"
    if kind == "skip":
        return str(body["node"])
    if kind == "grown":
        return f"{len(body.get('nodes', []))} nodes, {len(body.get('edges', []))} edges"
    return ", ".join(f"{name} {value}" for name, value in body.items())


def _shown(entry: AuditEntry) -> Audited:
    at = datetime.fromtimestamp(entry.at, UTC).isoformat()
    return Audited(at=at, actor=entry.actor, action=entry.action, project=entry.project, detail=entry.detail)
