"""GraphClassifier: scikit-learn's own checks, the game behind it, and the ways a user combines it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils.estimator_checks import check_estimator

from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph, knn_graph
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.session import start
from zerokelvin.sklearn import GraphClassifier
from zerokelvin.sklearn.feature_points import nearest_points, neighbor_graph

PATH = Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("e", "f")])


def blobs(count=60, centers=3, seed=0):
    X, y = make_blobs(n_samples=count, centers=centers, random_state=seed, cluster_std=2.0)
    return X, y


# -- scikit-learn's checks ------------------------------------------------------------------------


class LabelSpreadingClassifier(GraphClassifier):
    """Renamed below, so that scikit-learn's checks know that −1 means unlabelled, as in their own classes."""


LabelSpreadingClassifier.__name__ = "LabelSpreading"


@pytest.mark.parametrize(
    "model", [LabelSpreadingClassifier(), LabelSpreadingClassifier("perceptron", repeats=10)]
)
def test_every_estimator_check_passes(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks provoke warnings on purpose
        results = check_estimator(model, on_fail="raise", on_skip=None)
    not_run = {result["check_name"] for result in results if result["status"] != "passed"}
    assert len(results) > 40
    # this one runs only where the whole process was started with SCIPY_ARRAY_API set
    assert not_run <= {"check_array_api_input"}


def test_clone_params_and_tags():
    model = GraphClassifier("perceptron", graph=PATH, params={"b": 2.0}, policy="margin:0.5", random_state=3)
    model.fit(["a", "d"], ["x", "y"])
    copy = clone(model)
    assert not hasattr(copy, "session_")
    assert copy.graph == PATH
    ours, theirs = model.get_params(), copy.get_params()
    assert ours == theirs
    assert set(ours) == {
        "learner",
        "graph",
        "attributes",
        "n_neighbors",
        "metric",
        "params",
        "policy",
        "budget",
        "repeats",
        "shuffle",
        "random_state",
    }
    assert copy.set_params(params={"b": 5.0}).fit(["a"], ["x"]).session_.learner.b == 5.0
    assert is_classifier(model)
    assert model.__sklearn_tags__().input_tags.string
    assert not GraphClassifier().__sklearn_tags__().input_tags.string


# -- the same game --------------------------------------------------------------------------------


@pytest.mark.parametrize("centers", [2, 3])
@pytest.mark.parametrize("policy", [None, "margin:0.05", "random:0.5"])
@pytest.mark.parametrize("name", ["auto", "perceptron"])
def test_fit_is_play_on_the_neighbour_graph(centers, policy, name):
    X, y = blobs(centers=centers)
    model = GraphClassifier(name, n_neighbors=5, policy=policy, repeats=2, random_state=7).fit(X, y)
    assert knn_graph(X, 5).num_components == 1
    run = play(knn_graph(X, 5), y, name, seed=7, policy=policy, repeats=2)
    assert model.graph_ == run.graph
    assert (model.mistakes_, model.queries_) == (int(run.mistaken[run.asked[:, 0]].sum()), run.queries)
    if policy is None:
        assert model.mistakes_ == run.mistakes
    else:
        assert 0 < model.queries_ < run.trials


def test_online_fit_is_the_session_in_row_order():
    X, y = blobs()
    model = GraphClassifier("perceptron", n_neighbors=5, shuffle=False, params={"b": 0.5}).fit(X, y)
    session = start(knn_graph(X, 5), Perceptron(b=0.5), classes=[0, 1, 2])
    for node, label in enumerate(y.tolist()):
        session.learn(node, label)
    run = play(knn_graph(X, 5), y, Perceptron(b=0.5), order=range(len(y)))
    assert model.mistakes_ == session.mistakes == run.mistakes
    assert np.array_equal(model.predict(X), session.predict_all())
    scores = [list(session.predict(node).scores.values()) for node in range(len(y))]
    assert np.array_equal(model.decision_function(X), scores)
    assert model.session_.bound(y).value == session.bound(y).value == run.bound.value


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_on_a_graph_the_session_is_the_model(data):
    count = data.draw(st.integers(1, 8))
    edges = data.draw(st.lists(st.tuples(*[st.integers(0, count - 1)] * 2), max_size=12))
    graph = Graph.from_edges(edges, num_nodes=count) if edges else Graph.from_edges([], num_nodes=count)
    rows = data.draw(
        st.lists(st.tuples(st.integers(0, count - 1), st.sampled_from("xyz")), min_size=1, max_size=9)
    )
    nodes, labels = ([row[i] for row in rows] for i in (0, 1))
    name = data.draw(st.sampled_from(["auto", "perceptron"]))
    session = start(graph, name, classes=sorted(set(labels)))
    for node, label in rows:
        session.learn(node, label)
    once = GraphClassifier(name, graph=graph, shuffle=False).fit(nodes, labels)
    cut = data.draw(st.integers(0, len(rows)))
    streamed = GraphClassifier(name, graph=graph)
    for part in (slice(0, cut), slice(cut, None)):
        if nodes[part]:
            streamed.partial_fit(nodes[part], labels[part])
    for model in (once, streamed, pickle.loads(pickle.dumps(streamed))):  # noqa: S301
        everyone = np.arange(count)
        assert model.mistakes_ == session.mistakes
        assert np.array_equal(model.predict(everyone), session.predict_all())
        assert_consistent(model, everyone)


def assert_consistent(model, X):
    """predict, predict_proba and decision_function say the same."""
    odds, margins, predicted = model.predict_proba(X), model.decision_function(X), model.predict(X)
    assert odds.shape == (len(X), len(model.classes_))
    assert (odds >= 0).all()
    assert np.allclose(odds.sum(axis=1), 1)
    assert np.array_equal(model.classes_[odds.argmax(axis=1)], predicted)
    if len(model.classes_) > 2:
        assert np.array_equal(model.classes_[margins.argmax(axis=1)], predicted)
    elif len(model.classes_) == 2:
        assert np.array_equal(model.classes_[(margins > 0).astype(int)], predicted)


@pytest.mark.parametrize("on_points", [True, False])
def test_partial_fit_equals_fit_on_all_rows_and_takes_new_classes(on_points):
    X, y = blobs()
    order = np.argsort(y, kind="stable")  # the third class comes last
    rows, labels = (X[order] if on_points else order), y[order]
    graph = None if on_points else knn_graph(X, 5)
    model = GraphClassifier(graph=graph, n_neighbors=5)
    for part in np.array_split(np.arange(len(rows)), 4):
        model.partial_fit(rows[part], labels[part])
    whole = GraphClassifier(graph=graph, n_neighbors=5, repeats=1, shuffle=False).fit(rows, labels)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.mistakes_ == whole.mistakes_
    assert np.array_equal(model.decision_function(rows), whole.decision_function(rows))


def test_partial_fit_knows_announced_classes():
    model = GraphClassifier(graph=PATH).partial_fit(["a"], ["x"], classes=["z", "x", "y"])
    assert model.classes_.tolist() == ["x", "y", "z"]
    assert model.predict_proba(["b"]).shape == (1, 3)
    model.partial_fit(["d"], ["w"])
    assert model.classes_.tolist() == ["w", "x", "y", "z"]


def test_a_failed_call_leaves_the_model_as_it_was():
    model = GraphClassifier(graph=PATH).partial_fit(["a", "d"], ["x", "y"])
    before = model.decision_function(list("abcd"))
    with pytest.raises(NodeError, match="'nobody'"):
        model.partial_fit(["b", "nobody"], ["y", "y"])
    with pytest.raises(ParameterError, match="nothing"):
        model.set_params(learner="nothing").fit(["b"], ["y"])
    assert np.array_equal(model.decision_function(list("abcd")), before)
    assert len(model.session_.events) == 2


def test_probabilities_of_the_default_are_its_own():
    X, y = blobs(300)
    few = [label if i % 3 else None for i, label in enumerate(y.tolist())]
    model = GraphClassifier(n_neighbors=6).fit(X, few)
    own = [list(model.session_.predict_proba_one(node).values()) for node in range(300)]
    np.testing.assert_allclose(model.predict_proba(X), own, atol=1e-12)
    hidden = np.arange(300) % 3 == 0
    right, sure = (model.predict(X) == y)[hidden], model.predict_proba(X).max(axis=1)[hidden]
    assert abs(right.mean() - sure.mean()) < 0.08  # the logistic function of the margins would stay below .6
    assert_consistent(model, X + 0.5)


def test_transduction_is_the_answer_or_the_prediction():
    X, y = blobs(60)
    few = np.where(np.arange(60) % 4 == 0, y, -1)
    few[4] = (y[4] + 1) % 3  # a wrong answer stays an answer
    model = GraphClassifier(n_neighbors=5).fit(X, few)
    expected = np.where(few >= 0, few, model.predict(X))
    assert model.transduction_.tolist() == expected.tolist()
    assert model.transduction_.dtype.kind == "i"
    on_graph = GraphClassifier(graph=PATH).fit(["a", "d"], ["x", "y"])
    assert on_graph.transduction_[[0, 3]].tolist() == ["x", "y"]
    with pytest.raises(NotFittedError):
        GraphClassifier().transduction_


# -- vectors not fitted ---------------------------------------------------------------------------


@pytest.mark.parametrize("dimensions", [2, 40])  # a tree, and a search with rounded distances
def test_new_vectors_take_the_weighted_mean_of_their_neighbours(dimensions):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(50, dimensions)) + 100, rng.integers(0, 3, 50)
    new = rng.normal(size=(20, dimensions)) + 100
    model = GraphClassifier(n_neighbors=4).fit(X, y)
    own = np.array([list(model.session_.predict(node).scores.values()) for node in range(50)])
    assert np.array_equal(model.decision_function(X), own)  # a fitted row is its own node
    for x, margins in zip(new, model.decision_function(new), strict=True):
        distance = np.array([np.linalg.norm(x - row) for row in X])
        near = np.argsort(distance)[:4]
        expected = sum(own[i] / distance[i] for i in near) / sum(1 / distance[i] for i in near)
        assert np.allclose(margins, expected)


