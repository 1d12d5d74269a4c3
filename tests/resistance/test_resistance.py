from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.resistance.effective import (
    edge_resistances,
    effective_resistance,
    kernel_diagonal,
    node_to_set_resistance,
    pair_resistances,
    resistance_diameter,
    resistances_from,
)
from zerokelvin.solve.dense import dense_inverse
from zerokelvin.solve.operator import Operator


def geodesics(graph):
    lengths = graph.adjacency.copy()
    lengths.data = 1 / lengths.data
    return sp.csgraph.shortest_path(lengths, directed=False)


def test_equals_the_quadratic_form_by_definition():
    for seed in range(400):
        graph = random_graph(seed)
        rng = np.random.default_rng(seed)
        wanted = naive.resistances(graph)
        p, q = (int(v) for v in rng.integers(graph.num_nodes, size=2))
        assert effective_resistance(graph, p, q) == pytest.approx(wanted[p, q], rel=1e-8, abs=1e-10)
        diameter = resistance_diameter(graph)
        assert diameter.exact
        assert diameter.value == pytest.approx(wanted[np.isfinite(wanted)].max(), rel=1e-8, abs=1e-10)


@pytest.mark.kernels
def test_all_at_once_equals_pair_by_pair():
    for seed in range(150):
        graph = random_graph(seed)
        wanted = naive.resistances(graph)
        tolerance = {"rtol": 1e-7, "atol": 1e-10}
        first, second = graph.edges.T
        assert np.allclose(edge_resistances(graph), wanted[first, second], **tolerance)
        node = seed % graph.num_nodes
        assert np.allclose(resistances_from(graph, node), wanted[node], **tolerance)
        diagonal = naive.pseudoinverse(graph).diagonal()
        assert np.allclose(kernel_diagonal(graph), diagonal, rtol=1e-7, atol=1e-9 * max(1, diagonal.max()))
        every = np.array([(p, q) for p in range(graph.num_nodes) for q in range(p + 1)])
        assert np.allclose(pair_resistances(graph, every), wanted[every[:, 0], every[:, 1]], **tolerance)


def test_foster():
    """The weighted resistances of all edges sum to n minus the number of components."""
    for seed in range(200):
        graph = random_graph(seed)
        total = graph.edge_weights @ edge_resistances(graph)
        assert total == pytest.approx(graph.num_nodes - graph.num_components, rel=1e-9, abs=1e-9)


def test_node_to_set_is_the_inverse_of_the_grounded_laplacian():
    for seed in range(300):
        graph = random_graph(seed)
        rng = np.random.default_rng(seed)
        node = int(rng.integers(graph.num_nodes))
        others = rng.choice(graph.num_nodes, int(rng.integers(1, graph.num_nodes + 1)), replace=False)
        found = node_to_set_resistance(graph, node, others)
        if node in others:
            assert found == 0
        elif not (graph.components[others] == graph.components[node]).any():
            assert found == np.inf
        else:
            free = np.setdiff1d(np.flatnonzero(graph.components == graph.components[node]), others)
            grounded = np.linalg.inv(naive.dense_laplacian(graph)[np.ix_(free, free)])
            at = int(np.searchsorted(free, node))
            assert found == pytest.approx(grounded[at, at], rel=1e-8)


def test_upper_bound_is_never_below_the_diameter():
    bounded = 0
    for seed in range(400):
        graph = random_graph(seed)
        found = resistance_diameter(graph, dense_limit=1)
        wanted, geodesic = naive.resistances(graph), geodesics(graph)
        assert found.value >= wanted[np.isfinite(wanted)].max() * (1 - 1e-9) - 1e-12
        assert found.value <= geodesic[np.isfinite(geodesic)].max() * (1 + 1e-9)
        bounded += not found.exact
    assert bounded > 100


def test_rayleigh_monotonicity():
    """Corollary 3.1: an added or strengthened edge raises no resistance and no ‖v_p‖²."""
    for seed in range(400):
        graph = random_graph(seed)
        if graph.num_components > 1 or graph.num_nodes < 2:
            continue
        rng = np.random.default_rng(seed)
        extra = rng.choice(graph.num_nodes, 2, replace=False)
        edges = np.vstack([graph.edges, extra[None, :]])
        more = Graph.from_edges(edges, [*graph.edge_weights, float(rng.uniform(0.1, 2))])
        assert (naive.resistances(more) <= naive.resistances(graph) + 1e-9).all()
        before, after = dense_inverse(Operator(graph)).diagonal(), dense_inverse(Operator(more)).diagonal()
        assert (after <= before + 1e-9).all()


def test_theorem_3_2():
    """(8): ‖v_p‖² ≤ mean_q r(p, q) ≤ eccentricity of p; (9): max_p ‖v_p‖² ≤ R ≤ D."""
    for seed in range(400):
        graph = random_graph(seed)
        if graph.num_components > 1:
            continue
        norms = dense_inverse(Operator(graph)).diagonal()
        inverse = dense_inverse(Operator(graph))
        resistance = norms[:, None] + norms[None, :] - 2 * inverse
        geodesic = geodesics(graph)
        slack = 1 + 1e-9
        assert (norms <= resistance.mean(axis=1) * slack + 1e-12).all()
        assert (resistance.mean(axis=1) <= geodesic.max(axis=1) * slack + 1e-12).all()
        diameter = resistance_diameter(graph).value
        assert norms.max() <= diameter * slack + 1e-12
        assert diameter <= geodesic.max() * slack + 1e-12


def test_bad_input_is_refused():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(NodeError, match="node index 2 is outside"):
        effective_resistance(graph, 0, 2)
    with pytest.raises(GraphError, match="positive weights"):
        resistance_diameter(Graph.from_edges([(0, 1)], weights=[-1]))


def test_nodes_that_are_no_indices_are_refused():
    graph = Graph.from_edges([("a", "b"), ("b", "c")])
    for pairs in ([("a", "c")], [(0.0, 1.7)], [(True, False)]):
        with pytest.raises(NodeError, match="is no index"):
            pair_resistances(graph, pairs)
    with pytest.raises(NodeError, match="'a' is no index"):
        effective_resistance(graph, "a", "c")
    with pytest.raises(NodeError, match="'a' is no index"):
        node_to_set_resistance(graph, 0, ["a"])
    with pytest.raises(NodeError, match="'a' is no index"):
        resistances_from(graph, "a")
    with pytest.raises(NodeError, match=r"shape \(1, 3\)"):
        pair_resistances(graph, [(0, 1, 2)])
    with pytest.raises(NodeError, match="different lengths"):
        pair_resistances(graph, [(0, 1), (2,)])
    with pytest.raises(NodeError, match="node index 9"):
        pair_resistances(graph, [(0, 9)])
    assert pair_resistances(graph, []).tolist() == []
