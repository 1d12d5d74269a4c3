"""When something fails: a full disk, a lost lead, a learner that is slow or breaks, a clock set back."""

import json
import threading
import time

import pytest

from serving import app_client, label, make_project, problem
from zerokelvin.service.projects import hall
from zerokelvin.service.records.refusals import BusyError
from zerokelvin.service.store import LeadLost, StoreFull, StoreUnavailable


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path / "data", patience=20.0, most_queue=8) as found:
        yield found


def awake(client):
    return client.hall._awake["p"]


def until_not_busy(ask, seconds=60.0):
    """The first answer that is not 503: on a busy machine anything may take longer than it may."""
    end = time.monotonic() + seconds
    while (answer := ask()).status_code == 503 and time.monotonic() < end:
        time.sleep(0.02)
    return answer


def failing(monkeypatch, project, error):
    """Let the next append fail."""
    real, left = project.log.append, [error]

    def append(*given):
        if left:
            raise left.pop()
        return real(*given)

    monkeypatch.setattr(project.log, "append", append)


def test_a_full_disk_is_told_and_nothing_is_learnt(client, monkeypatch):
    path = make_project(client)
    label(client, path, "a", "ok")
    failing(monkeypatch, awake(client), StoreFull("there is no room on the disk; make some."))
    refused = client.post(
        f"{path}/labels",
        json={"labels": [{"node": "b", "label": "ok"}]},
        headers={"idempotency-key": "k"},
    )
    assert refused.status_code == 503
    assert "no room" in refused.json()["detail"]
    assert "retry-after" in refused.headers
    assert client.get(f"{path}/state").json()["events"] == 1
    problem = client.post(f"{path}/correct", json={"node": "b", "label": "ok"})
    assert problem.status_code == 422  # the label that was not written is not there
    again = client.post(
        f"{path}/labels",
        json={"labels": [{"node": "b", "label": "ok"}]},
        headers={"idempotency-key": "k"},
    )
    assert again.json() == {"events": 2}


@pytest.mark.parametrize("error", [LeadLost("another leads."), StoreUnavailable("the server has gone.")])
def test_after_an_append_of_unknown_fate_the_project_is_opened_again(client, monkeypatch, error):
    path = make_project(client)
    label(client, path, "a", "ok")
    first = awake(client)
    failing(monkeypatch, first, error)
    assert label(client, path, "b", "ok").status_code == 503
    assert client.get(f"{path}/state").json()["events"] == 1
    assert awake(client) is not first
    assert awake(client).epoch > first.epoch
    assert label(client, path, "b", "ok").json() == {"events": 2}


