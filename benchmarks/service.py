"""The service: predictions, durable labels, batches, restart and memory, as ratios in one run.

    zerokelvin bench service [--rows predict labels ...] [--data pubmed] [--learner auto] [--store DIR or URL]

A real `zerokelvin serve` on loopback, and a process of its own that sends requests over connections that stay
open. "beside" is what the same run measured beside it:

    raw         requests/s of a plain uvicorn app that reads the body and answers with as many bytes
    fdatasync   the rate at which this disk appends 4 KB and syncs, before and after, one at a time

Rows (`--rows`, all by default):

    store       appends to a log without a service, one event at a time and 32, in turns with fdatasync
    predict     single predictions, one request at a time and 8 at a time, and 8 against the raw app
    labels      durable labels by 1 client and by 32, and predictions by 2 clients meanwhile, with another key
                than those that label: who labels waits for their own labels, others do not
    batch       predictions of `--batch` nodes per request, kept since the last event, and fresh after one
    studio      the Label Studio backend: predictions of one task, and annotations learnt, one at a time
    restart     seconds until a service with `--events` events answers, after it was killed
    memory      bytes per event, per project that is awake and per project that is asleep

The service, the sender and whatever else runs share the cores; figures are of this machine at this moment,
ratios mean more.
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
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zerokelvin as zk
from zerokelvin.errors import ZerokelvinError
from zerokelvin.service.store import NewEvent, Remembered, open_store
from zerokelvin.service.web.access import new_key

HERE = Path(__file__).resolve().parent
PATIENCE = 300.0
BUSY = 503
"""What the service answers while it learns what was sent before; the same is sent again."""

SINCE_SNAPSHOT = 1999
"""Events that a service may have learnt since its last snapshot: one fewer than `snapshot_every`."""

LOOK, RESTING = 0.5, 0.1
"""Seconds between looks at what a service does, and the share of a core below which it is at rest."""

AT_ONCE = 4096
"""Events written to a log in one transaction."""

ROWS = ("store", "predict", "labels", "batch", "studio", "restart", "memory")


class Line(NamedTuple):
    """What was measured, in which unit, beside what, and the goal for the ratio or for the figure."""

    row: str
    what: str
    value: float
    unit: str
    ratio: float | None
    beside: str
    goal: str


class Labelled(NamedTuple):
    """A graph as a project is made from, its nodes in a random order, and the label of each."""

    edges: list[list[str]]
    nodes: list[str]
    labels: list[str]

    def answers(self, first: int, last: int) -> list[dict[str, str]]:
        """The labels of some nodes, as they are sent."""
        pairs = zip(self.nodes[first:last], self.labels[first:last], strict=True)
        return [{"node": node, "label": label} for node, label in pairs]


def communities(nodes: int, rng: np.random.Generator) -> Labelled:
    """A graph with three times as many edges as nodes, most of them within one of three communities."""
    size = 2 * nodes
    one, other = rng.integers(nodes, size=size), rng.integers(nodes, size=size)
    other = np.where(rng.random(size) < 0.8, (other // 3) * 3 + one % 3, other)
    keep = (one != other) & (other < nodes)
    edges = [[f"n{k}", f"n{k + 1}"] for k in range(nodes - 1)]
    edges += [[f"n{u}", f"n{v}"] for u, v in zip(one[keep], other[keep], strict=True)]
    order = rng.permutation(nodes)
    return Labelled(edges, [f"n{k}" for k in order], ["abc"[k % 3] for k in order])


def problem(given: argparse.Namespace, rng: np.random.Generator) -> Labelled:
    """The data set named, or communities of as many nodes as PubMed has where it is not found."""
    try:
        found = zk.load_dataset(given.data)
    except ZerokelvinError as absent:
        print(f"{absent} Communities of {given.nodes} nodes are used instead.", file=sys.stderr)
        return communities(given.nodes, rng)
    edges = [[f"n{u}", f"n{v}"] for u, v in found.graph.edges.tolist()]
    touched = np.unique(found.graph.edges)
    order = rng.permutation(touched)
    return Labelled(edges, [f"n{k}" for k in order], [f"c{found.labels[k]}" for k in order])


class Server:
    """A process that serves, started and stopped."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # errors are shown
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("listening on http://"):
            raise SystemExit("the service did not start; see its message above.")
        self.url = line.split()[-1]
        self.port = int(self.url.rpartition(":")[2])
        self.key: str | None = None

    def call(self, path: str, body: Any = None) -> Any:
        """One request, with its answer."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        if self.key is not None:
            headers["authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url + path, data, headers)  # noqa: S310 - loopback
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
                    return json.loads(answer.read())
            except urllib.error.HTTPError as refused:
                if refused.code != BUSY or time.monotonic() > end:
                    raise SystemExit(f"{path}: {refused.code} {refused.read().decode()}") from None
                time.sleep(0.1)

    def memory(self) -> int:
        """Bytes in memory."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def processor(self) -> float:
        """Seconds of all cores that it has used."""
        figures = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(figures[11]) + int(figures[12])) / os.sysconf("SC_CLK_TCK")

    def rest(self) -> None:
        """Wait until it has nothing to do: what is answered is learnt, and kept in snapshots, later."""
        before, now = -1.0, self.processor()
        while now - before > RESTING * LOOK:
            time.sleep(LOOK)
            before, now = now, self.processor()

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
        self,
        port: int,
        clients: int,
        seconds: float,
        requests: list[Any],
        once: bool = False,
        key: str | None = None,
    ) -> None:
        spec = {"host": "127.0.0.1", "port": port, "clients": clients, "seconds": seconds, "once": once}
        spec["key"] = key
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "parts" / "load_generator.py")],
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


