"""Nearest labelled nodes against their definition, the octopus and the separating cover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.learners.nearest as naive
import strategies
from random_graphs import random_graph
from zerokelvin.checks import check_learner
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph, exponential_graph, generators
from zerokelvin.learners import sign
from zerokelvin.learners.nearest import Nearest
from zerokelvin.solve.solution import ScalingWarning

VOTERS = st.sampled_from([1, 2, 3, 5])
DISTANCES = ["geodesic", "resistance"]


def run(state, trials):
    margins = []
    for node, label in trials:
        margins.append(state.margin(node))
        state.update(node, label)
    return np.array(margins)


@given(strategies.games(max_nodes=10), VOTERS, st.sampled_from(DISTANCES))
def test_agrees_with_the_definition(game, k, distance):
    graph, _, trials = game
    margins = run(Nearest(k=k, distance=distance).start(graph), trials)
    np.testing.assert_allclose(margins, naive.play(graph, trials, k, distance), atol=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("distance", DISTANCES)
def test_agrees_with_the_definition_on_graphs_of_many_shapes(distance):
    for seed in range(250):
        graph = random_graph(seed)
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 5))
        trials = [
            (int(i), int(rng.choice([-1, 1]))) for i in rng.integers(graph.num_nodes, size=graph.num_nodes)
        ]
        margins = run(Nearest(k=k, distance=distance).start(graph), trials)
        np.testing.assert_allclose(margins, naive.play(graph, trials, k, distance), atol=1e-12)


@pytest.mark.kernels
def test_a_label_touches_only_what_it_improves():
    """On a line labelled from the left, the second label from the left improves nothing beyond its half."""
    line = generators.line(101).graph
    state = Nearest().start(line)
    state.update(0, 1)
    state.update(100, -1)
    before = state.levels.copy()
    state.update(50, -1)
    changed = np.flatnonzero((before != state.levels).any(axis=1))
    assert changed.min() == 26
    assert changed.max() == 74
    assert (state.levels[:, 0] == np.minimum(np.abs(np.arange(101) - 50), before[:, 0])).all()


@pytest.mark.parametrize("distance", DISTANCES)
def test_the_octopus_costs_a_mistake_per_tentacle(distance):
    """Section 5.1: linear in the tentacles, while perceptron and pounce stay below a constant."""
    p = 3
    for m in (4, 8, 16, 32):
        data = generators.balanced_octopus(m, p)
        root = m * p + 1  # after the head
        order = []
        for i in range(m):
            order += [i, root + (i + 1) * p]  # c_i, then the tip of tentacle i
        assert (data.labels[order[0::2]] == 1).all()
        assert (data.labels[order[1::2]] == -1).all()
        for k in (1, 3):
            found = play(data.graph, data.labels, "nearest", order=order, k=k, distance=distance)
            assert found.mistakes == m
        assert play(data.graph, data.labels, "perceptron", order=order, b=1.0).mistakes <= 10 * p + 5
        assert play(data.graph, data.labels, "pounce", order=order).mistakes <= 3


@given(strategies.games(max_nodes=9, noisy=False), st.sampled_from(DISTANCES))
def test_one_neighbour_stays_within_the_separating_cover(game, distance):
    graph, labels, trials = game
    state = Nearest(distance=distance).start(graph)
    mistakes = 0
    for node, label in trials:
        mistakes += sign(state.margin(node)) != label
        state.update(node, label)
    bound = state.bound(labels)
    assert bound.holds
    assert bound.allows(mistakes)
    assert bound.value <= graph.num_nodes


def test_the_cover_bound_is_not_always_trivial():
    data = generators.two_moons(60, np.random.default_rng(0), noise=0.02)
    for a in (5.0, 300.0, np.inf):
        graph = exponential_graph(data.points, a)
        run_ = play(graph, data.labels, "nearest", distance="resistance")
        assert run_.bound.holds
        assert run_.bound.allows(run_.mistakes)
        assert run_.bound.value < 60 if a == 5.0 else run_.bound.value == 2


def test_several_neighbours_have_no_bound():
    assert not Nearest(k=3).start(Graph.from_edges([(0, 1)])).bound(np.array([1, 1])).holds


def test_a_repeat_replaces_the_label():
    state = Nearest().start(Graph.from_edges([(0, 1), (1, 2)]))
    state.update(0, 1)
    state.update(2, -1)
    assert state.margin(1) == 1  # equally near: the earlier label
    state.update(0, -1)
    assert state.margin(1) == -1
    assert state.explain(1) == [(0, -1.0)]


def test_parameters_and_graphs_are_checked():
    with pytest.raises(ParameterError, match="k=0"):
        Nearest(k=0)
    with pytest.raises(ParameterError, match="geodesic, resistance"):
        Nearest(distance="euclidean")
    with pytest.raises(GraphError, match="positive weights"):
        Nearest().prepare(Graph.from_edges([(0, 1)], weights=[-1.0]))
    with pytest.raises(GraphError, match="positive definite"):
        Nearest(distance="resistance").prepare(Graph.from_edges([(0, 1)], weights=[-1.0]))


@pytest.mark.parametrize("distance", DISTANCES)
def test_several_neighbours_keep_the_contract(distance):
    check_learner(Nearest(k=3, distance=distance))


def test_weights_that_floats_cannot_hold_are_warned_of():
    points, labels = [[0.0], [1.0], [1.5], [9.0]], [0, 0, 0, 1]
    steep = exponential_graph(points, 1000)
    with pytest.warns(ScalingWarning, match=r"6 weights.*'propagation' needs a smaller scale"):
        play(steep, labels, "propagation")
    with pytest.warns(ScalingWarning, match="'nearest' needs a smaller scale"):
        play(steep, labels, "nearest")
    assert play(steep, labels, "nearest", distance="resistance").mistakes <= 2
    assert play(steep, labels, "pounce").mistakes <= 2
    play(exponential_graph(points, 2), labels, "propagation")
