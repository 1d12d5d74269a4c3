"""A learner whose growth is "ordered" is a function of its story: answers and growths in their order."""

import copy
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from interrupting import interrupted, lines_of
from session_files import rewrite
from zerokelvin import threads
from zerokelvin.errors import SessionError
from zerokelvin.learners.auto import mixture
from zerokelvin.session import checkpoints
from zerokelvin.session.prediction import SKIP

SHARED = [HealthCheck.function_scoped_fixture]
TERMS = {"classes": ["a", "b", "c"], "seed": 3}


@pytest.fixture(autouse=True)
def own_gate(monkeypatch):
    """Tracing strikes where no signal can, also between a lock and its release: never in everyone's lock."""
    monkeypatch.setattr(threads, "_GATE", threads._Gate())


@st.composite
def stories(draw):
    """A named graph, and then answers (node, label), skips (node, None) and growths (names, edges)."""
    graph = draw(strategies.graphs(max_nodes=4))
    names = draw(st.permutations([f"n{i}" for i in range(graph.num_nodes)]))
    graph = zk.Graph(graph.indptr, graph.indices, graph.weights, names)
    everyone, steps = list(names), []
    for turn in range(draw(st.integers(1, 3))):
        for _ in range(draw(st.integers(0, 4))):
            label = draw(st.sampled_from(["a", "b", "c", None]))
            steps.append(("answer", draw(st.sampled_from(everyone)), label))
        new = [f"{draw(st.sampled_from('az'))}{turn}-{k}" for k in range(draw(st.integers(0, 2)))]
        everyone += new
        ends = st.sampled_from(everyone)
        steps.append(("grow", new, draw(st.lists(st.tuples(ends, ends), max_size=3))))
    for _ in range(draw(st.integers(0, 3))):
        label = draw(st.sampled_from(["a", "b", "c"]))
        steps.append(("answer", draw(st.sampled_from(everyone)), label))
    return graph, steps


def tell(story, at_once=False, **terms):
    """A session that was told a story; answers between growths in one call where `at_once`."""
    graph, steps = story
    session, waiting = zk.start(graph, "auto", **TERMS | terms), []
    for kind, *rest in [*steps, ("end",)]:
        if kind == "answer" and rest[1] is not None and at_once:
            waiting.append(rest)
            continue
        session.learn_many(waiting)
        waiting = []
        if kind == "grow":
            session.add_nodes(rest[0], rest[1])
        elif kind == "answer" and rest[1] is None:
            session.skip(rest[0])
        elif kind == "answer":
            session.learn(*rest)
    return session


def view(session):
    """All that later predictions depend on."""
    return (
        session.events,
        session._all_margins().tolist(),
        session.standing.game.trusted(),
        session.predict_proba_all().tolist(),
    )


def counted(session):
    return session.mistakes, session.queries, session.trials, session.standing.outcomes


@settings(max_examples=15, suppress_health_check=SHARED)
@given(story=stories())
def test_the_same_story_gives_the_same_session(story, tmp_path_factory):
    session = tell(story)
    wanted = view(session), counted(session)
    again = tell(story, at_once=True)
    assert (view(again), counted(again)) == wanted
    path = tmp_path_factory.mktemp("told") / "s.zk"
    session.save(path)
    for other in (zk.load(path, session.graph), copy.deepcopy(session)):
        assert (view(other), counted(other)) == wanted
        other._standing.intact = False  # as an interruption leaves it
        assert (view(other), counted(other)) == wanted


@settings(max_examples=15, suppress_health_check=SHARED)
@given(story=stories(), data=st.data())
def test_a_correction_is_the_right_answer_at_its_place_in_the_story(story, data, tmp_path_factory):
    graph, steps = story
    session = tell(story)
    answers = [i for i, step in enumerate(steps) if step[0] == "answer" and step[2] is not None]
    if not answers:
        return
    node = steps[data.draw(st.sampled_from(answers))][1]
    at = max(i for i in answers if steps[i][1] == node)
    label = data.draw(st.sampled_from(["a", "b", "c", None]))
    right = [step for i, step in enumerate(steps) if i != at or label is not None]
    if label is not None:
        right[at] = ("answer", node, label)
    path = tmp_path_factory.mktemp("told") / "s.zk"
    session.save(path)
    wanted = view(tell((graph, right)))
    for other in (session, zk.load(path, session.graph)):
        other.correct(node, label)
        assert view(other) == wanted
        other.save(path)
        assert view(zk.load(path, session.graph)) == wanted


