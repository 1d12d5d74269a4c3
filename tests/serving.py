"""Services to test: an app without a socket, a real process, and processes that start at once."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx

from zerokelvin.service import ServiceSettings, create_app

LINE = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"]]
JSON = {"content-type": "application/json"}

NURSERY = """
import os, sys, json, signal
import zerokelvin as zk
import zerokelvin.service.web.running as running
from zerokelvin.service import ServiceSettings
from zerokelvin.service.web.route_table import all_routes
all_routes()
session = zk.start(zk.Graph.from_edges([("a", "b"), ("b", "c")]), "nearest", classes=["x", "y"])
session.learn("a", "x"); session.predict("b"); session.open_questions(1)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print("warm", flush=True)
for line in sys.stdin:
    given = json.loads(line)
    child = os.fork()
    if child == 0:
        os.dup2(os.open(given.pop("out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
        running.serve(ServiceSettings(**given))
        os._exit(0)
    print(child, flush=True)
"""


class AppClient:
    """Requests to an app in this process, whose event loop has a thread of its own."""

    def __init__(self, app):
        self.hall, self.access = app.state.hall, app.state.access
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._life = app.router.lifespan_context(app)
        self.call(self._life.__aenter__())
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60)

    def call(self, coroutine):
        """What a coroutine gives in the app's event loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(60)

    def request(self, method, path, **more):
        """The answer to a request."""
        return self.call(self._http.request(method, path, **more))

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, **more):
        return self.request("POST", path, **more)

    def together(self, *requests):
        """The answers to requests (method, path, named arguments) that are sent at the same time."""

        async def send():
            sent = [self._http.request(method, path, **more) for method, path, more in requests]
            return await asyncio.gather(*sent)

        return self.call(send())

    def close(self):
        self.call(self._http.aclose())
        self.call(self._life.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@contextmanager
def app_client(folder, **settings):
    """A client of an app in this process; stopped in good order at the end."""
    client = AppClient(create_app(ServiceSettings(folder, log_requests=False, **settings)))
    try:
        yield client
    finally:
        client.close()


def make_project(client, name="p", edges=LINE, classes=("fraud", "ok"), learner="nearest", **more):
    """A project on a small graph."""
    body = {"name": name, "graph": {"edges": edges}, "classes": list(classes), "learner": learner, **more}
    answer = client.post("/v1/projects", json=body)
    assert answer.status_code == 201, answer.text
    return f"/v1/projects/{name}"


def label(client, path, node, given, **more):
    """Send one label; the answer."""
    return client.post(f"{path}/labels", json={"labels": [{"node": node, "label": given, **more}]})


def problem(answer, status):
    """The problem document of an answer."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == status
    assert document["type"].startswith("urn:zerokelvin:problem:")
    assert document["detail"].endswith(".")
    return document


class Served:
    """A process of ``zerokelvin serve`` of its own."""

    def __init__(self, folder, *words):
        command = [sys.executable, "-m", "zerokelvin", "serve", "--data", str(folder), "--port", "0", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.first_line = self.process.stdout.readline()
        self.url = self.first_line.split()[-1] if self.first_line else ""

    def stop(self, number=signal.SIGTERM):
        """End it by a signal; its exit code, standard error and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=20)
        return self.process.returncode, errors, time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Nursery:
    """Starts services within a fraction of a second: children of a process that has imported everything."""

    def __init__(self, folder):
        self._folder, self._count = folder, 0
        self._parent = subprocess.Popen(
            [sys.executable, "-c", NURSERY],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._parent.stdout.readline() == "warm\n"

    def start(self, data, **settings):
        """A new service; its process number and where it listens."""
        self._count += 1
        out = self._folder / f"out-{self._count}"
        given = {"data": str(data), "log_requests": False, "out": str(out), **settings}
        self._parent.stdin.write(json.dumps(given) + "\n")
        self._parent.stdin.flush()
        number = int(self._parent.stdout.readline())
        deadline = time.monotonic() + 30
        while not (out.exists() and out.read_text().endswith("\n")):
            assert time.monotonic() < deadline, "the service did not start"
            time.sleep(0.005)
        return number, out.read_text().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._parent.communicate(timeout=20)


def kill(number):
    """Kill a process and wait until it is gone."""
    os.kill(number, signal.SIGKILL)
    while True:
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return
        time.sleep(0.002)
