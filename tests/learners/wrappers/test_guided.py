"""Any learner with any policy: every pair plays, and the variance a guide tells is the one by definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zerokelvin as zk
from naive.learners import gaussian as naive
from naive.learners.propagation import kernel as kernel_matrix
from strategies import games
from zerokelvin import Graph, play, start
from zerokelvin.errors import GraphError
from zerokelvin.learners import make, names, parse_policy
from zerokelvin.learners.gaussian.gaussian import Gaussian
from zerokelvin.learners.wrappers.guided import Guided, guided

POLICIES = ("always", "random:0.5", "margin:0.3", "variance:0.3", "doubt:0.2", "value:0.3")
TREE = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (5, 6), (2, 7), (4, 8)])
LABELS = ["a", "a", "b", "b", "b", "a", "a", "b", "b"]


def kernel_of(graph):
    guide = Gaussian()
    return kernel_matrix(graph, guide.kernel) + guide.b


def by_definition(graph, answers, node):
    return naive.posterior(kernel_of(graph), answers, 2, Gaussian().mu, node)[1]


@pytest.mark.parametrize("name", names())
def test_every_learner_plays_with_every_policy(name):
    params = {"inner": "longest-path"} if name == "random" else {}
    for policy in POLICIES:
        run = play(TREE, LABELS, name, policy=policy, repeats=2, seed=3, **params)
        assert 1 <= run.queried_nodes <= 9
        assert run.predictions[0] in ("a", "b")
        session = start(TREE, name, classes=("a", "b"), policy=policy, seed=3, **params)
        for node, label, asked in zip(run.order, run.labels, run.asked.any(axis=1), strict=True):
            shown = session.predict(int(node))
            assert shown.ask == asked, (policy, shown)
            session.learn(int(node), label) if shown.ask else session.skip(int(node))


@pytest.mark.parametrize("name", ["perceptron", "longest-path", "nearest", "pounce"])
def test_three_classes_and_a_budget(name):
    labels = ["a", "a", "b", "b", "c", "a", "a", "b", "c"]
    for policy in ("variance:0.6", "doubt:2", "value:0.3"):
        run = play(TREE, labels, name, policy=policy, budget=3, repeats=2)
        assert 1 <= run.queried_nodes <= 3
        assert run.asked.any(axis=1).sum() <= 3


@given(games(), st.sampled_from(["perceptron", "nearest", "longest-path"]), st.integers(0, 4))
def test_the_variance_is_the_one_by_definition(game, name, skipped):
    graph, _, trials = game
    session = start(graph, name, classes=(-1, 1), policy="variance:0.5")
    answers = []
    for t, (node, label) in enumerate(trials):
        spread = by_definition(graph, answers, node)
        assert session.standing.game.variance(node) == pytest.approx(spread, abs=0.02)
        floor = (t + 1.0) ** -0.5
        if answers and abs(spread - floor) > 0.03:
            assert session.predict(node).ask == (spread > floor)
        if t % 5 == skipped and answers:
            session.skip(node)
        else:
            session.learn(node, label)
            answers.append((node, (label + 1) // 2))  # the same node again is another observation


def test_the_label_does_not_matter_to_the_variance():
    one, two = (start(TREE, "pounce", classes=("a", "b"), policy="doubt:1") for _ in range(2))
    for node, label in enumerate("aabb"):
        one.learn(node, label)
        two.learn(node, "b" if label == "a" else "a")
    for node in range(9):
        assert one.standing.game.variance(node) == pytest.approx(two.standing.game.variance(node), abs=1e-6)


def test_saving_correcting_growing_and_forgetting(tmp_path):
    session = start(TREE, "longest-path", classes=("a", "b"), policy="variance:0.9")
    for node in (0, 3, 3, 6):
        session.learn(node, LABELS[node])
    session.skip(7)
    reason = session.predict(2).reason
    assert reason.count(". ") == 0
    assert "the policy goes by the variance of a gaussian beside it; " in reason
    session.save(tmp_path / "s.zk")
    again = zk.load(tmp_path / "s.zk", TREE)
    for node in range(9):
        assert again.predict(node) == session.predict(node)
        assert again.standing.game.variance(node) == session.standing.game.variance(node)
    session.correct(6, None)  # taken back, so no longer revealed
    answers = [(0, 0), (3, 1), (3, 1)]
    for node in range(9):
        assert session.standing.game.variance(node) == pytest.approx(
            by_definition(TREE, answers, node), abs=0.01
        )
    session.add_nodes(2, [(8, 9), (9, 10), (0, 10)])
    session.learn(10, "b")
    answers.append((10, 1))
    for node in range(11):
        expected = by_definition(session.graph, answers, node)
        assert session.standing.game.variance(node) == pytest.approx(expected, abs=0.01)
    session.save(tmp_path / "grown.zk")
    again = zk.load(tmp_path / "grown.zk", session.graph)
    assert [again.predict(node).ask for node in range(11)] == [
        session.predict(node).ask for node in range(11)
    ]
    short = start(TREE, "longest-path", classes=("a", "b"), policy="variance:0.9", forget=1)
    for node in (0, 3, 6):
        short.learn(node, LABELS[node])
    assert short.standing.game.variance(0) == pytest.approx(by_definition(TREE, [(6, 0)], 0), abs=0.01)


def test_tables_of_features_have_a_guide_too():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(30, 3))
    points, labels = zk.Features(matrix), np.where(matrix[:, 0] > 0, "a", "b")
    run = play(points, labels, "perceptron", policy="variance:0.4", repeats=4)
    assert 0 < run.queries < run.trials
    assert run.bound.value > 0


def test_who_gets_a_guide():
    doubt, value = parse_policy("doubt:1"), parse_policy("value")
    assert guided(make("ollgc"), doubt) == make("ollgc")
    assert guided(make("ollgc"), value).trait == "value"
    assert guided(make("random", inner="ollgc"), doubt) == make("random", inner="ollgc")
    learner = guided(make("random", inner="pounce"), doubt)
    assert isinstance(learner, Guided)
    assert guided(learner, value) is learner
    assert (learner.name, learner.params()["inner"]) == ("random", "pounce")
    assert guided(make("pounce"), parse_policy("margin:1")) == make("pounce")
    assert guided(make("perceptron"), doubt).growth == "carried"


def test_what_a_guide_cannot_do():
    signed = Graph.from_edges([(0, 1), (1, 2)], weights=[1.0, -1.0])
    with pytest.raises(GraphError, match="a policy that looks at the variance needs positive weights"):
        start(signed, "pounce", policy="doubt:1")
    learner = guided(make("pounce"), parse_policy("doubt:1"))
    state = learner.start(TREE)
    before = state.variance(4)
    state.update(3, 1)
    assert 0 < state.variance(4) < before
    assert state.explain(4)
    prepared = make("pounce").prepare(TREE)
    one = play(TREE, LABELS, "pounce", policy="doubt:0.2", prepared=prepared)
    two = play(TREE, LABELS, "pounce", policy="doubt:0.2")
    np.testing.assert_array_equal(one.margins, two.margins)


@pytest.mark.parametrize("name", ["perceptron", "propagation", "pounce", "longest-path", "auto"])
def test_a_grown_session_goes_on_from_its_file(name, tmp_path):
    """A perceptron that has grown is not one that learnt on the final graph, so the file must hold it."""
    session = start(TREE, name, classes=("a", "b"), policy="doubt:0.5")
    for node in (0, 4, 2, 7, 2):
        session.learn(node, LABELS[node])
    session.add_nodes(2, edges=[(9, 2), (9, 6), (10, 4), (10, 9)])
    session.save(tmp_path / "s.zk")
    again = zk.load(tmp_path / "s.zk", session.graph)
    for node, label in ((9, "b"), (6, "a"), (10, "b")):
        assert [again.predict(i) for i in range(11)] == [session.predict(i) for i in range(11)]
        assert [again.variance(i) for i in range(11)] == [session.variance(i) for i in range(11)]
        session.learn(node, label)
        again.learn(node, label)
    assert again.queries == session.queries
