"""The perceptron against its definition, its theorems and the paper's examples."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.learners.perceptron as naive
import strategies
import zerokelvin as zk
from naive.learners.pounce import least_norm
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph import cut, diameter, generators, label_balance
from zerokelvin.learners import make, sign
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.perceptron.perceptron_norm import smoothed_copy
from zerokelvin.resistance.effective import resistance_diameter

SCALES = st.sampled_from([0.01, 0.5, 1.0, 2.0, 10.0])


def run(state, trials):
    margins, mistakes = [], []
    for t, (node, label) in enumerate(trials):
        margins.append(state.margin(node))
        if sign(margins[-1]) != label:
            mistakes.append(t)
        state.update(node, label)
    return np.array(margins), mistakes


@given(strategies.games(), SCALES, st.sampled_from([0.0, 0.3, 2.0]))
def test_agrees_with_the_definition(game, b, c):
    graph, _, trials = game
    expected, mistaken = naive.play(graph, trials, b, c)
    started = np.arange(len(trials)) > (mistaken[0] if mistaken else len(trials))
    assume(np.all(np.abs(expected[started]) > 1e-9))  # a sum that cancels to rounding size has no sign
    margins, mistakes = run(Perceptron(b=b, c=c).start(graph), trials)
    assert mistakes == mistaken
    np.testing.assert_allclose(margins, expected, atol=1e-8)


@given(strategies.games(connected=True), SCALES, st.sampled_from([0.0, 0.3, 2.0]))
def test_theorems_2_1_and_4_2(game, b, c):
    """With label noise: the comparator is the clean labelling."""
    graph, labels, trials = game
    state = Perceptron(b=b, c=c).start(graph)
    _, mistakes = run(state, trials)
    sharp, from_graph = state.bound(labels), state.bound(labels, "4.2")
    assert sharp.holds
    assert from_graph.holds
    assert sharp.allows(len(mistakes))
    assert sharp.value <= from_graph.value + 1e-9


@given(strategies.games(connected=None), SCALES, st.sampled_from([0.3, 2.0]))
def test_theorem_2_1_on_any_graph_when_c_is_positive(game, b, c):
    graph, labels, trials = game
    state = Perceptron(b=b, c=c).start(graph)
    _, mistakes = run(state, trials)
    bound = state.bound(labels)
    assert bound.holds
    assert bound.allows(len(mistakes))


@given(strategies.games(connected=True, noisy=False))
def test_equation_16(game):
    graph, labels, trials = game
    state = Perceptron().start(graph)
    _, mistakes = run(state, trials)
    bound = state.bound(labels, "16")
    assert bound.holds
    assert bound.allows(len(mistakes))
    expected = (4 * cut(graph, labels) + label_balance(labels)) * (float(resistance_diameter(graph)) + 1)
    assert bound.value == pytest.approx(expected)


@given(strategies.labelled_graphs(), SCALES, st.sampled_from([0.3, 2.0, 50.0]))
def test_the_norm_is_exact(labelled, b, c):
    """Theorem 4.1: the infimum over all splits is attained."""
    graph, labels = labelled
    norm = Perceptron(b=b, c=c).start(graph).bound(labels).terms["‖u‖²"]
    exact = labels @ np.linalg.solve(naive.kernel(graph, b, c), labels)
    assert norm >= exact * (1 - 1e-7) - 1e-9
    assert norm == pytest.approx(exact, rel=1e-5, abs=1e-9)


@given(strategies.labelled_graphs(connected=True), SCALES)
def test_the_norm_is_exact_without_c(labelled, b):
    graph, labels = labelled
    norm = Perceptron(b=b).start(graph).bound(labels).terms["‖u‖²"]
    exact = labels @ np.linalg.solve(naive.kernel(graph, b, 0.0), labels)
    assert norm == pytest.approx(exact, rel=1e-6)  # eq. (13)


@pytest.mark.parametrize("c", [0.05, 0.3, 1.0, 4.0])
def test_theorem_4_2_is_never_above_the_best_smoothed_copy(c):
    """By listing every u′: the minimum cut is the least of Φ + k/c, and no u′ beats the bound."""
    above = balanced = 0
    for seed in range(110):
        graph = connected_graph(seed)
        rng = np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        b = float(rng.choice([0.01, 0.5, 2.0]))
        copies = naive.all_labelings(graph.num_nodes)
        least = min(cut(graph, v) + (v != labels).sum() / c for v in copies)
        found = smoothed_copy(graph, labels, 1e12, c)  # so large a b takes the balance out
        assert found.cut + found.changed / c == pytest.approx(least, rel=1e-9, abs=1e-9)
        best = min(naive.lemma_4_1(graph, labels, v, b, c) for v in copies)
        own = smoothed_copy(graph, labels, b, c).value
        assert best * (1 - 1e-9) <= own
        above += own > best * (1 + 1e-9)
        bound = Perceptron(b=b, c=c).start(graph).bound(labels, "4.2")
        z = best * (bound.terms["R_G"] + b + c)
        assert bound.value <= z * (1 + 1e-9)
        assert bound.terms["Lemma 4.1"] == own
        balanced += own < naive.lemma_4_1(graph, labels, found.labels, b, c) - 1e-9
    assert above <= 8  # what is missed is balance, which no cut measures
    assert balanced > 0


@given(strategies.games(connected=True, noisy=False))
def test_equation_1_of_a_kernel_without_constant(game):
    graph, labels, trials = game
    assume(len(set(labels.tolist())) == 2)
    state = Perceptron(b=0.0).start(graph)
    _, mistakes = run(state, trials)
    printed, sharp = state.bound(labels, "1"), state.bound(labels)
    assert printed.holds
    assert printed.allows(len(mistakes))
    expected = 4 * cut(graph, labels) * float(diameter(graph)) * zk.bal(labels)
    assert printed.value == pytest.approx(expected)
    assert sharp.holds
    assert sharp.allows(len(mistakes))
    assert sharp.value <= printed.value * (1 + 1e-9)
    assert not Perceptron(b=1.0).start(graph).bound(labels, "1").holds


def test_equations_1_and_4_speak_of_graphs():
    state = Perceptron().start(zk.Features(np.eye(3)))
    for theorem in ("1", "4"):
        with pytest.raises(ParameterError, match="speaks of a graph"):
            state.bound(np.array([1, 1, -1]), theorem)


def test_equation_1_says_nothing_of_one_label():
    """bal = ∞; the kernel without a constant cannot represent it, and errs without end."""
    line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    bound = Perceptron(b=0.0).start(line).bound(np.array([-1, -1, -1, -1]), "1")
    assert math.isinf(bound.value)
    assert not bound.holds


@given(strategies.games(connected=True, noisy=False))
def test_equation_4_of_pounce(game):
    """b = R_G: 2‖u*‖²R_G + 2 with u* harmonic off the mistakes, at most 8ΦR_G + 2."""
    graph, labels, trials = game
    reach = float(resistance_diameter(graph))
    state = Perceptron(b=reach).start(graph)
    _, mistakes = run(state, trials)
    bound = state.bound(labels, "4")
    assert bound.holds == (reach > 0)  # a single node has R_G = 0, and with b = 0 nothing is ever learnt
    assert bound.allows(len(mistakes)) or not bound.holds
    known = {node: int(labels[node]) for node in state.mistaken_nodes}
    wanted = least_norm(graph, known) if known else 0.0
    assert bound.value == pytest.approx(2 * wanted * reach + 2, rel=1e-6, abs=1e-6)
    assert bound.value <= (8 * cut(graph, labels) * reach + 2) * (1 + 1e-6)
    assert not Perceptron(b=reach + 1).start(graph).bound(labels, "4").holds


@given(strategies.labelled_graphs(connected=True), st.integers(0, 2**9 - 1))
def test_lemma_4_1_concept_noise(labelled, pattern):
    """Eq. (12): k changed labels cost at most 4k/c more, which the smoothing must find or beat."""
    graph, labels = labelled
    b, c = 1.0, 0.5
    changed = np.array([(pattern >> i) & 1 for i in range(graph.num_nodes)], dtype=bool)
    noisy = np.where(changed, -labels, labels)
    exact = noisy @ np.linalg.solve(naive.kernel(graph, b, c), noisy)
    lemma = 4 * cut(graph, labels) + label_balance(labels) / b + 4 * changed.sum() / c
    assert exact <= lemma + 1e-8


@given(strategies.games(), SCALES)
def test_c_cannot_matter_in_a_single_pass(game, b):
    graph, labels, _ = game
    trials = [(i, int(labels[i])) for i in range(graph.num_nodes)]
    plain, _ = run(Perceptron(b=b).start(graph), trials)
    shifted, _ = run(Perceptron(b=b, c=3.0).start(graph), trials)
    np.testing.assert_allclose(plain, shifted, atol=1e-9)


@given(strategies.games())
def test_shares_sum_to_the_margin(game):
    graph, _, trials = game
    state = Perceptron(c=0.7).start(graph)
    run(state, trials)
    for node in range(graph.num_nodes):
        assert math.fsum(share for _, share in state.explain(node)) == pytest.approx(
            state.margin(node), abs=1e-9
        )


def connected_graph(seed):
    """A tree and further edges on up to eight nodes, with weights of several kinds."""
    rng = np.random.default_rng([seed, 15])
    n = int(rng.integers(2, 9))
    edges = [(int(rng.integers(i)), i) for i in range(1, n)]
    edges += [tuple(rng.integers(n, size=2).tolist()) for _ in range(int(rng.integers(2 * n)))]
    weights = (np.ones(len(edges)), rng.uniform(0.05, 5, len(edges)), rng.integers(1, 4, len(edges)) * 1.0)
    return zk.Graph.from_edges(edges, weights[seed % 3], num_nodes=n)


def play_mistakes(example, **params):
    """The most mistakes over a few orders, and the bound of the last."""
    runs = zk.play_shuffles(example.graph, example.labels, "perceptron", shuffles=5, **params)
    return max(run.mistakes for run in runs.runs)


@pytest.mark.parametrize("m", [4, 16, 64])
def test_barbell_is_easy_at_every_size(m):
    """Section 1: Φ = 1, diameter 3, so (16) gives (4 + 0)(3 + 1) = 16 mistakes, whatever m."""
    example = generators.barbell(m)
    assert cut(example.graph, example.labels) == 1
    assert float(diameter(example.graph)) == 3
    bound = Perceptron().start(example.graph).bound(example.labels, "16")
    assert bound.value <= 16 + 1e-9
    assert play_mistakes(example) <= bound.value


@pytest.mark.parametrize("m", [8, 32, 64])
@pytest.mark.parametrize("k", [1, 2])
def test_noisy_barbell_costs_per_noisy_node_not_per_edge(m, k):
    """Section 4: with b = c = 1 the bound (15) is O(k), though the cut grows with m."""
    example = generators.noisy_barbell(m, k)
    assert cut(example.graph, example.labels) >= k * (m - k)
    state = Perceptron(b=1.0, c=1.0).start(example.graph)
    bound = state.bound(example.labels, "4.2")
    assert bound.terms["k"] == k
    assert bound.value <= (4 + 1 + 4 * k) * (3 + 2)
    assert play_mistakes(example, b=1.0, c=1.0) <= bound.value


@pytest.mark.parametrize(("m", "links"), [(12, 3), (24, 12), (40, 30)])
def test_thick_barbell_bound_is_20_at_every_thickness(m, links):
    """Section 4: R_G ≤ 5/ℓ, so with b = 1/(4n) the bound is about 20, while 16ℓ follows from D = 3."""
    example = generators.thick_barbell(m, links)
    n = example.graph.num_nodes
    assert cut(example.graph, example.labels) == links
    assert float(resistance_diameter(example.graph)) <= 5 / links + 1e-9
    b = 1 / (4 * n)
    bound = Perceptron(b=b).start(example.graph).bound(example.labels, "4.2")
    assert bound.value <= 4 * links * (5 / links + b) + 1e-9 <= 20.5
    assert play_mistakes(example, b=b) <= bound.value


@pytest.mark.parametrize(("p", "m"), [(3, 500), (5, 2000)])
def test_flower_nearly_attains_the_diameter(p, m):
    """Section 3: (p−1) − (p−1)²p²/4m ≤ ‖v₁‖² ≤ p."""
    example = generators.flower(p, m)
    assert float(diameter(example.graph)) == p
    norm = np.linalg.pinv(example.graph.laplacian().toarray())[0, 0]
    assert (p - 1) - (p - 1) ** 2 * p**2 / (4 * m) <= norm + 1e-9
    assert norm <= p


@pytest.mark.parametrize("m", [4, 8, 16])
def test_octopus_mistakes_do_not_grow_with_the_tentacles(m):
    """Section 5.1: at most 10p + 5 mistakes on a balanced octopus, in neighbours' worst order too."""
    p = 3
    example = generators.octopus(m * p + 1, m, p)
    bound = 10 * p + 5
    assert play_mistakes(example) <= bound
    labels = example.labels
    heads = np.flatnonzero(labels == labels[0])[:m]
    distances = zk.graph.geodesic_distances(example.graph, int(heads[0]))
    tips = np.argsort(-distances)[:m]
    order = [int(node) for pair in zip(heads, tips, strict=True) for node in pair]
    assert zk.play(example.graph, labels, "perceptron", order=order).mistakes <= bound


def test_any_other_kernel():
    line = zk.Graph.from_edges([(0, 1), (1, 2)])
    state = make("perceptron", kernel=np.eye(3), b=0.0).start(line)
    state.update(1, -1)
    assert [state.margin(i) for i in range(3)] == [0.0, -1.0, 0.0]
    bound = state.bound(np.array([-1, -1, -1]))
    assert bound.holds
    assert bound.value == pytest.approx(3.0)


def test_refusals():
    with pytest.raises(GraphError):  # one negative edge: its signed Laplacian is singular
        Perceptron().start(zk.Graph.from_edges([(0, 1)], weights=[-3]))
    with pytest.raises(ParameterError, match="b=-1"):
        Perceptron(b=-1)
    with pytest.raises(ParameterError, match="unknown kernel 'rbf'"):
        Perceptron(kernel="rbf").start(zk.Graph.from_edges([(0, 1)]))
    with pytest.raises(ParameterError, match="3 nodes, the graph 2"):
        Perceptron(kernel=np.eye(3)).start(zk.Graph.from_edges([(0, 1)]))
    with pytest.raises(ParameterError, match="theorem"):
        Perceptron().start(zk.Graph.from_edges([(0, 1)])).bound(np.array([1, 1]), "9.9")
