"""Work that ends early when somebody waits: in parts it finds the same, and stopping changes nothing."""

import threading

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.service.projects.turn_lock import TurnLock
from zerokelvin.session import standing
from zerokelvin.stopping import StoppedError, stop_when


def labelled(learner):
    points = np.random.default_rng(0).normal(size=(300, 2))
    session = zk.start(zk.knn_graph(points, k=5), learner, classes=["a", "b", "c"], policy="value:1000")
    for node in range(0, 300, 15):
        session.learn(node, "abc"[node % 3])
    return session


@pytest.mark.parametrize("learner", ["auto", "gaussian", "nearest", "longest-path", "ollgc"])
@pytest.mark.parametrize("part", [1, 7, 299, 512])
def test_what_is_read_in_parts_is_the_same(learner, part, monkeypatch):
    monkeypatch.setattr(standing, "PART", part)
    whole, session = labelled(learner).predict_all(), labelled(learner)
    with stop_when(lambda: False):
        assert session.predict_all().tolist() == whole.tolist()


def test_stopping_leaves_a_session_as_it_was(monkeypatch):
    monkeypatch.setattr(standing, "PART", 32)
    session, other = labelled("auto"), labelled("auto")
    looks = iter([False] * 4 + [True])
    before = session.standing
    with pytest.raises(StoppedError), stop_when(lambda: next(looks)):
        session.guarantee()
    assert next(looks, None) is None
    assert session.standing is before  # nothing had to be made anew
    for node in (4, 111):
        session.learn(node, "a")
        other.learn(node, "a")
    assert session.predict_all().tolist() == other.predict_all().tolist()
    assert session.open_questions(20) == other.open_questions(20)
    assert session.guarantee() == other.guarantee()


@pytest.mark.parametrize("learner", ["auto", "nearest"])
def test_what_a_stopped_look_has_read_is_not_read_again(learner, monkeypatch):
    monkeypatch.setattr(standing, "PART", 32)
    session, plain = labelled(learner), labelled(learner)
    whole, looks = plain.predict_all().tolist(), 0
    while True:
        left = iter([False] * 2 + [True])  # two parts at a time
        looks += 1
        try:
            with stop_when(lambda left=left: next(left, False)):
                found = session.predict_all().tolist()
            break
        except StoppedError:
            assert looks < 10
    assert (looks, found) == (5, whole)  # 300 nodes in ten parts
    for one in (session, plain):
        one.learn(7, "c")
    with stop_when(lambda: False):
        assert session.predict_all().tolist() == plain.predict_all().tolist()


def test_a_lock_tells_that_somebody_waits():
    lock, had = TurnLock(), threading.Event()
    with lock:
        assert not lock.wanted()
        waiting = threading.Thread(target=lambda: (lock.acquire(), lock.release(), had.set()))
        waiting.start()
        while not lock.wanted():
            assert not had.wait(0.001)
    assert had.wait(10)
    waiting.join()
    assert not lock.wanted()
