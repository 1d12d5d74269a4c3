"""Bound (II): the cut of random spanning trees on average, and mistakes on them, by listing every tree."""

import numpy as np
import pytest

from naive.trees import spanning_trees
from zerokelvin import Graph, generators, learners
from zerokelvin.errors import LabelError
from zerokelvin.games import play
from zerokelvin.graph import cut
from zerokelvin.learners import SpanningTree, TreeOpt
from zerokelvin.trees import expected_cut, expected_tree_bound
from zerokelvin.trees.online.drawn_spines import lay_out
from zerokelvin.trees.online.forest import make_forest
from zerokelvin.trees.online.tree_bounds import spine_guarantee, tree_guarantee


def small_graph(seed, weighted):
    """Up to six nodes and nine edges, sometimes in two components."""
    rng = np.random.default_rng([seed, 3])
    n = int(rng.integers(2, 7))
    edges = [(int(rng.integers(i)), i) for i in range(1, n) if seed % 5 or i != n // 2 + 1]
    edges += [tuple(rng.integers(n, size=2).tolist()) for _ in range(int(rng.integers(0, 6)))]
    graph = Graph.from_edges(np.array(edges, dtype=int).reshape(-1, 2), num_nodes=n)
    weights = rng.uniform(0.2, 3.0, graph.num_edges) if weighted else np.ones(graph.num_edges)
    return Graph.from_edges(graph.edges, weights, num_nodes=n), rng


@pytest.mark.parametrize("weighted", [False, True])
def test_the_expected_cut_is_the_mean_over_all_trees(weighted):
    for seed in range(60):
        graph, rng = small_graph(seed, weighted)
        labels = rng.integers(0, 3, graph.num_nodes)
        chances = spanning_trees(graph)
        differ = labels[graph.edges[:, 0]] != labels[graph.edges[:, 1]]
        mean = sum(p * differ[list(tree)].sum() for tree, p in chances.items()) / sum(chances.values())
        assert expected_cut(graph, labels) == pytest.approx(mean, abs=1e-9)
        if not weighted:
            assert expected_cut(graph, labels) <= cut(graph, labels) + 1e-9


def test_the_mean_of_the_bounds_of_all_trees_is_below():
    for seed in range(80):
        graph, rng = small_graph(seed, False)
        labels = rng.choice([-1, 1], graph.num_nodes)
        upper = np.flatnonzero(np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr)) < graph.indices)
        trees = [upper[sorted(tree)] for tree in spanning_trees(graph)]  # positions in the CSR arrays
        hinges = [tree_guarantee(make_forest(graph, [t]), 1, labels).per_tree.sum() for t in trees]
        spines = [spine_guarantee(lay_out(graph, [t], [rng]), 1, labels).per_tree.sum() for t in trees]
        for spine, values in ((False, hinges), (True, spines)):
            bound = expected_tree_bound(graph, labels, spine)
            assert bound.expected
            assert bound.holds
            assert np.mean(values) <= bound.value + 1e-9


@pytest.mark.parametrize("inner", ["tree-opt", "longest-path", "shazoo", "nearest"])
@pytest.mark.parametrize("trees", [1, 3])
def test_the_mean_of_the_mistakes_over_draws_is_below(inner, trees):
    for example in (generators.barbell(6), generators.grid(5, 5), generators.thick_barbell(8, 6)):
        order = np.random.default_rng(0).permutation(example.graph.num_nodes).tolist()
        learner = SpanningTree(trees=trees, inner=inner)
        bound = learner.expected_bound(example.graph, example.labels)
        runs = [play(example.graph, example.labels, learner, order=order, seed=seed) for seed in range(30)]
        assert bound.holds
        assert np.mean([run.mistakes for run in runs]) <= bound.value
        assert "in expectation" in str(bound)


def test_a_tree_has_the_bound_of_its_star():
    """On a tree nothing is random: one cut edge costs both clusters 1 + ⌊log₂ s⌋."""
    line = generators.line(16)
    bound = TreeOpt().expected_bound(line.graph, line.labels)
    assert bound.terms["Σ w_e r_e"] == pytest.approx(1)
    assert bound.value == pytest.approx(2 + 2 * 3)


def test_what_breaks_it():
    square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], weights=[1, 1, 1, 2])
    labels = [1, 1, -1, -1]
    assert not TreeOpt().expected_bound(square, labels).holds
    assert SpanningTree(inner="wta").expected_bound(square, labels).holds
    assert not SpanningTree(inner="wta", tree="bfs").expected_bound(square, labels).holds
    traps = Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[1e12, 1.0, 1e12])
    assert not SpanningTree(inner="wta").expected_bound(traps, [1, 1, -1]).holds
    with pytest.raises(LabelError, match="one per node"):
        learners.TreeOpt().expected_bound(square, [1, -1])


def test_several_classes_add_up():
    grid = generators.grid(4, 4).graph
    labels = np.repeat(["a", "b", "c", "d"], 4)
    bound = TreeOpt().expected_bound(grid, labels)
    assert len(bound.parts) == 4
    assert bound.expected
    assert bound.value == pytest.approx(sum(part.value for part in bound.parts))
