"""Regression on coordinates: the dense posterior by definition, and votes that add up to it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.learners.gaussian import posterior
from zerokelvin.learners.auto.subspace_regression import SubspaceRegression


@st.composite
def games(draw):
    """Rows of coordinates, and labels in which nodes may come again."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count, rank, classes = draw(st.integers(1, 12)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    nodes = rng.integers(count, size=draw(st.integers(1, 15)))
    rows = rng.normal(size=(count, rank)) * 10.0 ** draw(st.integers(-2, 1))
    return rows, nodes, rng.integers(classes, size=len(nodes)), classes, draw(st.sampled_from([0.03, 1.0]))


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(games())
def test_means_agree_with_dense_regression(game):
    rows, nodes, codes, classes, mu = game
    regression, matrix = SubspaceRegression(rows, classes, mu), rows @ rows.T
    trials = list(zip(nodes.tolist(), codes.tolist(), strict=True))
    for t, (node, code) in enumerate(trials):
        seen = regression.evidence([node])[0]
        assert np.allclose(seen, posterior(matrix, trials[:t], classes, mu, node)[0], atol=1e-6)
        regression.learn(node, code)
    for node in range(len(rows)):
        exact = posterior(matrix, trials, classes, mu, node)[0]
        assert np.allclose(regression.evidence([node])[0], exact, atol=1e-6)
        assert np.allclose(regression.votes(node) @ regression.counts, exact, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(games())
def test_foreseen_games_are_the_same_as_step_by_step(game):
    rows, nodes, codes, classes, mu = game
    ahead = SubspaceRegression(rows, classes, mu).learn_in_order(nodes, codes)
    regression = SubspaceRegression(rows, classes, mu)
    for t, (node, code) in enumerate(zip(nodes.tolist(), codes.tolist(), strict=True)):
        assert np.array_equal(regression.evidence([node])[0], ahead[t])
        regression.learn(node, code)
