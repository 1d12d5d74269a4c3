"""When something fails: a full disk, a lost lead, a learner that is slow or breaks, a clock set back."""

import threading
import time

import pytest

from serving import app_client, label, make_project
from zerokelvin.service.store import LeadLost, StoreError, StoreFull, StoreUnavailable


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path / "data", patience=0.3, most_queue=8) as found:
        yield found


def awake(client):
    return client.hall._awake["p"]


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


def test_a_slow_learner_slows_writers_down_and_readers_are_told(client):
    path = make_project(client)
    label(client, path, "a", "ok")
    project = awake(client)
    free = threading.Event()
    real = project.learning.session.learn_many

    def slowly(pairs):
        free.wait(10)
        real(pairs)

    project.learning.session.learn_many = slowly
    assert label(client, path, "b", "ok").json() == {"events": 2}  # on the disk, not learnt yet
    began = time.monotonic()
    busy = client.post(f"{path}/predict", json={"nodes": ["c"]})
    assert busy.status_code == 503
    assert "still being learnt" in busy.json()["detail"]
    assert 0.2 < time.monotonic() - began < 5
    free.set()
    del project.learning.session.learn_many
    told = client.post(f"{path}/predict", json={"nodes": ["c"]})
    assert told.json()["events"] == 2


def test_a_full_queue_is_told(client, monkeypatch):
    path = make_project(client)
    project = awake(client)
    held, real = threading.Event(), project.log.append
    monkeypatch.setattr(project.log, "append", lambda *given: held.wait(10) and real(*given))
    body = {"labels": [{"node": "a", "label": "ok"}]}

    def release():
        time.sleep(0.5)
        held.set()

    threading.Thread(target=release).start()
    answers = client.together(*[("POST", f"{path}/labels", {"json": body})] * 40)
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) == {200, 503}
    assert "wait to be written" in next(a for a in answers if a.status_code == 503).json()["detail"]
    assert client.get(f"{path}/state").json()["events"] == statuses.count(200)
    assert project.writing.groups < statuses.count(200)  # they were written in groups


def test_a_request_that_takes_too_long_is_given_up(tmp_path):
    with app_client(tmp_path, most_time=0.3) as client:
        path = make_project(client)
        project = awake(client)
        with project.learning.lock:
            began = time.monotonic()
            answer = client.post(f"{path}/predict", json={"nodes": ["a"]})
            assert time.monotonic() - began < 5
        assert answer.status_code == 503
        assert "took too long" in answer.json()["detail"]
        assert client.post(f"{path}/predict", json={"nodes": ["a"]}).status_code == 200


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
    with pytest.raises(StoreError, match="closed"):
        project._keep(project.session, 1, project.learning.book)
    project._snapshot_busy.acquire()
    project._snapshot()  # as a thread would that began before the end
    assert not project._snapshot_busy.locked()


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