def new_keys(where: str, *roles: str) -> dict[str, str]:
    """An API key for each role."""
    store = open_store(where)
    try:
        return {role: new_key(store, role, role) for role in roles}
    finally:
        store.close()


def make(server: Server, name: str, here: Labelled, learner: str, known: int = 100) -> None:
    """A project that knows a few labels."""
    classes = sorted(set(here.labels))
    graph = {"edges": here.edges}
    server.call("/v1/projects", {"name": name, "graph": graph, "classes": classes, "learner": learner})
    server.call(f"/v1/projects/{name}/labels", {"labels": here.answers(0, known)})
    server.call(f"/v1/projects/{name}/predict", {"nodes": here.nodes[:1]})


def write_log(where: str, name: str, answers: list[dict[str, str]]) -> None:
    """Write labels to the log of a project that no service leads now."""
    store = open_store(where)
    try:
        log = store.open(name)
        log.lead()
        for first in range(0, len(answers), AT_ONCE):
            bodies = [json.dumps(one).encode() for one in answers[first : first + AT_ONCE]]
            log.append([NewEvent("label", body, time.time(), "bench") for body in bodies])
    finally:
        store.close()


def label_requests(name: str, here: Labelled, known: int = 100) -> list[Any]:
    """A request for each node that has no label yet."""
    path = f"/v1/projects/{name}/labels"
    return [[path, {"labels": [answer]}] for answer in here.answers(known, len(here.nodes))]


def predict_requests(name: str, here: Labelled, rng: np.random.Generator) -> list[Any]:
    """Requests for one node each, drawn at random."""
    return [[f"/v1/projects/{name}/predict", {"nodes": [str(node)]}] for node in rng.choice(here.nodes, 2000)]


def measure_store(bench: Bench, _: Labelled) -> Iterator[Line]:
    """Appends alone, in turns with the disk's own rate, which changes from second to second."""
    store = open_store(bench.where("store"))
    log = store.create("store", b"graph", NewEvent("created", b"", 0.0, "bench"))
    log.lead()
    event = NewEvent("label", b"x" * 60, 0.0, "bench")
    rates: dict[int, list[float]] = {0: [], 1: [], 32: []}
    for turn in range(20):
        rates[0].append(sync_rate(bench.folder, bench.given.seconds / 15))
        for size in (1, 32):
            began, count = time.perf_counter(), 0
            while time.perf_counter() - began < bench.given.seconds / 15:
                answers = [Remembered(f"{turn} {size} {count}", b"f" * 16, 200, b"{}", 0.0)]
                log.append([event] * size, answers)
                count += size
            rates[size].append(count / (time.perf_counter() - began))
    began = time.perf_counter()
    there = sum(1 for _ in log.read())
    reading = there / (time.perf_counter() - began)
    store.close()
    for size, goal in ((1, "≥ .4"), (32, "≥ 10")):
        ratio = float(np.median(np.divide(rates[size], rates[0])))
        rate = float(np.median(rates[size]))
        yield Line("store", f"appends of {size}", rate, "events/s", ratio, "fdatasync", goal)
    yield Line("store", "fdatasync", float(np.median(rates[0])), "/s", None, "", "")
    yield Line("store", f"reading {there} events, chain checked", reading, "events/s", None, "", "")


