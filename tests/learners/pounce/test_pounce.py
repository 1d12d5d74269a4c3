"""POUNCE against its definition, its theorems and the paper's examples."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.learners.pounce as naive
import strategies
from random_graphs import random_graph
from zerokelvin.checks import check_learner
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph, exponential_graph, generators
from zerokelvin.graph.measures.covers import component_separating_number, separating_number
from zerokelvin.learners import make, sign
from zerokelvin.learners.pounce.pounce import Pounce
from zerokelvin.resistance.effective import resistances_from
from zerokelvin.resistance.exponential_resistance import bottleneck_distances, eliminate
from zerokelvin.resistance.geometry import ExponentialGeometry, KernelGeometry, geometry_of
from zerokelvin.session import start

BOTH = st.booleans()


def run(state, trials):
    """Margins before each trial, and the trials predicted wrong."""
    margins, mistakes = [], []
    for t, (node, label) in enumerate(trials):
        margins.append(state.margin(node))
        if sign(margins[-1]) != label:
            mistakes.append(t)
        state.update(node, label)
    return np.array(margins), mistakes


def worst_case(learner, graph, labels, nodes, at_most, repeats=False):
    """The most mistakes over every order of `nodes`, by trying every next mistake; first trials count.

    Between mistakes nothing is learnt, so an order is a sequence of mistaken nodes.
    """
    prepared = learner.prepare(graph)

    def search(trials):
        state = learner.start(graph, prepared)
        for node in trials:
            state.update(node, labels[node])
        wrong = [v for v in nodes if sign(state.margin(v)) != labels[v] and (repeats or v not in trials)]
        assert len(trials) + bool(wrong) <= at_most + 1
        return max((search([*trials, v]) for v in wrong), default=len(trials))

    return max(search([first]) for first in nodes)


# -- the algorithm --------------------------------------------------------------------------------------


@given(strategies.games(max_nodes=10), BOTH)
def test_agrees_with_the_definition(game, every_round):
    graph, _, trials = game
    expected, mistaken, _ = naive.play(graph, trials, every_round)
    state = Pounce(every_round=every_round).start(graph)
    margins, mistakes = run(state, trials)
    np.testing.assert_allclose(margins, expected, atol=1e-7)
    assert set(mistaken) <= set(mistakes)


@pytest.mark.kernels
@pytest.mark.parametrize("every_round", [False, True])
def test_agrees_with_the_definition_on_graphs_of_many_shapes(every_round):
    for seed in range(150):
        graph = random_graph(seed, signed=False)
        rng = np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        trials = [(int(i), int(labels[i])) for i in rng.integers(graph.num_nodes, size=graph.num_nodes)]
        expected, _, _ = naive.play(graph, trials, every_round)
        margins, _ = run(Pounce(every_round=every_round).start(graph), trials)
        np.testing.assert_allclose(margins, expected, atol=1e-6)


@pytest.mark.kernels
def test_signed_graphs_agree_with_the_definition_and_theorem_2():
    """Lemma 1 and Theorem 5: a positive definite signed Laplacian takes the Laplacian's place."""
    played = 0
    for seed in range(400):
        graph = random_graph(seed, signed=True)
        try:
            state = Pounce().start(graph)
        except GraphError:
            continue
        played += graph.is_signed
        rng = np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        trials = [(int(i), int(labels[i])) for i in rng.integers(graph.num_nodes, size=graph.num_nodes)]
        expected, _, _ = naive.play(graph, trials)
        margins, mistakes = run(state, trials)
        np.testing.assert_allclose(margins, expected, atol=1e-6)
        bound = state.bound(labels)
        assert bound.holds
        assert bound.allows(len(mistakes))
        assert state.bound(labels, "19").allows(len(mistakes))
        assert bound.terms["4Φ"] == pytest.approx(labels @ graph.laplacian() @ labels, abs=1e-9)
        wanted = naive.least_norm(graph, {int(entry[0]): labels[int(entry[0])] for entry in state.entries})
        assert bound.terms["‖u‖²"] == pytest.approx(wanted, rel=1e-6, abs=1e-7)
        assert bound.value <= state.bound(labels, "2", ahead=True).value
    assert played > 80


