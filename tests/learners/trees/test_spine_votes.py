"""Votes of spines for all classes at once: those of the committee that every class has for itself."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.learners import SpanningTree

pytestmark = pytest.mark.kernels


def two_games(rng, classes, size=5):
    """A committee's votes and its game, on a graph of several components with weights that tie."""
    nodes = 24
    pairs = rng.integers(nodes, size=(30, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    graph = zk.Graph.from_edges(pairs, weights=rng.choice([1.0, 2.0], len(pairs)), num_nodes=nodes)
    learner, seed = SpanningTree(trees=size, inner="nearest"), int(rng.integers(1000))
    ready = learner.prepare(graph)
    return graph, learner.start_votes(classes, ready, seed), learner.start_game(graph, classes, ready, seed)


def shares_of(game, nodes):
    """(1 + m) / 2 for every class, from the margins of a game with a problem for each."""
    margins = game.scores(nodes)
    both = np.hstack([-margins, margins]) if margins.shape[1] == 1 else margins
    return 0.5 * (1.0 + both)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_votes_are_those_of_every_class_by_itself(classes):
    rng = np.random.default_rng(classes)
    for _ in range(30):
        graph, votes, game = two_games(rng, classes)
        everyone, told = np.arange(graph.num_nodes), np.full(classes, np.nan)
        for _ in range(12):
            node, code = int(rng.integers(graph.num_nodes)), int(rng.integers(classes))
            wanted = shares_of(game, everyone)
            assert np.array_equal(votes.evidence(everyone), wanted)
            assert np.array_equal(votes.evidence(everyone[:2]), wanted[:2])
            np.testing.assert_allclose(votes.scores(everyone), game.scores(everyone), atol=1e-15)
            votes.tell(node, told)
            assert np.array_equal(told, wanted[node])
            votes.learn(node, code)
            game.learn(node, code)


def test_in_order_taught_kept_and_restored_they_stand_where_one_by_one_leads():
    rng = np.random.default_rng(9)
    for _ in range(20):
        graph, votes, _ = two_games(rng, 4)
        nodes, codes = rng.integers(graph.num_nodes, size=30), rng.integers(4, size=30)
        everyone, seen = np.arange(graph.num_nodes), []
        others = [votes.twin() for _ in range(2)]
        begin = votes.twin(kept=True)
        for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
            seen.append(votes.evidence([node])[0])
            votes.learn(node, code)
        assert np.array_equal(others[0].learn_in_order(nodes, codes), seen)
        others[1].teach(nodes, codes)
        others += [votes.twin(), votes.twin(kept=True).twin(), begin.twin()]
        others[-1].restore(votes.snapshot())
        for other in others:
            assert np.array_equal(other.evidence(everyone), votes.evidence(everyone))


def test_a_saved_class_that_does_not_exist_is_refused():
    _, votes, _ = two_games(np.random.default_rng(1), 3)
    for codes in (np.full(24, 3), np.full(24, -2), np.full(23, 0)):
        with pytest.raises(ValueError, match="no class of every node"):
            votes.restore({"0/codes": codes})
