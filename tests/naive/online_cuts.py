"""Judges of an online minimum cut that do not call the engine, and graphs to try it on."""

from __future__ import annotations

import numpy as np
import pytest

from naive.flow import naive_structure, path_lengths
from naive.flow_validators import check_cut, check_flow, check_forest
from zerokelvin.flow.online.cut_arrays import PARENT, SIDE, TOTAL, VALUE
from zerokelvin.graph import Graph


def validate(cut, labels):
    """Flow, cut, forests and counters, by judges that do not call the engine."""
    state, graph, (rows, places) = cut.arrays, cut.graph, cut.blank.layout
    signed = {v: 2 * y - 1 for v, y in labels.items()}
    both, residual, nodes = np.empty_like(places), np.empty_like(places), state.nodes[rows]
    both[places], residual[places] = state.arcs[:, TOTAL], state.residual  # in the order of the graph
    capacities = both // 2
    side, parent = nodes[:, SIDE], nodes[:, PARENT]
    value = check_flow(graph, residual, capacities, signed)
    assert value == check_cut(graph, capacities, side == -1, signed)
    assert value == check_cut(graph, capacities, side != 1, signed)
    assert value == state.tally[VALUE]
    check_forest(graph, residual, side, np.where(parent >= 0, np.append(places, 0)[parent], parent), signed)


def compare_with_definition(case, cut, labels, longest):
    value, _, classes, place, arcs = naive_structure(case.n, case.edges, case.costs, labels)
    assert cut.value == pytest.approx(value * case.unit, rel=1e-12, abs=1e-12)
    assert cut.sides.tolist() == place
    pq = cut.picard_queyranne()
    ids = pq.super_vertex.tolist()
    assert len(set(zip(ids, classes, strict=True))) == len(set(ids)) == len(set(classes))
    to_class = dict(zip(ids, classes, strict=True))
    assert {(to_class[i], to_class[j]) for i, j in pq.arcs.tolist()} == arcs
    expected = path_lengths(place, classes, arcs, longest)
    for node in range(case.n):
        if place[node] == 0:
            assert cut.lengths(node) == expected[node]


def medium_graph(rng, kind):
    n = 120
    if kind == "grid":
        at = np.arange(n).reshape(10, 12)
        edges = np.concatenate([np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()]),
                                np.column_stack([at[:-1].ravel(), at[1:].ravel()])])  # fmt: skip
    elif kind == "tree":
        edges = np.array([(int(rng.integers(i)), i) for i in range(1, n)])
    else:
        edges = rng.integers(n, size=({"sparse": 110, "dense": 600}[kind], 2))
    weights = rng.choice([1, 2, 3], len(edges)) if rng.random() < 0.5 else None
    return Graph.from_edges(edges, weights, num_nodes=n)
