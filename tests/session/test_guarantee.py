"""Random checks and the guarantee of a session: saved, copied, corrected, grown, true of learners."""

import contextlib
import copy

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import SessionError
from zerokelvin.session import standing
from zerokelvin.stopping import StoppedError, stop_when


def blobs(seed, nodes=240, noise=0.0):
    """Points in three clusters, and labels some of which are another cluster's."""
    rng = np.random.default_rng(seed)
    classes = np.arange(nodes) % 3
    points = rng.normal(size=(nodes, 2)) + 3.2 * np.array([[0, 0], [1, 0], [0, 1]])[classes]
    flipped = rng.random(nodes) < noise
    return zk.knn_graph(points, k=6), np.where(flipped, (classes + 1) % 3, classes)


def checked(session, labels, checks):
    for _ in range(checks):
        node = session.random_check()
        session.learn(node, int(labels[node]))
    return session


def begun(seed=0, learner="propagation", checks=40):
    graph, labels = blobs(seed)
    session = zk.start(graph, learner, classes=[0, 1, 2], seed=seed)
    session.teach({node: int(labels[node]) for node in range(60)})
    return checked(session, labels, checks), labels


@pytest.mark.parametrize(("learner", "asking"), [("propagation", 0), ("nearest", 1), ("longest-path", 1)])
def test_the_limit_is_not_below_the_truth(learner, asking):
    """At any time, in games with other answers between the checks, of learners whose predictions change."""
    games, below = 20, 0
    for seed in range(games):
        graph, labels = blobs(seed, noise=0.08)
        session = zk.start(graph, learner, classes=[0, 1, 2], seed=seed)
        session.teach({node: int(labels[node]) for node in range(9)})
        missed = False
        for step in range(50):
            checked(session, labels, 1)
            if asking and step % 3 == 0:
                node = session.open_questions(1)[0]
                session.learn(node, int(labels[node]))
            if step % 10 == 9:
                answered = {event.node for event in session.events}
                wrong = session.predict_all() != labels
                left = sum(bool(wrong[node]) for node in range(len(labels)) if node not in answered)
                missed |= left > session.guarantee().wrong_at_most
        below += missed
    assert below <= 0.05 * games + 1


def change(session, labels, rng, folder):
    """One thing that may happen to a session: told, corrected, grown, copied, saved, interrupted, stopped."""
    node, other = (int(one) for one in rng.integers(len(labels), size=2))
    told = {event.node for event in session.events if event.label is not None}
    match int(rng.integers(14)):
        case 0:
            session.learn_many([(node, int(labels[node])), (other, int(labels[other]))])
        case 1:
            session.skip(node)
        case 2:
            session.teach({node: int(labels[node])})
        case 3 if node in told:
            session.correct(node, int((labels[node] + 1) % 3))
        case 4 if node in told:
            session.correct(node, None)
        case 5:
            session.add_nodes(1, [(session.graph.num_nodes, node)])
        case 6:
            session = copy.copy(session)
        case 7:
            session = copy.deepcopy(session)
        case 8:
            session.save(folder / "s.zk")
            session = zk.load(folder / "s.zk", session.graph)
        case 9:
            session._standing.intact = False  # as an interrupt leaves it
        case 10:
            with session.supposing([(node, int(labels[node]))]) as supposed:
                supposed.random_check()
                supposed.guarantee()
        case 11:
            left = iter([False, True])
            with contextlib.suppress(StoppedError), stop_when(lambda: next(left, False)):
                session.guarantee()
        case 12:
            session.budget = int(rng.integers(500, 600))
        case _:
            session.learn(node, int(labels[node]))
    return session


@pytest.mark.parametrize("learner", ["nearest", "propagation", "longest-path", "auto"])
def test_what_a_check_holds_may_be_read_later(learner, tmp_path, monkeypatch):
    """Two sessions to which the same happens, one of which reads at once what its checks hold."""
    monkeypatch.setattr(standing, "PART", 16)
    held = 0
    for seed in range(3 if learner == "auto" else 12):
        rng, (graph, labels) = np.random.default_rng(seed), blobs(seed, nodes=60, noise=0.2)
        later = zk.start(graph, learner, classes=[0, 1, 2], seed=seed)
        once = copy.deepcopy(later)
        for _ in range(80):
            if rng.random() < 0.6:
                node = later.random_check()
                assert once.random_check() == node
                once.standing.hold()
                if rng.random() < 0.8 and node < len(labels):
                    for session in (later, once):
                        session.learn(node, int(labels[node]))
            state = rng.bit_generator.state
            later = change(later, labels, rng, tmp_path)
            rng.bit_generator.state = state
            once = change(once, labels, rng, tmp_path)
            if rng.random() < 0.1:
                assert later.guarantee() == once.guarantee()
        ours, theirs = later.standing.audit, once.standing.audit
        assert (ours.labels, ours.draws) == (theirs.labels, theirs.draws)
        assert [one.told for one in ours.held] == [one.told for one in theirs.held]
        for mine, own in zip(ours.held, theirs.held, strict=True):
            assert np.array_equal(mine.codes, own.codes)
        held += len(ours.held)
    assert held > seed


