"""A session that answers what it asks is the game, bit for bit: margins, questions, who learns, mistakes."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.graph import generators

GRAPHS = {
    "partition": generators.planted_partition([9, 9, 9], 0.5, 0.1, np.random.default_rng(2)).graph,
    "ring": zk.Graph.from_edges([(i, (i + 1) % 21) for i in range(21)]),
    "tree": zk.Graph.from_edges([(i, (i - 1) // 2) for i in range(1, 26)]),
    "islands": zk.Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3), (6, 7)]),
}


def played(run, session):
    """Play the order of a run in a session; its margins, and which problems asked."""
    margins, asked = [], []
    for t, (node, label) in enumerate(zip(run.nodes.tolist(), run.labels.tolist(), strict=True)):
        shown = session.predict(node)
        assert shown.label == run.predictions[t]
        scores = list(shown.scores.values())
        margins.append(scores if len(scores) > 2 else scores[-1:])
        mask = [shown.ask and c not in shown.left_out for c in run.classes]
        asked.append(mask if len(scores) > 2 else [shown.ask])
        session.learn(node, label) if shown.ask else session.skip(node)
    return np.array(margins), np.array(asked)


@pytest.mark.parametrize("count", [2, 3, 5])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize(
    ("learner", "params"),
    [
        ("sslgc", {"rank": 6, "kappa": 0.3}),
        ("sslgc", {"rank": None, "kappa": 0.4}),
        ("bbq", {"rank": 6, "kappa": 0.3}),
        ("random", {"p": 0.5, "inner": "perceptron"}),
        ("random", {"p": 0.7, "inner": "sslgc"}),
        ("perceptron", {}),
    ],
)
def test_a_session_is_the_game(learner, params, graph, count, tmp_path):
    graph = GRAPHS[graph]
    rng = np.random.default_rng(count)
    labels = [f"c{k}" for k in rng.integers(0, count, graph.num_nodes)]
    classes = [f"c{k}" for k in range(count)]
    for policy, budget in ((None, None), ("margin:0.3", None), (None, 7)):
        terms = {"classes": classes, "seed": 4, "policy": policy, "budget": budget, **params}
        run = zk.play(graph, labels, learner, repeats=2, **terms)
        session = zk.start(graph, learner, **terms)
        margins, asked = played(run, session)
        np.testing.assert_array_equal(margins, run.margins)
        np.testing.assert_array_equal(asked, run.asked)
        assert (session.trials, session.queries) == (run.trials, int(run.asked.any(axis=1).sum()))
        session.save(tmp_path / "s.zk")
        loaded = zk.load(tmp_path / "s.zk", graph)
        np.testing.assert_array_equal(loaded._all_margins(), session._all_margins())
        assert loaded._standing.outcomes == session._standing.outcomes
        renewed = session._standing.renewed()
        again = renewed.game.scores(np.arange(graph.num_nodes))
        np.testing.assert_array_equal(again, session._all_margins())


def test_who_learns_is_decided_anew_on_a_grown_graph():
    """As in a session that began there; figures stay as they were."""
    example = generators.planted_partition([8, 8, 8], 0.5, 0.1, np.random.default_rng(5))
    labels = [f"c{k}" for k in example.labels]
    terms = {"rank": None, "kappa": 0.2}
    run = zk.play(example.graph, labels, "sslgc", repeats=3, **terms)
    session = zk.start(example.graph, "sslgc", classes=run.classes, **terms)
    _, asked = played(run, session)
    assert any(0 < row.sum() < 3 for row in asked)
    before = session.mistakes, session.queries, session.trials
    session.add_nodes(1, [(24, 0), (24, 9)])
    fresh = zk.start(session.graph, "sslgc", classes=run.classes, **terms)
    for kind, node, label in session.events:
        fresh.learn(node, label) if kind == 0 else fresh.skip(node)
    np.testing.assert_array_equal(session._all_margins(), fresh._all_margins())
    assert (session.mistakes, session.queries, session.trials) == before


def test_late_answers_are_a_game_with_delay():
    example = generators.planted_partition([8, 8, 8], 0.5, 0.1, np.random.default_rng(5))
    run = zk.play(example.graph, example.labels, "perceptron", delay=4, repeats=2)
    session = zk.start(example.graph, "perceptron", classes=run.classes)
    shown = []
    for t, node in enumerate(run.nodes.tolist()):
        shown.append(session.predict(node))
        assert list(shown[-1].scores.values()) == run.margins[t].tolist()
        if t >= 4:
            session.learn(shown[t - 4].node, run.labels[t - 4], shown=shown[t - 4])
    for t in range(run.trials - 4, run.trials):
        session.learn(shown[t].node, run.labels[t], shown=shown[t])
    assert session.mistakes == run.mistakes
    assert not session.bound(example.labels).holds
