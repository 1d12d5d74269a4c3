"""Predictions as columns say what the session says of every node by itself."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.asking import POLICIES
from zerokelvin.experiments.predictions import prediction_columns
from zerokelvin.experiments.predictions.prediction_columns import predict_columns

LEARNERS = [name for name in zk.learners.names() if name != "halving"]


def example(named):
    rng = np.random.default_rng(3)
    drawn = zk.generators.planted_partition([8, 8, 8], 0.5, 0.06, rng)
    apart = drawn.graph.num_nodes  # two more nodes that no label reaches
    edges = [*map(tuple, drawn.graph.edges.tolist()), (apart, apart + 1)]
    labels = [*drawn.labels.tolist(), 0, 0]
    if not named:
        return zk.Graph.from_edges(edges), labels
    names = [f"n{i * 7 % 26:02d}" for i in range(apart + 2)]
    return zk.Graph.from_edges(np.array(edges), names=names), labels


def same_as_one_by_one(session, nodes):
    (found,) = predict_columns(session, nodes)
    for place, node in enumerate(nodes.tolist()):
        name = session.graph.name(node)
        one = session.predict(name)
        assert session.classes[found.codes[place]] == one.label
        assert found.asks[place] == one.ask, one
        assert found.reasons[place] == one.reason
        assert found.shares[place].tolist() == list(session.predict_proba_one(name).values())


def _played(form):
    """A policy as it may be written, by what it is said to take."""
    for asked, given in (("RATE", "0.5"), ("=M", "=3"), ("=A", "=1"), ("=Q", "=0.4")):
        form = form.replace(asked, given)
    return form.partition("[")[0]


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classes", [2, 3])
def test_every_learner(learner, classes):
    graph, labels = example(named=True)
    labels = [min(label, classes - 1) for label in labels]
    session = zk.start(graph, learner, classes=range(classes), policy="value")
    session.teach({graph.name(i): labels[i] for i in range(0, 24, 3)})
    same_as_one_by_one(session, np.array([i for i in range(26) if i % 3 or i > 23]))


@pytest.mark.parametrize("policy", [_played(form) for form in POLICIES.forms])
@pytest.mark.parametrize("learner", ["auto", "longest-path", "sslgc"])
def test_every_policy_before_and_after_labels(policy, learner):
    graph, labels = example(named=False)
    session = zk.start(graph, learner, classes=range(3), policy=policy)
    nodes = np.arange(graph.num_nodes)
    same_as_one_by_one(session, nodes)
    session.learn_many([(i, labels[i]) for i in range(0, 24, 4)])
    same_as_one_by_one(session, nodes[1::2])
    session.budget = session.queries
    same_as_one_by_one(session, nodes[1::2])


def test_blocks_are_one_table(monkeypatch):
    graph, labels = example(named=True)
    session = zk.start(graph, "nearest", classes=range(3), policy="value")
    session.teach({graph.name(i): labels[i] for i in range(0, 24, 3)})
    (whole,) = predict_columns(session, np.arange(26))
    monkeypatch.setattr(prediction_columns, "BLOCK", 7)
    parts = list(predict_columns(session, np.arange(26)))
    assert len(parts) == 4
    assert np.concatenate([part.asks for part in parts]).tolist() == whole.asks.tolist()
    assert [reason for part in parts for reason in part.reasons] == whole.reasons
