"""From a request to an answer: who, how often, how large, how long; the handler; headers and a line.

One object per route, called by Starlette's router as an application of its own, so that nothing is done for a
request that it does not need.

Above 300 lines: one request from its head to its answer, in the order in which it is checked.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from zerokelvin.errors import ParameterError
from zerokelvin.service.projects.reading_as import READER, Reader
from zerokelvin.service.projects.tracing import Tracing
from zerokelvin.service.records.refusals import BusyError, RefusedError
from zerokelvin.service.request_head import WHOLE
from zerokelvin.service.service_settings import ServiceSettings
from zerokelvin.service.web.access import Access
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.problems import KIND, FieldProblem, ProblemError, problem_of, unreadable
from zerokelvin.service.web.rate_limit import RateLimit
from zerokelvin.service.web.request_log import RequestLog
from zerokelvin.service.web.roles import OPEN, Actor
from zerokelvin.service.web.route_table import (
    AppParts,
    Call,
    RawAnswer,
    RouteInfo,
    Streamed,
)

__all__ = ["HEADERS", "Endpoint", "Gate"]

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
"""No code and no style inside a page, nothing from elsewhere, no frame around it."""

HEADERS: tuple[Header, ...] = (
    (b"content-security-policy", POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)
"""With every answer."""

JSON: Header = (b"content-type", b"application/json")
SMALL = 1 << 17
"""Bytes up to which a body is read in the event loop: a millisecond or less."""

EVENTS = b"zerokelvin-events"
MOST_DIGITS = 15
MOST_KEY = 200
"""Characters of an idempotency key."""

_prefix = secrets.token_hex(4)
_numbers = itertools.count(1)
_encode = msgspec.json.Encoder().encode


class Gate(NamedTuple):
    """What every request passes: who may come, how often, within which limits, and who writes it down."""

    access: Access
    rate: RateLimit | None
    settings: ServiceSettings
    log: RequestLog


class Answered(NamedTuple):
    """What goes back: a status, headers beside those that every answer has, and the body."""

    status: int
    headers: tuple[Header, ...]
    body: bytes


class Endpoint:
    """The ASGI application of one route: who, how often, how large, then its handler."""

    def __init__(self, info: RouteInfo, parts: AppParts, gate: Gate) -> None:
        self.info, self._parts, self._gate = info, parts, gate
        self._decoder = None if info.takes is None else msgspec.json.Decoder(info.takes)
        self._asked = frozenset(one.name for one in info.query)
        self._seconds = info.seconds or gate.settings.most_time
        self._has_body = info.method == "POST"
        self._tracing = Tracing(gate.settings.tracer)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens: what fails becomes a problem document."""
        if not self._tracing.on:
            await self._answer(scope, receive, send)
            return
        headers = dict(scope["headers"])
        with self._tracing.request(self.info.path, self.info.method, headers) as span:
            status, actor = await self._answer(scope, receive, send)
            span.set_attribute("http.response.status_code", status)
            span.set_attribute("zerokelvin.key", actor)
            span.set_attribute("zerokelvin.project", scope["path_params"].get("name", ""))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> tuple[int, str]:
        """Answer a request; the status, and the name of the key that sent it."""
        began, number, actor = time.perf_counter(), f"{_prefix}-{next(_numbers)}", None
        headers: dict[bytes, bytes] = dict(scope["headers"])
        try:
            async with asyncio.timeout(self._seconds):
                actor = self._admit(scope, headers)
                READER.set(Reader(actor.name, _events(headers)))
                call = await self._call(scope, headers, receive, actor)
                found = await self.info.handler(call)
            if isinstance(found, Streamed):  # outside the time that a request has
                await self._stream(found, number, receive, send)
                answered = Answered(200, (), b"")
            else:
                answered = self._answered(found)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is an answer
            if isinstance(error, TimeoutError):
                error = self._too_long(scope)
            answered = _failed(error, number, self._gate.log)
            found = None
        if not isinstance(found, Streamed):
            await _send(scope, send, answered, number)
        seconds = time.perf_counter() - began
        self._parts.metrics.count(self.info.name, answered.status, seconds)
        if self._gate.log.on:
            self._gate.log.note(
                "request",
                id=number,
                route=self.info.name,
                method=self.info.method,
                project=scope["path_params"].get("name", ""),
                status=answered.status,
                ms=round(seconds * 1e3, 3),
                key=actor.name if actor is not None else "",
            )
        return answered.status, actor.name if actor is not None else ""

    def _too_long(self, scope: Scope) -> Exception:
        """What a request that ran out of time is told: that its project wakes, or to ask for less."""
        name = scope["path_params"].get("name", "")
        if not self._parts.hall.is_waking(name):
            return TimeoutError()
        return BusyError(
            f"project '{name[:120]}' is being woken: its log is replayed; ask again soon.",
            5,
        )

    def _admit(self, scope: Scope, headers: dict[bytes, bytes]) -> Actor:
        """Who sent the request, if the route and the project are theirs and they do not come too often."""
        gate, info = self._gate, self.info
        if info.role == OPEN and not gate.access.open:
            actor = Actor("", "read")
        else:
            actor = gate.access.actor(headers, info.method)
        if info.role == OPEN and info.method == "GET":
            return actor
        if gate.rate is not None:
            who = actor.name if not gate.access.open and actor.name else _address(scope)
            wait = gate.rate.wait(who, time.monotonic())
            if wait > 0:
                raise ProblemError.later(
                    429, f"more than {gate.rate.rate:g} requests per second; wait.", wait
                )
        if not actor.may(info.role):
            raise ProblemError(
                403, f"key '{actor.name}' has the role '{actor.role}', and this needs '{info.role}'."
            )
        name = scope["path_params"].get("name")
        if name is not None and not actor.sees(name):
            raise ProblemError(403, f"key '{actor.name}' is not for project '{name[:100]}'.")
        return actor

    async def _call(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive, actor: Actor) -> Call:
        info, raw, body, key, fingerprint = self.info, b"", None, None, b""
        if self._has_body:
            kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
            if kind != b"application/json" and not (info.plain and kind == b"application/x-ndjson"):
                wanted = "application/x-ndjson" if info.plain else "application/json"
                raise ProblemError(415, f"content type {kind.decode('latin-1')[:60]!r}; send {wanted}.")
            settings = self._gate.settings
            raw = await _read(receive, headers, settings.most_log if info.plain else settings.most_body)
            if self._decoder is not None:
                body = self._decoded(raw) if len(raw) <= SMALL else await aside(self._decoded, raw)
            given = headers.get(b"idempotency-key")
            if given is not None:
                key, fingerprint = self._idempotency(given, scope, raw, actor)
        query = self._query(scope["query_string"])
        secure = scope.get("scheme") == "https"
        return Call(
            self._parts, actor, body, scope["path_params"], query, key, fingerprint, raw, headers, secure
        )

    def _decoded(self, raw: bytes) -> Any:
        assert self._decoder is not None  # noqa: S101 - for the type checker
        try:
            return self._decoder.decode(raw or b"{}")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise unreadable(error, raw or b"{}") from None
        except RecursionError:
            raise ProblemError(400, "the body is nested too deep.") from None

    def _idempotency(self, given: bytes, scope: Scope, raw: bytes, actor: Actor) -> tuple[str, bytes]:
        text = given.decode("latin-1").strip().strip('"')
        if not 0 < len(text) <= MOST_KEY or not text.isprintable():
            raise ProblemError(
                422,
                f"Idempotency-Key: {text[:40]!r} is empty, longer than {MOST_KEY} characters or unprintable.",
                [FieldProblem("Idempotency-Key", text[:40], "give up to 200 printable characters")],
            )
        said = b"\0".join((scope["method"].encode(), scope["path"].encode(), raw))
        return f"{actor.name}:{text}", hashlib.blake2b(said, digest_size=32).digest()

    def _query(self, text: bytes) -> dict[str, str]:
        if not text:
            return {}
        found: dict[str, str] = {}
        for name, value in parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=200):
            found[name] = value if name not in found else f"{found[name]}\0{value}"  # `query_values.several`
        for name in found:
            if name not in self._asked:
                known = ", ".join(sorted(self._asked)) or "none"
                raise ProblemError(
                    422,
                    f"{name[:60]}: is no parameter here; known: {known}.",
                    [FieldProblem(name[:60], found[name][:60], f"leave it out; known: {known}")],
                )
        return found

    def _answered(self, found: Any) -> Answered:
        if isinstance(found, RawAnswer):
            return Answered(
                found.status, ((b"content-type", found.kind.encode()), *found.headers), found.data
            )
        if isinstance(found, bytes):
            return Answered(self.info.status, (JSON,), found)
        return Answered(self.info.status, (JSON,), _encode(found))

    async def _stream(self, found: Streamed, number: str, receive: Receive, send: Send) -> None:
        """Send piece by piece, as fast as they are taken, until the end or until nobody listens.

        What is wrong before the first piece is an answer. What is wrong later is written down, and the
        connection is closed in the middle, so that nobody takes a part for the whole.
        """
        headers = [(b"content-type", found.kind.encode()), (b"x-request-id", number.encode())]
        start = {
            "type": "http.response.start",
            "status": 200,
            "headers": [*headers, *found.headers, *HEADERS],
        }
        gone = asyncio.ensure_future(_disconnected(receive))
        try:
            first = await anext(found.parts, b"")
            await send(start)
            await send({"type": "http.response.body", "body": first, "more_body": True})
            await self._send_rest(found, number, gone, send)
        finally:
            gone.cancel()
            await found.parts.aclose()

    async def _send_rest(self, found: Streamed, number: str, gone: asyncio.Future[None], send: Send) -> None:
        try:
            async for part in found.parts:
                if gone.done():
                    return
                await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        except Exception as error:  # noqa: BLE001 - whatever it is, it cannot be an answer any more
            self._gate.log.failure(error, id=number, route=self.info.name)


