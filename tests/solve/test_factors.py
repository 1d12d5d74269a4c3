"""The parts of the direct and the approximate engine, each against its definition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.graph import Graph
from zerokelvin.solve.engines.approximate_factor import approximate_factor
from zerokelvin.solve.engines.direct.cholesky import SparseCholesky
from zerokelvin.solve.engines.direct.ordering import minimum_degree
from zerokelvin.solve.engines.direct.selected import selected_inverse
from zerokelvin.solve.layout import lay_out
from zerokelvin.solve.operator import Operator


def random_regular(n, degree, seed):
    rng = np.random.default_rng(seed)
    return Graph.from_edges(rng.integers(0, n, size=(n * degree // 2, 2)), num_nodes=n)


def fill_by_elimination(graph, order):
    """Entries of the factor when nodes are eliminated one by one in this order."""
    neighbours = [set(map(int, graph.neighbors(i))) for i in range(graph.num_nodes)]
    total = 0
    for node in order:
        total += 1 + len(neighbours[node])
        for i in neighbours[node]:
            neighbours[i] |= neighbours[node]
            neighbours[i] -= {i, node}
    return total


@pytest.mark.kernels
def test_order_is_a_permutation_with_the_fill_it_claims():
    for seed in range(300):
        graph = random_graph(seed) if seed % 3 else random_regular(40, 4, seed)
        found = minimum_degree(graph.indptr, graph.indices)
        assert found.complete
        order = np.argsort(found.pivot, kind="stable")
        assert fill_by_elimination(graph, order) <= found.fill
        assert (found.parent[found.parent >= 0] > np.flatnonzero(found.parent >= 0)).all()


@pytest.mark.kernels
def test_trees_have_no_fill():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 60))
        tree = Graph.from_edges([(i, int(rng.integers(i))) for i in range(1, n)])
        assert minimum_degree(tree.indptr, tree.indices).fill == 2 * n - 1


def test_grid_fill_is_near_that_of_the_best_orders():
    side = 60
    place = np.arange(side * side).reshape(side, side)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    grid = Graph.from_edges(np.vstack([across, down]))
    found = minimum_degree(grid.indptr, grid.indices)
    assert found.fill < 25 * side * side  # by rows it is 60 per node, by nested dissection about 18


def test_stops_when_the_fill_passes_the_limit():
    graph = random_regular(400, 10, 0)
    assert not minimum_degree(graph.indptr, graph.indices, max_fill=3000).complete


@pytest.mark.kernels
def test_cholesky_and_selected_inverse():
    for seed in range(150):
        graph = random_graph(seed, signed=seed % 2 == 0) if seed % 3 else random_regular(120, 5, seed)
        matrix = naive.operator(graph, 0.5)
        factor = SparseCholesky.factor(sp.csr_array(matrix), minimum_degree(graph.indptr, graph.indices))
        inverse = np.linalg.inv(matrix)
        right = np.random.default_rng(seed).standard_normal((graph.num_nodes, 4))
        assert np.allclose(factor.solve(right), inverse @ right)
        assert np.allclose(factor.solve(right[:, 0].copy()), inverse @ right[:, 0])
        rows, columns = graph.edges.T
        diagonal, entries = selected_inverse(factor, rows, columns)
        assert np.allclose(diagonal, inverse.diagonal())
        assert np.allclose(entries, inverse[rows, columns])


def test_wide_supernodes_go_through_blocked_elimination():
    clique = Graph.from_edges([(i, j) for i in range(150) for j in range(i)])
    matrix = naive.operator(clique, 1.0)
    factor = SparseCholesky.factor(sp.csr_array(matrix), minimum_degree(clique.indptr, clique.indices))
    right = np.random.default_rng(0).standard_normal(150)
    assert np.allclose(matrix @ factor.solve(right), right)


@pytest.mark.kernels
@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.parametrize("signed", [False, True])
def test_approximate_factor_is_symmetric_positive_and_seeded(samples, signed):
    for seed in range(60):
        graph = random_graph(seed, signed=signed)
        core = lay_out(Operator(graph, shift=0.3)).core
        if core.size == 0:
            continue
        first, second = (approximate_factor(core, np.random.default_rng(seed), samples) for _ in range(2))
        matrix = first.apply(np.eye(core.size))
        assert (matrix == second.apply(np.eye(core.size))).all()
        assert np.allclose(matrix, matrix.T, atol=1e-9 * np.abs(matrix).max())
        assert np.linalg.eigvalsh((matrix + matrix.T) / 2)[0] > 0
        assert np.allclose(matrix[:, 0], first.apply(np.eye(core.size)[0]))


def test_approximate_elimination_is_right_in_expectation():
    """A star's elimination: the sampled edges average to the clique w_i·w_j / W."""
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    ring = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3), (2, 4)]
    edges = [(0, i) for i in range(1, 5)] + ring
    graph = Graph.from_edges(edges, [*weights, *[5.0] * 6])
    core = lay_out(Operator(graph, shift=1.0)).core
    matrix = np.diag(core.diagonal) - core.adjacency.toarray()
    total = np.zeros_like(matrix)
    rounds = 3000
    for seed in range(rounds):
        factor = approximate_factor(core, np.random.default_rng(seed))
        total += np.linalg.inv(factor.apply(np.eye(core.size)))
    assert np.abs(total / rounds - matrix).max() < 0.15


@pytest.mark.kernels
@pytest.mark.parametrize("samples", [1, 2])
def test_approximate_factor_is_exact_where_eliminations_leave_one_edge(samples):
    """A cycle with two neighbours per elimination samples the only edge there is."""
    n = 30
    ring = Graph.from_edges([(i, (i + 1) % n) for i in range(n)])
    core = lay_out(Operator(ring)).core
    factor = approximate_factor(core, np.random.default_rng(0), 1 if samples == 1 else 2)
    matrix = np.diag(core.diagonal) - core.adjacency.toarray()
    centre = np.eye(n) - 1 / n
    product = centre @ factor.apply(centre) @ matrix
    spread = np.linalg.eigvals(product).real
    if samples == 1:
        assert np.allclose(product, centre, atol=1e-9)
    assert spread.max() < 4
