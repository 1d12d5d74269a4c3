"""Wide diameters against every choice of edge-disjoint paths on small graphs."""

import math

import numpy as np
import pytest

import naive.connectivity as naive
from random_graphs import random_graph
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph, diameter, generators, wide_diameter, wide_diameters
from zerokelvin.graph.measures.connectivity import edge_connectivity
from zerokelvin.resistance.effective import resistance_diameter


def dense_graph(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    edges = [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.75 or j == i - 1]
    return Graph.from_edges(edges, num_nodes=n)


def test_they_are_those_of_all_disjoint_paths():
    exact = several = 0
    for seed in range(120):
        graph = dense_graph(seed)
        found = wide_diameters(graph)
        assert len(found) == edge_connectivity(graph)
        for level, measured in enumerate(found, start=1):
            wanted = naive.wide_diameter(graph, level)
            assert measured.value >= wanted
            if measured.exact:
                assert measured.value == wanted
            exact += measured.exact and level > 1
            several += level > 1
        assert wide_diameter(graph, len(found) + 1).value == math.inf
    assert exact > 0.5 * several > 50


def test_they_grow_with_the_level_and_bound_the_resistance():
    """r ≤ D(i)/i: i disjoint paths are resistors in parallel (cf. Section 3.3, a)."""
    for seed in range(60):
        graph = random_graph(seed, weights="unit")
        graph = Graph.from_edges(graph.edges, num_nodes=graph.num_nodes)  # parallel edges count once
        found = wide_diameters(graph)
        if graph.num_components > 1 or graph.num_nodes == 1:
            assert found == []
            continue
        assert found[0].value == float(diameter(graph))
        assert found[0].exact
        values = [measured.value for measured in found]
        reach = float(resistance_diameter(graph))
        for level, value in enumerate(values, start=1):
            assert reach <= value / level + 1e-9
        if all(measured.exact for measured in found):
            assert values == sorted(values)


@pytest.mark.parametrize("m", [4, 7, 12])
def test_cliques_cycles_and_trees(m):
    clique = Graph.from_edges([(i, j) for i in range(m) for j in range(i)])
    assert [found.value for found in wide_diameters(clique)] == [1.0] + [2.0] * (m - 2)
    cycle = Graph.from_edges([(i, (i + 1) % m) for i in range(m)])
    assert [found.value for found in wide_diameters(cycle)] == [m // 2, m - 1]
    line = generators.line(m).graph
    assert [found.value for found in wide_diameters(line)] == [m - 1]


def test_refusals_and_smallest():
    assert wide_diameter(Graph.from_edges([], num_nodes=1), 3).value == 0
    assert wide_diameter(Graph.from_edges([(0, 1)], num_nodes=3), 1).value == math.inf
    with pytest.raises(ParameterError, match="level=0"):
        wide_diameter(Graph.from_edges([(0, 1)]), 0)
    with pytest.raises(ParameterError, match="2500 are more than 2000"):
        wide_diameters(generators.line(2500).graph)
