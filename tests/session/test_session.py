"""The session: purity of its state, correction, saving, classes that appear, explanations."""

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from session_files import write_version_1
from zerokelvin.errors import DataError, LabelError, NodeError, ParameterError, SessionError

PATH = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve")])
ISLANDS = zk.Graph.from_edges([(0, 1), (1, 2), (3, 4)])


def view(session):
    names = [session.graph.name(i) for i in range(session.graph.num_nodes)]
    return (
        session.mistakes,
        session.queries,
        session.trials,
        session.classes,
        [session.predict(n) for n in names],
    )


@st.composite
def scripts(draw):
    """A graph and a list of calls: learn, skip, correct."""
    graph = draw(strategies.graphs(max_nodes=6))
    node = st.integers(0, graph.num_nodes - 1)
    label = st.sampled_from(["a", "b", "c"])
    call = st.one_of(
        st.tuples(st.just("learn"), node, label),
        st.tuples(st.just("skip"), node),
        st.tuples(st.just("correct"), node, st.one_of(label, st.none())),
    )
    return graph, draw(st.lists(call, max_size=12)), draw(st.booleans())


@given(scripts())
def test_state_is_a_pure_function_of_the_events(tmp_path_factory, script):
    """However it came about, a session equals a fresh one that was told its final events."""
    graph, calls, given_classes = script
    classes = ["b", "a"] if given_classes else None
    terms = {"classes": classes, "open_classes": True, "policy": "margin:0.3", "seed": 5}
    session = zk.start(graph, "perceptron", **terms)
    for name, node, *label in calls:
        try:
            getattr(session, name)(node, *label)
        except SessionError:
            assert name == "correct"
            assert not any(e.kind == 0 and e.node == node for e in session.events)
    fresh = zk.start(graph, "perceptron", **terms)
    for event in session.events:
        fresh.learn(event.node, event.label) if event.kind == 0 else fresh.skip(event.node)
    assert view(session) == view(fresh)
    path = tmp_path_factory.mktemp("sessions") / "s.zk"
    session.save(path)
    assert view(zk.load(path, graph)) == view(session)


def test_before_any_label():
    session = zk.start(PATH, "perceptron", classes=["fraud", "ok"])
    p = session.predict("ann")
    assert (p.label, p.margin, p.ask) == ("ok", 0.0, True)
    assert "No label" in p.reason
    nothing = zk.start(PATH, "perceptron").predict("ann")
    assert nothing.label is None
    assert nothing.ask


def test_a_component_without_labels_says_so_and_takes_the_prior():
    session = zk.start(ISLANDS, "perceptron", classes=["a", "b"])
    for node, label in [(0, "b"), (1, "b"), (2, "a")]:
        session.learn(node, label)
    p = session.predict(3)
    assert p.label == "b"
    assert "component" in p.reason
    assert session.predict_all().tolist()[3:] == ["b", "b"]
    assert session.bound(["b", "b", "a", "a", "a"]).assumptions


@pytest.mark.parametrize("name", zk.learners.names())
def test_the_reason_is_always_one_plain_sentence(name):
    line = zk.Graph.from_edges([(i, i + 1) for i in range(11)] + [(12, 13)])
    session = zk.start(line, name, classes=["x", "y"])
    reasons = [session.predict(0).reason]
    for node in (0, 11, 2, 9, 1, 10):
        session.learn(node, "x" if node < 6 else "y")
        reasons += [session.predict(other).reason for other in (4, 7, 12)]
    for reason in reasons:
        assert re.fullmatch(r"[A-Z][^\n]*[^.]\.", reason)
        assert not re.search(r"[.!?]\s", reason), reason


def test_predict_all_equals_predicting_each():
    session = zk.start(PATH, "perceptron", classes=["x", "y", "z"])
    for node, label in [("ann", "x"), ("cem", "y"), ("eve", "z")]:
        session.learn(node, label)
    assert session.predict_all().tolist() == [session.predict(name).label for name in PATH.names]


def test_scores_and_margin():
    two = zk.start(PATH, "perceptron", classes=["x", "y"])
    two.learn("ann", "x")
    p = two.predict("bob")
    assert p.scores == {"x": -p.margin, "y": p.margin}
    three = zk.start(PATH, "perceptron", classes=["x", "y", "z"])
    three.learn("ann", "y")
    p = three.predict("bob")
    assert p.label == max(p.scores, key=p.scores.get)
    assert p.margin == p.scores[p.label]


def test_a_class_never_seen_before():
    late = zk.start(PATH, "perceptron", classes=["x", "y"], open_classes=True)
    early = zk.start(PATH, "perceptron", classes=["x", "y", "new"])
    for session in (late, early):
        for node, label in [("ann", "x"), ("cem", "y"), ("eve", "new"), ("dan", "new")]:
            session.learn(node, label)
    assert late.classes == ("x", "y", "new")
    assert view(late) == view(early)