def test_a_learner_that_breaks_loses_nothing(client, monkeypatch):
    path = make_project(client)
    first = awake(client)
    monkeypatch.setattr(first.learning.session, "learn_many", lambda _: 1 // 0)
    assert label(client, path, "a", "ok").json() == {"events": 1}
    answers = [client.get(f"{path}/state") for _ in range(3)]
    assert answers[-1].json()["events"] == 1
    assert answers[-1].json()["trials"] == 1
    assert awake(client) is not first


def test_a_slow_learner_slows_writers_down_and_readers_are_told(tmp_path):
    with app_client(tmp_path, patience=0.3) as client:
        path = make_project(client)
        label(client, path, "a", "ok")
        project = awake(client)
        free = threading.Event()
        real = project.learning.session.learn_many

        def slowly(pairs):
            assert free.wait(60)
            real(pairs)

        project.learning.session.learn_many = slowly
        assert label(client, path, "b", "ok").json() == {"events": 2}  # on the disk, not learnt yet
        began = time.monotonic()
        busy = client.post(f"{path}/predict", json={"nodes": ["c"]})
        assert busy.status_code == 503
        assert "still being learnt" in busy.json()["detail"]
        assert 0.2 < time.monotonic() - began < 10
        free.set()
        del project.learning.session.learn_many
        told = until_not_busy(lambda: client.post(f"{path}/predict", json={"nodes": ["c"]}))
        assert told.json()["events"] == 2


def test_a_full_queue_is_told(client, monkeypatch):
    path = make_project(client)
    project = awake(client)
    refused, put, append = threading.Event(), project.writing.put, project.log.append

    def watched(pending):
        try:
            put(pending)
        except BusyError:
            refused.set()
            raise

    monkeypatch.setattr(project.writing, "put", watched)
    monkeypatch.setattr(project.log, "append", lambda *given: refused.wait(60) and append(*given))
    body = {"labels": [{"node": "a", "label": "ok"}]}
    answers = client.together(*[("POST", f"{path}/labels", {"json": body})] * 40)
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {200, 503}
    assert "wait to be written" in next(a for a in answers if a.status_code == 503).json()["detail"]
    assert client.get(f"{path}/state").json()["events"] == statuses.count(200)
    assert project.writing.groups < statuses.count(200)  # they were written in groups


def test_a_request_that_takes_too_long_is_given_up(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
    with app_client(tmp_path, most_time=0.3) as client:
        path, ask = "/v1/projects/p", {"json": {"nodes": ["a"]}}
        until_not_busy(lambda: client.get(f"{path}/state"))
        project = awake(client)
        with project.learning.lock:
            began = time.monotonic()
            answer = client.post(f"{path}/predict", **ask)
            assert time.monotonic() - began < 10
        assert answer.status_code == 503
        assert "took too long" in answer.json()["detail"]
        assert until_not_busy(lambda: client.post(f"{path}/predict", **ask)).status_code == 200


def test_a_clock_that_goes_back_gives_no_second_budget(client):
    path = make_project(client, daily_budget=1, learner="perceptron")
    project = awake(client)
    now = [1_000_000.0 * 86400]
    project.writing._clock = lambda: now[0]
    shown = client.post(f"{path}/predict", json={"nodes": ["a"]}).json()["predictions"][0]
    label(client, path, "a", "ok", decision=shown["decision"])
    assert project.known.left_today(now[0]) == 0
    assert project.known.left_today(now[0] - 5 * 86400) == 0
    assert project.known.left_today(now[0] + 86400) == 1


@pytest.mark.parametrize("file", ["graph", "log.sqlite"])
def test_damaged_files_are_named_with_the_way_out(tmp_path, file):
    with app_client(tmp_path) as client:
        path = make_project(client)
        for node in "abcdef":
            label(client, path, node, "ok")
    damaged = tmp_path / "projects" / "p" / file
    data = bytearray(damaged.read_bytes())
    for snapshot in (tmp_path / "projects" / "p" / "snapshots").iterdir():
        snapshot.unlink()
    at = data.rfind(b'"node"') if file == "log.sqlite" else len(data) // 2
    data[at + 2] ^= 1
    damaged.write_bytes(bytes(data))
    with app_client(tmp_path) as client:
        answer = client.get(f"{path}/state")
        assert answer.status_code == 500
        assert "backup" in answer.json()["detail"]
        assert client.get("/health").status_code == 200


def test_a_damaged_snapshot_is_passed_over(tmp_path):
    with app_client(tmp_path) as client:
        path = make_project(client)
        for node in "abc":
            label(client, path, node, "ok")
        before = client.get(f"{path}/labels").json()
    for snapshot in (tmp_path / "projects" / "p" / "snapshots").iterdir():
        data = bytearray(snapshot.read_bytes())
        data[len(data) // 2] ^= 1
        snapshot.write_bytes(bytes(data))
    with app_client(tmp_path) as client:
        assert client.get(f"{path}/labels").json() == before


def test_a_snapshot_that_a_closed_log_cannot_keep_is_none(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
        project = awake(client)
        told = project.on_unkept = []  # which cannot be called
    before = project._snapshot_at
    project._snapshot_busy.acquire()
    project._snapshot()  # as a thread would that began before the end
    assert not project._snapshot_busy.locked()
    assert (project._snapshot_at, told) == (before, [])


def no_room(*_):
    raise StoreFull("the disk is full; nothing was written.")


def test_a_project_goes_to_sleep_and_wakes_while_no_snapshot_can_be_kept(tmp_path, monkeypatch, capsys):
    """Before, its log stayed open: who asked for another project was told that the disk is full, and this
    one was led by nobody who knew until a restart."""
    with app_client(tmp_path, most_awake=1) as client:
        first, second = make_project(client, "a"), make_project(client, "b")
        for path in (first, second):
            label(client, path, "a", "ok")
        monkeypatch.setattr(type(client.hall.awake[0].log), "keep", no_room)
        for path in (first, second, first):
            assert client.get(f"{path}/state").status_code == 200
            assert label(client, path, "b", "ok").status_code == 200
        monkeypatch.undo()
        assert client.get(f"{first}/state").json()["events"] == 3
        assert client.get(f"{second}/state").json()["events"] == 2
    said = capsys.readouterr().err
    assert "no snapshot was kept" in said
    assert '"project":"a"' in said
    assert "Traceback" not in said


def test_a_snapshot_that_could_not_be_kept_is_not_tried_with_every_label(tmp_path, monkeypatch):
    with app_client(tmp_path, snapshot_every=4) as client:
        path, tried = make_project(client), []
        log = awake(client).log
        monkeypatch.setattr(log, "keep", lambda kept: (tried.append(kept.events), no_room()))
        for i in range(16):
            label(client, path, "abcdef"[i % 6], "ok")
            client.get(f"{path}/state")  # which has learnt it
            with awake(client)._snapshot_busy:  # and whatever was begun is done
                pass
        assert 3 <= len(tried) <= 4, tried


def test_temporary_files_that_cannot_be_written_are_told(tmp_path, monkeypatch):
    with app_client(tmp_path / "data") as client:
        path = make_project(client)
        label(client, path, "a", "ok")
        client.call(client.hall.sleep("p"))
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
        told = problem(client.get(f"{path}/state"), 503)
        assert "TMPDIR" in told["detail"]
        monkeypatch.undo()
        assert client.get(f"{path}/state").json()["events"] == 1


def test_what_fails_is_written_down_also_when_quiet(client, monkeypatch, capsys):
    path = make_project(client)
    monkeypatch.setattr(hall.Hall, "names", lambda *_: 1 / 0)
    answer = client.get("/v1/projects")
    assert answer.status_code == 500
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [(line["event"], line["error"]) for line in lines] == [("error", "ZeroDivisionError")]
    assert client.get(path).status_code == 200


def test_the_count_of_the_day_is_that_of_the_snapshot(client):
    """A snapshot in the middle of a group must not count what is told again after it."""
    path = make_project(client, daily_budget=9, learner="perceptron")
    shown = client.post(f"{path}/predict", json={"nodes": list("abcd")}).json()["predictions"]
    project, seen = awake(client), []
    real = project.learning._told
    project.learning._told = lambda: (seen.append((project.learning.learnt, project.learning.book)), real())[
        1
    ]
    labels = [{"label": "ok", "decision": one["decision"]} for one in shown]
    assert client.post(f"{path}/labels", json={"labels": labels}).json() == {"events": 4}
    client.get(f"{path}/state")
    lessons = seen[-1]
    assert lessons[0] == 5
    assert lessons[1].asked_today == 4
    client.call(client.hall.sleep("p"))
    assert client.get(f"{path}/state").json()["daily_budget_left"] == 5


def test_a_project_that_wakes_longer_than_a_request_may_take_is_awake_in_the_end(tmp_path, monkeypatch):
    """It is not begun anew for every request, nor left with a writer that nobody knows."""
    with app_client(tmp_path / "data") as client:
        path = make_project(client)
        label(client, path, "a", "ok")
    opened, may_end = [], threading.Event()
    real = hall.Project

    def slow(*given):
        opened.append(given)
        assert may_end.wait(60)
        return real(*given)

    monkeypatch.setattr(hall, "Project", slow)
    with app_client(tmp_path / "data", most_time=0.2) as client:
        for _ in range(2):
            answer = client.get(f"{path}/state")
            assert answer.status_code == 503
            assert "is being woken" in answer.json()["detail"]
            assert "retry-after" in answer.headers
        may_end.set()
        assert until_not_busy(lambda: client.get(f"{path}/state")).json()["events"] == 1
        assert until_not_busy(lambda: label(client, path, "b", "ok")).json() == {"events": 2}
        assert len(opened) == 1


def test_a_project_put_to_sleep_before_it_was_used_is_woken_again(tmp_path):
    """With room for one, requests for two projects push each other out."""
    with app_client(tmp_path / "data", most_awake=1, patience=5.0) as client:
        paths = [make_project(client, name) for name in ("p", "q")]
        for _ in range(5):
            requests = [
                ("POST", f"{path}/labels", {"json": {"labels": [{"node": "a", "label": "ok"}]}})
                for path in paths * 2
            ]
            for answer in client.together(*requests):
                assert answer.status_code in (200, 503), answer.text
                if answer.status_code == 503:
                    assert "in use" in answer.json()["detail"]


def test_a_key_that_cannot_be_written_down_is_not_made(tmp_path, monkeypatch):
    """On a full disk the key might fit and its entry not: nobody would know the key, and all were out."""
    with app_client(tmp_path / "data") as client:
        store = client.hall.store
        real = store._noting
        monkeypatch.setattr(
            store, "_noting", lambda entry: [(sql + "?", values) for sql, values in real(entry)]
        )
        answer = client.post("/v1/keys", json={"name": "ann", "role": "admin"})
        assert answer.status_code == 503
        assert store.keys() == []
        monkeypatch.setattr(store, "_noting", real)
        assert client.get("/v1/keys").json() == {"keys": []}
        made = client.post("/v1/keys", json={"name": "ann", "role": "admin"})
        assert made.status_code == 201
        assert [one.action for one in store.audited()] == ["make key"]


def test_a_label_that_was_given_up_is_written_all_the_same(tmp_path, monkeypatch):
    """The client is told to send it again; with its key it is found, and nothing is written twice."""
    with app_client(tmp_path) as client:
        label(client, make_project(client), "a", "ok")
    with app_client(tmp_path, most_time=0.3) as client:
        path, may_end = "/v1/projects/p", threading.Event()
        until_not_busy(lambda: client.get(f"{path}/state"))
        real = awake(client).log.append

        def append(*given):
            assert may_end.wait(60)
            return real(*given)

        monkeypatch.setattr(awake(client).log, "append", append)
        body = {"json": {"labels": [{"node": "b", "label": "ok"}]}, "headers": {"idempotency-key": "k"}}
        assert client.post(f"{path}/labels", **body).status_code == 503
        assert client.post(f"{path}/labels", **body).status_code == 409  # under way
        may_end.set()
        end = time.monotonic() + 60
        while (answer := client.post(f"{path}/labels", **body)).status_code != 200 and time.monotonic() < end:
            time.sleep(0.05)
        assert answer.json() == {"events": 2}
        assert until_not_busy(lambda: client.get(f"{path}/state")).json()["events"] == 2
