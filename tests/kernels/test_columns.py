from __future__ import annotations

import numpy as np
import pytest

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import NodeError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.kernels.columns import HeatKernel, PageRankKernel, RandomWalkKernel, SolverKernel
from zerokelvin.kernels.kernels import kernel_columns
from zerokelvin.kernels.push import PushKernel, pagerank


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


@pytest.mark.kernels
@pytest.mark.parametrize("normalized", [False, True])
def test_push_is_below_by_at_most_tol(normalized):
    for seed in range(200):
        graph = random_graph(seed)
        shift = float(np.random.default_rng(seed).choice([0.05, 0.5, 5.0]))
        wanted = naive.pseudoinverse(graph, shift, normalized)
        kernel = PushKernel(graph, shift, normalized, tol=1e-3)
        degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
        for node in (seed % graph.num_nodes, 0):
            gap = wanted[:, node] - kernel.column(node)
            allowed = 1e-3 * (np.sqrt(degrees * degrees[node]) if normalized else 1.0)
            assert (gap >= -1e-12).all()
            assert (gap <= allowed + 1e-12).all()


def test_push_stays_local():
    line = Graph.from_edges([(i, i + 1) for i in range(20_000)])
    nodes, _ = PushKernel(line, shift=0.5, tol=1e-3).sparse_column(10_000)
    assert len(nodes) < 40


@pytest.mark.kernels
def test_pagerank():
    for seed in range(200):
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
        nodes, values = pagerank(graph, node, alpha, tol=1e-4)
        found = np.zeros(graph.num_nodes)
        found[nodes] = values
        assert (wanted - found >= -1e-12).all()
        assert (wanted - found <= 1e-4 * degrees + 1e-12).all()


def test_bad_input_is_refused():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(NodeError, match="node index 2"):
        HeatKernel(graph, 1.0).column(2)
    with pytest.raises(ParameterError, match="t=-1"):
        HeatKernel(graph, -1.0)
    with pytest.raises(ParameterError, match="shift=0"):
        PushKernel(graph, 0.0)
    with pytest.raises(ParameterError, match="a=1"):
        RandomWalkKernel(graph, 2, 1.0)
    with pytest.raises(ParameterError, match="alpha=1"):
        pagerank(graph, 0, 1.0)


@pytest.mark.kernels
def test_pagerank_by_solves_is_what_push_approaches():
    for seed in range(60):
        graph = random_graph(seed)
        node, degrees = seed % graph.num_nodes, np.where(graph.degrees > 0, graph.degrees, 1.0)
        kernel = PageRankKernel.of(graph, 0.8, tol=1e-10)
        nodes, values = pagerank(graph, node, 0.8, tol=1e-9)
        found = np.zeros(graph.num_nodes)
        found[nodes] = values
        assert kernel.column(node) == pytest.approx(found, abs=1e-8 * degrees.max())
        whole = np.column_stack([kernel.column(i) for i in range(graph.num_nodes)])
        assert kernel.row(node) == pytest.approx(whole[node], abs=1e-8 * degrees.max())
        assert whole.sum(axis=0) == pytest.approx(np.ones(graph.num_nodes), abs=1e-7)


def test_bad_kernels_are_refused():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="alpha=1"):
        PageRankKernel.of(graph, 1.0)
    with pytest.raises(ParameterError, match="whole number of steps"):
        kernel_columns(graph, "walk:2.5")
    for kernel in ("heat:1", "walk:2", "laplacian"):
        with pytest.raises(ParameterError, match="unknown engine 'quick'"):
            kernel_columns(graph, kernel, engine="quick")
