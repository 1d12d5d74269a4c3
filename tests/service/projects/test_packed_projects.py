"""Projects on packed graphs: predictions as on the graph itself, one mapping, and files that change."""

import pytest

import zerokelvin as zk
from serving import app_client
from zerokelvin.service.records import packed_reference
from zerokelvin.service.records.graph_source import GraphRules, graph_of_bytes
from zerokelvin.service.records.refusals import RefusedError

EDGES = [("a", "b", 1.0), ("b", "c", 2.0), ("c", "d", 1.0), ("d", "e", 0.5)]


@pytest.fixture
def pack(tmp_path):
    path = tmp_path / "graph.zkg"
    zk.write_graph(zk.Graph.from_edges(EDGES), path)
    return path


def make(client, name, graph, learner="nearest"):
    body = {"name": name, "graph": graph, "classes": ["x", "y"], "learner": learner}
    return client.post("/v1/projects", json=body)


def predicted(client, name):
    nodes = {"nodes": list("abcde")}
    for _ in range(60):  # the first label compiles, which takes longer than a request may on a busy machine
        answer = client.post(f"/v1/projects/{name}/predict", json=nodes)
        if answer.status_code != 503:
            break
    assert answer.status_code == 200, answer.text
    return [(one["node"], one["label"], one["probabilities"]) for one in answer.json()["predictions"]]


def teach(client, name):
    labels = {"labels": [{"node": "a", "label": "x"}, {"node": "e", "label": "y"}]}
    assert client.post(f"/v1/projects/{name}/labels", json=labels).status_code == 200


def test_as_on_the_graph_itself_also_after_a_restart(tmp_path, pack):
    data = tmp_path / "data"
    with app_client(data, graphs=tmp_path) as client:
        assert make(client, "one", {"path": "graph.zkg"}).status_code == 201
        assert make(client, "two", {"path": "graph.zkg"}).status_code == 201
        assert make(client, "plain", {"edges": EDGES}).status_code == 201
        for name in ("one", "two", "plain"):
            teach(client, name)
        expected = predicted(client, "plain")
        assert predicted(client, "one") == predicted(client, "two") == expected
        assert len(packed_reference._OPEN) == 1  # one mapping for both
        grown = client.post("/v1/projects/one/nodes", json={"nodes": ["f"], "edges": [["a", "f"]]})
        assert grown.status_code == 422
        assert "cannot grow" in grown.text
    with app_client(data, graphs=tmp_path) as client:
        assert predicted(client, "one") == expected


def test_a_pack_may_be_larger_than_what_is_sent(tmp_path, pack):
    """Nobody sends or copies it, so ten times as many nodes are allowed."""
    (tmp_path / "graph.csv").write_text("source,target\na,b\nb,c\nc,d\nd,e\n")
    zk.write_graph(zk.Graph.from_edges([(i, i + 1) for i in range(20)]), tmp_path / "long.zkg")
    with app_client(tmp_path / "data", graphs=tmp_path, most_graph=2) as client:
        assert make(client, "plain", {"path": "graph.csv"}).status_code in (413, 422)
        assert make(client, "packed", {"path": "graph.zkg"}).status_code == 201
        refused = make(client, "long", {"path": "long.zkg"})
        assert refused.status_code == 413
        assert "limit of 20 nodes" in refused.text


def test_learners_that_need_the_whole_graph_are_refused(tmp_path, pack):
    with app_client(tmp_path / "data", graphs=tmp_path) as client:
        refused = make(client, "p", {"path": "graph.zkg"}, "pounce")
        assert refused.status_code == 422
        assert "packed" in refused.text


def test_another_file_in_its_place_is_noticed(tmp_path, pack):
    data = tmp_path / "data"
    with app_client(data, graphs=tmp_path) as client:
        made = make(client, "one", {"path": "graph.zkg"})
        assert made.status_code == 201, made.text
        teach(client, "one")
    packed_reference._OPEN.clear()
    zk.write_graph(zk.Graph.from_edges(EDGES[:3]), pack)
    with app_client(data, graphs=tmp_path) as client:
        answer = client.post("/v1/projects/one/predict", json={"nodes": ["a"]})
        assert answer.status_code == 409
        assert "not the packed graph" in answer.text
        pack.unlink()
        answer = client.post("/v1/projects/one/predict", json={"nodes": ["a"]})
        assert answer.status_code == 409
        assert "there is no file" in answer.text


def test_only_files_that_may_be_read(tmp_path, pack):
    (tmp_path / "below").mkdir()
    with app_client(tmp_path / "data", graphs=tmp_path / "below") as client:
        assert make(client, "one", {"path": "../graph.zkg"}).status_code == 422


def test_a_log_from_elsewhere_may_not_name_other_files(tmp_path, pack):
    reference = packed_reference.reference_to(zk.open_graph(pack))
    rules = GraphRules(True, tmp_path / "below", 1000, 100, 1 << 20)
    (tmp_path / "below").mkdir()
    with pytest.raises(RefusedError, match="not below the folder"):
        graph_of_bytes(reference, 1000, rules)
    assert graph_of_bytes(reference, 1000) == zk.open_graph(pack)
