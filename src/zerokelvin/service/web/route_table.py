"""What the service answers to: every route with its role, its request and its answer, in one table.

The table is what the app is made of, what OpenAPI says, what the client knows, and what the test of roles
goes through.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from zerokelvin.errors import ParameterError
from zerokelvin.service.store import AuditEntry
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.roles import OPEN, ROLES, Actor

if TYPE_CHECKING:
    from zerokelvin.service.projects.hall import Hall
    from zerokelvin.service.web.access import Access
    from zerokelvin.service.web.service_metrics import ServiceMetrics

__all__ = ["AppParts", "Call", "RawAnswer", "RouteInfo", "Streamed", "all_routes", "route"]


class AppParts(NamedTuple):
    """What all routes can use: the projects, the figures, the document of the API, the keys."""

    hall: Hall
    metrics: ServiceMetrics
    document: bytes
    access: Access


@dataclass(eq=False)
class Call:
    """One request: who sent it, its body, what its address says."""

    parts: AppParts
    actor: Actor
    body: Any
    path: Mapping[str, str]
    query: Mapping[str, str]
    key: str | None = None
    """The idempotency key, with the name of who sent it before it."""
    fingerprint: bytes = b""
    raw: bytes = b""
    headers: Mapping[bytes, bytes] = field(default_factory=dict)
    secure: bool = False
    """Whether it came by TLS, also where a proxy on this machine took that off."""

    @property
    def hall(self) -> Hall:
        """The hall with the projects of the service."""
        return self.parts.hall

    @property
    def name(self) -> str:
        """The project named in the address."""
        return self.path["name"]

    async def audit(self, action: str, project: str, detail: str = "") -> None:
        """Write down who did what, durably."""
        await aside(self.hall.store.audit, self.entry(action, project, detail))

    def entry(self, action: str, project: str, detail: str = "") -> AuditEntry:
        """An entry of the audit trail that says who did what."""
        return AuditEntry(time.time(), self.actor.name, action, project, detail)


@dataclass(frozen=True)
class RawAnswer:
    """An answer that is bytes already."""

    data: bytes
    kind: str = "application/json"
    status: int = 200
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True)
class Streamed:
    """An answer that comes piece by piece."""

    parts: Any
    """An asynchronous iterator of bytes."""
    kind: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


Handler = Callable[[Call], Awaitable[Any]]


class Asked(NamedTuple):
    """A parameter of an address: its name, its JSON schema, what it is."""

    name: str
    schema: dict[str, Any]
    text: str


@dataclass(frozen=True)
class RouteInfo:
    """A route: its method, its path, who may use it, what it takes and gives, and what handles it.

    `writes` says that it takes an Idempotency-Key; `seconds` is how long it may take, if longer.
    """

    method: str
    path: str
    role: str
    takes: Any
    gives: Any
    handler: Handler
    text: str
    status: int = 200
    writes: bool = False
    seconds: float | None = None
    query: tuple[Asked, ...] = ()
    kind: str = "application/json"
    kinds: tuple[str, ...] = ()
    """What else an answer may be, where that depends on the request."""
    links: tuple[str, ...] = field(default=())
    plain: bool = False
    """Whether the body is no JSON."""

    @property
    def name(self) -> str:
        """The name of the operation in the OpenAPI document."""
        return self.handler.__name__


_table: list[RouteInfo] = []


def route(
    method: str, path: str, role: str, *, takes: Any = None, gives: Any = None, **more: Any
) -> Callable[[Handler], Handler]:
    """Register a handler; the first line of its docstring is what OpenAPI says of it.

    `query` may be given as a mapping from names to pairs of JSON schema and text.
    """
    if role not in (OPEN, *ROLES):
        raise ParameterError(f"role {role!r} is none of {(OPEN, *ROLES)}.")
    asked = tuple(Asked(name, schema, text) for name, (schema, text) in more.pop("query", {}).items())

    def register(handler: Handler) -> Handler:
        text = (handler.__doc__ or "").strip().partition("\n")[0]
        _table.append(RouteInfo(method, path, role, takes, gives, handler, text, query=asked, **more))
        return handler

    return register


def all_routes() -> list[RouteInfo]:
    """Every route there is, those of longer fixed paths first."""
    room = importlib.import_module("zerokelvin.service.routes")
    for module in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
        importlib.import_module(module.name)
    return sorted(_table, key=lambda one: (one.path.count("{"), one.path, one.method))
