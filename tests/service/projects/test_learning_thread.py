"""Learning beside what is read: whatever way it goes, the session is where one by one would have led."""

import os
import sys
import threading
import time

import numpy as np
import pytest

import zerokelvin as zk
from serving import app_client, label, make_project, problem
from zerokelvin.service.projects import learning_thread, writing_thread
from zerokelvin.service.projects.learning_thread import FEW, LearningThread, Lesson
from zerokelvin.service.projects.patient_thread import NICENESS, patiently
from zerokelvin.service.projects.turn_lock import TurnLock
from zerokelvin.service.records.facts import Corrected, Labelled, Owned, Passed
from zerokelvin.service.records.projection import Book
from zerokelvin.service.store import open_store
from zerokelvin.service.web.access import new_key

SIZE = 90
BOOK = Book(None, 0, 0)
RNG = np.random.default_rng(3)
EDGES = [(f"n{i}", f"n{j}") for i in range(SIZE) for j in (i + 1, i + 2) if j < SIZE]
GRAPH = zk.Graph.from_edges(EDGES)


def lessons(count, rng):
    """Events of all kinds that any session can learn."""
    found, labelled = [], []
    for number in range(2, count + 2):
        node, given = f"n{rng.integers(SIZE)}", "xyz"[rng.integers(3)]
        kind = rng.integers(12)
        if kind == 0:
            fact = Passed(node)
        elif kind == 1:
            fact = Owned(node, given)
        elif kind == 2 and labelled:
            fact = Corrected(labelled[-1], given)
        else:
            fact = Labelled(node, given)
        if not isinstance(fact, Passed):
            labelled.append(fact.node)
        found.append(Lesson(number, fact, BOOK._replace(asked_today=number)))
    return found


def one_by_one(session, told):
    for lesson in told:
        fact = lesson.fact
        if isinstance(fact, Passed):
            session.skip(fact.node)
        elif isinstance(fact, Owned):
            session.teach({fact.node: fact.label})
        elif isinstance(fact, Corrected):
            session.correct(fact.node, fact.label)
        else:
            session.learn(fact.node, fact.label)


@pytest.mark.parametrize("learner", ["auto", "nearest", "perceptron", "sslgc"])
@pytest.mark.parametrize("pace", [1.0, 1e9])
def test_every_way_leads_to_the_same_session(learner, pace):
    """With a slow pace everything that can be is learnt in a copy, with a high one in place."""
    session = zk.start(GRAPH, learner, classes=["x", "y", "z"], seed=5)
    own = zk.start(GRAPH, learner, classes=["x", "y", "z"], seed=5)
    told, published, rng = lessons(200, np.random.default_rng(8)), [], np.random.default_rng(9)
    thread = LearningThread(
        "p", session, 1, BOOK, lambda: None, lambda found, number: (found, number), published.append
    )
    try:
        done = 0
        while done < len(told):
            thread.pace = pace
            size = int(rng.integers(1, 60))
            thread.put(told[done : done + size])
            done += size
            thread.wait_below(FEW)
        thread.wait_below(1)
        assert thread.learnt == told[-1].number
        assert thread.book == told[-1].book
        one_by_one(own, told)
        assert thread.session.events == own.events
        assert (thread.session.mistakes, thread.session.queries) == (own.mistakes, own.queries)
        np.testing.assert_array_equal(thread.session.predict_proba_all(), own.predict_proba_all())
        beside = [number for found, number in published]
        assert beside == sorted(beside)
        copies = sum(found is not session for found, _ in published)
        assert copies > 0  # corrections at least
    finally:
        thread.stop(10)


def test_a_session_that_cannot_learn_is_told_to_all_who_wait():
    session = zk.start(GRAPH, "nearest", classes=["x", "y", "z"])
    thread = LearningThread("p", session, 1, BOOK, lambda: None)
    thread.put([Lesson(2, Labelled("nobody", "x"), BOOK)])
    with pytest.raises(RuntimeError, match="stopped learning"):
        thread.wait_below(1)
    assert thread.failed is not None


