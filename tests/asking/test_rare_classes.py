"""Asking where a rare class is likely, and deciding by costs: against their definitions, and the regret."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from naive import rare_classes as naive
from zerokelvin.asking import Costs, Find
from zerokelvin.errors import LabelError, ParameterError, SessionError

CLASSES = ("fraud", "ok")
PRICES = {"miss": 6.0, "alarm": 1.0, "ask": 0.3, "class": "fraud"}
LEARNERS = ("perceptron", "gaussian", "nearest", "longest-path", "auto")


def small(seed):
    """A graph of two groups, the smaller one rare, sometimes with nodes apart."""
    rng = np.random.default_rng(seed)
    drawn = zk.generators.planted_partition(
        [int(rng.integers(3, 8)), int(rng.integers(20, 40))], 0.5, 0.06, rng
    )
    return drawn.graph, np.where(drawn.labels == 0, "fraud", "ok")


def trials_of(run):
    return list(zip(run.order.tolist(), run.labels.tolist(), strict=True))


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("label", ["fraud", "ok", None])
def test_find_asks_as_by_definition(learner, label):
    for seed in range(6):
        graph, labels = small(seed)
        run = zk.play(graph, labels, learner, policy=str(Find(label)), seed=seed)
        session = zk.start(graph, learner, classes=CLASSES, seed=seed)
        expected = naive.questions_of_find(session, trials_of(run), list(CLASSES), label)
        assert run.asked.any(axis=1).tolist() == expected


@pytest.mark.parametrize("learner", ["perceptron", "gaussian", "nearest", "longest-path"])
def test_costs_decide_as_by_definition(learner):
    for seed in range(6):
        graph, labels = small(seed)
        run = zk.play(graph, labels, learner, costs=PRICES, seed=seed)
        session = zk.start(graph, learner, classes=CLASSES, seed=seed)
        expected = naive.decisions_of_costs(session, trials_of(run), CLASSES, PRICES)
        asked = run.asked.any(axis=1).tolist()
        assert asked == [ask for _, ask in expected]
        for own, (label, _) in zip(run.predictions.tolist(), expected, strict=True):
            assert label is None or own == label
        sought = run.classes.index("fraud")
        assert run.cost == pytest.approx(naive.cost(run.codes, run.predicted, asked, sought, PRICES))


@pytest.mark.parametrize("learner", ["perceptron", "auto", "sslgc"])
@pytest.mark.parametrize("terms", [{"policy": "find:fraud"}, {"policy": "find"}, {"costs": PRICES}])
@pytest.mark.parametrize("forget", [None, 10])
def test_sessions_play_as_games(learner, terms, forget, tmp_path):
    graph, labels = small(3)
    run = zk.play(graph, labels, learner, **terms, forget=forget, seed=4, budget=20)
    session = zk.start(graph, learner, classes=CLASSES, **terms, forget=forget, seed=4, budget=20)
    for t, (node, label) in enumerate(trials_of(run)):
        if t == 15:
            session.save(tmp_path / "half.zk")
            session = zk.load(tmp_path / "half.zk", graph)
        shown = session.predict(node)
        assert (shown.label, shown.ask) == (run.predictions[t], run.asked[t].any())
        session.learn(node, label) if shown.ask else session.skip(node)
    assert session.queries == run.asked.any(axis=1).sum()


@pytest.mark.parametrize("terms", [{"policy": "find"}, {"costs": PRICES}])
def test_what_is_corrected_or_grows_is_as_if_it_had_been_so(terms):
    graph, labels = small(5)
    taught = [(node, labels[node]) for node in range(20)]
    begun = zk.start(graph, "perceptron", classes=CLASSES, **terms)
    wrong = zk.start(graph, "perceptron", classes=CLASSES, **terms)
    begun.learn_many(taught)
    flipped = "ok" if labels[3] == "fraud" else "fraud"
    wrong.learn_many([(node, flipped if node == 3 else label) for node, label in taught])
    wrong.correct(3, labels[3])
    for session in (begun, wrong):
        session.add_nodes(["late"] if graph.names else 1, [(graph.num_nodes, 0)])
    assert begun.open_questions() == wrong.open_questions()
    grown = zk.start(begun.graph, "perceptron", classes=CLASSES, **terms)
    grown.learn_many(taught)
    assert begun.open_questions() == grown.open_questions()
    np.testing.assert_allclose(begun.predict_proba_all(), grown.predict_proba_all(), atol=1e-9)
    with begun.supposing({22: "fraud"}) as other:
        assert other.events[-1].label == "fraud"
    assert begun.open_questions() == grown.open_questions()


@pytest.mark.parametrize("learner", LEARNERS)
def test_questions_are_in_the_order_of_the_probability(learner):
    graph, labels = small(7)
    session = zk.start(graph, learner, classes=CLASSES, policy="find:fraud")
    session.teach({node: labels[node] for node in range(0, graph.num_nodes, 3)})
    found, ranked = session.open_questions(), session.rank("fraud")
    chances = {node: session.predict_proba_one(node)["fraud"] for node in ranked}
    assert [chances[n] for n in found] == pytest.approx([chances[n] for n in ranked if chances[n] > 1e-15])
    always = zk.start(graph, learner, classes=CLASSES)
    always.teach({node: labels[node] for node in range(0, graph.num_nodes, 3)})
    assert always.open_questions(order="suspicion:fraud") == ranked
    assert always.open_questions(4, order="suspicion") == ranked[:4]
    assert session.open_questions(2, "suspicion") == ranked[:2]
    assert always.open_questions(order="suspicion:ok") == always.rank("ok")


@given(
    st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=30),
    st.floats(0.1, 30),
    st.floats(0.1, 30),
    st.floats(0, 10),
)
@settings(max_examples=300)
def test_no_rule_of_the_probability_is_better_by_more_than_its_error(trials, miss, alarm, ask):
    """The theorem of `zerokelvin.asking.costs`, against every rule there is over five probabilities."""
    costs = Costs(miss, alarm, ask)
    forecasts = np.array([0.0, 0.03, 0.2, 0.6, 1.0])
    at, truth = (np.array(column) for column in zip(*trials, strict=True))
    loss = costs.losses(forecasts)
    own = np.where(loss > ask, 2, np.where(costs.flags(forecasts), 1, 0))
    price = np.array([[0.0, alarm, ask], [miss, 0.0, ask]])  # by truth and action: pass, flag, ask

    def total(rule):
        return price[truth.astype(int), np.asarray(rule)[at]].sum()

    error = sum(abs((truth[at == v] - forecasts[v]).sum()) for v in range(5))
    best = sum(min(price[truth[at == v].astype(int), a].sum() for a in range(3)) for v in range(5))
    assert total(own) <= best + (miss + alarm) * error + 1e-9
    for rule in itertools.islice(itertools.product(range(3), repeat=5), 0, None, 40):
        assert total(own) <= total(rule) + (miss + alarm) * error + 1e-9


@given(st.floats(0, 1), st.floats(0.1, 50), st.floats(0.1, 50), st.floats(0.01, 50))
def test_coins_cost_less_than_a_quarter_of_a_question(p, miss, alarm, ask):
    costs = Costs(miss, alarm, ask)
    loss = float(costs.losses(np.array([p]))[0])
    confidence = costs.most - loss
    coins = (np.arange(1000) + 0.5) / 1000
    share = float((confidence < costs.limits(coins)).mean())
    assert share == pytest.approx(min(1.0, loss / ask), abs=2e-3)
    expected = share * ask + (1 - share) * loss
    assert expected <= min(loss, ask) + ask / 4 + 3e-3 * ask
    assert expected <= 2 * min(loss, ask) + 3e-3 * ask
    signed = np.array([confidence if costs.flags(p) else -confidence])
    assert costs.chances(signed)[0] == pytest.approx(p, abs=1e-9)


def test_the_rarest_stays_what_it_was_however_many_are_found():
    graph, labels = small(2)
    session = zk.start(graph, "nearest", classes=CLASSES, policy="find")
    session.teach([(node, "ok") for node in np.flatnonzero(labels == "ok")[:8].tolist()])
    session.teach([(node, "fraud") for node in np.flatnonzero(labels == "fraud").tolist()])
    session.teach([(node, "fraud") for node in np.flatnonzero(labels == "ok")[8:15].tolist()])
    assert session.open_questions() == [
        n for n in session.rank("fraud") if session.predict_proba_one(n)["fraud"] > 0
    ]


def test_a_wrong_class_or_price_says_what_to_write():
    graph, labels = small(0)
    with pytest.raises(
        LabelError, match=r"'frued', which is sought, is no class; give one of \['fraud', 'ok'\]"
    ):
        zk.play(graph, labels, policy="find:frued")
    with pytest.raises(LabelError, match="'frued'"):
        zk.start(graph, classes=CLASSES, costs=PRICES | {"class": "frued"})
    with pytest.raises(ParameterError, match="leave policy='value' out"):
        zk.start(graph, policy="value", costs=PRICES)
    with pytest.raises(ParameterError, match="no prices by name"):
        zk.start(graph, costs=[20, 1])
    session = zk.start(graph, "nearest", policy="find:fraud")  # classes are found as they come
    session.learn(0, "ok")
    assert len(session.open_questions()) == graph.num_nodes - 1
    with pytest.raises(ParameterError, match=r"unknown order 'urgency'; known: policy, suspicion\[:CLASS\]"):
        session.open_questions(order="urgency")
    with pytest.raises(SessionError, match="no class"):
        zk.start(graph).rank("fraud")


def test_three_classes_weigh_the_one_that_is_sought():
    graph, labels = small(4)
    labels = labels.copy()
    labels[-6:] = "spam"
    run = zk.play(graph, labels, "gaussian", costs=PRICES, seed=1)
    session = zk.start(graph, "gaussian", classes=run.classes, costs=PRICES, seed=1)
    plain = zk.start(graph, "gaussian", classes=run.classes, seed=1)
    taught = {node: labels[node] for node in range(0, graph.num_nodes, 2)}
    session.teach(taught)
    plain.teach(taught)
    for node in range(1, graph.num_nodes, 2):
        shares = session.predict_proba_one(node)
        flagged = shares["fraud"] * PRICES["miss"] >= (1 - shares["fraud"]) * PRICES["alarm"]
        scores = plain.predict(node).scores
        rest = max(("ok", "spam"), key=scores.get)
        assert session.predict(node).label == ("fraud" if flagged else rest)
        assert sum(shares.values()) == pytest.approx(1.0)
    assert run.cost > 0
    assert np.nanmin(run.chances) >= 0


def test_on_components_without_labels_costs_decide_too():
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5)]
    session = zk.start(edges, "nearest", classes=CLASSES, costs={**PRICES, "miss": 100})
    session.learn(0, "ok")
    session.learn(1, "fraud")
    assert session.predict(4).label == "fraud"  # half of the labels so far
    assert session.predict_proba_one(4)["fraud"] == pytest.approx(0.5)


def test_fraud_rings_are_rare_and_hang_together():
    data = zk.generators.fraud_rings(600, np.random.default_rng(1), rings=3, size=6)
    assert (data.labels == 1).sum() == 18
    assert set(np.unique(data.labels)) == {-1, 1}
    low, high = data.graph.edges.T
    frauds = data.labels == 1
    inside = (frauds[low] & frauds[high]).sum()
    assert inside >= 3 * 5 + 2  # every ring is connected, and knows the one before
    with pytest.raises(ParameterError, match="at least half of the accounts are honest"):
        zk.generators.fraud_rings(30, np.random.default_rng(1), rings=3, size=6)
