from __future__ import annotations

import numpy as np
import pytest

from naive.flow import all_minimum_cuts
from naive.flow_graphs import random_labels, small_graph
from zerokelvin.errors import GraphError, LabelError
from zerokelvin.flow import minimum_cut
from zerokelvin.graph import Graph


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_all_labelings(seed):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        case = small_graph(rng)
        labels = random_labels(rng, case.n)
        value, cuts = all_minimum_cuts(case.n, case.edges, case.costs, labels)
        cut = minimum_cut(case.graph, labels)
        assert cut.value == pytest.approx(value * case.unit, rel=1e-12, abs=1e-12)
        assert cut.rounding == 0.0
        # u = 0 is the source: the fewest −1 nodes means +1 wherever some minimum cut has 1
        assert (cut.sides == 2 * cuts.max(axis=0) - 1).all()


def test_plus_minus_labels_and_pairs_mean_the_same():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    expected = minimum_cut(graph, {0: 0, 2: 1})
    for labels in ({0: -1, 2: 1}, [(0, -1), (2, 1), (0, -1)], {np.int64(0): np.int64(0), 2: 1}):
        cut = minimum_cut(graph, labels)
        assert cut.value == expected.value == 2.0
        assert (cut.sides == expected.sides).all()


def test_real_weights_report_their_rounding():
    rng = np.random.default_rng(1)
    edges = [(i, j) for i in range(8) for j in range(i)]
    tiny_and_huge = 10.0 ** rng.uniform(-9, 9, len(edges))
    graph = Graph.from_edges(edges, tiny_and_huge)
    cut = minimum_cut(graph, {0: 0, 7: 1})
    value, _ = all_minimum_cuts(8, edges, tiny_and_huge, {0: 0, 7: 1})
    assert 0 < cut.rounding < 1e-6
    assert abs(cut.value - value) <= cut.rounding + 1e-9 * value


def test_decimals_tie_as_written():
    graph = Graph.from_edges([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)], weights=[0.1, 0.2, 1, 1, 0.3])
    cut = minimum_cut(graph, {0: 0, 4: 1})
    assert cut.value == pytest.approx(0.3)
    assert (cut.sides == [-1, 1, 1, 1, 1]).all()


def test_components_without_labels_are_plus():
    graph = Graph.from_edges([(0, 1), (2, 3), (4, 5)], num_nodes=7)
    cut = minimum_cut(graph, {0: 0, 4: 1})
    assert cut.value == 0.0
    assert cut.sides.tolist() == [-1, -1, 1, 1, 1, 1, 1]
    assert minimum_cut(graph, {}).sides.tolist() == [1] * 7


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({9: 0}, "node 9 is not an index"),
        ({"a": 0}, "'a' is not an index"),
        ({0: 2}, "label 2 of node 0"),
        ([(0, 0), (0, 1)], "node 0 is labelled both ways"),
        ({0: -1, 1: 0, 2: 1}, "mix 0 and -1"),
    ],
)
def test_bad_labels_are_refused(labels, text):
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(LabelError, match=text):
        minimum_cut(graph, labels)


def test_signed_and_unscalable_graphs_are_refused():
    with pytest.raises(GraphError, match="needs positive weights"):
        minimum_cut(Graph.from_edges([(0, 1)], [-1.0]), {0: 0})
    with pytest.raises(GraphError, match="cannot scale weights"):
        minimum_cut(Graph.from_edges([(0, 1), (1, 2)], [1e-30, 1e30]), {0: 0})


@pytest.mark.kernels
def test_large_integers_stay_exact():
    big = 2**50 + 1
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 2)], weights=[big, big - 1, 3])
    assert minimum_cut(graph, {0: 0, 2: 1}).value == float(big + 2)
