"""Edge lists as people write them: delimiters, headers, comments, columns, against a slow reader."""

from __future__ import annotations

import csv
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerokelvin.errors import DataError
from zerokelvin.graph import Graph
from zerokelvin.io import read_graph
from zerokelvin.io.formats import tables, text


def edges_of(graph: Graph) -> dict[frozenset[object], float]:
    pairs = zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True)
    return {frozenset((graph.name(u), graph.name(v))): weight for (u, v), weight in pairs}


def write(folder: Path, content: str | bytes, name: str = "edges.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", "ann,bob,2\nbob,cem,0.5\n"),
        ("e.csv", "source,target,weight\nann,bob,2\nbob,cem,0.5"),
        ("e.csv", "SOURCE ID,Target_Id,weight\r\nann,bob,2\r\nbob,cem,0.5\r\n"),
        ("e.csv", "  \nsource,target,weight\nann,bob,2\n\nbob,cem,0.5\n"),
        ("e.csv", "source,target,weight\rann,bob,2\rbob,cem,0.5\r"),
        ("e.csv", ",from,to,w,note\n0,ann,bob,2,x\n1,bob,cem,0.5,y\n"),
        ("e.csv", "ann;bob;2\nbob;cem;0.5\n"),
        ("e.csv", "ann;bob;2,0\nbob;cem;0,5\n"),
        ("e.csv", "ann;bob;2\nbob;cem;,5\n"),
        ("e.csv", "source;target;weight\nann;bob;2\nbob;cem;0,5\n"),
        ("e.csv", "\ufeffsource;target;weight\r\nann;bob;2,00\r\nbob;cem;0,5\r\n"),
        ("e.csv", '"ann","bob","2"\n"bob","cem","0.5"\n'),
        ("e.csv", "ann, bob, 2\nbob, cem, 0.5\n"),
        ("e.csv", "\ufeffann,bob,2\nbob,cem,0.5\n"),
        ("e.csv", "id,Source,Target,Type,Weight\n0,ann,bob,x,2\n1,bob,cem,x,0.5\n"),
        ("e.tsv", "ann\tbob\t2\nbob\tcem\t0.5\n"),
        ("e.tab", "from\tto\tw\nann\tbob\t2\nbob\tcem\t0.5\n"),
        ("e.txt", "ann bob 2\nbob cem 0.5\n"),
        ("e.txt", "  ann \t bob   2  \n\n bob cem 0.5\n"),
        ("e.txt", "ann,bob,2\nbob,cem,0.5\n"),
        ("e.txt", "ann;bob;2\nbob;cem;0.5\n"),
        ("e.txt", "# from to\n% more\nann\tbob\t2\n# between\nbob\tcem\t0.5\n# end\n"),
        ("e.edgelist", "ann bob 2\nbob cem 0.5"),
    ],
)
def test_usual_spellings_give_the_same_graph(tmp_path: Path, name: str, content: str) -> None:
    expected = {frozenset(("ann", "bob")): 2.0, frozenset(("bob", "cem")): 0.5}
    assert edges_of(read_graph(write(tmp_path, content, name))) == expected
    assert edges_of(read_graph(write(tmp_path, gzip.compress(content.encode()), f"{name}.gz"))) == expected


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("0,1\n1,2\n", None),
        ("u,v\n0,1\n1,2\n", None),
        ("10,20\n20,30\n", (10, 20, 30)),
        ("01,1\n1,2\n", ("01", "1", "2")),
        ("-1,0\n0,5\n", (-1, 0, 5)),
        ("+1,1\n1,2\n", ("+1", "1", "2")),
        ("1.0,2.0\n2.0,3\n", ("1.0", "2.0", "3")),
        ("a,1\n1,2\n", ("a", "1", "2")),
        ("1234567890123456789012,1\n1,2\n", ("1234567890123456789012", "1", "2")),
        ("u,v\nv,w\n", ("u", "v", "w")),  # the first row's nodes occur again: no header
        ("true,false\nfalse,NA\n", ("true", "false", "NA")),
    ],
)
def test_integers_and_strings_are_told_apart(tmp_path: Path, content: str, names: object) -> None:
    graph = read_graph(write(tmp_path, content))
    assert graph.num_edges == 2
    assert graph.names == names


def test_a_change_of_kind_far_down_is_seen(tmp_path: Path) -> None:
    rows = "".join(f"{i},{i + 1},1\n" for i in range(400_000))
    graph = read_graph(write(tmp_path, rows + "x,0,0.5\n"))
    assert graph.index("x") == 400_000
    assert graph.index("7") == 7
    assert graph.weight(0, 400_000) == 0.5


def test_columns_by_name_and_position(tmp_path: Path) -> None:
    path = write(tmp_path, "w,a,b,n\n5,x,y,7\n6,y,z,8\n")
    assert edges_of(read_graph(path, source="a", target="b"))[frozenset("xy")] == 5
    assert edges_of(read_graph(path, source="a", target=2, weight=True))[frozenset("xy")] == 5
    assert edges_of(read_graph(path, source="a", target=2, weight="n"))[frozenset("yz")] == 8
    assert edges_of(read_graph(path, source=1, target=2, weight=False))[frozenset("yz")] == 1
    assert read_graph(path, source=1, target=2, weight=False, header=False).num_nodes == 5
    assert read_graph(write(tmp_path, "x|y\ny|z\n"), delimiter="|").num_nodes == 3