def test_separate_clusters_are_linked_at_their_nearest_points():
    X, y = make_blobs(n_samples=90, centers=[[0, 0], [30, 0], [0, 30]], random_state=0)
    graph = knn_graph(X, 5)
    model = GraphClassifier(n_neighbors=5).fit(X, y)
    assert graph.num_components == 3
    added = {tuple(edge) for edge in model.graph_.edges.tolist()} - {
        tuple(edge) for edge in graph.edges.tolist()
    }
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    nearest = {}
    for a, b in ((0, 1), (0, 2), (1, 2)):
        block = np.where((y[:, None] == a) & (y[None] == b), distance, np.inf)
        at = np.unravel_index(np.argmin(block), block.shape)
        nearest[a, b] = (float(block[at]), tuple(sorted(int(i) for i in at)))
    assert added == {edge for _, edge in sorted(nearest.values())[:2]}  # a minimum spanning tree
    assert model.score(X, y) == 1
    assert model.predict([[0, 1], [29, 1], [1, 31]]).tolist() == [0, 1, 2]


def test_duplicate_rows_share_their_mean():
    X = np.array([[0.0], [0.0], [1.0], [2.0]])
    model = GraphClassifier(n_neighbors=2).fit(X, [0, 1, 1, 1])
    own = [model.session_.predict(node).margin for node in range(4)]
    assert model.decision_function([[0.0]])[0] == pytest.approx((own[0] + own[1]) / 2)


