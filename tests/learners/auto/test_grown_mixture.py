"""A mixture on a grown graph: trust is carried, experts are those of the new graph, told the labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import at_mean_degree
from zerokelvin.learners.auto import settings as auto_settings
from zerokelvin.learners.auto.auto import Auto
from zerokelvin.learners.auto.grown_mixture import grow_mixing
from zerokelvin.learners.auto.mixing import CHANGING, Mixing
from zerokelvin.learners.auto.paired import LOOSE, PairedFields, paired_system
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.gaussian.diffusion_game import DiffusionGame

CLASSES = 3


@st.composite
def growths(draw):
    """A graph with labels, and the same graph with further nodes and edges; weights may be taken away."""
    graph = draw(strategies.graphs(max_nodes=7))
    count = graph.num_nodes
    node = st.integers(0, count - 1)
    trials = draw(st.lists(st.tuples(node, st.integers(0, CLASSES - 1)), min_size=1, max_size=8))
    new = draw(st.integers(0, 3))
    anyone = st.integers(0, count + new - 1)
    edges = draw(st.lists(st.tuples(anyone, anyone), max_size=5))
    weights = draw(st.lists(st.sampled_from([1.0, 0.3, 7.0]), min_size=len(edges), max_size=len(edges)))
    if graph.num_edges and draw(st.booleans()):
        at = draw(st.integers(0, graph.num_edges - 1))
        edges, weights = [*edges, graph.edges[at].tolist()], [*weights, -graph.edge_weights[at]]
    pairs = {tuple(sorted(edge)) for edge in edges}
    if any(w < 0 for w in weights) and len(pairs) < len(edges):  # one given twice might end below 0
        edges, weights = edges[:-1], weights[:-1]
    grown = graph.extended(new, edges, weights)
    nodes, codes = np.array(trials, dtype=np.int64).T
    return graph, grown, np.ascontiguousarray(nodes), np.ascontiguousarray(codes)


def grown_game(graph, grown, nodes, codes, tol=0.05):
    learner = Auto(tol=tol)
    game, heir = learner.start_game(graph, CLASSES, seed=4), learner.start_game(grown, CLASSES, seed=4)
    game.teach(nodes, codes)
    before = {name: array.copy() for name, array in game.snapshot().items()}
    heir.take_over(game, Growth(graph, grown, lambda: (nodes, codes)))
    after = game.snapshot()
    assert all(np.array_equal(before[name], after[name]) for name in before)  # nothing changed there
    told = learner.start_game(grown, CLASSES, seed=4)
    told.teach(nodes, codes)
    return game.mixture, heir.mixture, told.mixture


@pytest.mark.kernels
@settings(max_examples=40)
@given(growths())
def test_experts_are_those_of_the_grown_graph_told_the_labels(growth):
    _, heir, told = grown_game(*growth, tol=1e-10)
    everyone = np.arange(growth[1].num_nodes)
    assert heir.names == told.names
    for ours, theirs in zip(heir.experts, told.experts, strict=True):
        found, wanted = ours.evidence(everyone), theirs.evidence(everyone)
        if isinstance(ours.game, DiffusionGame):
            assert np.allclose(found, wanted, atol=1e-6)
        elif not isinstance(ours.game, PairedFields):
            assert np.array_equal(found, wanted), ours.name
        assert np.array_equal(np.asarray(_counts(ours.game)), np.asarray(_counts(theirs.game)))


def _counts(game):
    if isinstance(game, DiffusionGame):
        return game.diffusion.counts
    return getattr(game, "counts", 0)


@pytest.mark.kernels
@settings(max_examples=40)
@given(growths())
def test_trust_is_carried_to_the_last_bit(growth):
    old, heir, _ = grown_game(*growth)
    place = {name: k for k, name in enumerate(old.names)}
    for name, loss in zip(heir.names, heir.mixing.losses.tolist(), strict=True):
        assert loss == (old.mixing.losses[place[name]] if name in place else old.mixing.totals[1])
    if heir.names == old.names:
        for name in CHANGING:
            assert np.array_equal(getattr(heir.mixing, name), getattr(old.mixing, name))
    else:
        for name in ("counts", "totals", "surprise", "mistakes"):
            assert np.array_equal(getattr(heir.mixing, name), getattr(old.mixing, name))


@pytest.mark.kernels
@settings(max_examples=40)
@given(growths())
def test_pairs_have_their_true_residual_and_it_is_small(growth):
    """By the definition of the module, with dense matrices of the scaled graph."""
    _, heir, _ = grown_game(*growth)
    scaled = at_mean_degree(growth[1])
    scales = {str(scale): scale for scale in auto_settings.SQUARED}
    for expert in heir.experts:
        if not isinstance(expert.game, PairedFields):
            continue
        fields, kernel = expert.game, scales[expert.name].kernel
        system, count = paired_system(scaled, kernel), scaled.num_nodes
        matrix = np.diag(system.diagonal)
        for u in range(count):
            arcs = slice(system.indptr[u], system.indptr[u + 1])
            np.subtract.at(matrix[u], system.indices[arcs], system.weights[arcs])
        root = 1.0 / np.sqrt(scales[expert.name].mu)
        f, g = fields.arrays.pairs.transpose(2, 1, 0)
        shown = fields.counts.sum(axis=1)[:, None]
        first = root * system.link[:, None] * g - matrix @ f
        second = root * (fields.counts - shown * f) - matrix @ g
        scale = np.abs(matrix).max() * max(1.0, np.abs(fields.arrays.pairs).max()) * root
        both = np.stack([first, second]).transpose(2, 1, 0)
        assert np.allclose(fields.arrays.residual, both, atol=1e-10 * scale)
        most = LOOSE * system.diagonal[:, None]
        assert (np.abs(fields.arrays.residual) <= most * (1 + 1e-9) + 1e-12).all()


@pytest.mark.kernels
@settings(max_examples=40)
@given(growths(), st.sampled_from([0.05, 1e-4]))
def test_fields_have_their_true_residual_within_the_certified_error(growth, tol):
    _, heir, _ = grown_game(*growth, tol=tol)
    for expert in heir.experts:
        if not isinstance(expert.game, DiffusionGame):
            continue
        diffusion = expert.game.diffusion
        system, relaxation = diffusion.system, diffusion.relaxation
        precision, own_tol = diffusion.terms.precision, diffusion.terms.tol
        shown = diffusion.counts.sum(axis=0)
        excess = system.excess + precision * system.into**2 * shown
        matrix = system.graph.laplacian().toarray() + np.diag(excess)
        right = (precision or 1.0) * system.into * diffusion.counts
        assert np.allclose(relaxation.r, right - relaxation.x @ matrix, atol=1e-9 * (1.0 + precision))
        assert (np.abs(relaxation.r) <= own_tol * excess * (1 + 1e-9)).all()
        exact = np.linalg.solve(matrix, right.T).T
        assert np.abs(relaxation.x - exact).max() <= own_tol * (1 + 1e-6)


def test_an_expert_that_a_growth_brings_has_slept():
    """Forty components are too many for directions; joined to one they are not."""
    pairs = [(2 * i, 2 * i + 1) for i in range(40)]
    graph = Graph.from_edges(pairs)
    nodes = np.arange(0, 80, 3)
    codes = (nodes % 2).astype(np.int64)
    grown = graph.extended(0, [(2 * i + 1, 2 * i + 2) for i in range(39)])
    old, heir, told = grown_game(graph, grown, nodes, codes)
    assert len(heir.experts) == len(old.experts) + 2
    at = [k for k, name in enumerate(heir.names) if "directions" in name]
    assert (heir.mixing.losses[at] == old.mixing.totals[1]).all()
    assert (heir.mixing.means[:, at] == 0).all()
    for k in at:
        found, wanted = (one.experts[k].evidence(range(80)) for one in (heir, told))
        assert np.array_equal(found, wanted)
    back, again, _ = grown_game(grown, grown.extended(0, [(1, 2)], [-1.0]), nodes, codes)
    assert len(again.experts) == len(back.experts)  # two components: still enough directions


def test_an_expert_that_a_growth_takes_away_is_forgotten():
    old, new = Mixing([0.1] * 3, [True, True, False], 2), Mixing([0.1] * 2, [True, False], 2)
    rng = np.random.default_rng(0)
    for code in (0, 1, 1, 0, 1):
        old.judge(rng.random((3, 2)))
        old.learn(code)
    grow_mixing(old, new, [0, 2])
    kept = [0, 2, 3, 4, 6, 7]  # two experts, the frequencies, the first one's estimate, the offsets
    assert np.array_equal(new.means, old.means[:, kept])
    assert np.array_equal(new.covariance, old.covariance[:, kept][:, :, kept])
    assert new.losses.tolist() == old.losses[[0, 2, 3, 4]].tolist()
    assert np.isclose(new.trust.sum(), 1.0)
