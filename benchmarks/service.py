"""The service: predictions, durable labels, batches, restart and memory, as ratios in one run.

    zerokelvin bench service [--rows predict labels ...] [--seconds 3] [--learner auto] [--store DIR or URL]

A real `zerokelvin serve` on loopback, and a process of its own that sends requests over connections that stay open.
"beside" is what the same run measured beside it:

    raw         requests/s of a plain uvicorn app that reads the body and answers with as many bytes
    fdatasync   the rate at which this disk appends 4 KB and syncs, before and after, one at a time

Rows (`--rows`, all by default):

    predict     single predictions, one request at a time and 8 at a time, and 8 against the raw app
    labels      durable labels by 1 client and by 32, and predictions by 2 clients meanwhile
    batch       predictions of `--batch` nodes per request
    restart     seconds until a service with `--events` events answers, after it was killed
    memory      bytes per event, per project that is awake and per project that is asleep

The graph has `--nodes` nodes in three communities, as many as PubMed. On two cores the service, the sender and
whatever else runs share them; figures are of this machine at this moment, ratios mean more.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
ROWS = ("predict", "labels", "batch", "restart", "memory")
CLASSES = ["a", "b", "c"]


class Line(NamedTuple):
    """What was measured, in which unit, beside what, and the goal for their ratio or for the figure itself."""

    row: str
    what: str
    value: float
    unit: str
    ratio: float | None
    beside: str
    goal: str


def community_edges(nodes: int, rng: np.random.Generator) -> list[list[str]]:
    """Edges of a graph with 2.25 times as many edges as nodes, eight of ten within one of three communities."""
    size = int(2.25 * nodes)
    one = rng.integers(nodes, size=size)
    other = rng.integers(nodes, size=size)
    inside = rng.random(size) < 0.8
    other = np.where(inside, (other // 3) * 3 + one % 3, other)
    keep = (one != other) & (other < nodes)
    chain = [[f"n{k}", f"n{k + 1}"] for k in range(nodes - 1)]
    return chain + [[f"n{u}", f"n{v}"] for u, v in zip(one[keep], other[keep], strict=True)]


class Server:
    """A process that serves, started and stopped."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            raise SystemExit(f"the service did not start: {line}")
        self.url = line.split()[-1]
        self.port = int(self.url.rpartition(":")[2])

    def call(self, path: str, body: Any = None) -> Any:
        """One request, with its answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - loopback
            self.url + path, data, {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310
            return json.loads(answer.read())

    def memory(self) -> int:
        """Bytes in memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it, and wait."""
        self.process.send_signal(number)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextlib.contextmanager
def serving(where: str, *options: str) -> Iterator[Server]:
    """A service, for the time of the block."""
    command = [
        sys.executable,
        "-m",
        "zerokelvin",
        "serve",
        "--data",
        where,
        "--port",
        "0",
        "--quiet",
        *options,
    ]
    server = Server(command)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


class Sender:
    """A load generator that runs; `result` waits for it."""

    def __init__(
        self, port: int, clients: int, seconds: float, requests: list[Any], once: bool = False
    ) -> None:
        spec = {"host": "127.0.0.1", "port": port, "clients": clients, "seconds": seconds, "once": once}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "_load_generator.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(spec | {"requests": requests}) + "\n")
        self.process.stdin.flush()

    def result(self) -> dict[str, Any]:
        """What it counted; requests that were refused are a fault of the benchmark."""
        output, _ = self.process.communicate()
        found = json.loads(output)
        if found["failed"]:
            print(f"{found['failed']} requests were refused, such as: {found['example']}", file=sys.stderr)
        return found | {"rate": found["done"] / found["seconds"]}


def raw_app(size: int) -> Any:
    """An app that reads the body and answers with that many bytes."""
    answer = b"x" * size

    async def app(scope: Any, receive: Any, send: Any) -> None:
        more = scope["type"] == "http"
        while more:
            more = (await receive()).get("more_body", False)
        headers = [(b"content-type", b"application/json"), (b"content-length", str(size).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    return app


def serve_raw(size: int) -> None:
    """Serve the raw app by uvicorn, as the service is served, until killed."""
    import socket

    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        raw_app(size),
        access_log=False,
        log_config=None,
        lifespan="off",
        server_header=False,
        date_header=False,
    )
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run([listener])


def sync_rate(folder: Path, seconds: float = 1.0) -> float:
    """How often per second this disk appends 4 KB and syncs."""
    path = folder / "fdatasync"
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    block, count, began = os.urandom(4096), 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        os.write(handle, block)
        os.fdatasync(handle)
        count += 1
    rate = count / (time.perf_counter() - began)
    os.close(handle)
    path.unlink()
    return rate


def make(server: Server, name: str, nodes: int, learner: str, rng: np.random.Generator) -> None:
    """A project on a graph of that size, which knows a few labels."""
    edges = community_edges(nodes, rng)
    server.call(
        "/v1/projects", {"name": name, "graph": {"edges": edges}, "classes": CLASSES, "learner": learner}
    )
    known = [{"node": f"n{k}", "label": CLASSES[k % 3]} for k in range(min(100, nodes // 2))]
    server.call(f"/v1/projects/{name}/labels", {"labels": known})
    server.call(f"/v1/projects/{name}/predict", {"nodes": ["n5"]})


def label_requests(name: str, first: int, last: int) -> list[Any]:
    """A request per node that labels it; one of ten labels is not of the node's community."""
    return [
        [
            f"/v1/projects/{name}/labels",
            {"labels": [{"node": f"n{k}", "label": CLASSES[(k + (k % 10 == 0)) % 3]}]},
        ]
        for k in range(first, last)
    ]


