"""Rare classes over HTTP: questions by suspicion, the policy `find`, and costs as a policy."""

import zerokelvin as zk
from serving import app_client, label, make_project

EDGES = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["e", "f"], ["f", "g"]]
COSTS = "costs:miss=20.0,alarm=1.0,ask=0.5,class=fraud"


def questions(client, path, **query):
    found = client.get(f"{path}/next", params={"limit": 5, "reviewer": "ann", **query})
    assert found.status_code == 200, found.text
    return [one["node"] for one in found.json()["questions"]]


def test_next_goes_by_suspicion(tmp_path):
    with app_client(tmp_path / "data") as client:
        path = make_project(client, edges=EDGES, classes=["fraud", "ok"], learner="gaussian")
        session = zk.start(zk.Graph.from_edges(EDGES), "gaussian", classes=["fraud", "ok"])
        for node, name in (("a", "fraud"), ("g", "ok")):
            label(client, path, node, name)
            session.learn(node, name)
        assert questions(client, path, order="suspicion:fraud") == session.rank("fraud")
        for order in ("urgency", "suspicion:", "suspicion:frued", "policy:x"):
            refused = client.get(f"{path}/next", params={"order": order})
            assert refused.status_code in (400, 422), order
            assert "order" in refused.text


def test_a_project_finds_and_weighs_costs(tmp_path):
    with app_client(tmp_path / "data") as client:
        for name, policy in (("find", "find:fraud"), ("costs", COSTS)):
            terms = {"classes": ["fraud", "ok"], "learner": "gaussian", "policy": policy}
            path = make_project(client, name=name, edges=EDGES, **terms)
            session = zk.start(zk.Graph.from_edges(EDGES), "gaussian", classes=["fraud", "ok"], policy=policy)
            for node, given in (("a", "fraud"), ("g", "ok"), ("d", "ok")):
                label(client, path, node, given)
                session.learn(node, given)
            assert questions(client, path) == session.open_questions()
            shown = client.post(f"{path}/predict", json={"nodes": ["b", "f"]}).json()["predictions"]
            for one in shown:
                assert one["label"] == session.predict(one["node"]).label
                assert one["probabilities"]["fraud"] == session.predict_proba_one(one["node"])["fraud"]
