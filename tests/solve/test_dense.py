from __future__ import annotations

import numpy as np
import pytest

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import ParameterError
from zerokelvin.games import play
from zerokelvin.graph import Graph
from zerokelvin.solve.balance import balance
from zerokelvin.solve.dense import dense_inverse, inverse_spd
from zerokelvin.solve.engines.whole_inverse import Dense
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solver import analyse


@pytest.mark.parametrize("signed", [False, True])
def test_equals_the_pseudoinverse_by_definition(signed):
    for seed in range(600):
        graph = random_graph(seed, signed=signed)
        wanted = naive.pseudoinverse(graph)
        found = dense_inverse(Operator(graph))
        assert np.allclose(found, wanted, atol=1e-9 * max(1.0, np.abs(wanted).max())), seed


def test_symmetric_and_orthogonal_to_the_components():
    for seed in range(300):
        graph = random_graph(seed)
        inverse = dense_inverse(Operator(graph))
        indicator = np.eye(graph.num_components)[graph.components]
        scale = max(1.0, np.abs(inverse).max())
        assert np.abs(inverse - inverse.T).max() <= 1e-12 * scale
        assert np.abs(inverse @ indicator).max() <= 1e-11 * scale


def test_isolated_nodes_have_zero_rows():
    graph = Graph.from_edges([(0, 1)], num_nodes=4)
    assert not dense_inverse(Operator(graph))[2:].any()
    assert not dense_inverse(Operator(graph))[:, 2:].any()


def test_balance_is_singularity_of_the_signed_laplacian():
    for seed in range(600):
        graph = random_graph(seed, signed=True, weights="uniform")
        camps = balance(graph)
        matrix = naive.dense_laplacian(graph)
        for component in range(graph.num_components):
            nodes = graph.components == component
            smallest = np.linalg.eigvalsh(matrix[np.ix_(nodes, nodes)])[0]
            assert camps.balanced[component] == (smallest < 1e-9), seed
            if camps.balanced[component]:
                assert np.abs(matrix[np.ix_(nodes, nodes)] @ camps.signs[nodes]).max() < 1e-12


def test_it_works_in_place_and_stays_symmetric():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((600, 600))
    matrix = matrix @ matrix.T + np.eye(600)
    wanted, memory = np.linalg.inv(matrix), matrix.ctypes.data
    found = inverse_spd(matrix)
    assert np.allclose(found, wanted, rtol=1e-8, atol=1e-10)
    assert (found == found.T).all()
    assert found.ctypes.data == memory


def test_more_memory_than_allowed_is_refused_with_the_amount():
    ring = Graph.from_edges([(i, (i + 1) % 50_000) for i in range(50_000)])
    with pytest.raises(ParameterError, match=r"needs 20\.0 GB for 50000 nodes.*engine='auto'"):
        analyse(ring, "dense")
    with pytest.raises(ParameterError, match=r"needs 20\.0 GB"):
        play(ring, np.arange(50_000) % 2, "pounce", engine="dense")
    small = Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])
    with pytest.raises(ParameterError, match=r"needs 0\.0 GB for 5 nodes"):
        analyse(small, Dense(max_bytes=399))
    assert analyse(small, Dense(max_bytes=400)).engine == "dense"
