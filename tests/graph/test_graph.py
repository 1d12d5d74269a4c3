from __future__ import annotations

import copy
import math
import pickle
import subprocess
import sys

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from naive import structure as naive
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph import Graph

WEIGHTS = st.sampled_from([1.0, 2.0, 0.5, 0.0, -1.0, -0.5])


@st.composite
def weighted_pairs(draw, most=9):
    """Triples (u, v, w) among a few nodes: loops, repeats in both directions, zeros, negatives."""
    count = draw(st.integers(1, most))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node, WEIGHTS), max_size=3 * most))


def build(count, triples):
    return Graph.from_edges([t[:2] for t in triples], [t[2] for t in triples], num_nodes=count)


def table(graph):
    """The graph as a dict of dicts, read through its public methods only."""
    return {u: {int(v): graph.weight(u, int(v)) for v in graph.neighbors(u)} for u in range(graph.num_nodes)}


def dense(count, rows):
    matrix = np.zeros((count, count))
    for u, row in rows.items():
        for v, w in row.items():
            matrix[u, v] = w
    return matrix


# -- one oracle for everything that can be read -----------------------------------------------------


@given(weighted_pairs())
def test_reading_agrees_with_a_dict_of_dicts(case):
    count, triples = case
    graph, expected = build(count, triples), naive.merge(triples, count)
    matrix = dense(count, expected)
    edges = [(u, v) for u in expected for v in sorted(expected[u]) if u < v]
    assert table(graph) == expected
    assert (graph.num_nodes, graph.num_edges) == (count, len(edges))
    assert [tuple(edge) for edge in graph.edges.tolist()] == edges
    assert graph.edge_weights.tolist() == [expected[u][v] for u, v in edges]
    np.testing.assert_array_equal(graph.adjacency.toarray(), matrix)
    np.testing.assert_allclose(graph.degrees, np.abs(matrix).sum(axis=1))
    np.testing.assert_allclose(graph.laplacian().toarray(), np.diag(np.abs(matrix).sum(axis=1)) - matrix)
    assert graph.is_signed == bool((matrix < 0).any())
    assert (np.diff(graph.indptr) == [len(expected[u]) for u in range(count)]).all()
    for u in range(count):
        assert graph.neighbors(u).tolist() == sorted(expected[u])
        assert graph.name(u) == graph.index(u) == u


@given(weighted_pairs())
def test_components_agree_with_flooding(case):
    count, triples = case
    graph = build(count, triples)
    parts = naive.components(naive.merge(triples, count))
    assert graph.num_components == len(parts)
    for number, part in enumerate(parts):
        assert np.flatnonzero(graph.components == number).tolist() == part
    largest, nodes = graph.largest_component()
    assert nodes.tolist() == max(parts, key=len)  # the first of the largest has the lowest node
    assert largest == graph.subgraph(nodes)


@given(weighted_pairs(), st.data())
def test_subgraphs_agree_with_the_dense_matrix(case, data):
    count, triples = case
    graph = build(count, triples)
    nodes = data.draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True))
    part = graph.subgraph(nodes)
    np.testing.assert_array_equal(part.adjacency.toarray(), graph.adjacency.toarray()[np.ix_(nodes, nodes)])
    assert part == Graph.from_scipy(part.adjacency)


@given(weighted_pairs(), st.randoms())
def test_order_and_direction_of_edges_do_not_matter(case, random):
    count, triples = case
    turned = [(v, u, w) if random.random() < 0.5 else (u, v, w) for u, v, w in triples]
    random.shuffle(turned)
    first, second = build(count, triples), build(count, turned)
    assert first == second
    assert hash(first) == hash(second)
    assert first.content_hash == second.content_hash


# -- constructors -----------------------------------------------------------------------------------


@given(weighted_pairs())
def test_every_constructor_gives_the_same_graph(case):
    count, triples = case
    expected = build(count, triples)
    matrix = expected.adjacency.toarray()
    pairs, weights = np.array([t[:2] for t in triples]).reshape(-1, 2), [t[2] for t in triples]
    for edges in (
        pairs,
        pairs.tolist(),
        pairs.astype(np.uint8),
        pairs.astype(object),
        map(tuple, pairs.tolist()),
    ):
        assert Graph.from_edges(edges, weights, num_nodes=count) == expected
    for kind in (
        np.asarray, sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_matrix, sp.lil_array, np.ndarray.tolist,
    ):  # fmt: skip
        assert Graph.from_scipy(kind(matrix)) == expected
    multi = nx.MultiGraph()
    multi.add_nodes_from(range(count))
    multi.add_weighted_edges_from(triples)
    assert table(Graph.from_networkx(multi)) == table(expected)
    other = igraph.Graph(n=count, edges=pairs.tolist(), edge_attrs={"weight": weights})
    assert Graph.from_igraph(other) == expected


