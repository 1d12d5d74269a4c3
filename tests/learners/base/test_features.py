"""Feature vectors in place of a graph: tables, kernels, vectors never seen before."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.learners import second_order as naive
from zerokelvin import Graph, load, play, start
from zerokelvin.errors import GraphError, NodeError, ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.learners import Game, Trials, make
from zerokelvin.learners.base import signs_of
from zerokelvin.learners.perceptron.perceptron import Perceptron

LEARNERS = [
    ("perceptron", {"c": 0.5}),
    ("second-order", {}),
    ("second-order", {"variant": "increasing"}),
    ("second-order", {"variant": "pseudoinverse"}),
    ("second-order", {"variant": "whitened"}),
    ("ollgc", {}),
    ("sslgc", {}),
    ("bbq", {}),
    ("gaussian", {}),
]
KERNELS = ["linear", "polynomial:2", "gaussian:1.5", lambda points, x: points @ x + (points @ x) ** 2]


def table(rows=40, dimension=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, dimension))
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=rows) >= 0, 1, -1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_kernel_values(kernel):
    X, _ = table(6)
    features = Features(X, kernel=kernel)
    for i in range(6):
        for j in range(6):
            dot = X[i] @ X[j]
            expected = {
                "linear": dot,
                "polynomial:2": (1 + dot) ** 2,
                "gaussian:1.5": np.exp(-((X[i] - X[j]) ** 2).sum() / 4.5),
            }.get(kernel if isinstance(kernel, str) else "", dot + dot**2)
            assert features.column(i)[j] == pytest.approx(expected)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("name", "params"), LEARNERS)
def test_new_vectors_are_treated_like_rows(name, params, kernel):
    if params.get("variant") == "whitened" and kernel == "gaussian:1.5":
        return  # of full rank, so whitened to the identity: all scores are ties
    X, y = table()
    tolerance = 1e-4 if params.get("variant") == "whitened" else 1e-7  # it divides by small eigenvalues
    known, fresh = (make(name, **params).start(Features(X, kernel=kernel)) for _ in range(2))
    for node in np.random.default_rng(1).permutation(len(X)):
        assert fresh.margin(X[node]) == pytest.approx(known.margin(int(node)), abs=tolerance)
        known.update(int(node), int(y[node]))
        fresh.update(X[node], int(y[node]))
    unseen = np.full(X.shape[1], 0.3)
    assert fresh.margin(unseen) == pytest.approx(known.margin(unseen), abs=tolerance)


@pytest.mark.kernels
@pytest.mark.parametrize("kernel", ["linear", "gaussian:1"])
@pytest.mark.parametrize(("name", "params"), LEARNERS)
def test_games_and_sessions_on_a_table(name, params, kernel, tmp_path):
    X, y = table(30)
    features = Features(X, kernel=kernel, names=[f"row {i}" for i in range(30)])
    labels = np.where(y > 0, "yes", "no")
    learner = make(name, **params)
    run = play(features, labels, learner, seed=2, label_noise=0.1)
    assert not run.bound.holds or run.bound.allows(run.mistakes)
    assert run.mistakes < 20
    for delay, limit in ((0, np.inf), (3, 0.4)):
        signs = signs_of(np.random.default_rng(0).integers(3, size=30), 3)
        trials = Trials(np.random.default_rng(1).integers(0, 30, 30), signs, np.full(30, limit), delay, 25)
        fast, slow = (learner.start_game(features, 3, learner.prepare(features), 0) for _ in range(2))
        one, two = fast.play(trials), Game.play(slow, trials)
        np.testing.assert_array_equal(one.margins, two.margins)
        np.testing.assert_array_equal(one.asked, two.asked)
        np.testing.assert_array_equal(fast.scores(np.arange(30)), [slow.score(i) for i in range(30)])
    session = start(features, learner, classes=["no", "yes"])
    for i in range(15):
        session.learn(f"row {i}", labels[i])
    session.save(tmp_path / "s.zk")
    again = load(tmp_path / "s.zk", features)
    assert again.predict("row 20") == session.predict("row 20")
    assert (again.predict_all() == session.predict_all()).all()


@pytest.mark.kernels
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0]))
def test_linear_perceptron_equals_the_classical_one(seed, b):
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (6, 3)).astype(float)
    trials = [(int(i), int(s)) for i, s in zip(rng.integers(0, 6, 20), rng.choice([-1, 1], 20), strict=True)]
    rows = np.hstack([X, np.full((6, 1), np.sqrt(b))])
    state = Perceptron(b=b).start(Features(X))
    for (node, label), expected in zip(trials, naive.perceptron_scores(rows, trials), strict=True):
        assert state.margin(node) == pytest.approx(expected, abs=1e-9)
        state.update(node, label)


def test_kernel_perceptron_on_a_linear_kernel_function_is_the_same():
    X, y = table(25)
    one = play(Features(X), y, "perceptron", b=1.0, c=0.25, repeats=3)
    two = play(Features(X, kernel=lambda points, x: points @ x), y, "perceptron", b=1.0, c=0.25, repeats=3)
    np.testing.assert_allclose(one.margins, two.margins, atol=1e-9)
    assert one.mistakes == two.mistakes


def test_a_table_without_rows_takes_vectors():
    for name, params in LEARNERS:
        if params.get("variant") == "whitened":
            continue  # all instances must be known
        if params.get("variant") == "increasing":
            params = {**params, "radius": 3.0}
        state = make(name, **params).start(Features(np.zeros((0, 2))))
        assert state.margin([1.0, 2.0]) == 0
        state.update([1.0, 2.0], -1)
        assert state.margin([1.0, 2.0]) < 0


def test_hash_and_names():
    X, _ = table(4)
    assert Features(X) == Features(X.copy())
    assert Features(X) != Features(X, kernel="gaussian:1")
    assert Features(X) != Features(X + 1e-9)
    assert Features(X) != Features(X, names="abcd")
    features = Features(X, names="abcd")
    assert features.index("c") == 2
    with pytest.raises(NodeError, match="no node 'z'"):
        features.index("z")
    with pytest.raises(AttributeError, match="cannot be changed"):
        features.X = X


@pytest.mark.parametrize(
    ("X", "kernel", "error", "message"),
    [
        ([1.0, 2.0], "linear", GraphError, "shape"),
        ([[1.0, float("nan")]], "linear", GraphError, "row 0"),
        ([[1.0]], "cubic", ParameterError, "unknown kernel 'cubic'"),
        ([[1.0]], "gaussian:0", ParameterError, "positive, finite width"),
        ([[1.0]], "polynomial:x", ParameterError, "'x' is no number"),
        ([[1.0]], "polynomial:1.5", ParameterError, "whole number"),
        ([[1.0]], "linear:2", ParameterError, "takes no number"),
    ],
)
def test_bad_tables(X, kernel, error, message):
    with pytest.raises(error, match=message):
        Features(X, kernel=kernel)


def test_refusals():
    X, y = table(5)
    features = Features(X)
    with pytest.raises(ParameterError, match="needs a graph"):
        play(features, y, "pounce")
    with pytest.raises(GraphError, match="no edges"):
        features.laplacian()
    state = make("ollgc").start(features)
    with pytest.raises(ParameterError, match="does not fit"):
        state.margin(np.zeros(7))
    with pytest.raises(ParameterError, match="NaN"):
        state.margin(np.array([np.nan, 0, 0]))
    with pytest.raises(ParameterError, match="own kernel"):
        make("perceptron", kernel=np.eye(5)).prepare(features)
    with pytest.raises(ParameterError, match="one each"):
        Features(X, kernel=lambda points, x: points).column(0)
    assert not isinstance(features, Graph)
    assert not hasattr(features, "edges")
