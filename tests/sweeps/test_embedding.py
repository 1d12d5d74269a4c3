"""Embeddings on disk against scipy's eigenvalues, on any number of workers, after any loss."""

import json
import os
import shutil
import signal
from pathlib import Path

import numpy as np
import psutil
import pytest
from scipy.sparse.linalg import eigsh

import zerokelvin as zk
from zerokelvin.errors import DataError, GraphError, ParameterError
from zerokelvin.io.embeddings.embedding_files import reserve_array
from zerokelvin.sweeps.choosing import choose_place
from zerokelvin.sweeps.columns import column_embedding
from zerokelvin.sweeps.columns.column_embedding import Embedding, embed_graph
from zerokelvin.sweeps.columns.column_stage import ColumnStage
from zerokelvin.sweeps.places import Threads

RANK = 19


def blocks(sizes=(100,) * 20, inside=0.2, across=0.004, seed=0):
    return zk.generators.planted_partition(list(sizes), inside, across, np.random.default_rng(seed)).graph


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    path = tmp_path_factory.mktemp("pack") / "graph.zkg"
    zk.write_graph(blocks(), path)
    return path


@pytest.fixture(scope="module")
def here(pack, tmp_path_factory):
    return embed_graph(pack, tmp_path_factory.mktemp("here"), RANK)


