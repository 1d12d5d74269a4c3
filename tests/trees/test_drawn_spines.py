"""Committees of spines: every tree by itself, on any number of cores, however a large graph is numbered."""

import itertools
from collections import Counter

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.trees.online import drawn_spines
from zerokelvin.trees.online.drawn_spines import draw_spines
from zerokelvin.trees.spanning.neighbourhoods import number_by_neighbourhood
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees

pytestmark = pytest.mark.kernels


def some_graph(rng, nodes=30):
    pairs = rng.integers(nodes, size=(3 * nodes, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return zk.Graph.from_edges(pairs, weights=rng.choice([1.0, 2.0, 5.0], len(pairs)), num_nodes=nodes + 2)


def test_a_graph_numbered_by_neighbourhoods_is_the_same_graph():
    rng = np.random.default_rng(0)
    for _ in range(20):
        graph = some_graph(rng)
        other, number = number_by_neighbourhood(graph)
        assert sorted(number.tolist()) == list(range(graph.num_nodes))
        dense, moved = graph.adjacency.toarray(), other.adjacency.toarray()
        assert np.array_equal(moved[np.ix_(number, number)], dense)
        assert all((np.diff(other.neighbors(node)) > 0).all() for node in range(other.num_nodes))
        assert np.array_equal(other.components[number], graph.components)


@pytest.mark.parametrize("kind", ["random", "bfs", "minimum", "low-stretch"])
def test_every_spine_has_every_node_once_and_its_component_together(kind, monkeypatch):
    rng = np.random.default_rng(1)
    for large in (1, 10**6):
        monkeypatch.setattr(drawn_spines, "LARGE", large)
        graph = some_graph(rng)
        n, size = graph.num_nodes, 3
        spines = draw_spines(SpanningTrees(graph, kind), size, np.random.default_rng(2))
        for k in range(size):
            place = spines.place[k * n : (k + 1) * n]
            assert sorted(place.tolist()) == list(range(k * n, (k + 1) * n))
            assert np.array_equal(spines.part[place], graph.components + k * graph.num_components)


def test_the_spines_are_the_same_on_any_number_of_cores(monkeypatch):
    graph = some_graph(np.random.default_rng(3))
    alone = draw_spines(SpanningTrees(graph), 9, np.random.default_rng(4))
    monkeypatch.setattr(drawn_spines, "MANY", 1)
    together = draw_spines(SpanningTrees(graph), 9, np.random.default_rng(4))
    assert all(np.array_equal(one, two) for one, two in zip(alone, together, strict=True))


@pytest.mark.parametrize("large", [1, 10**6])
def test_spines_of_a_star_take_the_branches_in_every_order_alike(large, monkeypatch):
    monkeypatch.setattr(drawn_spines, "LARGE", large)
    star = zk.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    spines = draw_spines(SpanningTrees(star), 6001, np.random.default_rng(5))
    places = spines.place.reshape(6001, -1) % star.num_nodes
    assert (places[:, 0] == 1).all()  # a leaf first, then the middle
    leaves = [tuple(np.argsort(row[1:]).tolist()) for row in places]
    found = Counter(leaves)
    wanted = 6001 / len(list(itertools.permutations(range(star.num_nodes - 1))))
    assert len(found) == 6
    assert max(abs(count - wanted) for count in found.values()) < 0.2 * wanted
