"""Whole games in dual variables: the states step by step to the last bit, and right by definition."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.games.game import make_trials
from zerokelvin.games.labels import to_signs
from zerokelvin.graph import generators
from zerokelvin.learners import Always, Game
from zerokelvin.learners.ridge import dual_game, dual_ridge
from zerokelvin.learners.second_order.second_order import SecondOrder
from zerokelvin.resistance.effective import kernel_diagonal
from zerokelvin.solve.engines import automatic

CLUSTERS = generators.planted_partition([70, 80, 60], 0.12, 0.02, np.random.default_rng(3))


def trials_of(graph, order, codes, classes=3):
    return make_trials(graph, order, to_signs(codes, classes), Always(), 0)


def by_definition(graph, order, signs, a, b):
    """Figure 3.1 in dual variables, all by dense linear algebra."""
    kernel = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True) + b
    margins = np.zeros(signs.shape)
    for c in range(signs.shape[1]):
        learnt, labels = [], []
        for t, node in enumerate(order):
            if learnt:
                gram = kernel[np.ix_(learnt, learnt)] + a * np.eye(len(learnt))
                cross = kernel[learnt, node]
                score = cross @ np.linalg.solve(gram, labels)
                rest = kernel[node, node] - cross @ np.linalg.solve(gram, cross)
                margins[t, c] = score * a / (a + rest)
            if (1 if margins[t, c] >= 0 else -1) != signs[t, c]:
                learnt.append(node)
                labels.append(float(signs[t, c]))
    return margins


@pytest.mark.parametrize("block", [7, 128])
@pytest.mark.parametrize("kept", [0, 15 * 8 * 210, 2**30])
@pytest.mark.parametrize("every", [False, True])
def test_a_game_in_blocks_is_the_game_step_by_step(block, kept, every, monkeypatch):
    monkeypatch.setattr(dual_ridge, "BLOCK", block)
    monkeypatch.setattr(dual_game, "BLOCK", block)
    monkeypatch.setattr(dual_ridge, "KEPT_BYTES", kept)
    graph = CLUSTERS.graph
    rng = np.random.default_rng(8)
    order = rng.integers(0, graph.num_nodes, 260)  # nodes come again
    codes = np.where(rng.random(260) < 0.2, rng.integers(0, 3, 260), CLUSTERS.labels[order])
    games = [SecondOrder().start_game(graph, 3) for _ in range(2)]
    for game in games:
        for state in game.states:
            state.every_round = every
    trials = trials_of(graph, order, codes)
    trace, plain = games[0].play(trials), Game.play(games[1], trials)
    assert np.array_equal(trace.margins, plain.margins)
    assert np.array_equal(trace.asked, plain.asked)
    nodes = np.arange(graph.num_nodes)
    for one, two in zip(games[0].states, games[1].states, strict=True):
        assert np.array_equal(one.points, two.points)
        assert np.array_equal(one.factor.lower, two.factor.lower)
        assert np.array_equal(one.duals, two.duals)
        assert one.seen_learnt == two.seen_learnt
        assert np.array_equal(one.margins(nodes), [two.margin(node) for node in nodes.tolist()])
        assert len(one._columns) == min(one.factor.size, kept // (8 * graph.num_nodes))


def test_a_game_in_blocks_is_right_by_definition():
    graph = CLUSTERS.graph
    order = np.random.default_rng(2).permutation(graph.num_nodes)
    run = zk.play(graph, CLUSTERS.labels, "second-order", order=order, a=0.5, b=2.0)
    signs = to_signs(run.codes, 3)
    np.testing.assert_allclose(run.margins, by_definition(graph, order, signs, 0.5, 2.0), atol=1e-9)


def test_the_diagonal_of_a_factor_gives_the_same_game(monkeypatch):
    """A graph too large for a dense inverse takes norms from the factor and columns by solves."""
    graph = CLUSTERS.graph
    dense = zk.play(graph, CLUSTERS.labels, "second-order")
    monkeypatch.setattr(automatic, "DENSE_LIMIT", 10)
    learner = SecondOrder(engine="direct")
    source = learner.prepare(graph)
    np.testing.assert_allclose(source.diagonal, kernel_diagonal(graph))
    assert source.norm(source.point(5)) == pytest.approx(source.columns.column(5)[5] + 1.0)
    run = zk.play(graph, CLUSTERS.labels, learner, prepared=source)
    np.testing.assert_allclose(run.margins, dense.margins, atol=1e-9)
    assert np.array_equal(run.predictions, dense.predictions)
    assert SecondOrder(kernel="regularized:0.5", engine="direct").prepare(graph).diagonal is None


def test_a_restored_state_predicts_the_same_bits():
    graph = CLUSTERS.graph
    game = SecondOrder().start_game(graph, 3)
    order = np.random.default_rng(4).permutation(graph.num_nodes)
    game.play(trials_of(graph, order, CLUSTERS.labels[order]))
    fresh = SecondOrder().start_game(graph, 3)
    fresh.restore(game.snapshot())
    nodes = np.arange(graph.num_nodes)
    assert np.array_equal(fresh.scores(nodes), game.scores(nodes))
    game.learn(3, 1)
    fresh.learn(3, 1)
    assert np.array_equal(fresh.scores(nodes), game.scores(nodes))


def test_columns_are_shared_and_go_with_the_last_state_that_holds_them():
    graph = CLUSTERS.graph
    learner = SecondOrder(engine="direct")
    source = learner.prepare(graph)
    states = [learner.start(graph, source) for _ in range(2)]
    for state in states:
        state.update(4, -1)
        state.margin(9)
    assert states[0]._columns[0] is states[1]._columns[0]
    source.columns.column(0)  # the last one looked at is remembered elsewhere
    states.clear()
    del state
    assert 4 not in source._in_use
