"""The record of what was shown: nodes and labels in order, however they come."""

import numpy as np
import pytest

from zerokelvin import learners
from zerokelvin.graph import Graph
from zerokelvin.graph.features import Features
from zerokelvin.learners.base.record import Record
from zerokelvin.session import load, start

GRAPH = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])


def shown(record: Record) -> list[tuple[int, int]]:
    return list(zip(record.nodes.tolist(), record.labels.tolist(), strict=True))


def test_labels_come_one_by_one_and_in_bulk():
    record = Record()
    for i in range(20):
        record.note(np.int64(i), -1)
    record.note_all(np.arange(3), np.ones(3, dtype=np.int8))
    record.note(7, 1)
    assert shown(record) == [(i, -1) for i in range(20)] + [(0, 1), (1, 1), (2, 1), (7, 1)]
    assert len(record) == 24


def test_arrays_of_a_game_are_kept_but_never_written_to():
    nodes, labels = np.arange(4), np.array([1, -1, 1, -1], dtype=np.int8)
    record = Record()
    record.note_all(nodes, labels)
    assert np.shares_memory(record.nodes, nodes)
    record.note(9, 1)
    record.replace(2, np.array([8, 8]), np.array([1, 1]))
    assert nodes.tolist() == [0, 1, 2, 3]
    assert labels.tolist() == [1, -1, 1, -1]
    assert shown(record) == [(0, 1), (1, -1), (8, 1), (8, 1)]


def test_every_label_counts_against_a_comparator_not_only_the_last():
    record = Record()
    record.note(0, -1)
    record.note(0, 1)
    assert record.against([1]) == 1
    assert not record.agreement([1]).holds
    assert not record.agreement([-1]).holds


def test_vectors_are_no_nodes():
    state = learners.make("perceptron").start(Features(np.eye(2)))
    state.update(np.array([1.0, 2.0]), -1)
    state.update(0, -1)
    assert shown(state.record) == [(-1, -1), (0, -1)]
    assert state.record.against([-1, 1]) == 0


def inside(game):
    """The game that all wrappers are around."""
    return inside(game.inner) if hasattr(game, "inner") else game


@pytest.mark.parametrize(
    "name", ["nearest", "perceptron", "pounce", "interpolation", "longest-path", "random"]
)
def test_a_loaded_session_judges_all_labels_it_was_shown(name, tmp_path):
    params = {"p": 1.0, "inner": "nearest"} if name == "random" else {}
    session = start(GRAPH, name, classes=["a", "b"], policy="variance:0.1", **params)
    for label in "baba":
        session.learn(0, label)
    session.save(tmp_path / "game.zk")
    loaded = load(tmp_path / "game.zk", GRAPH)
    assert loaded.bound(["a"] * 5).as_dict() == session.bound(["a"] * 5).as_dict()
    assert session.mistakes >= 3
    assert session.bound(["a"] * 5).is_broken_by(session.mistakes) is False
    assert [state.record.labels.tolist() for state in inside(loaded.standing.game).states] == [[1, -1, 1, -1]]


def test_the_record_follows_a_graph_that_grows():
    session = start(GRAPH, "perceptron", classes=["a", "b"])
    session.learn(0, "a")
    session.learn(3, "b")
    session.add_nodes(1, [(4, 5)])
    session.learn(5, "b")
    assert shown(session.standing.game.states[0].record) == [(0, -1), (3, 1), (5, 1)]
