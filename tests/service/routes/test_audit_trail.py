"""The audit trail: whatever was done has its time, its key and its project, in one list."""

from datetime import datetime

import pytest

from serving import app_client, make_project, problem
from zerokelvin.service.store import open_store
from zerokelvin.service.store.chained_log import ChainedLog
from zerokelvin.service.web.access import new_key


@pytest.fixture
def service(tmp_path):
    with app_client(tmp_path) as client:
        make_project(client)
        make_project(client, "q")
    store = open_store(tmp_path)
    made = {"ann": ("label", ()), "bob": ("label", ()), "root": ("admin", ()), "sub": ("admin", ("q",))}
    keys = {name: {"authorization": f"Bearer {new_key(store, name, *rest)}"} for name, rest in made.items()}
    store.close()
    with app_client(tmp_path) as client:
        yield client, keys


def listed(client, headers, **query):
    answer = client.get("/v1/audit", params=query, headers=headers)
    assert answer.status_code == 200, answer.text
    return [(one["actor"], one["action"], one["project"], one["detail"]) for one in answer.json()["entries"]]


def test_everything_is_listed_with_who_did_it(service):
    client, keys = service
    path = "/v1/projects/p"

    def send(who, verb, body):
        answer = client.post(f"{path}/{verb}", json=body, headers=keys[who])
        assert answer.status_code == 200, answer.text

    send("ann", "labels", {"labels": [{"node": "a", "label": "ok"}, {"node": "b", "label": "fraud"}]})
    send("bob", "correct", {"node": "a", "label": "fraud"})
    send("bob", "correct", {"node": "b", "label": None})
    send("ann", "skip", {"node": "c"})
    send("bob", "teach", {"labels": [{"node": "d", "label": "ok"}]})
    send("ann", "nodes", {"nodes": ["g"], "edges": [["f", "g"]]})
    send("root", "budget", {"daily_budget": 5})
    client.get(f"{path}/next", params={"check": 1}, headers=keys["ann"])
    client.get(f"{path}/labels", headers=keys["ann"])
    log = client.get(f"{path}/log", headers=keys["root"]).content
    lines = keys["root"] | {"content-type": "application/x-ndjson"}
    assert client.post("/v1/projects/r/log", content=log, headers=lines).status_code == 201
    client.post("/v1/keys", json={"name": "eve", "role": "read"}, headers=keys["root"])
    client.request("DELETE", "/v1/keys/eve", headers=keys["root"])
    everything = listed(client, keys["root"], limit=1000)
    for entry in [
        ("local", "created", "p", ""),
        ("ann", "labelled", "p", "a: ok"),
        ("ann", "labelled", "p", "b: fraud"),
        ("bob", "corrected", "p", "a: fraud"),
        ("bob", "corrected", "p", "b: taken back"),
        ("ann", "skipped", "p", "c"),
        ("bob", "taught", "p", "d: ok"),
        ("ann", "grew the graph", "p", "1 nodes, 1 edges"),
        ("root", "set budgets", "p", "daily_budget 5, audit_share 0.0"),
        ("ann", "drew a random check", "p", ""),
        ("ann", "export labels", "p", "json"),
        ("root", "export log", "p", "9 events"),
        ("root", "import log", "r", "9 events"),
        ("root", "make key", "", "eve read"),
        ("root", "revoke key", "", "eve"),
    ]:
        assert everything.count(entry) == 1, entry
    shown = client.get("/v1/audit", headers=keys["root"]).json()["entries"]
    times = [datetime.fromisoformat(one["at"]) for one in shown]
    assert times == sorted(times, reverse=True)
    assert listed(client, keys["root"], limit=1) == [everything[0]]
    assert {who for who, *_ in listed(client, keys["root"], actor="bob")} == {"bob"}
    assert {project for _, _, project, _ in listed(client, keys["root"], project="p")} == {"p"}
    problem(client.get("/v1/audit", params={"limit": 0}, headers=keys["root"]), 422)
    problem(client.get("/v1/audit", headers=keys["ann"]), 403)


