"""Other learners as experts: `longest-path` on rounded weights, the same where weights are plain already."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.graph.scale import in_levels
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.voters import RoundedVoter, Voters
from zerokelvin.learners.auto.learnt_weights import FREQUENCIES, learnt_weights


def rounded_by_definition(weights, levels):
    unit = float(np.median(weights)) / levels
    return [max(round(weight / unit), 1) for weight in weights]


@given(strategies.graphs(max_nodes=9), st.sampled_from([1, 3, 8]), st.integers(0, 99))
def test_weights_in_levels(graph, levels, seed):
    weights = np.random.default_rng(seed).lognormal(0, 2, graph.num_edges)
    graph = zk.Graph.from_edges(graph.edges, weights, num_nodes=graph.num_nodes)
    rounded = in_levels(graph, levels)
    if not graph.num_edges:
        assert rounded is graph
        return
    both = np.repeat(graph.edge_weights, 2)  # an edge is two arcs, of which the median is taken
    wanted = rounded_by_definition(both, levels)[::2]
    if rounded is graph:
        unit = float(np.median(both)) / levels
        assert np.allclose(np.array(wanted) * unit, graph.edge_weights)
    else:
        assert rounded.edge_weights.tolist() == wanted
        assert np.array_equal(rounded.indices, graph.indices)
        assert in_levels(rounded, levels).num_edges == graph.num_edges


def experts(graph, classes=3):
    kind = Voters()
    return kind.start(kind.prepare(graph, graph), classes, 0.05, 0)


@given(strategies.games(max_nodes=10), st.integers(0, 99))
def test_it_is_longest_path_on_the_rounded_graph(game, seed):
    graph, _, trials = game
    weights = np.random.default_rng(seed).lognormal(0, 1, graph.num_edges)
    graph = zk.Graph.from_edges(graph.edges, weights, num_nodes=graph.num_nodes)
    voter, nodes = experts(graph)[0], np.arange(graph.num_nodes)
    rounded = in_levels(graph, settings.LEVELS)
    assert voter.name == "longest-path" + settings.ROUNDED * (rounded is not graph)
    assert isinstance(voter, RoundedVoter) == voter.relearns == (rounded is not graph)
    plain = zk.learners.make("longest-path").start_game(rounded, 3)
    for node, label in trials:
        assert np.array_equal(voter.game.scores(nodes), plain.scores(nodes))
        voter.learn(node, label + 1)
        plain.learn(node, label + 1)


@pytest.mark.parametrize("weights", [1.0, 0.1, 5.0])
def test_equal_weights_are_left_alone(weights):
    graph = zk.generators.grid(4, 5).graph
    graph = zk.Graph.from_edges(graph.edges, np.full(graph.num_edges, weights))
    assert [one.name for one in experts(graph)] == ["longest-path", "spanning-tree 9 nearest"]


def test_it_has_the_learnt_weight_of_longest_path():
    names = ["longest-path", FREQUENCIES]
    plain = learnt_weights(names, [])
    rounded = learnt_weights([name + settings.ROUNDED * (name == "longest-path") for name in names], [])
    for ours, theirs in zip(rounded, plain, strict=True):
        assert np.array_equal(ours, theirs)
    assert plain[0][0] != 0.0


def test_labels_are_quick_where_all_weights_differ():
    """Several times as quick as minimum cuts of the weights themselves, on 20,000 points in the plane."""
    points = np.random.default_rng(0).random((20_000, 2))
    graph = zk.knn_graph(points, k=5)
    graph = zk.Graph.from_edges(graph.edges, np.random.default_rng(1).random(graph.num_edges) + 0.1)
    nodes = np.random.default_rng(2).permutation(20_000)[:60].tolist()
    seconds = []
    for game in (experts(graph, 10)[0].game, zk.learners.make("longest-path").start_game(graph, 10)):
        for node in nodes[:20]:
            game.learn(node, int(10 * points[node, 0]))
        began = time.process_time()
        for node in nodes[20:]:
            game.learn(node, int(10 * points[node, 0]))
        seconds.append(time.process_time() - began)
    assert 3 * seconds[0] < seconds[1]