def content(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


def test_eigenpairs_are_those_of_scipy(here):
    graph = blocks()
    expected = eigsh(graph.laplacian().tocsc(), RANK + 1, sigma=-1e-3)[0][1:]
    assert here.values == pytest.approx(expected, abs=1e-6)
    vectors = np.asarray(here.X[:, 1:]) * np.sqrt(here.values)
    assert vectors.T @ vectors == pytest.approx(np.eye(RANK), abs=1e-3)
    left = np.linalg.norm(graph.laplacian() @ vectors - vectors * here.values, axis=0)
    assert left.max() <= 1e-3
    assert left == pytest.approx(here.manifest["residuals"], abs=1e-9)
    assert (here.X[:, 0] == np.sqrt(2.0)).all()
    assert here.manifest["turns"] > 0  # filtered, not the whole spectrum at once


def test_disconnected_graphs_with_weights_and_lone_nodes(tmp_path, monkeypatch):
    monkeypatch.setattr(column_embedding, "SMALL", 100)
    rng = np.random.default_rng(1)
    parts = [blocks((80, 80, 80), 0.2, 0.02, seed=s) for s in range(4)]
    edges, weights, first = [], [], 0
    for part in parts:
        for u in range(part.num_nodes):
            edges += [(first + u, first + v) for v in part.neighbors(u).tolist() if u < v]
        first += part.num_nodes
    weights = rng.uniform(0.5, 2.0, len(edges))
    graph = zk.Graph.from_edges(edges, weights, num_nodes=first + 3)
    assert graph.num_components == 7
    zk.write_graph(graph, tmp_path / "g.zkg")
    found = embed_graph(tmp_path / "g.zkg", tmp_path / "emb", 10)
    whole = np.linalg.eigvalsh(graph.laplacian().toarray())
    assert found.values == pytest.approx(whole[7:17], abs=1e-5)
    assert found.manifest["components"] == 7
    assert found.manifest["turns"] > 0
    assert np.abs(found.X[-3:, 1:]).max() < 1e-5  # nodes without edges lie at the constant
    assert found.X[:240, 1:].sum(axis=0) == pytest.approx(np.zeros(10), abs=1e-3)


@pytest.mark.parametrize("kind", ["threads", "processes", "dask"])
def test_any_number_of_workers_writes_the_same_bytes(kind, here, pack, tmp_path):
    places = {"threads": lambda: Threads(3), "processes": lambda: choose_place(jobs=2)}
    places["dask"] = lambda: choose_place(cluster="local:2")
    with places[kind]() as place:
        embed_graph(pack, tmp_path, RANK, place=place)
    assert content(tmp_path) == content(here.__reduce__()[1][0])


@pytest.mark.parametrize("where", [{"jobs": 2}, {"cluster": "local:2"}])
def test_a_worker_killed_on_the_way_changes_nothing(where, here, pack, tmp_path):
    me, killed = psutil.Process(), []

    def kill_one(_task, done, _total):
        if not killed and done:
            workers = [p for p in me.children(recursive=True) if "spawn_main" in " ".join(p.cmdline())]
            killed.append(workers[-1].pid)
            os.kill(workers[-1].pid, signal.SIGKILL)

    with choose_place(**where) as place:
        embed_graph(pack, tmp_path, RANK, place=place, progress=kill_one)
    assert killed
    assert content(tmp_path) == content(here.__reduce__()[1][0])


class StopError(Exception):
    pass


@pytest.mark.parametrize("after", [1, 3, 7, 9, 15, 18])
def test_stopped_anywhere_it_goes_on_from_the_last_block(after, here, pack, tmp_path, monkeypatch):
    done = []
    compute = ColumnStage.compute

    def counting(stage, job):
        if len(done) == after:
            raise StopError
        found = compute(stage, job)
        done.append(job["do"])
        return found

    monkeypatch.setattr(ColumnStage, "compute", counting)
    with pytest.raises(StopError):
        embed_graph(pack, tmp_path, RANK)
    with pytest.raises(DataError, match="no finished embedding"):
        zk.open_embedding(tmp_path)
    turn = json.loads((tmp_path / "work/state.json").read_text())["turn"] if after > 2 else None
    monkeypatch.setattr(ColumnStage, "compute", lambda s, j: done.append(j["do"]) or compute(s, j))
    first = len(done)
    embed_graph(pack, tmp_path, RANK)
    assert content(tmp_path) == content(here.__reduce__()[1][0])
    if turn is not None:
        assert "draw" not in done[first:]
    assert not (tmp_path / "work").exists()


def test_what_is_there_is_not_made_again(here, pack, monkeypatch):
    monkeypatch.setattr(ColumnStage, "compute", lambda *_: pytest.fail("computed again"))
    again = embed_graph(pack, here.__reduce__()[1][0], RANK)
    assert again.content_hash == here.content_hash


def test_a_tolerance_that_cannot_be_kept_is_an_error_and_goes_on(pack, tmp_path, here):
    with pytest.raises(GraphError, match=r"after 1 turns the largest residual is .* raise --turns"):
        embed_graph(pack, tmp_path, RANK, turns=1)
    with pytest.raises(GraphError, match="32 bits"):
        embed_graph(pack, tmp_path, RANK, tol=1e-8)
    assert not (tmp_path / "manifest.json").exists()
    found = embed_graph(pack, tmp_path, RANK)
    assert max(found.manifest["residuals"]) <= 1e-3


def test_an_embedding_that_is_there_is_taken_only_if_it_keeps_the_tolerance(tmp_path):
    """The tolerance is relative to the largest eigenvalue wanted, here far below 1."""
    graph = blocks()
    edges = graph.edges
    zk.write_graph(zk.Graph.from_edges(edges, np.full(len(edges), 1e-3), num_nodes=2000), tmp_path / "g.zkg")
    rough = embed_graph(tmp_path / "g.zkg", tmp_path / "emb", 10, tol=0.2)
    wanted = 1e-3 * min(1.0, rough.values[-1])
    assert wanted < rough.manifest["residual"] < 1e-3
    assert embed_graph(tmp_path / "g.zkg", tmp_path / "emb", 10, tol=1e-3).manifest["residual"] <= wanted


def test_what_is_there_stays_until_another_is_done(here, pack, tmp_path):
    folder = tmp_path / "emb"
    shutil.copytree(here.__reduce__()[1][0], folder)
    before = content(folder)
    with pytest.raises(GraphError, match="raise --turns"):
        embed_graph(pack, folder, 5, turns=1)
    assert content(folder) == before
    assert zk.open_embedding(folder).manifest["rank"] == RANK
    assert embed_graph(pack, folder, 5).manifest["rank"] == 5


def test_one_that_is_damaged_is_made_again(here, pack, tmp_path):
    folder = tmp_path / "emb"
    shutil.copytree(here.__reduce__()[1][0], folder)
    (folder / "manifest.json").write_text("{")
    embed_graph(pack, folder, RANK)
    assert content(folder) == content(here.__reduce__()[1][0])


def test_two_at_once_are_refused(pack, tmp_path):
    made = Embedding(pack, tmp_path, 5)
    made.work.mkdir()
    with made._alone(), pytest.raises(DataError, match="another process is at work"):
        embed_graph(pack, tmp_path, 5)
    assert embed_graph(pack, tmp_path, 5).num_nodes == 2000


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="no such call here")
def test_room_is_taken_before_it_is_written_to(tmp_path):
    """A mapped file without room on the disk ends the process with a bus error when it is written to."""
    reserve_array(tmp_path / "a.npy", np.float32, (1000, 1000))
    assert (tmp_path / "a.npy").stat().st_blocks * 512 >= 4_000_000
    assert np.load(tmp_path / "a.npy", mmap_mode="r").shape == (1000, 1000)
    with pytest.raises(DataError, match=r"b\.npy' cannot be written: .*; it takes 8e\+06 GB"):
        reserve_array(tmp_path / "b.npy", np.float64, (10**9, 10**6))
    assert not (tmp_path / "b.npy").exists()


