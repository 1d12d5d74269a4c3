"""tree-opt against its definition, the regularity its bound rests on, and the bound itself."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.learners.tree_opt as naive
import naive.trees as trees
import strategies
import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.graph import cut
from zerokelvin.learners import sign
from zerokelvin.learners.trees.spanning_tree import SpanningTree
from zerokelvin.learners.trees.tree_opt import TreeOpt
from zerokelvin.trees.spanning.spanning_trees import is_forest

INNER = ("tree-opt", "longest-path", "shazoo")
pytestmark = pytest.mark.kernels


def start(graph, inner="tree-opt"):
    return SpanningTree(trees=1, inner=inner).start(graph)


def signs(graph, labels, inner):
    state = start(graph, inner)
    for node, label in labels.items():
        state.update(node, label)
    return [sign(state.margin(v)) for v in range(graph.num_nodes)]


def random_labels(rng, graph, most):
    nodes = rng.permutation(graph.num_nodes)[: int(rng.integers(0, most + 1))]
    return {int(v): int(rng.choice([-1, 1])) for v in nodes}


def test_agrees_with_the_definition_through_a_whole_game():
    rng = np.random.default_rng(0)
    for _ in range(60):
        graph = trees.small_forest(rng)
        state, known = TreeOpt().start(graph), {}
        for _ in range(graph.num_nodes + 3):
            node, label = int(rng.integers(graph.num_nodes)), int(rng.choice([-1, 1]))
            expected = trees.predictions(graph, known, "tree-opt")
            assert [int(np.sign(state.margin(v))) for v in range(graph.num_nodes)] == expected
            state.update(node, label)
            known[node] = label  # the last answer counts


@pytest.mark.parametrize("inner", INNER)
def test_predictions_are_permutation_invariant_monotone_and_markov(inner):
    """The three properties that let Theorem 4 of Herbster, Pasteris and Ghosh bound clusters one by one."""
    rng = np.random.default_rng(1)
    for _ in range(120):
        graph = trees.small_forest(rng, largest=12, weighted=False)
        labels = random_labels(rng, graph, graph.num_nodes - 1)
        before = signs(graph, labels, inner)
        shuffled = [list(labels.items())[i] for i in rng.permutation(len(labels))]
        assert signs(graph, dict(shuffled), inner) == before
        free = [v for v in range(graph.num_nodes) if v not in labels]
        extra, y = int(rng.choice(free)), int(rng.choice([-1, 1]))
        after = signs(graph, {**labels, extra: y}, inner)
        assert all(a in (b, y) for a, b in zip(after, before, strict=True))
        if labels:
            gate = int(rng.choice(list(labels)))  # what is behind a labelled node does not matter
            for first in graph.neighbors(gate).tolist():
                inside, stack = {gate, first}, [first]
                while stack:
                    fresh = [v for v in graph.neighbors(stack.pop()).tolist() if v not in inside]
                    inside.update(fresh)
                    stack.extend(fresh)
                alone = signs(graph, {v: y for v, y in labels.items() if v in inside}, inner)
                assert all(alone[v] == before[v] for v in inside)


@pytest.mark.parametrize("inner", INNER)
def test_the_worst_order_stays_within_the_bound(inner):
    """All orders of all nodes, on trees and forests without weights."""
    rng = np.random.default_rng(2)
    tight = 0.0
    for _ in range(40):
        graph = trees.small_forest(rng, largest=7, weighted=False)
        labels = rng.choice([-1, 1], graph.num_nodes) if rng.random() < 0.5 else _few_cuts(rng, graph)
        worst = naive.worst_mistakes(graph, labels, inner)
        bound = start(graph, inner).bound(labels)
        assert bound.holds
        assert worst <= bound.value
        tight = max(tight, worst / bound.value)
    assert tight == 1.0  # the bound is attained somewhere, so the test is no formality


def _few_cuts(rng, graph):
    """Labels that change over few edges: flip everything behind a random edge, a few times."""
    labels = np.ones(graph.num_nodes, dtype=int)
    for _ in range(int(rng.integers(0, 3))):
        if graph.num_edges:
            u, v = graph.edges[int(rng.integers(graph.num_edges))].tolist()
            side, stack = {u, v}, [v]
            while stack:
                fresh = [w for w in graph.neighbors(stack.pop()).tolist() if w not in side]
                side.update(fresh)
                stack.extend(fresh)
            labels[list(side - {u})] *= -1
    return labels


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("shape", ["path", "random", "binary", "star", "caterpillar"])
def test_adversarial_orders_on_larger_trees_stay_within_the_bound(inner, shape):
    """Nodes shown next where the learner errs, whenever it does: a greedy adversary."""
    rng = np.random.default_rng(3)
    n = 60
    above = {
        "path": lambda i: i - 1,
        "random": lambda i: int(rng.integers(0, i)),
        "binary": lambda i: (i - 1) // 2,
        "star": lambda i: 0,
        "caterpillar": lambda i: i - 1 if i % 2 else max(0, i - 2),
    }[shape]
    graph = zk.Graph.from_edges([(above(i), i) for i in range(1, n)])
    for _ in range(4):
        labels = _few_cuts(rng, graph)
        state, left, mistakes = start(graph, inner), set(range(n)), 0
        while left:
            wrong = [v for v in left if sign(state.margin(v)) != labels[v]]
            node = int(rng.choice(wrong or list(left)))
            mistakes += bool(wrong)
            state.update(node, int(labels[node]))
            left.remove(node)
        bound = state.bound(labels)
        assert bound.holds
        assert mistakes <= bound.value


def test_one_cut_on_a_path_costs_a_logarithm():
    n = 1024
    path = zk.Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    labels = np.where(np.arange(n) < n // 3, -1, 1)
    bound = TreeOpt().start(path).bound(labels)
    assert bound.value == (1 + np.floor(np.log2(341))) + (1 + np.floor(np.log2(683)))
    for seed in range(10):
        assert zk.play(path, labels, "tree-opt", seed=seed).mistakes <= bound.value


def test_mistakes_of_tree_opt_and_longest_path_are_alike():
    """They share their bound; on random trees they also make about as many mistakes."""
    rng = np.random.default_rng(4)
    totals = dict.fromkeys(INNER, 0)
    for seed in range(10):
        graph = zk.generators.random_tree(300, rng).graph
        labels = _few_cuts(rng, graph)
        for inner in INNER:
            run = zk.play(graph, labels, "spanning-tree", trees=1, inner=inner, seed=seed, classes=[-1, 1])
            assert run.bound.holds
            assert run.mistakes <= run.bound.value
            totals[inner] += run.mistakes
    assert max(totals.values()) <= 1.3 * min(totals.values()) + 5


@given(strategies.games(max_nodes=9), st.sampled_from(["random", "bfs", "minimum", "low-stretch"]))
def test_any_graph_is_played_on_a_spanning_tree(game, tree):
    graph, labels, trials = game
    state = TreeOpt(tree=tree).start(graph, rng=np.random.default_rng(1))
    drawn = zk.trees.spanning_tree(graph, tree, np.random.default_rng(1))
    other = TreeOpt().start(drawn)
    assert is_forest(drawn)
    for node, label in trials:
        assert state.margin(node) == other.margin(node)
        state.update(node, label)
        other.update(node, label)
    assert state.bound(labels).terms == other.bound(labels).terms


def test_the_bound_says_what_it_needs():
    path = zk.Graph.from_edges([(0, 1), (1, 2)], weights=[1.0, 2.0])
    assert not TreeOpt().start(path).bound(np.array([1, 1, -1])).holds  # weights differ
    plain = zk.Graph.from_edges([(0, 1), (1, 2)])
    state = TreeOpt().start(plain)
    labels = np.array([1, 1, -1])
    state.update(0, -1)
    assert not state.bound(labels).holds
    state.update(0, 1)  # mended, but the wrong answer was given
    assert not state.bound(labels).holds
    late = zk.play(plain, [1, 1, -1], "tree-opt", delay=1)
    spent = zk.play(plain, [1, 1, -1], "tree-opt", budget=2)
    asked = zk.play(plain, [1, 1, -1], "tree-opt", policy="random:0.5", seed=3)
    assert not late.bound.holds
    assert not spent.bound.holds
    assert asked.bound.holds == (asked.queried_nodes == 3)
    assert cut(plain, labels) == state.bound(labels).terms["Φ of a tree (mean)"]


def test_explanations_name_the_labels_around_a_node():
    star = zk.Graph.from_edges([(0, 1), (0, 2), (0, 3), (3, 4)])
    state = TreeOpt().start(star)
    assert state.explain(4) == []
    for node, label in ((1, -1), (2, 1), (4, -1)):
        state.update(node, label)
    assert {node for node, _ in state.explain(3)} == {1, 2, 4}
    assert state.explain(4) == [(4, -1.0)]


def test_order_of_answers_and_repeats_do_not_matter():
    rng = np.random.default_rng(8)
    for _ in range(40):
        graph = trees.small_forest(rng, largest=12)
        labels = random_labels(rng, graph, graph.num_nodes)
        plain = signs(graph, labels, "tree-opt")
        state = start(graph)
        for node in labels:
            state.update(node, -labels[node])
        for node, label in itertools.chain(labels.items(), labels.items()):
            state.update(node, label)
        assert [sign(state.margin(v)) for v in range(graph.num_nodes)] == plain


def test_refusals():
    with pytest.raises(ParameterError, match="tree='oak'"):
        TreeOpt(tree="oak")
