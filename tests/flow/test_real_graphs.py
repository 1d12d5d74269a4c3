"""The engine on real graphs: quality of the longest-path guess, arcs touched, agreement with a fresh flow."""

from __future__ import annotations

import numpy as np
import pytest

from zerokelvin.flow import OnlineCut, picard_queyranne
from zerokelvin.graph import Graph


def load(folder, name):
    with np.load(folder / f"{name}.npz") as data:
        graph = Graph.from_edges(data["edges"].astype(np.int64), num_nodes=int(data["n"]))
        component, nodes = graph.largest_component()
        return component, data["labels"][nodes]


@pytest.mark.data
@pytest.mark.parametrize(("name", "orders", "reached"), [("cora", 20, 0.053), ("pubmed", 2, 0.138)])
def test_longest_path_error_and_touches(data_folder, name, orders, reached):
    graph, classes = load(data_folder, name)
    errors = []
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(graph.num_nodes)
        for label in np.unique(classes):
            truth = np.where(classes == label, 1, -1)
            cut = OnlineCut(graph)
            errors.append(np.mean(cut.play(order, truth) != truth[order]))
            ends = truth[graph.edges]
            assert cut.value == np.sum(ends[:, 0] != ends[:, 1])
            assert cut.touches <= 20 * graph.num_edges * (1 + np.sqrt(cut.value))
    assert np.mean(errors) <= reached


@pytest.mark.data
def test_prefixes_of_cora_against_a_fresh_computation(data_folder):
    graph, classes = load(data_folder, "cora")
    order = np.random.default_rng(3).permutation(graph.num_nodes)
    truth = np.where(classes == 2, 1, -1)
    cut = OnlineCut(graph)
    at = 0
    for until in (3, 10, 40, 150, 600, 2000):
        cut.play(order[at:until], truth)
        at = until
        fresh = picard_queyranne(graph, {int(v): int(truth[v]) for v in order[:until]})
        now = cut.picard_queyranne()
        assert now.value == fresh.value == cut.value
        assert (now.super_vertex == fresh.super_vertex).all()
        assert (now.arcs == fresh.arcs).all()
        for node in np.flatnonzero(cut.sides == 0).tolist():
            here = fresh.super_vertex[node]
            expected = fresh.longest_from_source[here], fresh.longest_to_target[here]
            assert cut.lengths(node) == expected
