"""Attributes of nodes in the service: predictions are those of a session that was given the same."""

import base64

import numpy as np
import pytest
import scipy.sparse as sp

import zerokelvin as zk
from serving import Served, app_client, label, problem
from zerokelvin.client.requests import create_wish

COUNT = 24
NAMES = [f"n{i:02}" for i in range(COUNT)]
EDGES = [[NAMES[i], NAMES[i + 1]] for i in range(COUNT - 1)]
TABLE = {
    "age": [30.0 + 5 * (i % 3) if i % 7 else None for i in range(COUNT)],
    "town": ["Ulm" if i % 2 else "Bonn" for i in range(COUNT)],
    "says": ["cheap loans now" if i % 2 else "my garden gate" for i in range(COUNT)],
}
ROWS = [[float(i % 2), float(i), None if i % 5 == 0 else 1.0 + i] for i in range(COUNT)]
ANSWERS = [(NAMES[i], "odd" if i % 2 else "even") for i in (3, 8, 13, 20, 1)]


def make(client, attributes, learner="auto", **more):
    body = {"name": "p", "graph": {"edges": EDGES}, "classes": ["even", "odd"], "learner": learner}
    return client.post("/v1/projects", json={**body, "attributes": attributes, **more})


def session_with(table, answers=ANSWERS):
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(COUNT - 1)], names=NAMES)
    session = zk.start(graph, attributes=table, classes=["even", "odd"])
    for node, told in answers:
        session.learn(node, told)
    return session


def shares(client, names=NAMES):
    found = client.post("/v1/projects/p/predict", json={"nodes": list(names)}).json()["predictions"]
    return [[one["probabilities"]["even"], one["probabilities"]["odd"]] for one in found]


def expected(session, names=NAMES):
    return [[session.predict_proba_one(name)[c] for c in ("even", "odd")] for name in names]


def with_node(table):
    order = list(range(COUNT))[::-1]
    return {"node": [NAMES[i] for i in order], **{k: [v[i] for i in order] for k, v in table.items()}}


def as_csv(table):
    lines = ["node," + ",".join(table)]
    for i, name in enumerate(NAMES):
        cells = [table[key][i] for key in table]
        lines.append(",".join([name, *("" if cell is None else str(cell) for cell in cells)]))
    return base64.b64encode("\n".join(lines).encode()).decode()


@pytest.mark.parametrize("form", ["columns", "by name", "file", "rows"])
def test_predictions_are_those_of_a_session(tmp_path, form):
    given = {
        "columns": {"columns": TABLE},
        "by name": {"columns": with_node(TABLE)},
        "file": {"content": as_csv(TABLE), "format": "csv"},
        "rows": {"rows": ROWS},
    }[form]
    with app_client(tmp_path) as client:
        made = make(client, given)
        assert made.status_code == 201, made.text
        assert made.json()["attributes"] == (4 if form == "rows" else 6)
        for node, told in ANSWERS:
            label(client, "/v1/projects/p", node, told)
        session = session_with(np.array(ROWS, dtype=float) if form == "rows" else TABLE)
        assert shares(client) == expected(session)
        plain = zk.start(session.graph.with_attributes(None), classes=["even", "odd"])
        plain.learn_many(ANSWERS)
        assert shares(client) != expected(plain)
        why = client.get("/v1/projects/p/explain?node=n05").json()
        assert why["attributes"] == session.explain("n05").attributes
        assert why["attributes"]


def test_they_survive_growth_snapshots_and_kill_9(tmp_path):
    more = {"age": [35.0, None], "town": ["Ulm", "Wien"], "says": ["loans", "a garden"]}
    session = session_with(TABLE)
    session.add_nodes(["x", "y"], [("x", "n03"), ("y", "n08")], attributes=more)
    session.learn("x", "odd")
    wanted = expected(session, [*NAMES, "x", "y"])
    new = {
        "nodes": ["x", "y"],
        "edges": [["x", "n03"], ["y", "n08"]],
        "attributes": {"columns": {"node": ["y", "x"], **{k: v[::-1] for k, v in more.items()}}},
    }
    with app_client(tmp_path, snapshot_every=3) as client:
        assert make(client, {"columns": TABLE}).status_code == 201
        for node, told in ANSWERS:
            label(client, "/v1/projects/p", node, told)
        added = client.post("/v1/projects/p/nodes", json=new)
        assert added.status_code == 200, added.text
        label(client, "/v1/projects/p", "x", "odd")
        assert shares(client, [*NAMES, "x", "y"]) == wanted
        log = client.get("/v1/projects/p/log").content
    with app_client(tmp_path) as client:  # from the snapshot of the grown graph
        assert shares(client, [*NAMES, "x", "y"]) == wanted
    for kept in (tmp_path / "projects" / "p").glob("snapshots/*"):
        kept.unlink()
    with app_client(tmp_path) as client:  # from the log
        assert shares(client, [*NAMES, "x", "y"]) == wanted
        received = client.post(
            "/v1/projects/q/log", content=log, headers={"content-type": "application/x-ndjson"}
        )
        assert received.status_code == 201, received.text
        found = client.post("/v1/projects/q/predict", json={"nodes": ["y"]}).json()["predictions"][0]
        assert [found["probabilities"][c] for c in ("even", "odd")] == wanted[-1]


