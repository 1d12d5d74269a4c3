"""A session that begins with a whole game is the session that was told node by node."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.errors import LabelError
from zerokelvin.session.opening import start_played

RNG = np.random.default_rng(3)
POINTS = np.concatenate([RNG.normal(3.0 * k, 1.2, size=(14, 2)) for k in range(3)])
NEAR = zk.knn_graph(POINTS, 4)
EDGES = [(f"n{u}", f"n{v}") for u, v in NEAR.edges.tolist()]
GRAPH = zk.Graph.from_edges([*EDGES, ("x", "y"), ("y", "z")])  # a component of its own
LABELS = {name: "abc"[int(name[1:]) // 14] if name[0] == "n" else "c" for name in GRAPH.names}

TERMS = [
    {},
    {"policy": "margin:0.2"},
    {"policy": "value:0.5", "budget": 20},
    {"policy": "variance:0.3"},
    {"policy": "random:0.5", "budget": 6},
]


def node_by_node(trials, *terms, **named):
    session = zk.start(GRAPH, *terms, **named)
    for node, label in trials:
        name = GRAPH.name(node)
        if session.predict(name).ask:
            session.learn(name, label)
        else:
            session.skip(name)
    return session


@pytest.mark.parametrize("learner", ["perceptron", "sslgc", "gaussian", "longest-path", "random", "auto"])
@pytest.mark.parametrize("terms", TERMS, ids=str)
@pytest.mark.parametrize("classes", ["abc", "ab"])
def test_it_stands_where_the_plain_session_stands(learner, terms, classes, tmp_path):
    order = np.random.default_rng(1).permutation(GRAPH.num_nodes).tolist()
    trials = [(node, min(LABELS[GRAPH.name(node)], classes[-1])) for node in [*order, *order[:5]]]
    named = {"classes": list(classes), "seed": 4, **terms}
    played, plain = (
        start_played(trials, GRAPH, learner, **named),
        node_by_node(trials, learner, **named),
    )
    assert played.events == plain.events
    assert (played.trials, played.mistakes, played.queries) == (plain.trials, plain.mistakes, plain.queries)
    assert played.standing.outcomes == plain.standing.outcomes
    shown = [session.predict_many(GRAPH.names) for session in (played, plain)]
    assert shown[0] == shown[1]
    labels = {name: min(label, classes[-1]) for name, label in LABELS.items()}
    assert played.bound(labels) == plain.bound(labels)
    played.save(tmp_path / "played.zk")
    assert zk.load(tmp_path / "played.zk", GRAPH).predict_many(GRAPH.names) == shown[0]


@given(st.lists(st.tuples(st.integers(0, GRAPH.num_nodes - 1), st.sampled_from("abc")), max_size=8))
@settings(max_examples=20)
def test_it_goes_on_like_any_other(trials):
    played, plain = (
        start_played(trials, GRAPH, "pounce", classes="abc"),
        node_by_node(trials, "pounce", classes="abc"),
    )
    for session in (played, plain):
        session.learn("x", "b")
        session.correct("x", "a")
    assert played.predict_many(GRAPH.names) == plain.predict_many(GRAPH.names)


def test_a_label_that_is_no_class_is_refused():
    with pytest.raises(LabelError, match="'d' for node"):
        start_played([(0, "d")], GRAPH, "perceptron", classes=["a", "b"])
