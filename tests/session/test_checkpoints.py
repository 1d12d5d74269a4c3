"""Corrections that begin at a copy of the game: the session is what one told the right answers would be."""

import itertools
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from interrupting import figures, fresh, interrupted, lines_of
from zerokelvin import threads
from zerokelvin.errors import SessionError
from zerokelvin.learners.auto import mixture
from zerokelvin.learners.base import kept
from zerokelvin.learners.base.kept import PackedArray
from zerokelvin.session import checkpoints
from zerokelvin.session.checkpoints import Checkpoint, Checkpoints, Moment, stretches
from zerokelvin.session.following import SessionTally
from zerokelvin.session.prediction import LEARN, SKIP


@pytest.fixture(autouse=True)
def own_gate(monkeypatch):
    """Tracing strikes where no signal can, also between a lock and its release: never in everyone's lock."""
    monkeypatch.setattr(threads, "_GATE", threads._Gate())


LEARNERS = ["perceptron", "gaussian", "longest-path", "spanning-tree", "nearest", "sslgc", "auto", "random"]
NOTHING = Moment(0, SessionTally.empty(2, 1), zk.Graph.from_edges([(0, 1)]), 0)
POLICIES = ["always", "margin:0.3", "random:0.5", "doubt:1", "value"]


@pytest.fixture(autouse=True)
def close_together(monkeypatch):
    """Copies after every second event, of which few are kept, so that short games have them."""
    monkeypatch.setattr(checkpoints, "STEP", 2)
    monkeypatch.setattr(checkpoints, "MOST", 4)
    monkeypatch.setattr(mixture, "KEPT_AT_ONCE", 8)  # of nineteen experts: three steps


def view(session):
    names = [session.graph.name(i) for i in range(session.graph.num_nodes)]
    outcomes = session.standing.outcomes
    return (
        session.events,
        outcomes,
        session.mistakes,
        session.queries,
        session.trials,
        session.classes,
        [session.predict(name) for name in names],
    )


def told_again(session, **terms):
    """A session started anew and told the events of another one by one."""
    other = zk.start(session.graph, session.learner, **terms)
    for kind, node, label in session.events:
        if kind == LEARN:
            other.learn(node, label)
        elif kind == SKIP:
            other.skip(node)
        else:
            other.teach({node: label})
    return other


@st.composite
def scripts(draw):
    graph = draw(strategies.graphs(max_nodes=7))
    node, label = st.integers(0, graph.num_nodes - 1), st.sampled_from(["a", "b", "c"])
    call = st.one_of(
        st.tuples(st.just("learn"), node, label),
        st.tuples(st.just("learn"), node, label),
        st.tuples(st.just("teach"), st.lists(st.tuples(node, label), min_size=1, max_size=9)),
        st.tuples(st.just("learn_many"), st.lists(st.tuples(node, label), min_size=1, max_size=9)),
        st.tuples(st.just("skip"), node),
        st.tuples(st.just("correct"), node, st.one_of(label, st.none())),
    )
    return graph, draw(st.lists(call, min_size=6, max_size=24))


@pytest.mark.parametrize("learner", LEARNERS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    script=scripts(),
    policy=st.sampled_from(POLICIES),
    budget=st.sampled_from([None, 3]),
    forget=st.sampled_from([None, 3]),
)
def test_corrections_from_a_copy_equal_the_right_answers_from_the_start(
    learner, script, policy, budget, forget
):
    graph, calls = script
    terms = {"classes": ["a", "b", "c"], "policy": policy, "seed": 5, "budget": budget, "forget": forget}
    session = zk.start(graph, learner, **terms)
    del terms["forget"]  # it is in the learner
    for name, *values in calls:
        try:
            getattr(session, name)(*values)
        except SessionError:
            assert name == "correct"
    assert view(session) == view(told_again(session, **terms))
    assert counts(session.standing) == counted_one_by_one(session.standing)


def counts(standing):
    figures = (standing.trials, standing.mistakes, standing.queries, standing.overruled, standing.late)
    return figures, standing.counts.tolist(), standing.labelled.tolist()


def counted_one_by_one(standing):
    trials = mistakes = queries = overruled = late = 0
    labels, labelled = [0] * len(standing.classes), [False] * standing.graph.num_components
    for (kind, node, label), found in zip(standing.events, standing.outcomes, strict=True):
        trials += kind in (LEARN, SKIP)
        if kind != SKIP:
            labels[standing.classes.index(label)] += 1
            labelled[standing.graph.components[node]] = True
        if kind == LEARN:
            mistakes += found.predicted is not None and found.predicted != label
            queries += found.asked
            overruled += found.overruled
            late += found.late
    return (trials, mistakes, queries, overruled, late), labels, labelled


