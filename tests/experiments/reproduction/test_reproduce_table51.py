"""Table 5.1: its data, one learner against a few lines of NumPy, and the pattern of the table."""

import numpy as np
import pytest

from zerokelvin.errors import ParameterError
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.experiments.reproduction.second_order_perceptron.table51 import (
    PAPER,
    TESTING,
    TRAINING,
    _learners,
    draw_points,
    train_and_test,
)


@pytest.mark.parametrize("axis", [0, 1])
def test_points_are_gaussian_with_one_long_axis_and_a_margin(axis):
    table, labels = draw_points(axis, 0.2, seed=4)
    assert table.X.shape == (TRAINING + TESTING, 100)
    assert (labels * table.X[:, axis]).min() >= 0.2
    assert abs(labels.mean()) < 0.05
    plain = table.X.copy()
    plain[:, axis] -= 0.2 * labels
    values = np.linalg.eigvalsh(np.cov(plain.T))
    assert values[-1] == pytest.approx(8.0, rel=0.06)
    assert 0.75 < values[0] < values[-2] < 1.25
    assert not np.array_equal(draw_points(axis, 0.2, seed=5)[0].X, table.X)


def test_each_learner_is_its_definition():
    table, labels = draw_points(1, 0.15, seed=2)
    order = np.random.default_rng(0).permutation(TRAINING)
    for learner, a in zip(_learners(), (None, 1.0, 10.0, 50.0), strict=True):
        correlation = None if a is None else a * np.eye(100)
        total, weights, mistakes = np.zeros(100), np.zeros(100), 0
        for i in np.tile(order, 2):
            x = table.X[i]
            if (1 if x @ weights >= 0 else -1) != labels[i]:
                mistakes += 1
                total += labels[i] * x
                if correlation is None:
                    weights = total.copy()
                else:
                    correlation += np.outer(x, x)
                    weights = np.linalg.solve(correlation, total)
        held_out = table.X[TRAINING:] @ weights
        wrong = int((np.where(held_out >= 0, 1, -1) != labels[TRAINING:]).sum())
        assert train_and_test(table, labels, learner, order) == (wrong, mistakes)


def test_the_pattern_of_the_table():
    report = make_experiment("table5.1", fast=True).run()
    found = report.values["learners"]
    assert list(found) == list(PAPER)
    for a in (1, 10):
        row = found[f"second-order, a = {a}"]
        assert 2 < row["data_set_1"]["times_fewer"] < 6
        assert 5 < row["data_set_2"]["times_fewer"] < 20
        for data in ("data_set_1", "data_set_2"):
            assert row[data]["training_mistakes"] < found["perceptron"][data]["training_mistakes"]
    for axis, data in enumerate(("data_set_1", "data_set_2")):
        assert found["perceptron"][data]["test_mistakes"] == pytest.approx(
            PAPER["perceptron"][axis][0], rel=0.35
        )
    figure = report.pictures[0].draw()
    assert [axes.get_title(loc="left")[:10] for axes in figure.axes] == ["Data set 1", "Data set 2"]


@pytest.mark.parametrize("options", [{"shuffles": 1}, {"draws": 0}, {"gamma": -1.0}, {"gamma": float("nan")}])
def test_bad_options(options):
    (name, value), *_ = options.items()
    with pytest.raises(ParameterError, match=f"{name}={value}"):
        make_experiment("table5.1", **options)
