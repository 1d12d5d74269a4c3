"""What the learner thinks, over HTTP (explain, rank), the page of the API, and uploads that go too far."""

import base64
import gzip
import io
import re
import zipfile

import numpy as np
import pytest

import zerokelvin as zk
from serving import LINE, app_client, label, make_project, problem
from zerokelvin.service.projects import hall, practice_run
from zerokelvin.service.projects.practice_run import _busy, practising
from zerokelvin.service.web.route_table import all_routes


@pytest.fixture
def client(tmp_path):
    with app_client(tmp_path / "data") as found:
        yield found


def in_memory(learner):
    names = sorted({name for edge in LINE for name in edge})
    edges = np.array([[names.index(u), names.index(v)] for u, v in LINE])
    return zk.start(zk.Graph.from_edges(edges, names=names), learner, classes=["fraud", "ok"])


@pytest.mark.parametrize("learner", ["auto", "nearest", "longest-path"])
def test_explain_and_rank_say_what_the_session_says(client, learner):
    path, session = make_project(client, learner=learner), in_memory(learner)
    for node, given in (("a", "fraud"), ("f", "ok")):
        label(client, path, node, given)
        session.learn(node, given)
    own, said = session.explain("b"), client.get(f"{path}/explain", params={"node": "b"}).json()
    assert (said["node"], said["label"], said["reason"]) == ("b", own.label, own.reason)
    assert said["margin"] == pytest.approx(own.margin)
    shares = [(one.node, one.label, pytest.approx(one.share)) for one in own.contributions]
    assert [(one["node"], one["label"], one["share"]) for one in said["contributions"]] == shares
    assert said["trusted"] == pytest.approx(dict(own.trusted))
    assert said["path"] == list(own.path)
    ranked = client.get(f"{path}/rank", params={"label": "fraud"}).json()["nodes"]
    assert [one["node"] for one in ranked] == session.rank("fraud")
    for one in ranked:
        assert one["probability"] == pytest.approx(session.predict_proba_one(one["node"])["fraud"])
    limit = ranked[1]["probability"]
    above = client.get(f"{path}/rank", params={"label": "fraud", "threshold": limit}).json()["nodes"]
    assert above == [one for one in ranked if one["probability"] >= limit]
    assert 0 < len(above) <= len(ranked)
    first = client.get(f"{path}/rank", params={"label": "fraud", "limit": 1}).json()["nodes"]
    assert first == ranked[:1]


def test_readiness_says_whether_something_is_compiled(client):
    assert client.get("/ready").json()["compiling"] is False
    with _busy:
        assert client.get("/ready").json() | {"version": ""} == {
            "status": "ready",
            "version": "",
            "compiling": True,
        }


def test_readiness_says_so_while_a_first_session_is_started(client, monkeypatch):
    """Which compiles what the learner prepares with, before anything can be practised."""
    seen, real = [], hall.start_session

    def start(*given):
        seen.append(practising())
        return real(*given)

    monkeypatch.setattr(hall, "start_session", start)
    monkeypatch.setattr(practice_run, "_done", set())
    for name in "pq":
        make_project(client, name=name)
    assert seen == [True, False]
    assert client.get("/ready").json()["compiling"] is False


def test_bad_questions_are_named(client):
    path = make_project(client)
    for query in ({}, {"node": "nobody"}):
        assert problem(client.get(f"{path}/explain", params=query), 422)["errors"][0]["field"] == "node"
    for query, field in (
        ({}, "label"),
        ({"label": "Fraud"}, "label"),
        ({"label": "ok", "threshold": "2"}, "threshold"),
        ({"label": "ok", "threshold": "nan"}, "threshold"),
        ({"label": "ok", "limit": "-1"}, "limit"),
        ({"label": "ok", "limit": "1000001"}, "limit"),
    ):
        assert problem(client.get(f"{path}/rank", params=query), 422)["errors"][0]["field"] == field
    for name in ("after", "check"):
        wrong = problem(client.get(f"{path}/next", params={name: "maybe"}), 422)
        assert wrong["errors"][0]["field"] == name


