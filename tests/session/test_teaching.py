"""Labels already owned, classes that are given, late answers, questions, numbers of NumPy."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.asking import Margin, RandomRate, Variance
from zerokelvin.errors import LabelError, ParameterError, SessionError
from zerokelvin.graph import generators
from zerokelvin.session.late import ShownDecision
from zerokelvin.session.prediction import TEACH

PATH = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan"), ("dan", "eve")])


def view(session):
    shown = session.predict_many([session.graph.name(i) for i in range(session.graph.num_nodes)])
    return session.events, session.mistakes, session.queries, session.trials, session.classes, shown


# -- teach -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["perceptron", "longest-path", "nearest", "sslgc"])
def test_what_is_taught_is_known_but_counts_nowhere(learner, tmp_path):
    taught = zk.start(PATH, learner, classes=["x", "y"], budget=1, policy="random:0.5", seed=2)
    told = zk.start(PATH, learner, classes=["x", "y"], budget=1, policy="random:0.5", seed=2)
    taught.teach({"ann": "x", "eve": "y"})
    for pair in [("ann", "x"), ("eve", "y")]:
        told.learn(*pair)
    assert np.array_equal(taught._all_margins(), told._all_margins())
    assert (taught.trials, taught.queries, taught.mistakes) == (0, 0, 0)
    assert [event.kind for event in taught.events] == [TEACH, TEACH]
    assert set(taught.open_questions()) <= {"bob", "cem", "dan"}
    coins = zk.start(PATH, learner, classes=["x", "y"], policy="random:0.5", seed=2)
    coins.skip("ann")
    taught.skip("bob")
    assert taught.trials == coins.trials == 1
    taught.learn("cem", "x")
    taught.correct("eve", "x")
    assert taught.events[1] == (TEACH, 4, "x")
    taught.add_nodes(["fay"], [("fay", "eve")])
    before = view(taught)
    taught.save(tmp_path / "s.zk")
    assert view(zk.load(tmp_path / "s.zk", taught.graph)) == before
    taught.correct("eve", None)
    assert [event.node for event in taught.events] == [0, 1, 2]


def test_pairs_a_new_class_and_bound():
    session = zk.start(PATH, "perceptron")
    session.teach([("ann", "x"), ("eve", "y"), ("cem", "z")])
    assert session.classes == ("x", "y", "z")
    session.teach({})
    session.learn("bob", "x")
    assert session.trials == 1
    bound = session.bound(["x", "x", "z", "y", "y"])
    assert bound.holds
    assert bound.allows(session.mistakes)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 11), st.integers(0, 1)), max_size=30))
def test_the_bound_covers_the_mistakes_whatever_is_taught(calls):
    example = generators.barbell(6)
    for learner in ("perceptron", "nearest"):
        session = zk.start(example.graph, learner, classes=[0, 1])
        labels: dict = {}
        for teach, node, label in calls:
            label = labels.setdefault(node, label)
            session.teach({node: label}) if teach else session.learn(node, label)
        bound = session.bound(labels)
        assert bound.allows(session.mistakes) or not bound.holds


# -- classes -----------------------------------------------------------------------------------------


def test_a_typo_is_no_class():
    session = zk.start(PATH, "perceptron", classes=["fraud", "ok"])
    session.learn("ann", "fraud")
    before = view(session)
    for call in (session.learn, session.correct, lambda n, c: session.teach({n: c})):
        with pytest.raises(
            LabelError, match=r"label 'Fraud' for node 'ann' .* give 'fraud', or start with open_c"
        ):
            call("ann", "Fraud")
    assert view(session) == before
    with pytest.raises(LabelError, match="give 1, or"):
        zk.start(PATH, "perceptron", classes=[0, 1]).learn("ann", "1")
    with pytest.raises(LabelError, match="names no class"):
        zk.start(PATH, "perceptron", classes=[])
    with pytest.raises(ParameterError, match="open_classes='yes' must be True or False"):
        zk.start(PATH, "perceptron", classes=["x"], open_classes="yes")


def test_closed_and_open_survive_saving(tmp_path):
    for open_classes in (False, True):
        session = zk.start(PATH, "perceptron", classes=["x", "y"], open_classes=open_classes)
        session.save(tmp_path / "s.zk")
        loaded = zk.load(tmp_path / "s.zk", PATH)
        assert loaded.open_classes is open_classes
        if open_classes:
            loaded.learn("ann", "z")
            assert loaded.classes == ("x", "y", "z")
        else:
            with pytest.raises(LabelError):
                loaded.learn("ann", "z")


NAMES = st.recursive(
    st.one_of(
        st.text(st.characters(), max_size=4),
        st.booleans(),
        st.integers(-(2**80), 2**80),
        st.floats(allow_nan=False, allow_infinity=False),
    ),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=6,
)


@given(st.lists(NAMES, min_size=1, max_size=4, unique=True))
def test_every_class_that_is_accepted_comes_back(tmp_path_factory, classes):
    session = zk.start(PATH, "nearest", classes=classes)
    session.learn("ann", classes[-1])
    session.learn("eve", classes[0])
    path = tmp_path_factory.mktemp("names") / "s.zk"
    session.save(path)
    loaded = zk.load(path, PATH)
    assert loaded.classes == tuple(classes)
    assert list(map(repr, loaded.classes)) == list(map(repr, classes))
    assert view(loaded) == view(session)
    assert session.predict_all().tolist() == [session.predict(name).label for name in PATH.names]


def test_odd_names_keep_their_end():
    session = zk.start(PATH, "perceptron", classes=["a", "a\0"])
    session.learn("ann", "a\0")
    assert session.predict_all().tolist()[0] == "a\0"


@pytest.mark.parametrize(
    "label", [float("inf"), ("x", float("nan")), b"x", frozenset("x"), 1j, ("x", None), 10**400]
)
def test_what_cannot_be_saved_is_refused_at_once(label):
    with pytest.raises(LabelError):
        zk.start(PATH, "perceptron", classes=["x", label])
    session = zk.start(PATH, "perceptron")
    session.learn("ann", "x")
    for call in (session.learn, session.correct, lambda n, c: session.teach({n: c})):
        with pytest.raises(LabelError):
            call("ann", label)
    assert session.classes == ("x",)
    deep: tuple = ()
    for _ in range(40):
        deep = (deep,)
    with pytest.raises(LabelError, match="nested more than"):
        session.learn("ann", deep)


# -- late answers --------------------------------------------------------------------------------------


def test_answers_count_against_what_was_shown(tmp_path):
    """Predict all twelve nodes of a barbell, then learn them: six of what was shown was wrong."""
    example = generators.barbell(6)
    session = zk.start(example.graph, "perceptron", classes=[-1, 1])
    plain = zk.start(example.graph, "perceptron", classes=[-1, 1])
    shown = session.predict_many(range(12))
    for prediction, label in zip(shown, example.labels.tolist(), strict=True):
        session.learn(prediction.node, label, shown=prediction)
        plain.learn(prediction.node, label)
    assert (session.mistakes, plain.mistakes) == (6, 1)
    assert np.array_equal(session._all_margins(), plain._all_margins())
    assert "feedback was late" in str(session.bound(example.labels))
    assert plain.bound(example.labels).holds
    session.save(tmp_path / "s.zk")
    loaded = zk.load(tmp_path / "s.zk", example.graph)
    assert view(loaded) == view(session)
    for one in (session, loaded):
        one.correct(example.labels.tolist().index(-1), 1)
        assert one.mistakes == 5
        assert "feedback was late" in str(one.bound(example.labels))


def test_shown_at_once_is_not_late():
    example = generators.barbell(6)
    one, two = (zk.start(example.graph, "perceptron", classes=[-1, 1]) for _ in range(2))
    for node, label in enumerate(example.labels.tolist()):
        shown = one.predict(node)
        two.skip(node)
        one.skip(node)
        one.learn(node, label, shown=shown)
        two.learn(node, label)
    assert one.mistakes == two.mistakes
    assert one.bound(example.labels).holds
    assert one._standing.outcomes[-1].shown


def test_what_was_shown_before_a_correction_is_no_longer_what_the_learner_says():
    session = zk.start(PATH, "nearest", classes=["x", "y"])
    session.learn("ann", "x")
    session.learn("bob", "x", shown=session.predict("bob"))
    assert session.bound(["x"] * 5).holds
    session.correct("ann", "y")
    assert "feedback was late" in str(session.bound(["y", "x", "x", "x", "x"]))


def test_a_prediction_of_something_else_is_refused():
    session = zk.start(PATH, "perceptron", classes=["x", "y"], open_classes=True)
    session.learn("ann", "x")
    shown = session.predict("bob")
    with pytest.raises(SessionError, match="for node 'bob', not for 'cem'"):
        session.learn("cem", "x", shown=shown)
    with pytest.raises(SessionError, match="shown='x' is no prediction"):
        session.learn("bob", "x", shown="x")
    session.learn("cem", "z")
    shown = session.predict("bob")
    session.correct("cem", "x")  # "z" is no class any more
    with pytest.raises(SessionError, match=r"made with the classes \['x', 'y', 'z'\], which are"):
        session.learn("bob", "x", shown=shown)
    assert session.trials == 2
    found = zk.start(PATH, "perceptron")
    found.learn("ann", "x", shown=found.predict("ann"))
    assert found.trials == 1


@pytest.mark.parametrize("learner", ["perceptron", "sslgc", "auto"])
def test_classes_may_come_between_a_prediction_and_its_answer(learner, tmp_path):
    """Nothing was named while no class was known; later predictions are right or wrong as they were shown."""
    session = zk.start(PATH, learner)
    plain = zk.start(PATH, learner)
    answers = dict(zip(PATH.names, ["x", "x", "y", "z", "z"], strict=True))
    early = session.predict_many(["ann", "bob"])
    assert [one.label for one in early] == [None, None]
    session.learn("ann", "x", shown=early[0])
    rest = session.predict_many(["cem", "dan", "eve"])
    assert {one.label for one in rest} == {"x"}
    for shown in (early[1], *rest):
        session.learn(shown.node, answers[shown.node], shown=shown)
    assert (session.mistakes, session.trials, session.classes) == (3, 5, ("x", "y", "z"))
    assert "feedback was late" in str(session.bound([answers[name] for name in PATH.names]))
    for name in PATH.names:
        plain.learn(name, answers[name])
    if learner != "sslgc":  # whose problems learn what they asked for when it was shown
        assert np.array_equal(session._all_margins(), plain._all_margins())
    session.save(tmp_path / "s.zk")
    loaded = zk.load(tmp_path / "s.zk", PATH)
    assert view(loaded) == view(session)
    loaded.correct("bob", "y")  # it was shown without a label, and is not wrong now
    assert loaded.mistakes == 3


def test_late_answers_stay_within_the_budget():
    session = zk.start(PATH, "perceptron", classes=["x", "y"], budget=2)
    for shown in session.predict_many(PATH.names):
        session.learn(shown.node, "x", shown=shown)
    assert (session.queries, session.trials) == (2, 5)


# -- questions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", ["perceptron", "random"])
@pytest.mark.parametrize("policy", ["margin:0.01", "random:0.2", "always"])
def test_no_coin_decides_what_is_open(learner, policy):
    """The list holds every node without an answer, the least sure first, trial after trial."""
    graph = generators.planted_partition([8, 8], 0.5, 0.1, np.random.default_rng(1)).graph
    session = zk.start(graph, learner, classes=[0, 1], policy=policy, seed=1)
    session.learn(0, 0)
    for trial in range(6):
        session.skip(1)
        waiting = [
            node
            for node in range(16)
            if node not in {event.node for event in session.events if event.kind == 0}
        ]
        questions = session.open_questions()
        assert sorted(questions) == waiting
        sure = [session.predict(node).confidence for node in questions]
        assert sure == sorted(sure)
        assert session.open_questions(3) == questions[:3]
        session.learn(questions[0], int(questions[0] >= 8) if trial else 1)
    session.budget = session.queries
    assert session.open_questions() == []
    session.budget = None
    for node in session.open_questions():
        session.learn(node, int(node >= 8))
    assert session.open_questions() == []


def test_a_policy_that_never_asks_has_no_questions():
    for learner, terms in (("perceptron", {"policy": "random:0"}), ("random", {"p": 0.0})):
        session = zk.start(PATH, learner, classes=["x", "y"], **terms)
        assert len(session.open_questions()) == 5  # the first answer is always wanted
        session.learn("ann", "x")
        assert session.open_questions() == []


@pytest.mark.parametrize("policy", ["variance:0.2", "doubt:1", "value:0.5"])
def test_questions_are_ordered_by_what_the_policy_measures(policy):
    graph = generators.planted_partition([8, 8], 0.5, 0.1, np.random.default_rng(1)).graph
    session = zk.start(graph, "nearest", classes=[0, 1], policy=policy)
    for node in (0, 9, 4):
        session.learn(node, int(node >= 8))
    standing = session._standing
    questions = session.open_questions()
    assert sorted(questions) == [n for n in range(16) if n not in (0, 9, 4) and session.predict(n).ask]
    assert questions
    spread = [standing.spread(node) for node in questions]
    sure = [session.predict(node).confidence for node in questions]
    measure = (
        spread if not policy.startswith("doubt") else [s**0.5 / c for s, c in zip(spread, sure, strict=True)]
    )
    assert measure == sorted(measure, reverse=True)


@pytest.mark.parametrize("policy", ["always", "margin:1", "doubt:0.2", "value:0.3"])
@pytest.mark.parametrize("begun", [False, True])
def test_equally_urgent_questions_come_by_name_however_nodes_are_numbered(policy, begun):
    """A cycle is symmetric about its two opposite answers: pairs of nodes are equally urgent."""
    names = [f"n{i:02}" for i in range(10)]
    edges = [(names[i], names[(i + 1) % 10]) for i in range(10)]
    lists = []
    for seed in range(4):
        mixed = [edges[i] for i in np.random.default_rng(seed).permutation(10)]
        session = zk.start(zk.Graph.from_edges(mixed), "gaussian", classes=["x", "y"], policy=policy)
        if begun:
            session.learn("n00", "x")
            session.learn("n05", "y")
        lists.append(session.open_questions())
    assert lists[0]
    assert all(found == lists[0] for found in lists)
    if not begun:
        assert lists[0] == names


# -- numbers of NumPy ----------------------------------------------------------------------------------


def test_numpy_numbers_are_as_good_as_pythons(tmp_path):
    plain = zk.start(PATH, "nearest", classes=["x", "y"], seed=3, budget=3, policy=Margin(0.5), k=1)
    ours = zk.start(
        PATH,
        "nearest",
        classes=["x", "y"],
        seed=np.int64(3),
        budget=np.uint8(3),
        policy=Margin(np.float64(0.5)),
        k=np.int32(1),
    )
    for session in (plain, ours):
        session.learn("ann", "x")
        session.save(tmp_path / "s.zk")
        assert view(zk.load(tmp_path / "s.zk", PATH)) == view(plain)
    assert type(ours.seed) is type(ours.budget) is type(ours.learner.k) is int
    ours.budget = np.int64(9)
    ours.save(tmp_path / "s.zk")
    assert json.dumps(zk.load(tmp_path / "s.zk", PATH).budget) == "9"
    assert str(RandomRate(np.float32(0.5))) == "random:0.5"
    assert str(Variance(np.float64(0.25))) == "variance:0.25"
    run = zk.play(
        PATH,
        list("xxyyy"),
        "perceptron",
        seed=np.int64(3),
        budget=np.int64(2),
        repeats=np.int8(2),
        delay=np.int64(1),
    )
    same = zk.play(PATH, list("xxyyy"), "perceptron", seed=3, budget=2, repeats=2, delay=1)
    assert np.array_equal(run.margins, same.margins)


@pytest.mark.parametrize("name", ["seed", "budget", "repeats", "delay", "drift"])
def test_numbers_too_large_are_refused(name):
    for value in (2**63, 10**30, np.uint64(2**63)):
        with pytest.raises(ParameterError, match=f"{name}=.* at most 9223372036854775807"):
            zk.play(PATH, list("xxyyy"), "perceptron", **{name: value})
        if name in ("seed", "budget"):
            with pytest.raises(ParameterError, match=f"{name}=.* at most 9223372036854775807"):
                zk.start(PATH, "perceptron", **{name: value})
    if name in ("repeats", "drift"):
        with pytest.raises(ParameterError, match=f"{name}=.* too large"):
            zk.play(PATH, list("xxyyy"), "perceptron", **{name: 2**62})
    else:
        assert zk.play(PATH, list("xxyyy"), "perceptron", **{name: 2**63 - 1}).trials == 5


def test_parameters_become_pythons_own():
    learner = zk.learners.Gaussian(mu=np.float32(0.5), tol=np.float64(0.1))
    assert [type(value) for value in learner.params().values()] == [
        type(value) for value in zk.learners.Gaussian().params().values()
    ]
    with pytest.raises(ParameterError, match="k, of 31 digits, is too large"):
        zk.learners.Nearest(k=10**30)
    with pytest.raises(ParameterError, match="mu, of 401 digits, is too large"):
        zk.learners.Gaussian(mu=10**400)
    assert zk.learners.Gaussian(mu=10**18).mu == 1e18


# -- growth --------------------------------------------------------------------------------------------


def test_edges_that_change_places_are_a_growth():
    """Rows of the same length and the same weights, other neighbours."""
    pairs = zk.Graph.from_edges([(0, 1), (2, 3)])
    session = zk.start(pairs, "nearest", classes=["x", "y"])
    session.learn(0, "x")
    session.learn(3, "y")
    session.add_edges([(0, 1), (2, 3), (0, 2), (1, 3)], weights=[-1, -1, 1, 1])
    assert session.graph.edges.tolist() == [[0, 2], [1, 3]]
    assert (session.predict(2).label, session.predict(1).label) == ("x", "y")


def test_a_predicted_class_that_vanished_is_remembered(tmp_path):
    session = zk.start(PATH, "nearest")
    session.learn("ann", "x")
    session.learn("bob", "y")
    session.learn("cem", "x")  # predicted y
    session.add_nodes(["fay"], [("fay", "eve")])
    session.correct("bob", "x")  # no answer is y any more
    assert session.classes == ("x",)
    session.save(tmp_path / "s.zk")
    loaded = zk.load(tmp_path / "s.zk", session.graph)
    for one in (session, loaded):
        one.correct("cem", "y")
    assert view(session) == view(loaded)
    assert session._standing.outcomes == loaded._standing.outcomes


@pytest.mark.parametrize("classes", [("x", "y"), ("x", "y", "z")])
@pytest.mark.parametrize("learner", ["perceptron", "sslgc", "longest-path"])
def test_a_light_record_of_what_was_shown_is_as_good(learner, classes):
    """Whole predictions, and records of them, lead to the same session, whatever comes in between."""
    line = zk.Graph.from_edges([(f"n{i}", f"n{i + 1}") for i in range(8)] + [("far", "away")])
    whole, light = (zk.start(line, learner, classes=classes) for _ in range(2))
    shown = [whole.predict(f"n{i}") for i in range(3)]
    for i in range(9):
        prediction, label = shown[i % len(shown)], classes[i % len(classes)]
        whole.learn(prediction.node, label, shown=prediction)
        light.learn(prediction.node, label, shown=ShownDecision.of(prediction))
        assert (whole.mistakes, whole.queries) == (light.mistakes, light.queries)
        assert whole.standing.outcomes == light.standing.outcomes
        shown.append(whole.predict("away" if i == 4 else f"n{(i * 5) % 9}"))
    assert any(found.late for found in light.standing.outcomes)
    with pytest.raises(zk.errors.SessionError, match="is for node 'n0', not for 'n1'"):
        light.learn("n1", "x", shown=ShownDecision.of(shown[0]))
