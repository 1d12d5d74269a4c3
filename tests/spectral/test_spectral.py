from __future__ import annotations

import numpy as np
import pytest

from naive import linear_algebra as naive
from random_graphs import random_graph
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph import Graph
from zerokelvin.spectral import eigenpairs, krylov
from zerokelvin.spectral.eigenpairs import smallest_eigenpairs
from zerokelvin.spectral.embedding_features import laplacian_coordinates


def grid(rows, columns):
    place = np.arange(rows * columns).reshape(rows, columns)
    across = np.column_stack([place[:, :-1].ravel(), place[:, 1:].ravel()])
    down = np.column_stack([place[:-1].ravel(), place[1:].ravel()])
    return Graph.from_edges(np.vstack([across, down]))


def check(graph, found, normalized):
    matrix = naive.operator(graph, 0.0, normalized)
    spectrum = np.linalg.eigvalsh(matrix)
    count = len(found.values)
    trivial = int((np.abs(spectrum) < 1e-9).sum())
    assert np.allclose(found.values, spectrum[trivial : trivial + count], atol=1e-7)
    assert np.allclose(found.vectors.T @ found.vectors, np.eye(count), atol=1e-7)
    assert np.linalg.norm(matrix @ found.vectors - found.vectors * found.values, axis=0).max() <= 1e-8
    largest = np.abs(found.vectors).max(axis=0)
    assert (found.vectors.max(axis=0) >= largest * (1 - 1e-5)).all()


@pytest.mark.parametrize("normalized", [False, True])
def test_small_graphs_by_definition(normalized):
    for seed in range(120):
        graph = random_graph(seed, weights="uniform")
        available = graph.num_nodes - graph.num_components
        if available:
            check(
                graph, smallest_eigenpairs(graph, max(1, available // 2), normalized=normalized), normalized
            )


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("engine", ["auto", "direct", "jacobi", "approximate"])
def test_krylov_schur_equals_the_dense_spectrum(monkeypatch, engine, normalized):
    monkeypatch.setattr(eigenpairs, "DENSE_SPECTRUM", 10)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 200, size=(700, 2))
    for graph in (
        grid(13, 17),
        grid(15, 15),
        Graph.from_edges(pairs, rng.uniform(0.5, 2, 700), num_nodes=200),
        Graph.from_edges(np.vstack([grid(9, 11).edges, grid(9, 11).edges + 99])),
    ):
        found = smallest_eigenpairs(graph, 20, normalized=normalized, engine=engine)
        assert found.solves > 0
        check(graph, found, normalized)


def test_restarts(monkeypatch):
    monkeypatch.setattr(eigenpairs, "DENSE_SPECTRUM", 10)
    monkeypatch.setattr(krylov, "ROOM", 0.0)
    found = smallest_eigenpairs(grid(20, 23), 30, block=2)
    assert found.solves > 2 * 30 + 16
    check(grid(20, 23), found, False)


def rings(count, length):
    place = np.arange(count * length).reshape(count, length)
    return Graph.from_edges(np.column_stack([place.ravel(), np.roll(place, 1, axis=1).ravel()]))


def spider(legs, length):
    inner = np.arange(1, 1 + legs * length).reshape(legs, length)
    before = np.column_stack([np.zeros(legs, dtype=np.int64), inner[:, :-1]])
    return Graph.from_edges(np.column_stack([before.ravel(), inner.ravel()]))


def hypercube(dimension):
    corner = np.arange(2**dimension)
    return Graph.from_edges(
        np.vstack(
            [np.column_stack([corner, corner ^ 1 << k])[corner >> k & 1 == 0] for k in range(dimension)]
        )
    )


@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (rings(14, 30), 40),
        (spider(25, 16), 60),
        (hypercube(9), 50),
        (Graph.from_edges(np.arange(400).reshape(-1, 2)), 70),
        (Graph.from_edges([(0, 1), (2, 3), (4, 5)], num_nodes=400), 3),
        (Graph.from_edges([(0, 1), (1, 2), (4, 5)], [1.0, 2.0, 3.0], num_nodes=400), 2),
    ],
    ids=["rings", "spider", "hypercube", "pairs", "three edges", "two components"],
)
def test_every_copy_of_a_repeated_eigenvalue_is_found(monkeypatch, graph, count):
    """Up to 200 copies, where a block has 8 vectors."""
    monkeypatch.setattr(eigenpairs, "DENSE_SPECTRUM", 10)
    found = smallest_eigenpairs(graph, count)
    assert found.solves > 0
    assert found.converged
    check(graph, found, False)


def test_deterministic():
    first, second = (smallest_eigenpairs(grid(40, 41), 12) for _ in range(2))
    assert (first.vectors == second.vectors).all()


def test_too_many_are_refused():
    with pytest.raises(ParameterError, match="count=3 must lie between 1 and 2"):
        smallest_eigenpairs(Graph.from_edges([(0, 1), (1, 2)]), 3)


@pytest.mark.parametrize("weak", [1e-14, 1e-30, 1e-200])
def test_an_eigenvalue_lost_in_rounding_is_refused(weak):
    cliques = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    graph = Graph.from_edges([*cliques, (2, 3)], [1.0] * 6 + [weak])
    with pytest.raises(GraphError, match="lost in rounding; edge weights differ too much"):
        smallest_eigenpairs(graph, 2)
    with pytest.raises(GraphError, match="lost in rounding"):
        laplacian_coordinates(graph, 3, b=1.0)


def test_an_eigenvalue_of_a_weak_link_is_found():
    cliques = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]
    found = smallest_eigenpairs(Graph.from_edges([*cliques, (2, 3)], [1.0] * 6 + [1e-9]), 1)
    assert np.isclose(found.values[0], 2e-9 / 3, rtol=1e-5)  # two nodes of weight 3 and the link: 2w/3


def test_a_count_or_engine_that_does_not_exist_is_refused():
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(ParameterError, match=r"count=1\.5"):
        smallest_eigenpairs(graph, 1.5)
    with pytest.raises(ParameterError, match="unknown engine 'quick'"):
        smallest_eigenpairs(graph, 1, engine="quick")
