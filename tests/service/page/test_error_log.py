"""What fails leaves a trace in a file of the project's folder, which is named and stays short."""

import json

import pytest

from serving import app_client
from zerokelvin.service.page import turns
from zerokelvin.service.routes.page import page_turn
from zerokelvin.service.web import request_log
from zerokelvin.service.web.request_log import RequestLog

EDGES = [["a", "b"], ["b", "c"], ["c", "d"]]


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path, patience=60.0, error_log=tmp_path / "errors.log") as client:
        body = {"name": "p", "graph": {"edges": EDGES}, "classes": ["x", "y"]}
        assert client.post("/v1/projects", json=body).status_code in (200, 201)
        yield client


def lines(folder):
    return [json.loads(line) for line in (folder / "errors.log").read_text().splitlines()]


def test_a_request_that_fails_is_written_down_and_says_where(client, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("out of cheese")

    assert not (tmp_path / "errors.log").exists()
    monkeypatch.setattr(page_turn, "make_turn", broken)
    answer = client.post("/v1/projects/p/turn", json={"reviewer": "ann"}, headers={"Authorization": "secret"})
    assert answer.status_code == 500
    assert str(tmp_path / "errors.log") in answer.json()["detail"]
    (told,) = lines(tmp_path)
    assert (told["error"], told["detail"]) == ("RuntimeError", "out of cheese")
    assert told["id"] == answer.json()["instance"]
    assert any("page_turn.py" in place for place in told["places"])
    assert "secret" not in json.dumps(told)
    monkeypatch.setattr(page_turn, "make_turn", turns.make_turn)
    assert client.post("/v1/projects/p/turn", json={"reviewer": "ann"}).status_code == 200


def test_a_learner_that_fails_is_written_down(client, tmp_path, monkeypatch):
    turn = {"reviewer": "ann"}
    asked = client.post("/v1/projects/p/turn", json=turn).json()["question"]
    (project,) = client.hall.awake
    monkeypatch.setattr(project.learning.session, "learn_many", lambda _: 1 // 0)
    act = {"id": "1", "kind": "answer", "node": asked["node"], "label": "x"}
    client.post("/v1/projects/p/turn", json=turn | {"acts": [act]})
    again = client.post("/v1/projects/p/turn", json=turn | {"acts": [act]}).json()
    assert again["standing"]["answered"] == 1
    (told,) = lines(tmp_path)
    assert (told["project"], told["error"]) == ("p", "ZeroDivisionError")


def test_the_file_stays_short(tmp_path, monkeypatch):
    monkeypatch.setattr(request_log, "LONG", 1000)
    log = RequestLog(on=False, file=tmp_path / "errors.log")
    for place in range(50):
        log.failure(ValueError(f"number {place}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["errors.log", "errors.log.1"]
    assert all(path.stat().st_size <= 1000 for path in tmp_path.iterdir())
    assert lines(tmp_path)[-1]["detail"] == "number 49"
