from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.solve.engines.approximate import ApproximateCholesky
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.engines.jacobi import Jacobi
from zerokelvin.solve.solution import ScalingWarning, SolverWarning, StagnationWarning
from zerokelvin.solve.solver import analyse

KINDS = [(0.0, False), (0.3, False), (0.0, True), (0.1, True)]
ENGINES = ["auto", "dense", "direct", "jacobi", "approximate", "approximate-2"]


@pytest.mark.kernels
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("shift", "normalized"), KINDS)
@pytest.mark.parametrize("signed", [False, True])
def test_every_engine_equals_the_pseudoinverse(engine, shift, normalized, signed):
    first = 60 * (8 * ENGINES.index(engine) + 2 * KINDS.index((shift, normalized)) + signed)
    for seed in range(first, first + 60):  # 2,880 graphs in all
        graph = random_graph(seed, signed=signed)
        rng = np.random.default_rng(seed)
        inverse = naive.pseudoinverse(graph, shift, normalized)
        solver = analyse(graph, engine, shift=shift, normalized=normalized, tol=1e-10)
        right = rng.standard_normal((graph.num_nodes, 3))
        scale = max(1.0, np.abs(inverse).max()) * 10
        one = solver.solve(right[:, 0])
        assert one.status == "converged"
        assert np.allclose(one.value, inverse @ right[:, 0], atol=1e-7 * scale), seed
        many = solver.solve(right)
        assert many.status == "converged"
        assert np.allclose(many.value, inverse @ right, atol=1e-7 * scale), seed
        node = int(rng.integers(graph.num_nodes))
        assert np.allclose(solver.column(node), inverse[:, node], atol=1e-7 * scale)


def test_a_right_hand_side_along_the_null_vectors_gives_zero():
    for seed in range(48):
        graph = random_graph(seed)
        for engine in ENGINES:
            solution = analyse(graph, engine).solve(np.ones(graph.num_nodes))
            assert solution.status == "converged"
            assert not solution.value.any()


def exact_column(graph, node):
    """Column of L⁺ of a connected graph in rational arithmetic."""
    n = graph.num_nodes
    rows = [[Fraction(0)] * (n + 1) for _ in range(n)]
    for (u, v), w in zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True):
        weight = Fraction(w)
        rows[u][u] += weight
        rows[v][v] += weight
        rows[u][v] -= weight
        rows[v][u] -= weight
    for i in range(n):
        rows[i][n] = Fraction(int(i == node)) - Fraction(1, n)
    rows = [row[1:] for row in rows[1:]]
    for i in range(n - 1):
        pivot = next(r for r in range(i, n - 1) if rows[r][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n - 1):
            if r != i and rows[r][i]:
                share = rows[r][i] / rows[i][i]
                rows[r] = [a - share * b for a, b in zip(rows[r], rows[i], strict=True)]
    value = [Fraction(0)] + [rows[i][n - 1] / rows[i][i] for i in range(n - 1)]
    mean = sum(value) / n
    return np.array([float(v - mean) for v in value])


def two_clusters(rng, weak):
    """Two cycles with chords, joined by two edges of weight `weak`."""
    edges = [(i, (i + 1) % 6) for i in range(6)] + [(0, 3), (1, 4)]
    edges += [(u + 6, v + 6) for u, v in edges]
    weights = [*rng.uniform(0.5, 2.0, len(edges)), weak, 2 * weak]
    return Graph.from_edges([*edges, (0, 6), (2, 9)], weights)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("weak", [1e-4, 1e-7, 1e-9, 1e-10, 1e-12])
def test_badly_scaled_weights_never_give_a_silent_wrong_column(engine, weak):
    for seed in range(6):
        graph = two_clusters(np.random.default_rng(seed), weak)
        node = seed
        wanted = exact_column(graph, node)
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            try:
                solution = analyse(graph, engine, tol=1e-8).solve(np.eye(12)[node])
            except GraphError:  # refused outright, with advice
                assert weak < 1e-8
                continue
        said = [w for w in given if issubclass(w.category, SolverWarning)]
        wrong = np.abs(solution.value - wanted).max() > 1e-3 * np.abs(wanted).max()
        assert not wrong or (said and solution.status != "converged")
        if engine in ("auto", "direct") and weak < 1e-8:  # made without subtraction
            assert not said
            assert np.abs(solution.value - wanted).max() <= 1e-10 * np.abs(wanted).max()
        else:
            assert weak > 1e-8 or said


@pytest.mark.parametrize("engine", ENGINES)
def test_a_difference_inside_a_strong_cluster_survives_weak_links(engine):
    """A small residual hides an arbitrary offset between weakly joined clusters: it must be noticed."""
    graph = two_clusters(np.random.default_rng(1), 1e-10)
    right = np.zeros(12)
    right[[1, 2]] = 1.0, -1.0
    wanted = exact_column(graph, 1) - exact_column(graph, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SolverWarning)
        solution = analyse(graph, engine).solve(right)
    wrong = np.abs(solution.value - wanted).max() > 1e-2 * np.abs(wanted).max()
    assert not wrong or solution.status != "converged"


def test_trees_are_exact_at_any_scale():
    rng = np.random.default_rng(0)
    for seed in range(20):
        edges = [(i, int(rng.integers(i))) for i in range(1, 14)]
        tree = Graph.from_edges(edges, 10.0 ** rng.uniform(-12, 0, 13))
        wanted = exact_column(tree, seed % 14)
        found = analyse(tree).solve(np.eye(14)[seed % 14])
        assert found.status == "converged"
        assert np.abs(found.value - wanted).max() <= 1e-12 * np.abs(wanted).max()


def test_stagnation_is_warned_of():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 300, (900, 2)), num_nodes=300)
    with pytest.warns(StagnationWarning, match="raise tol"):
        solution = analyse(graph, Jacobi(max_iterations=3)).solve(rng.standard_normal(300))
    assert solution.status == "stagnated"
    assert solution.residual > 1e-6


