from __future__ import annotations

import numpy as np
import pytest

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import NodeError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.kernels import KERNELS, kernel_columns, parse_kernel
from zerokelvin.kernels.heat import HeatKernel
from zerokelvin.kernels.inverses import SolverKernel
from zerokelvin.kernels.kernel_names import has_unit
from zerokelvin.kernels.pagerank import PageRankKernel
from zerokelvin.kernels.powers import PowerKernel
from zerokelvin.kernels.walks import RandomWalkKernel


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_solver_kernel(shift, normalized):
    for seed in range(60):
        graph = random_graph(seed)
        wanted = naive.pseudoinverse(graph, shift, normalized)
        found = SolverKernel.of(graph, shift, normalized, tol=1e-10)
        node = seed % graph.num_nodes
        tolerance = 1e-8 * max(1.0, np.abs(wanted).max())
        assert np.allclose(found.column(node), wanted[:, node], atol=tolerance)
        assert np.allclose(found.columns([node, 0]), wanted[:, [node, 0]], atol=tolerance)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("tol", [1e-3, 1e-10])
def test_heat_kernel_error_is_at_most_tol(normalized, tol):
    for seed in range(120):
        graph = random_graph(seed, signed=seed % 5 == 0)
        t = float(np.random.default_rng(seed).choice([0.0, 0.01, 0.7, 3.0, 40.0]))
        wanted = naive.heat_kernel(graph, t, normalized)
        kernel = HeatKernel(graph, t, normalized, tol)
        node = seed % graph.num_nodes
        assert np.linalg.norm(kernel.column(node) - wanted[:, node]) <= tol + 1e-12, seed
        assert np.allclose(kernel.columns([node]), wanted[:, [node]], atol=tol + 1e-12)


def test_heat_kernel_stops_early_when_little_is_asked():
    graph = random_graph(5)
    assert len(HeatKernel(graph, 1.0, tol=1e-2).coefficients) < len(
        HeatKernel(graph, 1.0, tol=1e-9).coefficients
    )


def test_random_walk_kernel():
    for seed in range(100):
        graph = random_graph(seed)
        matrix = 2.5 * np.eye(graph.num_nodes) - naive.operator(graph, 0.0, True)
        wanted = np.linalg.matrix_power(matrix, 3)
        kernel = RandomWalkKernel(graph, 3, 2.5)
        node = seed % graph.num_nodes
        assert np.allclose(kernel.column(node), wanted[:, node])
        assert np.allclose(kernel.columns([0, node]), wanted[:, [0, node]])
        assert np.linalg.eigvalsh(wanted)[0] > -1e-9


def test_pagerank():
    for seed in range(60):
        graph = random_graph(seed)
        node, alpha = seed % graph.num_nodes, 0.7
        degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
        walk = graph.adjacency.toarray() / degrees
        isolated = graph.degrees == 0
        walk[isolated, isolated] = 0.0
        unit = np.zeros(graph.num_nodes)
        unit[node] = 1.0
        wanted = (1 - alpha) * np.linalg.solve(np.eye(graph.num_nodes) - alpha * walk, unit)
        if isolated[node]:
            wanted[node] = 1.0
        kernel = PageRankKernel.of(graph, alpha, tol=1e-10)
        assert kernel.column(node) == pytest.approx(wanted, abs=1e-8 * degrees.max())
        whole = np.column_stack([kernel.column(i) for i in range(graph.num_nodes)])
        assert kernel.row(node) == pytest.approx(whole[node], abs=1e-8 * degrees.max())
        assert whole.sum(axis=0) == pytest.approx(np.ones(graph.num_nodes), abs=1e-7)


def test_bad_input_is_refused():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(NodeError, match="node index 2"):
        HeatKernel(graph, 1.0).column(2)
    with pytest.raises(NodeError, match="node index 2"):
        RandomWalkKernel(graph, 1).columns([0, 2])
    with pytest.raises(ParameterError, match="t=-1"):
        HeatKernel(graph, -1.0)
    with pytest.raises(ParameterError, match="a=1"):
        RandomWalkKernel(graph, 2, 1.0)
    with pytest.raises(ParameterError, match="power=0"):
        PowerKernel.of(graph, 1.0, 0)


def test_powers_of_inverses():
    for seed in range(60):
        graph = random_graph(seed)
        degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
        plain, scaled = (naive.pseudoinverse(graph, 0.3, normalized) for normalized in (False, True))
        walk = np.linalg.inv(naive.dense_laplacian(graph) + 0.3 * np.diag(degrees))
        wanted = {
            "squared:0.3": plain @ plain,
            "normalized-squared:0.3": scaled @ scaled,
            "walk-squared:0.3": walk @ np.diag(degrees) @ walk,
            "walk-fourth:0.3": np.linalg.matrix_power(walk @ np.diag(degrees), 3) @ walk,
        }
        node = seed % graph.num_nodes
        for kernel, matrix in wanted.items():
            column = kernel_columns(graph, kernel, tol=1e-12).column(node)
            assert np.allclose(column, matrix[:, node], atol=1e-8 * np.abs(matrix).max()), kernel
            block = parse_kernel(kernel).columns(graph, "auto", 1e-12).columns([0, node])
            assert np.allclose(block, matrix[:, [0, node]], atol=1e-8 * np.abs(matrix).max()), kernel


@pytest.mark.parametrize("form", KERNELS.forms)
def test_every_kernel_says_whether_it_is_symmetric_and_has_a_unit(form):
    name, _, number = form.partition(":")
    kernel = f"{name}:{ {'P': 2}.get(number, 0.5) }" if number else name
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)], [1.0, 2.0, 3.0, 1.0, 0.5, 2.0])
    tenfold = Graph.from_edges(graph.edges, 10 * graph.edge_weights)
    named = parse_kernel(kernel)
    first, second, relative, again = (
        np.column_stack([parse_kernel(text).columns(domain, "auto", 1e-12).column(i) for i in range(5)])
        for text in (kernel, f"relative-{kernel}")
        for domain in (graph, tenfold)
    )
    assert np.allclose(first, first.T, atol=1e-9) == named.kernel.is_symmetric
    assert np.allclose(first, second, atol=1e-7) != has_unit(kernel)
    assert np.allclose(relative, again, atol=1e-7)
    assert not has_unit(f"relative-{kernel}")


def test_bad_kernels_are_refused():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="alpha=1"):
        PageRankKernel.of(graph, 1.0)
    with pytest.raises(ParameterError, match="whole number of steps"):
        kernel_columns(graph, "walk:2.5")
    for kernel in ("heat:1", "walk:2", "laplacian"):
        with pytest.raises(ParameterError, match="unknown engine 'quick'"):
            kernel_columns(graph, kernel, engine="quick")
    with pytest.raises(ParameterError, match="not symmetric"):
        kernel_columns(graph, "pagerank:0.5")
    for kernel, remedy in (
        ("heat", "write heat:T"),
        ("laplacian:1", "write laplacian"),
        ("regularized:x", "'x' is no number; write regularized:EPS"),
        ("relative-regularized:-1", "'relative-regularized:-1' needs a positive number"),
        ("normalized:inf", "a positive number"),
        ("heat:-1", "at least 0"),
        ("pagerank:1", "strictly between"),
        ("regularised:1", "did you mean 'regularized'"),
    ):
        with pytest.raises(ParameterError, match=remedy):
            kernel_columns(graph, kernel)