def test_balanced_signed_components_are_refused_with_advice():
    camps = Graph.from_edges([("a", "b"), ("b", "c")], weights=[1.0, -1.0])
    with pytest.raises(GraphError, match="component of node 'a' has negative edges"):
        Pounce().prepare(camps)
    mixed = Graph.from_edges([(0, 1), (2, 3), (3, 4), (2, 4)], weights=[1.0, 1.0, 1.0, -1.0])
    Pounce().prepare(mixed)  # an ordinary component beside a positive definite one
    beside = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)], weights=[1.0, 1.0, -1.0, -1.0])
    with pytest.raises(GraphError, match=r"node 3 has .*; play the largest component alone .*, or make the"):
        Pounce().prepare(beside)


def test_a_contradicting_repeat_replaces_the_label_and_keeps_w():
    line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    state = Pounce().start(line)
    for node, label in ((0, -1), (3, 1)):
        state.update(node, label)
    before = state.w.copy()
    state.update(3, -1)
    assert np.array_equal(state.w, before)
    assert state.margin(3) == -1
    assert state.margin(0) == -1
    state.update(3, -1)
    assert len(state.entries) == 3
    assert not state.bound(np.array([-1, -1, 1, 1])).holds
    lone = Pounce().start(Graph.from_edges([], num_nodes=1))
    for label in (1, -1, -1, 1):
        lone.update(0, label)
        assert lone.margin(0) == label


def test_the_earliest_of_equally_near_mistakes_counts():
    star = Graph.from_edges([(0, i) for i in range(1, 6)])
    for first, second in ((1, 2), (2, 1)):
        state = Pounce(every_round=True).start(star)
        state.update(first, 1)
        state.update(second, -1)
        assert state.near[5] == first
        assert state.near[0] == first


def test_a_component_without_a_label_has_margin_0():
    graph = Graph.from_edges([(0, 1), (2, 3)], num_nodes=5)
    state = Pounce().start(graph)
    state.update(0, -1)
    assert [state.margin(i) for i in range(5)] == [-1, -1, 0, 0, 0]
    assert state.explain(2) == []


@given(strategies.games(max_nodes=8), BOTH)
def test_explanations_add_up_to_the_margin(game, every_round):
    graph, _, trials = game
    state = Pounce(every_round=every_round).start(graph)
    run(state, trials)
    for node in range(graph.num_nodes):
        assert sum(share for _, share in state.explain(node)) == pytest.approx(state.margin(node), abs=1e-7)


# -- bounds ---------------------------------------------------------------------------------------------


@given(strategies.games(max_nodes=10, noisy=False), BOTH)
def test_theorem_2_and_equation_19(game, every_round):
    graph, labels, trials = game
    state = Pounce(every_round=every_round).start(graph)
    _, mistakes = run(state, trials)
    bound, after = state.bound(labels), state.bound(labels, "19")
    assert bound.holds
    assert after.holds
    assert bound.allows(len(mistakes))
    assert after.allows(len(mistakes))
    _, _, inverse = naive.play(graph, trials, every_round)
    assert after.terms["Σ 1/r"] == pytest.approx(inverse, rel=1e-6, abs=1e-9)
    assert inverse <= after.terms["‖u‖²"] * (1 + 1e-6) + 1e-9  # eq. (19) itself


def test_the_comparator_is_free_off_the_mistakes():
    """Theorem 2 holds for every u with y_t u(i_t) ≥ 1 at the mistakes; the best is harmonic elsewhere."""
    better = 0
    for seed in range(1200):
        graph = random_graph(seed, signed=False)
        rng = np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        if seed % 2:  # every second labelling follows the edges, so that few labels are mistaken
            reach = resistances_from(graph, 0)
            labels = np.where(reach <= np.median(reach[np.isfinite(reach)]), -1, 1)
        trials = [(int(i), int(labels[i])) for i in rng.integers(graph.num_nodes, size=2 * graph.num_nodes)]
        state = Pounce(every_round=seed % 3 == 0).start(graph)
        _, mistakes = run(state, trials)
        bound, ahead = state.bound(labels), state.bound(labels, ahead=True)
        assert bound.holds
        assert bound.allows(len(mistakes))
        assert bound.value <= ahead.value
        wanted = naive.least_norm(graph, {int(entry[0]): labels[int(entry[0])] for entry in state.entries})
        assert bound.terms["‖u‖²"] == pytest.approx(wanted, rel=1e-6, abs=1e-9 * (1 + graph.weights.sum()))
        better += bound.value < ahead.value - 1e-6
    assert better > 250