def test_a_node_added_and_killed_at_once(tmp_path):
    import httpx

    with Served(tmp_path, "--quiet") as served, httpx.Client(base_url=served.url, timeout=120) as client:
        assert make(client, {"columns": TABLE}).status_code == 201
        new = {"nodes": ["x"], "edges": [], "attributes": {"columns": {"town": ["Ulm"]}}}
        assert client.post("/v1/projects/p/nodes", json=new).status_code == 200
        before = shares(client, [*NAMES, "x"])
        served.process.kill()
    with Served(tmp_path, "--quiet") as served, httpx.Client(base_url=served.url, timeout=120) as client:
        assert shares(client, [*NAMES, "x"]) == before


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "attributes"),
        ({"columns": {"a": [1]}, "rows": [[1.0]]}, "attributes"),
        ({"columns": {}}, "attributes.columns"),
        ({"columns": {"a": [1, 2]}}, "attributes"),
        ({"columns": {"node": ["nobody"], "a": [1]}}, "attributes"),
        ({"columns": {"a": [1, "x"] + [1] * (COUNT - 2)}}, None),
        ({"rows": [[1.0], [1.0, 2.0]]}, "attributes.rows[1]"),
        ({"rows": [[1.0]] * 3}, "attributes"),
        ({"content": "!", "format": "csv"}, "attributes.content"),
        ({"content": "", "format": "exe"}, "attributes.format"),
        ({"path": "/etc/shadow-of-nothing"}, "attributes.path"),
    ],
)
def test_what_cannot_be_used_is_refused_with_its_field(tmp_path, given, field):
    with app_client(tmp_path) as client:
        answer = make(client, given)
        if field is None:  # a column with text in it is one of text
            assert answer.status_code == 201, answer.text
            return
        assert [one["field"] for one in problem(answer, 422)["errors"]] == [field], answer.text


def test_new_nodes_bring_them_as_they_were_given(tmp_path):
    with app_client(tmp_path) as client:
        assert make(client, {"rows": ROWS}).status_code == 201
        for wrong in ({"columns": {"age": [1.0]}}, {"rows": [[1.0]]}, {"rows": [[1.0] * 3] * 2}):
            new = {"nodes": ["x"], "attributes": wrong}
            problem(client.post("/v1/projects/p/nodes", json=new), 422)
        new = {"nodes": ["x"], "attributes": {"rows": [[1.0, 2.0, None]]}}
        assert client.post("/v1/projects/p/nodes", json=new).status_code == 200
        problem(client.post("/v1/projects", json={
            "name": "q", "graph": {"edges": EDGES}, "classes": ["a", "b"], "params": {"attributes": "x"}
        }), 422)  # fmt: skip


def test_damaged_attributes_in_an_uploaded_graph_are_refused(tmp_path):
    graph = zk.Graph.from_edges(EDGES).with_attributes(TABLE)
    path = tmp_path / "graph.npz"
    zk.write_graph(graph, path)
    with np.load(path) as file:
        arrays = dict(file)
    with app_client(tmp_path / "data") as client:
        for key, value, status in [
            (None, None, 201),
            ("attributes_indices", arrays["attributes_indices"] + 100, 422),
            ("attributes_indptr", arrays["attributes_indptr"][::-1], 422),
            ("attributes_data", arrays["attributes_data"] * np.nan, 422),
            ("attributes_rules", np.frombuffer(b"{}", np.uint8), 422),
            ("attributes_basis", np.ones((3, 3)), 422),
        ]:
            np.savez(path, **(arrays if key is None else arrays | {key: value}))
            sent = {"content": base64.b64encode(path.read_bytes()).decode(), "format": "npz"}
            body = {"name": key or "whole", "graph": sent, "classes": ["a", "b"]}
            answer = client.post("/v1/projects", json=body)
            assert answer.status_code == status, answer.text


