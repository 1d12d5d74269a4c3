"""Labels keyed by node name, in any order, with some unknown."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerokelvin.errors import DataError, LabelError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.io import read_labels
from zerokelvin.io.formats.npz import graph_arrays, write_arrays

WORDS = Graph.from_edges([("ann", "bob"), ("bob", "cem")])
NUMBERS = Graph.from_edges([(0, 1), (1, 2)])
IDS = Graph.from_edges([(0, 1), (1, 2)], names=[10, 20, 30])


def write(folder: Path, content: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_text(content)
    return path


@pytest.mark.parametrize(
    ("graph", "content", "expected"),
    [
        (WORDS, "cem,x\nann,y\nbob,x\n", ["y", "x", "x"]),
        (WORDS, "node,label\ncem,x\nann,y\nbob,x\n", ["y", "x", "x"]),
        (WORDS, "label,extra,node\nx,0,cem\ny,0,ann\nx,0,bob\n", ["y", "x", "x"]),
        (WORDS, "cem,x\nann,\nbob,x\n", [None, "x", "x"]),
        (WORDS, "cem,x\n", [None, None, "x"]),
        (WORDS, "cem,-1\nann,1\nbob,1\n", [1, 1, -1]),
        (WORDS, "who,label\ncem,-1\nann,1\nbob,1\n", [1, 1, -1]),
        (WORDS, "Node ID,what\ncem,-1\nann,1\nbob,1\n", [1, 1, -1]),
        (WORDS, "cem,1.0\nann,0.0\nbob,\n", [0, None, 1]),
        (WORDS, "cem,01\nann,1\nbob,1\n", ["1", "1", "01"]),
        (WORDS, "cem,x\ncem,x\nann,y\n", ["y", None, "x"]),
        (WORDS, "# a comment\ncem, x \n ann ,y\n", ["y", None, "x"]),
        (NUMBERS, "2,x\n0,y\n1,x\n", ["y", "x", "x"]),
        (NUMBERS, "id,y\n2,5\n0,6\n1,5\n", [6, 5, 5]),
        (IDS, "30,x\n10,y\n20,x\n", ["y", "x", "x"]),
        (Graph.from_edges([("1", "2"), ("2", "x")]), "1,5\n2,6\n", [5, 6, None]),
        (Graph.from_edges([("node", "id")]), "node,x\nid,y\n", ["x", "y"]),
    ],
)
def test_text(tmp_path: Path, graph: Graph, content: str, expected: list[object]) -> None:
    labels = read_labels(write(tmp_path, content), graph)
    assert labels.tolist() == expected
    assert isinstance(labels, np.ma.MaskedArray) == (None in expected)
    assert labels.dtype.kind == ("i" if all(isinstance(x, int | None) for x in expected) else "U")
    squeezed = tmp_path / "labels.csv.gz"
    squeezed.write_bytes(gzip.compress(content.encode()))
    assert read_labels(squeezed, graph).tolist() == expected


def test_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "topic\twho\tgroup\nx\tcem\tp\ny\tann\tq\n", "labels.tsv")
    assert read_labels(path, WORDS, node="who", label="group").tolist() == ["q", None, "p"]
    assert read_labels(path, WORDS, node="who", label=0).tolist() == ["y", None, "x"]
    headless = write(tmp_path, "x cem p\ny ann q\n", "labels.txt")
    assert read_labels(headless, WORDS, node=1, label=2).tolist() == ["q", None, "p"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array(["x", None, ""]), ["x", None, None]),
        (pa.array([-1, 1, None]), [-1, 1, None]),
        (pa.array([1.0, 0.0, float("nan")]), [1, 0, None]),
        (pa.array(["x", "y", "x"]).dictionary_encode(), ["x", "y", "x"]),
    ],
)
def test_parquet(tmp_path: Path, values: pa.Array, expected: list[object]) -> None:
    path = tmp_path / "labels.parquet"
    pq.write_table(pa.table({"node": ["ann", "bob", "cem"], "label": values}), path)
    assert read_labels(path, WORDS).tolist() == expected


def test_npz_marks_unlabelled_with_minus_one(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    write_arrays(path, {**graph_arrays(NUMBERS), "labels": np.array([1, -1, 0], dtype=np.int16)})
    assert read_labels(path, NUMBERS).tolist() == [1, None, 0]
    write_arrays(path, {**graph_arrays(WORDS), "labels": np.array([1, -1, 0])})
    assert read_labels(path, WORDS).tolist() == [1, None, 0]
    moved = WORDS.subgraph([2, 0, 1])
    assert read_labels(path, moved).tolist() == [0, 1, None]


@pytest.mark.parametrize(
    ("name", "content", "error", "sentence"),
    [
        ("l.csv", "ann,x\n\nzoe,y\n", NodeError, r"line 3 of .*l\.csv' labels node 'zoe'"),
        ("l.csv", "node,label\nann,x\n# c\nzoe,y\n", NodeError, r"line 4 of .*l\.csv' labels node 'zoe'"),
        ("l.csv", "thesis,field\nann,x\n", NodeError, "line 1 .* if it is a header"),
        (
            "l.csv",
            "ann,x\nbob,y\nann,z\n",
            LabelError,
            "line 3 .* 'ann' the label 'z', but an earlier row gave it 'x'",
        ),
        ("l.csv", "ann,\nbob,\n", LabelError, "no node has a label"),
        ("l.csv", "ann\nbob\n", DataError, "one column only"),
        ("l.csv", "ann,x\nbob\n", DataError, "line 2 .* has 1 column"),
        ("l.csv", "", DataError, "is empty"),
        ("l.gml", "graph [ ]", DataError, "cannot hold labels"),
        ("l.npz", "garbage", DataError, "not a complete npz file"),
        ("l.parquet", "garbage", DataError, "cannot be read as parquet"),
        ("l.doc", "x", DataError, "unknown suffix"),
    ],
)
def test_bad(tmp_path: Path, name: str, content: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        read_labels(write(tmp_path, content, name), WORDS)


def test_bad_arguments(tmp_path: Path) -> None:
    path = write(tmp_path, "node,label\nann,x\n")
    with pytest.raises(DataError, match="has no column 'q'; its columns are node, label"):
        read_labels(path, WORDS, node="q")
    with pytest.raises(DataError, match="is both node and label"):
        read_labels(path, WORDS, node="label", label="label")
    with pytest.raises(DataError, match="there is no file"):
        read_labels(tmp_path / "none.csv", WORDS)
    data = tmp_path / "d.npz"
    write_arrays(data, {"labels": np.zeros(5, dtype=int)})
    with pytest.raises(LabelError, match="labels for 5 nodes, but the graph has 3"):
        read_labels(data, NUMBERS)
    write_arrays(data, {"labels": np.array([0, -2, 1])})
    with pytest.raises(DataError, match="holds -2"):
        read_labels(data, NUMBERS)
    write_arrays(data, {"edges": np.zeros((0, 2))})
    with pytest.raises(DataError, match="no array 'labels'; it holds edges"):
        read_labels(data, NUMBERS)


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from(["", "a", "b", "-1", "1"])), min_size=1, max_size=8
    )
)
@settings(max_examples=300, deadline=None)
def test_against_a_dictionary(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]]) -> None:
    path = write(tmp_path_factory.mktemp("l"), "".join(f"n{node},{label}\n" for node, label in rows))
    graph = Graph.from_edges([], names=[f"n{i}" for i in range(6)])
    given_labels: dict[int, set[str]] = {}
    for node, label in rows:
        if label:
            given_labels.setdefault(node, set()).add(label)
    if not given_labels or any(len(labels) > 1 for labels in given_labels.values()):
        with pytest.raises(LabelError):
            read_labels(path, graph)
        return
    labels = {node: next(iter(found)) for node, found in given_labels.items()}
    convert = int if set(labels.values()) <= {"-1", "1"} else str
    expected = [convert(labels[i]) if i in labels else None for i in range(6)]
    assert read_labels(path, graph).tolist() == expected


def test_numbers_that_are_spelt_otherwise_are_named(tmp_path):
    graph = Graph.from_edges([("1.0", "2.0"), ("2.0", "x")])
    with pytest.raises(NodeError, match=r"labels node '2', which the graph has as '2.0'"):
        read_labels(write(tmp_path, "node,label\n2,a\n"), graph)
    with pytest.raises(NodeError, match=r"labels node '20.0', which the graph has as '20'"):
        read_labels(write(tmp_path, "node,label\n20.0,a\n"), IDS)
    with pytest.raises(NodeError, match=r"labels node '3', which is not in the graph"):
        read_labels(write(tmp_path, "node,label\n3,a\n"), graph)