def test_auto_says_what_it_chose_and_why():
    line = Graph.from_edges([(0, 1), (1, 2)])
    assert analyse(line).engine == "tree"
    assert analyse(Graph.from_edges([(0, 1), (1, 2), (2, 0)])).engine == "dense"
    band = Graph.from_edges([(i, i + j) for i in range(3500) for j in (1, 2)])
    solver = analyse(band)
    assert (solver.engine, "entries per node" in solver.reason) == ("direct", True)
    rng = np.random.default_rng(0)
    expander = Graph.from_edges(rng.integers(0, 20_000, (120_000, 2)), num_nodes=20_000)
    solver = analyse(expander)
    assert (solver.engine, "iterations" in solver.reason) == ("jacobi", True)
    assert analyse(expander, "approximate-2").engine == "approximate-2"


@pytest.mark.parametrize("engine", ["direct", "jacobi", "approximate", "approximate-2"])
@pytest.mark.parametrize(("shift", "normalized"), KINDS)
def test_larger_graphs_reach_the_tolerance(engine, shift, normalized):
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 1500, (3000, 2)), rng.uniform(0.2, 3, 3000), num_nodes=1500)
    solver = analyse(graph, engine, shift=shift, normalized=normalized, tol=1e-9)
    right = solver.operator.project(rng.standard_normal((1500, 5)))
    solution = solver.solve(right)
    gap = right - naive.operator(graph, shift, normalized) @ solution.value
    reached = (np.linalg.norm(gap, axis=0) / np.linalg.norm(right, axis=0)).max()
    assert reached <= 1e-9
    assert solution.residual == pytest.approx(reached, rel=1e-3, abs=1e-13)
    one = solver.solve(right[:, 2])
    assert np.allclose(one.value, solution.value[:, 2], atol=1e-6 * np.abs(one.value).max())


def test_the_same_seed_gives_the_same_solution():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 500, (1200, 2)), num_nodes=500)
    right = rng.standard_normal(500)
    engine = ApproximateCholesky(seed=3)
    assert (analyse(graph, engine).solve(right).value == analyse(graph, engine).solve(right).value).all()


def test_bad_input_is_refused():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    with pytest.raises(ParameterError, match="unknown engine 'fast'"):
        analyse(graph, "fast")
    with pytest.raises(ParameterError, match="tol=0"):
        analyse(graph, tol=0)
    with pytest.raises(ParameterError, match="shift=-1"):
        analyse(graph, shift=-1.0)
    with pytest.raises(ParameterError, match="3 nodes of this graph lie on"):
        analyse(graph, "tree")
    with pytest.raises(ParameterError, match=r"shape \(4,\)"):
        analyse(graph).solve(np.ones(4))
    with pytest.raises(ParameterError, match="NaN"):
        analyse(graph).solve([1.0, np.nan, 0.0])
    with pytest.raises(ParameterError, match="node index 3"):
        analyse(graph).column(3)
    rng = np.random.default_rng(0)
    wild = Graph.from_edges(rng.integers(0, 2000, (20_000, 2)), num_nodes=2000)
    with pytest.raises(ParameterError, match="raise max_fill"):
        analyse(wild, Direct(max_fill=5))
    with pytest.warns(ScalingWarning, match="factor of 1e"):
        analyse(Graph.from_edges([(0, 1), (1, 2), (2, 0)], [1, 1, 1e-10]), "dense")
