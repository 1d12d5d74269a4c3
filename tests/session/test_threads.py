"""Any number of threads may use one session: nothing is lost, and the state is that of the events."""

import sys
import threading

import pytest

import zerokelvin as zk

GRID = zk.Graph.from_edges([(i, i + 1) for i in range(299)] + [(i, i + 10) for i in range(290)])


@pytest.mark.parametrize("classes", [["a", "b", "c"], None])
def test_four_threads_lose_no_trial(classes):
    switching = sys.getswitchinterval()
    session = zk.start(GRID, "nearest", classes=classes)
    session.learn(0, "a")
    problems = []

    def work(part):
        try:
            for node in range(1 + part, 300, 4):
                session.learn(node, "abc"[node % 3])
                shown = session.predict((node * 7) % 300)
                session.skip(shown.node)
                if node % 25 == part:
                    session.correct(node, "abc"[node % 2])
        except Exception as problem:  # noqa: BLE001
            problems.append(problem)

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(part,)) for part in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switching)
    assert problems == []
    assert session.trials == 1 + 2 * 299
    fresh = zk.start(GRID, "nearest", classes=classes)
    for kind, node, label in session.events:
        fresh.learn(node, label) if kind == 0 else fresh.skip(node)
    assert sorted(event.node for event in session.events if event.kind == 0) == list(range(300))
    assert (session.mistakes, session.queries) == (fresh.mistakes, fresh.queries)
    assert session.predict_all().tolist() == fresh.predict_all().tolist()


def test_growing_and_saving_meanwhile(tmp_path):
    session = zk.start(GRID, "longest-path", classes=["a", "b"])
    problems = []

    def learn():
        try:
            for node in range(0, 300, 5):
                session.learn(node, "ab"[node < 150])
        except Exception as problem:  # noqa: BLE001
            problems.append(problem)

    def grow():
        try:
            for k in range(8):
                session.add_nodes(1, [(300 + k, k)])
                session.save(tmp_path / f"{k}.zk")
        except Exception as problem:  # noqa: BLE001
            problems.append(problem)

    threads = [threading.Thread(target=target) for target in (learn, grow)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert (session.trials, session.graph.num_nodes) == (60, 308)
    session.save(tmp_path / "last.zk")
    assert zk.load(tmp_path / "last.zk", session.graph).events == session.events
