"""The smoothest function through given labels against least squares, in floats and beyond their range."""

import math

import numpy as np
import pytest

import naive.learners.pounce as naive
from random_graphs import random_graph
from zerokelvin.graph import Graph, exponential_graph
from zerokelvin.resistance.harmonic import log_smoothest_norm, smoothest


@pytest.mark.parametrize("signed", [False, True])
def test_the_norm_is_least(signed):
    for seed in range(300):
        graph = random_graph(seed, signed=signed)
        rng = np.random.default_rng(seed)
        nodes = rng.permutation(graph.num_nodes)[: rng.integers(1 + graph.num_nodes)]
        labels = rng.choice([-1, 1], len(nodes))
        found = smoothest(graph, nodes, labels)
        assert (found.values[nodes] == labels).all()
        assert np.abs(found.values).max(initial=0.0) <= 1
        wanted = naive.least_norm(graph, dict(zip(nodes.tolist(), labels.tolist(), strict=True)))
        assert found.squared_norm == pytest.approx(
            wanted, rel=1e-6, abs=1e-6 * float(np.abs(graph.weights).sum())
        )
        assert found.squared_norm == pytest.approx(
            float(found.values @ graph.laplacian() @ found.values), rel=1e-9, abs=1e-9
        )


def test_components_with_one_label_and_with_none():
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4), (5, 6)])
    found = smoothest(graph, np.array([0, 2, 3]), np.array([1, -1, -1]))
    assert found.values.round(9).tolist() == [1, 0, -1, -1, -1, 0, 0]
    assert found.squared_norm == pytest.approx(2)
    alone = smoothest(graph, np.array([0, 3]), np.array([1, -1]))
    assert alone.values.tolist() == [1, 1, 1, -1, -1, 0, 0]
    assert alone.squared_norm == 0
    assert smoothest(graph, np.array([], dtype=int), np.array([], dtype=int)).squared_norm == 0


@pytest.mark.parametrize("a", [0.5, 5.0, 40.0])
def test_exponential_graphs_agree_with_long_decimals(a):
    """Between two nodes the least norm is 4/r; with more labels, that of the graph in floats."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(6, 2))
        graph = exponential_graph(points, a)
        distances = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
        logs, _ = naive.decimal_potentials(distances, a)
        for other in range(1, 6):
            found = log_smoothest_norm(graph, np.array([0, other]), np.array([1, -1]))
            assert found == pytest.approx(math.log(4) - logs[0][other], abs=1e-8)
        if a < 1:
            weights = np.exp(-a * graph.distances)
            plain = Graph.from_edges(graph.edges, weights, num_nodes=6)
            nodes, labels = np.array([0, 1, 2, 3]), np.array([1, -1, 1, -1])
            wanted = smoothest(plain, nodes, labels).squared_norm
            assert log_smoothest_norm(graph, nodes, labels) == pytest.approx(math.log(wanted), abs=1e-6)
    assert log_smoothest_norm(graph, np.array([0]), np.array([1])) == -math.inf
