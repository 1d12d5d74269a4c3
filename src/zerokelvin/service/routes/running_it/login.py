"""For a browser: an API key once, a cookie from then on; who one is; and the end of it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import msgspec

from zerokelvin.client.messages import ChosenProject, LogIn, Visitor
from zerokelvin.service.cookies import cookie_header
from zerokelvin.service.records.refusals import ConflictError
from zerokelvin.service.store import AuditEntry, StoredKey
from zerokelvin.service.web.access import Visit
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.roles import OPEN
from zerokelvin.service.web.route_table import Call, RawAnswer, route


@route("POST", "/label/login", OPEN, takes=LogIn, gives=Visitor)
async def log_in(call: Call) -> RawAnswer:
    """Take an API key and give a cookie, with which all routes can be used as with the key."""
    access = call.parts.access
    if access.open:
        raise ConflictError("this service has no keys, and serves this machine without any; go on.")
    known = access.key(call.body.key.encode())
    if known is None:
        raise ProblemError(401, "this is no key in force; ask whoever runs the service for one.")
    text = access.cookies.issue(known.key, known.digest)
    cookie = access.cookies.read(text)
    assert cookie is not None  # noqa: S101 - for the type checker: it was made here
    await aside(call.hall.store.audit, AuditEntry(time.time(), known.key, "log in", "", ""))
    shown = _visitor(known, Visit(cookie, known, access.cookies.token(cookie, known.digest)))
    header = cookie_header(text, int(access.cookies.lifetime), call.secure)
    return RawAnswer(msgspec.json.encode(shown), headers=(header,))


@route("POST", "/label/logout", "read", takes=ChosenProject, gives=Visitor)
async def log_out(call: Call) -> RawAnswer:
    """Take the cookie back."""
    found = call.parts.access.visit(call.headers)
    if found is not None:
        call.parts.access.cookies.end(found.cookie)
        await call.audit("log out", "")
    shown = Visitor(name="", role="read", projects=[])
    return RawAnswer(msgspec.json.encode(shown), headers=(cookie_header("", 0, call.secure),))


@route("GET", "/v1/me", "read", gives=Visitor)
async def who_am_i(call: Call) -> Visitor:
    """Say who sends this request, by key or cookie; with a cookie, the token that writing needs."""
    access, actor = call.parts.access, call.actor
    found = None if b"authorization" in call.headers else access.visit(call.headers)
    if found is not None and not access.open:
        return _visitor(found.key, found)
    projects = list(actor.projects)
    return Visitor(name=actor.name, role=actor.role, projects=projects, keys=not access.open)


def _visitor(known: StoredKey, visit: Visit) -> Visitor:
    until = datetime.fromtimestamp(visit.cookie.until, UTC).isoformat()
    role, projects = known.role, list(known.projects)
    return Visitor(name=known.key, role=role, projects=projects, csrf=visit.token, until=until)
