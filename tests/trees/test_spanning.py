"""Spanning trees against full enumeration, and their shape on graphs of every kind."""

import numpy as np
import pytest
import scipy.stats as stats
from hypothesis import given
from hypothesis import strategies as st

import naive.trees as naive
import strategies
import zerokelvin as zk
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.trees.spanning.low_stretch import average_stretch
from zerokelvin.trees.spanning.spanning_trees import KINDS, SpanningTrees, is_forest, spanning_tree

pytestmark = pytest.mark.kernels


def rows_of(graph, arcs):
    """The tree as a set of rows of ``graph.edges``."""
    tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
    row = {tuple(edge): i for i, edge in enumerate(graph.edges.tolist())}
    pairs = zip(tails.tolist(), graph.indices[arcs].tolist(), strict=True)
    return frozenset(row[tuple(sorted(pair))] for pair in pairs)


GRAPHS = {
    "clique": zk.Graph.from_edges([(i, j) for i in range(5) for j in range(i)]),
    "weighted square with a diagonal": zk.Graph.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], weights=[1.0, 2.0, 0.5, 1.0, 3.0]
    ),
    "cycle": zk.Graph.from_edges([(i, (i + 1) % 6) for i in range(6)], weights=[1, 2, 3, 4, 5, 6]),
    "theta with long arms": zk.Graph.from_edges(
        [(0, 1), (1, 2), (2, 5), (0, 3), (3, 5), (0, 4), (4, 5)], weights=[1.0, 4.0, 0.5, 2.0, 1.0, 3.0, 3.0]
    ),
    "lassos and whiskers": zk.Graph.from_edges(
        [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 3), (6, 7), (7, 8)],
        weights=[1, 2, 3, 1, 2, 0.5, 4, 1, 1, 1],
    ),
    "two components": zk.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (3, 6), (6, 4)]),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_wilson_draws_every_tree_with_its_probability(name, request):
    graph = GRAPHS[name]
    expected = naive.spanning_trees(graph)
    total = sum(expected.values())
    trees, rng = SpanningTrees(graph), np.random.default_rng(11)
    draws = 6000 if not _interpreted() else 1500
    counts = dict.fromkeys(expected, 0)
    for _ in range(draws):
        counts[rows_of(graph, trees.draw(rng))] += 1  # a set that is no spanning tree raises KeyError
    chosen = sorted(expected, key=sorted)
    result = stats.chisquare([counts[t] for t in chosen], [draws * expected[t] / total for t in chosen])
    assert result.pvalue > 1e-4


def _interpreted():
    return not hasattr(__import__("zerokelvin.trees.spanning.wilson", fromlist=["_walk"])._walk, "py_func")


def test_the_chi_square_test_can_fail():
    """Breadth-first trees are no uniform trees, and the test sees it."""
    graph = GRAPHS["clique"]
    expected = naive.spanning_trees(graph)
    counts = dict.fromkeys(expected, 0)
    trees, rng = SpanningTrees(graph, "bfs"), np.random.default_rng(0)
    for _ in range(500):
        counts[rows_of(graph, trees.draw(rng))] += 1
    assert stats.chisquare(list(counts.values())).pvalue < 1e-10


@given(strategies.graphs(max_nodes=12), st.sampled_from(KINDS), st.integers(0, 99))
def test_spans_every_component_with_the_graphs_weights(graph, kind, seed):
    tree = spanning_tree(graph, kind, np.random.default_rng(seed))
    assert is_forest(tree)
    assert tree.components.tolist() == graph.components.tolist()
    for (u, v), weight in zip(tree.edges.tolist(), tree.edge_weights, strict=True):
        assert graph.weight(u, v) == weight
    again = spanning_tree(graph, kind, np.random.default_rng(seed))
    assert again == tree


@given(strategies.graphs(max_nodes=7))
def test_the_minimum_tree_is_shortest(graph):
    tree = spanning_tree(graph, "minimum")
    every = naive.spanning_trees(graph)
    best = min(float((1 / graph.edge_weights[list(rows)]).sum()) for rows in every)
    assert float((1 / tree.edge_weights).sum()) == pytest.approx(best)


@given(strategies.graphs(max_nodes=10, connected=True), st.integers(0, 20))
def test_the_breadth_first_tree_keeps_distances_from_its_root(graph, seed):
    rng = np.random.default_rng(seed)
    root = int(np.random.default_rng(seed).permutation(graph.num_nodes)[0])
    tree = spanning_tree(graph, "bfs", rng)
    plain = zk.Graph.from_edges(graph.edges, num_nodes=graph.num_nodes)
    plain_tree = zk.Graph.from_edges(tree.edges, num_nodes=graph.num_nodes)
    assert (
        zk.graph.geodesic_distances(plain, root).tolist()
        == zk.graph.geodesic_distances(plain_tree, root).tolist()
    )


def test_low_stretch_is_lower_than_breadth_first_on_a_grid():
    graph = zk.generators.grid(40, 40).graph
    rng = np.random.default_rng(3)
    stretch = {
        kind: np.mean([average_stretch(graph, spanning_tree(graph, kind, rng)) for _ in range(3)])
        for kind in ("low-stretch", "bfs", "random")
    }
    assert stretch["low-stretch"] < 0.75 * stretch["bfs"]
    assert stretch["low-stretch"] < stretch["random"]


@given(strategies.graphs(max_nodes=8, connected=True, min_nodes=2))
def test_average_stretch_by_definition(graph):
    tree = spanning_tree(graph, "random")
    resistance = np.array(
        [zk.graph.geodesic_distances(tree, int(u))[v] for u, v in graph.edges]
    )  # on a tree the geodesic distance, 1/w per edge, is the resistance
    assert average_stretch(graph, tree) == pytest.approx(float((graph.edge_weights * resistance).mean()))


def test_names_and_refusals():
    graph = zk.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")])
    assert spanning_tree(graph).names == graph.names
    with pytest.raises(ParameterError, match="'dfs'"):
        spanning_tree(graph, "dfs")
    with pytest.raises(GraphError, match="positive weights"):
        spanning_tree(zk.Graph.from_edges([(0, 1)], weights=[-1.0]))