def test_a_client_sends_what_a_session_takes():
    frame_like = {"age": [31, float("nan")], "town": ["Ulm", None]}
    pandas = pytest.importorskip("pandas").DataFrame(frame_like)
    for given in (frame_like, pandas):
        wanted = create_wish("p", [["a", "b"]], ["x", "y"], {"attributes": given}).body
        assert wanted.attributes.columns == {"age": [31, None], "town": ["Ulm", None]}
    wanted = create_wish("p", [["a", "b"]], ["x", "y"], {"attributes": np.array([[1.0], [np.nan]])}).body
    assert wanted.attributes.rows == [[1.0], [None]]
    words = sp.csr_array([[1.0, 0.0], [0.0, 2.0]])
    wanted = create_wish("p", [["a", "b"]], ["x", "y"], {"attributes": words}).body
    assert wanted.attributes.format == "npz"
    with pytest.raises(zk.errors.ParameterError, match="attributes="):
        create_wish("p", zk.Graph.from_edges(EDGES).with_attributes(TABLE), ["x", "y"], {})


def test_labelling_predicts_from_the_table_beside_the_nodes(tmp_path):
    from zerokelvin.labelling.reading import prepare, read_items
    from zerokelvin.labelling.source import ItemOptions

    edges, table = tmp_path / "edges.csv", tmp_path / "accounts.csv"
    edges.write_text("source,target\n" + "\n".join(f"{a},{b}" for a, b in EDGES))
    rows = [f"{n},{TABLE['town'][i]},{i % 2},{'odd' if i % 2 else ''}" for i, n in enumerate(NAMES)]
    table.write_text("account,town,flag,verdict\n" + "\n".join(rows))
    options = ItemOptions(label="verdict", attributes=table)
    prepared = prepare(read_items(edges, options), options)
    assert set(prepared.graph.attributes.columns) == {"flag", "town=Bonn", "town=Ulm"}  # not the verdict
    assert prepared.items.labels[1] == "odd"
    assert "predictions use the edges and town, flag" in prepared.said
    table.write_text("account,comment\n" + "\n".join(f"{n},word{i}" for i, n in enumerate(NAMES)))
    options = ItemOptions(attributes=table)
    prepared = prepare(read_items(edges, options), options)
    assert prepared.graph.attributes is None
    assert any("shown and not predicted from" in one for one in prepared.said)


def test_zerokelvin_label_with_attributes_goes_on_after_a_kill(tmp_path):
    import subprocess
    import sys

    import httpx

    edges, table = tmp_path / "edges.csv", tmp_path / "accounts.csv"
    edges.write_text("source,target\n" + "\n".join(f"{a},{b}" for a, b in EDGES))
    table.write_text("node,town\n" + "\n".join(f"{n},{TABLE['town'][i]}" for i, n in enumerate(NAMES)))
    words = ["label", str(edges), "--attributes", str(table), "--classes", "even,odd", "--no-browser"]
    command = [sys.executable, "-m", "zerokelvin", *words, "--project", str(tmp_path / "work")]
    before = None
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            address = process.stdout.readline().split()[2].partition("/label/")[0]
            with httpx.Client(base_url=address, timeout=120) as client:
                path = "/v1/projects/edges"
                assert client.get(path).json()["attributes"] == 2
                if before is None:
                    for k in range(3):
                        asked = client.post(f"{path}/turn", json={"reviewer": "a"}).json()["question"]
                        told = "odd" if int(asked["node"][1:]) % 2 else "even"
                        act = {"id": str(k), "kind": "answer", "node": asked["node"], "label": told}
                        client.post(f"{path}/turn", json={"reviewer": "a", "acts": [act]})
                found = client.get(f"{path}/labels").json()["labels"]
            if before is not None:
                assert found == before
            before = found
        finally:
            process.kill()
            process.communicate()
    right = sum(one["label"] == ("odd" if int(one["node"][1:]) % 2 else "even") for one in before)
    assert right >= COUNT - 2  # towns tell; edges alone mislead


def test_a_project_is_made_with_its_known_labels_or_not_at_all(tmp_path, monkeypatch):
    from zerokelvin.labelling.reading import prepare, read_items
    from zerokelvin.labelling.source import ItemOptions
    from zerokelvin.service.page.page_project import create_page_project
    from zerokelvin.service.store import open_store
    from zerokelvin.service.store.sqlite_log import SqliteLog

    table = tmp_path / "rows.csv"
    table.write_text("a,b,kind\n" + "\n".join(f"{i},{i * i},{'x' if i < 3 else ''}" for i in range(12)))
    options = ItemOptions(label="kind")
    prepared = prepare(read_items(table, options), options)
    monkeypatch.setattr(SqliteLog, "append", lambda *_: pytest.fail("a second transaction"))
    store = open_store(tmp_path / "data")
    create_page_project(store, tmp_path / "data", "rows", prepared, ["x", "y"], open_classes=False)
    log = store.open("rows")
    assert [event.kind for event in log.read(0)] == ["created", "teach", "teach", "teach"]
    log.close()
    store.close()
