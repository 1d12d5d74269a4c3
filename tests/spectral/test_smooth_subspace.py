"""The smoothest directions beside the whole spectrum of D^(-1/2) A D^(-1/2)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from zerokelvin.spectral.smooth_subspace import LEAST, smooth_subspace


def spectrum(graph):
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    values, vectors = np.linalg.eigh(graph.adjacency.toarray() / np.sqrt(np.outer(degrees, degrees)))
    return values[::-1], vectors[:, ::-1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_vectors_are_orthonormal_and_values_are_ritz_values(seed, rank):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    pairs = rng.integers(count, size=(int(rng.integers(1, 90)), 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    graph = zk.Graph.from_edges(pairs.reshape(-1, 2), 10.0 ** rng.normal(size=len(pairs)), num_nodes=count)
    values, vectors = smooth_subspace(graph, rank)
    exact, _ = spectrum(graph)
    assert vectors.shape == (count, len(values))
    assert len(values) <= rank
    assert np.allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-8)
    assert (values > LEAST).all()
    assert (np.diff(values) <= 1e-12).all()
    assert (values <= exact[: len(values)] + 1e-8).all()  # by Courant and Fischer
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    walk = graph.adjacency.toarray() / np.sqrt(np.outer(degrees, degrees))
    assert np.allclose(np.diag(vectors.T @ walk @ vectors), values, atol=1e-8)
    again = smooth_subspace(graph, rank)
    assert np.array_equal(again.vectors, vectors)


@pytest.mark.parametrize("seed", range(3))
def test_communities_are_found(seed):
    example = zk.generators.planted_partition([60] * 4, 0.3, 0.03, np.random.default_rng(seed))
    values, vectors = smooth_subspace(example.graph, 4)
    exact, known = spectrum(example.graph)
    assert np.allclose(values, exact[:4], atol=1e-4)
    shared = np.linalg.svd(known[:, :4].T @ vectors, compute_uv=False)  # cosines between the two subspaces
    assert shared.min() > 0.999


def test_a_graph_without_edges_has_no_smooth_direction():
    assert smooth_subspace(zk.Graph.from_edges([], num_nodes=5), 3).vectors.shape == (5, 0)