def test_tables_are_read_and_names_are_kept(tmp_path):
    ring = [f"n{i:03},n{(i + j) % 300:03}" for i in range(300) for j in (1, 2)]
    (tmp_path / "edges.csv").write_text("source,target\n" + "\n".join(ring))
    found = embed_graph(tmp_path / "edges.csv", tmp_path / "emb", 4)
    assert found.name(7) == "n007"
    assert found.index("n123") == 123
    angles = 2 * np.pi * np.array([1, 1, 2, 2]) / 300
    assert found.values == pytest.approx(4 - 2 * np.cos(angles) - 2 * np.cos(2 * angles), abs=1e-9)
    session = zk.start(found, "ollgc", classes=["x", "y"])
    session.learn("n010", "x")
    session.learn("n150", "y")
    assert session.predict("n012").label == "x"
    flip(tmp_path / "emb/names-texts.npy")
    with pytest.raises(DataError, match=r"names-texts\.npy' is damaged"):
        zk.open_embedding(tmp_path / "emb")


@pytest.mark.parametrize("name", ["ollgc", "sslgc", "bbq", "second-order", "gaussian"])
def test_learners_on_vectors_take_it_as_the_same_rows_in_memory(here, name):
    labels = np.arange(2000) // 500
    params = {} if name == "gaussian" else {"b": 2.0}
    run = zk.play(here, labels, name, **params)
    table = zk.Features(np.array(here.X))
    other = zk.play(table, labels, name, **({} if name == "gaussian" else {"b": 0.0}))
    assert run.predictions.tolist() == other.predictions.tolist()
    assert (run.margins == other.margins).all()


def test_ollgc_predicts_as_on_the_graph_itself(here):
    labels = np.arange(2000) // 500
    run = zk.play(here, labels, "ollgc", b=2.0)
    exact = zk.play(blocks(), labels, "ollgc", rank=RANK + 1, b=2.0)
    assert (run.predictions == exact.predictions).mean() > 0.98
    assert run.error_multiclass == pytest.approx(exact.error_multiclass, abs=0.01)


def test_another_constant_is_copied_or_refused(here, monkeypatch):
    from zerokelvin.learners.ridge import instances

    labels = np.arange(2000) // 500
    zk.play(here, labels, "ollgc", b=1.0)
    monkeypatch.setattr(instances, "COPIED", 100)
    with pytest.raises(ParameterError, match="embed again with --b 1"):
        zk.play(here, labels, "ollgc", b=1.0)


def flip(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])


def test_damage_is_noticed(here, tmp_path):
    folder = tmp_path / "emb"
    shutil.copytree(here.__reduce__()[1][0], folder)
    flip(folder / "values.npy")
    with pytest.raises(DataError, match="damaged"):
        zk.open_embedding(folder)
    flip(folder / "values.npy")
    rows = bytearray((folder / "rows.npy").read_bytes())
    rows[len(rows) // 2] ^= 1
    (folder / "rows.npy").write_bytes(rows)
    zk.open_embedding(folder, verify=False)
    for verify in (None, True):
        with pytest.raises(DataError, match="are damaged; embed again"):
            zk.open_embedding(folder, verify=verify)
    (folder / "rows.npy").write_bytes(rows[:-8])
    with pytest.raises(DataError, match="damaged"):
        zk.open_embedding(folder)
    manifest = (folder / "manifest.json").read_text()
    (folder / "manifest.json").write_text(manifest.replace('"rank": 19', '"rank": 18'))
    with pytest.raises(DataError, match="damaged"):
        zk.open_embedding(folder)


def test_bad_questions_are_one_sentence(pack, tmp_path):
    with pytest.raises(ParameterError, match="rank=0"):
        Embedding(pack, tmp_path, 0)
    with pytest.raises(ParameterError, match="more than the 1999"):
        Embedding(pack, tmp_path, 2000)
    with pytest.raises(ParameterError, match="cluster='local'"):
        choose_place(jobs=2, memory=10**9)
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="is a file"):
        Embedding(pack, tmp_path / "file", 5)
    with pytest.raises(ParameterError, match="more than the 1999"):
        Embedding(pack, tmp_path / "new", 2000)
    assert not (tmp_path / "new").exists()


def test_a_memory_limit_is_kept(tmp_path):
    """Neither of two workers of 500 MB comes near holding all that is worked on."""
    n, groups = 60_000, 40
    rng = np.random.default_rng(2)
    nodes = np.arange(n)
    inside = [(rng.integers(n // groups, size=n) * groups + nodes % groups, nodes) for _ in range(10)]
    across = [(rng.integers(n, size=n), nodes)]
    edges = np.concatenate([np.stack(ends, axis=1) for ends in (*inside, *across)])
    zk.write_graph(zk.Graph.from_edges(edges, num_nodes=n), tmp_path / "g.zkg")
    del edges, inside, across
    me, most = psutil.Process(), [0]

    def watch(*_):
        for process in me.children(recursive=True):
            try:
                if "spawn_main" in " ".join(process.cmdline()):
                    most[0] = max(most[0], process.memory_full_info().uss)
            except psutil.Error:
                continue

    limit = 500_000_000
    with choose_place(cluster="local:2", memory=limit) as place:
        found = Embedding(tmp_path / "g.zkg", tmp_path / "emb", groups - 1, place=place, progress=watch)
        rows = found.run()
    assert 0 < most[0] < limit
    assert rows.num_nodes == n
