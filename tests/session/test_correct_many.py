"""Several corrections in one replay, and classes that join: as if it had been so from the start."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import SessionError


def started(learner, classes):
    graph = zk.generators.two_moons(40, np.random.default_rng(2)).graph
    return zk.start(graph, learner, classes=classes)


@pytest.mark.parametrize("learner", ["nearest", "gaussian", "auto"])
def test_many_corrections_are_those_of_one_by_one_and_of_the_right_answers(learner):
    many, single, right = (started(learner, ["a", "b"]) for _ in range(3))
    answers = [(node, "ab"[node % 2]) for node in range(12)]
    changes = {1: "a", 4: None, 7: None, 10: "b"}
    for session in (many, single):
        session.learn_many(answers)
    many.correct_many(changes)
    for node, label in changes.items():
        single.correct(node, label)
    wanted = {**dict(answers), **changes}
    right.learn_many([(node, wanted[node]) for node, _ in answers if wanted[node] is not None])
    assert many.events == single.events == right.events
    shares = right.predict_proba_all()
    assert (many.predict_proba_all() == shares).all()
    assert (single.predict_proba_all() == shares).all()


def test_none_is_corrected_where_one_has_no_answer():
    session = started("nearest", ["a", "b"])
    session.learn_many([(0, "a"), (1, "b")])
    with pytest.raises(SessionError, match="has no answer to correct"):
        session.correct_many({0: "b", 5: "a"})
    assert [event.label for event in session.events] == ["a", "b"]


@pytest.mark.parametrize("learner", ["nearest", "gaussian", "auto"])
def test_classes_that_join_are_as_if_given_from_the_start(learner):
    late, early = started(learner, ["a", "b"]), started(learner, ["a", "b", "c"])
    for session in (late, early):
        session.learn_many([(0, "a"), (20, "b")])
    late.add_classes(["c", "a"])
    for session in (late, early):
        session.learn(33, "c")
    assert late.classes == ("a", "b", "c")
    assert (late.predict_proba_all() == early.predict_proba_all()).all()