@pytest.mark.parametrize("learner", ["longest-path", "gaussian", "perceptron"])
def test_a_correction_learns_no_more_than_what_follows_the_copy(learner, monkeypatch):
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(60)])
    session = zk.start(graph, learner, classes=["a", "b"])
    for node in range(50):
        session.learn(node, "ab"[node // 10 % 2])
    game = type(session.standing.game)
    learnt = []
    ways = {"scores_in_order": lambda nodes, codes: len(nodes), "learn": lambda *values: 1}
    for name, count in ways.items():
        plain = getattr(game, name)

        def counted(self, *values, plain=plain, count=count, name=name):
            before = len(learnt)
            found = plain(self, *values)
            del learnt[before:]
            learnt.extend([name] * count(*values))
            return found

        monkeypatch.setattr(game, name, counted)
    copy = session.standing.checkpoints.before(45)
    assert 40 <= copy.events <= 45
    session.correct(45, "a")
    assert len(learnt) == 50 - copy.events


def test_copies_are_thinned_to_growing_distances(monkeypatch):
    monkeypatch.setattr(checkpoints, "MOST", 6)
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(400)])
    session = zk.start(graph, "longest-path", classes=["a", "b"])
    for node in range(300):
        session.learn(node, "ab"[node // 50 % 2])
    places = np.array(session.standing.checkpoints.places)
    assert len(places) == 6
    assert 300 - places[-1] < 2
    gaps = np.diff([0, *places])
    assert (gaps[:-1] >= gaps[1:]).sum() >= 4  # wider, the longer ago
    assert gaps[0] < 250


def grown_grid():
    return zk.generators.planted_partition([20, 20], 0.3, 0.05, np.random.default_rng(1)).graph


@pytest.mark.parametrize(
    ("at_once", "piece"), [(1, kept.PIECE), (3, kept.PIECE), (100, kept.PIECE), (3, 2048), (100, 2048)]
)
def test_a_copy_in_steps_is_where_the_game_was_after_the_last(at_once, piece, monkeypatch):
    small = piece < kept.PIECE
    monkeypatch.setattr(kept, "PIECE", piece)  # bytes of room taken at a time
    if small:  # a clock by which a step ends after a few of them
        monkeypatch.setattr(kept, "time", SimpleNamespace(perf_counter=itertools.count().__next__))
        monkeypatch.setattr(kept, "AT_ONCE", 3)
    monkeypatch.setattr(mixture, "KEPT_AT_ONCE", at_once)
    monkeypatch.setattr(checkpoints, "STEP", 5)
    session = zk.start(grown_grid(), "auto", classes=["a", "b"])
    for node in range(39, 4, -1):
        session.learn(node, "ab"[node // 20])
    experts = len(session.standing.game.mixture.experts)
    steps = {1: experts, 3: (experts - 1) // 3, 100: 0}[at_once]
    places = session.standing.checkpoints.places
    assert places
    in_one_piece = all((place - (5 + steps)) % (5 + steps) == 0 for place in places)
    assert in_one_piece != small
    for one in session.standing.checkpoints._kept:
        plain = zk.start(session.graph, "auto", classes=["a", "b"])
        for node in range(39, 39 - one.events, -1):
            plain.learn(node, "ab"[node // 20])
        twin = one.game.twin()
        everyone = np.arange(40)
        assert np.array_equal(twin.scores(everyone), plain.standing.game.scores(everyone))
        assert twin.trusted() == plain.standing.game.trusted()
        assert one.moment.tally.mistakes == plain.mistakes
        twin.learn(0, 1)
        plain.learn(0, "b")
        assert np.array_equal(twin.scores(everyone), plain.standing.game.scores(everyone))


def test_many_answers_at_once_end_a_copy_in_steps(monkeypatch):
    monkeypatch.setattr(checkpoints, "STEP", 5)
    monkeypatch.setattr(mixture, "KEPT_AT_ONCE", 1)
    session = zk.start(grown_grid(), "auto", classes=["a", "b"])
    for node in range(7):
        session.learn(node, "ab"[node % 2])
    assert session.standing.checkpoints.places == ()
    assert session.standing.game.mixture._journal is not None
    session.learn_many([(node, "ab"[node % 2]) for node in range(7, 15)])
    assert session.standing.checkpoints.places == (15,)
    assert session.standing.game.mixture._journal is None
    session.correct(3, "a")
    assert view(session) == view(told_again(session, classes=["a", "b"]))


def test_copies_stay_within_their_room(monkeypatch):
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(50)])
    session = zk.start(graph, "gaussian", classes=["a", "b"])
    for node in range(10):
        session.learn(node, "a")
    one = session.standing.checkpoints._kept[0].size
    assert 3 * 51 * 8 <= one < 12 * 51 * 8  # the diagonal, and what is not 0 of the fields of two classes
    assert len(session.standing.checkpoints.places) == 4
    monkeypatch.setattr(checkpoints, "ROOM", 3 * one)
    session.learn(20, "b")
    session.learn(21, "b")
    assert 1 <= len(session.standing.checkpoints.places) < 4
    assert session.standing.checkpoints.size <= 3 * one
    monkeypatch.setattr(checkpoints, "ROOM", one // 2)
    session.learn(22, "b")
    session.learn(23, "b")
    session.learn(24, "b")
    assert session.standing.checkpoints.places == ()
    session.correct(3, "b")
    assert session.predict(3).label == "b"


def test_the_size_of_a_copy_is_what_it_does_not_share():
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(99)])
    game = zk.learners.make("gaussian").start_game(graph, 3)
    empty = Checkpoint.of(game, NOTHING).size
    assert 3 * 100 * 8 <= empty < 4 * 100 * 8  # the diagonal; all else is 0
    for node in range(0, 100, 3):
        game.learn(node, node % 3)
    fields, diagonal = 3 * 3 * 100 * 8, 3 * 100 * 8
    assert empty < Checkpoint.of(game, NOTHING).size < fields + diagonal
    assert Checkpoints().before(9) is None


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((3, 4)),
        np.arange(12.0).reshape(3, 4),
        np.eye(9, dtype=np.int64) * -7,
        np.arange(5) + (1 << 40),
        np.arange(5) - (1 << 31),
        np.array(3.5),
        np.zeros((0, 2), dtype=np.int8),
        np.array([True, False, False, False, False]),
        np.arange(20, dtype=np.int64).reshape(4, 5).T,
    ],
)
def test_a_packed_array_comes_back_to_the_last_bit(array):
    found = PackedArray(array).unpacked()
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert np.array_equal(found, array)
    array[...] = 1  # and it was a copy
    assert not np.shares_memory(found, array)


@given(st.integers(0, 50), st.integers(0, 5000))
def test_stretches_cover_the_way_and_end_in_short_ones(begin, length):
    parts = list(stretches(begin, begin + length))
    assert [start for start, _ in parts] == [begin, *(stop for _, stop in parts[:-1])][: len(parts)]
    assert sum(stop - start for start, stop in parts) == length
    assert all(stop > start for start, stop in parts)


def test_a_new_budget_finds_anew_what_was_asked():
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(20)])
    session = zk.start(graph, "longest-path", classes=["a", "b"])
    for node in range(12):
        session.learn(node, "a")
    session.budget = 3
    session.correct(11, "b")
    other = zk.start(graph, "longest-path", classes=["a", "b"], budget=3)
    for node in range(12):
        other.learn(node, "b" if node == 11 else "a")
    assert (session.queries, view(session)) == (3, view(other))


