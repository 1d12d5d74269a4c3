"""Experts read together say what each of them says alone, to the last bit."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.learners import Auto
from zerokelvin.learners.auto import stacked
from zerokelvin.learners.base.growth import Growth


def alone(mixture, node):
    values = np.full((len(mixture.experts), len(mixture.mixing.counts)), np.nan)
    for expert, row in zip(mixture.experts, values, strict=True):
        expert.tell(node, row)
    return values


def together(mixture, node):
    values = np.full((len(mixture.experts), len(mixture.mixing.counts)), np.nan)
    mixture.judge(node)  # makes the readers where there are none
    mixture._readers.tell(node, values)
    return values


def some_graph(rng, nodes=40):
    pairs = rng.integers(nodes, size=(3 * nodes, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return zk.Graph.from_edges(pairs, weights=rng.choice([1.0, 3.0], len(pairs)), num_nodes=nodes)


@pytest.mark.parametrize("most", [0, 1 << 26])
def test_experts_read_together_say_what_they_say_alone(most, monkeypatch):
    monkeypatch.setattr(stacked, "MOST_BYTES", most)  # with 0 a copy of a game reads its experts alone
    rng = np.random.default_rng(0)
    graph = some_graph(rng)
    game = Auto().start_game(graph, 3)
    for step in range(30):
        node, code = int(rng.integers(graph.num_nodes)), int(rng.integers(3))
        assert np.array_equal(together(game.mixture, node), alone(game.mixture, node))
        before = game
        if step % 7 == 6:
            game = game.twin()
        if step % 10 == 9:
            fresh = Auto().start_game(graph, 3)
            fresh.restore(game.snapshot())
            game = fresh
        game.learn(node, code)
        if before is not game:  # the one that was copied stays where it is
            before.learn(node, code)
            assert np.array_equal(alone(before.mixture, node), together(game.mixture, node))


def test_they_do_after_a_growth_too():
    rng = np.random.default_rng(1)
    graph = some_graph(rng)
    game, nodes, codes = Auto().start_game(graph, 3), rng.integers(40, size=20), rng.integers(3, size=20)
    game.teach(nodes, codes)
    larger = graph.extended(2, [(0, 40), (7, 41), (40, 41)])
    heir = Auto().start_game(larger, 3)
    game.hand_over(heir, Growth(graph, larger, lambda: (nodes, codes)))
    for node in range(larger.num_nodes):
        assert np.array_equal(together(heir.mixture, node), alone(heir.mixture, node))