def test_who_waits_for_a_lock_has_it_before_one_who_comes_back():
    lock, waits, taken, read = TurnLock(), threading.Event(), [], threading.Event()

    def reader():
        waits.set()
        with lock:
            taken.append("reader")
        read.set()

    lock.acquire()
    assert not lock.acquire(blocking=False)
    other = threading.Thread(target=reader)
    other.start()
    assert waits.wait(10)
    while not lock._gate.locked():  # it stands in the gate
        time.sleep(0.001)
    assert not lock.acquire(blocking=False)
    for _ in range(5):
        lock.release()
        lock.acquire()
        taken.append("learner")
    lock.release()
    assert read.wait(10)
    other.join()
    assert taken == ["reader"] + ["learner"] * 5
    assert lock.acquire(blocking=False)
    assert lock.locked()


@pytest.mark.skipif(sys.platform != "linux", reason="threads have a niceness of their own on Linux")
def test_patient_work_gives_way_alone():
    def niceness():
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    before = niceness()
    assert patiently(niceness, "patient") == min(before + NICENESS, 19)
    assert niceness() == before
    with pytest.raises(ZeroDivisionError):
        patiently(lambda: 1 // 0, "patient")


@pytest.mark.skipif(sys.platform != "linux", reason="threads have cores of their own on Linux")
def test_patient_work_leaves_a_core_unless_somebody_waits_for_it():
    def cores():
        return os.sched_getaffinity(threading.get_native_id())

    before = cores()
    assert len(patiently(cores, "patient")) == max(len(before) - 1, 1)
    assert patiently(cores, "patient", all_cores=True) == cores() == before


def test_few_events_wait_for_others_unless_somebody_waits_for_them(monkeypatch):
    monkeypatch.setattr(learning_thread, "PAUSE", 60.0)
    session, learnt = zk.start(GRAPH, "nearest", classes=["x", "y", "z"]), threading.Semaphore(0)
    thread = LearningThread("p", session, 1, BOOK, learnt.release)
    told = [Lesson(number, Labelled("n1", "x"), BOOK) for number in range(2, 200)]
    thread.put(told[:3])
    assert not learnt.acquire(timeout=0.2)
    assert (thread.learnt, thread.unlearnt) == (1, 3)
    thread.hurry(4)
    assert learnt.acquire(timeout=20)
    assert thread.learnt == 4
    thread.put(told[3:4])
    assert not learnt.acquire(timeout=0.2)
    thread.put(told[4:])  # enough of them
    assert learnt.acquire(timeout=20)
    thread.wait_below(1)
    assert thread.learnt == 199
    thread.put([Lesson(200, Labelled("n2", "x"), BOOK)])
    assert thread.stop(20)
    assert thread.learnt == 200


@pytest.mark.parametrize("before", [8, 1])
def test_those_who_come_back_together_are_written_together(tmp_path, monkeypatch, before):
    """After a group of eight the first of eight is not written alone; after one, nobody is waited for."""
    monkeypatch.setattr(writing_thread, "MOST_GATHERING", 30.0)
    with app_client(tmp_path) as client:
        path = make_project(client)
        label(client, path, "a", "ok")
        writing = client.hall._awake["p"].writing
        writing._sizes, writing.sync_seconds, groups = (before, 1), 60.0, writing.groups
        clients = [threading.Thread(target=label, args=(client, path, node, "ok")) for node in "abcdefab"]
        for one in clients:
            one.start()
            time.sleep(0.05)
        for one in clients:
            one.join()
        assert (writing.groups == groups + 1) == (before == 8)
        assert client.get(f"{path}/state").json()["events"] == 9


# -- who sees what ------------------------------------------------------------------------------------


@pytest.fixture
def two_keys(tmp_path):
    """A service with a key that labels and one that predicts."""
    with app_client(tmp_path) as client:
        make_project(client)
    store = open_store(tmp_path)
    keys = {role: {"authorization": f"Bearer {new_key(store, role, role)}"} for role in ("label", "predict")}
    store.close()
    with app_client(tmp_path, patience=0.3) as client:
        yield client, keys


def test_who_has_labelled_waits_for_their_labels_and_others_do_not(two_keys):
    client, keys = two_keys
    path, nodes = "/v1/projects/p", {"nodes": ["b"]}
    first = client.post(f"{path}/predict", json=nodes, headers=keys["predict"]).json()
    assert first["events"] == 0
    project = client.hall._awake["p"]
    held = threading.Event()

    def learning(*_):
        assert held.wait(20)

    real, project.learning._learn_few = project.learning._learn_few, learning
    body = {"labels": [{"node": "a", "label": "fraud"}]}
    assert client.post(f"{path}/labels", json=body, headers=keys["label"]).json() == {"events": 1}
    other = client.post(f"{path}/predict", json=nodes, headers=keys["predict"])
    assert other.json() == first
    wrong = problem(
        client.post(f"{path}/predict", json=nodes, headers=keys["label"]), 503
    )  # 1 event is being learnt
    assert "1 acknowledged events are still being learnt" in wrong["detail"]
    after = keys["predict"] | {"zerokelvin-events": "1"}
    problem(client.post(f"{path}/predict", json=nodes, headers=after), 503)
    before = keys["label"] | {"zerokelvin-events": "0"}
    assert client.post(f"{path}/predict", json=nodes, headers=before).json() == first
    project.learning._learn_few = real
    held.set()
    deadline = time.monotonic() + 20
    while project.events < 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    for headers in (keys["label"], keys["predict"], after):
        told = client.post(f"{path}/predict", json=nodes, headers=headers).json()
        assert (told["events"], told["predictions"][0]["label"]) == (1, "fraud")
    future = keys["predict"] | {"zerokelvin-events": "2"}
    assert (
        "has 1 events" in problem(client.post(f"{path}/predict", json=nodes, headers=future), 409)["detail"]
    )
    for bad in ("-1", "x", "9" * 30, ""):
        odd = keys["predict"] | {"zerokelvin-events": bad}
        problem(client.post(f"{path}/predict", json=nodes, headers=odd), 422)


def test_without_keys_everybody_sees_everything(tmp_path):
    with app_client(tmp_path) as client:
        path = make_project(client)
        for i, node in enumerate("abcdef"):
            label(client, path, node, "ok")
            assert client.post(f"{path}/predict", json={"nodes": ["a"]}).json()["events"] == i + 1


def test_events_that_pour_in_are_learnt_together_unless_somebody_waits(monkeypatch):
    """Hundreds a second wait for each other; who asks for one of them has it learnt at once."""
    monkeypatch.setattr(learning_thread, "GATHERING", 60.0)
    monkeypatch.setattr(learning_thread, "PAUSE", 1.0)
    session = zk.start(GRAPH, "nearest", classes=["x", "y", "z"])
    sizes = []
    thread = LearningThread("p", session, 1, BOOK, lambda: sizes.append(thread.learnt))
    try:
        told = [Lesson(number, Owned(f"n{number}", "x"), BOOK) for number in range(2, 42)]
        for lesson in told:
            thread.put([lesson])
            time.sleep(0.002)
        end = time.monotonic() + 20
        while thread._enough != learning_thread.MANY and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.1)
        assert thread.learnt == 1
        assert not sizes
        thread.hurry(told[-1].number)
        thread.wait_below(1)
        assert thread.learnt == told[-1].number
    finally:
        thread.stop(10)


def test_a_few_events_wait_a_moment_only(monkeypatch):
    monkeypatch.setattr(learning_thread, "GATHERING", 60.0)
    session = zk.start(GRAPH, "nearest", classes=["x", "y", "z"])
    thread = LearningThread("p", session, 1, BOOK, lambda: None)
    try:
        thread.put([Lesson(2, Owned("n1", "x"), BOOK)])
        end = time.monotonic() + 30
        while thread.learnt < 2 and time.monotonic() < end:
            time.sleep(0.01)
        assert thread.learnt == 2
    finally:
        thread.stop(10)
