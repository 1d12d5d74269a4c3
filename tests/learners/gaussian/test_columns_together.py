"""Columns solved for in blocks of eight: right, the same for everybody, and within their memory."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.games.game import make_trials
from zerokelvin.games.labels import to_signs
from zerokelvin.graph import generators
from zerokelvin.kernels.kernels import kernel_columns
from zerokelvin.learners import Always, Game, make
from zerokelvin.learners.gaussian import columns_together
from zerokelvin.learners.gaussian.columns_together import ColumnsTogether

CLUSTERS = generators.planted_partition([20, 25, 22], 0.3, 0.05, np.random.default_rng(6))
KERNEL = "relative-regularized:0.1"


@pytest.mark.parametrize("engine", ["jacobi", "direct", "approximate"])
def test_columns_are_right_and_the_same_bits_in_whatever_order_they_are_asked_for(engine, monkeypatch):
    graph, rng = CLUSTERS.graph, np.random.default_rng(1)
    columns = kernel_columns(graph, KERNEL, engine, 1e-10)
    found = {node: ColumnsTogether(columns).column(node).copy() for node in range(graph.num_nodes)}
    exact = kernel_columns(graph, KERNEL)
    for node, column in found.items():
        np.testing.assert_allclose(column, exact.column(node), atol=1e-7)
    monkeypatch.setattr(columns_together, "KEPT_BYTES", 0)
    together = ColumnsTogether(columns)
    for node in rng.integers(0, graph.num_nodes, 100).tolist():
        assert np.array_equal(together.column(node), found[node])
        assert len(together._kept) <= columns_together.TOGETHER


def test_a_dense_inverse_is_looked_up():
    columns = kernel_columns(CLUSTERS.graph, KERNEL, "dense")
    assert ColumnsTogether(columns).column(5) is columns.column(5)


@pytest.mark.parametrize("engine", ["jacobi", "direct"])
def test_a_known_order_is_the_game_step_by_step(engine):
    graph = CLUSTERS.graph
    order = np.random.default_rng(2).permutation(graph.num_nodes)[:50]
    learner = make("gaussian", engine=engine)
    trials = make_trials(graph, order, to_signs(CLUSTERS.labels[order], 3), Always(), 0)
    games = [learner.start_game(graph, 3) for _ in range(2)]
    whole, plain = games[0].play(trials), Game.play(games[1], trials)
    assert np.array_equal(whole.margins, plain.margins)
    nodes = np.arange(graph.num_nodes)
    assert np.array_equal(games[0].scores(nodes), games[1].scores(nodes))
    dense = zk.play(graph, CLUSTERS.labels, "gaussian", engine="dense", order=order)
    np.testing.assert_allclose(whole.margins, dense.margins, atol=1e-6)
