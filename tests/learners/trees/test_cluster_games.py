"""Definition 3 by its words, and Theorem 4 against every order that is played."""

import itertools

import numpy as np
import pytest

from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.flow.static.cluster_report import cluster_report
from zerokelvin.graph import Graph, generators
from zerokelvin.learners import make, sign
from zerokelvin.learners.trees.cluster_games import cluster_bound, cluster_mistakes, is_regular


def by_definition(learner, graph, nodes, label):
    """Any permutation of the nodes around, then any permutation of the cluster; the most mistakes in it."""
    inside = set(nodes)
    around = {int(v) for u in nodes for v in graph.neighbors(u)} - inside
    most = 0
    for border in itertools.permutations(sorted(around)):
        for order in itertools.permutations(sorted(inside)):
            state, mistakes = learner.start(graph), 0
            for node in border:
                state.update(node, -label)
            for node in order:
                margin = state.margin(node)
                mistakes += margin == 0 or sign(margin) != label
                state.update(node, label)
            most = max(most, mistakes)
    return most


def small_graph(seed, tree=False):
    rng = np.random.default_rng([seed, 7])
    n = int(rng.integers(3, 8))
    edges = [(int(rng.integers(i)), i) for i in range(1, n)]
    if not tree:
        edges += [tuple(rng.integers(n, size=2).tolist()) for _ in range(int(rng.integers(n)))]
    graph = Graph.from_edges(edges, num_nodes=n)
    return Graph.from_edges(graph.edges, num_nodes=n), rng


@pytest.mark.parametrize("name", ["longest-path", "zero-ising", "tree-opt"])
def test_the_search_finds_what_the_definition_says(name):
    learner = make(name)
    for seed in range(12):
        graph, rng = small_graph(seed, tree=name == "tree-opt")
        size = int(rng.integers(1, 5))
        first = int(rng.integers(graph.num_nodes))
        nodes = np.argsort(np.where(graph.components == graph.components[first], 0, 1), kind="stable")[:size]
        around = {int(v) for u in nodes for v in graph.neighbors(u)} - set(nodes.tolist())
        if len(around) > 3:
            continue
        for label in (-1, 1):
            found = cluster_mistakes(learner, graph, nodes.tolist(), label)
            assert found.exact
            assert found.value == by_definition(learner, graph, nodes.tolist(), label)


def test_any_other_learner_plays_every_order():
    line = Graph.from_edges([(i, i + 1) for i in range(5)])
    learner = make("perceptron")
    found = cluster_mistakes(learner, line, [1, 2, 3], 1, max_states=10_000)
    assert found.value == by_definition(learner, line, [1, 2, 3], 1)
    assert not cluster_bound(learner, line, [-1, 1, 1, 1, -1, -1]).holds


@pytest.mark.parametrize("name", ["longest-path", "zero-ising"])
def test_theorem_4_in_every_order(name):
    learner = make(name)
    for seed in range(24):
        graph, rng = small_graph(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        bound = cluster_bound(learner, graph, labels, rng.integers(0, 2, graph.num_nodes))
        coarse = cluster_bound(learner, graph, labels)
        assert bound.holds
        assert coarse.terms["clusters searched"] == coarse.terms["clusters"]
        orders = itertools.permutations(range(graph.num_nodes))
        if graph.num_nodes > 5:
            orders = [rng.permutation(graph.num_nodes).tolist() for _ in range(25)]
        prepared = learner.prepare(graph)
        for order in orders:
            state, mistakes = learner.start(graph, prepared), 0
            for node in order:
                margin = state.margin(node)
                mistakes += margin == 0 or sign(margin) != labels[node]
                state.update(node, int(labels[node]))
            assert bound.allows(mistakes)
            assert coarse.allows(mistakes)


def test_connected_clusters_cost_one_mistake_each():
    """Theorem 10: κ above the boundary."""
    example = generators.barbell(6)
    assert [cluster.case for cluster in cluster_report(example.graph, example.labels).clusters] == [
        "connected"
    ] * 2
    assert cluster_bound(make("longest-path"), example.graph, example.labels).value == 2
    rough = cluster_bound(make("longest-path"), example.graph, example.labels, max_states=1)
    assert rough.value == 2
    assert rough.terms["clusters searched"] == 0


def test_a_line_costs_its_logarithm():
    """One cluster between two labels: ⌊log₂⌋ of the arcs, one more for the label that raises the cut."""
    for length in (4, 8, 16):
        line = Graph.from_edges([(i, i + 1) for i in range(length)])
        found = cluster_mistakes(make("longest-path"), line, range(1, length + 1), 1)
        assert found.value == 1 + int(np.log2(length))


def test_which_learners_are_regular():
    line, ring = generators.line(4).graph, Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    assert is_regular(make("tree-opt"), line)
    assert not is_regular(make("tree-opt"), ring)
    assert is_regular(make("longest-path"), ring)
    assert not is_regular(make("fixed-paths"), ring)


def test_refusals():
    line = generators.line(4).graph
    with pytest.raises(LabelError, match="not -1 or"):
        cluster_mistakes(make("longest-path"), line, [1], 0)
    with pytest.raises(ParameterError, match="empty"):
        cluster_mistakes(make("longest-path"), line, [], 1)
    with pytest.raises(LabelError, match="4 nodes"):
        cluster_bound(make("longest-path"), line, [1, 1])
