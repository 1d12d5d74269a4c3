"""The app as a value: `create_app(settings)` opens the store and gives an ASGI application.

    uvicorn.run(create_app(ServiceSettings("data")))

The store is opened when the app is made, so that whatever is wrong with it is an error before anybody
listens. Projects are put to sleep, and the store is closed, when the server shuts down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from zerokelvin.errors import ParameterError
from zerokelvin.service.cookies import SignedCookies
from zerokelvin.service.projects.hall import Hall
from zerokelvin.service.service_settings import ServiceSettings, is_loopback
from zerokelvin.service.store import Store, open_store
from zerokelvin.service.web.access import Access
from zerokelvin.service.web.endpoint import HEADERS, Endpoint, Gate
from zerokelvin.service.web.openapi import openapi_document
from zerokelvin.service.web.problems import KIND, ProblemError
from zerokelvin.service.web.rate_limit import RateLimit
from zerokelvin.service.web.request_log import RequestLog
from zerokelvin.service.web.route_table import AppParts, all_routes
from zerokelvin.service.web.service_metrics import ServiceMetrics

__all__ = ["create_app"]

PROJECTS = "/v1/projects/"
VERB = f"{PROJECTS}{{name}}/"
"""What the paths of all that is done with a project begin with."""


class ServiceApp(Starlette):
    """An application that finds what is done with a project by one look, without going through all routes."""

    verbs: dict[tuple[str, str], Endpoint]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; those that name a project go to their endpoint at once."""
        path: str = scope.get("path", "")
        if path.startswith(PROJECTS):
            name, _, verb = path[len(PROJECTS) :].partition("/")
            endpoint = self.verbs.get((scope.get("method", ""), verb))
            if endpoint is not None and name:
                scope["app"], scope["path_params"] = self, {"name": name}
                await endpoint(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


def create_app(settings: ServiceSettings, store: Store | None = None) -> ServiceApp:
    """The application of a service; `store` is opened by the settings unless given."""
    kept = open_store(settings.data) if store is None else store
    try:
        secret = None if settings.cookie_secret is None else settings.cookie_secret.encode()
        access = Access(kept, SignedCookies(secret, settings.cookie_lifetime))
        _refuse_open_door(settings.host, access)
    except BaseException:
        kept.close()
        raise
    hall = Hall(kept, settings)
    hall.files_anywhere = access.open
    routes = all_routes()
    parts = AppParts(hall, ServiceMetrics(hall), openapi_document(routes, not access.open), access)
    rate = None if settings.rate is None else RateLimit(settings.rate)
    gate = Gate(access, rate, settings, RequestLog(settings.log_requests, settings.error_log))
    hall.on_failure = lambda name, problem: gate.log.failure(problem, project=name)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        gate.log.note("started", data=_without_secret(str(settings.data)), host=settings.host)
        yield
        await hall.close()
        kept.close()
        gate.log.note("stopped")
        gate.log.flush()

    endpoints = [Endpoint(info, parts, gate) for info in routes]
    app = ServiceApp(
        routes=[Route(one.info.path, one, methods=[one.info.method]) for one in endpoints],
        exception_handlers={HTTPException: _not_found},
        lifespan=lifespan,
    )
    app.verbs = {
        (one.info.method, one.info.path.removeprefix(VERB)): one
        for one in endpoints
        if one.info.path.startswith(VERB)
    }
    app.router.redirect_slashes = False
    app.state.hall, app.state.access = hall, access
    return app


def _refuse_open_door(host: str, access: Access) -> None:
    """Refuse to listen where others can come in as long as there is no key."""
    if access.open and not is_loopback(host):
        raise ParameterError(
            f"host '{host}' can be reached by others, and there is no key yet; make one with "
            "'zerokelvin serve --data DIR --add-key NAME --role admin', or serve on 127.0.0.1."
        )


async def _not_found(request: Request, error: Any) -> Response:
    """A problem for an address that is none, or a method it does not take."""
    import msgspec

    text = {404: "there is nothing at this address", 405: f"this address does not take {request.method}"}
    detail = f"{text.get(error.status_code, str(error.detail))}; see /docs for what there is."
    problem = ProblemError(error.status_code, detail).problem
    headers = {name.decode(): value.decode() for name, value in HEADERS}
    return Response(
        msgspec.json.encode(problem), error.status_code, {**headers, **(error.headers or {})}, KIND
    )


def _without_secret(address: str) -> str:
    """An address of a database without the password in it."""
    scheme, found, rest = address.partition("://")
    return f"{scheme}://…@{rest.rpartition('@')[2]}" if found and "@" in rest else address
