"""The tracer of ``zerokelvin serve --trace``: OpenTelemetry's SDK, sending to a collector by OTLP over HTTP.

Where to, and under which name, is said by OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT
and OTEL_SERVICE_NAME.
"""

from __future__ import annotations

from typing import Any

from zerokelvin import __version__
from zerokelvin.errors import MissingDependencyError

__all__ = ["otlp_tracer"]


def otlp_tracer() -> Any:
    """A tracer whose spans are sent in the background, and all of them before the process ends."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as problem:
        raise MissingDependencyError(
            f"'{problem.name}' is not installed; get it with pip install 'zerokelvin[telemetry]'."
        ) from None
    provider = TracerProvider(resource=Resource.create({"service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("zerokelvin", __version__)
