"""interpolation against its definition, its duality gap, its bound, and the paper's double lollipop."""

import numpy as np
import pytest
from hypothesis import given

import naive.learners.interpolation as naive
import strategies
import zerokelvin as zk
from naive.flow_graphs import small_graph
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.learners import sign
from zerokelvin.learners.seminorm import seminorm_harmonic
from zerokelvin.learners.seminorm.interpolation import Interpolation
from zerokelvin.resistance.effective import resistance_diameter


def teach(state, rng, graph):
    labels = {}
    for _ in range(int(rng.integers(1, graph.num_nodes + 3))):
        node, label = int(rng.integers(graph.num_nodes)), int(rng.choice([-1, 1]))
        state.update(node, label)
        labels[node] = label  # the last answer counts
    return labels


@pytest.mark.kernels
def test_p_2_is_the_harmonic_function():
    rng = np.random.default_rng(0)
    for _ in range(400):
        graph = small_graph(rng, largest=10).graph
        state = Interpolation().start(graph)
        expected = naive.harmonic(graph, teach(state, rng, graph))
        known = ~np.isnan(expected)
        np.testing.assert_allclose(state.f[known], expected[known], atol=1e-9)
        assert (state.f[~known] == 0).all()
        assert state.gap().relative <= 1e-12


@pytest.mark.kernels
@pytest.mark.parametrize("p", [1.1, 1.3, 1.5, 1.9])
def test_smaller_p_reaches_the_minimum_and_certifies_it(p):
    rng = np.random.default_rng(1)
    for _ in range(25):
        graph = small_graph(rng, largest=8).graph
        state = Interpolation(p=p).start(graph)
        labels = teach(state, rng, graph)
        gap = state.gap()
        assert gap.relative <= state.learner.tol
        assert gap.dual <= gap.primal * (1 + 1e-12)
        if graph.num_components == 1:
            best = naive.minimum(graph, labels, p)
            assert naive.energy(graph, state.f, p) == pytest.approx(gap.primal)
            assert gap.dual <= best * (1 + 1e-12) + 1e-12  # a lower bound on what any other method finds
            assert gap.primal <= best * (1 + 1e-7) + 1e-12


@pytest.mark.parametrize("p", [1.2, 1.5, 1.8])
def test_every_label_of_a_game_leaves_a_certified_minimum(p):
    """Warm starts, parts that fall apart, labels that surprise: the gap is closed after each."""
    rng = np.random.default_rng(2)
    example = zk.generators.planted_partition([60, 60], 0.08, 0.02, rng)
    truth = np.where(np.asarray(example.labels) == 0, -1, 1)
    truth[rng.permutation(120)[:12]] *= -1
    state = Interpolation(p=p).start(example.graph)
    for node in rng.permutation(120).tolist():
        state.update(node, int(truth[node]))
        assert state.gap().relative <= state.learner.tol


def test_a_failing_warm_start_begins_again_with_a_large_smoothing(monkeypatch):
    monkeypatch.setattr("zerokelvin.learners.seminorm.seminorm_newton.WARM_STEPS", 0)
    graph = zk.generators.grid(6, 6).graph
    state = Interpolation(p=1.3).start(graph)
    for node, label in ((0, -1), (35, 1), (5, 1), (30, -1)):
        state.update(node, label)
        assert state.gap().relative <= 1e-8


def test_the_gap_sees_a_wrong_interpolant():
    graph = zk.generators.grid(5, 5).graph
    for p in (1.3, 2.0):
        state = Interpolation(p=p).start(graph)
        for node, label in ((0, -1), (24, 1), (4, 1)):
            state.update(node, label)
        assert state.gap().relative <= 1e-8
        state.f[12] += 0.1
        assert state.gap().relative > 1e-4


@pytest.mark.parametrize("p", [1.2, 1.6, 2.0])
@given(game=strategies.games(noisy=False))
def test_mistakes_stay_within_the_bound(p, game):
    graph, labels, trials = game
    state = Interpolation(p=p).start(graph)
    mistakes = 0
    for node, label in trials:
        mistakes += sign(state.margin(node)) != label
        state.update(node, label)
    bound = state.bound(labels)
    assert bound.holds
    assert bound.allows(mistakes)


def test_the_bound_of_p_2_is_the_resistance_bound_at_worst():
    """X is at most the resistance diameter: mistakes ≤ 1 + 4ΦR."""
    example = zk.generators.barbell(12)
    run = zk.play(example.graph, example.labels, "interpolation")
    assert run.bound.holds
    assert run.bound.value <= 1 + 4 * 1 * float(resistance_diameter(example.graph)) + 1e-6
    assert run.mistakes <= run.bound.value