@given(weighted_pairs())
def test_tables_give_the_same_graph_on_the_nodes_they_mention(case):
    count, triples = case
    triples = triples or [(0, 0, 1.0)]
    columns = {"u": [t[0] for t in triples], "v": [t[1] for t in triples], "w": [t[2] for t in triples]}
    mentioned = sorted(set(columns["u"]) | set(columns["v"]))
    expected = build(count, triples).subgraph(mentioned)
    for graph in (
        Graph.from_pandas(pd.DataFrame(columns), "u", "v", "w"),
        Graph.from_arrow(pa.table(columns), "u", "v", "w"),
        Graph.from_arrow(pa.table(columns).slice(0), "v", "u", "w"),
    ):
        assert table(graph) == table(expected)
        assert [graph.name(i) for i in range(graph.num_nodes)] == mentioned
    texts = {c: [f"n{x}" for x in columns[c]] if c != "w" else columns[c] for c in columns}
    for graph in (
        Graph.from_pandas(pd.DataFrame(texts), "u", "v", "w"),
        Graph.from_pandas(pd.DataFrame(texts).astype({"u": "category", "v": "category"}), "u", "v", "w"),
        Graph.from_arrow(pa.table(texts), "u", "v", "w"),
    ):
        order = [graph.index(f"n{node}") for node in mentioned]
        assert table(graph.subgraph(order)) == table(expected)


def test_weights_are_one_without_a_weight():
    frame = pd.DataFrame({"u": [5, 7], "v": [7, 9], "w": [2.0, 3.0]})
    assert Graph.from_pandas(frame, "u", "v").edge_weights.tolist() == [1.0, 1.0]
    assert Graph.from_networkx(nx.path_graph(3)).edge_weights.tolist() == [1.0, 1.0]
    assert Graph.from_networkx(nx.Graph([(0, 1, {"cost": 4})]), weight="cost").edge_weights.tolist() == [4.0]
    ring = igraph.Graph.Ring(4)
    ring.es["cost"] = [1, 2, 3, 4]
    assert Graph.from_igraph(ring).edge_weights.sum() == 4
    assert Graph.from_igraph(ring, weight="cost").edge_weights.sum() == 10


def test_numbers_as_column_names():
    assert Graph.from_pandas(pd.DataFrame([[0, 1, 3.0], [1, 2, 4.0]]), 0, 1, 2).edge_weights.tolist() == [
        3.0,
        4.0,
    ]


@pytest.mark.parametrize("kinds", [("uint64", "uint64"), ("uint64", "int64"), ("int64", "uint64")])
def test_large_identifiers_are_kept_apart(kinds):
    big = 2**63 + 5 if kinds[0] == "uint64" else 2**62 + 5
    columns = {"u": pa.array([big, big + 1], kinds[0]), "v": pa.array([1, 2], kinds[1])}
    graph = Graph.from_arrow(pa.table(columns), "u", "v")
    assert {frozenset(map(graph.name, edge)) for edge in graph.edges.tolist()} == {
        frozenset({big, 1}),
        frozenset({big + 1, 2}),
    }


