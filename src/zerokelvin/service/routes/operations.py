"""For those who run the service: is it alive, is it ready, its figures, the document of its API."""

from __future__ import annotations

import msgspec

from zerokelvin import __version__
from zerokelvin.service.projects.practice_run import practising
from zerokelvin.service.web.docs_page import STYLE, docs_page
from zerokelvin.service.web.problems import ProblemError
from zerokelvin.service.web.roles import OPEN
from zerokelvin.service.web.route_table import Call, RawAnswer, all_routes, route


class Alive(msgspec.Struct):
    """The service answers."""

    status: str
    version: str


@route("GET", "/health", OPEN, gives=Alive)
async def health(_: Call) -> Alive:
    """Say that the service is alive."""
    return Alive("ok", __version__)


class ReadyNow(Alive):
    """Requests are taken; ``compiling`` where a first project is being prepared, which may take 20 s."""

    compiling: bool


@route("GET", "/ready", OPEN, gives=ReadyNow)
async def ready(call: Call) -> ReadyNow:
    """Say that the store can be read and that requests are taken; and whether a first project compiles."""
    if call.hall.closing:
        raise ProblemError.later(503, "the service is stopping.", 5)
    await call.hall.names()
    return ReadyNow("ready", __version__, practising())


@route("GET", "/metrics", "read", kind="text/plain")
async def metrics(call: Call) -> RawAnswer:
    """Give figures for Prometheus."""
    return RawAnswer(call.parts.metrics.text(), "text/plain; version=0.0.4; charset=utf-8")


@route("GET", "/openapi.json", OPEN)
async def openapi(call: Call) -> RawAnswer:
    """Give the document of this API."""
    return RawAnswer(call.parts.document)


@route("GET", "/docs", OPEN, kind="text/html")
async def docs(_: Call) -> RawAnswer:
    """Give the page that lists all routes."""
    return RawAnswer(docs_page(all_routes()), "text/html; charset=utf-8")


@route("GET", "/docs/style.css", OPEN, kind="text/css")
async def docs_style(_: Call) -> RawAnswer:
    """Give the style of that page."""
    return RawAnswer(STYLE, "text/css; charset=utf-8")
