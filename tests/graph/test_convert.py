"""One graph, however it comes: pairs, triples, edge_index, frames, other packages' graphs."""

from __future__ import annotations

import subprocess
import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph import Graph, as_graph

KARATE = nx.karate_club_graph()


class Column:
    """A column that offers nothing but an array, as a frame of an unknown package might."""

    def __init__(self, values):
        self._values = np.array(values)

    def to_numpy(self):
        return self._values


class Frame:
    """A frame of an unknown package: names and columns, in the manner of polars."""

    def __init__(self, columns, wrap):
        self._columns, self._wrap = columns, wrap

    @property
    def columns(self):
        return list(self._columns)

    def __getitem__(self, name):
        return self._wrap(self._columns[name])


class Streamed:
    """A column that offers an Arrow stream, as a polars series does."""

    def __init__(self, values):
        self._values = pa.chunked_array([values])

    def __arrow_c_stream__(self, requested_schema=None):
        return self._values.__arrow_c_stream__(requested_schema)


class Interchange:
    """A frame that offers the interchange protocol alone."""

    def __init__(self, columns):
        self._table = pa.table(columns)

    def __dataframe__(self, *arguments, **options):
        return self._table.__dataframe__(*arguments, **options)


def frames(columns):
    return [
        pd.DataFrame(columns),
        pl.DataFrame(columns),
        pa.table(columns),
        Frame(columns, Column),
        Frame(columns, Streamed),
        Frame(
            columns,
            lambda values: pa.array(values).cast(pa.string_view()) if isinstance(values[0], str) else values,
        ),
        Interchange(columns),
    ]


triples = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([1.0, 0.5, -2.0, 3.0])),
    min_size=1,
    max_size=9,
)


@given(triples)
def test_triples_and_edge_index(rows):
    ends = np.array([row[:2] for row in rows], dtype=np.int64)
    expected = Graph.from_edges(ends, [row[2] for row in rows])
    assert Graph.from_edges(rows) == expected
    assert Graph.from_edges([list(row) for row in rows]) == expected
    assert Graph.from_edges(np.array(rows)) == expected  # floats: never an edge_index
    assert Graph.from_edges(np.array(rows, dtype=object)) == expected
    if len(rows) not in (2, 3):
        assert Graph.from_edges(ends.T) == Graph.from_edges(ends)
    named = [(f"n{u}", f"n{v}", w) for u, v, w in rows]
    assert Graph.from_edges(named) == Graph.from_edges([row[:2] for row in named], [row[2] for row in rows])


def test_of_four_integers_the_rows_are_pairs():
    assert Graph.from_edges(np.array([[0, 1], [2, 3]])).edges.tolist() == [[0, 1], [2, 3]]
    assert Graph.from_edges(np.array([[0], [2]])).edges.tolist() == [[0, 2]]
    assert Graph.from_edges(np.zeros((2, 0), dtype=int), num_nodes=3).num_edges == 0


@pytest.mark.parametrize(
    "columns",
    [
        {"source": ["a", "b"], "target": ["b", "c"], "weight": [2.0, 0.5]},
        {"Weight": [2, 3], "From": [10, 20], "To": [20, 30], "note": ["x", "y"]},
        {"u": [0, 2], "v": [1, 1]},
    ],
)
def test_frames_of_any_package(columns):
    pair = (
        ("source", "target") if "source" in columns else ("From", "To") if "From" in columns else ("u", "v")
    )
    weights = next((list(columns[name]) for name in columns if name.lower() == "weight"), None)
    plain = pa.table({"a": columns[pair[0]], "b": columns[pair[1]]} | ({"w": weights} if weights else {}))
    expected = Graph.from_arrow(plain, "a", "b", "w" if weights else None)
    for frame in frames(columns):
        assert as_graph(frame) == Graph.from_edges(frame) == expected
        weight = next((name for name in columns if name.lower() == "weight"), None)
        assert Graph.from_pandas(frame, *pair, weight) == expected


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (
            {"payer": ["a"], "payee": ["b"]},
            "columns are payer, payee, of which no two are plainly source and target",
        ),
        ({"from": ["a"], "to": ["b"], "u": ["c"], "v": ["d"]}, "no two are plainly"),
        ({"source": ["a"], "target": ["b"], "amount": [3.0]}, "none is plainly the weight; name it, or None"),
        ({"source": ["a"], "target": ["b"], "w": [3.0], "value": [4.0]}, "none is plainly the weight"),
    ],
)
def test_columns_are_never_guessed(columns, says):
    for frame in frames(columns):
        with pytest.raises(GraphError, match=says):
            Graph.from_edges(frame)


