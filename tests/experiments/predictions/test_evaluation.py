"""How good predictions would be: held out, one at a time, beside the majority guess."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.experiments.predictions.evaluation import calibration_error, evaluate
from zerokelvin.experiments.predictions.unlabelled import (
    prediction_parts,
    question_table,
    start_from_labels,
)


def example():
    rng = np.random.default_rng(0)
    drawn = zk.generators.planted_partition([30, 20], 0.3, 0.02, rng)
    labels = np.ma.masked_array(drawn.labels, mask=rng.random(50) < 0.3)
    return drawn.graph, labels


def by_hand(graph, labels, folds, seed):
    """Held-out predictions, told out step by step."""
    known = np.flatnonzero(~np.ma.getmaskarray(labels))
    dealt = np.random.default_rng(seed).permutation(known)
    wrong = 0
    for fold in range(folds):
        hidden = set(dealt[fold::folds].tolist())
        shown = np.array([node for node in known.tolist() if node not in hidden])
        session = zk.start(graph, "pounce", classes=[0, 1], policy="value", seed=seed)
        for node in np.random.default_rng(seed).permutation(shown).tolist():
            session.teach({node: int(labels[node])})
        wrong += sum(session.predict(node).label != labels[node] for node in hidden)
    return wrong / len(known)


def test_held_out_labels_are_hidden():
    graph, labels = example()
    found = evaluate(graph, labels, "pounce", folds=4, shuffles=2, seed=5)
    assert found.held_out.figures.error == pytest.approx(by_hand(graph, labels, 4, 5))
    runs = zk.play_shuffles(graph, labels, "pounce", shuffles=2, seed=5)
    assert found.online_error == runs.mean("error_multiclass")
    assert len(found.held_out.codes) == found.labels == int((~labels.mask).sum())
    quiet = ~found.held_out.asks
    wrong = found.held_out.codes != found.held_out.predicted
    assert found.held_out.unasked_error == (wrong[quiet].mean() if quiet.any() else None)


def test_calibration_error_by_hand():
    chances = np.array([0.95, 0.92, 0.55, 0.51, 1.0])
    right = np.array([True, False, True, False, True])
    high, low = abs(0.95 + 0.92 + 1.0 - 2), abs(0.55 + 0.51 - 1)
    assert calibration_error(chances, right) == pytest.approx((high + low) / 5)


def test_too_few_labels_or_folds():
    graph, labels = example()
    with pytest.raises(ParameterError, match="folds=1 must be at least 2"):
        evaluate(graph, labels, "nearest", folds=1)
    with pytest.raises(LabelError, match="2 known labels cannot be dealt into 3 parts"):
        evaluate(graph, {0: "a", 1: "b"}, "nearest", folds=3)


def test_the_queue_is_what_predictions_ask_for():
    graph, labels = example()
    session = start_from_labels(graph, labels, "auto", policy="value")
    (part,) = prediction_parts(session)
    asked = [node for node, ask in zip(part["node"].tolist(), part["ask"].tolist(), strict=True) if ask]
    listed = question_table(session)
    assert sorted(listed["node"]) == sorted(asked)
    assert listed["node"] == session.open_questions()
    assert question_table(session, 2)["reason"] == [session.predict(n).reason for n in listed["node"][:2]]
    assert question_table(session, 0)["node"] == []
    everything = [*part["node"].tolist(), *np.flatnonzero(~labels.mask).tolist()]
    assert sorted(everything) == list(range(50))


def test_the_order_of_the_file_decides_nothing():
    graph, labels = example()
    order = np.random.default_rng(1).permutation(50)
    names = [f"n{i}" for i in range(50)]
    place = np.argsort(order)
    one = zk.Graph.from_edges(graph.edges, names=names)
    other = zk.Graph.from_edges(place[graph.edges], names=[names[i] for i in order])
    parts = [
        next(iter(prediction_parts(start_from_labels(g, values, "perceptron", seed=3))))
        for g, values in ((one, labels), (other, labels[order]))
    ]
    tables = [sorted(zip(p["node"], p["label"], p["probability"], p["reason"], strict=True)) for p in parts]
    assert tables[0] == tables[1]


def test_nothing_left_to_predict():
    line = zk.Graph.from_edges([(0, 1)])
    with pytest.raises(LabelError, match="every node has a label already"):
        list(prediction_parts(start_from_labels(line, ["a", "b"], "nearest")))
    with pytest.raises(LabelError, match="no node has a label"):
        start_from_labels(line, [None, None], "nearest")
