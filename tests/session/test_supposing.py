"""What a session says of an answer not given equals what a copy says that was given it."""

import copy
import threading

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import SessionError

TERMS = [
    ("auto", {"policy": "value:0.4"}),
    ("auto", {"target": 0.1}),
    ("gaussian", {"policy": "value:0.4"}),
    ("longest-path", {}),
    ("perceptron", {}),  # which is copied
    ("sslgc", {}),  # where problems ask apart
]


def _graph(count=80, named=False):
    rng = np.random.default_rng(3)
    points = rng.random((count, 2))
    graph = zk.knn_graph(points, k=4)
    labels = ["abc"[int(3 * x)] for x in points[:, 0]]
    if named:
        graph = zk.Graph.from_edges(
            graph.edges,
            graph.edge_weights,
            num_nodes=count,
            names=[f"n{7 * i % count}" for i in range(count)],
        )
    return graph, labels


def _alike(one, other):
    assert np.array_equal(one._all_margins(), other._all_margins())
    assert one.open_questions() == other.open_questions()
    assert (one.trials, one.mistakes, one.queries) == (other.trials, other.mistakes, other.queries)
    assert one.predict_proba_all().tolist() == other.predict_proba_all().tolist()


@pytest.mark.parametrize(("name", "terms"), TERMS)
@pytest.mark.parametrize("named", [False, True])
def test_supposing_equals_a_copy_that_was_told(name, terms, named):
    graph, labels = _graph(named=named)
    session = zk.start(graph, name, classes=["a", "b", "c"], **terms)
    rng = np.random.default_rng(0)
    order = rng.permutation(graph.num_nodes).tolist()
    for t in range(25):
        node, next_one = graph.name(order[t]), graph.name(order[t + 1])
        session.learn(node, labels[order[t]])
        if t % 6 == 0:
            before = copy.copy(session)
            for label in "ac":
                told = copy.copy(session)
                told.learn(next_one, label)
                told.teach({node: "b"})
                with session.supposing({next_one: label}, {node: "b"}) as other:
                    _alike(other, told)
                _alike(session, before)


def test_foreseen_questions_are_those_of_copies():
    graph, labels = _graph()
    session = zk.start(graph, "auto", classes=["a", "b", "c"], policy="value:0.4")
    for node in range(0, 40, 4):
        session.learn(node, labels[node])
    expected = {}
    for label in "abc":
        other = copy.copy(session)
        other.learn(41, label)
        expected[label] = other.open_questions(3)
    assert session.foresee(41, limit=3) == expected
    assert list(session.foresee(41, ["b"])) == ["b"]


def test_a_class_that_is_new_takes_a_copy():
    graph, _ = _graph()
    session = zk.start(graph, "auto")
    session.learn(0, "a")
    session.learn(1, "b")
    with session.supposing({2: "new"}) as other:
        assert other.classes == ("a", "b", "new")
    assert session.classes == ("a", "b")


def test_what_is_supposed_learns_nothing_and_ends_with_its_block():
    graph, _ = _graph()
    session = zk.start(graph, "auto", classes=["a", "b"])
    session.learn(0, "a")
    with session.supposing({1: "b"}) as other:
        for act in (lambda: other.learn(2, "a"), lambda: other.teach({2: "a"}), lambda: other.skip(2)):
            with pytest.raises(SessionError, match="supposes"):
                act()
        with other.supposing({3: "a"}) as further:
            assert further.trials == 3
        assert other.trials == 2
    with pytest.raises(SessionError, match="taken back"):
        other.predict(3)
    assert session.trials == 1


def test_an_error_in_the_block_changes_nothing():
    graph, labels = _graph()
    session = zk.start(graph, "auto", classes=["a", "b", "c"])
    for node in range(10):
        session.learn(node, labels[node])
    before = copy.copy(session)
    with pytest.raises(ZeroDivisionError), session.supposing({20: "c"}):
        raise ZeroDivisionError
    _alike(session, before)


def test_an_interrupted_call_in_the_block_is_made_good(monkeypatch):
    graph, labels = _graph()
    session = zk.start(graph, "auto", classes=["a", "b", "c"])
    for node in range(10):
        session.learn(node, labels[node])
    before = copy.copy(session)

    def interrupted(self, node):
        self.mixture.experts[0].game.learn(node, 0)
        raise KeyboardInterrupt

    with session.supposing({20: "c"}) as other, monkeypatch.context() as patched:
        patched.setattr(type(other.standing.game), "score", interrupted)
        with pytest.raises(KeyboardInterrupt):
            other.predict(3)
    _alike(session, before)


def test_other_threads_wait_for_the_block():
    graph, labels = _graph()
    session = zk.start(graph, "auto", classes=["a", "b", "c"])
    session.learn(0, labels[0])
    seen = []
    with session.supposing({1: "b"}):
        reader = threading.Thread(target=lambda: seen.append(session.trials))
        reader.start()
        reader.join(0.05)
        assert reader.is_alive()
    reader.join(10)
    assert seen == [1]
