"""The regret and mistake bounds of bbq over all trials: exact enumeration, simulation, any labelling."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from random_graphs import random_graph
from strategies import games, labelled_graphs
from zerokelvin import Graph
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import generators
from zerokelvin.graph.features import Features
from zerokelvin.learners.consistency.bbq import Bbq
from zerokelvin.learners.consistency.bbq_bounds import expected_regret, mistakes_anywhere
from zerokelvin.learners.consistency.sslgc import Sslgc
from zerokelvin.session import start

seeds = st.integers(0, 2**32 - 1)
kappas = st.sampled_from([0.0, 0.3, 0.7, 1.0])
ridges = st.sampled_from([0.01, 0.3, 1.0, 5.0])


def game(state, nodes, draw):
    """Play with labels from `draw(trial, node)`; the predictions on all trials, and the labels drawn."""
    predictions, labels = [], []
    for trial, node in enumerate(nodes):
        predictions.append(1 if state.margin(node) >= 0 else -1)
        labels.append(draw(trial, node))
        if trial == 0 or state.ask(node, trial):
            state.update(node, labels[-1])
    return np.array(predictions), np.array(labels)


def problem(rng, count, d, spread=1.0):
    """Vectors of various sizes, and coefficients with |α·m| ≤ 1 on all of them."""
    X = rng.normal(size=(count, d)) * spread * rng.uniform(0.2, 2.0, size=d)
    alpha = rng.normal(size=d)
    return X, alpha * rng.uniform(0.3, 1.0) / np.abs(X @ alpha).max()


def by_enumeration(rows, alpha, mu, kappa):
    """Per trial, over all answers with their probabilities: r_t, asked, E(Δ̂ − Δ)² and Pr(wrong sign)."""
    d = rows.shape[1]
    A, learnt = mu * np.eye(d), []
    out = []
    for t, m in enumerate(rows, start=1):
        r = m @ np.linalg.solve(A, m)
        r_t = r / (1 + r)
        delta = m @ alpha
        square = wrong = 0.0
        base = rows[learnt] if learnt else np.zeros((0, d))
        coefficients = base @ np.linalg.solve(A, m)
        ones = (1 + base @ alpha) / 2
        for answer in itertools.product([-1.0, 1.0], repeat=len(learnt)):
            y = np.array(answer)
            chance = float(np.prod(np.where(y > 0, ones, 1 - ones)))
            score = float(coefficients @ y)
            square += chance * (score - delta) ** 2
            wrong += chance * ((score >= 0) != (delta >= 0))
        asked = t == 1 or r_t > t**-kappa * (1 + 1e-9)
        out.append((r_t, asked, square, wrong))
        if asked:
            A = A + np.outer(m, m)
            learnt.append(t - 1)
    return [np.array(column) for column in zip(*out, strict=True)]


@settings(max_examples=60)
@given(seeds, st.integers(1, 3), st.integers(1, 8), kappas, ridges)
def test_each_step_of_the_proof_exactly(seed, d, count, kappa, mu):
    """No sampling: the two lemmas and the theorem, with all 2^N answers enumerated."""
    rng = np.random.default_rng(seed)
    rows, alpha = problem(rng, count, d)
    r_t, asked, square, wrong = by_enumeration(rows, alpha, mu, kappa)
    delta, norm = rows @ alpha, alpha @ alpha
    tail = np.exp(np.minimum(0.5 * (mu * norm - delta**2 * (1 / r_t - 1)), 0))
    assert (wrong <= tail + 1e-9).all()
    spent = ((1 - r_t) * square)[asked].sum()
    assert spent <= mu * norm + (r_t * (1 - delta**2))[asked].sum() + 1e-9
    regret = float(np.abs(delta) @ wrong)
    state = Bbq(mu=mu, kappa=kappa, b=0.0).start(Features(rows))
    game(state, range(count), lambda trial, node: 1)
    assert state.trials == asked.sum()
    for spectral in (True, False):
        bound = state.regret_bound(range(count), weights=alpha, spectral=spectral)
        assert regret <= bound.value + 1e-9
        assert bound.terms["C"] == pytest.approx(norm)
        assert [a.holds for a in bound.assumptions] == [True, True, np.allclose(np.abs(delta), 1)]


@pytest.mark.kernels
@pytest.mark.parametrize("rank", [100, None])
@pytest.mark.parametrize(("kappa", "mu"), [(0.3, 0.1), (0.6, 1.0), (1.0, 1.0)])
def test_average_regret_of_noisy_labels(kappa, mu, rank):
    rng = np.random.default_rng(int(100 * kappa))
    X, alpha = problem(rng, 40, 3, spread=3.0)
    nodes = rng.integers(0, 40, 150)
    delta = X @ alpha
    table = alpha if rank else np.linalg.lstsq(X.T, alpha, rcond=None)[0]
    learner, regrets = Bbq(rank=rank, mu=mu, kappa=kappa, b=0.0), []
    for _ in range(20):
        state = learner.start(Features(X))
        predictions, _ = game(
            state, nodes, lambda trial, node: 1 if rng.random() < (1 + delta[node]) / 2 else -1
        )
        regrets.append(float(np.abs(delta[nodes])[predictions * delta[nodes] < 0].sum()))
    bound = state.regret_bound(nodes, weights=table)
    assert np.mean(regrets) <= bound.value <= np.abs(delta[nodes]).sum() + 1e-9
    assert bound.terms["C"] == pytest.approx(alpha @ alpha)
    assert bound.terms["mistakes of the best"] == pytest.approx((1 - np.abs(delta[nodes])).sum() / 2)


def test_the_regret_bound_says_something():
    """Long games: far fewer than the trials, and than the regret of always erring."""
    X = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    alpha = np.array([0.9, -0.8])
    nodes = np.tile(np.arange(3), 2000)
    rng = np.random.default_rng(0)
    state = Bbq(mu=1.0, kappa=0.9, b=0.0).start(Features(X))
    delta = X @ alpha
    predictions, _ = game(state, nodes, lambda trial, node: 1 if rng.random() < (1 + delta[node]) / 2 else -1)
    bound = state.regret_bound(nodes, weights=alpha)
    regret = np.abs(delta[nodes])[predictions * delta[nodes] < 0].sum()
    assert regret <= bound.value < 0.1 * np.abs(delta[nodes]).sum()
    assert 0 < state.trials < len(nodes)


@pytest.mark.kernels
@given(games(), st.sampled_from([0.0, 0.3, 0.7, 1.0]), ridges, st.integers(1, 6), st.sampled_from([4, None]))
def test_mistakes_on_all_trials(case, kappa, mu, repeats, rank):
    """Any labelling, flipped answers included: a trial let pass is judged by the labelling."""
    graph, labels, trials = case
    nodes, shown = [node for node, _ in trials] * repeats, [label for _, label in trials] * repeats
    state = Bbq(rank=rank, mu=mu, kappa=kappa).start(graph)
    mistakes = 0
    for trial, (node, label) in enumerate(zip(nodes, shown, strict=True)):
        guess = 1 if state.margin(node) >= 0 else -1
        if trial == 0 or state.ask(node, trial):
            state.update(node, label)
            mistakes += guess != label
        else:
            mistakes += guess != labels[node]
    for spectral in (True, False):
        bound = state.regret_bound(nodes, labels=labels, spectral=spectral)
        assert bound.holds
        assert bound.allows(mistakes), (bound, mistakes)
        assert bound.value <= len(nodes)


@pytest.mark.kernels
@given(labelled_graphs(connected=True), kappas, ridges, seeds)
def test_a_labelling_as_the_expectation(case, kappa, mu, seed):
    """|Δ_t| = 1: regret is mistakes, and C = 4Φ + mean²/b, not the printed 2Φ."""
    graph, labels = case
    rng = np.random.default_rng(seed)
    nodes = rng.integers(0, graph.num_nodes, 30)
    b = 2.0
    kernel = np.linalg.pinv(graph.laplacian().toarray(), hermitian=True) + b
    duals = np.linalg.solve(kernel, labels)
    cut = labels @ graph.laplacian() @ labels / 4
    for rank in (100, None):
        learner = Bbq(rank=rank, mu=mu, kappa=kappa, b=b)
        state = learner.start(graph)
        predictions, shown = game(state, nodes, lambda trial, node: int(labels[node]))
        weights = learner.prepare(graph).matrix.T @ duals if rank else duals
        bound = state.regret_bound(nodes, weights=weights)
        assert bound.holds
        assert bound.allows(int((predictions != shown).sum()))
        assert bound.terms["C"] == pytest.approx(4 * cut + labels.mean() ** 2 / b, abs=1e-6)
        assert bound.terms["mistakes of the best"] == pytest.approx(0, abs=1e-6)


@given(seeds, st.integers(1, 3000), st.integers(1, 40), st.floats(0, 20), st.floats(0, 20))
@settings(max_examples=40)
def test_bounds_fall_as_kappa_grows(seed, count, queries, norm, logs):
    """With the queries held: a lower threshold leaves less variance on the trials let pass."""
    rng = np.random.default_rng(seed)
    margins = rng.uniform(-1, 1, count)
    asked = rng.permutation(count) < queries
    for bound in (
        lambda kappa: expected_regret(margins, asked, 0.5, kappa, norm, logs)[0],
        lambda kappa: mistakes_anywhere(margins, asked, kappa, norm, logs)[0],
    ):
        values = [bound(kappa) for kappa in np.linspace(0, 1, 6)]
        assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(values))
        assert values[0] <= count


def test_the_sum_over_passed_trials_is_never_below_its_terms():
    """Blocks of trials stand for their first, the largest; few trials are summed one by one."""
    for count, slack in ((300, 1e-6), (20_000, 0.02)):
        asked = np.arange(count + 1) == 0
        for kappa in (0.3, 0.6, 1.0):
            for norm in (0.5, 4.0, 9.0):
                _, terms = expected_regret(np.ones(count + 1), asked, 1.0, kappa, norm, 1e9)
                j = np.arange(2.0, count + 2)
                exact = np.exp(np.minimum(0.5 * (norm - (j**kappa - 1)), 0)).sum()
                if exact < count:
                    assert exact <= terms["passed"] <= exact * (1 + slack)


def printed_theorem_7(epsilon, kappa, norm, d, queries, mu):
    """Eq. 23 with T_ε = 0 and B = 1, ‖u‖² in the place of 2Φ."""
    bias = 4 * (norm + epsilon) / epsilon**2
    first = 2 * (8 / epsilon**2) ** (1 / kappa) + math.e * bias ** (1 / kappa)
    logs = d * math.log1p(queries / (mu * d))
    return math.factorial(math.ceil(1 / kappa)) * first + (16 / (math.e * epsilon**2) + bias) * logs


def test_printed_theorem_7_fails_for_a_large_ridge():
    """Its bias has I where the ridge makes it μI: after one label, 999 mistakes where it allows 101."""
    a = math.sqrt(0.5)
    X = np.array([[1.0, 0.0], [a, a]])
    alpha = np.array([1.0, -(1 + a) / a])
    assert np.allclose(X @ alpha, [1, -1])
    nodes, mu = [0] + [1] * 999, 1e4
    state = Bbq(mu=mu, kappa=1.0, b=0.0).start(Features(X))
    predictions, labels = game(state, nodes, lambda trial, node: 1 - 2 * node)
    mistakes = int((predictions != labels).sum())
    printed = printed_theorem_7(1 - 1e-9, 1.0, alpha @ alpha, 2, state.trials, mu)
    assert mistakes == 999 > 9 * printed
    for bound in (
        state.regret_bound(nodes, weights=alpha),
        state.regret_bound(nodes, labels=np.array([1, -1])),
    ):
        assert bound.holds
        assert bound.allows(mistakes)


def test_printed_theorem_7_fails_for_sslgc():
    """Learning from mistakes alone picks the labels by their values: regret grows like T, not like log T."""
    delta, trials = 0.8, 20_000
    regret = {}
    for learner in (Sslgc(mu=1.0, kappa=1.0, b=0.0), Bbq(mu=1.0, kappa=1.0, b=0.0)):
        rng = np.random.default_rng(1)
        state = learner.start(Features([[1.0]]))
        predictions, _ = game(
            state, [0] * trials, lambda trial, node, rng=rng: 1 if rng.random() < (1 + delta) / 2 else -1
        )
        regret[learner.name] = delta * (predictions < 0).sum()
    printed = printed_theorem_7(delta, 1.0, delta**2, 1, trials, 1.0)  # even with every label asked for
    assert regret["sslgc"] > 2 * printed
    assert regret["bbq"] <= state.regret_bound([0] * trials, weights=[delta]).value < 20


def test_assumptions_are_checked():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    nodes, labels = [0, 3, 1, 2] * 5, np.array([1, 1, -1, -1])
    state = Bbq(kappa=0.3).start(graph)
    game(state, nodes, lambda trial, node: int(labels[node]))
    assert state.regret_bound(nodes, labels=labels).holds
    large = state.regret_bound(nodes, weights=np.full(4, 2.0))
    assert [a.holds for a in large.assumptions] == [True, False, False]
    silent = Bbq(kappa=0.3).start(graph)
    silent.update(0, 1)  # one label, then a budget of no more
    bound = silent.regret_bound(nodes, labels=labels)
    assert not bound.holds
    assert "by the rule alone" in str(bound)


def test_vectors_never_seen_before():
    X = np.array([[1.0, 0.5], [-0.5, 1.0], [0.3, -1.0]] * 20)
    alpha = np.array([0.5, 0.5])
    state = Bbq(mu=1.0, kappa=0.5, b=0.0).start(Features(np.empty((0, 2))))
    for trial, x in enumerate(X):
        if trial == 0 or state.ask(x, trial):
            state.update(x, 1 if x @ alpha > 0 else -1)
    bound = state.regret_bound(list(X), weights=alpha)
    assert bound.assumptions[0].holds
    assert bound.value <= np.abs(X @ alpha).sum() + 1e-9
    with pytest.raises(ParameterError, match="outside the table"):
        state.regret_bound(list(X), labels=np.zeros(0))


def test_bad_arguments():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    for rank in (2, None):
        state = Bbq(rank=rank).start(graph)
        state.update(0, 1)
        with pytest.raises(ParameterError, match="either weights"):
            state.regret_bound([0])
        with pytest.raises(ParameterError, match="either weights"):
            state.regret_bound([0], weights=[1.0], labels=[1, 1, 1])
        with pytest.raises(ParameterError, match="finite numbers, one per"):
            state.regret_bound([0], weights=[1.0])
        with pytest.raises(LabelError, match="−1 or \\+1"):
            state.regret_bound([0, 1], labels=[1, 0, 1])
    fresh = Bbq().start(graph)
    assert fresh.regret_bound([], labels=[1, 1, 1]).value == 0
    assert fresh.regret_bound([], weights=np.zeros(3)).value == 0


# -- as the bound of a game ------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [100, None])
def test_the_bound_of_a_game_covers_the_trials_let_pass(rank):
    """Noise, drift, repeats and several classes: the labels are those that were shown."""
    held = passed = 0
    for seed in range(150):
        graph, rng = random_graph(seed), np.random.default_rng(seed)
        labels = rng.integers(0, int(rng.integers(2, 5)), graph.num_nodes)
        noise = {"label_noise": 0.2 * (seed % 3 == 0), "drift": seed % 2, "repeats": 1 + seed % 5}
        kappa, mu = [0.2, 0.5, 1.0][seed % 3], [0.1, 1.0, 5.0][seed % 3]
        run = play(graph, labels, "bbq", seed=seed, rank=rank, kappa=kappa, mu=mu, **noise)
        assert run.bound.allows(run.mistakes), (seed, run.mistakes, run.bound)
        assert run.bound.holds == (not run.guessed.any())  # a component without a label has no margin
        held += run.bound.holds
        passed += run.queries < run.trials
    assert held > 100
    assert passed > 100


def test_the_bound_of_a_game_is_the_mistake_bound_over_all_trials():
    example = generators.barbell(8)
    run = play(example.graph, example.labels, "bbq", repeats=12, seed=1, kappa=0.5, mu=0.5)
    state = Bbq(kappa=0.5, mu=0.5).start(example.graph)
    game(state, run.nodes, lambda trial, node: int(example.labels[node]))
    by_hand = state.regret_bound(run.nodes, labels=example.labels)
    assert run.queries < run.trials
    assert run.bound.value == pytest.approx(by_hand.value)
    assert run.bound.value < run.trials
    assert run.bound.holds
    assert "on all trials" in run.bound.theorem


@pytest.mark.parametrize(
    "settings", [{"delay": 2}, {"budget": 3}, {"policy": "random:0.5"}, {"policy": "margin:0.2"}]
)
def test_labels_kept_from_the_rule_break_the_bound(settings):
    example = generators.barbell(8)
    run = play(example.graph, example.labels, "bbq", repeats=4, **settings)
    assert not run.bound.holds
    assert "no guarantee" in str(run.bound)


def test_the_bound_of_a_session_is_on_its_answers():
    example = generators.grid(6, 6)
    session = start(example.graph, "bbq", classes=[-1, 1])
    for node in np.random.default_rng(0).permutation(36).tolist():
        if session.predict(node).ask:
            session.learn(node, int(example.labels[node]))
    bound = session.bound(example.labels)
    assert bound.holds
    assert session.mistakes <= bound.value <= session.queries
    assert "on the labels learnt" in bound.theorem
