"""Interpolation by a factor that outlasts many labels: what conjugate gradients give, restored to the bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zerokelvin as zk
from strategies import graphs
from zerokelvin.checks.same_game import find_difference
from zerokelvin.graph import generators
from zerokelvin.learners.seminorm import interpolation, seminorm_factor
from zerokelvin.learners.seminorm.interpolation import Interpolation
from zerokelvin.learners.seminorm.seminorm_factor import FactorPlan


@pytest.fixture
def small(monkeypatch):
    """Let a factor serve graphs of any size, five labels at a time."""
    monkeypatch.setattr(seminorm_factor, "LEAST", 0)
    monkeypatch.setattr(FactorPlan, "period", 5)


class Solves:
    """Counts the systems that conjugate gradients solve."""

    def __init__(self, monkeypatch):
        self.count, original = 0, interpolation.harmonic_response

        def counted(*arguments):
            self.count += 1
            return original(*arguments)

        monkeypatch.setattr(interpolation, "harmonic_response", counted)


@given(graphs(max_nodes=12), st.integers(0, 10**6))
def test_the_factor_gives_what_conjugate_gradients_give(graph, seed):
    """On any graph, with weights, components, nodes that come again and labels that change."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seminorm_factor, "LEAST", 0)
        patch.setattr(FactorPlan, "period", 3)
        fast, slow = Interpolation().start(graph), Interpolation().start(graph)
        slow.held = None
        for node in rng.integers(0, graph.num_nodes, 2 * graph.num_nodes).tolist():
            label = int(rng.choice([-1, 1]))
            fast.update(node, label)
            slow.update(node, label)
            np.testing.assert_allclose(fast.f, slow.f, atol=1e-7)
            assert fast.reach == pytest.approx(slow.reach, rel=1e-6)


def test_a_game_needs_hardly_any_other_solves_and_is_certified(small, monkeypatch):
    example = generators.planted_partition([40, 40], 0.2, 0.03, np.random.default_rng(2))
    graph, _ = example.graph.largest_component()
    solves = Solves(monkeypatch)
    state = Interpolation().start(graph)
    for node in np.random.default_rng(3).permutation(graph.num_nodes)[:60].tolist():
        state.update(node, 1 if node < 40 else -1)
    assert solves.count == 0
    assert state.gap().relative < 1e-9
    state.update(0, -1)
    state.update(0, 1)  # what is labelled is left to the others
    assert solves.count > 0
    assert state.gap().relative < 1e-9


def test_problems_share_the_factor_and_a_restored_game_goes_on_to_the_last_bit(small):
    example = generators.planted_partition([25, 25, 25], 0.25, 0.04, np.random.default_rng(4))
    graph, nodes = example.graph.largest_component()
    labels = example.labels[nodes]
    order = np.random.default_rng(5).permutation(graph.num_nodes).tolist()
    learner = Interpolation()
    game = learner.start_game(graph, 3)
    for node in order[:33]:
        game.learn(node, int(labels[node]))
    assert len({id(state.held) for state in game.states}) == 1
    assert game.states[0].held._factor is not None
    fresh = learner.start_game(graph, 3)
    fresh.restore(game.snapshot())
    for node in order[33:]:
        game.learn(node, int(labels[node]))
        fresh.learn(node, int(labels[node]))
        assert np.array_equal(
            game.scores(np.arange(graph.num_nodes)), fresh.scores(np.arange(graph.num_nodes))
        )


@pytest.mark.parametrize("seed", range(6))
def test_the_three_ways_to_play_are_one(small, seed):
    assert find_difference(Interpolation(), seed).fault is None


def test_when_a_factor_is_held():
    grid = zk.generators.grid(50, 50).graph
    assert 32 <= FactorPlan(grid).period <= 1024
    assert FactorPlan(zk.generators.grid(10, 10).graph).period == 0
    rng = np.random.default_rng(0)
    tangle = zk.Graph.from_edges(rng.integers(0, 3000, (60_000, 2)), num_nodes=3000)
    assert FactorPlan(tangle).period == 0


def test_a_grid_is_played_as_by_conjugate_gradients():
    graph = zk.generators.grid(46, 46).graph
    rng = np.random.default_rng(1)
    order, labels = (
        rng.permutation(graph.num_nodes)[:300],
        np.where(np.arange(graph.num_nodes) % 46 < 20, 0, 1),
    )
    learner = Interpolation()
    plan = learner.prepare(graph)
    assert plan.period > 0
    run = zk.play(graph, labels, learner, order=order, prepared=plan)
    plain = zk.play(graph, labels, learner, order=order, prepared=np.arange(graph.num_nodes))
    np.testing.assert_allclose(run.margins, plain.margins, atol=1e-9)
    assert np.array_equal(run.predictions, plain.predictions)