def measure_predict(bench: Bench, here: Labelled) -> Iterator[Line]:
    """Single predictions beside the raw app; the best of three rounds, which take turns."""
    with serving(bench.where("predict")) as server:
        make(server, "predict", here, bench.given.learner)
        requests = predict_requests("predict", here, bench.rng)
        size = len(json.dumps(server.call(*requests[0])))
        raw = Server([sys.executable, __file__, "--serve-raw", str(size)])
        best: dict[tuple[str, int], dict[str, Any]] = {}
        for _ in range(3):
            for clients in (1, 8):
                for name, port in (("service", server.port), ("raw", raw.port)):
                    found = Sender(port, clients, bench.given.seconds, requests).result()
                    if found["rate"] > best.get((name, clients), {"rate": 0})["rate"]:
                        best[name, clients] = found
        raw.stop(signal.SIGKILL)
    for clients in (1, 8):
        mine, beside = best["service", clients], best["raw", clients]
        ratio = mine["rate"] / beside["rate"]
        yield Line("predict", f"single, {clients} at a time", mine["rate"], "/s", ratio, "raw", "≥ .4")
        yield Line("predict", f"raw app, {clients} at a time", beside["rate"], "/s", None, "", "")
    yield Line("predict", "p99 of single, 8 at a time", best["service", 8]["p99"] * 1e3, "ms", None, "", "")


def measure_labels(bench: Bench, here: Labelled) -> Iterator[Line]:
    """Durable labels, with predictions meanwhile."""
    seconds, keys = bench.given.seconds, new_keys(bench.where("labels"), "label", "predict", "admin")
    with serving(bench.where("labels")) as server:
        server.key = keys["admin"]
        for clients, goal in ((1, "≥ .4"), (32, "≥ 10, or 4,000/s")):
            name = f"labels-{clients}"
            make(server, name, here, bench.given.learner)
            server.rest()
            before = sync_rate(bench.folder)
            found = Sender(
                server.port, clients, seconds, label_requests(name, here), True, keys["label"]
            ).result()
            server.rest()  # what it writes besides would count against the disk
            rate, sync = found["rate"], (before + sync_rate(bench.folder)) / 2
            yield Line("labels", f"{clients} clients", rate, "/s", rate / sync, "fdatasync", goal)
            yield Line("labels", f"fdatasync around {clients} clients", sync, "/s", None, "", "")
            yield Line("labels", f"p99 of {clients} clients", found["p99"] * 1e3, "ms", None, "", "")
        make(server, "both", here, bench.given.learner)
        labels = Sender(server.port, 32, seconds, label_requests("both", here), True, keys["label"])
        requests = predict_requests("both", here, bench.rng)
        found = Sender(server.port, 2, seconds * 0.7, requests, key=keys["predict"]).result()
        what = f"p99 of predictions, at {labels.result()['rate']:.0f} labels/s"
        yield Line("labels", what, found["p99"] * 1e3, "ms", None, "", "≤ 25 ms")


def measure_batch(bench: Bench, here: Labelled) -> Iterator[Line]:
    """Many nodes in a request: again and again between two events, and each time after a new one."""
    size, fresh, busy = bench.given.batch, [], []
    with serving(bench.where("batch")) as server:
        make(server, "batch", here, bench.given.learner)
        path = "/v1/projects/batch/predict"
        body = {"nodes": [str(node) for node in bench.rng.choice(here.nodes, size)]}
        rates = [
            Sender(server.port, 2, bench.given.seconds, [[path, body]]).result()["rate"] for _ in range(3)
        ]
        for k in range(100, 120):
            server.call("/v1/projects/batch/labels", {"labels": here.answers(k, k + 1)})
            server.call("/v1/projects/batch/state")  # which has learnt it
            before = server.processor()
            fresh.append(Sender(server.port, 1, PATIENCE, [[path, body]], once=True).result()["p50"])
            busy.append(server.processor() - before)
    goal = "≥ 100,000/s"
    yield Line("batch", f"{size} nodes a request, kept", max(rates) * size, "nodes/s", None, "", goal)
    rate = size / float(np.median(fresh))
    yield Line("batch", f"{size} nodes a request, after an event", rate, "nodes/s", None, "", goal)
    rate = size / float(np.mean(busy))
    yield Line("batch", "the same by processor time", rate, "nodes/s", None, "", goal)


def measure_studio(bench: Bench, here: Labelled) -> Iterator[Line]:
    """What Label Studio waits for: an annotation is learnt when the next prediction answers."""
    config = "".join(f'<Choice value="{label}"/>' for label in sorted(set(here.labels)))
    config = f'<View><Text name="t" value="$node"/><Choices name="c" toName="t">{config}</Choices></View>'
    asked: list[float] = []
    told: list[float] = []
    with serving(bench.where("studio")) as server:
        make(server, "studio", here, bench.given.learner)
        for i, answer in enumerate(here.answers(100, min(len(here.nodes), 200))):
            task = {"id": i, "data": {"node": answer["node"]}}
            result = [{"type": "choices", "value": {"choices": [answer["label"]]}}]
            hook = {"action": "ANNOTATION_CREATED", "annotation": {"id": i, "result": result}, "task": task}
            began = time.perf_counter()
            server.call("/label-studio/studio/predict", {"tasks": [task], "label_config": config})
            asked.append(time.perf_counter() - began)
            server.call("/label-studio/studio/webhook", hook | {"project": {"id": 1}})
            told.append(time.perf_counter() - began - asked[-1])
        there = server.call("/v1/projects/studio/state")["events"]
    if there != 100 + len(told):
        raise SystemExit(f"{len(told)} annotations were sent, but there are {there - 100} events of them.")
    for what, waits in (("prediction after an annotation", asked), ("annotation", told)):
        middle, late = np.quantile(waits, [0.5, 0.95]) * 1e3
        yield Line("studio", f"{what}, half within", middle, "ms", None, "", "< 100 ms")
        yield Line("studio", f"{what}, 95 of 100 within", late, "ms", None, "", "")