def test_large_and_negative_identifiers_together_become_text():
    columns = {"u": pa.array([2**63 + 5], "uint64"), "v": pa.array([-1], "int64")}
    assert set(Graph.from_arrow(pa.table(columns), "u", "v").names) == {str(2**63 + 5), "-1"}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Graph.from_networkx(nx.DiGraph([(0, 1)])), "to_undirected"),
        (lambda: Graph.from_networkx(nx.Graph()), "no nodes"),
        (lambda: Graph.from_networkx(nx.Graph([(0, 1, {"weight": "x"})])), "not numbers"),
        (lambda: Graph.from_igraph(igraph.Graph([(0, 1)], directed=True)), "as_undirected"),
        (lambda: Graph.from_igraph(igraph.Graph(2, vertex_attrs={"name": ["a", "a"]})), "'a' stands twice"),
        (lambda: Graph.from_pandas(pd.DataFrame({"u": [1]}), "u", "v"), "no column 'v'; the table has u"),
        (
            lambda: Graph.from_pandas(pd.DataFrame({"u": [1, None], "v": [1, 2]}), "u", "v"),
            "empty in data row 1",
        ),
        (
            lambda: Graph.from_pandas(pd.DataFrame({"u": ["a", 1], "v": [1, 2]}, dtype=object), "u", "v"),
            "mixes",
        ),
        (lambda: Graph.from_pandas(pd.DataFrame({"u": [], "v": []}), "u", "v"), "no nodes"),
        (
            lambda: Graph.from_arrow(pa.table({"u": [1], "v": [2], "w": ["x"]}), "u", "v", "w"),
            "'w' holds 'x'",
        ),
        (
            lambda: Graph.from_arrow(pa.table({"u": [1], "v": [2], "w": [math.nan]}), "u", "v", "w"),
            "weight nan",
        ),
        (lambda: Graph.from_arrow(pa.table({"u": [[1]], "v": [[2]]}), "u", "v"), "use text or numbers"),
        (lambda: Graph.from_scipy(np.zeros((2, 3))), r"shape \(2, 3\)"),
        (lambda: Graph.from_scipy(np.zeros(4)), "square"),
        (lambda: Graph.from_scipy(np.zeros((0, 0))), "no nodes"),
        (lambda: Graph.from_scipy(np.array([[0, 1], [2, 0]])), r"not symmetric at \(0, 1\)"),
        (lambda: Graph.from_scipy(np.array([[0, np.nan], [np.nan, 0]])), "weight nan"),
        (lambda: Graph.from_scipy(sp.csr_array(np.array([[0, np.inf], [np.inf, 0]]))), "weight inf"),
        (lambda: Graph.from_scipy(np.array([["a", "b"], ["b", "a"]])), "not one of numbers"),
        (lambda: Graph.from_scipy(np.array([[0, 1j], [1j, 0]])), "complex"),
    ],
)
def test_converters_refuse_what_they_cannot_take(make, words):
    with pytest.raises(GraphError, match=words):
        make()


# -- the rules --------------------------------------------------------------------------------------


def test_loops_are_dropped_repeats_summed_zeros_dropped():
    graph = Graph.from_edges([(0, 0), (0, 1), (1, 0), (1, 2), (2, 3), (3, 2)], [5, 1, 2, 0, 1, -1])
    assert graph.edges.tolist() == [[0, 1]]
    assert graph.weight(0, 1) == graph.weight(1, 0) == 3.0
    assert graph.weight(2, 3) == graph.weight(0, 0) == 0.0
    assert graph.num_nodes == 4


def test_graphs_without_edges_and_with_lonely_nodes():
    assert repr(Graph.from_edges([], num_nodes=3)) == "Graph(nodes=3, edges=0)"
    assert Graph.from_edges(np.array([]), num_nodes=1).num_components == 1
    assert Graph.from_edges(np.zeros((0, 2)), names=["a", "b"]).names == ("a", "b")
    assert Graph.from_edges([(0, 1)], num_nodes=4).components.tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize(
    ("edges", "options", "words"),
    [
        ([], {}, "no nodes"),
        ([], {"num_nodes": 0}, "no nodes"),
        ([(0, 1)], {"weights": [math.nan]}, "edge 0 has weight nan"),
        ([(0, 1), (1, 2)], {"weights": [1, math.inf]}, "edge 1 has weight inf"),
        ([(0, 1)], {"weights": [None]}, "weight nan"),
        ([(0, 1)], {"weights": ["x"]}, "not numbers"),
        ([(0, 1)], {"weights": np.array([1j])}, "complex"),
        ([(0, 1)], {"weights": [1, 2]}, "2 weights for 1 edges"),
        ([(0, 1), (1, 0)], {"weights": [1e308, 1e308]}, "infinite weight"),
        ([(0, -1)], {}, "index -1 is negative"),
        ([(0, 5)], {"num_nodes": 3}, "index 5 is outside the 3 nodes"),
        ([(0, 2)], {"names": ["a", "b"]}, "index 2 is outside the 2 nodes"),
        ([(0, 1)], {"names": ["a", "b"], "num_nodes": 3}, "num_nodes=3 but 2 names"),
        ([(0, 1)], {"names": ["a", "a"]}, "'a' stands twice"),
        ([(0, 1)], {"names": [["a"], "b"]}, "hashable"),
        ([(["a"], "b")], {}, "hashable"),
        ([(0, 1, "x")], {}, "'x' in third place, which is no weight"),
        ([(0, 1, True)], {}, "True in third place"),
        ([(0, 1, math.nan)], {}, "weight nan"),
        ([(0, 1, 10**400)], {}, "not numbers"),
        ([(0, 1, 2.0)], {"weights": [2.0]}, "weights are given twice"),
        ([(0, 1, 2.0), (0, 1)], {}, r"edge \(0, 1\) is not a triple"),
        ([(0, 1), (0, 1, 2.0)], {}, r"edge \(0, 1, 2.0\) is not a pair"),
        ([(0, 1, 2, 3)], {}, r"edge \(0, 1, 2, 3\) is not a pair"),
        (
            np.array([[0, 1, 2], [1, 2, 0]]),
            {},
            r"\(2, 3\) may be an edge_index of three edges or two triples",
        ),
        (np.array([[0.5, 1, 2], [1, 2, 0], [0, 1, 1]]), {}, "fractions"),
        (np.array([[np.nan, 1, 2], [1, 2, 0], [0, 1, 1]]), {}, "fractions"),
        (np.zeros((5, 4)), {}, r"shape \(5, 4\); give pairs of nodes, shape \(m, 2\), an edge_index"),
        (["ab"], {}, "edge 'ab' is not a pair"),
        (np.array([0, 1]), {}, r"shape \(2,\)"),
        (np.array([[0.0, 1.5]]), {}, "fractions"),
        ([(2**70, 1)], {}, "64 bits"),
        (None, {}, "not pairs"),
    ],
)
def test_bad_edges_are_refused(edges, options, words):
    with pytest.raises(GraphError, match=words):
        Graph.from_edges(edges, **options)


