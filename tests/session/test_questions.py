"""Questions, ranks and many predictions at once: the same as looking at every node by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.asking.decision import confidence, confidences
from zerokelvin.errors import LabelError, NodeError, ParameterError, SessionError
from zerokelvin.session.predicting import all_margins, shares_of
from zerokelvin.session.prediction import SKIP

POLICIES = ["always", "random:0.4", "margin:0.5", "variance", "doubt:1", "value", "value:3"]
LEARNERS = ["auto", "gaussian", "longest-path", "sslgc", "perceptron", "random"]


def by_definition(session, limit=None):
    """Every node without an answer by itself: its margins, its spread, whether it may be asked for."""
    standing = session.standing
    if standing.spent:
        return []
    answered = {event.node for event in standing.events if event.kind != SKIP}
    waiting = [node for node in standing.graph.name_order.tolist() if node not in answered]
    if not standing.classes:
        return [standing.graph.name(node) for node in waiting[:limit]]
    found = []
    margins, policy = all_margins(standing), standing.terms.policy
    begun, coming = bool(standing.counts.any()), standing.waiting()
    for node in waiting:
        spread = standing.spread(node, coming) if begun else 0.0
        if standing.may_ask(node, margins[node], spread):
            found.append((-policy.urgency(confidence(margins[node]), spread), node))
    found.sort(key=lambda question: question[0])
    return [standing.graph.name(node) for _, node in found[:limit]]


@st.composite
def stories(draw):
    """A graph with shuffled names, and answers, lessons, skips and corrections on it."""
    graph = draw(strategies.graphs(max_nodes=9))
    if draw(st.booleans()):
        names = draw(st.permutations([f"n{i}" for i in range(graph.num_nodes)]))
        edges = [(names[u], names[v]) for u, v in graph.edges.tolist()]
        graph = zk.Graph.from_edges(edges, graph.edge_weights, names=names) if edges else graph
    node, label = st.sampled_from(range(graph.num_nodes)), st.sampled_from("abc")
    call = st.one_of(
        st.tuples(st.just("learn"), node, label),
        st.tuples(st.just("teach"), node, label),
        st.tuples(st.just("skip"), node),
        st.tuples(st.just("correct"), node, st.one_of(label, st.none())),
    )
    return graph, draw(st.lists(call, max_size=8))


def told(session, calls):
    """The session, after every call."""
    for name, node, *label in calls:
        name_of = session.graph.name(node)
        try:
            if name == "teach":
                session.teach({name_of: label[0]})
            else:
                getattr(session, name)(name_of, *label)
        except SessionError:
            assert name == "correct"
        yield session


@pytest.mark.parametrize("policy", POLICIES)
@given(
    story=stories(),
    learner=st.sampled_from(LEARNERS),
    limit=st.sampled_from([0, 1, 3, None]),
    budget=st.sampled_from([None, None, 2]),
    classes=st.sampled_from([["a", "b", "c"], None]),
)
def test_the_questions_are_those_by_definition(policy, story, learner, limit, budget, classes):
    graph, calls = story
    session = zk.start(graph, learner, classes=classes, policy=policy, budget=budget, seed=2)
    assert session.open_questions(limit) == by_definition(session, limit)
    for _ in told(session, calls):
        assert session.open_questions(limit) == by_definition(session, limit)


@given(story=stories(), target=st.sampled_from([0.05, 0.4]))
def test_a_rule_of_the_learners_own_is_asked_as_far_as_needed(story, target):
    graph, calls = story
    session = zk.start(graph, "auto", target=target, classes=["a", "b", "c"], policy="value")
    for _ in told(session, calls):
        for limit in (1, 2, None):
            assert session.open_questions(limit) == by_definition(session, limit)


@pytest.mark.parametrize("learner", zk.learners.names())
@settings(max_examples=15)
@given(story=stories())
def test_many_predictions_are_those_one_by_one(learner, story):
    graph, calls = story
    classes = ["a", "b", "c"] if zk.learners.LEARNERS[learner].multiclass else ["a", "b"]
    session = zk.start(graph, learner, classes=classes, policy="margin:0.4", seed=1)
    calls = [(name, node, *(c if c in classes else None for c in label)) for name, node, *label in calls]
    calls = [call for call in calls if call[0] in ("skip", "correct") or call[2] is not None]
    names = [graph.name(i) for i in range(graph.num_nodes)]
    for _ in told(session, calls):
        pass
    assert session.predict_many(names) == [session.predict(name) for name in names]
    assert session.predict_many([]) == []
    shares = session.predict_proba_all()
    for row, name in zip(shares.tolist(), names, strict=True):
        assert row == list(session.predict_proba_one(name).values())
    back = np.append(np.arange(graph.num_nodes)[::-2], 0)
    assert np.array_equal(shares_of(session.standing, back), shares[back])
    assert shares_of(session.standing, back[:0]).shape == (0, len(classes))
    for label in classes:
        code = classes.index(label)
        score = {name: session.predict(name).scores[label] for name in names}
        answered = {graph.name(event.node) for event in session.events if event.kind != SKIP}
        first = [graph.name(i) for i in graph.name_order.tolist()]
        free = [name for name in first if name not in answered]
        expected = sorted(free, key=lambda n: (-shares[graph.index(n), code], -score[n]))
        assert session.rank(label) == expected
        assert session.rank(label, limit=2) == expected[:2]


@pytest.mark.parametrize("learner", ["auto", "longest-path", "spanning-tree", "sslgc", "perceptron"])
@given(
    story=stories(),
    policy=st.sampled_from(POLICIES),
    budget=st.sampled_from([None, 2]),
    forget=st.sampled_from([None, 2]),
)
@settings(max_examples=40)
def test_many_answers_are_learnt_as_one_by_one(learner, story, policy, budget, forget):
    graph, calls = story
    terms = {"classes": ["a", "b", "c"], "policy": policy, "budget": budget, "forget": forget, "seed": 4}
    at_once, apart = zk.start(graph, learner, **terms), zk.start(graph, learner, **terms)
    pairs = [(graph.name(node), label[0]) for name, node, *label in calls if name in ("learn", "teach")]
    half = len(pairs) // 2
    for part in (pairs[:half], pairs[half:]):
        at_once.learn_many(part)
        for pair in part:
            apart.learn(*pair)
    assert at_once.events == apart.events
    assert at_once.standing.outcomes == apart.standing.outcomes
    assert np.array_equal(at_once._all_margins(), apart._all_margins())
    assert (at_once.mistakes, at_once.queries, at_once.trials) == (
        apart.mistakes,
        apart.queries,
        apart.trials,
    )


@given(st.integers(1, 5), st.integers(1, 6), st.randoms())
def test_confidences_are_those_of_every_row(rows, columns, random):
    margins = np.array([[random.choice([-1.0, 0.0, 0.5, 2.0]) for _ in range(columns)] for _ in range(rows)])
    assert confidences(margins).tolist() == [float(confidence(row)) for row in margins]


def test_what_is_refused():
    session = zk.start(zk.Graph.from_edges([("ann", "bob")]), "auto")
    for call in (session.predict_proba_all, lambda: session.rank("fraud")):
        with pytest.raises(SessionError, match="no class is known yet"):
            call()
    session.learn("ann", "fraud")
    with pytest.raises(LabelError, match="'Fraud' is no class of this session; give 'fraud'"):
        session.rank("Fraud")
    with pytest.raises(LabelError, match="'x' is no class of this session; give one of"):
        session.rank("x")
    with pytest.raises(ParameterError, match="limit"):
        session.rank("fraud", limit=-1)
    with pytest.raises(NodeError):
        session.predict_many(["ann", "cem"])
    with pytest.raises(NodeError):
        session.learn_many({"bob": "fraud", "cem": "fraud"})
    assert session.trials == 1


def test_a_session_says_what_it_is():
    graph = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem")])
    session = zk.start(graph, "auto", classes=["fraud", "ok"], budget=7)
    assert repr(session) == (
        "Session(auto, nodes=3, edges=2, classes=['fraud', 'ok'], answers=0, mistakes=0, queries=0, budget=7)"
    )
    session.learn_many({"ann": "fraud", "bob": "fraud"})
    bound = session.bound({"ann": "fraud", "bob": "fraud"})
    assert f"answers=2, mistakes={session.mistakes}, bound={bound.value:.4g}, queries=2" in repr(session)
    assert bound.holds
    session.add_nodes(["dan"])
    assert "bound=" not in repr(session)
    many = zk.start(graph, "longest-path", classes=list(range(9)))
    assert "classes=[0, 1, 2, 3, 4, 5, …]" in repr(many)