def test_the_double_lollipop_is_hard_for_every_p():
    """Section 3.3: the seminorm bounds grow linearly, the cut learners make O(log n) mistakes."""
    values = []
    for n in (64, 128):
        example = zk.generators.double_lollipop(n)
        run = zk.play(example.graph, example.labels, "interpolation")
        assert run.mistakes <= run.bound.value
        values.append(run.bound.terms["Σ 4Φ^(2/p)"])
    assert values[1] >= 1.9 * values[0]


def test_towards_p_1_the_interpolant_nears_a_minimum_cut():
    """Two triangles joined by one edge: the jump is on that edge, ever more so as p falls."""
    graph = zk.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)])
    jumps = []
    for p in (2.0, 1.5, 1.1):
        state = Interpolation(p=p).start(graph)
        state.update(0, -1)
        state.update(5, 1)
        jumps.append(state.f[3] - state.f[2])
    assert jumps == sorted(jumps)
    assert jumps[-1] > 1.9


@given(strategies.games(max_nodes=8))
def test_shares_sum_to_the_margin(game):
    graph, _, trials = game
    state = Interpolation().start(graph)
    for node, label in trials:
        state.update(node, label)
    for node in range(graph.num_nodes):
        shares = state.explain(node)
        if shares:
            assert sum(share for _, share in shares) == pytest.approx(state.margin(node), abs=1e-7)


@pytest.mark.parametrize("p", [1.2, 1.5, 1.8])
def test_shares_below_two_sum_to_the_margin(p):
    """On graphs with ties, weights and several components: every label around a node has its say."""
    rng = np.random.default_rng(int(10 * p))
    explained = 0
    for _ in range(25):
        n = int(rng.integers(3, 10))
        edges = rng.integers(n, size=(2 * n, 2))
        edges = edges[edges[:, 0] != edges[:, 1]]
        graph = zk.Graph.from_edges(edges, rng.integers(1, 4, len(edges)), num_nodes=n)
        state = Interpolation(p=p).start(graph)
        for node in rng.permutation(n)[: int(rng.integers(1, n))].tolist():
            state.update(node, int(rng.choice([-1, 1])))
        for node in range(n):
            shares = state.explain(node)
            assert bool(shares) == (state.f[node] != 0)
            if shares:
                explained += 1
                assert sum(share for _, share in shares) == pytest.approx(state.margin(node), abs=1e-6)
                assert all(share * state.labels[other] >= 0 for other, share in shares)
                assert sum(abs(share) for _, share in shares) == pytest.approx(1)
    assert explained > 80
    path = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    state = Interpolation(p=p).start(path)
    state.update(0, -1)
    state.update(4, 1)
    assert dict(state.explain(1)) == pytest.approx({0: -0.75, 4: 0.25}, abs=1e-3)


@pytest.mark.parametrize("engine", ["auto", "direct", "jacobi"])
def test_the_solvers_give_what_conjugate_gradients_give(engine):
    """With no step allowed every system goes through the Laplacian solvers."""
    graph = zk.generators.grid(8, 8).graph
    order = np.random.default_rng(0).permutation(64)[:40]
    fast, slow = Interpolation().start(graph), Interpolation(engine=engine).start(graph)
    slow.hard = 0
    for node in order.tolist():
        label = -1 if node < 30 else 1
        fast.update(node, label)
        slow.update(node, label)
    np.testing.assert_allclose(fast.f, slow.f, atol=1e-7)


@pytest.mark.parametrize("held", [True, False])
def test_a_long_path_falls_back_on_the_solvers_where_no_factor_is_held(held):
    n = 5000
    path = zk.Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    state = Interpolation().start(path)
    if not held:
        state.held = None
    state.update(0, -1)
    state.update(n - 1, 1)
    assert (state.hard < n) == (not held)
    np.testing.assert_allclose(state.f, np.linspace(-1, 1, n), atol=1e-6)
    state.update(n // 2, 1)
    assert state.margin(n // 2 + 5) == pytest.approx(1.0)


def test_problems_share_one_system_per_label(monkeypatch):
    calls = []
    original = seminorm_harmonic.harmonic_response

    def counted(*arguments):
        calls.append(arguments[2])
        return original(*arguments)

    monkeypatch.setattr("zerokelvin.learners.seminorm.interpolation.harmonic_response", counted)
    graph = zk.generators.grid(5, 5).graph
    zk.play(graph, np.arange(25) % 3, "interpolation")
    assert len(calls) <= 25


def test_refusals():
    for p in (1.0, 2.1, 0.5):
        with pytest.raises(ParameterError, match="p="):
            Interpolation(p=p)
    with pytest.raises(ParameterError, match="tol="):
        Interpolation(tol=0.0)
    with pytest.raises(ParameterError, match="engine"):
        Interpolation(engine="magic")
    with pytest.raises(GraphError, match="positive weights"):
        Interpolation().start(zk.Graph.from_edges([(0, 1)], weights=[-1.0]))
