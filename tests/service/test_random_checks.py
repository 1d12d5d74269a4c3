"""Random checks over HTTP: drawn, answered, kept through restarts, and what they prove."""

import csv
import io

import numpy as np
import pytest

import zerokelvin as zk
from serving import app_client, label, make_project, problem
from zerokelvin.asking.coin_hash import coins
from zerokelvin.service.projects.random_checks import SALT

SIZE = 60
MOONS = zk.generators.barbell(SIZE)
EDGES = [[f"n{u}", f"n{v}"] for u, v in MOONS.graph.edges.tolist()]
TRUTH = {f"n{i}": ("x" if sign < 0 else "y") for i, sign in enumerate(MOONS.labels.tolist())}
KNOWN = [{"node": node, "label": TRUTH[node]} for node in ("n0", "n119")]


def project(client, **more):
    return make_project(client, edges=EDGES, classes=["x", "y"], learner="nearest", **more)


def in_memory():
    """The same as a session."""
    names = list(dict.fromkeys(name for edge in EDGES for name in edge))
    place = {name: i for i, name in enumerate(names)}
    edges = np.array([[place[u], place[v]] for u, v in EDGES])
    graph = zk.Graph.from_edges(edges, names=names)
    return zk.start(graph, "nearest", classes=["x", "y"])


def drawn(client, path, reviewer="ann"):
    """The check that waits for its answer."""
    found = client.get(f"{path}/next", params={"check": 1, "reviewer": reviewer}).json()["questions"]
    assert [one["check"] for one in found] == [True] * len(found)
    return found[0]["node"] if found else None


def checked(client, path, count):
    """Answer so many checks by the truth; the nodes."""
    nodes = []
    for _ in range(count):
        nodes.append(drawn(client, path))
        assert label(client, path, nodes[-1], TRUTH[nodes[-1]]).status_code == 200
    return nodes


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path / "data") as found:
        yield found


def test_checks_are_those_of_a_session_and_prove_the_same(client):
    path, session = project(client), in_memory()
    for node in ("n0", "n119"):
        label(client, path, node, TRUTH[node])
        session.learn(node, TRUTH[node])
    before = client.get(f"{path}/state").json()
    assert before["guarantee"]["checks"] == 0
    assert before["guarantee"]["error_at_most"] == 1.0
    assert "nothing is proved" in before["guarantee"]["sentence"]
    assert before["remaining_error_interval"] is None
    for _ in range(50):
        node = drawn(client, path)
        assert drawn(client, path) == node == session.random_check()
        label(client, path, node, TRUTH[node])
        session.learn(node, TRUTH[node])
    found, state = session.guarantee(), client.get(f"{path}/state").json()
    said = state["guarantee"]
    assert said["sentence"] == str(found)
    assert (said["checks"], said["unasked"], said["wrong_at_most"]) == (50, 68, found.wrong_at_most)
    assert 0 < said["error_at_most"] == found.error_at_most < 0.1
    assert state["remaining_error_interval"] == [0.0, found.wrong_at_most / 120]
    wider = client.get(f"{path}/state", params={"confidence": 0.99}).json()["guarantee"]
    assert (wider["confidence"], wider["wrong_at_most"]) == (0.99, session.guarantee(0.99).wrong_at_most)
    problem(client.get(f"{path}/state", params={"confidence": 1}), 422)


def test_a_restart_restores_the_checks_exactly(tmp_path):
    for snapshot_every in (10**6, 3):
        folder = tmp_path / str(snapshot_every)
        with app_client(folder, snapshot_every=snapshot_every) as client:
            path = project(client)
            client.post(f"{path}/teach", json={"labels": KNOWN})
            checked(client, path, 21)
            waiting, before = drawn(client, path), client.get(f"{path}/state").json()
            client.call(client.hall.sleep("p"))
            if snapshot_every > 3:  # from scratch
                for kept in folder.rglob("*snapshot*/*"):
                    kept.unlink()
        with app_client(folder) as client:
            after = client.get(f"{path}/state").json()
            assert after["guarantee"] == before["guarantee"]
            assert after["guarantee"]["checks"] == 21
            events = after["events"]
            assert drawn(client, path) == waiting
            assert client.get(f"{path}/state").json()["events"] == events  # nothing was drawn anew