def predict_requests(name: str, nodes: int, rng: np.random.Generator) -> list[Any]:
    """Requests for one node each, drawn at random."""
    return [[f"/v1/projects/{name}/predict", {"nodes": [f"n{k}"]}] for k in rng.integers(nodes, size=2000)]


def measure_predict(given: argparse.Namespace, where: str, rng: np.random.Generator) -> Iterator[Line]:
    """Single predictions beside the raw app; the best of three rounds, which take turns."""
    with serving(where) as server:
        make(server, "predict", given.nodes, given.learner, rng)
        requests = predict_requests("predict", given.nodes, rng)
        size = len(json.dumps(server.call("/v1/projects/predict/predict", {"nodes": ["n7"]})))
        raw = Server([sys.executable, __file__, "--serve-raw", str(size)])
        best: dict[tuple[str, int], dict[str, Any]] = {}
        for _ in range(3):
            for clients in (1, 8):
                for name, port in (("service", server.port), ("raw", raw.port)):
                    found = Sender(port, clients, given.seconds, requests).result()
                    if found["rate"] > best.get((name, clients), {"rate": 0})["rate"]:
                        best[name, clients] = found
        raw.stop(signal.SIGKILL)
    for clients in (1, 8):
        mine, beside = best["service", clients], best["raw", clients]
        ratio = mine["rate"] / beside["rate"]
        goal = "≥ .4" if clients == 8 else ""
        yield Line("predict", f"single, {clients} at a time", mine["rate"], "/s", ratio, "raw", goal)
        yield Line("predict", f"raw app, {clients} at a time", beside["rate"], "/s", None, "", "")
    yield Line("predict", "p99 of single, 8 at a time", best["service", 8]["p99"] * 1e3, "ms", None, "", "")


def measure_labels(
    given: argparse.Namespace, where: str, folder: Path, rng: np.random.Generator
) -> Iterator[Line]:
    """Durable labels, with predictions meanwhile."""
    with serving(where) as server:
        for clients, goal in ((1, "≥ .4"), (32, "≥ 10, or 4,000/s")):
            name = f"labels-{clients}"
            make(server, name, given.nodes, given.learner, rng)
            before = sync_rate(folder)
            requests = label_requests(name, 100, given.nodes)
            found = Sender(server.port, clients, given.seconds, requests, once=True).result()
            rate = (before + sync_rate(folder)) / 2
            yield Line(
                "labels", f"{clients} clients", found["rate"], "/s", found["rate"] / rate, "fdatasync", goal
            )
            yield Line("labels", f"fdatasync around {clients} clients", rate, "/s", None, "", "")
            yield Line("labels", f"p99 of {clients} clients", found["p99"] * 1e3, "ms", None, "", "")
        make(server, "both", given.nodes, given.learner, rng)
        labels = Sender(server.port, 32, given.seconds, label_requests("both", 100, given.nodes), once=True)
        found = Sender(
            server.port, 2, given.seconds * 0.7, predict_requests("both", given.nodes, rng)
        ).result()
        beside = labels.result()["rate"]
        yield Line(
            "labels",
            f"p99 of predictions, at {beside:.0f} labels/s",
            found["p99"] * 1e3,
            "ms",
            None,
            "",
            "≤ 25 ms",
        )


