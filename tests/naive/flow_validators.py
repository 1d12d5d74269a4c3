"""Judges of a flow and of the forests kept with it, from the graph and the arrays alone."""

from __future__ import annotations

import numpy as np


def check_flow(graph, residual, capacities, labels):
    """Capacity, antisymmetry, conservation; returns the flow's value in capacity units."""
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    flow = capacities - residual
    assert (residual >= 0).all()
    assert (np.abs(flow) <= capacities).all()
    net = np.zeros(graph.num_nodes, dtype=np.int64)
    dense = {}
    for u, v, f in zip(tails.tolist(), graph.indices.tolist(), flow.tolist(), strict=True):
        dense[u, v] = f
        net[u] += f
    assert all(dense[v, u] == -f for (u, v), f in dense.items())
    labelled = np.zeros(graph.num_nodes, dtype=int)
    for node, y in labels.items():
        labelled[node] = y
    assert (net[labelled == 0] == 0).all()
    assert (net[labelled == -1] >= 0).all()
    assert (net[labelled == 1] <= 0).all()
    return int(net[labelled == -1].sum())


def check_cut(graph, capacities, source_side, labels):
    """A side of a cut that agrees with the labels; returns its value in capacity units."""
    for node, y in labels.items():
        assert source_side[node] == (y == -1)
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    crossing = source_side[tails] & ~source_side[graph.indices]
    return int(capacities[crossing].sum())


def check_forest(graph, residual, side, parent, labels):
    """Every node of a side has a chain of residual arcs to a labelled node of that side, and no other."""
    tails = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
    position = {
        (u, v): a for a, (u, v) in enumerate(zip(tails.tolist(), graph.indices.tolist(), strict=True))
    }
    for start in range(graph.num_nodes):
        if side[start] == 0:
            continue
        node, steps = start, 0
        while parent[node] >= 0:
            a = int(parent[node])
            assert tails[a] == node
            other = int(graph.indices[a])
            assert side[other] == side[start]
            arc = position[other, node] if side[start] < 0 else a
            assert residual[arc] > 0
            node, steps = other, steps + 1
            assert steps < graph.num_nodes
        assert labels.get(node) == side[start]