@settings(max_examples=10, suppress_health_check=SHARED)
@given(story=stories())
def test_a_class_that_comes_late_was_known_from_the_start(story):
    graph, _ = story
    open_one = tell(story, classes=["a", "b", "c"], open_classes=True)
    open_one.learn(graph.name(0), "new")
    known = tell(story, classes=["a", "b", "c", "new"])
    known.learn(graph.name(0), "new")
    assert view(open_one) == view(known)


@pytest.fixture
def grown():
    graph = zk.generators.planted_partition([14, 14], 0.4, 0.05, np.random.default_rng(2)).graph
    session = zk.start(graph, "auto", classes=["x", "y"], seed=1)
    for node in range(0, 28, 2):
        session.learn(node, "x" if node < 14 else "y")
    session.add_nodes(2, [(28, 3), (29, 28), (0, 20)])
    session.learn(29, "x")
    session.add_nodes(1, [(30, 27), (29, 20)])
    session.learn(30, "y")
    return session


def test_corrections_after_a_growth_begin_at_a_copy(grown, monkeypatch):
    monkeypatch.setattr(checkpoints, "STEP", 2)
    monkeypatch.setattr(mixture, "KEPT_AT_ONCE", 10)  # of nineteen experts: two steps
    grown.learn(1, "x")
    grown.learn(3, "x")
    grown.learn(5, "y")
    assert grown._standing.checkpoints.places
    other = copy.deepcopy(grown)  # has no copies, so it goes over everything
    assert not other._standing.checkpoints.places
    grown.correct(5, "x")
    other.correct(5, "x")
    assert view(grown) == view(other)
    assert counted(grown) == counted(other)


def test_a_copy_from_before_growths_goes_over_them(monkeypatch):
    monkeypatch.setattr(checkpoints, "STEP", 2)
    monkeypatch.setattr(mixture, "KEPT_AT_ONCE", 100)
    graph = zk.generators.planted_partition([14, 14], 0.4, 0.05, np.random.default_rng(2)).graph
    session, story = zk.start(graph, "auto", classes=["x", "y"], seed=1), []

    def step(name, *values):
        story.append((name, *values))
        getattr(session, name)(*values)

    for node in range(9):
        step("learn", node, "x")
    step("add_nodes", 1, [(28, 3), (0, 20)])
    for node in range(14, 20):
        step("learn", node, "y")
    step("add_nodes", 1, [(29, 28)])
    step("learn", 20, "y")
    kept = session._standing.checkpoints._kept
    assert {one.moment.growths for one in kept} == {0, 1, 2}
    assert kept[0].size > kept[-1].size  # those of before are alone with their graphs
    begun = []
    plain = type(session._standing)._back_at
    monkeypatch.setattr(
        type(session._standing), "_back_at", lambda self, at: begun.append(at.moment) or plain(self, at)
    )
    for node, label, before in ((18, "x", 13), (7, "y", 7)):
        session.correct(node, label)
        assert 0 < begun.pop().events <= before
        at = next(i for i, step in enumerate(story) if step[:2] == ("learn", node))
        story[at] = ("learn", node, label)
        other = zk.start(graph, "auto", classes=["x", "y"], seed=1)
        for name, *values in story:
            getattr(other, name)(*values)
        assert view(session) == view(other)


def test_predictions_before_a_growth_stay_history(grown):
    before = [found.predicted for found in grown.standing.outcomes[:15]]
    grown.correct(0, "y")
    assert [found.predicted for found in grown.standing.outcomes[:15]] == before
    assert not grown.bound(["x"] * 31).holds