def test_more_neighbours_than_rows():
    model = GraphClassifier().partial_fit([[0.0]], ["x"])
    assert model.predict([[5.0]]).tolist() == ["x"]
    model.partial_fit([[1.0]], ["y"])
    assert model.graph_.num_edges == 1
    assert model.predict([[0.0], [1.0]]).tolist() == ["x", "y"]


# -- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        [0, None, 1, None, 1],
        [0.0, np.nan, 1.0, np.nan, 1.0],
        np.array([0, np.nan, 1, np.nan, 1]),
        np.ma.masked_array([0, 7, 1, 7, 1], mask=[0, 1, 0, 1, 0]),
        pd.Series([0, pd.NA, 1, None, 1], dtype="Int64"),
        np.array([0, None, 1, None, 1], dtype=object),
    ],
)
def test_unknown_labels_join_the_graph_but_are_not_played(y):
    X = np.arange(5.0)[:, None]
    model = GraphClassifier(n_neighbors=1, shuffle=False).fit(X, y)
    session = start(knn_graph(X, 1), "auto", classes=[0, 1])
    for node, label in ((0, 0), (2, 1), (4, 1)):
        session.learn(node, label)
    assert model.session_.trials == 3
    assert np.array_equal(model.predict(X), session.predict_all())


def test_text_with_nan_and_text_minus_one_are_what_they_say():
    model = GraphClassifier(graph=PATH).fit(["a", "b", "d"], ["x", np.nan, "y"])
    assert model.classes_.tolist() == ["x", "y"]
    model = GraphClassifier(graph=PATH).fit(["a", "b", "d"], ["-1", "1", "-1"])
    assert model.classes_.tolist() == ["-1", "1"]
    assert model.session_.trials == 3


