from __future__ import annotations

import numpy as np
import pytest

from linalg.graphs import random_graph
from naive import linalg as naive
from zerokelvin.linalg.solver import analyse

KINDS = [(0.0, False), (0.3, False), (0.0, True), (0.1, True)]
ENGINES = ["auto", "dense", "direct", "jacobi", "approximate", "approximate-2"]


@pytest.mark.kernels
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("shift", "normalized"), KINDS)
@pytest.mark.parametrize("signed", [False, True])
def test_every_engine_equals_the_pseudoinverse(engine, shift, normalized, signed):
    for seed in range(60):
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
