"""Every bad file gives one clear sentence, never a traceback of another package."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from zerokelvin.errors import DataError, GraphError, MissingDependencyError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.io import read_graph, write_graph

GARBAGE = bytes(range(256)) * 20
SUFFIXES = ["csv", "tsv", "txt", "csv.gz", "parquet", "mtx", "mtx.gz", "graphml", "gml", "npz", "json"]


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def parquet(**columns: object) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer)
    return buffer.getvalue()


def broken_utf8() -> bytes:
    good = parquet(u=["xyzzy"], v=["plugh"])
    return good.replace(b"xyzzy", b"xy\xff\xfey")


EDGES = np.array([[0, 1], [1, 2]])
MTX = "%%MatrixMarket matrix coordinate {} general\n{}\n"
GRAPHML = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">{}</graphml>'


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("e.csv", "a,b\nb,c\nc\n", "line 3 of .* has 1 column where the first row has 2: 'c'"),
        ("e.csv", "# x\na,b\n\n# y\nb,c\nc,d,e\nf\n", "line 6 of .* has 3 columns where the first row has 2"),
        ("e.txt", "a b\nb c 4\n", "line 2 of .* has 3 columns"),
        ("e.csv", "a\nb\n", "one column only"),
        ("e.tsv", "a b\nc d\n", "one column only"),
        ("e.csv", "a,b,1\nb,c,nan\n", "line 2 of .* has weight nan"),
        ("e.csv", "u,v,weight\n# c\na,b,1\nb,c,\n", "line 4 of .* has no weight"),
        ("e.csv", "a,b,\nb,c,2\n", "line 1 of .* has no weight"),
        ("e.csv", "a,b,1\nb,c,inf\n", "line 2 of .* has weight inf"),
        ("e.csv", "a,b,1\nb,c,heavy\n", "line 2 of .* has weight 'heavy', which is not a number"),
        ("e.csv", "u,v,w\na,b,heavy\n", "line 2 of .* has weight 'heavy', which is not a number"),
        ("e.csv", "a,b\n,c\n", "line 2 of .* has no node in column '0'"),
        ("e.csv", "source,target\na,\n", "line 2 of .* has no node in column 'target'"),
        ("e.csv", "source,target\n", "holds no edges"),
        ("e.csv", "\n\n  \n", "is empty"),
        ("e.csv", "# only\n% comments\n", "is empty"),
        ("e.csv", b"caf\xe9,b\n", "not UTF-8"),
        ("e.csv", b"a,b\n" * 400 + b"caf\xe9,b\n", "not UTF-8"),
        ("e.csv", "a,b\nb,c\0\n".encode("utf-16"), "binary data"),
        ("e.csv", b"\xff\xfea", "not UTF-8"),
        ("e.csv", b"source;target;weight\na;b;1,5\nb;c;2.5\n", "has weight '1,5', which is not a number"),
        ("e.csv", b"source;target;weight\na;b;1,500,000\n", "which is not a number"),
        ("e.csv.gz", b"a,b\nb,c\n", "not a complete gzip file"),
        ("e.csv.gz", gzip.compress(b"a,b\nb,c\n" * 99, mtime=0)[:-20], "not a complete gzip file"),
        ("e.parquet", parquet(a=["x"]), "one column only"),
        ("e.parquet", parquet(u=["x", "y"], v=["y", None]), "row 2 of .* has no node in column 'v'"),
        ("e.parquet", parquet(u=[1, 2], v=[2, 3], w=[1.0, float("nan")]), "row 2 of .* has weight nan"),
        ("e.parquet", parquet(u=[1, 2], v=[2, 3], w=[1.0, None]), "row 2 of .* has no weight"),
        ("e.parquet", parquet(u=["x"], v=["y"], weight=["z"]), "'weight' of .* holds string, not numbers"),
        ("e.parquet", parquet(u=[1.5], v=[2.5]), "holds double; node names are integers or strings"),
        ("e.parquet", parquet(u=pa.array([2**64 - 1], pa.uint64()), v=[1]), "beyond 64 bits"),
        ("e.parquet", parquet(u=pa.array([], pa.int64()), v=pa.array([], pa.int64())), "holds no edges"),
        ("e.parquet", broken_utf8(), "cannot be read as parquet"),
        ("e.parquet", parquet(u=[1] * 999, v=[2] * 999)[:-9], "cannot be read as parquet"),
        ("e.mtx", MTX.format("real", "2 2 1\n1 2 5"), "not symmetric"),
        ("e.mtx", MTX.format("real", "2 3 1\n1 2 5"), "must be square"),
        ("e.mtx", MTX.format("real", "2 2 2\n1 2 nan\n2 1 nan"), r"entry \(1, 2\) of .* has weight nan"),
        ("e.mtx", MTX.format("real", "2 2 2\n1 2 3"), "cannot be read as Matrix Market"),
        ("e.mtx", MTX.format("complex", "2 2 2\n1 2 3 1\n2 1 3 1"), "complex"),
        ("e.mtx", MTX.format("real", "2 2 2\n1 2 3\0\n2 1 3"), "binary data"),
        ("e.mtx", MTX.format("real", "2 2 2\n1 2 3\n2 1")[:-1], "cannot be read as Matrix Market"),
        ("e.mtx", "1 2 3\n", "cannot be read as Matrix Market"),
        (
            "e.graphml",
            GRAPHML.format('<graph edgedefault="directed"><node id="a"/></graph>'),
            "directed graph",
        ),
        ("e.graphml", GRAPHML.format('<graph edgedefault="undirected"/>'), "no nodes"),
        ("e.graphml", GRAPHML.format(""), "cannot be read as GraphML"),
        ("e.graphml", "<graphml><graph>", "cannot be read as GraphML"),
        ("e.graphml", '<?xml version="1.0" encoding="utfx8"?><graphml/>', "unknown encoding"),
        ("e.gml", "graph [ directed 1 node [ id 0 ] ]", "directed graph"),
        ("e.gml", "graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", "cannot be read as GML"),
        ("e.gml", "graph [ node [", "cannot be read as GML"),
        (
            "e.gml",
            'graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight "big" ] ]',
            "has weight 'big'",
        ),
        ("e.npz", npz(n=3), "no array 'edges'; it holds n"),
        ("e.npz", npz(X=np.ones((3, 2)), labels=np.zeros(3)), "holds points, not edges"),
        ("e.npz", npz(edges=np.ones((2, 3), dtype=int)), r"integers of shape \(m, 2\)"),
        ("e.npz", npz(edges=EDGES.astype(float)), r"integers of shape \(m, 2\)"),
        ("e.npz", npz(edges=EDGES, n=2), "node index 2 is outside the 2 nodes"),
        ("e.npz", npz(edges=EDGES, n=np.array([1, 2])), "'n' of .* must be one integer"),
        ("e.npz", npz(edges=EDGES, weights=np.ones(5)), "5 weights for 2 edges"),
        ("e.npz", npz(edges=EDGES, weights=np.array([1, np.nan])), "edge 1 has weight nan"),
        ("e.npz", npz(edges=EDGES, names=np.array(["a", "a", "b"])), "'a' stands twice"),
        ("e.npz", npz(edges=EDGES, names=np.array(["a", {}, "b"], dtype=object)), "never loaded"),
        ("e.npz", npz(edges=EDGES)[:-30], "not a complete npz file"),
    ],
)
def test_one_sentence(tmp_path: Path, name: str, content: str | bytes, sentence: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises((DataError, GraphError), match=sentence) as caught:
        read_graph(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert message.endswith(".")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content", [b"", GARBAGE, GARBAGE[1:200], b"\x1f\x8b garbage", b"PK\x03\x04 garbage"]
)
def test_garbage_in_every_format(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"e.{suffix}"
    path.write_bytes(content)
    with pytest.raises((DataError, GraphError)) as caught:
        read_graph(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["csv.gz", "parquet", "mtx", "mtx.gz", "graphml", "gml", "npz", "json"])
@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_files_cut_short(tmp_path: Path, suffix: str, kept: float) -> None:
    """A compressed or structured file that ends early is never read as a smaller graph."""
    path = tmp_path / f"e.{suffix}"
    write_graph(Graph.from_edges([(i, (7 * i) % 50) for i in range(50)], np.arange(50) + 0.5), path)
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises((DataError, GraphError), match=r"e[.]"):
        read_graph(path)


def test_missing_file_folder_and_suffix(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no file"):
        read_graph(tmp_path / "none.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_graph(tmp_path, format="csv")
    (tmp_path / "e.xlsx").write_text("x")
    with pytest.raises(
        DataError, match=r"unknown suffix '.xlsx'; known: .csv .tsv .* .npz .json .zkg, or give format="
    ):
        read_graph(tmp_path / "e.xlsx")
    with pytest.raises(ParameterError, match="unknown format 'xlsx'; known: csv"):
        read_graph(tmp_path / "e.xlsx", format="xlsx")
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(DataError, match="no folder"):
        write_graph(graph, tmp_path / "none" / "e.csv")
    with pytest.raises(DataError, match="is a folder"):
        write_graph(graph, tmp_path, format="csv")
    with pytest.raises(DataError, match="unknown suffix"):
        write_graph(graph, tmp_path / "e.doc")
    with pytest.raises(ParameterError, match="compressed already"):
        write_graph(graph, tmp_path / "e.npz.gz")


def test_missing_columns_and_options(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(DataError, match="has no column 'q'; its columns are a, b, c"):
        read_graph(path, source="q")
    with pytest.raises(DataError, match="has no column 3; its 3 columns are numbered from 0"):
        read_graph(path, target=3)
    with pytest.raises(DataError, match="has no column 'w'"):
        read_graph(path, source="a", target="b", weight="w")
    with pytest.raises(DataError, match="is both a node and the weight"):
        read_graph(path, source="a", target="b", weight="a")
    with pytest.raises(DataError, match=r"'a' of .* is both source and target"):
        read_graph(path, source="a", target="a")
    with pytest.raises(ParameterError, match="delimiter ',,' is not one ASCII character"):
        read_graph(path, delimiter=",,")
    table = tmp_path / "e.parquet"
    table.write_bytes(parquet(u=[1], v=[2]))
    with pytest.raises(DataError, match="has no column 'q'; its columns are u, v"):
        read_graph(table, source="q")
    with pytest.raises(DataError, match="no weight column"):
        read_graph(table, weight=True)
    with pytest.raises(ParameterError, match="header=True has no meaning for parquet"):
        read_graph(table, header=True)
    write_graph(Graph.from_edges([(0, 1)]), tmp_path / "e.npz")
    with pytest.raises(ParameterError, match="source='a' has no meaning for npz"):
        read_graph(tmp_path / "e.npz", source="a")


@pytest.mark.parametrize("suffix", ["graphml", "gml"])
def test_networkx_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    path = tmp_path / f"e.{suffix}"
    graph = Graph.from_edges([(0, 1)])
    write_graph(graph, path)
    monkeypatch.setitem(sys.modules, "networkx", None)
    for use in (lambda: read_graph(path), lambda: write_graph(graph, path)):
        with pytest.raises(MissingDependencyError, match=r"pip install zerokelvin\[graphs\]"):
            use()


def test_gml_without_labels_and_parallel_edges(tmp_path: Path) -> None:
    path = tmp_path / "e.gml"
    path.write_text("graph [ node [ id 5 ] node [ id 9 ] edge [ source 5 target 9 ] ]")
    assert read_graph(path).names == (5, 9)
    path = tmp_path / "e.graphml"
    edges = '<edge id="x" source="a" target="b"/><edge id="y" source="a" target="b"/>'
    path.write_text(
        GRAPHML.format(f'<graph edgedefault="undirected"><node id="a"/><node id="b"/>{edges}</graph>')
    )
    assert read_graph(path).weight(0, 1) == 2.0


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("coordinate real symmetric", "3 3 1\n2 1 5\n"),
        ("coordinate real general", "3 3 2\n2 1 5\n1 2 5\n"),
        ("coordinate integer symmetric", "3 3 1\n2 1 5\n"),
        ("coordinate real symmetric", "3 3 1\n2 1 5 "),
        ("array real general", "3 3\n0\n5\n0\n5\n0\n0\n0\n0\n0\n"),
    ],
)
def test_matrix_market_kinds(tmp_path: Path, kind: str, body: str) -> None:
    path = tmp_path / "e.mtx"
    path.write_text(f"%%MatrixMarket matrix {kind}\n% a comment\n{body}")
    assert read_graph(path) == Graph.from_edges([(0, 1)], [5.0], num_nodes=3)
