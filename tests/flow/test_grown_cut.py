"""Minimum cuts carried over a growth, against the definition on the grown graph."""

from __future__ import annotations

import numpy as np
import pytest

from naive.flow_graphs import SmallGraph, small_graph
from naive.online_cuts import compare_with_definition, medium_graph, validate
from zerokelvin.flow import OnlineCut
from zerokelvin.flow.online.grown_cut import grown_rows
from zerokelvin.graph import Graph


def shrunk(rng, case):
    """A graph from which a case may have grown, and the new indices of its nodes."""
    places = np.sort(rng.permutation(case.n)[: int(rng.integers(1, case.n + 1))])
    index = {int(node): k for k, node in enumerate(places)}
    edges, costs = [], []
    for (u, v), cost in zip(case.edges, case.costs.tolist(), strict=True):
        if u in index and v in index and rng.random() < 0.8:
            edges.append((index[u], index[v]))
            costs.append(int(rng.integers(1, cost + 1)))
    weights = np.array(costs) * case.unit
    graph = Graph.from_edges(np.array(edges, dtype=int).reshape(-1, 2), weights, num_nodes=len(places))
    return SmallGraph(len(places), edges, np.array(costs, dtype=int), graph, case.unit), places


def label_some(rng, cut, labels, count, changes=0.2):
    """Labels of random nodes, some of them given again or taken back, and questions between."""
    size = cut.graph.num_nodes
    for _ in range(count):
        node = int(rng.integers(size))
        if node in labels and rng.random() < changes:
            cut.forget(node)
            del labels[node]
        else:
            labels[node] = int(rng.integers(2))
            cut.label(node, 2 * labels[node] - 1)
        cut.guess(int(rng.integers(size)))


def play_growing_games(rng, games, largest=8):
    """Grow twice between labels: after each growth the whole state is that of the definition."""
    carried = 0
    for _ in range(games):
        last = small_graph(rng, largest)
        while last.unit not in (1.0, 0.375):  # other units may be scaled otherwise on a smaller graph
            last = small_graph(rng, largest)
        middle, to_last = shrunk(rng, last)
        first, to_middle = shrunk(rng, middle)
        paths, labels = "longest" if rng.random() < 0.7 else "shortest", {}
        cut = OnlineCut(first.graph, paths, close=bool(rng.integers(2)))
        for before, case, places in ((first, middle, to_middle), (middle, last, to_last)):
            label_some(rng, cut, labels, int(rng.integers(0, 2 * cut.graph.num_nodes)))
            rows = grown_rows(cut.blank, OnlineCut(case.graph, paths, close=cut.blank.close).blank, places)
            if rows is None:
                assert case.unit == 0.375  # whole numbers only on one of the two
                break
            own, old = dict(labels), cut
            labels = {int(places[node]): y for node, y in labels.items()}
            cut = cut.grown(rows)
            validate(cut, labels)
            compare_with_definition(case, cut, labels, paths == "longest")
            validate(old, own)
            compare_with_definition(before, old, own, paths == "longest")
            carried += 1
        else:
            label_some(rng, cut, labels, 4)
            validate(cut, labels)
            compare_with_definition(last, cut, labels, paths == "longest")
    return carried


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(3))
def test_every_growth_has_the_state_of_definition_1(seed):
    assert play_growing_games(np.random.default_rng(seed), games=80) > 80


def test_thousands_of_growths():
    assert play_growing_games(np.random.default_rng(7), games=1000, largest=10) > 1000


@pytest.mark.parametrize("kind", ["grid", "tree", "sparse", "dense"])
def test_larger_graphs_are_as_if_told_anew(kind):
    rng = np.random.default_rng(3)
    for _ in range(6):
        graph = medium_graph(rng, kind)
        cut = OnlineCut(graph)
        for _ in range(4):
            label_some(rng, cut, dict(enumerate(cut.labels.tolist())), 12, changes=0.0)
            size = graph.num_nodes
            pairs = [(size + k, int(rng.integers(size + k))) for k in range(5) for _ in range(3)]
            pairs += rng.integers(size, size=(4, 2)).tolist()
            graph = graph.extended(5, np.array([pair for pair in pairs if pair[0] != pair[1]]))
            told = OnlineCut(graph)
            rows = grown_rows(cut.blank, told.blank, np.arange(size))
            assert rows is not None
            cut = cut.grown(rows)
            for node in np.flatnonzero(cut.labels).tolist():
                told.label(node, int(cut.labels[node]))
            assert (cut.value, cut.sides.tolist()) == (told.value, told.sides.tolist())
            for node in range(graph.num_nodes):
                assert cut.lengths(node) == told.lengths(node)


def test_what_goes_or_gets_lighter_cannot_be_carried():
    line = Graph.from_edges([(0, 1), (1, 2)], [2.0, 2.0])
    blank = OnlineCut(line).blank
    for other in (
        Graph.from_edges([(0, 1), (1, 2)], [2.0, 1.0]),
        Graph.from_edges([(0, 1), (0, 2)], [2.0, 2.0]),
        Graph.from_edges([(0, 1), (1, 2)], [2.0, 2.5]),  # scaled otherwise
        Graph.from_edges([(0, 1)], [2.0], num_nodes=3),
    ):
        assert grown_rows(blank, OnlineCut(other).blank, np.arange(3)) is None
    assert grown_rows(blank, blank, np.arange(3)) is not None


def test_the_least_work_is_done_far_from_a_growth():
    n = 3000
    line = Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    cut = OnlineCut(line)
    for node, y in ((0, -1), (1000, 1), (2000, -1), (n - 1, 1)):
        cut.label(node, y)
    grown = line.extended(1, [(n, 0), (n, 1)])
    rows = grown_rows(cut.blank, OnlineCut(grown).blank, np.arange(n))
    heir = cut.grown(rows)
    assert heir.side(n) == -1
    assert heir.touches - cut.touches < 20
