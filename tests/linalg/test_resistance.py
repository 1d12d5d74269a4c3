from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from linalg.graphs import random_graph
from naive import linalg as naive
from zerokelvin.errors import GraphError, NodeError
from zerokelvin.graph import Graph
from zerokelvin.linalg.dense import laplacian_pseudoinverse
from zerokelvin.linalg.resistance import effective_resistance, resistance_diameter


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
        before, after = laplacian_pseudoinverse(graph).diagonal(), laplacian_pseudoinverse(more).diagonal()
        assert (after <= before + 1e-9).all()


def test_theorem_3_2():
    """(8): ‖v_p‖² ≤ mean_q r(p, q) ≤ eccentricity of p; (9): max_p ‖v_p‖² ≤ R ≤ D."""
    for seed in range(400):
        graph = random_graph(seed)
        if graph.num_components > 1:
            continue
        norms = laplacian_pseudoinverse(graph).diagonal()
        inverse = laplacian_pseudoinverse(graph)
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
