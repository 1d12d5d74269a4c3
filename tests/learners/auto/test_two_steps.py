"""Votes from two steps away: the definition with dense matrices."""

import numpy as np
import pytest
from hypothesis import given

from naive.class_games import class_games
from zerokelvin.learners.auto.two_steps import TwoSteps

pytestmark = pytest.mark.kernels


@given(class_games())
def test_votes_by_definition(game):
    graph, classes, trials, _ = game
    adjacency = graph.adjacency.toarray()
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    matrix = adjacency @ np.diag(1 / degrees) @ adjacency
    labels = np.zeros((graph.num_nodes, classes))
    votes = TwoSteps(graph, classes)
    expected = []
    for node, code in trials:
        expected.append(matrix[node] @ labels)
        np.testing.assert_allclose(votes.evidence([node])[0], expected[-1], rtol=1e-9, atol=1e-12)
        votes.learn(node, code)
        labels[node, code] += 1
    everyone = np.arange(graph.num_nodes)
    np.testing.assert_allclose(votes.evidence(everyone), matrix @ labels, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(votes.counts, labels)
    np.testing.assert_allclose([votes.votes(node) for node in everyone], matrix, rtol=1e-9, atol=1e-12)
    ahead = TwoSteps(graph, classes)
    nodes, codes = (np.array(part) for part in zip(*trials, strict=True))
    np.testing.assert_allclose(ahead.learn_in_order(nodes, codes), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(ahead.counts, labels)
