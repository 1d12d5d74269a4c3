"""The refinement of a drawing: one epoch by its definition, the same on any number of threads, in stages."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.layout as naive
import zerokelvin as zk
from strategies import graphs
from zerokelvin import Graph
from zerokelvin.errors import ParameterError
from zerokelvin.graph.canonical import Csr
from zerokelvin.layout import first_layout, refine
from zerokelvin.layout.attraction_repulsion import Forces, move_nodes

FORCES = Forces(1.6, 18.0, 1e-3, 5, 0.7, 1.0, 0.5)


def shares(graph):
    sums = np.repeat(np.add.reduceat(np.append(graph.weights, 0.0), graph.indptr[:-1]), np.diff(graph.indptr))
    return Csr(graph.indptr, graph.indices, graph.weights / sums)


@pytest.mark.kernels
@settings(max_examples=60)
@given(graphs(max_nodes=9), st.integers(0, 2**63), st.sampled_from([0.01, 1.0, 30.0]))
def test_an_epoch_is_what_it_is_defined_to_be(graph, key, size):
    rng = np.random.default_rng(key)
    old, before = rng.normal(size=(2, graph.num_nodes, 2)) * size
    new = before.copy()
    with np.errstate(over="ignore"):
        move_nodes(shares(graph), old, new, 0, graph.num_nodes, np.uint64(key), FORCES)
    np.testing.assert_allclose(
        new, naive.epoch(graph, old, before, key, FORCES), rtol=1e-9, atol=1e-12 * size
    )


def test_nodes_are_drawn_uniformly():
    drawn = [naive.drawn_by_hash(99, node, sample, 7) for node in range(300) for sample in range(20)]
    expected = len(drawn) / 7
    assert sum((drawn.count(k) - expected) ** 2 / expected for k in range(7)) < 22.5  # 0.999 of χ² with 6


@pytest.mark.kernels
@settings(max_examples=25)
@given(graphs(max_nodes=9), st.integers(0, 99))
def test_any_number_of_threads_gives_the_same_bits(graph, seed):
    start = first_layout(graph)
    alone = refine(graph, start, seed, epochs=6, threads=1)
    for threads in (2, 3, 9):
        assert np.array_equal(alone, refine(graph, start, seed, epochs=6, threads=threads))
    assert np.isfinite(alone).all()


def test_threads_and_seed_on_a_larger_graph():
    graph = zk.generators.two_moons(9000, np.random.default_rng(1)).graph
    start = first_layout(graph)
    one, two = (refine(graph, start, 5, epochs=20, threads=threads) for threads in (1, 2))
    assert np.array_equal(one, two)
    assert np.array_equal(one, refine(graph, start, 5, epochs=20))
    assert not np.array_equal(one, refine(graph, start, 6, epochs=20))


PROGRAM = """
import numpy as np
from zerokelvin import Graph
from zerokelvin.layout import refine
edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5)]
graph = Graph.from_edges(edges, [2.0, 0.5, 1.0, 3.0, 1.0], num_nodes=7)
start = np.random.default_rng(3).normal(size=(7, 2))
print(refine(graph, start, seed=4, epochs=9).tobytes().hex())
"""


def test_compiled_or_not_the_bits_are_the_same():
    found = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "NUMBA_DISABLE_JIT": switched_off},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for switched_off in ("0", "1")
    }
    assert len(found) == 1


def test_stages_come_as_it_goes_and_false_ends_it():
    graph = Graph.from_edges([(i, i + 1) for i in range(30)])
    start, stages = first_layout(graph), []
    whole = refine(graph, start, epochs=30, report=stages.append)
    assert [stage.epoch for stage in stages][-1] == 30
    assert 8 <= len(stages) <= 12
    assert np.array_equal(stages[-1].positions, whole)

    def stop(stage):
        return stage.epoch < 9

    assert np.array_equal(refine(graph, start, epochs=30, report=stop), stages[2].positions)


def test_weights_count_and_negative_edges_do_not_pull():
    heavy = [(0, 1, 100.0), (1, 2, 1.0), (2, 0, 1.0), (2, 3, 1.0)]
    drawn = refine(Graph.from_edges(heavy), first_layout(Graph.from_edges(heavy)), epochs=300)
    near, far = np.linalg.norm(drawn[0] - drawn[1]), np.linalg.norm(drawn[0] - drawn[2])
    assert near < far
    signed = Graph.from_edges([(0, 1, 1.0), (1, 2, 1.0), (0, 3, -5.0)])
    without = Graph.from_edges([(0, 1, 1.0), (1, 2, 1.0)], num_nodes=4)
    start = np.random.default_rng(0).normal(size=(4, 2))
    assert np.array_equal(refine(signed, start, epochs=5), refine(without, start, epochs=5))


def test_neighbours_in_the_graph_become_neighbours_in_the_plane():
    graph = zk.generators.two_moons(1500, np.random.default_rng(2)).graph
    start = np.random.default_rng(0).normal(size=(1500, 2))
    spectral = first_layout(graph)
    shares = [right_neighbours(graph, drawn) for drawn in (start, spectral, refine(graph, spectral))]
    assert shares[0] < 0.02 < shares[1] < shares[2]
    assert shares[2] > 0.5


def right_neighbours(graph, drawn, k=10):
    """The share of the k nearest nodes in the plane that are neighbours in the graph."""
    distances = np.linalg.norm(drawn[:, None] - drawn[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1)[:, :k]
    return np.mean([np.isin(row, graph.neighbors(i)).mean() for i, row in enumerate(nearest)])


@pytest.mark.parametrize(
    ("positions", "said"),
    [
        (np.zeros((2, 2)), r"\(2, 2\)"),
        (np.zeros((3, 3)), r"\(3, 3\)"),
        ([[0, 0], [0, np.nan], [0, 0]], "node 1"),
    ],
)
def test_positions_are_checked(positions, said):
    with pytest.raises(ParameterError, match=said):
        refine(Graph.from_edges([(0, 1), (1, 2)]), positions)


def test_numbers_are_checked():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="epochs=-1"):
        refine(graph, np.zeros((2, 2)), epochs=-1)
    with pytest.raises(ParameterError, match="threads=0"):
        refine(graph, np.zeros((2, 2)), threads=0)
    assert refine(graph, [[0, 0], [1, 1]], epochs=0, seed=-3).shape == (2, 2)
