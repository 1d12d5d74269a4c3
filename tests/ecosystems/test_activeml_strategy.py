"""GraphQuery in scikit-activeml's loop: it asks what the session asks."""

import numpy as np
import pytest
from skactiveml.base import SingleAnnotatorPoolQueryStrategy
from skactiveml.classifier import SklearnClassifier
from skactiveml.exceptions import MappingError
from skactiveml.utils import MISSING_LABEL
from sklearn.datasets import make_blobs

import zerokelvin as zk
from zerokelvin.ecosystems import GraphQuery
from zerokelvin.errors import ParameterError
from zerokelvin.sklearn import GraphClassifier
from zerokelvin.sklearn.feature_points import neighbor_graph

X, TRUTH = make_blobs(n_samples=60, centers=3, random_state=0, cluster_std=1.0)


def some_labels(count=6, seed=1):
    y = np.full(len(X), MISSING_LABEL)
    chosen = np.random.default_rng(seed).choice(len(X), count, replace=False)
    y[chosen] = TRUTH[chosen]
    return y


@pytest.mark.parametrize("policy", [None, "value"])
def test_the_order_is_that_of_open_questions(policy):
    y = some_labels()
    chosen, utilities = GraphQuery(policy=policy, n_neighbors=5, random_state=3).query(
        X, y, batch_size=4, return_utilities=True
    )
    session = zk.start(neighbor_graph(X, 5), policy=policy, seed=3)
    session.teach({int(i): float(y[i]) for i in np.flatnonzero(~np.isnan(y))})
    asked = session.open_questions()
    assert chosen.tolist() == asked[:4]
    assert utilities.shape == (4, len(X))
    assert np.isnan(utilities[0][~np.isnan(y)]).all()
    order = np.argsort(-np.nan_to_num(utilities[0], nan=-1), kind="stable")[: len(asked)]
    assert order.tolist() == asked


def test_a_loop_with_a_classifier_of_theirs():
    y = np.full(len(X), MISSING_LABEL)
    strategy = GraphQuery(n_neighbors=5, random_state=0)
    assert isinstance(strategy, SingleAnnotatorPoolQueryStrategy)
    for _ in range(12):
        (i,) = strategy.query(X, y)
        assert np.isnan(y[i])
        y[i] = TRUTH[i]
    model = SklearnClassifier(GraphClassifier(n_neighbors=5), classes=[0, 1, 2]).fit(X, y)
    assert model.score(X, TRUTH) > 0.85


def test_candidates_graph_and_what_is_refused():
    y = some_labels()
    free = np.flatnonzero(np.isnan(y))[:7]
    graph = neighbor_graph(X, 5)
    strategy = GraphQuery("nearest", graph=graph, classes=[0, 1, 2], random_state=0)
    assert set(strategy.query(X, y, candidates=free, batch_size=7).tolist()) == set(free.tolist())
    with pytest.raises(MappingError, match="index array"):
        strategy.query(X, y, candidates=X[:2] + 1)
    with pytest.raises(ParameterError, match="60 nodes for 59 samples"):
        strategy.query(X[:-1], y[:-1])


def test_names_as_labels():
    y = np.full(len(X), "unknown")
    y[[0, 1, 2]] = [f"class {label}" for label in TRUTH[:3]]
    found = GraphQuery(missing_label="unknown", n_neighbors=5, random_state=0).query(X, y)
    assert found[0] not in (0, 1, 2)