@pytest.mark.parametrize(
    ("example", "before", "after"), [(generators.line(256), 61, 26), (generators.grid(12, 12), 77.5, 41.5)]
)
def test_theorem_2_on_a_line_and_a_grid(example, before, after):
    game = play(example.graph, example.labels, "pounce", seed=0)
    ahead = Pounce().start(example.graph).bound(example.labels, ahead=True)
    assert game.mistakes <= game.bound.value <= after
    assert after < ahead.value <= before * (1 + 1e-8)


def test_the_bound_of_a_game_not_begun():
    """Nothing is known but that first trials and one set of the cover may cost a mistake each."""
    assert Pounce().start(generators.line(64).graph).bound(generators.line(64).labels).value == 2


def test_theorem_2_with_the_cover_of_large_graphs(monkeypatch):
    """Beyond the dense limit the cover is a geodesic one; the bound is weaker and still holds."""
    monkeypatch.setattr("zerokelvin.learners.pounce.pounce_bounds.DENSE_LIMIT", 1)
    for seed in range(200):
        graph = random_graph(seed)
        rng = np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        state = Pounce().start(graph)
        _, mistakes = run(state, [(int(i), int(labels[i])) for i in rng.permutation(graph.num_nodes)])
        assert state.bound(labels).allows(len(mistakes))


def test_unknown_theorems_are_refused():
    state = Pounce().start(Graph.from_edges([(0, 1)]))
    with pytest.raises(ParameterError, match="known: 2, 8, 19"):
        state.bound(np.array([1, 1]), "3")
    with pytest.raises(ParameterError, match="exponential"):
        state.bound(np.array([1, 1]), "8")


