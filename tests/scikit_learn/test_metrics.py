"""Sparse features, the cosine, a precomputed graph, and scikit-learn's checks for every learner."""

import os
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils.estimator_checks import check_estimator

from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners import LEARNERS, names
from zerokelvin.sklearn import GraphClassifier
from zerokelvin.sklearn.feature_points import fitted_rows, nearest_points, neighbor_graph
from zerokelvin.sklearn.sparse_points import sparse_nearest

PASSES = dict.fromkeys(("perceptron", "pounce", "second-order", "ollgc", "sslgc", "bbq", "random"), 10)
"""Those that change on mistakes only, or ask for some labels only, need several."""


def rows(seed, count=40, columns=12, share=0.4):
    """Random sparse rows, some of them alike, one of them empty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, columns)) * (rng.random((count, columns)) < share)
    X[3] = X[7]
    X[11] = 0.0
    return X, rng.integers(3, size=count)


@pytest.mark.parametrize("seed", range(4))
def test_sparse_rows_are_the_dense_ones(seed):
    X, y = rows(seed)
    sparse = sp.csr_array(X)
    assert neighbor_graph(sparse, 4) == neighbor_graph(X, 4)
    near, distance = sparse_nearest(sparse, sparse, 3, own=True)
    by_definition = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    np.fill_diagonal(by_definition, np.inf)
    np.testing.assert_allclose(distance, np.sort(by_definition, axis=1)[:, :3], atol=1e-7)
    assert (near != np.arange(len(X))[:, None]).all()
    fresh, _ = rows(seed + 100)
    ours, theirs = nearest_points(sparse, sp.csr_array(fresh), 4), nearest_points(X, fresh, 4)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-7)
    for one, other in zip(fitted_rows(sparse, sparse), fitted_rows(X, X), strict=True):
        np.testing.assert_array_equal(one, other)
    for metric in ("euclidean", "cosine"):
        if metric == "cosine":  # no right angles, which are ties but for rounding
            X, sparse, fresh = X + 0.01, sp.csr_array(X + 0.01), fresh + 0.01
        models = [GraphClassifier("gaussian", n_neighbors=4, metric=metric).fit(A, y) for A in (X, sparse)]
        assert models[0].graph_ == models[1].graph_
        np.testing.assert_allclose(*(model.predict_proba(fresh) for model in models), atol=1e-6)
        np.testing.assert_array_equal(models[1].predict(sparse), models[1].predict(X))


def test_the_cosine_joins_rows_of_the_smallest_angle():
    X, y = rows(5, count=30)
    X[11] = 1.0
    model = GraphClassifier("nearest", n_neighbors=3, metric="cosine").fit(X, y)
    near = NearestNeighbors(n_neighbors=3, metric="cosine").fit(X).kneighbors(return_distance=False)
    for i, others in enumerate(near):
        assert set(others) <= set(model.graph_.neighbors(i).tolist())
    assert model.graph_ == neighbor_graph(normalize(X), 3)
    np.testing.assert_array_equal(model.predict(5.0 * X), model.predict(X))  # lengths do not matter


def test_a_precomputed_graph_is_the_graph():
    X, y = make_blobs(n_samples=60, centers=3, random_state=1)
    graph = neighbor_graph(X, 5)
    weights = graph.adjacency
    by_graph = GraphClassifier(graph=graph).fit(np.arange(60), y)
    for given in (weights, weights.toarray()):
        model = GraphClassifier(metric="precomputed").fit(given, y)
        assert model.graph_ == graph
        np.testing.assert_allclose(model.predict_proba(given), by_graph.predict_proba(np.arange(60)))
        new = np.zeros((2, 60))
        new[0, [4, 9]] = 1.0, 3.0
        margins = model.decision_function(weights)
        np.testing.assert_allclose(
            model.decision_function(new)[0], (margins[4] + 3 * margins[9]) / 4, atol=1e-9
        )
    one_way = sp.csr_array(sp.triu(weights))
    assert GraphClassifier(metric="precomputed").fit(one_way, y).graph_ == graph
    assert cross_val_score(GraphClassifier(metric="precomputed"), weights.toarray(), y).mean() > 0.8
    with pytest.raises(ParameterError, match="square matrix"):
        GraphClassifier(metric="precomputed").fit(X, y)
    with pytest.raises(ParameterError, match="give graph= to partial_fit"):
        model.partial_fit(weights.toarray(), y)
    with pytest.raises(ParameterError, match="metric='angle' is unknown; choose one of euclidean, cosine"):
        GraphClassifier(metric="angle").fit(X, y)


def test_sparse_rows_come_one_after_the_other():
    X, y = rows(2)
    whole = GraphClassifier("gaussian", n_neighbors=4, shuffle=False).fit(sp.csr_array(X), y)
    parts = GraphClassifier("gaussian", n_neighbors=4)
    parts.partial_fit(sp.csr_array(X[:20]), y[:20], classes=[0, 1, 2])
    parts.partial_fit(sp.csr_array(X[20:]), y[20:])
    np.testing.assert_array_equal(whole.predict(X), parts.predict(X))
    assert isinstance(parts.graph_, Graph)


class LabelSpreading(GraphClassifier):
    """The classifier by a name for which the checks allow labels of -1 that mean unknown."""


EVERY = [name for name in names() if LEARNERS[name].checked_up_to > 1000]
SHORT = ["auto", "longest-path", "nearest", "perceptron", "sslgc"]
"""One of every kind, for each takes some twenty seconds; ZEROKELVIN_EVERY_LEARNER=1 checks them all."""


@pytest.mark.parametrize("name", EVERY if os.environ.get("ZEROKELVIN_EVERY_LEARNER") else SHORT)
def test_every_estimator_check_passes_with_every_learner(name):
    model = LabelSpreading(name, repeats=PASSES.get(name, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(model, on_fail="raise", on_skip=None)
    assert {found["check_name"] for found in results if found["status"] != "passed"} <= {
        "check_array_api_input"
    }