def measure_batch(given: argparse.Namespace, where: str, rng: np.random.Generator) -> Iterator[Line]:
    """Many nodes in a request."""
    with serving(where) as server:
        make(server, "batch", given.nodes, given.learner, rng)
        body = {"nodes": [f"n{k}" for k in rng.integers(given.nodes, size=given.batch)]}
        requests = [["/v1/projects/batch/predict", body]]
        rate = max(Sender(server.port, 2, given.seconds, requests).result()["rate"] for _ in range(3))
        yield Line(
            "batch", f"{given.batch} nodes a request", rate * given.batch, "nodes/s", None, "", "≥ 100,000/s"
        )


def measure_restart(given: argparse.Namespace, where: str, rng: np.random.Generator) -> Iterator[Line]:
    """From the start of the process until the project answers; killed before, so that nothing was put away."""
    with serving(where) as server:
        make(server, "long", given.events + 200, given.learner, rng)
        for first in range(100, given.events, 1000):
            last = min(first + 1000, given.events)
            labels = [{"node": f"n{k}", "label": CLASSES[k % 3]} for k in range(first, last)]
            server.call("/v1/projects/long/labels", {"labels": labels})
        events = server.call("/v1/projects/long/state")["events"]
        expected = server.call("/v1/projects/long/predict", {"nodes": ["n5"]})["predictions"][0][
            "probabilities"
        ]
        server.stop(signal.SIGKILL)
    began = time.perf_counter()
    with serving(where) as server:
        listening = time.perf_counter() - began
        found = server.call("/v1/projects/long/predict", {"nodes": ["n5"]})["predictions"][0]["probabilities"]
        seconds = time.perf_counter() - began
    if found != expected:
        raise SystemExit(f"after the restart {found} is predicted, before it was {expected}")
    yield Line("restart", f"with {events} events", seconds, "s", None, "", "< 5 s")
    yield Line("restart", "until it listens", listening, "s", None, "", "")


def measure_memory(given: argparse.Namespace, where: str, rng: np.random.Generator) -> Iterator[Line]:
    """What an event and what a project takes."""
    with serving(where, "--awake", "32") as server:
        make(server, "memory", given.nodes, given.learner, rng)
        before, first = server.memory(), 100
        number = min(given.nodes - 200, 10_000)
        for first in range(100, 100 + number, 500):
            labels = [
                {"node": f"n{k}", "label": CLASSES[k % 3]}
                for k in range(first, min(first + 500, 100 + number))
            ]
            server.call("/v1/projects/memory/labels", {"labels": labels})
        server.call("/v1/projects/memory/state")
        yield Line(
            "memory", f"an event, of {number}", (server.memory() - before) / number, "bytes", None, "", ""
        )
        made = 0
        for many, what in ((30, "a project awake, 1,000 nodes"), (200, "a project asleep")):
            before = server.memory()
            for _ in range(many):
                make(server, f"small-{made}", 1000, given.learner, rng)
                made += 1
            yield Line("memory", what, (server.memory() - before) / many / 1e3, "KB", None, "", "")


def show(line: Line) -> None:
    """One line of the table."""
    ratio = "" if line.ratio is None else f"{line.ratio:.2f} × {line.beside}"
    print(
        f"{line.row:8} {line.what:44} {line.value:>12,.1f} {line.unit:8} {ratio:20} {line.goal}", flush=True
    )


def main() -> None:
    """Measure the rows asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--nodes", type=int, default=19_717)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--learner", default="auto")
    parser.add_argument("--store", help="a new folder, or a postgresql:// address without projects")
    parser.add_argument("--serve-raw", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve_raw:
        serve_raw(given.serve_raw)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for row in given.rows:
            rng = np.random.default_rng(0)
            where = given.store or str(folder / row)
            measure = globals()[f"measure_{row}"]
            arguments = (given, where, folder, rng) if row == "labels" else (given, where, rng)
            for line in measure(*arguments):
                show(line)


if __name__ == "__main__":
    main()
