"""Bounds (III) and (IV): mistakes of interpolation in any order, and what connectivity does to them."""

import math

import numpy as np
import pytest

from random_graphs import random_graph
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph, cut, diameter, generators, wide_diameter
from zerokelvin.graph.measures.connectivity import edge_connectivity
from zerokelvin.learners.seminorm.interpolation import Interpolation
from zerokelvin.learners.seminorm.seminorm_bounds import cover_bound, printed_bounds, tuned_p


def hunted(learner, graph, labels, rng):
    """Mistakes against an adversary that always shows a node predicted wrong."""
    state, mistakes, seen = learner.start(graph), 0, set()
    while True:
        margins = state.margins(np.arange(graph.num_nodes))
        wrong = [v for v in np.flatnonzero((margins >= 0) != (labels > 0)).tolist() if v not in seen]
        if not wrong:
            return mistakes, state
        node = int(rng.choice(wrong))
        state.update(node, int(labels[node]))
        seen.add(node)
        mistakes += 1


@pytest.mark.parametrize("p", [2.0, 1.5, 1.2])
def test_no_order_exceeds_them(p):
    for seed in range(60 if p == 2 else 25):
        graph, rng = random_graph(seed), np.random.default_rng(seed)
        labels = rng.choice([-1, 1], graph.num_nodes)
        learner = Interpolation(p=p, tol=1e-4)
        mistakes, state = hunted(learner, graph, labels, rng)
        bound = state.bound(labels, "IV" if p == 2 else "III")
        assert bound.holds
        assert bound.allows(mistakes)
        random_clusters = rng.integers(0, 3, graph.num_nodes)
        assert cover_bound(graph, labels, p, random_clusters).allows(mistakes)


@pytest.mark.parametrize("p", [2.0, 1.3])
def test_the_printed_form_with_its_constants(p):
    """c + 4 (Φ/κ)^(2/p) D^(2(p−1)/p) / (p − 1), at the best level."""
    for seed in range(30):
        graph, rng = random_graph(seed, weights="unit"), np.random.default_rng(seed)
        graph = Graph.from_edges(graph.edges, num_nodes=graph.num_nodes)
        labels = rng.choice([-1, 1], graph.num_nodes)
        bound = cover_bound(graph, labels, p)
        terms = bound.terms
        if graph.num_components == 1:
            energy = 4 * (cut(graph, labels) / terms["κ"]) ** (2 / p)
            wanted = terms["c"] + energy * terms["D"] ** (2 * (p - 1) / p) / (p - 1)
            assert bound.value == pytest.approx(wanted)
            whole = 1 + 4 * cut(graph, labels) ** (2 / p) * float(diameter(graph)) ** (2 * (p - 1) / p) / (
                p - 1
            )
            assert bound.value <= whole * (1 + 1e-8)


def test_connectivity_divides_the_cut():
    """Two cliques: κ = m − 1, D(κ) = 2, so (IV) falls to its number of clusters as m grows."""
    values = []
    for m in (4, 8, 16):
        example = generators.barbell(m)
        bound = cover_bound(example.graph, example.labels)
        assert bound.terms["κ"] == m - 1
        assert bound.terms["D"] == 2
        assert bound.value == pytest.approx(2 + 4 * 2 / (m - 1))
        values.append(bound.value)
        assert play(example.graph, example.labels, "interpolation").mistakes <= bound.value
    assert values == sorted(values, reverse=True)


def test_as_printed():
    """(Φ/κ)² log D + c and (Φ/κ) D + c, cluster by cluster: κ the least, D the widest at that level."""
    for seed in range(60):
        graph, rng = random_graph(seed, weights="unit"), np.random.default_rng(seed)
        graph = Graph.from_edges(graph.edges, num_nodes=graph.num_nodes)
        labels = rng.choice([-1, 1], graph.num_nodes)
        alike = labels[graph.edges[:, 0]] == labels[graph.edges[:, 1]]
        joined = Graph.from_edges(graph.edges[alike], num_nodes=graph.num_nodes)
        pieces = [
            joined.subgraph(np.flatnonzero(joined.components == c)) for c in range(joined.num_components)
        ]
        kappa = min(edge_connectivity(piece) for piece in pieces)
        kappa = 1 if math.isinf(kappa) else int(kappa)  # single nodes only
        reach = max((wide_diameter(piece, kappa).value for piece in pieces if piece.num_nodes > 1), default=0)
        found = printed_bounds(graph, labels)
        assert (found["c"], found["κ"], found["D"]) == (len(pieces), kappa, reach)
        ratio = cut(graph, labels) / kappa
        assert found["IV"] == pytest.approx(ratio * reach + len(pieces))
        assert found["III"] == pytest.approx(ratio**2 * math.log2(max(reach, 1)) + len(pieces))


def test_a_double_lollipop_is_bad_for_both():
    """Section 3.3: the paths have κ = 1 and diameter n/4, whatever the clusters."""
    example = generators.double_lollipop(64)
    for p in (2.0, 1.3):
        bound = cover_bound(example.graph, example.labels, p)
        assert bound.terms["κ"] == 1
        assert bound.value > example.graph.num_nodes


def test_tuning_gives_the_logarithm():
    """With p = 1 + 1/ln D bound (III) is at most c + 4e²(Φ/κ)^(2/p) ln D."""
    for n in (64, 1000):
        line = generators.line(n)
        p = tuned_p(n / 2)
        bound = cover_bound(line.graph, line.labels, p)
        assert bound.value <= bound.terms["c"] + 4 * math.e**2 * max(math.log(bound.terms["D"]), 1) + 1e-9
        assert edge_connectivity(line.graph) == bound.terms["κ"]


def test_what_they_assume():
    graph = generators.barbell(4).graph
    labels = np.array([-1] * 4 + [1] * 4)
    state = Interpolation(p=2.0).start(graph)
    assert not state.bound(labels, "III").holds
    state.update(0, 1)
    assert not state.bound(labels, "IV").holds
    with pytest.raises(ParameterError, match="known: III, IV"):
        state.bound(labels, "V")
    with pytest.raises(LabelError, match="one per node"):
        cover_bound(graph, [1, -1])
