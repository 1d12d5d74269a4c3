"""Whatever is written comes back the same, as far as the format can hold it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.io import read_graph, write_graph

TABLES = ["csv", "tsv", "txt", "csv.gz", "tsv.gz", "txt.gz", "parquet"]
ORDERED = ["graphml", "graphml.gz", "gml", "gml.gz", "npz", "json", "json.gz"]
MATRICES = ["mtx", "mtx.gz"]

weights = st.floats(allow_nan=False, allow_infinity=False).filter(bool)
texts = st.text(
    st.characters(codec="utf-8", min_codepoint=32, exclude_characters="\x7f\ufffe\uffff"), max_size=6
)
words = texts.map(lambda text: f"{text.strip()}·".strip())


@st.composite
def plain_graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 7))
    ends = st.integers(0, count - 1)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=10, unique_by=lambda p: (min(p), max(p))))
    values = draw(st.none() | st.lists(weights, min_size=len(pairs), max_size=len(pairs)))
    return Graph.from_edges(np.array(pairs, dtype=np.int64).reshape(-1, 2), values, num_nodes=count)


@st.composite
def named_graphs(draw: st.DrawFn, names: st.SearchStrategy[object] = words) -> Graph:
    graph = draw(plain_graphs())
    chosen = draw(st.lists(names, min_size=graph.num_nodes, max_size=graph.num_nodes, unique=True))
    return Graph(graph.indptr, graph.indices, graph.weights, chosen)


def again(graph: Graph, suffix: str) -> Graph:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"graph.{suffix}"
        write_graph(graph, path)
        assert [found.name for found in Path(folder).iterdir()] == [path.name]
        return read_graph(path)


@pytest.mark.parametrize("suffix", TABLES + ORDERED + MATRICES)
@given(graph=plain_graphs())
@settings(max_examples=60, deadline=None)
def test_unnamed_graph_comes_back(suffix: str, graph: Graph) -> None:
    assert again(graph, suffix) == graph


@pytest.mark.parametrize("suffix", TABLES + ORDERED)
@given(graph=named_graphs())
@settings(max_examples=60, deadline=None)
def test_strings_come_back_in_order(suffix: str, graph: Graph) -> None:
    assert again(graph, suffix) == graph


@pytest.mark.parametrize("suffix", ORDERED)
@given(graph=named_graphs(st.integers(-(10**17), 10**17).filter(lambda i: i != 0)))
@settings(max_examples=40, deadline=None)
def test_integers_come_back_in_order(suffix: str, graph: Graph) -> None:
    assert again(graph, suffix) == graph


@pytest.mark.parametrize("suffix", TABLES)
@given(graph=named_graphs(st.integers(-(10**17), 10**17)))
@settings(max_examples=40, deadline=None)
def test_tables_number_integers_in_ascending_order(suffix: str, graph: Graph) -> None:
    back = again(graph, suffix)
    names = [graph.name(i) for i in range(graph.num_nodes)]
    sorted_graph = graph.subgraph(np.argsort(names))
    assert [back.name(i) for i in range(back.num_nodes)] == sorted(names)
    assert (back.adjacency != sorted_graph.adjacency).nnz == 0


@pytest.mark.parametrize("suffix", ["parquet", "npz", "json"])
@given(graph=named_graphs(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=4)))
@settings(max_examples=60, deadline=None)
def test_typed_formats_keep_any_string(suffix: str, graph: Graph) -> None:
    assert again(graph, suffix) == graph


@pytest.mark.parametrize("suffix", [*TABLES[:-1], "graphml", "gml"])
def test_text_formats_turn_strings_of_digits_into_integers(suffix: str) -> None:
    assert again(Graph.from_edges([("17", "5")]), suffix).index(17) >= 0


@pytest.mark.parametrize("suffix", ["csv", "txt", "graphml", "gml"])
@pytest.mark.parametrize("name", ["", " a", "a ", "a\nb", "a\x01", "a\uffff"])
def test_text_formats_refuse_names_they_cannot_hold(suffix: str, name: str) -> None:
    with pytest.raises(GraphError, match="cannot be written"):
        again(Graph.from_edges([(name, "b")]), suffix)


@pytest.mark.parametrize("suffix", TABLES + ORDERED)
@pytest.mark.parametrize("names", [[("a", 1), ("b", 2)], ["a", 1], [True, False], [1.5, 2.5]])
def test_other_names_are_refused(suffix: str, names: list[object]) -> None:
    with pytest.raises(GraphError, match="all strings or all integers"):
        again(Graph.from_edges([(0, 1)], names=names), suffix)


def test_names_that_look_like_comments_headers_or_delimiters_survive() -> None:
    names = [
        "#a",
        "%b",
        "source",
        "u",
        "v",
        "a,b",
        "c;d",
        "target",
        'say "so"',
        "true",
        "2020-01-01",
        "NA",
        "1.0",
    ]
    graph = Graph.from_edges([(i, i + 1) for i in range(len(names) - 1)], names=names)
    for suffix in TABLES + ORDERED:
        assert again(graph, suffix) == graph


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.csv"
    write_graph(Graph.from_edges([(0, 1)]), path)
    before = path.read_bytes()
    with pytest.raises(GraphError):
        write_graph(Graph.from_edges([(0, 1)], names=[("x",), ("y",)]), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