@pytest.mark.parametrize(
    "y",
    [
        [0, -1, 1, -1, 1],
        [0.0, -1.0, 1.0, float("nan"), 1.0],
        np.array([0, -1, 1, -1, 1], dtype=np.int8),
        np.ma.masked_array([0, -1, 1, 7, 1], mask=[0, 0, 0, 1, 0]),
        pd.Series([0, -1, 1, None, 1], dtype="Int64"),
        ["a", -1, "b", -1, "b"],
        np.array(["a", -1, "b", None, "b"], dtype=object),
    ],
)
def test_minus_one_means_unlabelled_as_in_scikit_learn(y):
    X = np.arange(5.0)[:, None]
    model = GraphClassifier("perceptron", n_neighbors=1, shuffle=False).fit(X, y)
    assert len(model.classes_) == 2
    assert [event.node for event in model.session_.events] == [0, 2, 4]
    online = GraphClassifier("perceptron", n_neighbors=1)
    parts = ((0, 2), (2, 5))
    for part in (slice(*part) for part in parts):
        online.partial_fit(X[part], y[part])
    assert online.classes_.tolist() == model.classes_.tolist()
    assert np.array_equal(online.decision_function(X), model.decision_function(X))
    assert model.score(X, y) == np.mean([model.predict(X[i : i + 1])[0] == y[i] for i in (0, 2, 4)])


def test_the_convention_of_label_spreading_gives_its_accuracy():
    X, y = make_blobs(n_samples=150, centers=3, random_state=0)
    few = np.where(np.arange(150) % 10 == 0, y, -1)
    theirs = LabelSpreading(kernel="knn", n_neighbors=10).fit(X, few)
    ours = GraphClassifier(n_neighbors=10).fit(X, few)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.score(X, y) >= theirs.score(X, y) - 0.02
    assert ours.score(X, y) > 0.9
    assert ours.session_.trials == 15


def test_labels_minus_one_and_one_are_refused_with_the_way_out():
    X, y = np.arange(6.0)[:, None], np.array([-1, -1, -1, 1, 1, 1])
    for labels in (y, y.tolist(), y.astype(float)):
        with pytest.raises(LabelError, match=r"-1 means unlabelled .* np\.where\(y > 0, 1, 0\)"):
            GraphClassifier("perceptron").fit(X, labels)
        with pytest.raises(LabelError, match="-1 means unlabelled"):
            GraphClassifier("perceptron").partial_fit(X, labels)
    with pytest.raises(LabelError, match="class -1 means unlabelled"):
        GraphClassifier("perceptron").partial_fit(X, y, classes=[-1, 1])
    model = GraphClassifier("perceptron").fit(X, np.where(y > 0, 1, 0))
    assert model.classes_.tolist() == [0, 1]
    model = GraphClassifier("perceptron").partial_fit(X, y, classes=[0, 1])
    assert model.session_.trials == 3
    assert GraphClassifier("perceptron").fit(X, [None, None, None, 1, 1, 1]).predict(X).tolist() == [1] * 6
    with pytest.warns(UserWarning, match="only class 0 has labels, for -1 means unlabelled"):
        GraphClassifier("perceptron").fit(X, [0, 0, -1, -1, -1, -1])


def test_the_score_leaves_out_what_is_unlabelled():
    X, y = blobs()
    model = GraphClassifier("perceptron", repeats=5).fit(X, y)
    weights = np.random.default_rng(0).random(len(y))
    assert model.score(X, y) == accuracy_score(y, model.predict(X))
    weighted = accuracy_score(y, model.predict(X), sample_weight=weights)
    assert model.score(X, y, weights) == pytest.approx(weighted)
    some = np.where(np.arange(len(y)) % 2 == 0, y, -1)
    assert model.score(X, some) == accuracy_score(y[::2], model.predict(X[::2]))
    with pytest.raises(LabelError, match="at least one to score"):
        model.score(X, np.full(len(y), -1))


