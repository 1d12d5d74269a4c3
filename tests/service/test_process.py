"""``zerokelvin serve`` as a process: its first line, its log, keys beside it, its end; and both clients."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import httpx
import pytest
import uvicorn

import zerokelvin as zk
from serving import LINE, Served
from zerokelvin.client import ServiceError
from zerokelvin.errors import ParameterError
from zerokelvin.service import ServiceSettings, create_app
from zerokelvin.service.request_head import head_within
from zerokelvin.service.web import endpoint


def command(*words):
    return subprocess.run(
        [sys.executable, "-m", "zerokelvin", "serve", *words], capture_output=True, text=True, check=False
    )


def test_a_whole_life(tmp_path):
    """Made, used by both clients, listened to, stopped in good order, started again, stopped by Ctrl-C."""
    data = tmp_path / "data"
    with Served(data) as served:
        assert served.first_line.startswith("listening on http://127.0.0.1:")
        with zk.Client(served.url) as client:
            project = client.create(
                "fraud", [("ann", "bob"), ("bob", "cem")], ["bad", "ok"], learner="nearest"
            )
            shown = project.predict("ann")
            with httpx.stream("GET", f"{served.url}/v1/projects/fraud/events", timeout=10) as stream:
                lines = stream.iter_lines()
                assert next(lines) == "id: 0"
                assert project.learn("ann", "bad", shown=shown) == 1
                told = [line for line, _ in zip(lines, range(6), strict=False) if line.startswith("data")]
                assert told[-1] == 'data: {"events":1}'
            assert project.predict("bob").label == "bad"
            asyncio.run(_asynchronous(served.url))
            assert project.state().mistakes == 1
            assert [row.source for row in project.labels()] == ["asked", "asked", "taught"]
            assert client.projects() == ["fraud"]
            with pytest.raises(ServiceError, match="is no node of this project") as refused:
                project.learn("zoe", "bad")
            assert refused.value.status == 422
            assert refused.value.errors[0]["field"] == "labels[0].node"
            before = project.state()
        with socket.create_connection(("127.0.0.1", int(served.url.rpartition(":")[2]))) as connection:
            connection.sendall(b"\x16\x03\x01 what is no HTTP\r\n\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 400")
        code, errors, seconds = served.stop(signal.SIGTERM)
        assert code == 0
        assert seconds < 10
        lines = [json.loads(line) for line in errors.splitlines()]
        assert lines[0]["event"] == "started"
        assert lines[-1]["event"] == "stopped"
        requests = [line for line in lines if line["event"] == "request"]
        assert {"id", "route", "status", "ms", "key", "project"} <= set(requests[0])
        (strange,) = [line for line in lines if line["event"] == "log"]
        assert (strange["level"], strange["from"]) == ("warning", "uvicorn.error")
        for word in ("ann", "bob", "zoe", shown.decision):
            assert word not in errors
    with Served(data, "--quiet") as served:
        with zk.Client(served.url) as client:
            after = client.project("fraud").state()
            assert after.epoch > before.epoch
            after.epoch = before.epoch
            assert after == before
        code, errors, seconds = served.stop(signal.SIGINT)
        assert (code, errors) == (0, "")
        assert seconds < 10


async def _asynchronous(url):
    async with zk.AsyncClient(url) as client:
        project = client.project("fraud")
        assert await client.projects() == ["fraud"]
        several = await asyncio.gather(*(project.predict(node) for node in ("ann", "bob", "cem")))
        assert [one.node for one in several] == ["ann", "bob", "cem"]
        assert await project.learn_many({"bob": "bad"}) == 2
        assert await project.teach({"cem": "ok"}) == 3
        assert (await project.explain("bob")).label == "bad"
        assert (await project.next()) == []
        assert (await project.show()).events == 3


def test_keys_and_backups_beside_a_service_that_runs(tmp_path):
    data, copy = tmp_path / "data", tmp_path / "copy"
    body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
    with Served(data) as served:
        assert httpx.post(f"{served.url}/v1/projects", json=body, timeout=60).status_code == 201
        made = command(
            "--data", str(data), "--add-key", "ann", "--role", "predict", "--project", "p", "--json"
        )
        assert made.returncode == 0, made.stderr
        key = json.loads(made.stdout)["key"]
        deadline = time.monotonic() + 5
        while httpx.get(f"{served.url}/v1/projects").status_code != 401:
            assert time.monotonic() < deadline, "the key does not count"
            time.sleep(0.1)
        with zk.Client(served.url, key) as client:
            assert client.project("p").predict("a").label in ("x", "y")
            with pytest.raises(ServiceError, match="this needs 'label'"):
                client.project("p").learn("a", "x")
        assert command("--data", str(data), "--backup", str(copy)).returncode == 0
        assert command("--data", str(data), "--revoke-key", "ann").returncode == 0
        again = command("--data", str(data), "--revoke-key", "ann")
        assert (again.returncode, "no key 'ann' in force" in again.stderr) == (2, True)
        second = command("--data", str(data), "--port", "0")
        assert second.returncode == 2
        assert second.stdout == ""
        _, errors, _ = served.stop()
        assert key not in errors
    with Served(copy) as served:
        assert httpx.get(f"{served.url}/v1/projects").status_code == 401


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--host", "0.0.0.0"], "can be reached by others, and there is no key yet"),  # noqa: S104
        (["--host", "nowhere.invalid"], "can be reached by others"),
        (["--add-key", "ann", "--backup", "x"], "one of --add-key, --revoke-key and --backup"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path, words, sentence):
    done = command("--data", str(tmp_path / "data"), *words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_port_in_use(tmp_path):
    with Served(tmp_path / "a") as served:
        done = command("--data", str(tmp_path / "b"), "--port", served.url.rpartition(":")[2])
        assert (done.returncode, "choose another --port" in done.stderr) == (2, True)


@contextlib.contextmanager
def in_thread(settings, seconds=30.0):
    """A server in this process; where it listens."""
    config = uvicorn.Config(
        create_app(settings), http=head_within(seconds), log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield listener.getsockname()
    server.should_exit = True
    thread.join(20)


@pytest.fixture
def hurried(tmp_path):
    """A server in this process that waits for a second."""
    with in_thread(ServiceSettings(tmp_path / "data", log_requests=False), 1.0) as address:
        yield address


def told(connection):
    """All that is sent on a connection until it is closed."""
    connection.settimeout(20)
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


WHOLE = b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


def head_of(answer):
    """The status line and the headers of an answer, sorted, without its time and the request's number."""
    lines = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return lines[0], sorted(line for line in lines[1:] if not line.startswith((b"x-request-id: ", b"date: ")))


