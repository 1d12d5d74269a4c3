"""Spans for OpenTelemetry, where a tracer is given: each request, each group written, each group learnt.

A request that writes waits for a group that is written by another thread together with other requests, so the
span "append" has links to the spans of all of them instead of one parent, and "learn", which comes later, is
one by itself. Spans carry counts and the names of routes, projects and keys; never nodes, labels or secrets.

OpenTelemetry is imported here alone, and only once a tracer is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

__all__ = ["Tracing"]


class Tracing:
    """Makes spans with a tracer; without one does nothing.

    >>> quiet = Tracing(None)
    >>> with quiet.work("learn", events=3) as span:
    ...     print(span)
    None
    """

    def __init__(self, tracer: Any = None) -> None:
        self._tracer = tracer
        self.on = tracer is not None

    @contextmanager
    def request(self, route: str, method: str, headers: Mapping[bytes, bytes]) -> Iterator[Any]:
        """The span of a request, below that of whoever sent it (``traceparent``); None without a tracer."""
        if not self.on:
            yield None
            return
        from opentelemetry.propagate import extract
        from opentelemetry.trace import SpanKind

        carrier = {
            name: headers[name.encode()].decode("latin-1")
            for name in ("traceparent", "tracestate")
            if name.encode() in headers
        }
        with self._tracer.start_as_current_span(
            route,
            context=extract(carrier),
            kind=SpanKind.SERVER,
            attributes={"http.request.method": method, "http.route": route},
        ) as span:
            yield span

    @contextmanager
    def work(self, name: str, links: Iterable[Any] = (), **figures: str | int | bool) -> Iterator[Any]:
        """The span of something done for several requests, whose places (`here`) it links to."""
        if not self.on:
            yield None
            return
        from opentelemetry.trace import Link

        attributes = {f"zerokelvin.{key}": value for key, value in figures.items()}
        there = [Link(place) for place in links if place is not None]
        with self._tracer.start_as_current_span(name, links=there, attributes=attributes) as span:
            yield span

    def here(self) -> Any:
        """Where the present span is, to be linked to; None without a tracer."""
        if not self.on:
            return None
        from opentelemetry.trace import get_current_span

        return get_current_span().get_span_context()