def mistakes_on_three_examples(m, learner, **params):
    """One node of each cluster, shown in turn until no mistake is made."""
    data = generators.three_clusters(m, m // 2, 2)
    order = [m - 1, 2 * m - 1, 3 * m - 1] * (2 * m)
    return play(data.graph, data.labels, learner, order=order, **params).mistakes


def test_three_clusters_are_hard_for_the_perceptron_and_easy_for_pounce():
    """Section 2.2: on three examples repeated, the perceptron's mistakes grow linearly with m."""
    sizes = [20, 40, 80, 160]
    perceptron = [mistakes_on_three_examples(m, "perceptron", b=1.0) for m in sizes]
    assert perceptron == [6, 10, 16, 30]
    growth = np.polyfit(sizes, perceptron, 1)[0]
    assert growth > 1 / 6
    assert max(mistakes_on_three_examples(m, "pounce") for m in sizes) <= 3


@pytest.mark.parametrize("m", [5, 10, 40, 160])
def test_three_clusters_have_a_constant_bound(m):
    """Section 2.2: the constant 20; here with a computed cover. No random order takes more than 8."""
    data = generators.three_clusters(m, m // 2, 2)
    learner = Pounce()
    prepared = learner.prepare(data.graph)
    assert learner.start(data.graph, prepared).bound(data.labels, ahead=True).value <= 20
    for seed in range(10):
        assert play(data.graph, data.labels, learner, seed=seed, prepared=prepared).mistakes <= 8


@pytest.mark.parametrize("m", [4, 6, 8])
def test_three_clusters_take_at_most_8_mistakes_in_every_order(m):
    data = generators.three_clusters(m, m // 2, 2)
    assert worst_case(Pounce(), data.graph, data.labels, range(3 * m), 8) <= 8


@pytest.mark.parametrize("n", [16, 64, 144, 256])
def test_a_line_costs_the_square_root_of_its_length(n):
    """Section 6: covers of √n segments of length √n give O(√n); here at most 5√n + 2."""
    data = generators.line(n)
    state = Pounce().start(data.graph)
    assert state.bound(data.labels, ahead=True).value <= 5 * math.sqrt(n) + 2
    worst = max(play(data.graph, data.labels, "pounce", seed=seed).mistakes for seed in range(10))
    assert worst <= 5 * math.sqrt(n) + 2


# -- exponential embedding ------------------------------------------------------------------------------


def points_of(rng, ties):
    if ties:
        return rng.permutation([(i, j) for i in range(3) for j in range(3)])[: int(rng.integers(2, 7))] / 2
    return rng.normal(size=(int(rng.integers(2, 7)), 2))


def distance_matrix(points):
    return np.sqrt(((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))


@pytest.mark.kernels
@pytest.mark.parametrize("a", [0.5, 5.0, 40.0, 400.0])
@pytest.mark.parametrize("ties", [False, True])
def test_exponential_resistances_equal_long_decimals(a, ties):
    for seed in range(3 if a > 100 else 8):
        points = points_of(np.random.default_rng(seed), ties)
        graph = exponential_graph(points, a)
        logs, potentials = naive.decimal_potentials(distance_matrix(points), a)
        found = eliminate(graph)
        for i in range(len(points)):
            for j in range(len(points)):
                if i != j:
                    assert found.log_resistances[i, j] == pytest.approx(logs[i][j], abs=1e-9)
                    np.testing.assert_allclose(found.potential(i, j), potentials[i][j], atol=1e-9)


@pytest.mark.kernels
@pytest.mark.parametrize("ties", [False, True])
def test_the_limit_is_what_a_large_scale_tends_to(ties):
    for seed in range(60):
        rng = np.random.default_rng(seed)
        points = np.round(points_of(rng, ties), 2) if ties else points_of(rng, ties).round(2)
        points = np.unique(points, axis=0)
        limit, near = (exponential_graph(points, a) for a in (math.inf, 1e6))
        wanted = bottleneck_distances(limit)
        seen, close = eliminate(limit), eliminate(near)
        exponents, coefficients = seen.resistances
        for i in range(len(points)):
            others = np.flatnonzero(np.arange(len(points)) != i)
            np.testing.assert_allclose(exponents[i][others], wanted[i][others])
            gaps = close.log_resistances[i][others] - 1e6 * wanted[i][others]
            np.testing.assert_allclose(np.exp(gaps), coefficients[i][others], rtol=1e-4)
            for j in others.tolist():
                np.testing.assert_allclose(seen.potential(i, j), close.potential(i, j), atol=1e-6)


@pytest.mark.kernels
@pytest.mark.parametrize("a", [3.0, 40.0, 400.0])
def test_pounce_on_exponential_graphs_equals_long_decimals(a):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        points = points_of(rng, bool(seed % 2))
        labels = rng.choice([-1, 1], len(points))
        trials = [(int(i), int(labels[i])) for i in rng.integers(len(points), size=12)]
        expected = naive.decimal_play(distance_matrix(points), a, trials)
        margins, _ = run(Pounce().start(exponential_graph(points, a)), trials)
        np.testing.assert_allclose(margins, expected, atol=1e-7)


def test_small_ranges_use_the_kernel_and_large_ones_elimination():
    points = np.array([[0.0], [1.0], [3.0]])
    assert isinstance(geometry_of(exponential_graph(points, 2.0)), KernelGeometry)
    assert isinstance(geometry_of(exponential_graph(points, 20.0)), ExponentialGeometry)
    for seed in range(20):  # both agree where both are exact
        rng = np.random.default_rng(seed)
        graph = exponential_graph(rng.normal(size=(9, 2)), 2.0)
        trials = [(int(i), int(rng.choice([-1, 1]))) for i in rng.permutation(9)]
        one, _ = run(Pounce().start(graph), trials)
        certificate = Pounce().prepare(graph)
        certificate.geometry = ExponentialGeometry(graph)
        two, _ = run(Pounce().start(graph, certificate), trials)
        np.testing.assert_allclose(one, two, atol=1e-9)


def test_unreachable_points_are_components_of_their_own():
    distances = np.full((6, 6), np.inf)
    np.fill_diagonal(distances, 0.0)
    for block in ([0, 2, 4], [1, 3, 5]):
        for i in block:
            for j in block:
                distances[i, j] = abs(i - j) * (1.0 + (i + j) / 20)
    for a in (200.0, math.inf):
        graph = exponential_graph(distances, a, metric="precomputed")
        state = Pounce().start(graph)
        state.update(0, -1)
        assert [state.margin(i) for i in range(6)] == [-1, 0, -1, 0, -1, 0]
        state.update(3, 1)
        assert [sign(state.margin(i)) for i in range(6)] == [-1, 1, -1, 1, -1, 1]


SCALES = [20.0, 50.0, 100.0, 200.0, 400.0, math.inf]


@pytest.mark.parametrize("a", SCALES)
def test_figure_4_takes_three_mistakes_in_every_order(a):
    data = generators.path_connected_sets(6, np.random.default_rng(3))
    assert len(set(data.labels[data.played])) == 2
    graph = exponential_graph(data.points, a)
    assert worst_case(Pounce(), graph, data.labels, data.played.tolist(), 3) <= 3
    assert worst_case(Pounce(), graph, data.labels, range(graph.num_nodes), 3) <= 3


@pytest.mark.parametrize("a", SCALES)
def test_two_moons_take_three_mistakes_in_every_order(a):
    data = generators.two_moons(60, np.random.default_rng(0), noise=0.02)
    distances = distance_matrix(data.points)
    assert component_separating_number(distances, data.labels).value == 2
    graph = exponential_graph(data.points, a)
    assert worst_case(Pounce(), graph, data.labels, range(0, 60, 3), 3) <= 3
    bound = Pounce().start(graph).bound(data.labels)
    if bound.holds and bound.theorem.startswith("Theorem 8"):
        assert bound.value == 3


def test_theorem_8_is_never_exceeded():
    held = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        points = points_of(rng, bool(seed % 2))
        labels = rng.choice([-1, 1], len(points))
        for a in (10.0, 200.0, math.inf):
            graph = exponential_graph(points, a)
            state = Pounce().start(graph)
            _, mistakes = run(state, [(int(i), int(labels[i])) for i in rng.permutation(len(points))])
            best, eighth = state.bound(labels), state.bound(labels, "8")
            assert best.allows(len(mistakes)) or not best.holds
            assert eighth.allows(len(mistakes)) or not eighth.holds
            if math.isfinite(a):
                second, ahead = state.bound(labels, "2"), state.bound(labels, "2", ahead=True)
                assert len(mistakes) <= second.value * (1 + 1e-9) + 1e-9
                assert second.value <= ahead.value
            number = separating_number(distance_matrix(points), labels)
            assert eighth.value <= number.value + 1  # eq. (28)
            held += eighth.holds
    assert held > 150


def test_sessions_work_on_exponential_graphs():
    data = generators.two_moons(40, np.random.default_rng(1), noise=0.02)
    graph = exponential_graph(data.points, 300.0)
    session = start(graph, "pounce", classes=[-1, 1])
    for node in range(0, 40, 3):
        session.learn(node, int(data.labels[node]))
    assert session.mistakes <= 3
    assert (session.predict_all() == data.labels).all()
    assert sum(c.share for c in session.explain(7).contributions) == pytest.approx(
        session.predict(7).margin * data.labels[7], abs=1e-9
    )


# -- real graphs ----------------------------------------------------------------------------------------


@pytest.mark.data
def test_cora_is_predicted_as_well_as_measured(data_folder):
    with np.load(data_folder / "cora.npz") as data:
        graph, nodes = Graph.from_edges(data["edges"], num_nodes=int(data["n"])).largest_component()
        labels = data["labels"][nodes]
    learner = make("pounce")
    prepared = learner.prepare(graph)
    plain = play(graph, labels, learner, prepared=prepared)
    assert 0.068 < plain.error_binary < 0.081
    eager = play(graph, labels, make("pounce", every_round=True), prepared=prepared)
    assert 0.046 < eager.error_binary < 0.057
    assert plain.bound.allows(plain.mistakes)
    assert eager.bound.allows(eager.mistakes)


def test_every_round_keeps_the_contract():
    check_learner(make("pounce", every_round=True))
