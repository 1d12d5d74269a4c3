"""predict_one, predict_proba_one and learn_one behave as a river user expects."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerokelvin import learners
from zerokelvin.games import play
from zerokelvin.graph import Graph
from zerokelvin.session import start

LETTERS = "xyz"


@st.composite
def games(draw):
    """A graph, often disconnected, and trials on it, repeats and contradictions included."""
    count = draw(st.integers(1, 8))
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = draw(st.lists(pairs, max_size=12))
    weights = draw(st.lists(st.sampled_from([1e-4, 0.5, 1.0, 2.0]), min_size=len(edges), max_size=len(edges)))
    graph = Graph.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), weights, num_nodes=count)
    classes = draw(st.integers(1, 3))
    trials = st.tuples(st.integers(0, count - 1), st.sampled_from(LETTERS[:classes]))
    return graph, list(LETTERS[:classes]), draw(st.lists(trials, max_size=12))


@settings(deadline=None, max_examples=300)
@given(games())
def test_probabilities_sum_to_one_and_name_the_prediction(game):
    graph, classes, trials = game
    session = start(graph, "perceptron", classes=classes)
    for step in [None, *trials]:
        if step is not None:
            session.learn_one(*step)
        for node in range(graph.num_nodes):
            odds = session.predict_proba_one(node)
            assert list(odds) == classes
            assert sum(odds.values()) == pytest.approx(1)
            assert min(odds.values()) >= 0
            assert max(odds, key=odds.get) == session.predict_one(node)


def test_before_any_class_is_known():
    session = start(Graph.from_edges([(0, 1)]), "perceptron")
    assert session.predict_one(0) is None
    assert session.predict_proba_one(0) == {}


@pytest.mark.parametrize("name", learners.names())
@settings(deadline=None, max_examples=40)
@given(games())
def test_rivers_evaluation_loop_counts_the_mistakes_of_play(name, game):
    graph, classes, trials = game
    learner = learners.make(name)
    classes = classes if learner.multiclass else classes[:2]
    truth = {node: classes[node % len(classes)] for node, _ in trials}
    order = [node for node, _ in trials]
    if not order:
        return
    model = start(graph, learner, classes=classes)
    mistakes = 0
    for node in order:
        mistakes += model.predict_one(node) != truth[node]
        model.learn_one(node, truth[node])
    run = play(graph, truth, learner, order=order, classes=classes)
    assert mistakes == model.mistakes
    if run.asked.all():  # river's loop gives every answer, whether it was asked for or not
        assert mistakes == run.mistakes