def _events(headers: dict[bytes, bytes]) -> int | None:
    """From how many events at least the answer is to be made, if the request says so."""
    text = headers.get(EVENTS)
    if text is None:
        return None
    if not text.isdigit() or len(text) > MOST_DIGITS:
        raise RefusedError("Zerokelvin-Events", text.decode("latin-1")[:40], "is no number of events")
    return int(text)


def _address(scope: Scope) -> str:
    """The address a request comes from, as text; "" where there is none."""
    return str((scope.get("client") or ("",))[0])


def _failed(error: Exception, number: str, log: RequestLog | None) -> Answered:
    found = problem_of(error)
    if found is None:
        if log is not None:
            log.failure(error, id=number)
        where = "its log has the details" if log is None or log.file is None else f"'{log.file}' says where"
        found = ProblemError(500, f"the service failed on this request; {where}.")
    problem = msgspec.structs.replace(found.problem, instance=number)
    return Answered(problem.status, ((b"content-type", KIND.encode()), *found.headers), _encode(problem))


async def _send(scope: Scope, send: Send, answered: Answered, number: str) -> None:
    """Send an answer, in one piece where the server can."""
    length = str(len(answered.body)).encode()
    whole = scope.get("extensions", {}).get(WHOLE)
    if whole is not None:
        lines = b"content-length: %b\r\nx-request-id: %b\r\n" % (length, number.encode())
        if whole["send"](answered.status, lines + _lines(answered.headers), answered.body):
            return
    own = ((b"content-length", length), (b"x-request-id", number.encode()))
    await send(
        {
            "type": "http.response.start",
            "status": answered.status,
            "headers": [*own, *_all_headers(answered.headers)],
        }
    )
    await send({"type": "http.response.body", "body": answered.body})


def _all_headers(own: tuple[Header, ...]) -> tuple[Header, ...]:
    """The headers of an answer, and of those that every answer has the ones it does not set itself."""
    given = {name for name, _ in own}
    return (*own, *(header for header in HEADERS if header[0] not in given))


@lru_cache(64)
def _lines(own: tuple[Header, ...]) -> bytes:
    """The same as lines of a head; none can begin another line."""
    for name, value in own:
        if b"\r" in name + value or b"\n" in name + value:
            raise ParameterError(f"header {name!r} holds the end of a line.")
    return b"".join(b"%b: %b\r\n" % header for header in _all_headers(own))


async def _disconnected(receive: Receive) -> None:
    """Wait until the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _read(receive: Receive, headers: dict[bytes, bytes], most: int) -> bytes:
    """The body of a request, refused as soon as it is too long."""
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length) > most:
        raise _too_long(most)
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ProblemError(400, "the connection was closed before the body was complete.")
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise _too_long(most)
        parts.append(part)
        if not message.get("more_body", False):
            return parts[0] if len(parts) == 1 else b"".join(parts)


def _too_long(most: int) -> ProblemError:
    return ProblemError(413, f"the body is longer than {most:,} bytes; send less at a time.")
