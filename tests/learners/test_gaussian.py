"""Gaussian-process regression against dense solves, its identity, its bound and known figures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.gaussian as naive
import zerokelvin as zk
from naive.class_games import as_trials, class_games, comparators, dataset, mistakes
from naive.propagation import kernel as kernel_matrix
from zerokelvin.errors import ParameterError
from zerokelvin.learners.covariance import EXACT_LIMIT, Covariance
from zerokelvin.learners.gaussian import Gaussian

KERNELS = st.sampled_from(["regularized:0.1", "regularized:2", "normalized:0.1", "normalized:1"])
MU = st.sampled_from([0.1, 0.3, 2.0])
B = st.sampled_from([0.0, 1e-8, 0.5])


def start(graph, classes, **params):
    return Gaussian(**params).start_problems(graph, 1 if classes == 2 else classes, None, 0)


@pytest.mark.kernels
@settings(max_examples=60)
@given(class_games(), KERNELS, MU, B)
def test_relaxed_means_and_variances_agree_with_dense_solves(game, kernel, mu, b):
    graph, classes, trials, _ = game
    matrix = kernel_matrix(graph, kernel) + b
    expected, spread = naive.play(matrix, trials, classes, mu)
    problems = start(graph, classes, kernel=kernel, mu=mu, b=b, tol=1e-11)
    found = []
    for t, (node, code) in enumerate(trials):
        found.append(problems.margins(node))
        assert problems.states[0].variance(node) == pytest.approx(spread[t], abs=1e-5)
        problems.diffusion.learn(node, code)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.kernels
@settings(max_examples=40)
@given(class_games(), st.sampled_from(["heat:0.7", "regularized:0.1", "laplacian"]), MU, B)
def test_exact_means_and_variances_agree_with_dense_solves(game, kernel, mu, b):
    graph, classes, trials, _ = game
    laplacian = np.linalg.pinv(graph.laplacian().toarray())
    matrix = (laplacian if kernel == "laplacian" else kernel_matrix(graph, kernel)) + b
    expected, spread = naive.play(matrix, trials, classes, mu)
    problems = start(graph, classes, kernel=kernel, mu=mu, b=b, engine="exact")
    found = []
    for t, (node, code) in enumerate(trials):
        found.append(problems.margins(node))
        assert problems.states[0].variance(node) == pytest.approx(spread[t], abs=1e-5)
        problems.covariance.learn(node, code)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.kernels
@pytest.mark.parametrize("nodes", [1, 7, 31, 32, 33, 70, 101])
def test_a_known_order_is_one_factorisation_equal_to_the_last_bit(nodes):
    rng = np.random.default_rng(nodes)
    graph = zk.Graph.from_edges(rng.integers(0, nodes, (2 * nodes, 2)), num_nodes=nodes)
    trials = as_trials([(int(i), int(rng.integers(3))) for i in rng.permutation(nodes)], 3)
    fast, slow = (start(graph, 3, kernel="heat:1", engine="exact") for _ in range(2))
    one = fast.play(trials)
    two = super(type(slow), slow).play(trials)
    assert np.array_equal(one.margins, two.margins)
    everyone = np.arange(nodes)
    assert np.array_equal(fast.states[1].margins(everyone), slow.states[1].margins(everyone))


@settings(max_examples=40)
@given(class_games(), KERNELS, MU)
def test_the_identity_behind_the_bound(game, kernel, mu):
    """Zhdanov and Kalnishkan, Theorem 1, for the ±1 targets of the first class."""
    graph, _, trials, _ = game
    matrix = kernel_matrix(graph, kernel)
    signs = np.array([1.0 if code == 1 else -1.0 for _, code in trials])
    loss = 0.0
    for t, (node, _) in enumerate(trials):
        values, spread = naive.posterior(matrix, [(i, int(c == 1)) for i, c in trials[:t]], 2, mu, node)
        loss += (signs[t] - (values[1] - values[0])) ** 2 / (1 + spread / mu)
    seen = [i for i, _ in trials]
    best = mu * signs @ np.linalg.solve(matrix[np.ix_(seen, seen)] + mu * np.eye(len(seen)), signs)
    assert loss == pytest.approx(best, rel=1e-6)


@settings(max_examples=60)
@given(class_games(), KERNELS, MU, B, st.sampled_from([0.02, 1e-4]))
def test_mistakes_stay_within_the_bound(game, kernel, mu, b, tol):
    graph, classes, trials, codes = game
    problems = start(graph, classes, kernel=kernel, mu=mu, b=b, tol=tol)
    trace = problems.play(as_trials(trials, classes))
    bound = problems.bound(comparators(codes, classes))
    assert bound.allows(mistakes(trace.margins, trials, classes)) or not bound.holds
    assert bound.holds or tol > 1e-3


@settings(max_examples=150)
@given(class_games(), st.sampled_from(["heat:0.7", "regularized:0.1"]), MU)
def test_exact_mistakes_stay_within_the_bound(game, kernel, mu):
    graph, classes, trials, codes = game
    problems = start(graph, classes, kernel=kernel, mu=mu, engine="exact")
    trace = problems.play(as_trials(trials, classes))
    bound = problems.bound(comparators(codes, classes))
    assert bound.holds or kernel == "heat:0.7"  # a heavy edge makes the heat kernel singular to rounding
    assert bound.allows(mistakes(trace.margins, trials, classes)) or not bound.holds


def test_the_bound_does_not_grow_with_the_cliques():
    values = []
    for m in (5, 20, 80):
        example = zk.generators.barbell(m)
        state = Gaussian(kernel=f"regularized:{1 / m}", mu=0.5, tol=1e-3).start(example.graph)
        values.append(state.bound(np.asarray(example.labels)).value)
    assert values[2] <= values[0]
    assert values[2] < 160


@settings(max_examples=100)
@given(class_games(), st.sampled_from(["push", "exact"]), B)
def test_shares_sum_to_the_margin(game, engine, b):
    graph, classes, trials, _ = game
    problems = start(graph, classes, engine=engine, b=b, tol=1e-10)
    problems.play(as_trials(trials, classes))
    for node in range(graph.num_nodes):
        for state in problems.states:
            total = math.fsum(share for _, share in state.explain(node))
            assert total == pytest.approx(state.margin(node), abs=1e-6)


@settings(max_examples=100)
@given(class_games())
def test_values_are_chances(game):
    """With (L + εI)⁻¹ the values of all classes are at least 0 and sum to at most 1, up to the tolerance."""
    graph, classes, trials, _ = game
    problems = start(graph, classes, tol=1e-6)
    for node, code in trials:
        problems.diffusion.learn(node, code)
    for node in range(graph.num_nodes):
        values = problems.diffusion.values(node)
        assert values.min() >= -1e-5
        assert values.sum() <= 1 + 1e-5


def test_refusals():
    with pytest.raises(ParameterError, match="mu=0"):
        Gaussian(mu=0)
    with pytest.raises(ParameterError, match="b=-1"):
        Gaussian(b=-1)
    line = zk.Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="unknown kernel 'pagerank"):
        Gaussian(kernel="pagerank:0.5").start(line)
    for engine in ("push", "exact"):
        states = Gaussian(engine=engine).start_problems(line, 3, None, 0).states
        with pytest.raises(ParameterError, match="all classes"):
            states[0].update(0, 1)

    class Large:
        num_nodes = EXACT_LIMIT + 1

    with pytest.raises(ParameterError, match="work locally"):
        Covariance(Large(), 2, 1.0, 0.0)
    covariance = Covariance(zk.linalg.kernels.kernel_columns(line, "heat:1"), 1, 1.0, 0.0)
    with pytest.raises(ParameterError, match="distinct"):
        covariance.known_order(np.array([0, 0]), np.array([0, 1]))


@pytest.mark.data
@pytest.mark.parametrize(("name", "binary", "multi"), [("cora", 0.0455, 0.158), ("pubmed", 0.119, 0.1785)])
def test_known_figures(name, binary, multi):
    runs = zk.play_shuffles(*dataset(name), "gaussian", shuffles=2)
    assert runs.mean("error_binary") <= binary
    assert runs.mean("error_multiclass") <= multi


@pytest.mark.data
def test_heat_on_cora():
    run = zk.play(*dataset("cora"), "gaussian", kernel="heat:3", mu=1.0)
    assert run.error_multiclass <= 0.165