def test_after_growth_a_correction_begins_anew_and_then_at_copies():
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(20)])
    session = zk.start(graph, "gaussian", classes=["a", "b"])
    for node in range(8):
        session.learn(node, "a")
    session.add_nodes(1, [(0, 21)])
    for node in range(8, 14):
        session.learn(node, "b")
    assert session.standing.checkpoints.places  # of the repaired fields: of use after an interruption only
    session.correct(10, "a")
    session.correct(12, "a")
    other = zk.start(session.graph, "gaussian", classes=["a", "b"])
    for node in range(14):
        other.learn(node, "a" if node < 8 or node in (10, 12) else "b")
    assert np.array_equal(session._all_margins(), other._all_margins())


RING = zk.Graph.from_edges([(i, (i + 1) % 8) for i in range(8)] + [(0, 4)])


def begun(learner):
    session = zk.start(RING, learner, classes=["a", "b"], open_classes=True, policy="margin:0.4", seed=3)
    session.teach({5: "b", 6: "b", 7: "b"})
    for node, label in [(0, "a"), (4, "b"), (1, "b"), (6, "a")]:
        session.learn(node, label)
    return session


CALLS = {
    "learn": lambda s: s.learn(2, "a"),
    "teach": lambda s: s.teach({2: "a", 3: "b", 1: "a", 0: "a", 5: "a"}),
    "learn many": lambda s: s.learn_many({2: "a", 3: "b", 1: "a", 0: "a", 5: "a", 7: "a"}),
    "correct": lambda s: s.correct(1, "a"),
    "take back": lambda s: s.correct(4, None),
}


@pytest.mark.parametrize("learner", ["perceptron", "longest-path", "auto"])
@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_anywhere_leaves_all_or_nothing_with_copies(learner, call):
    new = begun(learner)
    CALLS[call](new)
    before, after = figures(begun(learner)), figures(new)
    other = begun(learner)
    lines = lines_of(lambda: CALLS[call](other))
    for at in sorted({*range(1, lines, max(1, lines // 12)), *range(max(1, lines - 12), lines + 1)}):
        session = begun(learner)
        interrupted(partial(CALLS[call], session), at)
        found = figures(session)
        assert found in (before, after), at
        assert found == figures(fresh(session))
        session.correct(6, "b")  # and copies made meanwhile are right
        assert figures(session) == figures(fresh(session))