def test_answers_come_whole_and_as_they_would_in_parts(hurried, monkeypatch):
    """One piece for each answer, in their order, the last of a connection that is to be closed."""
    last = WHOLE.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n")
    asked = (WHOLE, WHOLE.replace(b"/health", b"/v1/projects/none"), last)
    with socket.create_connection(hurried) as connection:
        found = []
        for request in asked:
            connection.sendall(request)
            found.append(connection.recv(1 << 16))
        assert connection.recv(1) == b""
    monkeypatch.setattr(endpoint, "WHOLE", "no such extension")
    with socket.create_connection(hurried) as connection:
        connection.sendall(b"".join(asked))  # without waiting for the answers between them
        parts = told(connection)
    assert [head_of(answer)[0] for answer in found] == [
        b"HTTP/1.1 200 OK",
        b"HTTP/1.1 404 Not Found",
        b"HTTP/1.1 200 OK",
    ]
    assert b"connection: close" in head_of(found[2])[1]
    for answer in found:
        head, _, body = answer.partition(b"\r\n\r\n")
        assert f"content-length: {len(body)}".encode() in head
        start, found_there, parts = parts.partition(b"\r\n\r\n")
        assert head_of(answer) == head_of(start + found_there)
        length = int(re.search(rb"content-length: (\d+)", start).group(1))
        parts = parts[length:]
    assert parts == b""


def test_no_header_begins_another_line():
    with pytest.raises(ParameterError, match="the end of a line"):
        endpoint._lines(((b"x", b"a\r\nset-cookie: b"),))


