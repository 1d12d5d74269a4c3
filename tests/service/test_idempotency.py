"""Idempotency-Keys where projects are made, put away and taken along: once, and answered alike for ever."""

import threading

import pytest

from serving import JSON, LINE, app_client, label, problem
from zerokelvin.client.requests import pause_before
from zerokelvin.service.projects import hall


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path / "data") as found:
        yield found


def test_a_key_that_made_a_project_makes_no_other(tmp_path):
    body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
    with app_client(tmp_path) as client:
        refused = client.post("/v1/projects", json=body | {"classes": []}, headers={"idempotency-key": "k"})
        problem(refused, 422)  # nothing was done with the key, so that it is free still
        first = client.post("/v1/projects", json=body, headers={"idempotency-key": "k"})
        assert first.status_code == 201
    with app_client(tmp_path) as client:
        other = client.post("/v1/projects", json=body | {"name": "q"}, headers={"idempotency-key": "k"})
        assert problem(other, 422)["errors"][0]["field"] == "Idempotency-Key"
        assert client.get("/v1/projects").json()["projects"] == ["p"]
        again = client.post("/v1/projects", json=body, headers={"idempotency-key": "k"})
        assert (again.status_code, again.content) == (201, first.content)


def test_a_key_that_was_noted_and_made_nothing_is_free(client):
    """As after a kill between the note and the project."""
    client.hall.store.note_making("local:k", "q")
    body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
    assert client.post("/v1/projects", json=body, headers={"idempotency-key": "k"}).status_code == 201


def test_answers_are_given_again_as_they_were(client):
    """Whatever happened since: labels, a restoration after the archiving, an archiving after the making."""
    body = {"name": "p", "graph": {"edges": LINE}, "classes": ["fraud", "ok"], "learner": "nearest"}
    requests = [
        ("/v1/projects", {"json": body}),
        ("/v1/projects/p/archive", {"json": {}}),
        ("/v1/projects/p/restore", {"json": {}}),
    ]
    answers = []
    for i, (path, more) in enumerate(requests):
        answers.append(client.post(path, headers={"idempotency-key": f"k{i}"}, **more))
        assert answers[-1].status_code < 300
    assert [answer.json()["archived"] for answer in answers] == [False, True, False]
    assert [answer.json()["events"] for answer in answers] == [0, 1, 2]
    shown = client.get("/v1/projects/p").json()
    assert shown == answers[2].json()
    text = client.get("/v1/projects/p/log").content
    kind = {"content-type": "application/x-ndjson", "idempotency-key": "log"}
    requests.append(("/v1/projects/copy/log", {"content": text}))
    answers.append(client.post(requests[-1][0], content=text, headers=kind))
    label(client, "/v1/projects/p", "a", "ok")
    client.post("/v1/projects/copy/archive", json={})
    client.call(client.hall.sleep("p"))
    for i, ((path, more), before) in enumerate(zip(requests, answers, strict=True)):
        headers = kind if "content" in more else {"idempotency-key": f"k{i}"}
        again = client.post(path, headers=headers, **more)
        assert (again.status_code, again.content) == (before.status_code, before.content)
    assert client.get("/v1/projects/p/state").json()["events"] == 3
    problem(client.post("/v1/projects/copy/log", content=text + b"\n", headers=kind), 422)
    created = [entry for entry in client.hall.store.audited() if entry.action in ("create", "import log")]
    assert len(created) == 2


def test_a_log_may_be_larger_than_other_requests(tmp_path):
    with app_client(tmp_path / "data", most_body=1000) as client:
        body = {"name": "p", "graph": {"edges": LINE}, "classes": ["fraud", "ok"], "learner": "nearest"}
        assert client.post("/v1/projects", json=body).status_code == 201
        for node in "abcdef":
            label(client, "/v1/projects/p", node, "ok", source="x" * 150)
        text = client.get("/v1/projects/p/log").content
        assert len(text) > 2000
        kind = {"content-type": "application/x-ndjson"}
        assert client.post("/v1/projects/q/log", content=text, headers=kind).json()["events"] == 6
        problem(client.post("/v1/projects/p/teach", content=text, headers=JSON), 413)


def test_a_project_that_is_being_made_is_a_conflict_that_says_when_to_come_back(client, monkeypatch):
    reached, go = threading.Event(), threading.Event()

    def slowly(session):
        reached.set()
        assert go.wait(30)

    monkeypatch.setattr(hall, "practise", slowly)
    body = {"name": "p", "graph": {"edges": LINE}, "classes": ["x", "y"], "learner": "nearest"}
    sent = {"json": body, "headers": {"idempotency-key": "k"}}
    answers = []
    first = threading.Thread(target=lambda: answers.append(client.post("/v1/projects", **sent)))
    first.start()
    assert reached.wait(30)
    under_way = client.post("/v1/projects", **sent)
    assert "under way" in problem(under_way, 409)["detail"]
    assert pause_before(409, under_way.headers["retry-after"], 0) == 1.0  # so that zk.Client sends it again
    go.set()
    first.join(30)
    assert answers[0].status_code == 201
    assert client.post("/v1/projects", **sent).content == answers[0].content
    other = client.post("/v1/projects", json=body)
    assert problem(other, 409)
    assert pause_before(409, other.headers.get("retry-after"), 0) is None