def test_a_draw_reads_nothing(monkeypatch):
    session, labels = begun(checks=0)
    before = session.predict_all().tolist()
    with monkeypatch.context() as patch:
        patch.setattr(type(session.standing), "predicted", None)
        node = session.random_check()
    assert session.standing.audit.held[-1].told == len(session.events)
    held = session.standing.audit.held[-1]
    assert [session.standing.audit.labels[code] for code in held.codes] == before
    session.learn(node, int(labels[node]))
    assert session.standing.audit.held[-1] is held


def test_an_interrupt_while_it_is_read_what_a_check_holds(monkeypatch):
    """A correction leaves the present standing alone, but reads it first: interrupted, it is made anew."""
    interrupted, labels = begun(checks=0)
    plain, _ = begun(checks=0)
    assert interrupted.random_check() == plain.random_check()

    def interrupt(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(interrupted.standing), "predicted", interrupt)
        with pytest.raises(KeyboardInterrupt):
            interrupted.correct(3, int(labels[4]))
    assert not interrupted._standing.intact
    for session in (interrupted, plain):
        session.correct(3, int(labels[4]))
        checked(session, labels, 10)
    assert interrupted.guarantee() == plain.guarantee()
    ours, theirs = interrupted.standing.audit.held, plain.standing.audit.held
    assert [one.codes.tolist() for one in ours] == [one.codes.tolist() for one in theirs]


def test_a_saved_session_goes_on_with_its_checks(tmp_path):
    session, labels = begun()
    drawn = session.random_check()
    session.save(tmp_path / "s.zk")
    again = zk.load(tmp_path / "s.zk", session.graph)
    assert again.random_check() == drawn
    assert again.guarantee() == session.guarantee()
    assert checked(again, labels, 20).guarantee() == checked(session, labels, 20).guarantee()


def test_a_copy_has_the_checks():
    session, _ = begun()
    assert copy.deepcopy(session).guarantee() == session.guarantee()


def next_right(session, labels):
    """The next check whose prediction is right, those before it being answered."""
    while session.predict(session.random_check()).label != labels[session.random_check()]:
        checked(session, labels, 1)
    return session.random_check()


def test_a_check_that_is_skipped_counts_as_wrong_until_it_is_answered():
    session, labels = begun()
    node = next_right(session, labels)
    before = session.guarantee().wrong_at_most
    session.skip(node)
    assert session.guarantee().wrong_at_most >= before
    assert session.random_check() != node
    session.learn(node, int(labels[node]))
    assert session.guarantee().wrong_at_most <= before


def test_after_a_correction_the_guarantee_is_that_of_the_right_answer():
    (session, labels), (right, _) = begun(learner="nearest"), begun(learner="nearest")
    node = next_right(session, labels)
    next_right(right, labels)
    for one, label in ((session, (int(labels[node]) + 1) % 3), (right, int(labels[node]))):
        one.learn(node, label)
    session.correct(node, int(labels[node]))
    assert session.guarantee() == right.guarantee()
    session.correct(node, None)  # the check waits again, and counts as before once it is answered
    assert session.random_check() == node
    session.learn(node, int(labels[node]))
    assert session.guarantee() == right.guarantee()
    session.correct(session.events[0].node, None)  # draws after it were made from fewer nodes
    assert session.guarantee().checks == 0


def test_new_nodes_are_not_covered_by_old_checks():
    session, _ = begun()
    before = session.guarantee()
    session.add_nodes(3, edges=[(240, 0), (241, 1), (242, 2)])
    after = session.guarantee()
    assert after.unasked == before.unasked + 3
    assert after.wrong_at_most >= before.wrong_at_most + 3


def test_a_damaged_table_of_checks_is_refused(tmp_path):
    session, _ = begun(checks=3)
    session.save(tmp_path / "s.zk")
    with np.load(tmp_path / "s.zk", allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    from zerokelvin.io.session_file import read_session, write_session

    header = dict(read_session(tmp_path / "s.zk").header)
    header.pop("sha256")
    arrays.pop("header")
    for name, change in (
        ("checks", lambda a: a + np.array([0, 1000])),
        ("checks", lambda a: np.vstack([a[:1], a[:1]])),
        ("held", lambda a: a + np.array([0, 1])),
        ("held_codes", lambda a: a + 3),
        ("held_codes", lambda a: a[:-1]),
    ):
        write_session(tmp_path / "bad.zk", header, arrays | {name: change(arrays[name])})
        with pytest.raises(SessionError, match="damaged"):
            zk.load(tmp_path / "bad.zk", session.graph)


def test_before_any_class_is_known():
    session = zk.start([("a", "b")], "nearest")
    with pytest.raises(SessionError):
        session.random_check()


def test_every_node_answered():
    session = zk.start([("a", "b")], "nearest", classes=["x", "y"])
    session.learn_many({"a": "x", "b": "x"})
    with pytest.raises(SessionError, match="no node without an answer"):
        session.random_check()
    assert str(session.guarantee()) == "every label has been asked for"