@pytest.mark.parametrize("labels", [["x", "x", "y"], ["x", "y"], ["x", "y", "z", "z"]])
def test_a_component_without_labels_follows_the_class_shares(labels):
    nodes = ["a", "b", "c", "d"][: len(labels)]
    model = GraphClassifier(graph=PATH, repeats=1, shuffle=False).fit(nodes, labels)
    assert (
        model.predict(["e"])[0] == model.session_.predict("e").label == max(sorted(labels), key=labels.count)
    )
    assert_consistent(model, list("abcdef"))


def test_probabilities_stay_consistent_where_the_logistic_function_saturates():
    line = Graph.from_edges([(i, i + 1) for i in range(400)], np.full(400, 0.1))
    nodes = np.random.default_rng(0).permutation(401)[:60]
    model = GraphClassifier("perceptron", graph=line).fit(nodes, nodes % 3)
    margins = model.decision_function(np.arange(401))
    assert ((margins > 40).sum(axis=1) > 1).any()  # two classes whose logistic function rounds to 1
    assert_consistent(model, np.arange(401))


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "X", "y", "error", "text"),
    [
        (GraphClassifier(n_neighbors=0), [[0.0], [1.0]], [0, 1], ParameterError, "n_neighbors=0"),
        (GraphClassifier(n_neighbors=True), [[0.0], [1.0]], [0, 1], ParameterError, "n_neighbors=True"),
        (GraphClassifier(repeats=0), [[0.0], [1.0]], [0, 1], ParameterError, "repeats=0"),
        (
            GraphClassifier(repeats=10**30),
            [[0.0], [1.0]],
            [0, 1],
            ParameterError,
            "repeats is above 1,000,000",
        ),
        (GraphClassifier(random_state=10**30), [[0.0], [1.0]], [0, 1], ParameterError, "random_state must"),
        (GraphClassifier(random_state=-1), [[0.0], [1.0]], [0, 1], ParameterError, "random_state must"),
        (GraphClassifier(params={"q": 1}), [[0.0], [1.0]], [0, 1], ParameterError, "'q'"),
        (GraphClassifier(policy="never"), [[0.0], [1.0]], [0, 1], ParameterError, "never"),
        (GraphClassifier(graph="net"), ["a"], ["x"], ParameterError, "from_networkx"),
        (GraphClassifier(), [[0.0], [1.0]], [None, None], LabelError, "no row has a label"),
        (GraphClassifier(), [[0.0], [1.0]], None, LabelError, "requires y"),
        (GraphClassifier(), [[0.0], [1.0]], [1, "x"], LabelError, "mixed types"),
        (GraphClassifier(), [[0.0], [1.0]], [0.5, 1.2], ValueError, "Unknown label type"),
        (GraphClassifier(), [[0.0], [1.0]], [0, 1, 1], ValueError, "inconsistent"),
        (GraphClassifier(graph=PATH), [["a", "b"]], ["x"], NodeError, "no node"),
        (GraphClassifier(graph=PATH), np.array([["a", "b"]]), ["x"], NodeError, "one column"),
    ],
)
def test_bad_input_is_named(model, X, y, error, text):
    with pytest.raises(error, match=text):
        model.fit(X, y)


def test_predicting_before_fitting_and_a_column_of_labels():
    with pytest.raises(NotFittedError):
        GraphClassifier(graph=PATH).predict(["a"])
    with pytest.warns(DataConversionWarning):
        GraphClassifier().fit([[0.0], [1.0]], np.array([[0], [1]]))


# -- together with the rest of scikit-learn ---------------------------------------------------------


def test_pipeline_and_grid_search():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), GraphClassifier("perceptron", repeats=10))
    grid = {"graphclassifier__n_neighbors": [5, 15], "graphclassifier__params": [{"b": 1.0}, {"b": 0.01}]}
    assert cross_val_score(make_pipeline(StandardScaler(), GraphClassifier()), X, y).mean() > 0.93
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert len(set(scores)) > 1
    assert search.best_score_ > 0.85
    assert search.predict_proba(X).shape == (150, 3)