def measure_restart(bench: Bench, _: Labelled) -> Iterator[Line]:
    """From the start of the process until the project answers; the one before was killed.

    All but the last answers are written to the log of a service that does not run, and learnt when it starts;
    it keeps a snapshot when it stops. The last, as many as there may be without a new snapshot, are sent.
    """
    events, where = bench.given.events, bench.where("restart")
    last = min(SINCE_SNAPSHOT, events // 2)
    here = communities(events + 200, bench.rng)
    one = ("/v1/projects/long/predict", {"nodes": here.nodes[-1:]})
    with serving(where) as server:
        make(server, "long", here, bench.given.learner)
    write_log(where, "long", here.answers(100, events - last))
    with serving(where) as server:
        server.call(*one)
    with serving(where) as server:
        server.call("/v1/projects/long/labels", {"labels": here.answers(events - last, events)})
        expected = server.call(*one)["predictions"][0]["probabilities"]
        there = server.call("/v1/projects/long/state")["events"]
        server.stop(signal.SIGKILL)
    began = time.perf_counter()
    with serving(where) as server:
        listening = time.perf_counter() - began
        found = server.call(*one)["predictions"][0]["probabilities"]
        seconds = time.perf_counter() - began
        busy = server.processor()
    if found != expected:
        raise SystemExit(f"after the restart {found} is predicted, before it was {expected}")
    yield Line("restart", f"with {there} events", seconds, "s", None, "", "< 5 s")
    yield Line("restart", "processor time until then", busy, "s", None, "", "")
    yield Line("restart", "until it listens", listening, "s", None, "", "")


def measure_memory(bench: Bench, here: Labelled) -> Iterator[Line]:
    """What an event and what a project takes."""
    learner = bench.given.learner
    with serving(bench.where("memory"), "--awake", "32") as server:
        make(server, "memory", here, learner)
        before, number = server.memory(), min(len(here.nodes) - 200, 10_000)
        for first in range(100, 100 + number, 500):
            answers = here.answers(first, min(first + 500, 100 + number))
            server.call("/v1/projects/memory/labels", {"labels": answers})
        server.call("/v1/projects/memory/predict", {"nodes": here.nodes[:1]})
        taken = (server.memory() - before) / number
        yield Line("memory", f"an event, of {number}", taken, "bytes", None, "", "")
        made, small = 0, communities(1000, bench.rng)
        for many, what in ((30, "a project awake, 1,000 nodes"), (200, "a project asleep")):
            before = server.memory()
            for _ in range(many):
                make(server, f"small-{made}", small, learner)
                made += 1
            yield Line("memory", what, (server.memory() - before) / many / 1e3, "KB", None, "", "")


class Bench(NamedTuple):
    """What all rows share."""

    given: argparse.Namespace
    folder: Path
    rng: np.random.Generator

    def where(self, row: str) -> str:
        """Where the service of a row keeps its data."""
        return self.given.store or str(self.folder / row)


def show(line: Line) -> None:
    """One line of the table."""
    ratio = "" if line.ratio is None else f"{line.ratio:.2f} × {line.beside}"
    figure = f"{line.value:>12,.1f} {line.unit:8}"
    print(f"{line.row:8} {line.what:44} {figure} {ratio:18} {line.goal}", flush=True)


def main() -> None:
    """Measure the rows asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--data", default="pubmed", help="the data set")
    parser.add_argument("--nodes", type=int, default=19_717, help="of the graph where there is no data set")
    parser.add_argument("--batch", type=int, default=10_000, help="nodes of a request")
    parser.add_argument("--events", type=int, default=100_000, help="before the restart")
    parser.add_argument("--learner", default="auto")
    parser.add_argument("--store", help="a new folder, or a postgresql:// address without projects")
    parser.add_argument("--serve-raw", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve_raw:
        serve_raw(given.serve_raw)
        return
    with tempfile.TemporaryDirectory() as temporary:
        # Python's files are compiled once, as those of an installed package are, wherever this runs from.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(temporary) / "compiled"))
        bench = Bench(given, Path(temporary), np.random.default_rng(0))
        here = problem(given, bench.rng)
        for row in given.rows:
            for line in globals()[f"measure_{row}"](bench, here):
                show(line)


if __name__ == "__main__":
    main()
