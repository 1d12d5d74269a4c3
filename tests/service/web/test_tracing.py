"""Spans by the real SDK of OpenTelemetry: of requests, appends and learning; and none unless wanted."""

import http.server
import os
import subprocess
import sys
import threading
import time

import httpx
import pytest

from serving import app_client, label, make_project

pytest.importorskip("opentelemetry.sdk")


@pytest.fixture
def traced():
    """A tracer, and what keeps its spans in memory."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    yield provider.get_tracer("test"), kept
    provider.shutdown()


def named(kept, name, count=1):
    """The spans of a name, once there are so many."""
    deadline = time.monotonic() + 10
    while True:
        found = [span for span in kept.get_finished_spans() if span.name == name]
        if len(found) >= count or time.monotonic() > deadline:
            return found
        time.sleep(0.01)


def test_a_label_is_a_request_an_append_and_something_learnt(tmp_path, traced):
    tracer, kept = traced
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with app_client(tmp_path, tracer=tracer) as client:
        path = make_project(client)
        kept.clear()
        body = {"labels": [{"node": "a", "label": "fraud", "source": "very secret"}]}
        client.post(f"{path}/labels", json=body, headers={"traceparent": f"00-{trace}-{parent}-01"})
        (request,), (append,), (learn,) = (
            named(kept, name) for name in ("/v1/projects/{name}/labels", "append", "learn")
        )
        assert f"{request.context.trace_id:032x}" == trace
        assert f"{request.parent.span_id:016x}" == parent
        assert dict(request.attributes) == {
            "http.request.method": "POST",
            "http.route": "/v1/projects/{name}/labels",
            "http.response.status_code": 200,
            "zerokelvin.key": "local",
            "zerokelvin.project": "p",
        }
        assert [link.context.span_id for link in append.links] == [request.context.span_id]
        counts = {"zerokelvin.project": "p", "zerokelvin.events": 1}
        assert dict(append.attributes) == counts | {"zerokelvin.requests": 1}
        assert dict(learn.attributes) == counts | {"zerokelvin.waiting": 1}
        assert request.start_time <= append.start_time <= append.end_time <= learn.end_time
        assert client.get("/v1/projects/nobody/state").status_code == 404
        failed = named(kept, "/v1/projects/{name}/state")[-1]
        assert failed.attributes["http.response.status_code"] == 404
        assert "fraud" not in "".join(span.to_json() for span in kept.get_finished_spans())


def test_requests_that_are_written_together_are_linked_from_one_append(tmp_path, traced):
    tracer, kept = traced
    with app_client(tmp_path, tracer=tracer) as client:
        path = make_project(client)
        kept.clear()
        one = ("POST", f"{path}/labels", {"json": {"labels": [{"node": "a", "label": "ok"}]}})
        assert {answer.status_code for answer in client.together(*[one] * 12)} == {200}
        requests = {span.context.span_id for span in named(kept, "/v1/projects/{name}/labels", 12)}
        links = [link.context.span_id for span in named(kept, "append") for link in span.links]
        assert sorted(links) == sorted(requests)


def test_without_a_tracer_there_is_no_span(tmp_path, traced):
    _, kept = traced
    with app_client(tmp_path) as client:
        label(client, make_project(client), "a", "ok")
    assert kept.get_finished_spans() == ()


def test_serve_sends_spans_to_a_collector(tmp_path):
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    got = []

    class Collector(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            got.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    environment = os.environ | {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    command = [sys.executable, "-m", "zerokelvin", "serve", "--data", str(tmp_path), "--port", "0", "--trace"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            url = process.stdout.readline().split()[-1]
            assert httpx.get(f"{url}/v1/projects").status_code == 200
            deadline = time.monotonic() + 20
            while not got and time.monotonic() < deadline:
                time.sleep(0.05)
        finally:
            process.terminate()
            process.wait(20)
    server.shutdown()
    server.server_close()
    assert got, "no spans came"
    assert {path for path, _ in got} == {"/v1/traces"}
    assert b"/v1/projects" in b"".join(body for _, body in got)
