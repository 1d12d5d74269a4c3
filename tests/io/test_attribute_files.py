"""Attributes in files, and the commands that take them."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from click.testing import CliRunner

from zerokelvin import Graph
from zerokelvin.cli.main import cli
from zerokelvin.errors import DataError
from zerokelvin.io import read_attributes


def test_tables_name_their_nodes(tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("id,age,town\nb,30,Ulm\na,,Ulm\n")
    found = read_attributes(path)
    assert found == {"node": ["b", "a"], "age": [30.0, None], "town": ["Ulm", "Ulm"]}
    graph = Graph.from_edges([("a", "b"), ("b", "c")]).with_attributes(found)
    assert graph.attributes.columns == ("age", "age is missing", "town=Ulm")
    assert not graph.attributes.rows[2, 2]


def test_matrices_are_dense_or_sparse(tmp_path):
    words = sp.random_array((6, 9), density=0.3, rng=np.random.default_rng(0), format="csr")
    np.savez(tmp_path / "dense.npz", X=words.toarray())
    np.savez(
        tmp_path / "sparse.npz",
        indptr=words.indptr,
        indices=words.indices,
        data=words.data,
        shape=np.array(words.shape),
    )
    assert np.array_equal(read_attributes(tmp_path / "dense.npz"), words.toarray())
    assert np.array_equal(read_attributes(tmp_path / "sparse.npz").toarray(), words.toarray())


def test_bad_files_are_refused(tmp_path):
    (tmp_path / "none.csv").write_text("age,town\n30,Ulm\n")
    np.savez(tmp_path / "none.npz", Y=np.zeros(3))
    np.savez(tmp_path / "odd.npz", indptr=np.array([0, 5]), indices=np.array([9]), shape=np.array([1, 2]))
    for name, said in (
        ("none.csv", "call it 'node'"),
        ("none.npz", "holds no X"),
        ("odd.npz", "no sparse matrix"),
    ):
        with pytest.raises(DataError, match=said):
            read_attributes(tmp_path / name)


def test_parquet_holds_types_and_what_is_missing(tmp_path):
    table = pa.table(
        {"name": ["b", "a"], "age": [30, None], "town": ["Ulm", "Bonn"], "member": [True, False]}
    )
    pq.write_table(table, tmp_path / "known.parquet")
    found = read_attributes(tmp_path / "known.parquet")
    assert found == {"node": ["b", "a"], "age": [30, None], "town": ["Ulm", "Bonn"], "member": [True, False]}
    (tmp_path / "known.csv").write_text("name,age,town,member\nb,30,Ulm,1\na,,Bonn,0\n")
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    text = graph.with_attributes(read_attributes(tmp_path / "known.csv")).attributes
    typed = graph.with_attributes(found).attributes
    assert typed.columns == text.columns
    assert typed.columns[:2] == ("age", "age is missing")


@pytest.fixture
def ring(tmp_path):
    """A ring whose labels its edges do not tell, and one column that does: half of the labels are known."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, 40)
    edges = "\n".join(f"{i},{(i + 1) % 40}" for i in range(40))
    (tmp_path / "edges.csv").write_text("source,target\n" + edges)
    labels = [f"{i},{('no', 'yes')[c]}" for i, c in enumerate(codes)]
    (tmp_path / "labels.csv").write_text("\n".join(["node,label", *labels]))
    (tmp_path / "half.csv").write_text("\n".join(["node,label", *labels[::2]]))
    sizes = (codes + 0.1 * rng.normal(size=40)).round(4)
    (tmp_path / "known.csv").write_text("\n".join(["node,size", *(f"{i},{x}" for i, x in enumerate(sizes))]))
    pq.write_table(pa.table({"node": np.arange(40), "size": sizes}), tmp_path / "known.parquet")
    return tmp_path, codes


def said(command, folder, labels, *more):
    """What a command prints as JSON on the ring."""
    files = [str(folder / "edges.csv"), str(folder / labels)]
    done = CliRunner().invoke(cli, [command, *files, "--json", *more])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_run_takes_attributes(ring, kind):
    folder, _ = ring
    given = ("--attributes", str(folder / f"known.{kind}"))
    error, alone = (
        said("run", folder, "labels.csv", "--shuffles", "2", *more)["error_multiclass"]
        for more in (given, ())
    )
    assert error < 0.5 * alone


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_predict_queue_and_evaluate_take_attributes(ring, kind):
    folder, codes = ring
    given = ("--attributes", str(folder / f"known.{kind}"))
    wrong = {}
    for more in (given, ()):
        rows = said("predict", folder, "half.csv", *more)["predictions"]
        assert len(rows) == 20
        wrong[more] = sum(row["label"] != ("no", "yes")[codes[int(row["node"])]] for row in rows)
    assert wrong[given] <= 1
    assert wrong[()] >= 4
    queues = [said("queue", folder, "half.csv", *more)["questions"] for more in (given, ())]
    assert all(queues)
    assert queues[0] != queues[1]
    errors = [said("evaluate", folder, "labels.csv", *more)["held_out"]["error"] for more in (given, ())]
    assert errors[0] < 0.1 < errors[1]


def test_attributes_of_unknown_nodes_are_refused_by_name(ring):
    folder, _ = ring
    (folder / "odd.csv").write_text("node,size\n99,1.0\n")
    files = [str(folder / name) for name in ("edges.csv", "half.csv")]
    done = CliRunner().invoke(cli, ["predict", *files, "--attributes", str(folder / "odd.csv")])
    assert done.exit_code == 2
    assert "99" in done.stderr
