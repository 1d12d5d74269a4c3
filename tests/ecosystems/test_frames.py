"""Graphs and labels from frames of pandas and polars, and what a session knows as a frame."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import zerokelvin as zk
from zerokelvin.errors import LabelError, ParameterError, SessionError

EDGES = {"from": ["ann", "bob", "cem"], "to": ["bob", "cem", "dan"], "times": [1.0, 2.0, 0.5]}
LABELS = {"node": ["dan", "ann", "bob"], "label": ["ok", "fraud", None]}


@pytest.mark.parametrize("library", [pd, pl])
def test_a_graph_from_either(library):
    frame = library.DataFrame(EDGES)
    graph = zk.Graph.from_edges([("ann", "bob", 1.0), ("bob", "cem", 2.0), ("cem", "dan", 0.5)])
    assert zk.Graph.from_pandas(frame, "from", "to", "times") == graph
    assert zk.Graph.from_polars(frame, "from", "to", "times") == graph


@pytest.mark.parametrize("library", [pd, pl])
def test_labels_from_a_frame(library):
    graph, frame = (
        zk.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")]),
        library.DataFrame(LABELS),
    )
    session = zk.start(graph, "nearest")
    session.teach(frame)
    assert [(graph.name(e.node), e.label) for e in session.events] == [("dan", "ok"), ("ann", "fraud")]
    answers = zk.start(graph, "nearest")
    answers.learn_many(frame)
    assert answers.trials == 2
    run = zk.play(graph, frame, "nearest", order=["ann", "dan"])
    assert run.trials == 2
    assert (
        run.mistakes
        == zk.play(graph, {"ann": "fraud", "dan": "ok"}, "nearest", order=["ann", "dan"]).mistakes
    )
    assert session.bound(frame).value == session.bound({"ann": "fraud", "dan": "ok"}).value
    with pytest.raises(LabelError, match=r"columns are a, b; name them 'node' and 'label'"):
        session.teach(library.DataFrame({"a": ["ann"], "b": ["ok"]}))


def test_labels_from_a_series_by_its_index():
    graph = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    session = zk.start(graph, "nearest")
    session.teach(pd.Series([1, 0, None], index=[3, 0, 1], dtype="Int64"))
    assert [(e.node, e.label) for e in session.events] == [(3, 1), (0, 0)]


@pytest.mark.parametrize("learner", ["auto", "nearest", "perceptron"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_session_as_a_frame(learner, library):
    problem = zk.generators.barbell(6)
    labels = np.where(problem.labels > 0, "right", "left").tolist()
    session = zk.start(problem.graph, learner, classes=["left", "right"])
    session.teach({0: labels[0]})
    session.learn(11, labels[11])
    session.skip(5)
    session.learn(1, "right")
    session.correct(1, "left")
    frame = session.to_frame(library)
    assert list(frame.columns) == ["node", "label", "probability", "answered", "asked"]
    rows = {
        row["node"]: row for row in (frame.to_dicts() if library == "polars" else frame.to_dict("records"))
    }
    assert list(rows) == list(range(12))
    predicted, shares = session.predict_all().tolist(), session.predict_proba_all()
    answers = {0: labels[0], 11: labels[11], 1: "left"}
    for node, row in rows.items():
        assert row["answered"] == (node in answers)
        assert row["label"] == answers.get(node, predicted[node])
        assert row["probability"] == (1.0 if node in answers else shares[node].max())
    assert [node for node, row in rows.items() if row["asked"]] == [1, 11]


def test_a_frame_needs_a_class_and_a_known_library():
    session = zk.start([("ann", "bob")], "nearest")
    with pytest.raises(SessionError, match="no class is known yet"):
        session.to_frame()
    session.teach({"ann": "ok"})
    with pytest.raises(ParameterError, match="choose pandas or polars"):
        session.to_frame("dask")
