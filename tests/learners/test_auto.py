"""The mixture: AdaHedge and the combination against their definitions, bound, calibration, reasons."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import naive.auto as naive
import zerokelvin as zk
from naive.class_games import as_trials, class_games, comparators, dataset, mistakes
from zerokelvin.errors import ParameterError
from zerokelvin.learners.auto import Auto
from zerokelvin.learners.hedge import AdaHedge, Combination


@settings(max_examples=200)
@given(st.integers(2, 6), st.integers(1, 40), st.integers(0, 10**6), st.booleans())
@example(2, 2, 1603, False)  # a rate so large that weights underflow
def test_adahedge_agrees_with_its_definition_and_keeps_its_bound(experts, total, seed, hard):
    rng = np.random.default_rng(seed)
    losses = rng.random((total, experts)) ** 2
    losses = (losses > 0.4).astype(float) if hard else losses
    expected, suffered, gap = naive.adahedge(losses)
    hedge = AdaHedge(experts)
    for t in range(total):
        np.testing.assert_allclose(hedge.weights(), expected[t], atol=1e-9)
        hedge.learn(losses[t])
        assert hedge.loss <= hedge.losses.min() + 2 * hedge.gap + 1e-9
    assert hedge.loss == pytest.approx(suffered)
    assert hedge.gap == pytest.approx(gap)


@pytest.mark.kernels
@settings(max_examples=100)
@given(st.integers(1, 4), st.integers(2, 5), st.integers(0, 10**6))
def test_the_combination_is_newtons_method(experts, classes, seed):
    rng = np.random.default_rng(seed)
    combination = Combination(experts, classes, precision=2.0)
    theta, covariance = combination.theta.copy(), combination.covariance.copy()
    for _ in range(6):
        logs = np.log(rng.dirichlet(np.ones(classes), experts))
        code = int(rng.integers(classes))
        combination.learn(logs, combination.probabilities(logs), code)
        theta, covariance = naive.newton(theta, covariance, logs, code)
        np.testing.assert_allclose(combination.theta, theta, atol=1e-8)
        np.testing.assert_allclose(combination.covariance, covariance, atol=1e-8)


@settings(max_examples=60)
@given(class_games())
def test_mistakes_stay_within_the_bound(game):
    graph, classes, trials, codes = game
    problems = Auto().start_problems(graph, 1 if classes == 2 else classes, None, 0)
    trace = problems.play(as_trials(trials, classes))
    bound = problems.bound(comparators(codes, classes))
    assert bound.holds
    assert bound.allows(mistakes(trace.margins, trials, classes))


def test_it_follows_the_best_expert_on_two_cliques():
    example = zk.generators.barbell(60)
    run = zk.play(example.graph, example.labels, "auto")
    assert run.mistakes <= 4


def test_a_graph_without_signal_is_no_worse_than_the_most_frequent_class_and_the_reason_says_so():
    rng = np.random.default_rng(5)
    graph = zk.Graph.from_edges([*rng.integers(0, 400, (1200, 2)), (0, 1)], num_nodes=400)
    labels = rng.choice(["a", "b", "c"], 400, p=[0.6, 0.3, 0.1])
    runs = zk.play_shuffles(graph, labels, "auto", shuffles=3)
    frequent = (labels != "a").mean()
    assert runs.mean("error_multiclass") <= frequent + 0.05
    session = zk.start(graph, "auto")
    for node in range(300):
        session.learn(node, labels[node])
    node = next(i for i in range(300, 400) if graph.components[i] == graph.components[0])
    assert "little signal" in session.predict(node).reason
    assert "Most trusted" in session.predict(node).reason


def test_a_clear_graph_has_no_such_remark():
    example = zk.generators.barbell(40)
    session = zk.start(example.graph, "auto")
    for node in np.random.default_rng(0).permutation(80)[:60].tolist():
        session.learn(node, int(example.labels[node]))
    assert "little signal" not in session.predict(79).reason


def test_refusals():
    with pytest.raises(ParameterError, match="tol=0"):
        Auto(tol=0)
    states = Auto().start_problems(zk.Graph.from_edges([(0, 1)]), 3, None, 0).states
    with pytest.raises(ParameterError, match="all classes"):
        states[0].update(0, 1)


@pytest.mark.data
def test_probabilities_are_calibrated_on_cora():
    """In ten bins of the top probability, the mean gap between confidence and accuracy is below .04."""
    graph, labels = dataset("cora")
    codes = np.unique(np.asarray(labels, dtype=int), return_inverse=True)[1]
    order = np.random.default_rng(0).permutation(len(codes))
    problems = Auto().start_problems(graph, 7, None, 0)
    sure, right = [], []
    for node in order.tolist():
        chances = problems.chances(node)
        if chances is not None:
            sure.append(chances.max())
            right.append(chances.argmax() == codes[node])
        problems.mixture.learn(node, int(codes[node]))
    sure, right = np.array(sure), np.array(right)
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [
        abs(sure[bins == k].mean() - right[bins == k].mean()) * (bins == k).mean() for k in np.unique(bins)
    ]
    assert sum(gaps) < 0.04


@pytest.mark.data
@pytest.mark.parametrize(("name", "limit"), [("cora", 0.1575), ("polblogs", 0.06), ("airports_usa", 0.56)])
def test_known_figures(name, limit):
    run = zk.play(*dataset(name), "auto")
    assert run.error_multiclass <= limit
    assert run.bound.allows(run.mistakes)