def test_header_can_be_forced(tmp_path: Path) -> None:
    path = write(tmp_path, "ann,bob\ncem,dan\n")
    assert read_graph(path).num_nodes == 4
    assert read_graph(path, header=True, source=0, target="bob").num_nodes == 2


def test_a_column_name_that_stands_twice(tmp_path: Path) -> None:
    path = write(tmp_path, "n,n,w\na,b,2\n")
    assert edges_of(read_graph(path, source=0, target=1)) == {frozenset("ab"): 2.0}
    with pytest.raises(DataError, match="several columns 'n'"):
        read_graph(path, source="n")
    table = tmp_path / "e.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["n", "n"]), table)
    with pytest.raises(DataError, match="several columns 'n'; rename them"):
        read_graph(table)


@given(
    rows=st.lists(
        st.tuples(
            *[st.sampled_from(["a", "b", "c d", "0", "1", "17", "#x", 'q"q', "e,f"])] * 2, st.integers(-4, 4)
        ),
        min_size=1,
        max_size=12,
    ),
    delimiter=st.sampled_from([",", "\t", ";", "|"]),
    weighted=st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_against_a_slow_reader(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, int]],
    delimiter: str,
    weighted: bool,
) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([row if weighted else row[:2] for row in rows])
    path = write(tmp_path_factory.mktemp("t"), buffer.getvalue())
    graph = read_graph(path, delimiter=delimiter, header=False)
    names = {name for row in rows for name in row[:2]}
    integral = all(name.isdigit() for name in names)
    expected: dict[frozenset[object], float] = {}
    for u, v, weight in rows:
        if u != v:
            key = frozenset((int(u), int(v)) if integral else (u, v))
            expected[key] = expected.get(key, 0.0) + (weight if weighted else 1.0)
    assert edges_of(graph) == {key: value for key, value in expected.items() if value}
    assert {graph.name(i) for i in range(graph.num_nodes)} == ({int(n) for n in names} if integral else names)


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.int64(), pa.string(), pa.large_string()])
@pytest.mark.parametrize("encoded", [False, True])
def test_parquet_types(tmp_path: Path, kind: pa.DataType, encoded: bool) -> None:
    columns = [pa.array([1, 2], pa.int64()).cast(kind), pa.array([2, 30], pa.int64()).cast(kind)]
    if encoded:
        columns = [column.dictionary_encode() for column in columns]
    path = tmp_path / "e.parquet"
    pq.write_table(
        pa.table({"u": columns[0], "v": columns[1], "w": pa.array([1.5, 2.5], pa.float32())}), path
    )
    graph = read_graph(path)
    assert graph.names == ((1, 2, 30) if pa.types.is_integer(kind) else ("1", "2", "30"))
    assert graph.edge_weights.tolist() == [1.5, 2.5]


def test_parquet_integers_and_strings_mixed(tmp_path: Path) -> None:
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"u": [1, 2], "v": ["2", "x"]}), path)
    assert set(read_graph(path).names) == {"1", "2", "x"}


def test_many_blocks_keep_rows_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 300, (20_000, 2))
    values = rng.integers(1, 9, 20_000)
    lines = "".join(f"n{u},n{v},{w}\n" for (u, v), w in zip(ends.tolist(), values.tolist(), strict=True))
    monkeypatch.setattr(text, "BLOCK_BYTES", 1 << 12)
    graph = read_graph(write(tmp_path, lines))
    order = [int(str(name)[1:]) for name in graph.names]
    expected = Graph.from_edges(ends, values, num_nodes=300).subgraph(order)
    assert (graph.adjacency != expected.adjacency).nnz == 0


def test_no_loop_over_edges(tmp_path: Path) -> None:
    """A million edges with string names in a few seconds, also on a busy machine."""
    rng = np.random.default_rng(0)
    ids = pa.array([f"acct-{i}" for i in range(50_000)])
    ends = [ids.take(pa.array(rng.integers(0, 50_000, 1_000_000))) for _ in range(2)]
    path = tmp_path / "e.parquet"
    pq.write_table(pa.table({"source": ends[0], "target": ends[1]}), path)
    graph = read_graph(path)
    calls = 0

    def count(*_: object) -> None:
        nonlocal calls
        calls += 1

    target = tmp_path / "e.csv"
    tables.write_text(graph, target, "csv")
    sys.setprofile(count)
    try:
        again = read_graph(target)
    finally:
        sys.setprofile(None)
    assert again == graph
    assert calls < 5 * graph.num_nodes


def test_a_comma_between_cells_stays_one(tmp_path):
    path = write(tmp_path, "a;1,b\nb,c;2\n")
    assert edges_of(read_graph(path)) == {frozenset(("a;1", "b")): 1.0, frozenset(("b", "c;2")): 1.0}


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_unicode_text_of_spreadsheets(tmp_path, order):
    content = "\ufeffann\tbjörn\t2\r\nbjörn\tcem\t0.5\r\n".encode(order)
    for name in ("e.csv", "e.txt", "e.tsv"):
        found = edges_of(read_graph(write(tmp_path, content, name)))
        assert found == {frozenset(("ann", "björn")): 2.0, frozenset(("björn", "cem")): 0.5}