def test_a_wrong_answer_leaves_no_class_behind():
    session = zk.start(PATH, "perceptron")
    session.learn("ann", "x")
    session.learn("bob", "typo")
    session.correct("bob", "y")
    assert session.classes == ("x", "y")


def test_correct_needs_an_answer():
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    with pytest.raises(SessionError, match="'ann' has no answer"):
        session.correct("ann", "x")


def test_taking_an_answer_back():
    session, never = (zk.start(PATH, "perceptron", classes=["x", "y"]) for _ in range(2))
    for s in (session, never):
        s.learn("ann", "x")
    session.learn("eve", "y")
    session.correct("eve", None)
    assert view(session) == view(never)


def test_counts():
    session = zk.start(PATH, "perceptron", classes=["x", "y"], budget=2)
    session.learn("ann", "x")
    session.skip("bob")
    session.learn("cem", "x")
    assert (session.trials, session.queries) == (3, 2)
    p = session.predict("dan")
    assert not p.ask
    assert "budget of 2" in p.reason
    session.learn("dan", "y")
    assert session.queries == 2


def test_explanations_sum_to_the_score():
    for classes in (["x", "y"], ["x", "y", "z"]):
        session = zk.start(PATH, "perceptron", classes=classes)
        for node, label in [("ann", "x"), ("eve", "y"), ("cem", classes[-1])]:
            session.learn(node, label)
        for name in PATH.names:
            told = session.explain(name)
            assert math.fsum(c.share for c in told.contributions) == pytest.approx(told.margin, abs=1e-9)
            assert told.margin == session.predict(name).scores[told.label]
            assert all(c.label in classes for c in told.contributions)


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
@pytest.mark.parametrize("name", zk.learners.names())
def test_every_learner_explains_itself(name, classes):
    """Shares sum to the margin but for committees of trees; minimum cuts give the way to the labels."""
    rng = np.random.default_rng(4)
    blocks = [9] * len(classes) if name != "halving" else [5] * len(classes)
    example = zk.generators.planted_partition(blocks, 0.6, 0.08, rng)
    session = zk.start(example.graph, name, classes=classes)
    order = rng.permutation(example.graph.num_nodes).tolist()
    for node in order[::2]:
        session.learn(node, classes[int(np.searchsorted(np.cumsum(blocks), node, side="right"))])
    for node in range(example.graph.num_nodes):
        told, said = session.explain(node), session.predict(node)
        assert (told.label, told.reason) == (said.label, said.reason)
        assert told.margin == said.scores[said.label]
        if name in ("halving", "spanning-tree", "tree-opt"):
            continue
        assert told.contributions
        assert math.fsum(c.share for c in told.contributions) == pytest.approx(told.margin, abs=1e-9)
        assert (len(told.path) > 0) == (
            name in ("longest-path", "shortest-path", "fixed-paths", "zero-ising")
        )
        if told.path:
            assert node in told.path
        if name == "auto":
            assert sum(told.trusted.values()) == pytest.approx(1.0)


def test_bound_covers_the_mistakes():
    session = zk.start(PATH, "perceptron", classes=[0, 1])
    truth = {"ann": 0, "bob": 0, "cem": 0, "dan": 1, "eve": 1}
    for name, label in truth.items():
        session.learn(name, label)
    bound = session.bound(truth)
    assert bound.holds
    assert bound.allows(session.mistakes)
    assert bound.value < math.inf
    partly = session.bound({"ann": 0, "eve": 1})
    assert partly.value < math.inf


@pytest.mark.parametrize("classes", [["b", "a"], [3, 1, 2], [0.5, 1.5], [("t", 1), ("t", 2)], [True, False]])
def test_classes_survive_saving(tmp_path, classes):
    session = zk.start(PATH, "perceptron", classes=classes)
    session.learn("ann", classes[-1])
    session.save(tmp_path / "s.zk")
    loaded = zk.load(tmp_path / "s.zk", PATH)
    assert loaded.classes == tuple(classes)
    assert view(loaded) == view(session)


def test_file_format_is_as_documented(tmp_path):
    session = zk.start(PATH, "perceptron", classes=["x", "y"], b=2.5, seed=9)
    session.learn("cem", "y")
    session.skip("ann")
    session.save(tmp_path / "s.zk")
    with np.load(tmp_path / "s.zk", allow_pickle=False) as file:
        header = json.loads(file["header"].tobytes())
        assert file["events"].tolist() == [[0, 2, 1], [1, 0, -1]]
    assert header["format"] == "zerokelvin session"
    assert header["version"] == 2
    assert header["params"]["b"] == 2.5
    assert header["graph"] == PATH.content_hash


