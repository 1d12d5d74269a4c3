"""Sessions lose nothing: Ctrl-C anywhere leaves all old events or all new ones, and a state that fits."""

import contextlib
import copy
import pickle
import signal
from functools import partial

import numpy as np
import pytest

import zerokelvin as zk
from interrupting import figures, fresh, interrupted, lines_of
from zerokelvin import threads
from zerokelvin.errors import LabelError, NodeError
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.perceptron.perceptron_state import PerceptronState
from zerokelvin.session.prediction import LEARN


@pytest.fixture(autouse=True)
def own_gate(monkeypatch):
    """Tracing strikes where no signal can, also between a lock and its release: never in everyone's lock."""
    monkeypatch.setattr(threads, "_GATE", threads._Gate())


RING = zk.Graph.from_edges([(i, (i + 1) % 8) for i in range(8)] + [(0, 4)])


def begun(learner="perceptron"):
    session = zk.start(RING, learner, classes=["a", "b"], open_classes=True, policy="margin:0.4", seed=3)
    session.teach({5: "b"})
    for node, label in [(0, "a"), (4, "b"), (1, "b"), (6, "a")]:
        session.learn(node, label)
    session.skip(7)
    return session


CALLS = {
    "learn": lambda s: s.learn(2, "a"),
    "a new class": lambda s: s.learn(2, "c"),
    "teach": lambda s: s.teach({2: "a", 3: "b"}),
    "teach a new class": lambda s: s.teach([(2, "a"), (3, "d")]),
    "correct": lambda s: s.correct(0, "b"),
    "take back": lambda s: s.correct(4, None),
    "skip": lambda s: s.skip(2),
    "predict": lambda s: s.predict(3),
    "questions": lambda s: s.open_questions(),
}


@pytest.mark.parametrize("learner", ["perceptron", "nearest", "longest-path", "sslgc"])
@pytest.mark.parametrize("call", CALLS)
def test_an_interrupt_anywhere_leaves_all_or_nothing(learner, call):
    old, new = begun(learner), begun(learner)
    CALLS[call](new)
    before, after = figures(old), figures(new)
    other = begun(learner)
    lines = lines_of(lambda: CALLS[call](other))
    assert lines > 10
    for at in sorted({*range(1, lines, max(1, lines // 40)), *range(max(1, lines - 25), lines + 1)}):
        session = begun(learner)
        interrupted(partial(CALLS[call], session), at)
        found = figures(session)
        assert found in (before, after), at
        assert found == figures(fresh(session))
        session.learn(3, "b")  # and it goes on
        assert figures(session) == figures(fresh(session))


@pytest.mark.parametrize("learner", ["perceptron", "longest-path"])
def test_an_interrupted_growth_leaves_the_session_as_it_was(learner):
    def grow(session):
        session.add_nodes(2, [(8, 0), (9, 8)])

    small, large = begun(learner), begun(learner)
    grow(large)
    other = begun(learner)
    lines = lines_of(lambda: grow(other))
    for at in range(1, lines, max(1, lines // 60)):
        session = begun(learner)
        interrupted(partial(grow, session), at)
        expected = small if session.graph.num_nodes == 8 else large
        assert figures(session) == figures(expected)


# Interrupted between the end of a `with` block and its exit, Python leaves the draft to the collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupted_save_leaves_the_old_file_and_the_session(tmp_path):
    session, path = begun(), tmp_path / "s.zk"
    session.save(path)
    old, before = path.read_bytes(), figures(session)
    session.learn(2, "a")
    lines, new = lines_of(lambda: session.save(path)), figures(session)
    for at in range(1, lines, max(1, lines // 60)):
        path.write_bytes(old)
        interrupted(lambda: session.save(path), at)
        assert figures(session) == new
        assert figures(zk.load(path, RING)) in (before, new)
        assert [entry.name for entry in tmp_path.iterdir()] == ["s.zk"]


def test_an_interrupted_correction_of_a_grown_perceptron_keeps_what_it_carried():
    session, still = begun(), begun()
    for one in (session, still):
        one.add_nodes(1, [(8, 0)])
    other = copy.deepcopy(session)
    lines = lines_of(lambda: other.correct(0, "b"))
    tries = 0
    for at in range(1, lines, max(1, lines // 50)):
        interrupted(lambda: session.correct(0, "b"), at)
        if session.events != still.events:
            break
        assert figures(session) == figures(still)
        tries += 1
    assert tries > 10


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # one in a finaliser is lost
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer that interrupts")
def test_signals_at_any_moment():
    """As Ctrl-C does, between any two steps of the interpreter."""
    session, warm = (
        zk.start(RING, "nearest", classes=["a", "b"], open_classes=True, policy="margin:0.4", seed=3)
        for _ in range(2)
    )
    for node in range(8):  # kernels are loaded now, for numba itself does not bear to be interrupted
        warm.learn(node, "a")
        warm.correct(node, "b")
    known = [session.events]

    def alarm(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        for i in range(150):
            node, label = i % 8, "ab"[i % 3 % 2]
            with contextlib.suppress(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + i % 40))
                answered = any(event.node == node for event in known[-1])
                session.correct(node, label) if i % 5 == 4 and answered else session.learn(node, label)
                signal.setitimer(signal.ITIMER_REAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            told = known[-1]
            at = max((j for j, event in enumerate(told) if event.node == node), default=0)
            may = [told, [*told, (LEARN, node, label)], [*told[:at], (LEARN, node, label), *told[at + 1 :]]]
            assert session.events in may
            known.append(session.events)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert figures(session) == figures(fresh(session))


def test_a_learner_that_fails_half_way_costs_no_answer(monkeypatch):
    session = begun()
    before = figures(session)
    whole = PerceptronState.update

    def half(self, node, label):
        self.w += 1.0
        raise MemoryError

    monkeypatch.setattr(PerceptronState, "update", half)
    with pytest.raises(MemoryError):
        session.learn(2, "a")
    monkeypatch.setattr(PerceptronState, "update", whole)
    assert figures(session) == before == figures(fresh(session))


def test_one_bad_pair_and_nothing_is_taught():
    session = begun()
    before = figures(session)
    for bad, error in (
        ({2: "a", "zoe": "b"}, NodeError),
        ([(2, "a"), (3, None)], LabelError),
        ("ab", LabelError),
    ):
        for call in (session.teach, session.learn_many):
            with pytest.raises(error):
                call(bad)
    closed = zk.start(RING, "perceptron", classes=["a", "b"])
    with pytest.raises(LabelError, match="not among"):
        closed.teach({2: "a", 3: "A"})
    assert closed.events == []
    assert figures(session) == before


@pytest.mark.parametrize("grown", [False, True])
@pytest.mark.parametrize("kernel", ["laplacian", None])
def test_copies_share_nothing(grown, kernel):
    learner = Perceptron() if kernel else Perceptron(kernel=np.eye(8))
    session = zk.start(RING, learner, classes=["a", "b"])
    session.learn(0, "a")
    session.teach({4: "b"})
    if grown:
        session.add_edges([(2, 6)])
    before = figures(session)
    for other in (copy.copy(session), copy.deepcopy(session), pickle.loads(pickle.dumps(session))):  # noqa: S301
        assert figures(other) == figures(session)
        other.learn(1, "b")
        assert (session.trials, other.trials) == (1, 2)
        assert figures(session) == before