def uploaded(client, data, kind):
    content = {"content": base64.b64encode(data).decode(), "format": kind}
    body = {"name": "q", "graph": content, "classes": ["x", "y"], "learner": "nearest"}
    return client.post("/v1/projects", json=body)


def test_uploads_that_go_too_far_are_refused(tmp_path):
    with app_client(tmp_path, most_body=4 << 20, most_graph=1000, most_name=50) as client:
        array, packed = io.BytesIO(), io.BytesIO()
        np.save(array, np.zeros((1, 2), dtype=np.int64))
        header = array.getvalue()[:-16].replace(b"(1, 2)", b"(9, 2)")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:  # a few KB that are 300 MB
            archive.writestr("edges.npy", header + bytes(300 << 20))
        long = ("n" * 51 + ",b\n").encode()
        entities = (
            b'<!DOCTYPE a [<!ENTITY b "'
            + b"x" * 1000
            + b'">'
            + b"".join(f'<!ENTITY {chr(99 + i)} "{f"&{chr(98 + i)};" * 10}">'.encode() for i in range(8))
            + b"]><graphml>&j;</graphml>"
        )
        many = "".join(f"a{i},b{i}\n" for i in range(600)).encode()
        for data, kind in (
            (packed.getvalue(), "npz"),
            (long, "csv"),
            (entities, "graphml"),
            (many, "csv"),
            (b"\0\1\2", "npz"),
            (b"PK\3\4", "npz"),
            (b"", "csv"),
        ):
            answer = uploaded(client, data, kind)
            assert answer.status_code in (413, 422), (kind, answer.text[:200])
            assert problem(answer, answer.status_code)["detail"]
        for node in ("n" * 51, "a\0b", 1 << 63, -(1 << 63) - 1):
            graph = {"edges": [[node, "b" if isinstance(node, str) else 1]]}
            body = {"name": "q", "graph": graph, "classes": ["x", "y"], "learner": "nearest"}
            assert client.post("/v1/projects", json=body).status_code == 422
        assert client.get("/v1/projects").json()["projects"] == []


def test_a_small_upload_does_not_take_much_memory(tmp_path):
    """Sixty million short rows of a csv come in 230 KB; before, they took 7 GB."""
    rows = gzip.compress(b"a,b\n" * 200_000)
    node = b'<node id="n"/>'
    page = gzip.compress(
        b'<graphml><graph edgedefault="undirected">' + node * 1_300_000 + b"</graph></graphml>"
    )
    with app_client(tmp_path, most_body=4 << 20, most_graph=10_000) as client:
        for data, kind, words in ((rows, "csv.gz", "rows"), (page, "graphml.gz", "bytes")):
            sent = {"content": base64.b64encode(data).decode(), "format": kind}
            body = {"name": "p", "graph": sent, "classes": ["x", "y"], "learner": "nearest"}
            told = problem(client.post("/v1/projects", json=body), 422)["detail"]
            assert words in told
            assert "on the machine of the service" in told
            assert "--limit" not in told  # which nobody can give who sends a file
        body["graph"] = {
            "content": base64.b64encode(gzip.compress(b"a,b\n" * 99_000)).decode(),
            "format": "csv.gz",
        }
        assert client.post("/v1/projects", json=body).json()["edges"] == 1


def test_the_page_shows_every_route_once_and_needs_nothing_else(client):
    page = client.get("/docs").text
    for info in all_routes():
        shown = f"{info.method}</span><code>{info.path.replace('&', '&amp;')}</code>"
        assert page.count(shown) == 1, shown
    assert "<script" not in page
    assert " style=" not in page
    assert set(re.findall(r'href="([^"#]+)"', page)) == {"/docs/style.css", "/openapi.json"}
    places = re.findall(r'href="#([^"]+)"', page)
    assert places
    assert all(f'<section id="{place}">' in page for place in places)
    style = client.get("/docs/style.css").text
    assert "prefers-color-scheme: dark" in style
    assert "max-width: 36rem" in style