@pytest.mark.parametrize("sent", [b"", b"GET /hea", b"GET /health HTTP/1.1\r\nhost: 127"])
def test_half_a_request_is_given_up(hurried, sent):
    with socket.create_connection(hurried) as connection:
        connection.sendall(sent)
        answer = told(connection)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == 408


def test_half_a_request_after_a_whole_one_is_given_up(hurried):
    with socket.create_connection(hurried) as connection:
        for part in (WHOLE[:9], WHOLE[9:], WHOLE):
            connection.sendall(part)
            time.sleep(0.2)
        connection.sendall(WHOLE[:20])
        answer = told(connection)
    assert answer.count(b'"status":"ok"') == 2
    assert b"HTTP/1.1 408 " in answer


@pytest.mark.parametrize("begin", [b"GET /", b"GET /health HTTP/1.1\r\nhost: ", b"GET /health HTTP/1.1\r\n"])
def test_a_head_without_end_is_refused(hurried, begin):
    """Before it has filled the memory."""
    with socket.create_connection(hurried) as connection:
        connection.sendall(begin)
        part = b"x-a: b\r\n" * 512 if begin.endswith(b"\n") else b"a" * 4096
        with contextlib.suppress(ConnectionError):
            for _ in range(1000):
                connection.sendall(part)
                time.sleep(0.001)
            pytest.fail("four megabytes were taken")
        with contextlib.suppress(ConnectionError):
            answer = told(connection)
            assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")


def test_a_body_that_comes_slowly_is_no_head(hurried):
    with socket.create_connection(hurried) as connection:
        body = (
            b'{"name": "slow", "graph": {"edges": [["a", "b"]]}, "classes": ["x", "y"], "learner": "nearest"}'
        )
        head = f"POST /v1/projects HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(body)}\r\n"
        connection.sendall(head.encode() + b"content-type: application/json\r\nconnection: close\r\n\r\n")
        for start in range(0, len(body), 40):
            time.sleep(0.6)
            connection.sendall(body[start : start + 40])
        assert told(connection).startswith(b"HTTP/1.1 201 ")


def test_streams_have_a_limit_and_one_that_breaks_is_no_whole(tmp_path, monkeypatch, capsys):
    """On a real server, where a second beginning of an answer would be a fault of the protocol."""
    from zerokelvin.service.routes import label_table

    with in_thread(ServiceSettings(tmp_path, most_streams=2, log_requests=False)) as (host, port):
        url = f"http://{host}:{port}"
        body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
        assert httpx.post(f"{url}/v1/projects", json=body, timeout=60).status_code == 201
        with contextlib.ExitStack() as open_ones:
            for _ in range(2):
                stream = open_ones.enter_context(
                    httpx.stream("GET", f"{url}/v1/projects/p/events", timeout=10)
                )
                assert next(stream.iter_lines()) == "id: 0"
            refused = httpx.get(f"{url}/v1/projects/p/events", timeout=10)
            assert refused.status_code == 503
            assert refused.headers["retry-after"] == "5"
            assert "listen to this project already" in refused.json()["detail"]
        assert capsys.readouterr().err == ""
        monkeypatch.setattr(label_table, "PART", 2)
        monkeypatch.setattr(label_table, "_rows", lambda found, start: [] if start < 2 else 1 / 0)
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(f"{url}/v1/projects/p/labels", timeout=10)
        said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
        assert [json.loads(line)["error"] for line in said] == ["ZeroDivisionError"]


def test_nothing_but_json_on_standard_error_of_a_new_installation(tmp_path, monkeypatch):
    """The process that compiles ahead would begin with a line for people."""
    from click.testing import CliRunner

    from zerokelvin import jit
    from zerokelvin.cli.main import cli
    from zerokelvin.jit import compile_line
    from zerokelvin.service.web import running

    seen = []
    monkeypatch.setattr(compile_line._LINE, "on", True)
    monkeypatch.setattr(jit, "compile_ahead", lambda *_: seen.append(compile_line.is_wanted()))
    monkeypatch.setattr(running, "serve", lambda _: None)
    done = CliRunner().invoke(cli, ["serve", "--data", str(tmp_path / "data"), "--port", "0"])
    assert (done.exit_code, seen) == (0, [False])