def test_an_admin_of_some_projects_sees_those(service):
    client, keys = service
    assert {project for _, _, project, _ in listed(client, keys["sub"])} == {"q"}
    problem(client.get("/v1/audit", params={"project": "p"}, headers=keys["sub"]), 422)
    assert listed(client, keys["root"], project="nothing") == []
    assert listed(client, keys["root"], project="../p") == []


def test_nothing_of_a_projects_secret_is_listed(service):
    client, keys = service
    text = client.get("/v1/audit", headers=keys["root"]).text
    assert client.hall.store is not None
    secret = client.call(client.hall.awoken("p")).created.secret
    assert secret not in text


def pages(client, headers, **query):
    """All entries of a project, page by page, and how many pages there were."""
    found, before, count = [], {}, 0
    while before is not None:
        answer = client.get("/v1/audit", params={**query, **before}, headers=headers).json()
        found += [(one["at"], one["actor"], one["action"], one["detail"]) for one in answer["entries"]]
        before = None if answer.get("next") is None else {"before": answer["next"]}
        count += 1
    return found, count


def test_pages_leave_nothing_out_and_tell_nothing_twice(service, monkeypatch):
    """Whatever the clock does, and however few events are looked at for one page."""
    client, keys = service
    path, clock = "/v1/projects/p", iter([50.0, 10.0, 70.0, 70.0, 20.0] * 20)
    awake = client.call(client.hall.awoken("p"))
    monkeypatch.setattr(awake.writing, "_clock", lambda: next(clock))
    for i in range(12):
        who = "ann" if i % 4 else "bob"
        labels = [{"node": node, "label": "ok"} for node in "abc"[: 1 + i % 3]]
        client.post(f"{path}/labels", json={"labels": labels}, headers=keys[who])
        if i % 3 == 0:
            client.get(f"{path}/labels", headers=keys["ann"])  # in the trail
    whole, _ = pages(client, keys["root"], project="p", limit=1000)
    assert len(whole) == len(list(awake.log.read())) + 4 + 1
    for limit in (1, 2, 5, len(whole)):
        assert pages(client, keys["root"], project="p", limit=limit)[0] == whole
    monkeypatch.setattr("zerokelvin.service.routes.running_it.audit_trail.SCANNED", 3)
    found, count = pages(client, keys["root"], project="p", actor="bob", limit=1000)
    assert sorted(found) == sorted(one for one in whole if one[1] == "bob")
    assert count > 5


def test_a_page_reads_no_more_of_a_log_than_it_shows(service, monkeypatch):
    client, keys = service
    labels = [{"node": "abcdef"[i % 6], "label": "ok"} for i in range(300)]
    client.post("/v1/projects/p/labels", json={"labels": labels}, headers=keys["ann"])
    read = []
    real = ChainedLog.newest

    def counted(self, *given):
        for event in real(self, *given):
            read.append(event.number)
            yield event

    monkeypatch.setattr(ChainedLog, "newest", counted)
    assert len(listed(client, keys["root"], project="p", limit=10)) == 10
    assert len(read) <= 12
    assert min(read) > 280


def test_bad_pages_and_too_many_projects_are_refused(service, monkeypatch):
    client, keys = service
    for before in ("", "7", "7.", "a.b", "-1.2", "1.2.3", "9" * 30 + ".1"):
        problem(client.get("/v1/audit", params={"project": "p", "before": before}, headers=keys["root"]), 422)
    problem(client.get("/v1/audit", params={"before": "1.1"}, headers=keys["root"]), 422)
    monkeypatch.setattr("zerokelvin.service.routes.running_it.audit_trail.MANY", 1)
    refused = problem(client.get("/v1/audit", headers=keys["root"]), 413)
    assert "?project=NAME" in refused["detail"]