def test_signed_graphs_exist_and_are_refused_by_name_where_weights_must_be_positive():
    graph = Graph.from_edges([("a", "b"), ("b", "c")], [1.0, -2.0])
    assert graph.is_signed
    assert repr(graph) == "Graph(nodes=3, edges=2, signed)"
    assert (np.linalg.eigvalsh(graph.laplacian().toarray()) > -1e-12).all()
    with pytest.raises(GraphError, match=r"this needs positive weights, but edge \('b', 'c'\) has weight -2"):
        graph.require_positive("this")
    Graph.from_edges([(0, 1)]).require_positive("this")


# -- names ------------------------------------------------------------------------------------------

NAMES = st.one_of(
    st.text(max_size=3),
    st.integers(-5, 5),
    st.tuples(st.integers(0, 3), st.text(max_size=1)),
    st.frozensets(st.integers(0, 3)),
    st.none(),
    st.floats(allow_nan=False),
    st.binary(max_size=2),
)


@given(st.lists(NAMES, min_size=1, max_size=8, unique=True), st.data())
def test_names_of_any_hashable_kind(names, data):
    node = st.integers(0, len(names) - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=12))
    graph = Graph.from_edges(pairs, names=names)
    assert graph.names == unless_numbers(names)
    assert [graph.index(name) for name in names] == list(range(len(names)))
    assert [graph.name(i) for i in range(len(names))] == names
    shuffled = data.draw(st.permutations(range(len(names))))
    part = graph.subgraph(shuffled)
    assert part.names == unless_numbers([names[i] for i in shuffled])


def unless_numbers(names):
    """Names as a graph keeps them: 0, 1, ... are none."""
    numbers = all(type(name) is int for name in names) and names == list(range(len(names)))
    return None if numbers else tuple(names)


def test_pairs_of_names_are_numbered_as_they_appear_or_as_given():
    pairs = [("b", "a"), ("a", "c")]
    assert Graph.from_edges(pairs).names == ("b", "a", "c")
    assert Graph.from_edges(np.array(pairs)).names == ("b", "a", "c")
    given_names = Graph.from_edges(pairs, names=["a", "b", "c", "d"])
    assert (given_names.num_nodes, given_names.edges.tolist()) == (4, [[0, 1], [0, 2]])
    mixed = Graph.from_edges([(("x", 1), 7), (7, None)])
    assert mixed.names == (("x", 1), 7, None)
    with pytest.raises(NodeError, match="'z' is not among the names"):
        Graph.from_edges([("a", "z")], names=["a", "b"])


@pytest.mark.parametrize(
    ("graph", "name", "words"),
    [
        (Graph.from_edges([(0, 1)]), 2, "integers 0 to 1"),
        (Graph.from_edges([(0, 1)]), -1, "no node -1"),
        (Graph.from_edges([(0, 1)]), True, "no node True"),
        (Graph.from_edges([(0, 1)]), 1.0, r"no node 1\.0"),
        (Graph.from_edges([(0, 1)]), "0", "no node '0'"),
        (Graph.from_edges([("a", "b")]), "c", r"no node 'c' in this graph of 2 nodes \(the first is 'a'\)"),
        (Graph.from_edges([("1", "2")]), 1, "no node 1; there is '1', of another type"),
        (Graph.from_edges([("a", "b")]), ["a"], "no node"),
    ],
)
def test_unknown_names_are_explained(graph, name, words):
    with pytest.raises(NodeError, match=words):
        graph.index(name)