@pytest.mark.parametrize("call", ["add_nodes", "correct"])
def test_an_interruption_leaves_everything_or_nothing(grown, call):
    def act(session):
        if call == "add_nodes":
            session.add_nodes(1, [(31, 5), (2, 9)])
        else:
            session.correct(4, "y")

    done, kept = copy.deepcopy(grown), view(grown)
    act(done)
    wanted, most = view(done), lines_of(lambda: act(copy.deepcopy(grown)))
    for at in np.linspace(1, most, 12).astype(int).tolist():
        session = copy.deepcopy(grown)
        interrupted(lambda session=session: act(session), at)
        assert view(session) in (kept, wanted)


def _header(path):
    with np.load(path, allow_pickle=False) as file:
        return json.loads(file["header"].tobytes()), set(file.files)


def test_a_file_says_what_the_graph_was(grown, tmp_path):
    path = tmp_path / "s.zk"
    grown.save(path)
    header, names = _header(path)
    assert header["version"] == 3
    assert {"growths", "growth_edges", "growth_weights"} <= names
    plain = zk.start(grown.graph, "auto", classes=["x", "y"])
    plain.save(path)
    assert _header(path)[0]["version"] == 2


def _set(name, where, value):
    def change(header, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][where] = value

    return change


def _drop(header, arrays):
    del arrays["growth_weights"]


def _empty(header, arrays):
    arrays["growths"], arrays["growth_edges"] = arrays["growths"][:0], arrays["growth_edges"][:0]
    arrays["growth_weights"] = arrays["growth_weights"][:0]


def _exact(header, arrays):
    header["learner"], header["params"] = "propagation", zk.learners.make("propagation").params()


@pytest.mark.parametrize(
    "change",
    [
        _set("growths", (0, 0), 99),
        _set("growths", (0, 0), 0),
        _set("growths", (1, 1), 32),
        _set("growths", (0, 1), 31),
        _set("growth_edges", (0, 0), 7),
        _set("growth_edges", (0, 1), -1),
        _set("growth_edges", (0, 2), 28),
        _set("growth_edges", (0, 2), 0),
        _set("growth_weights", 0, np.nan),
        _set("growth_weights", 0, -1.0),
        _drop,
        _empty,
        _exact,
    ],
)
def test_growths_that_cannot_be_are_refused(grown, tmp_path, change):
    path = tmp_path / "s.zk"
    grown.save(path)
    rewrite(path, path, change)
    with pytest.raises(SessionError, match="damaged"):
        zk.load(path, grown.graph)


def test_a_file_of_before_knows_no_growths(grown, tmp_path):
    """A grown session of version 2 goes on from its states; a correction replays on the present graph."""
    path = tmp_path / "s.zk"
    grown.save(path)

    def older(header, arrays):
        header["version"] = 2
        for name in ("growths", "growth_edges", "growth_weights"):
            del arrays[name]

    rewrite(path, path, older)
    old = zk.load(path, grown.graph)
    assert view(old) == view(grown)
    old.correct(0, "y")
    fresh = zk.start(grown.graph, "auto", classes=["x", "y"], seed=1)
    for event in old.events:
        assert event.kind != SKIP
        fresh.learn(event.node, event.label)
    assert view(old) == view(fresh)


def test_other_experts_go_over_the_growths_again(grown, tmp_path):
    path = tmp_path / "s.zk"
    grown.save(path)

    def lose_one(header, arrays):
        for name in [name for name in arrays if name.startswith("state/labels two steps away")]:
            del arrays[name]

    rewrite(path, path, lose_one)
    assert view(zk.load(path, grown.graph)) == view(grown)


def test_growing_before_any_answer_is_a_start_on_the_grown_graph():
    session = zk.start(zk.Graph.from_edges([(0, 1), (1, 2)]), classes=["x", "y"])
    session.add_nodes(2, [(3, 2), (4, 3)])
    assert session._standing.growths == ()
    session.learn(0, "x")
    fresh = zk.start(session.graph, classes=["x", "y"])
    fresh.learn(0, "x")
    assert view(session) == view(fresh)