def test_node_names_in_every_container_and_in_cross_validation():
    X, y = make_blobs(n_samples=60, centers=[[0, 0], [4, 4]], random_state=0)
    names = [f"row {i}" for i in range(len(X))]
    points = neighbor_graph(X, 5)
    graph = Graph(points.indptr, points.indices, points.weights, names)
    model = GraphClassifier(graph=graph).fit(names, y)
    expected = model.predict(names)
    table = pd.DataFrame({"node": names})
    for nodes in (
        np.array(names),
        table,
        table["node"],
        [[name] for name in names],
        np.array(names)[:, None],
    ):
        assert np.array_equal(clone(model).fit(nodes, y).predict(nodes), expected)
    assert model.predict([]).shape == (0,)
    assert cross_val_score(model, np.array(names), y, cv=3).min() > 0.9


def test_a_pickle_goes_on_exactly():
    X, y = blobs()
    model = GraphClassifier(random_state=None, policy="margin:0.1").partial_fit(X[:30], y[:30])
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301
    for one in (model, copy):
        one.partial_fit(X[30:], y[30:])
    assert copy.session_.seed == model.session_.seed
    assert (copy.mistakes_, copy.queries_) == (model.mistakes_, model.queries_)
    assert np.array_equal(copy.decision_function(X), model.decision_function(X))


def test_random_state_decides_the_order():
    X, y = blobs()
    fits = [
        GraphClassifier(repeats=1, random_state=seed).fit(X, y) for seed in (1, 1, np.random.RandomState(5))
    ]
    orders = [[event.node for event in model.session_.events] for model in fits]
    assert orders[0] == orders[1] != orders[2]
    assert sorted(orders[2]) == list(range(len(X)))


def by_hand(model, X):
    """The margins of vectors by the formula, each fitted node's own from the session."""
    session = model.session_
    of_nodes = np.array([list(session.predict(i).scores.values()) for i in range(session.graph.num_nodes)])
    near, weights = nearest_points(model._points, X, model.n_neighbors)
    return (weights[:, :, None] * of_nodes[near]).sum(axis=1)


@pytest.mark.parametrize("learner", ["gaussian", "perceptron", "longest-path"])
def test_margins_of_fitted_rows_of_their_doubles_and_of_new_vectors_are_the_formula(learner):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 3)).round(1)
    X[7], X[9], X[11, 0] = X[6], X[6], -0.0  # three alike, and a zero with a sign
    y = rng.integers(0, 3, 40)
    y[:3] = [0, 1, 2]
    model = GraphClassifier(learner, n_neighbors=4).fit(X, y)
    fresh = np.vstack([X, rng.normal(size=(10, 3)), X[11] + 0.0])
    np.testing.assert_array_equal(model._margins(fresh), by_hand(model, fresh))
    alone = [0, 11, 20]
    np.testing.assert_array_equal(model._margins(X[alone]), by_hand(model, X[alone]))


def test_names_as_whole_numbers_are_checked():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    model = GraphClassifier("gaussian", graph=graph).fit(np.array([0, 2]), ["a", "b"])
    assert model.predict(np.array([[0], [2]])).tolist() == ["a", "b"]
    for bad in (np.array([3]), np.array([-1])):
        with pytest.raises(NodeError, match="nodes are the integers 0 to 2"):
            model.predict(bad)


def test_attributes_of_a_graph_are_used_cloned_and_kept_in_a_pickle():
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 2, 40)
    ring = Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])
    rows = labels[:, None] + 0.1 * rng.normal(size=(40, 3))
    alone = GraphClassifier(graph=ring).fit(np.arange(20), labels[:20])
    both = clone(GraphClassifier(graph=ring, attributes=rows)).fit(np.arange(20), labels[:20])
    assert both.score(np.arange(20, 40), labels[20:]) > 0.95 > alone.score(np.arange(20, 40), labels[20:])
    session = start(ring, attributes=rows, classes=[0, 1])
    for node in np.random.default_rng(0).permutation(20).tolist():
        session.learn(node, int(labels[node]))
    assert np.array_equal(both.predict(np.arange(40)), [session.predict(i).label for i in range(40)])
    again = pickle.loads(pickle.dumps(both))  # noqa: S301
    assert np.array_equal(again.predict_proba(np.arange(40)), both.predict_proba(np.arange(40)))
    both.partial_fit(np.arange(20, 30), labels[20:30])
    again.partial_fit(np.arange(20, 30), labels[20:30])
    assert np.array_equal(again.predict_proba(np.arange(40)), both.predict_proba(np.arange(40)))


def test_attributes_beside_a_feature_matrix_are_refused():
    X, y = blobs()
    with pytest.raises(ParameterError, match="give graph= too"):
        GraphClassifier(attributes=X).fit(X, y)