def test_a_log_that_is_imported_has_its_checks(client):
    path = project(client, audit_share=0.5)
    client.post(f"{path}/teach", json={"labels": KNOWN})
    checked(client, path, 12)
    lines = client.get(f"{path}/log").content
    made = client.post("/v1/projects/q/log", content=lines, headers={"content-type": "application/x-ndjson"})
    assert made.status_code == 201
    other, own = (client.get(f"/v1/projects/{name}/state").json()["guarantee"] for name in "qp")
    assert other == own
    assert own["checks"] == 12
    assert client.get("/v1/projects/q").json()["audit_share"] == 0.5


def test_one_reviewer_at_a_time_looks_at_a_check(client):
    path = project(client)
    node = drawn(client, path, reviewer="ann")
    assert drawn(client, path, reviewer="bob") is None
    assert drawn(client, path, reviewer="ann") == node
    asked = client.get(f"{path}/next", params={"reviewer": "ann"}).json()["questions"][0]
    assert (asked["node"], asked["check"]) == (node, True)
    other = client.get(f"{path}/next", params={"reviewer": "bob"}).json()["questions"][0]
    assert other["node"] != node
    assert not other["check"]
    client.post(f"{path}/skip", json={"node": node})
    assert drawn(client, path, reviewer="bob") != node


def test_a_share_of_the_questions_are_checks(client):
    path = project(client, audit_share=0.3)
    client.post(f"{path}/teach", json={"labels": KNOWN})
    assert client.get(path).json()["audit_share"] == 0.3
    kinds = []
    for _ in range(60):
        one = client.get(f"{path}/next").json()["questions"][0]
        kinds.append(one["check"])
        label(client, path, one["node"], TRUTH[one["node"]])
    assert kinds == (coins(SALT, np.arange(60)) < 0.3).tolist()
    assert client.get(f"{path}/state").json()["guarantee"]["checks"] == sum(kinds)
    assert client.post(f"{path}/budget", json={"audit_share": 0}).status_code == 200
    assert client.get(path).json()["audit_share"] == 0
    more = [client.get(f"{path}/next", params={"reviewer": str(i)}).json()["questions"] for i in range(10)]
    assert not any(one["check"] for questions in more for one in questions)
    for (one,) in more:
        label(client, path, one["node"], TRUTH[one["node"]])
    assert client.post(f"{path}/budget", json={"audit_share": 1}).status_code == 200
    assert client.get(f"{path}/next", params={"reviewer": "zoe"}).json()["questions"][0]["check"]
    for wrong in (-0.1, 1.5, None):
        problem(client.post(f"{path}/budget", json={"audit_share": wrong}), 422)


def test_when_every_node_has_its_answer_nothing_is_drawn(client):
    path = make_project(client)
    for node in "abcdef":
        assert drawn(client, path) is not None
        label(client, path, node, "ok")
    events = client.get(f"{path}/state").json()["events"]
    assert drawn(client, path) is None
    state = client.get(f"{path}/state").json()
    assert state["events"] == events
    assert state["guarantee"]["sentence"] == "every label has been asked for"


def test_the_labels_go_out_with_what_is_proved_of_them(client):
    path = project(client)
    client.post(f"{path}/teach", json={"labels": KNOWN})
    checked(client, path, 40)
    sentence = client.get(f"{path}/state").json()["guarantee"]["sentence"]
    assert "40 random checks" in sentence
    table = client.get(f"{path}/labels")
    assert table.json()["guarantee"]["sentence"] == sentence
    assert table.headers["zerokelvin-guarantee"] == sentence
    sheet = client.get(f"{path}/labels", params={"format": "csv", "certificate": 1}).text
    assert sheet.splitlines()[0] == f"# {sentence}"
    plain = client.get(f"{path}/labels", params={"format": "csv"})
    assert plain.headers["zerokelvin-guarantee"] == sentence
    assert len(list(csv.DictReader(io.StringIO(plain.text)))) == 120


def test_an_archived_project_draws_no_check(client):
    path = project(client, audit_share=1.0)
    client.post(f"{path}/archive", json={})
    answer = client.get(f"{path}/next", params={"check": 1})
    assert answer.json()["questions"] == []
