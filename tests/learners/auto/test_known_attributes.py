"""`auto` with attributes: its experts against their definitions, its mixture, and what does not change."""

import numpy as np
import pytest

import zerokelvin as zk
from naive.known_attributes import averaged_rows, joined_means, joined_rows, online_means
from zerokelvin import Graph
from zerokelvin.errors import ParameterError, SessionError
from zerokelvin.learners.auto import mixing
from zerokelvin.learners.auto.auto import Auto
from zerokelvin.learners.auto.experts.expert import Acquainted
from zerokelvin.learners.auto.experts.known_attributes import REST, averaged
from zerokelvin.learners.auto.experts.like_attributes import like_graph


def communities(seed, nodes=120, classes=3, columns=8, inside=0.06, outside=0.04, signal=1.0):
    """A block model that hardly shows its classes, and attributes that do."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, nodes)
    same = labels[:, None] == labels[None, :]
    links = np.triu(rng.random((nodes, nodes)) < np.where(same, inside, outside), 1)
    rows = rng.normal(size=(nodes, columns)) + signal * rng.normal(size=(classes, columns))[labels]
    return Graph.from_edges(np.argwhere(links), num_nodes=nodes), labels, rows


@pytest.mark.parametrize("seed", range(3))
def test_experts_are_the_regressions_of_their_definition(seed):
    graph, labels, rows = communities(seed)
    known = graph.with_attributes(rows)
    game = Auto().start_game(known, 3, seed=seed)
    experts = {expert.name: expert for expert in game.mixture.experts if expert.uses_attributes}
    assert list(experts) == [
        "own attributes",
        "attributes around, restart 0.2",
        "attributes around, restart 0.1",
        "like attributes",
    ]
    order = np.random.default_rng(seed).permutation(graph.num_nodes)
    own = known.attributes.rows
    found = experts["own attributes"].learn_in_order(order, labels[order])
    assert np.allclose(found, online_means(own, order, labels[order], 3, 1.0), atol=1e-9)
    for restart in (0.2, 0.1):
        near = averaged(known, own, restart)
        assert np.abs(near - averaged_rows(known, own, restart)).max() < 3 * REST
        found = experts[f"attributes around, restart {restart}"].learn_in_order(order, labels[order])
        assert np.allclose(found, online_means(near, order, labels[order], 3, 1.0), atol=1e-9)
    joined = joined_rows(own, 10)
    assert np.array_equal(like_graph(own).adjacency.toarray() > 0, joined > 0)
    means = joined_means(joined, order, labels[order], 3, 0.1, 0.3)
    exact = Auto(tol=1e-9).start_game(known, 3, seed=seed).mixture.experts
    like = next(expert for expert in exact if expert.name == "like attributes")
    assert np.allclose(like.learn_in_order(order, labels[order]), means, atol=1e-6)
    found = experts["like attributes"].learn_in_order(order, labels[order])
    assert np.abs(found - means).max() < 0.05


def test_attributes_help_where_the_graph_says_little():
    graph, labels, rows = communities(5, nodes=240)
    alone = zk.play_shuffles(graph, labels, shuffles=3).mean("mistakes")
    both = zk.play_shuffles(graph, labels, shuffles=3, attributes=rows).mean("mistakes")
    assert both < 0.6 * alone


def test_attributes_of_other_nodes_cost_little():
    graph, labels, rows = communities(6, nodes=300, inside=0.15, outside=0.01)
    mixed = rows[np.random.default_rng(0).permutation(len(rows))]
    alone = zk.play_shuffles(graph, labels, shuffles=3).mean("mistakes")
    both = zk.play_shuffles(graph, labels, shuffles=3, attributes=mixed).mean("mistakes")
    assert both <= alone + 6


def test_mistakes_stay_within_the_bound():
    graph, labels, rows = communities(7)
    run = zk.play(graph, labels, attributes=rows)
    assert run.mistakes <= run.bound.value


def test_a_session_is_the_game_trial_by_trial_and_follows_names():
    graph, labels, rows = communities(8, nodes=60)
    names = [f"n{(7 * i) % 60:02}" for i in range(60)]
    named = Graph(*graph.csr, names)
    order = np.random.default_rng(1).permutation(60).tolist()
    run = zk.play(named, labels, attributes=rows, order=[names[i] for i in order])
    session = zk.start(named, attributes=rows, classes=[0, 1, 2])
    found = []
    for i in order:
        found.append(session.predict(names[i]).label)
        session.learn(names[i], int(labels[i]))
    assert found[5:] == run.predictions.tolist()[5:]


def test_sessions_are_saved_copied_and_grow(tmp_path):
    graph, labels, rows = communities(9, nodes=60)
    session = zk.start(graph, attributes=rows, classes=[0, 1, 2])
    for i in range(30):
        session.learn(i, int(labels[i]))
    session.save(tmp_path / "one.zk")
    again = zk.load(tmp_path / "one.zk", graph, attributes=rows)
    assert [again.predict(i).scores for i in range(60)] == [session.predict(i).scores for i in range(60)]
    with pytest.raises(SessionError, match="other attributes"):
        zk.load(tmp_path / "one.zk", graph)
    with pytest.raises(SessionError, match="other attributes"):
        zk.load(tmp_path / "one.zk", graph, attributes=rows[::-1])
    session.correct(3, int(labels[4]))
    session.add_nodes(2, [(0, 60), (1, 61)], attributes=rows[:2])
    assert np.array_equal(session.graph.attributes.rows[60:], session.graph.attributes.rows[:2])
    session.learn(60, int(labels[0]))
    session.correct(5, int(labels[6]))
    session.save(tmp_path / "two.zk")
    more = np.vstack([rows, rows[:2]])
    bare = session.graph.with_attributes(None)
    later = zk.load(tmp_path / "two.zk", bare, attributes=more)
    assert later.predict(61).scores == session.predict(61).scores


def test_sessions_saved_before_their_values_were_heard_are_learnt_again(tmp_path, monkeypatch):
    graph, labels, rows = communities(13, nodes=40)
    answers = [(i, int(labels[i])) for i in range(20)]
    with monkeypatch.context() as before:
        before.setattr(Acquainted, "is_estimate", False)
        before.setattr(mixing, "HEARD", "means")
        session = zk.start(graph, attributes=rows, classes=[0, 1, 2])
        session.learn_many(answers)
        session.save(tmp_path / "old.zk")
    loaded = zk.load(tmp_path / "old.zk", graph, attributes=rows)
    session = zk.start(graph, attributes=rows, classes=[0, 1, 2])
    session.learn_many(answers)
    assert [loaded.predict(i).scores for i in range(40)] == [session.predict(i).scores for i in range(40)]


def test_a_component_without_labels_is_told_by_its_attributes():
    graph = Graph.from_edges([(0, 1), (2, 3), (4, 5)])
    rows = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1], [1, 0]], dtype=float)
    session = zk.start(graph, attributes=rows, classes=["x", "y"])
    for node, label in ((0, "x"), (1, "x"), (2, "y"), (3, "y")):
        session.learn(node, label)
    assert [session.predict(node).label for node in (4, 5)] == ["y", "x"]


def test_explanations_name_attributes():
    graph, labels, _ = communities(10, nodes=60)
    frame = {"kind": [f"k{label}" for label in labels], "noise": np.random.default_rng(0).normal(size=60)}
    session = zk.start(graph, attributes=frame, classes=[0, 1, 2])
    for i in range(40):
        session.learn(i, int(labels[i]))
    why = session.explain(50)
    assert why.label == labels[50]
    assert next(iter(why.attributes)) == f"kind=k{labels[50]}"
    assert why.attributes[f"kind=k{labels[50]}"] > 0
    assert "of its trust is in those who use attributes" in why.reason


def test_other_learners_say_that_they_use_none():
    graph, labels, rows = communities(11, nodes=20)
    with pytest.raises(ParameterError, match="predicts from edges alone"):
        zk.play(graph, labels, "perceptron", attributes=rows)


def test_nodes_of_which_nothing_is_known_stay_alone():
    rows = np.vstack([np.eye(3), np.eye(3), np.zeros((2, 3))])
    joined = like_graph(rows)
    assert joined.degrees[6:].tolist() == [0.0, 0.0]
    assert (joined.degrees[:6] > 0).all()


def test_without_attributes_nothing_has_changed():
    graph, _, _ = communities(12, nodes=40)
    alone = Auto().start_game(graph, 3).mixture.mixing
    assert alone.groups.shape[0] == 1
    assert alone.prior.sum() == pytest.approx(1.0)
    known = (
        Auto().start_game(graph.with_attributes(np.ones((40, 1)) * np.arange(40)[:, None]), 3).mixture.mixing
    )
    assert known.groups.shape[0] == 3
    assert known.prior.sum() == pytest.approx(1.0)
    assert known.groups[0].sum() == alone.groups.sum()


def test_three_answers_are_enough_where_towns_tell_and_edges_mislead():
    line = Graph.from_edges([(i, i + 1) for i in range(23)])
    towns = {"town": ["Ulm" if i % 2 else "Bonn" for i in range(24)]}
    right = []
    for nodes in ([5, 23, 14], [0, 9, 18], [22, 3, 4], [16, 1, 7]):
        session = zk.start(line, attributes=towns, classes=["even", "odd"])
        session.learn_many([(i, "odd" if i % 2 else "even") for i in nodes])
        found = session.predict_all()
        right.append(sum(found[i] == ("odd" if i % 2 else "even") for i in range(24)))
    assert min(right) >= 18
    assert np.mean(right) >= 22
