"""The audit trail: whatever was done has its time, its key and its project, in one list."""

from datetime import datetime

import pytest

from serving import app_client, make_project, problem
from zerokelvin.service.store import open_store
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