def test_files_of_version_1_load_with_or_without_their_states(tmp_path):
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    for node, label in [("ann", "x"), ("eve", "y"), ("bob", "y")]:
        session.learn(node, label)
    for leave_out in ((), ("state/",), ("state/", "outcomes")):
        write_version_1(session, tmp_path / "t.zk", leave_out)
        assert view(zk.load(tmp_path / "t.zk", PATH)) == view(session)


def test_bad_files(tmp_path):
    with pytest.raises(SessionError, match="no session file"):
        zk.load(tmp_path / "none.zk", PATH)
    (tmp_path / "text.zk").write_text("hello")
    with pytest.raises(SessionError, match="not a session file"):
        zk.load(tmp_path / "text.zk", PATH)
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    with pytest.raises(SessionError, match="not a session file"):
        zk.load(tmp_path / "other.npz", PATH)
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    session.save(tmp_path / "s.zk")
    with pytest.raises(SessionError, match="another graph"):
        zk.load(tmp_path / "s.zk", ISLANDS)
    whole = (tmp_path / "s.zk").read_bytes()
    (tmp_path / "cut.zk").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SessionError, match="damaged"):
        zk.load(tmp_path / "cut.zk", PATH)


def test_a_failed_save_keeps_the_old_file(tmp_path):
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    session.save(tmp_path / "s.zk")
    before = (tmp_path / "s.zk").read_bytes()
    custom = zk.start(PATH, "perceptron", classes=["x", "y"], kernel=np.eye(5))
    with pytest.raises(SessionError, match="kernel"):
        custom.save(tmp_path / "s.zk")
    assert (tmp_path / "s.zk").read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.zk"]


def test_refusals():
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    with pytest.raises(NodeError, match="no node 'zoe'"):
        session.predict("zoe")
    with pytest.raises(LabelError, match=r"skip\('ann'\)"):
        session.learn("ann", None)
    with pytest.raises(LabelError, match="twice"):
        zk.start(PATH, "perceptron", classes=["x", "x"])
    with pytest.raises(ParameterError, match="budget=-2"):
        zk.start(PATH, "perceptron", budget=-2)
    with pytest.raises(SessionError, match="no class is known"):
        zk.start(PATH, "perceptron").predict_all()
    mixed = zk.start(PATH, "perceptron")
    mixed.learn("ann", "x")
    with pytest.raises(LabelError, match="mixed types"):
        mixed.learn("bob", 3)
    assert mixed.trials == 1
    assert mixed.classes == ("x",)


def test_a_binary_learner_says_that_it_takes_no_third_class():
    from zerokelvin.learners.perceptron.perceptron import Perceptron

    class TwoClasses(Perceptron):
        multiclass = False

    session = zk.start(PATH, TwoClasses(), classes=["x", "y"], open_classes=True)
    session.learn("ann", "x")
    with pytest.raises(LabelError, match="takes two classes"):
        session.learn("bob", "z")
    assert session.classes == ("x", "y")
    with pytest.raises(LabelError, match="takes two classes"):
        zk.play(PATH, list("xyzxy"), TwoClasses())


def test_what_is_no_graph_number_label_or_folder_is_refused(tmp_path):
    for nothing in (None, 7, "cora"):
        with pytest.raises(ParameterError, match="is no graph"):
            zk.start(nothing, "perceptron")
        with pytest.raises(ParameterError, match="is no graph"):
            zk.play(nothing, [0, 1], "auto")
    for wrong in (1.5, "3", True):
        with pytest.raises(ParameterError, match=r"budget=.* must be a whole number"):
            zk.start(PATH, "perceptron", budget=wrong)
        with pytest.raises(ParameterError, match=r"seed=.* must be a whole number"):
            zk.start(PATH, "perceptron", seed=wrong)
        with pytest.raises(ParameterError, match=r"repeats=.* must be a whole number"):
            zk.play(PATH, list("xxyyy"), "perceptron", repeats=wrong)
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    for label in (["x"], ("x", ["y"])):
        with pytest.raises(LabelError, match="not hashable"):
            session.learn("ann", label)
    session.learn("ann", "x")
    with pytest.raises(LabelError, match="not hashable"):
        session.correct("ann", {"x"})
    for labels in (None, "xxyyy", 3):
        with pytest.raises(LabelError, match="no labels of nodes"):
            session.bound(labels)
    with pytest.raises(DataError, match="there is no folder"):
        session.save(tmp_path / "none" / "s.zk")
    with pytest.raises(DataError, match="is a folder"):
        session.save(tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert session.predict("ann").label == "x"
