"""What a service is started with; every limit it keeps has its number here."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from zerokelvin.errors import ParameterError

__all__ = ["ServiceSettings", "is_loopback"]


SECRET = 32
"""Characters of a secret at least."""


@dataclass(frozen=True)
class ServiceSettings:
    """How a service works.

    Attributes
    ----------
    data
        A folder, or a ``postgresql://`` address.
    host, port
        Where it listens; port 0 takes a free one. Any host but loopback needs keys.
    graphs
        The folder that ``{"path": …}`` may name graphs below. Without keys any file may be named.
    most_body, most_log, most_nodes, most_name
        Bytes of a request, and of a log that is imported; nodes in one request, characters of a node's name.
    most_graph
        Nodes of a graph, and a tenth of its edges.
    most_projects, most_awake
        Projects in all, and in memory at a time; the others are asleep and woken when used.
    most_queue, most_unlearnt
        Requests that may wait to be written to one project, and events that may wait to be learnt.
    most_streams
        Connections that may listen to a project's events at a time.
    rate
        Requests per second and key; None for any number. Twice as many may come at once.
    patience
        Seconds that a reading request waits until all that was acknowledged before it is learnt.
    most_time
        Seconds that any request may take.
    lease
        Seconds that a question handed out by ``next`` is kept for whoever took it.
    snapshot_every
        Events between two snapshots.
    remember
        Seconds that answers to requests with an Idempotency-Key are kept.
    log_requests
        Whether every request is a line on standard error.
    error_log
        A file for what failed, kept short; None for none.
    first_project
        The project whose page ``/`` shows; without one, the list of projects.
    cookie_secret, cookie_lifetime
        What the page's cookies are signed with, and the seconds they are good for. Without a secret they end
        with the process; several instances behind one address need the same one.
    tracer
        An OpenTelemetry tracer for spans of requests, appends and learning; None for none.
    """

    data: str | Path
    host: str = "127.0.0.1"
    port: int = 0
    graphs: Path | None = None
    most_body: int = 64 << 20
    most_log: int = 512 << 20
    most_nodes: int = 100_000
    most_name: int = 512
    most_graph: int = 2_000_000
    most_projects: int = 10_000
    most_awake: int = 32
    most_queue: int = 1024
    most_unlearnt: int = 16_384
    most_streams: int = 64
    rate: float | None = None
    patience: float = 2.0
    most_time: float = 30.0
    lease: float = 300.0
    snapshot_every: int = 2000
    remember: float = 7 * 24 * 3600.0
    log_requests: bool = True
    error_log: Path | None = None
    first_project: str = ""
    cookie_secret: str | None = field(default=None, repr=False)
    cookie_lifetime: float = 12 * 3600.0
    tracer: Any = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ParameterError(f"port {self.port} is none; give one from 1 to 65535, or 0 for a free one.")
        for name in (
            "most_body",
            "most_log",
            "most_nodes",
            "most_awake",
            "most_queue",
            "most_unlearnt",
            "snapshot_every",
        ):
            if getattr(self, name) < 1:
                raise ParameterError(f"{name}={getattr(self, name)!r} is no number of at least 1.")
        for name in ("patience", "most_time", "lease", "cookie_lifetime"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"{name}={getattr(self, name)!r} is no time in seconds above 0.")
        if self.cookie_secret is not None and len(self.cookie_secret) < SECRET:
            raise ParameterError(
                f"cookie_secret has {len(self.cookie_secret)} characters; give at least {SECRET} random ones."
            )
        if self.rate is not None and not self.rate > 0:
            raise ParameterError(f"rate={self.rate!r} is no number of requests per second above 0.")


@lru_cache(256)
def is_loopback(host: str) -> bool:
    """Whether a host is this machine alone.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