@pytest.mark.parametrize("graph", [Graph.from_edges([(0, 1)]), Graph.from_edges([("a", "b")])])
def test_indices_outside_the_graph_are_errors_not_wrapped(graph):
    for bad in (-1, 2):
        for call in (graph.name, graph.neighbors, lambda i: graph.weight(0, i), lambda i: graph.weight(i, 0)):
            with pytest.raises(NodeError, match=f"node index {bad} is outside the graph's 2 nodes"):
                call(bad)
    with pytest.raises(LookupError):
        graph.index("nobody")


@pytest.mark.parametrize(
    ("nodes", "error", "words"),
    [
        ([0, 0], GraphError, "repeat"),
        ([0, 3], NodeError, "index 3"),
        ([-1], NodeError, "index -1"),
        ([], GraphError, "no nodes"),
        ([True, False, True], GraphError, "flatnonzero"),
        ([0.5], GraphError, "list of indices"),
        ([[0, 1]], GraphError, "list of indices"),
        (["a"], GraphError, "list of indices"),
    ],
)
def test_bad_subgraphs_are_refused(nodes, error, words):
    with pytest.raises(error, match=words):
        Graph.from_edges([(0, 1), (1, 2)]).subgraph(nodes)


def test_largest_component_keeps_names_and_a_connected_graph_is_itself():
    graph = Graph.from_edges([("a", "b"), ("c", "d"), ("d", "e")])
    component, nodes = graph.largest_component()
    assert (component.names, nodes.tolist()) == (("c", "d", "e"), [2, 3, 4])
    whole, everyone = component.largest_component()
    assert whole is component
    assert everyone.tolist() == [0, 1, 2]


# -- identity ---------------------------------------------------------------------------------------


def test_graphs_cannot_be_changed():
    given_weights = np.array([1.0, 2.0])
    graph = Graph.from_edges([(0, 1), (1, 2)], given_weights)
    before = graph.content_hash
    given_weights[:] = 9
    arrays = [graph.indptr, graph.indices, graph.weights, graph.degrees, graph.edges, graph.edge_weights]
    arrays += [graph.components, graph.adjacency.data, graph.adjacency.indices, graph.neighbors(1)]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    for name in ("weights", "names", "degrees", "anything"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(graph, name, None)
    assert Graph(graph.indptr, graph.indices, graph.weights).content_hash == before


def test_the_hash_sees_nodes_edges_weights_and_names():
    graphs = [
        Graph.from_edges([(0, 1)]),
        Graph.from_edges([(0, 1)], [2.0]),
        Graph.from_edges([(0, 1)], num_nodes=3),
        Graph.from_edges([(0, 2)], num_nodes=3),
        Graph.from_edges([(0, 1)], names=["0", "1"]),
        Graph.from_edges([(0, 1)], names=[1, 0]),
        Graph.from_edges([(0, 1)], names=[np.int64(5), np.int64(6)]),
        Graph.from_edges([(0, 1)], names=[np.int64(5), np.int64(7)]),
        Graph.from_edges([(0, 1)], names=[False, True]),
        Graph.from_edges([(0, 1)], names=["1", "0"]),
        Graph.from_edges([(0, 1)], names=["0", "1\0str:'2'"]),
        Graph.from_edges([(0, 1), (0, 1)], [1.0, -2.0]),
    ]
    assert len({graph.content_hash for graph in graphs}) == len(set(graphs)) == len(graphs)
    assert graphs[0] == Graph.from_edges([(1, 0)])
    assert graphs[0] == Graph.from_edges([(0, 1)], names=[0, 1])
    assert graphs[0] == Graph.from_edges([(0, 1)], names=np.arange(2))
    assert Graph.from_edges([(0, 1)], names=np.array(["a", "b"])) == Graph.from_edges([("a", "b")])
    assert graphs[0] != "something else"


def test_the_hash_is_the_same_in_another_process():
    code = "from zerokelvin.graph import Graph; print(Graph.from_edges([('a', 'b')], [0.1]).content_hash)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == Graph.from_edges([("a", "b")], [0.1]).content_hash


def test_copies_and_pickles_are_equal():
    graph = Graph.from_edges([("a", "b"), ("b", "c")], [1.0, 2.0])
    for twin in (copy.copy(graph), copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):  # noqa: S301
        assert twin == graph
        assert twin.index("c") == 2
