"""Asking policies that look at the variance, random querying, and batch LLGC."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import games
from zerokelvin import Graph, play, start
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import worth_asking
from zerokelvin.errors import ParameterError
from zerokelvin.learners import Doubt, Trials, Variance, make, parse_policy
from zerokelvin.learners.consistency.llgc import Llgc
from zerokelvin.learners.wrappers.random_query import RandomQuery


def ring(n=30, seed=0):
    rng = np.random.default_rng(seed)
    graph = Graph.from_edges([(i, (i + 1) % n) for i in range(n)])
    return graph, np.where(np.arange(n) < n // 2, "a", "b"), rng


def test_policies_parse_and_print():
    for policy in (Variance(0.3), Doubt(2.0), Variance(), Doubt()):
        assert parse_policy(str(policy)) == policy
    assert parse_policy("variance") == Variance(0.4)
    assert parse_policy("doubt") == Doubt(1.0)


@pytest.mark.parametrize("text", ["variance:2", "variance:-1", "doubt:0", "doubt:inf", "doubt:x", "mood"])
def test_bad_policies(text):
    with pytest.raises(ParameterError):
        parse_policy(text)


@given(st.floats(0, 5), st.floats(0, 1), st.integers(0, 1000), st.floats(0.1, 3))
def test_the_rules_are_what_they_say(confidence, variance, trial, scale):
    number = np.array([trial])
    doubt, spread = Doubt(scale), Variance(min(scale / 3, 1.0))
    by_doubt = confidence**2 < scale * variance * np.log(trial + 1)
    by_variance = variance > (trial + 1.0) ** -spread.kappa * (1 + 1e-9)
    for policy, expected in ((doubt, by_doubt), (spread, by_variance)):
        limit, gain, floor = (
            float(rule[0])
            for rule in (
                policy.limits(coins(0, number)),
                policy.gains(number),
                policy.floors(number, coins(0, number)),
            )
        )
        close = abs(confidence**2 - scale * variance * np.log(trial + 1)) < 1e-9
        assert worth_asking(confidence, variance, limit, gain, floor) == expected or (
            policy is doubt and close
        )


@pytest.mark.parametrize("policy", ["variance:0.1", "doubt:0.05"])
@pytest.mark.parametrize("name", ["ollgc", "second-order", "sslgc", "bbq"])
def test_variance_policies_with_any_learner_that_has_one(name, policy):
    graph, labels, _ = ring()
    run = play(graph, labels, name, policy=policy, repeats=10, rank=8)
    assert 0 < run.queries < run.trials
    session = start(graph, name, classes=("a", "b"), policy=policy, rank=8)
    for node, label, asked in zip(run.order, run.labels, run.asked.any(axis=1), strict=True):
        shown = session.predict(int(node))
        assert shown.ask == asked
        session.learn(int(node), label) if shown.ask else session.skip(int(node))


def test_the_variance_policy_on_ollgc_is_sslgc():
    graph, labels, _ = ring(40)
    one = play(graph, labels, "ollgc", policy="variance:0.4", repeats=3, rank=9)
    two = play(graph, labels, "sslgc", kappa=0.4, repeats=3, rank=9)
    np.testing.assert_array_equal(one.asked, two.asked)
    np.testing.assert_array_equal(one.margins, two.margins)


@given(games(), st.sampled_from([0.0, 0.3, 1.0]))
def test_random_querying_asks_at_random_and_learns_inside(game, p):
    graph, _, trials = game
    learner = RandomQuery(p=p, inner="perceptron")
    nodes = np.array([node for node, _ in trials])
    signs = np.array([[label] for _, label in trials], dtype=np.int8)
    arrays = Trials(nodes, signs, np.full(len(nodes), np.inf), 0, 10**6)
    game = learner.start_game(graph, 2, learner.prepare(graph), 5)
    trace = game.play(arrays)
    heads = coins(game.seed, np.arange(len(nodes))) < p
    heads[0] = True  # a game always asks first
    np.testing.assert_array_equal(trace.asked[:, 0], heads)
    inner = make("perceptron").start(graph)
    for t, (node, label) in enumerate(trials):
        assert inner.margin(node) == trace.margins[t, 0]
        if heads[t]:
            inner.update(node, label)


def test_random_querying_share_and_bound():
    graph, labels, _ = ring()
    run = play(graph, labels, "random", p=0.3, inner="ollgc", repeats=60)
    assert run.queries / run.trials == pytest.approx(0.3, abs=0.04)
    assert not run.bound.holds
    assert play(graph, labels, "random", p=1.0).bound.holds
    for bad in ({"p": 1.5}, {"inner": "nobody"}, {"inner": "random"}):
        with pytest.raises(ParameterError):
            RandomQuery(**bad)


@given(games(), st.sampled_from([0.1, 1.0, 30.0]))
def test_llgc_is_the_batch_solution_after_every_label(game, mu):
    graph, _, trials = game
    inverse = np.linalg.inv(np.eye(graph.num_nodes) + mu * graph.laplacian().toarray())
    y = np.zeros(graph.num_nodes)
    state = Llgc(mu=mu).start(graph)
    for node, label in trials:
        state.update(node, label)
        y[node] = label
        np.testing.assert_allclose(state.margins(np.arange(graph.num_nodes)), inverse @ y, atol=1e-6)
    assert sum(share for _, share in state.explain(0)) == pytest.approx(state.margin(0), abs=1e-6)
    with pytest.raises(ParameterError):
        Llgc(mu=0.0)


def test_open_questions_are_those_a_prediction_asks():
    graph, labels, _ = ring(12)
    session = start(graph, "ollgc", classes=("a", "b"), policy="doubt:3", budget=9, rank=6, mu=0.1)
    assert session.open_questions() == list(range(12))
    rounds = 0
    while questions := session.open_questions():
        answered = {event.node for event in session.events}
        wanted = [node for node in range(12) if node not in answered and session.predict(node).ask]
        assert sorted(questions) == wanted
        ratios = [session.predict(n).confidence / session.variance(n) ** 0.5 for n in questions]
        assert ratios == sorted(ratios)
        assert session.open_questions(limit=1) == questions[:1]
        session.learn(questions[0], labels[questions[0]])
        rounds += 1
    assert 2 <= rounds == session.queries <= 9
    spent = start(graph, "perceptron", budget=0)
    assert spent.open_questions() == []
