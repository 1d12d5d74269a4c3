"""Covering numbers against their definition, and covers that really cover."""

import numpy as np
import pytest

import naive.covers as naive
from zerokelvin.errors import GraphError, LabelError, ParameterError
from zerokelvin.graph import Graph, geodesic_distances
from zerokelvin.graph.measures.covers import (
    component_covering_number,
    component_separating_number,
    covering_number,
    linkage_covers,
    separating_number,
    separation,
    traversal_covers,
)


def random_distances(rng, largest=8):
    """Distances of points on a line or plane, of a graph, or any at all; often with ties or infinities."""
    count = int(rng.integers(1, largest + 1))
    kind = rng.integers(4)
    if kind == 0:
        points = rng.integers(0, 6, (count, 1)).astype(float)
    else:
        points = rng.normal(size=(count, 2))
    matrix = np.abs(points[:, None, :] - points[None, :, :]).sum(axis=2)
    if kind == 2:
        upper = np.triu(rng.integers(1, 5, (count, count)).astype(float), 1)
        matrix = upper + upper.T
    if kind == 3 and count > 1:
        matrix[: count // 2, count // 2 :] = np.inf
        matrix[count // 2 :, : count // 2] = np.inf
    return matrix


def test_covering_numbers_equal_their_definition():
    for seed in range(1500):
        rng = np.random.default_rng(seed)
        matrix = random_distances(rng)
        rho = float(rng.choice(matrix.ravel())) if rng.random() < 0.7 else float(rng.uniform(0, 4))
        if not np.isfinite(rho):
            rho = 1.0
        found = covering_number(matrix, rho)
        assert found.exact
        assert found.value == naive.covering_number(matrix, rho)
        assert component_covering_number(matrix, rho) == naive.component_covering_number(matrix, rho)
        assert component_covering_number(matrix, rho) <= found.value


def test_separating_numbers_equal_their_definition():
    infinite = 0
    for seed in range(800):
        rng = np.random.default_rng(seed)
        matrix = random_distances(rng, 7)
        labels = rng.choice([-1, 1], len(matrix))
        n_wanted = naive.separating(matrix, labels, naive.covering_number)
        c_wanted = naive.separating(matrix, labels, naive.component_covering_number)
        assert separating_number(matrix, labels).value == n_wanted
        assert component_separating_number(matrix, labels).value == c_wanted
        assert c_wanted <= n_wanted
        infinite += n_wanted == np.inf
    assert infinite > 20


def test_linkage_covers_are_upper_bounds_at_every_radius():
    tight = 0
    for seed in range(400):
        rng = np.random.default_rng(seed)
        matrix = random_distances(rng, 10)
        covers = linkage_covers(matrix)
        assert covers.sizes[0] <= len(matrix)
        for rho in np.unique(matrix[np.isfinite(matrix)]):
            exact = covering_number(matrix, rho).value
            assert covers.number(rho) >= exact
            tight += covers.number(rho) == exact
    assert tight > 1000


def test_beyond_exact_sizes_the_number_is_a_bound():
    points = np.linspace(0, 1, 60)
    matrix = np.abs(points[:, None] - points[None, :])
    found = covering_number(matrix, 0.25)
    assert not found.exact
    assert 4 <= found.value <= 12


def test_traversal_covers_have_the_diameters_they_claim():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 25))
        edges = rng.integers(0, n, (int(rng.integers(0, 3 * n)), 2))
        graph = Graph.from_edges(edges, rng.choice([0.5, 1.0, 2.0], len(edges)), num_nodes=n)
        geodesic = np.array([geodesic_distances(graph, i) for i in range(n)])
        geodesic = np.minimum(geodesic, geodesic.T)
        covers = traversal_covers(graph, int(rng.integers(1, 8)))
        assert covers.diameters[0] == 0
        assert (np.diff(covers.diameters) > 0).all()
        assert (np.diff(covers.sizes) < 0).all()
        for diameter, size in zip(covers.diameters, covers.sizes, strict=True):
            if n <= 24:
                assert size >= covering_number(geodesic, diameter * (1 + 1e-9)).value


def test_bad_input_is_refused():
    with pytest.raises(GraphError, match="square"):
        covering_number([[0.0, 1.0]], 1)
    with pytest.raises(GraphError, match="not symmetric"):
        linkage_covers([[0.0, 1.0], [2.0, 0.0]])
    with pytest.raises(GraphError, match="at least 0"):
        component_covering_number([[1.0]], 1)
    with pytest.raises(ParameterError, match="rho"):
        covering_number([[0.0]], -1)
    with pytest.raises(LabelError, match="one per point"):
        separation([[0.0]], [1, -1])
