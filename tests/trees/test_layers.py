"""Spanning trees of graphs whose weights would hold a random walk for ever."""

import math

import numpy as np
import pytest
import scipy.stats as stats
from hypothesis import given
from hypothesis import strategies as st

import naive.trees as naive
import strategies
import zerokelvin as zk
from zerokelvin.trees.spanning.layers import LayeredSampler, has_traps
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees, is_forest, spanning_tree

pytestmark = pytest.mark.kernels

CLUSTERS = zk.Graph.from_edges(
    [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 6), (6, 7), (7, 2), (5, 7)],
    weights=[1, 2, 3, 1, 0.5, 2, 1e-4, 3e-4, 1, 1, 2, 1e-7],
)


def test_every_tree_has_its_probability():
    """Layers forced at weights which can be enumerated; X·R is below 10⁻³ there."""
    sampler = LayeredSampler.of(CLUSTERS, limit=300.0)
    assert len(sampler.layers) == 2
    every = naive.spanning_trees(CLUSTERS)
    rng, draws = np.random.default_rng(1), 2000
    counts = dict.fromkeys(every, 0)
    for _ in range(draws):
        counts[frozenset(sampler.draw(rng).tolist())] += 1  # a set that is no spanning tree raises KeyError
    total = sum(every.values())
    common = [tree for tree in every if draws * every[tree] / total > 5]
    seen = sum(counts[tree] for tree in common)
    share = sum(every[tree] for tree in common)
    result = stats.chisquare(
        [counts[tree] for tree in common], [seen * every[tree] / share for tree in common]
    )
    assert result.pvalue > 1e-4
    assert seen > 0.99 * draws


@given(strategies.graphs(max_nodes=12), st.floats(0, 300), st.integers(0, 99))
def test_ends_on_weights_of_any_range_with_a_spanning_tree(graph, decades, seed):
    rng = np.random.default_rng(seed)
    weights = 10.0 ** -(decades * rng.random(graph.num_edges))
    uneven = zk.Graph.from_edges(graph.edges, weights, num_nodes=graph.num_nodes)
    tree = spanning_tree(uneven, "random", rng)
    assert is_forest(tree)
    assert tree.components.tolist() == uneven.components.tolist()
    for (u, v), weight in zip(tree.edges.tolist(), tree.edge_weights, strict=True):
        assert uneven.weight(u, v) == weight


@given(strategies.graphs(max_nodes=12))
def test_even_weights_need_no_layers(graph):
    assert not has_traps(zk.Graph.from_edges(graph.edges, num_nodes=graph.num_nodes))


def test_far_clusters_are_joined_by_one_link_each():
    """Cliques in pairs, pairs in fours: links of 10⁻¹⁰, then of 10⁻²⁰, more of them than a tree needs."""
    edges, weights = [], []
    for first in range(0, 20, 5):
        edges += [(first + i, first + j) for i in range(5) for j in range(i)]
        weights += [1.0] * 10
    for u, v, weight in (
        (0, 5, 1e-10),
        (1, 6, 1e-10),
        (10, 15, 1e-10),
        (11, 16, 3e-10),
        (0, 10, 1e-20),
        (6, 17, 1e-20),
    ):
        edges.append((u, v))
        weights.append(weight)
    graph = zk.Graph.from_edges(edges, weights)
    trees, rng = SpanningTrees(graph), np.random.default_rng(0)
    heavier, draws = 0, 400
    for _ in range(draws):
        drawn = np.sort(graph.weights[trees.draw(rng)])
        assert np.round(np.log10(drawn[:3])).tolist() in ([-20, -10, -10], [-20, -10, -9])
        heavier += math.isclose(drawn[2], 3e-10)
    assert abs(heavier / draws - 0.75) < 0.1


@pytest.mark.parametrize("name", ["tree-opt", "spanning-tree"])
def test_learners_play_on_clusters_joined_by_weak_links(name):
    edges = [(s + i, s + j) for s in (0, 10) for i in range(10) for j in range(i)] + [(0, 10), (1, 11)]
    graph = zk.Graph.from_edges(edges, weights=[1.0] * 90 + [1e-12] * 2)
    run = zk.play(graph, np.repeat([0, 1], 10), name)
    assert run.mistakes <= 3
