"""``zerokelvin serve`` as a process: its first line, its log, keys beside it, its end; and both clients."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import httpx
import pytest

import zerokelvin as zk
from serving import LINE, Served
from zerokelvin.client import ServiceError


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
        code, errors, seconds = served.stop(signal.SIGTERM)
        assert code == 0
        assert seconds < 10
        lines = [json.loads(line) for line in errors.splitlines()]
        assert lines[0]["event"] == "started"
        assert lines[-1]["event"] == "stopped"
        requests = [line for line in lines if line["event"] == "request"]
        assert {"id", "route", "status", "ms", "key", "project"} <= set(requests[0])
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
