"""The dead zone of ties, and what bounds count for it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners import make
from zerokelvin.learners.base.ties import DEAD_ZONE, cost_of_ties
from zerokelvin.learners.ridge.comparators import best_margin, compare, largest_norm, largest_tie
from zerokelvin.learners.ridge.ridge_bounds import batch_loss

A = st.sampled_from([1e-3, 0.1, 1.0, 30.0])


@given(st.integers(0, 10**6), A, st.sampled_from(["primal", "dual"]))
def test_no_tie_of_ridge_regression_is_larger_than_is_counted(seed, a, form):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(12, 3)) * rng.choice([0.1, 1.0, 10.0])
    state = make("second-order", a=a, b=0.0, form=form).start(Features(rows))
    for node in rng.integers(12, size=15).tolist():
        state.update(node, int(rng.choice([-1, 1])))
        reach = largest_norm(state.source, state.seen_points(state.source))
        counted = largest_tie(state.mistakes * reach / a) / DEAD_ZONE
        for one in state.seen_nodes:
            if form == "primal":
                sizes = np.linalg.norm(rows[one]) * np.linalg.norm(state.weights)
            else:
                cross = state.source.cross(state.points, state.source.point(one))
                sizes = np.linalg.norm(cross) * np.linalg.norm(state.duals)
            assert sizes <= counted * (1 + 1e-6)


def hair(learner, **params):
    """A mistake on a right margin of a tenth of the dead zone: x₂ is all but orthogonal to x₁."""
    features = Features([[1.0, 0.0], [-1e-10, 1.0]])
    state = make(learner, b=0.0, **params).start(features)
    state.update(0, -1)
    assert state.margin(1) == 0.0  # by rounding it would be 1e-10 or so: the label +1, rightly
    state.update(1, -1)
    return state


@pytest.mark.parametrize(
    ("learner", "params"),
    [
        ("ollgc", {}),
        ("ollgc", {"every_round": True}),
        ("second-order", {}),
        ("second-order", {"variant": "increasing"}),
        ("second-order", {"variant": "pseudoinverse"}),
        ("second-order", {"variant": "whitened"}),
        ("perceptron", {}),
    ],
)
def test_a_tie_is_a_tie_and_its_mistake_is_within_the_bound(learner, params):
    state = hair(learner, **params)
    bound = state.bound(np.array([-1, -1]))
    assert not bound.is_broken_by(2)


def test_ridge_bounds_take_ties_in():
    """Each by the amount of its proof, from the formula without ties."""
    state = hair("ollgc", mu=0.01)
    labels = np.array([-1, -1])
    view = compare(state, state.source, labels)
    tie = largest_tie(2 * largest_norm(state.source, view.rows) / 0.01)
    logs = state.log_determinant()
    plain = batch_loss(view.rows, view.labels, 0.01) + state.losses().max() * logs
    assert state.bound(labels, "5").value == pytest.approx(plain * (1 + tie) ** 2 / (1 - tie) ** 2, rel=1e-14)
    assert state.bound(labels, "5").value > plain
    roots = np.sqrt((0.01 + view.spread) * (logs + 4 * tie))
    assert state.bound(labels, "3.1").value == best_margin(view.scores, roots)[0]


def test_bounds_of_pounce_and_interpolation_take_ties_in():
    """On a line with its middle cut both formulas are multiples of ⅓: the bounds lie a hair above one."""
    line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    labels = np.array([-1, -1, 1, 1])
    for learner, most in (("pounce", 1e-8), ("interpolation", 1e-7)):
        state = make(learner).start(line)
        for node in (0, 3, 1, 2):
            state.update(node, int(labels[node]))
        value = state.bound(labels).value
        nearest = round(3 * value) / 3
        assert value == pytest.approx(nearest, abs=most)
        assert value > nearest


def test_the_cost_of_ties_grows_without_end():
    assert cost_of_ties(DEAD_ZONE) == pytest.approx(1 + 4e-9, rel=1e-15)
    assert cost_of_ties(1.0) == np.inf
