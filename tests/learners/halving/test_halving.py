"""Halving against its definition, and its bound against an adversary."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.learners.halving as naive
import strategies
from zerokelvin.checks import check_learner
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph, generators
from zerokelvin.learners import sign
from zerokelvin.learners.halving.halving import Halving
from zerokelvin.learners.halving.halving_counts import EnumeratedCuts, ForestCuts


def run(state, trials):
    margins = []
    for node, label in trials:
        margins.append(state.margin(node))
        state.update(node, label)
    return margins


def expected_margin(votes):
    if votes is None:
        return 0.0
    minus, plus = votes
    return (plus - minus) / (plus + minus)


def random_forest(rng, largest=9):
    n = int(rng.integers(1, largest + 1))
    edges = [(i, int(rng.integers(i))) for i in range(1, n) if rng.random() < 0.85]
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    weights = rng.integers(1, 4, len(edges)) * float(rng.choice([1.0, 1.0, 0.5, 3.0]))
    if rng.random() < 0.5:
        weights = np.full(len(edges), float(rng.choice([1.0, 0.1])))
    return Graph.from_edges(rng.permutation(n)[edges].reshape(-1, 2), weights, num_nodes=n)


def assert_plays_by_definition(graph, trials, k):
    votes = naive.play(graph, trials, k)
    for margin, vote in zip(run(Halving(k=k).start(graph), trials), votes, strict=True):
        assert margin == pytest.approx(expected_margin(vote), abs=1e-12)
        if vote is not None:
            assert sign(margin) == (1 if vote[1] > vote[0] else -1)  # a tie is −1


@given(strategies.games(max_nodes=6), st.sampled_from([0, 1, 2, 3.5]))
def test_agrees_with_the_definition(game, k):
    graph, _, trials = game
    assert_plays_by_definition(graph, trials[:8], k)


@pytest.mark.kernels
def test_agrees_with_the_definition_on_forests():
    counted = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        graph = random_forest(rng, 7)
        trials = [
            (int(i), int(rng.choice([-1, 1]))) for i in rng.integers(graph.num_nodes, size=graph.num_nodes)
        ]
        k = float(rng.integers(0, 5))
        counted += isinstance(Halving(k=k).prepare(graph), ForestCuts)
        assert_plays_by_definition(graph, trials, k)
    assert counted > 150


@pytest.mark.kernels
def test_forests_counted_and_listed_agree():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        graph = random_forest(rng, 10)
        unit = ForestCuts.unit_of(graph.edge_weights)
        if unit is None:
            continue
        one, two = ForestCuts(graph, unit), EnumeratedCuts(graph)
        labels = rng.choice([-1, 0, 0, 1], graph.num_nodes).astype(np.int8)
        k = float(rng.integers(0, 8)) * unit
        assert one.votes(labels, k) == two.votes(labels, k)
        assert one.size(k) == two.size(k) == naive.class_size(graph, k)


@pytest.mark.kernels
def test_counts_beyond_64_bits_are_exact():
    """200 single nodes and a line: 2^200 times the labelings of the line."""
    line = [(i, i + 1) for i in range(9)]
    graph = Graph.from_edges(line, num_nodes=210)
    counts = ForestCuts(graph, 1.0)
    assert counts.size(2) == 2**200 * 2 * (1 + 9 + 36)
    labels = np.zeros(210, dtype=np.int8)
    labels[0] = -1
    minus, plus = counts.votes(labels, 1)
    assert minus[5] == 2**200 * 5
    assert plus[5] == 2**200 * 5
    long_line = generators.line(400).graph
    assert ForestCuts(long_line, 1.0).size(50) == 2 * sum(math.comb(399, j) for j in range(51))


@given(strategies.games(max_nodes=7, noisy=False), st.sampled_from([0, 1, 2, 4]))
def test_never_more_mistakes_than_the_logarithm_of_the_class(game, k):
    graph, labels, trials = game
    state = Halving(k=k).start(graph)
    mistakes = 0
    for node, label in trials:
        mistakes += sign(state.margin(node)) != label
        state.update(node, label)
    bound = state.bound(labels)
    assert bound.value == pytest.approx(math.log2(naive.class_size(graph, k)))
    assert bound.allows(mistakes) or not bound.holds


@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_on_a_line_the_sign_costs_a_mistake_that_the_paper_leaves_out(n):
    """Section 5.2 gives ⌈log₂ n⌉ for a line and k = 1; an adversary reaches ⌊1 + log₂ n⌋."""
    graph = generators.line(n).graph
    worst = naive.most_mistakes(graph, 1)
    bound = Halving(k=1).start(graph).bound([1] * n)
    assert bound.value == pytest.approx(1 + math.log2(n))
    assert worst == math.floor(bound.value)


def test_long_lines_take_a_logarithm_of_mistakes():
    data = generators.line(512)
    for seed in range(3):
        found = play(data.graph, data.labels, "halving", seed=seed)
        assert found.bound.holds
        assert found.bound.value == pytest.approx(10)
        assert found.bound.allows(found.mistakes)


def test_labels_beyond_the_budget_raise_it():
    line = generators.line(5).graph
    state = Halving(k=1).start(line)
    for node, label in ((0, 1), (2, -1), (4, 1)):
        state.update(node, label)
    assert [sign(state.margin(i)) for i in (0, 2, 4)] == [1, -1, 1]
    assert not state.bound([1, -1, -1, -1, 1]).holds
    assert Halving(k=2).start(line).bound([1, -1, -1, -1, 1]).holds


def test_a_repeat_replaces_the_label():
    line = generators.line(3).graph
    state = Halving(k=1).start(line)
    state.update(0, 1)
    state.update(0, -1)
    assert state.margin(0) == -1
    assert state.margin(1) < 0


def test_limits_are_explained():
    with pytest.raises(ParameterError, match="25 nodes are more than 20"):
        Halving().prepare(generators.clique(25).graph)
    odd = Graph.from_edges([(i, i + 1) for i in range(30)], weights=np.linspace(1, 2, 30) ** 2)
    with pytest.raises(ParameterError, match="whole numbers"):
        Halving().prepare(odd)
    with pytest.raises(ParameterError, match="k=-1"):
        Halving(k=-1)
    with pytest.raises(GraphError, match="positive weights"):
        Halving().prepare(Graph.from_edges([(0, 1)], weights=[-1.0]))
    with pytest.raises(ParameterError, match="lower k"):
        Halving(k=5000).start(generators.line(9000).graph).bound([1] * 9000)


def test_a_larger_budget_keeps_the_contract():
    check_learner(Halving(k=3.0))


def test_explains_itself_by_the_labels_around():
    """On a line of 8 with −1 at the left end, 7 of 8 labelings give the next node −1: without it, half."""
    state = Halving(k=1).start(Graph.from_edges([(i, i + 1) for i in range(7)]))
    assert state.explain(1) == []
    state.update(0, -1)
    assert state.explain(0) == [(0, -1.0)]
    (other, share), *rest = state.explain(1)
    assert (other, rest) == (0, [])
    assert share == pytest.approx(state.margin(1))
    state.update(7, 1)
    state.update(6, 1)
    shares = dict(state.explain(2))
    assert set(shares) == {0, 6}
    assert shares[0] < 0 < shares[6]


def test_explains_itself_by_no_more_than_the_nearest_labels():
    star = Graph.from_edges([(0, i) for i in range(1, 60)])
    state = Halving(k=1).start(star)
    for leaf in range(1, 60):
        state.update(leaf, 1)
    assert len(state.explain(0)) == 32


def test_one_fine_weight_among_coarse_ones():
    """Cuts are then counted in ten thousand steps, of which few occur."""
    edges = [(0, 1), (0, 2), (1, 3), (3, 4), (2, 5), (5, 6), (6, 7), (0, 8)]
    graph = Graph.from_edges(edges, [1e-4, 0.5, 1, 0.25, 1, 1, 0.3, 1])
    labels = np.array([1, 0, -1, 0, 0, 1, 0, 0, 0], dtype=np.int8)
    forest, listed = ForestCuts(graph, 1e-4), EnumeratedCuts(graph)
    began = time.process_time()
    for budget in (0.2, 1.0, 1.5501):
        assert forest.votes(labels, budget) == listed.votes(labels, budget)
    assert time.process_time() - began < 5.0
