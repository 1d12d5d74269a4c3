"""A grown graph: the same as one built from all edges at once, old indices kept, bad input refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.errors import GraphError, NodeError

NAMED = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem")])
PLAIN = zk.Graph.from_edges([(0, 1), (1, 2)])


@st.composite
def growths(draw):
    """A graph, new nodes and edges among all, integer weights so that sums are exact."""
    graph = draw(strategies.graphs(max_nodes=6))
    new = draw(st.integers(0, 4))
    node = st.integers(0, graph.num_nodes + new - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=8))
    weights = draw(st.lists(st.integers(1, 4).map(float), min_size=len(edges), max_size=len(edges)))
    return graph, new, edges, weights


@given(growths(), st.booleans(), st.booleans())
def test_equals_the_graph_of_all_edges(growth, named, joined):
    graph, new, edges, weights = growth
    count = graph.num_nodes + new
    names = [f"n{i}" for i in range(count)] if named else None
    old = zk.Graph(graph.indptr, graph.indices, graph.weights, names[: graph.num_nodes] if named else None)
    if joined:
        _ = old.components  # from which those of the grown graph follow
    spoken = [(names[u], names[v]) for u, v in edges] if named else edges
    grown = old.extended(names[graph.num_nodes :] if named else new, spoken, weights)
    every = [*map(tuple, graph.edges.tolist()), *edges]
    whole = zk.Graph.from_edges(
        np.array(every, dtype=np.int64).reshape(-1, 2),
        [*graph.edge_weights, *weights],
        num_nodes=count,
        names=names,
    )
    assert np.array_equal(grown.indptr, whole.indptr)
    assert np.array_equal(grown.indices, whole.indices)
    assert np.allclose(grown.weights, whole.weights, rtol=1e-15)
    assert grown.names == whole.names
    assert np.array_equal(grown.components, whole.components)
    assert old.num_nodes == graph.num_nodes  # the old graph is untouched


def test_arrays_of_indices():
    grown = PLAIN.extended(2, np.array([[2, 3], [4, 3], [3, 3]]), [0.5, 2.0, 9.0])
    assert grown.num_nodes == 5
    assert (grown.weight(2, 3), grown.weight(3, 4), grown.num_edges) == (0.5, 2.0, 4)
    assert PLAIN.extended(0, np.zeros((0, 2), dtype=np.int64)) == PLAIN
    assert PLAIN.extended([3, 4]) == PLAIN.extended(2)
    assert PLAIN.extended(edges=[(np.int64(0), np.int64(2))]).weight(0, 2) == 1.0


def test_a_numbered_graph_may_grow_by_names():
    grown = PLAIN.extended(["dan", 7], [(2, "dan", 0.5), (7, 0, 2.0)])
    assert grown.names == (0, 1, 2, "dan", 7)
    assert (grown.weight(2, 3), grown.weight(0, 4)) == (0.5, 2.0)
    by_array = PLAIN.extended([4, 3], np.array([[4, 0], [3, 1]]))
    assert by_array.names == (0, 1, 2, 4, 3)
    assert (by_array.weight(0, 3), by_array.weight(1, 4)) == (1.0, 1.0)


def test_weights_that_cancel_drop_the_edge():
    assert PLAIN.extended(edges=[(0, 1)], weights=[-1.0]).num_edges == 1


@pytest.mark.parametrize(
    ("graph", "arguments", "error", "says"),
    [
        (NAMED, (["bob"],), GraphError, "'bob' is there already"),
        (NAMED, (["dan", "dan"],), GraphError, "'dan' is there already"),
        (NAMED, (2,), GraphError, "have names"),
        (NAMED, ("dan",), GraphError, r"write \['dan'\]"),
        (NAMED, ([["dan"]],), GraphError, "hashable"),
        (NAMED, ((), [("ann", "dan")]), NodeError, "'dan'.*add it as a new node"),
        (NAMED, ((), ["ab"]), GraphError, "'ab' is not a pair"),
        (NAMED, ((), [("ann",)]), GraphError, "not a pair"),
        (NAMED, ((), [(["ann"], "bob")]), GraphError, "hashable"),
        (NAMED, ((), 7), GraphError, "7 are not pairs"),
        (NAMED, ((), [("ann", "cem")], [np.nan]), GraphError, "finite"),
        (NAMED, ((), [("ann", "cem")], [1.0, 2.0]), GraphError, "2 weights for 1 edges"),
        (PLAIN, ([2],), GraphError, "2 is there already"),
        (PLAIN, (["dan", "dan"],), GraphError, "'dan' is there already"),
        (NAMED, ((), [("ann", "cem", 2.0)], [1.0]), GraphError, "weights are given twice"),
        (NAMED, ((), [("ann", "cem", "x")]), GraphError, "'x' in third place"),
        (PLAIN, (-1,), GraphError, "-1 nodes"),
        (PLAIN, (True,), GraphError, "no list of names"),
        (PLAIN, (1, [(0, 4)]), NodeError, "no node 4.*add it as a new node"),
        (PLAIN, (1, np.array([[0, 4]])), NodeError, "no node 4"),
        (PLAIN, (1, np.array([[0, -1]])), NodeError, "no node -1"),
        (PLAIN, (1, np.array([0, 1, 2])), GraphError, "shape"),
    ],
)
def test_what_cannot_be_added(graph, arguments, error, says):
    with pytest.raises(error, match=says):
        graph.extended(*arguments)


def test_infinite_sums_are_refused():
    with pytest.raises(GraphError, match="infinite weight"):
        zk.Graph.from_edges([(0, 1)], [1e308]).extended(edges=[(0, 1)], weights=[1e308])


def test_graphs_made_of_points_do_not_grow():
    points = np.array([[0.0], [1.0], [3.0]])
    with pytest.raises(GraphError, match="made of points"):
        zk.exponential_graph(points, 1.0).extended(1)
