"""Weights that differ by many orders of magnitude: columns against fractions, and loops that end."""

import time

import numpy as np
import pytest

from naive import linear_algebra as naive
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.kernels.heat import MOST_TERMS, HeatKernel
from zerokelvin.kernels.kernels import kernel_columns
from zerokelvin.kernels.walks import RandomWalkKernel
from zerokelvin.resistance.effective import resistance_diameter
from zerokelvin.resistance.geometry import geometry_of
from zerokelvin.solve.dense import dense_inverse
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.solve.solver import analyse, inverse_matrix
from zerokelvin.spectral.eigenpairs import smallest_eigenpairs


def spanning(orders, seed):
    """A ring with chords whose weights span so many orders of magnitude."""
    rng = np.random.default_rng(seed)
    chords = [tuple(rng.choice(11, 2, replace=False).tolist()) for _ in range(7)]
    edges = [(i, (i + 1) % 11) for i in range(11)] + chords
    weights = 10.0 ** rng.uniform(0, orders, len(edges))
    weights[:2] = 1.0, 10.0**orders
    return Graph.from_edges(edges, weights)


@pytest.mark.kernels
@pytest.mark.parametrize("shift", [0.0, 0.1])
@pytest.mark.parametrize("orders", [2, 9, 12, 16, 24, 40])
def test_columns_are_right_whatever_weights_span(orders, shift):
    """No warning is given either: the factor is made without subtraction."""
    for seed in range(3):
        graph = spanning(orders, seed)
        exact = naive.exact_inverse(graph, shift)
        solver = analyse(graph, shift=shift)
        assert solver.engine == ("direct" if orders > 8 else "dense")
        found = np.column_stack([solver.column(i) for i in range(graph.num_nodes)])
        assert np.abs(found - exact).max() <= 1e-12 * np.abs(exact).max()
        assert np.allclose(solver.columns(np.arange(graph.num_nodes)), found, rtol=1e-12)
        assert np.abs(inverse_matrix(graph, shift) - exact).max() <= 1e-12 * np.abs(exact).max()


def test_right_hand_sides_that_cancel_are_judged():
    """A difference within a cluster that hangs from the rest by 10⁻²⁴ is lost: no silent answer."""
    cycle = [(0, 1), (1, 2), (2, 0)]
    edges = [*cycle, *((u + 3, v + 3) for u, v in cycle), (0, 3), (1, 4)]
    graph = Graph.from_edges(edges, [1.1, 1.3, 0.7, 1.7, 0.9, 1.9, 1e-24, 3e-24])
    right = np.array([1.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    with pytest.warns(ScalingWarning, match="may be wrong"):
        assert analyse(graph).solve(right).status == "ill-scaled"
    assert analyse(graph).solve(np.eye(6)[0]).status == "converged"


def test_the_dense_inverse_is_not():
    """Why `auto` does not take it there."""
    graph = spanning(14, 1)
    exact = naive.exact_inverse(graph, 0.1)
    assert np.abs(dense_inverse(Operator(graph, 0.1)) - exact).max() > 0.01 * np.abs(exact).max()


@pytest.mark.kernels
def test_normalized_columns_over_many_orders():
    graph = spanning(20, 3)
    plain = analyse(graph, shift=0.1, normalized=True, tol=1e-9)
    for node in range(3):
        residual = plain.operator.apply(plain.column(node))
        residual[node] -= 1.0
        assert np.abs(residual).max() < 1e-12


@pytest.mark.kernels
def test_the_resistance_diameter_over_many_orders():
    graph = spanning(16, 4)
    exact = naive.exact_inverse(graph)
    resistance = exact.diagonal()[:, None] + exact.diagonal() - 2 * exact
    assert resistance_diameter(graph).value == pytest.approx(resistance.max(), rel=1e-9)


@pytest.mark.kernels
@pytest.mark.parametrize("orders", [9, 16, 24])
def test_distances_over_many_orders(orders):
    """Each to twelve digits, not relative to the longest."""
    graph = spanning(orders, 1)
    exact = naive.exact_resistances(graph)
    found = np.exp(geometry_of(graph).resistances()) / graph.edge_weights.max()
    assert np.allclose(found, exact, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("weight", [1e12, 1e60])
def test_a_heat_kernel_that_would_not_end_is_refused_at_once(weight):
    graph = Graph.from_edges([(0, 1), (1, 2)], [weight, 1.0])
    began = time.process_time()
    with pytest.raises(ParameterError, match=r"t=1 and degrees.*products per column.*relative-heat"):
        kernel_columns(graph, "heat:1")
    assert time.process_time() - began < 1.0
    column = kernel_columns(graph, "relative-heat:1").column(0)
    assert column.sum() == pytest.approx(1.0)


def test_heat_within_the_limit_is_unchanged():
    graph = Graph.from_edges([(0, 1)], [2e4])
    heat = HeatKernel(graph, 1.0)
    assert len(heat.coefficients) < MOST_TERMS
    assert heat.column(0) == pytest.approx([0.5, 0.5])


def test_walks_that_outgrow_floats_are_refused():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    assert np.isfinite(RandomWalkKernel(graph, 500).column(0)).all()
    with pytest.raises(ParameterError, match="at most 500 with a=2"):
        kernel_columns(graph, "walk:1100")


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_eigenpairs_of_heavy_graphs_need_no_warning(size):
    graph = Graph.from_edges([(i, j) for i in range(9) for j in range(i)], np.full(36, size))
    pairs = smallest_eigenpairs(graph, 8)
    assert pairs.converged
    assert pairs.values == pytest.approx(np.full(8, 9 * size))