def test_a_frame_comes_alone_and_with_distinct_columns():
    frame = pd.DataFrame([["a", "b", "c"]], columns=["source", "target", "target"])
    with pytest.raises(GraphError, match="no two are plainly"):
        Graph.from_edges(frame)
    with pytest.raises(GraphError, match="several columns 'target'"):
        Graph.from_pandas(frame, "source", "target")
    with pytest.raises(GraphError, match="pass it alone"):
        Graph.from_edges(frame, [1.0])
    with pytest.raises(GraphError, match="no data frame that can be read"):
        Graph.from_edges(type("Odd", (), {"__dataframe__": lambda self: 3})())


@given(st.permutations(range(6)), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
def test_integers_from_0_are_their_own_index_whatever_the_order(order, pairs):
    other = nx.Graph()
    other.add_nodes_from(order)
    other.add_edges_from(pairs)
    kept = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    expected = Graph.from_edges(kept, num_nodes=6)
    assert Graph.from_networkx(other) == expected
    numbered = igraph.Graph(n=6, edges=[(order.index(u), order.index(v)) for u, v in kept])
    numbered.vs["name"] = order
    assert Graph.from_igraph(numbered) == expected
    assert as_graph(numbered) == as_graph(other) == expected


def test_other_integers_keep_their_order_and_their_names():
    other = nx.Graph([(3, 1), (1, 2)])
    assert Graph.from_networkx(other).names == (3, 1, 2)


def test_what_is_plainly_a_graph_is_one():
    expected = Graph.from_networkx(KARATE)
    assert as_graph(expected) is expected
    assert expected.names is None
    for same in (
        KARATE,
        type("Mine", (nx.Graph,), {})(KARATE),
        nx.to_scipy_sparse_array(KARATE),
        sp.coo_matrix(nx.to_scipy_sparse_array(KARATE)),
        igraph.Graph.from_networkx(KARATE),
        nx.to_pandas_edgelist(KARATE),
        list(KARATE.edges(data="weight")),
        np.array(list(KARATE.edges(data="weight"))),
    ):
        assert as_graph(same) == expected
    table = zk.Features(np.eye(3))
    assert as_graph(table) is table


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("edges.csv", "read a file with zk.read_graph"),
        (7, "int is no graph; pass a Graph"),
        (None, "NoneType is no graph"),
        (nx.DiGraph([(0, 1)]), "directed"),
        (zk.generators.line(4), r"LabelledGraph is no graph but holds one; pass its \.graph"),
        (sp.csr_array(np.ones((2, 3))), "square"),
    ],
)
def test_what_is_no_graph_is_refused(value, says):
    with pytest.raises((GraphError, ParameterError), match=says):
        as_graph(value)
    with pytest.raises((GraphError, ParameterError), match=says):
        zk.start(value, "nearest")


def test_sessions_and_games_take_other_packages_graphs(tmp_path):
    clubs = nx.get_node_attributes(KARATE, "club")
    session = zk.start(KARATE, "nearest")
    session.learn(0, clubs[0])
    session.learn(33, clubs[33])
    path = tmp_path / "karate.zk"
    session.save(path)
    edges = tmp_path / "karate.csv"
    nx.write_weighted_edgelist(KARATE, edges, delimiter=",")
    for graph in (KARATE, Graph.from_networkx(KARATE), zk.read_graph(edges)):
        assert zk.load(path, graph).predict(5).label == session.predict(5).label
    run = zk.play(KARATE, clubs, "nearest", seed=1)
    assert run.mistakes == zk.play(Graph.from_networkx(KARATE), clubs, "nearest", seed=1).mistakes
    assert zk.play_shuffles(KARATE, clubs, "nearest", shuffles=2).runs[0].trials == 34


def test_no_other_package_is_imported_for_it():
    code = (
        "import sys; import zerokelvin as zk; zk.start([(0, 1)], 'nearest'); "
        "print([name for name in ('networkx', 'igraph', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
