"""Forgetting: the copy that predicts is a fresh learner on the latest answers; bounds hold under drift."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.checks import CHECKS
from zerokelvin.errors import ParameterError
from zerokelvin.learners.wrappers.forgetting import FAINT, Forgetting

PATH = zk.Graph.from_edges([(i, i + 1) for i in range(5)])
NAMES = ["perceptron", "pounce", "longest-path", "propagation", "gaussian", "nearest", "spanning-tree"]


def remembered(count, window):
    """By definition: how many of the first answers are forgotten after `count` of them."""
    begun = [start for start in range(0, count + 1, window) if start == 0 or start + window <= count]
    return begun[-1]


@settings(max_examples=40)
@given(strategies.games(max_nodes=7), st.integers(1, 6), st.sampled_from(NAMES))
def test_predictions_are_those_of_a_fresh_learner_on_the_latest_answers(game, window, name):
    graph, _, trials = game
    inner = zk.learners.make(name)
    game = Forgetting(inner, window).start_game(graph, 2, None, 3)
    for count in range(len(trials) + 1):
        since = remembered(count, window)
        assert game.first == since
        assert min(count, window) <= count - since < 2 * window
        fresh = inner.start_game(graph, 2, None, 3)
        for node, label in trials[since:count]:
            fresh.learn(node, int(label > 0))
        for node in range(graph.num_nodes):
            own = fresh.score(node)
            votes = sum(label for _, label in trials[since:count])
            wanted = own[0] if own.any() or since == 0 else FAINT * np.sign(votes)
            # a column solved beside others is rounded otherwise, hence no equality
            assert game.score(node)[0] == pytest.approx(wanted, rel=1e-9, abs=1e-13)
        every = game.scores(np.arange(graph.num_nodes))[:, 0]
        assert every.tolist() == [game.score(node)[0] for node in range(graph.num_nodes)]
        if count < len(trials):
            game.learn(trials[count][0], int(trials[count][1] > 0))


@given(strategies.games(max_nodes=6), st.integers(1, 6), st.integers(0, 25))
def test_taught_at_once_or_one_by_one(game, window, cut):
    graph, _, trials = game
    learner = Forgetting(zk.learners.make("longest-path"), window)
    one_by_one, at_once = (learner.start_game(graph, 2, None, 0) for _ in range(2))
    for part in (trials[:cut], trials[cut:]):
        nodes = np.array([node for node, _ in part], dtype=np.int64)
        codes = np.array([label > 0 for _, label in part], dtype=np.int64)
        at_once.teach(nodes, codes)
        for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
            one_by_one.learn(node, code)
        everywhere = np.arange(graph.num_nodes)
        assert at_once.scores(everywhere).tolist() == one_by_one.scores(everywhere).tolist()
        heirs = [game.heir for game in (at_once, one_by_one)]
        assert (heirs[0] is None) == (heirs[1] is None)
        if heirs[0] is not None:
            assert np.array_equal(heirs[0].states[0].seen_nodes, heirs[1].states[0].seen_nodes)


def test_a_window_that_is_never_full_changes_nothing():
    example = zk.generators.planted_partition([15, 15, 15], 0.4, 0.03, np.random.default_rng(0))
    for name in ("perceptron", "longest-path", "gaussian", "sslgc", "auto"):
        plain = zk.play(example.graph, example.labels, name, seed=2)
        kept = zk.play(example.graph, example.labels, name, seed=2, forget=1000)
        assert np.array_equal(plain.predicted, kept.predicted)
        assert np.array_equal(plain.asked, kept.asked)
        assert kept.bound.value == pytest.approx(plain.bound.value)


@pytest.mark.parametrize("name", ["perceptron", "longest-path", "gaussian", "ollgc", "auto", "random"])
@pytest.mark.parametrize("check", [c for c in CHECKS if c != "parameters rebuild the learner"])
def test_the_contract(name, check):
    CHECKS[check](Forgetting(zk.learners.make(name), 4))


@st.composite
def drifting_games(draw):
    """A connected graph, labelings that change a few times, and trials under the labelling of the moment."""
    graph = draw(strategies.graphs(max_nodes=7, connected=True))
    count = draw(st.integers(1, 30))
    changes = draw(st.lists(st.integers(0, count), max_size=3))
    signs = st.lists(st.sampled_from([-1, 1]), min_size=graph.num_nodes, max_size=graph.num_nodes)
    labelings = [np.array(draw(signs)) for _ in range(len(changes) + 1)]
    nodes = draw(st.lists(st.integers(0, graph.num_nodes - 1), min_size=count, max_size=count))
    at = np.searchsorted(np.sort(changes), np.arange(count), side="right")
    return graph, nodes, [int(labelings[k][node]) for k, node in zip(at, nodes, strict=True)], sorted(changes)


@given(
    drifting_games(), st.integers(1, 8), st.sampled_from(["perceptron", "pounce", "longest-path", "gaussian"])
)
def test_mistakes_stay_within_the_sum_over_the_stretches(game, window, name):
    graph, nodes, labels, _ = game
    game = Forgetting(zk.learners.make(name), window).start_game(graph, 2, None, 0)
    mistakes = 0
    for node, label in zip(nodes, labels, strict=True):
        mistakes += (1 if game.score(node)[0] >= 0 else -1) != label
        game.learn(node, int(label > 0))
    bound = game.bound([np.ones(graph.num_nodes, dtype=np.int64)])
    assert bound.allows(mistakes) or not bound.holds
    assert len(bound.parts) == (0 if len(nodes) <= 2 * window else -(-len(nodes) // window) - 1)


@given(drifting_games(), st.integers(1, 8))
def test_the_tracking_bound(game, window):
    """Mistakes are at most ⌈T/W⌉ B* + 2WD, B* the most the learner errs on a stretch without a change."""
    graph, nodes, labels, changes = game
    total = len(nodes)
    inner = zk.learners.make("longest-path")

    def errors(copy, start, stop):
        wrong = 0
        for i in range(start, stop):
            wrong += (1 if copy.score(nodes[i])[0] >= 0 else -1) != labels[i]
            copy.learn(nodes[i], int(labels[i] > 0))
        return wrong

    edges = [0, *changes, total]
    still = [
        (start, min(stop, start + 2 * window))
        for a, stop in itertools.pairwise(edges)
        for start in range(a, stop)
    ]
    worst = max(errors(inner.start_game(graph, 2, None, 0), *part) for part in still)
    made = errors(Forgetting(inner, window).start_game(graph, 2, None, 0), 0, total)
    assert made <= -(-total // window) * worst + 2 * window * len(changes)


def test_it_follows_labels_that_have_changed():
    """Long after a change the old labels count for nothing, which without forgetting they do."""
    example = zk.generators.planted_partition([30, 30], 0.3, 0.02, np.random.default_rng(1))
    order = np.random.default_rng(0).permutation(60).tolist() * 4
    kept = zk.play(example.graph, example.labels, "propagation", order=order, drift=1)
    lost = zk.play(example.graph, example.labels, "propagation", order=order, drift=1, forget=30)
    assert lost.mistaken[180:].sum() <= 2
    assert kept.mistaken[120:].sum() > lost.mistaken[120:].sum() + 20


def test_a_forgotten_component_takes_the_class_remembered():
    islands = zk.Graph.from_edges([(0, 1), (2, 3)])
    session = zk.start(islands, "longest-path", classes=["a", "b"], forget=2)
    session.learn(0, "a")
    for node in (2, 3, 2, 3):
        session.learn(node, "b")
    assert session.predict(1).label == "b"
    assert session.predict(1).margin == FAINT
    assert session.predict_all().tolist() == ["b"] * 4
    assert len(session.bound(["a", "a", "b", "b"]).parts) == 2
    three = zk.start(islands, "longest-path", classes=["a", "b", "c"], forget=2)
    for node, label in [(0, "a"), (1, "a"), (2, "c"), (3, "c")]:
        three.learn(node, label)
    assert three.predict(1).label == "c"


def test_guesses_by_the_class_remembered_are_no_part_of_the_bound():
    islands = zk.Graph.from_edges([(0, 1), (2, 3)])
    session = zk.start(islands, "longest-path", classes=["a", "b"], forget=1)
    for node in (0, 2, 3, 1):  # node 1 comes when node 0 is forgotten
        session.learn(node, "b")
    bound = session.bound(["b"] * 4)
    assert not bound.holds
    assert "class remembered" in str(bound)


def test_sessions_that_forget(tmp_path):
    session = zk.start(PATH, "perceptron", classes=["x", "y"], forget=2, b=2.0)
    for node, label in [(0, "x"), (5, "y"), (1, "y"), (2, "x"), (3, "x")]:
        session.learn(node, label)
    assert "perceptron" in session.predict(4).reason
    session.save(tmp_path / "s.zk")
    loaded = zk.load(tmp_path / "s.zk", PATH)
    assert (loaded.learner.window, loaded.learner.params()) == (2, session.learner.params())
    assert [loaded.predict(i) for i in range(6)] == [session.predict(i) for i in range(6)]
    loaded.correct(2, "y")
    loaded.add_nodes(1, [(5, 6)])
    fresh = zk.start(loaded.graph, "perceptron", classes=["x", "y"], forget=2, b=2.0)
    for node, label in [(0, "x"), (5, "y"), (1, "y"), (2, "y"), (3, "x")]:
        fresh.learn(node, label)
    assert [loaded.predict(i).margin for i in range(7)] == [fresh.predict(i).margin for i in range(7)]


def test_features():
    table = zk.Features(np.random.default_rng(0).normal(size=(20, 3)))
    run = zk.play(table, (table.X[:, 0] > 0).astype(int), "perceptron", forget=5)
    assert run.trials == 20
    assert run.bound.value >= 0


@pytest.mark.parametrize("window", [0, -3, 2.5, True, "9"])
def test_bad_windows(window):
    with pytest.raises(ParameterError, match="forget="):
        zk.start(PATH, "perceptron", forget=window)


def test_drift_moves_whole_classes_at_even_moments():
    labels = ["a", "b", "c"] * 2
    run = zk.play(PATH, labels, "nearest", order=list(range(6)) * 10, drift=3, seed=5)
    shown = np.array(run.labels).reshape(10, 6)
    changes = 0
    truth = np.array(labels * 10)
    place = dict(zip("abc", "abc", strict=True))
    for t, (was, now) in enumerate(zip(truth, run.labels, strict=True)):
        if place[was] != now:
            changes += 1
            other = next(k for k, v in place.items() if v == now)
            place[was], place[other] = place[other], place[was]
            assert any(15 * k <= t < 15 * k + 3 for k in (1, 2, 3))  # seen when its first node comes
    assert 1 <= changes <= 3
    assert all(len(set(row)) == 3 for row in shown[[0, -1]].tolist())
    with pytest.raises(ParameterError, match="drift=-1"):
        zk.play(PATH, labels, "perceptron", drift=-1)


def test_a_bound_says_nothing_of_trials_let_pass():
    lone = zk.Graph.from_edges([], num_nodes=1)
    run = zk.play(
        lone, ["a"], "bbq", classes=("a", "b"), seed=582, label_noise=0.4, repeats=6, drift=2, forget=2
    )
    assert not run.asked.all()
    assert not run.bound.is_broken_by(run.mistakes)
    assert "every label is asked for" in str(run.bound)
    assert zk.play(lone, ["a"], "perceptron", classes=("a", "b"), repeats=6, forget=2).bound.holds
