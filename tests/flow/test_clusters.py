"""Connectivity and atomic numbers against every cut and partition; the report on the papers' graphs."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

import zerokelvin as zk
from naive import connectivity as naive
from naive.flow_graphs import small_graph
from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.flow.static.cluster_report import cluster_report
from zerokelvin.graph import Graph
from zerokelvin.graph.measures.connectivity import atomic_number, atomic_partition, edge_connectivity


@pytest.mark.kernels
def test_connectivity_and_atomic_number_by_definition():
    rng = np.random.default_rng(3)
    for _ in range(120):
        case = small_graph(rng, 6)
        graph = Graph.from_edges(np.array(case.edges, dtype=int).reshape(-1, 2), case.costs, num_nodes=case.n)
        edges, weights = [tuple(e) for e in graph.edges.tolist()], graph.edge_weights.tolist()
        assert edge_connectivity(graph) == naive.connectivity(case.n, edges, weights)
        for level in (1, 2, 3):
            assert atomic_number(graph, level) == naive.atomic_number(case.n, edges, weights, level)


@pytest.mark.parametrize("seed", range(5))
def test_larger_graphs(seed):
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(60, size=(int(rng.integers(60, 400)), 2)), axis=1)
    graph = Graph.from_edges(np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0), num_nodes=60)
    other = nx.Graph(graph.edges.tolist())
    other.add_nodes_from(range(60))
    assert edge_connectivity(graph.largest_component()[0]) == nx.edge_connectivity(
        other.subgraph(graph.largest_component()[1].tolist())
    )
    for level in (1, 2, 3, 4, 6):
        part = atomic_partition(graph, level)
        blocks = {frozenset(np.flatnonzero(part == k).tolist()) for k in range(part.max() + 1)}
        assert blocks == {frozenset(block) for block in nx.k_edge_subgraphs(other, level)}


def test_double_lollipop_has_one_connected_and_one_tree_cluster_per_side():
    example = zk.generators.double_lollipop(64)
    whole = cluster_report(example.graph, example.labels)
    assert [(c.size, c.boundary, c.connectivity, c.case) for c in whole.clusters] == [
        (32, 8.0, 1.0, "loose")
    ] * 2
    assert whole.clusters[0].atomic_number == 1 + 16  # the clique, and every node of the path
    assert whole.cut == 8
    parts = cluster_report(example.graph, example.labels, np.arange(64) // 16)
    assert sorted(c.case for c in parts.clusters) == ["connected", "connected", "tree", "tree"]
    assert parts.cost == pytest.approx(2 * 1 + 2 * (1 + math.log2(15)))
    assert parts.cost < whole.cost
    tree = next(c for c in parts.clusters if c.case == "tree")
    assert (tree.boundary, tree.diameter, tree.connectivity) == (1.0, 15, 1.0)
    assert "connected" in str(parts)


def test_lone_nodes_weights_and_any_labels():
    graph = Graph.from_edges([("a", "b"), ("b", "c")], [2.0, 5.0])
    report = cluster_report(graph, ["x", "y", "y"])
    assert [(c.label, c.size, c.boundary, c.connectivity, c.atomic_number) for c in report.clusters] == [
        ("y", 2, 2.0, 5.0, 1),
        ("x", 1, 2.0, math.inf, 1),
    ]
    assert report.cost == 2


@pytest.mark.parametrize("name", ["longest-path", "zero-ising"])
@pytest.mark.parametrize("seed", range(4))
def test_theorem_10_connected_clusters_cost_one_mistake(name, seed):
    """Cliques joined by few edges: one mistake each, in any order (the first case has no hidden constant)."""
    rng = np.random.default_rng(seed)
    example = zk.generators.thick_barbell(9, 3) if seed % 2 else zk.generators.barbell(8)
    report = cluster_report(example.graph, example.labels)
    assert {c.case for c in report.clusters} == {"connected"}
    for _ in range(8):
        run = zk.play(example.graph, example.labels, name, order=rng.permutation(example.graph.num_nodes))
        assert run.mistakes <= report.cost == len(report.clusters)


def test_refusals():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(LabelError, match="labels have shape"):
        cluster_report(graph, [1])
    with pytest.raises(LabelError, match="clusters have shape"):
        cluster_report(graph, [1, 1], [0])
    with pytest.raises(ParameterError, match="level=0"):
        atomic_partition(graph, 0)
