"""What DuckDB packs is what is read into memory, in whatever parts the edges come."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.cli.main import cli
from zerokelvin.errors import DataError, GraphError, ParameterError
from zerokelvin.io.packs import pack_builder
from zerokelvin.io.packs.making_folder import making_folder
from zerokelvin.io.packs.pack_builder import pack_edges
from zerokelvin.io.packs.pack_reader import verify_pack
from zerokelvin.io.packs.sorting_engine import require_room

pytest.importorskip("duckdb")

FEW = settings(max_examples=15, deadline=None)
NODES = {
    "dense": st.integers(0, 6),
    "shifted": st.integers(5, 9),
    "sparse": st.sampled_from([-(10**17), -3, 0, 10**12, 10**17]),
    "texts": st.sampled_from(["ann", "Bob", "é", "日本", "01", "", "1"]).filter(bool),
}
WEIGHTS = {
    "none": st.none(),
    "halves": st.sampled_from([0.0, 0.5, 1.0, 3.0]),
    "signed": st.sampled_from([-1.0, 0.5, 0.0, 1.0]),
    "real": st.floats(0.01, 9.0),
}


@st.composite
def tables(draw):
    """Rows of edges with duplicates both ways, loops and zeros, in one to three parts."""
    node = NODES[draw(st.sampled_from(sorted(NODES)))]
    weight = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    rows = draw(st.lists(st.tuples(node, node, weight), min_size=1, max_size=30))
    weighted = rows[0][2] is not None
    columns = {"source": [r[0] for r in rows], "target": [r[1] for r in rows]}
    return columns | ({"weight": [r[2] for r in rows]} if weighted else {})


def write(columns, folder, suffix, parts):
    table = pa.table(columns)
    step = -(-table.num_rows // parts)
    paths = []
    for k in range(0, table.num_rows, step):
        path = folder / f"part{k}{suffix}"
        if suffix == ".parquet":
            pq.write_table(table.slice(k, step), path)
        else:
            pa.csv.write_csv(table.slice(k, step), path)
        paths.append(path)
    return paths


def by_definition(columns):
    """Every edge by its two names, its weights added from the lightest on."""
    sums = {}
    weights = columns.get("weight") or [1.0] * len(columns["source"])
    for u, v, w in sorted(
        zip(columns["source"], columns["target"], weights, strict=True), key=lambda r: r[2]
    ):
        if u != v:
            key = frozenset((u, v))
            sums[key] = sums.get(key, 0.0) + w
    return {key: w for key, w in sums.items() if w != 0}


@FEW
@given(tables(), st.sampled_from([".parquet", ".csv"]), st.integers(1, 3))
def test_edges_by_definition(tmp_path_factory, columns, suffix, parts):
    import pyarrow.csv  # noqa: F401

    folder = tmp_path_factory.mktemp("edges")
    paths = write(columns, folder, suffix, parts)
    out = folder / "graph.zkg"
    found = pack_edges(paths, out)
    verify_pack(out)
    graph = zk.open_graph(out)
    names = {*columns["source"], *columns["target"]}
    if suffix == ".csv" and isinstance(next(iter(names)), str) and names == {"1"}:
        names = {1}  # a text file cannot tell
    assert set(graph.names or range(graph.num_nodes)) == names
    edges = by_definition(columns)
    if names != {1}:
        got = {
            frozenset((graph.name(int(u)), graph.name(int(v)))): graph.weight(u, v) for u, v in graph.edges
        }
        assert got == edges
    assert found.rows == len(columns["source"])
    assert found.loops == sum(u == v for u, v in zip(columns["source"], columns["target"], strict=True))
    memory = graph.in_memory()
    assert np.array_equal(graph.degrees, memory.degrees)
    assert np.array_equal(graph.heaviest, memory.heaviest)
    assert np.array_equal(graph.components, memory.components)
    assert (graph.weight_range, graph.is_signed) == (memory.weight_range, memory.is_signed)
    assert graph.total_degree == memory.total_degree
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


@FEW
@given(tables())
def test_as_read_into_memory(tmp_path_factory, columns):
    folder = tmp_path_factory.mktemp("edges")
    (path,) = write(columns, folder, ".parquet", 1)
    pack_edges([path], folder / "graph.zkg")
    read = zk.read_graph(path).by_name
    pack = zk.read_graph(folder / "graph.zkg")
    assert pack.num_nodes == read.num_nodes
    assert list(pack.names or range(pack.num_nodes)) == list(read.names or range(read.num_nodes))
    assert np.array_equal(pack.edges, read.edges)
    assert np.allclose(pack.edge_weights, read.edge_weights, rtol=1e-15)


def test_many_edges_as_read_into_memory(tmp_path):
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 50_000, (1_000_000, 2))
    path = tmp_path / "edges.parquet"
    pq.write_table(pa.table({"u": pairs[:, 0], "v": pairs[:, 1]}), path)
    seen = []
    found = pack_edges([path], tmp_path / "g.zkg", memory=500_000_000, progress=lambda *at: seen.append(at))
    expected = zk.Graph.from_edges(pairs, num_nodes=50_000)
    pack = zk.open_graph(tmp_path / "g.zkg")
    assert np.array_equal(pack.indptr, expected.indptr)
    assert np.array_equal(pack.indices, expected.indices)
    assert np.array_equal(pack.weights, expected.weights)
    assert found.merged == 1_000_000 - found.loops - expected.num_edges
    assert seen[-1] == ("Writing", 2_000_000 - 2 * found.loops, 2_000_000 - 2 * found.loops)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("source,target\na,b\n,c\n", DataError, "1 of 2 rows have no name"),
        ("source,target,weight\na,b,1\nb,c,x\n", GraphError, "1 of 2 rows have no finite number.*'x'"),
        ("source,target,weight\na,b,1\nb,c,inf\n", GraphError, "no finite number"),
        ("source,target\n", DataError, "no edges"),
        ("source,target\na,b\na,b,c\n", DataError, "Line: 3 of '.*edges.csv'"),
        ("", DataError, "edges.csv' is empty"),
        ("a,b,c,d\n1,2,3,4\n", DataError, "--source"),
    ],
)
def test_bad_rows_are_named(tmp_path, text, error, message):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(error, match=message):
        pack_edges([path], tmp_path / "graph.zkg")
    assert [one.name for one in tmp_path.iterdir()] == ["edges.csv"]


def test_parts_must_agree(tmp_path):
    (tmp_path / "a.csv").write_text("source,target\n1,2\n")
    pq.write_table(pa.table({"source": [1], "target": [2]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"source": [1], "to": [2]}), tmp_path / "c.parquet")
    with pytest.raises(DataError, match="cannot be packed together"):
        pack_edges([tmp_path / "a.csv", tmp_path / "b.parquet"], tmp_path / "g.zkg")
    with pytest.raises(DataError, match="no column 'target'"):
        pack_edges([tmp_path / "b.parquet", tmp_path / "c.parquet"], tmp_path / "g.zkg")
    (tmp_path / "d.csv").write_text("target,source\n1,2\n")
    (tmp_path / "e.csv").write_text("")
    with pytest.raises(DataError, match=r"d\.csv' begins with the columns target, source"):
        pack_edges([tmp_path / "a.csv", tmp_path / "d.csv"], tmp_path / "g.zkg")
    assert pack_edges([tmp_path / "a.csv", tmp_path / "e.csv"], tmp_path / "g.zkg").rows == 1
    with pytest.raises(ParameterError, match="unknown order 'best'"):
        pack_edges([tmp_path / "b.parquet"], tmp_path / "g.zkg", order="best")


@pytest.mark.parametrize("first", [0, 1, 2])
def test_parts_of_other_types_are_read_as_they_are(tmp_path, first):
    """DuckDB reads all files with the types of the first: .5 became 0 where that one had whole numbers."""
    tables = [
        pa.table({"source": pa.array([1], pa.int32()), "target": pa.array([2], pa.int32()), "weight": [1]}),
        pa.table({"source": [2**40], "target": [1], "weight": [0.5]}),
        pa.table({"source": ["x"], "target": ["1"], "weight": pa.array([0.25], pa.float32())}),
    ]
    paths = []
    for k, table in enumerate(tables[first:] + tables[:first]):
        paths.append(tmp_path / f"part[{k}]*.parquet")  # nor is a name a pattern
        pq.write_table(table, paths[-1])
    pack_edges(paths, tmp_path / "g.zkg")
    graph = zk.open_graph(tmp_path / "g.zkg")
    assert set(graph.names) == {"1", "2", str(2**40), "x"}
    assert {graph.weight(graph.index("1"), graph.index(n)) for n in ("2", str(2**40), "x")} == {1, 0.5, 0.25}


@pytest.mark.parametrize("order", ["name", "rcm"])
@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"u": [1, 2], "v": [2, 3], "weight": [1.0, float("nan")]}, GraphError, "1 of 2 rows .*'nan'"),
        ({"u": [1, 2], "v": [2, 3], "weight": [1.0, None]}, GraphError, "1 of 2 rows"),
        ({"u": pa.array([2**63], pa.uint64()), "v": [2]}, DataError, "cast the column to text"),
        ({"u": [1.5], "v": [2.0]}, DataError, "integers or strings"),
    ],
)
def test_bad_columns_are_one_sentence(tmp_path, columns, error, message, order):
    pq.write_table(pa.table(columns), tmp_path / "edges.parquet")
    with pytest.raises(error, match=message):
        pack_edges([tmp_path / "edges.parquet"], tmp_path / "g.zkg", source="u", target="v", order=order)
    assert [one.name for one in tmp_path.iterdir()] == ["edges.parquet"]


def test_a_place_that_cannot_be_written_is_refused_before_any_work(tmp_path, monkeypatch):
    pq.write_table(pa.table({"source": [1], "target": [2]}), tmp_path / "edges.parquet")
    monkeypatch.setattr(pack_builder, "edge_parts", lambda *_: pytest.fail("began to work"))
    for order in ("name", "rcm"):
        with pytest.raises(DataError, match="there is no folder"):
            pack_edges([tmp_path / "edges.parquet"], tmp_path / "none/g.zkg", order=order)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")
def test_memory_is_kept_and_refused_where_it_cannot_be(tmp_path):
    """Four million edges with weights take three times what is allowed, if nothing is laid on the disk."""
    path, rng = tmp_path / "edges.parquet", np.random.default_rng(0)
    nodes = rng.integers(0, 200_000, (2, 4_000_000)).astype(np.int32)
    pq.write_table(pa.table({"source": nodes[0], "target": nodes[1], "weight": rng.random(4_000_000)}), path)
    code = (
        "import re, sys; from zerokelvin.io.packs.pack_builder import pack_edges\n"
        "found = pack_edges([sys.argv[1]], sys.argv[2], memory=500_000_000)\n"
        "peak = re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1]\n"
        "print(found.head.nodes, 1024 * int(peak))"
    )
    for _ in range(2):  # compiling takes memory too, but not again
        done = subprocess.run(
            [sys.executable, "-c", code, path, tmp_path / "g.zkg"], check=True, capture_output=True, text=True
        )
        count, peak = map(int, done.stdout.split())
        if peak < 5e8:
            break
    assert count == 200_000
    assert peak < 5e8
    with pytest.raises(ParameterError, match=r"10,000,000 nodes need .* raise the memory \(--memory"):
        require_room(10_000_000, 500_000_000)
    with pytest.raises(ParameterError, match="at least 500 MB"):
        pack_edges([path], tmp_path / "g.zkg", memory=400_000_000)


def test_what_a_killed_packer_left_is_removed_by_the_next(tmp_path):
    pq.write_table(pa.table({"source": [1], "target": [2]}), tmp_path / "edges.parquet")
    code = (
        "import os, signal, sys; from zerokelvin.io.packs import pack_builder\n"
        "pack_builder._sorted = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "pack_builder.pack_edges([sys.argv[1]], sys.argv[2])"
    )
    out = tmp_path / "g.zkg"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "edges.parquet", out], check=False)
    assert done.returncode == -signal.SIGKILL
    left = [one for one in tmp_path.iterdir() if one.is_dir()]
    assert len(left) == 1
    assert list(left[0].iterdir())
    assert not out.exists()
    with making_folder(out) as other:  # of one who is still at work
        pack_edges([tmp_path / "edges.parquet"], out)
        assert [one for one in tmp_path.iterdir() if one.is_dir()] == [other]
    assert not [one for one in tmp_path.iterdir() if one.is_dir()]


def invoke(*arguments):
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_command(tmp_path):
    (tmp_path / "edges.csv").write_text("payer,payee,sum\nann,bob,2\nbob,ann,1\nbob,cem,1\ncem,cem,5\n")
    out, near = tmp_path / "graph.zkg", tmp_path / "near.zkg"
    columns = ["--source", "payer", "--target", "payee", "--weight", "sum"]
    done = invoke("pack", tmp_path / "edges.csv", "--out", out, *columns, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["nodes"], found["edges"], found["self_loops"], found["merged"]) == (3, 2, 1, 1)
    assert json.loads(invoke("pack", out, "--verify", "--json").stdout)["verified"] is True
    assert invoke("pack", out, "--order", "rcm", "--out", near).exit_code == 0
    assert zk.open_graph(near).facts.order == "rcm"
    straight = invoke("pack", tmp_path / "edges.csv", "--out", tmp_path / "c.zkg", "--order", "rcm", *columns)
    assert straight.exit_code == 0
    assert "1 self-loops dropped" in straight.stdout
    assert (tmp_path / "c.zkg").read_bytes() == near.read_bytes()


def test_questions_to_the_command_that_make_no_sense(tmp_path):
    for k in range(2):
        pq.write_table(pa.table({"source": [k], "target": [k + 1]}), tmp_path / f"part{k}.parquet")
    out = tmp_path / "graph.zkg"
    assert invoke("pack", tmp_path / "part*.parquet", "--out", out).exit_code == 0  # a shell without patterns
    assert zk.open_graph(out).num_nodes == 3
    for arguments, text in (
        ((tmp_path / "none*.parquet", "--out", out), "there is no file"),
        ((tmp_path / "part0.parquet", "--out", tmp_path / "g.csv"), "does not end in .zkg"),
        ((out, "--out", tmp_path / "b.zkg"), "is packed already; --order rcm"),
        ((tmp_path / "part0.parquet", "--out", out, "--memory", "300MB"), "not between 500MB"),
    ):
        done = invoke("pack", *arguments)
        assert (done.exit_code, text in done.output) == (2, True), done.output


def test_run_and_predict_take_packs(tmp_path):
    edges = zk.generators.grid(6, 6).graph.edges
    zk.write_graph(zk.Graph.from_edges(edges), tmp_path / "graph.zkg")
    zk.write_graph(zk.Graph.from_edges(edges), tmp_path / "graph.csv")
    rows = "".join(f"{node},{'ab'[node % 6 > 2]}\n" for node in range(36))
    (tmp_path / "labels.csv").write_text("node,label\n" + rows)
    (tmp_path / "known.csv").write_text("node,label\n" + "".join(rows.splitlines(True)[::5]))
    outputs = []
    for kind in ("zkg", "csv"):
        options = ["--learner", "gaussian", "--shuffles", 2, "--json"]
        done = invoke("run", tmp_path / f"graph.{kind}", tmp_path / "labels.csv", *options)
        assert done.exit_code == 0, done.output
        found = json.loads(done.stdout)
        outputs.append({key: value for key, value in found.items() if key not in ("seconds", "graph")})
        table = tmp_path / f"{kind}-labels.csv"
        options = ["--learner", "nearest", "--out", table]
        done = invoke("predict", tmp_path / f"graph.{kind}", tmp_path / "known.csv", *options)
        assert done.exit_code == 0, done.output
    assert outputs[0] == outputs[1]
    assert (tmp_path / "zkg-labels.csv").read_text() == (tmp_path / "csv-labels.csv").read_text()
    refused = invoke("run", tmp_path / "graph.zkg", tmp_path / "labels.csv", "--learner", "pounce")
    assert refused.exit_code == 2
    assert "take 'propagation'" in refused.output
