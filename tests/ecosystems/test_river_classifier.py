"""NodeClassifier in river's own loops: the same game as a session's."""

import copy
import pickle

import numpy as np
import pytest
from river import active, base, compose, evaluate, metrics, stream

import zerokelvin as zk
from zerokelvin.ecosystems import NodeClassifier
from zerokelvin.errors import NodeError

PROBLEM = zk.generators.barbell(20)


def examples():
    """The nodes of two cliques in a random order, each with its label and something else."""
    labels = np.where(PROBLEM.labels > 0, "right", "left").tolist()
    order = np.random.default_rng(0).permutation(len(labels)).tolist()
    return [({"node": i, "degree": i % 3}, labels[i]) for i in order]


def test_progressive_validation_plays_the_game():
    model = NodeClassifier(PROBLEM.graph)
    score = evaluate.progressive_val_score(examples(), model, metrics.Accuracy())
    labels = {x["node"]: y for x, y in examples()}
    run = zk.play(PROBLEM.graph, [labels[i] for i in range(40)], order=[x["node"] for x, _ in examples()])
    assert model.session.trials == 40
    assert score.get() >= 1 - (run.mistakes + 1) / 40
    assert score.get() > 0.9


def test_a_pipeline_hands_the_node_over():
    rows = stream.iter_array(
        np.array([[x["node"], x["degree"]] for x, _ in examples()]),
        [y for _, y in examples()],
        feature_names=["node", "degree"],
    )
    model = compose.Select("node") | NodeClassifier(PROBLEM.graph, classes=["left", "right"])
    assert evaluate.progressive_val_score(rows, model, metrics.MacroF1()).get() > 0.8
    chances = model.predict_proba_one({"node": 3, "degree": 1})
    assert sum(chances.values()) == pytest.approx(1)


def test_delayed_labels_and_rivers_asking():
    score = evaluate.progressive_val_score(
        examples(), NodeClassifier(PROBLEM.graph), metrics.Accuracy(), moment=None, delay=2
    )
    assert score.get() > 0.8
    asking = active.EntropySampler(NodeClassifier(PROBLEM.graph, classes=["left", "right"]), seed=0)
    for x, y in examples():
        _, ask = asking.predict_one(x)
        if ask:
            asking.learn_one(x, y)
    assert 0 < asking.classifier.session.trials <= 40


def test_it_is_a_classifier_that_is_cloned_copied_and_pickled():
    model = NodeClassifier(PROBLEM.graph, "nearest", node="who", params={"k": 3}, seed=4)
    assert isinstance(model, base.Classifier)
    assert model.predict_one({"who": 0}) is None
    assert model.predict_proba_one({"who": 0}) == {}
    model.learn_one({"who": 0}, "left")
    clone = model.clone()
    assert clone.session.trials == 0
    assert (clone.node, clone.session.learner.k, clone.session.seed) == ("who", 3, 4)
    for same in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301
        same.learn_one({"who": 39}, "right")
        assert same.predict_one({"who": 38}) == "right"
    assert model.session.trials == 1


def test_what_names_no_node_is_refused():
    model = NodeClassifier(PROBLEM.graph)
    with pytest.raises(NodeError, match="no 'node' but degree; name the key"):
        model.learn_one({"degree": 1}, "left")
    with pytest.raises(NodeError, match="an example is a dict that names a node"):
        model.predict_one("degree")
    with pytest.raises(NodeError, match="nobody"):
        model.predict_one({"node": "nobody"})
