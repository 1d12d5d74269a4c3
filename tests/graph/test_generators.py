from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist

from zerokelvin.errors import LabelError, ParameterError
from zerokelvin.graph import (
    Graph,
    LabelledGraph,
    cut,
    diameter,
    epsilon_graph,
    generators,
    geodesic_distances,
    knn_graph,
    label_balance,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def facts(data):
    """Nodes, edges, cut, diameter."""
    graph = data.graph
    assert graph.num_components == 1
    assert set(np.unique(data.labels)) <= {-1, 1}
    measured = diameter(graph)
    assert measured.exact
    return graph.num_nodes, graph.num_edges, cut(graph, data.labels), measured.value


@given(st.integers(2, 12))
def test_clique(n):
    assert facts(generators.clique(n)) == (n, n * (n - 1) // 2, (n // 2) * ((n + 1) // 2), 1)


@given(st.integers(2, 40))
def test_line(n):
    data = generators.line(n)
    assert facts(data) == (n, n - 1, 1, n - 1)
    assert data.graph.edges.tolist() == [[i, i + 1] for i in range(n - 1)]


def test_single_nodes():
    for data in (generators.clique(1), generators.line(1), generators.grid(1, 1)):
        assert (data.graph.num_nodes, data.graph.num_edges, data.labels.tolist()) == (1, 0, [1])
    assert generators.random_tree(1, rng()).labels.tolist() == [-1]


@given(st.integers(1, 8), st.integers(2, 8))
def test_grid(rows, columns):
    edges = rows * (columns - 1) + columns * (rows - 1)
    data = generators.grid(rows, columns)
    assert facts(data) == (rows * columns, edges, rows, rows + columns - 2)
    place = np.stack(np.divmod(np.arange(rows * columns), columns), axis=1)
    steps = np.abs(place[data.graph.edges[:, 0]] - place[data.graph.edges[:, 1]]).sum(axis=1)
    assert (steps == 1).all()


@given(st.integers(2, 4), st.integers(1, 4))
def test_tree(branching, depth):
    count = sum(branching**level for level in range(depth + 1))
    data = generators.tree(branching, depth)
    assert facts(data) == (count, count - 1, 1, 2 * depth)
    assert Counter(geodesic_distances(data.graph, 0)) == {d: branching**d for d in range(depth + 1)}
    assert (data.labels == 1).sum() == (count - 1) // branching
    assert data.labels[1] == 1


@pytest.mark.kernels
@given(st.integers(2, 60), st.integers(0, 1000))
def test_random_tree_is_a_tree_cut_at_its_most_even_edge(n, seed):
    data = generators.random_tree(n, rng(seed))
    assert facts(data)[:3] == (n, n - 1, 1)
    splits = []
    for edge in range(n - 1):
        rest = Graph.from_edges(np.delete(data.graph.edges, edge, axis=0), num_nodes=n)
        splits.append(abs(n - 2 * np.bincount(rest.components)[0]))
    assert abs(data.labels.sum()) == min(splits)
    assert data.labels[n - 1] == -1


@pytest.mark.kernels
def test_random_trees_are_uniform():
    source = rng(3)
    drawn = Counter(tuple(generators.random_tree(4, source).graph.edges.ravel()) for _ in range(4800))
    assert len(drawn) == 4**2
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-3


@given(st.integers(2, 15))
def test_barbell(m):
    data = generators.barbell(m)
    assert facts(data) == (2 * m, m * (m - 1) + 1, 1, 3)
    assert label_balance(data.labels) == 0


@given(st.integers(2, 12), st.data())
def test_noisy_barbell(m, data):
    k = data.draw(st.integers(1, m - 1))
    noisy = generators.noisy_barbell(m, k)
    assert facts(noisy) == (2 * m, m * (m - 1) + 1, k * (m - k) + 1, 3)
    assert noisy.graph == generators.barbell(m).graph
    assert (noisy.labels != generators.barbell(m).labels).sum() == k
    if k == 1:
        assert cut(noisy.graph, noisy.labels) == m


@given(st.integers(2, 12), st.data())
def test_thick_barbell(m, data):
    l = data.draw(st.integers(1, m - 1))  # noqa: E741
    thick = generators.thick_barbell(m, l)
    assert facts(thick) == (2 * m, m * (m - 1) + l, l, 3)
    assert label_balance(thick.labels) == 0


@given(st.integers(3, 12), st.data())
def test_three_clusters(m, data):
    l, links = data.draw(st.integers(1, m - 1)), data.draw(st.integers(1, m - 1))  # noqa: E741
    three = generators.three_clusters(m, l, links)
    nodes, edges, phi, _ = facts(three)
    assert (nodes, edges, phi) == (3 * m, 3 * m * (m - 1) // 2 + l + links, l + links // 2)
    if links < 2 * l:
        assert phi < 2 * l
    group = np.repeat([0, 1, 2], m)
    ends = group[three.graph.edges]
    between = Counter(map(tuple, ends[ends[:, 0] != ends[:, 1]].tolist()))
    assert between[0, 1] == l
    assert between[0, 2] + between[1, 2] == links
    assert between[0, 2] - between[1, 2] in (0, 1)
    bridges = three.graph.edges[ends[:, 0] != ends[:, 1]]
    assert sorted(bridges[bridges[:, 1] >= 2 * m, 1]) == list(range(2 * m, 2 * m + links))


@given(st.integers(2, 12), st.integers(1, 12))
def test_flower(p, m):
    data = generators.flower(p, m)
    assert facts(data) == (p + m, p + m - 1, 1, p)
    assert data.graph.degrees[p - 1] == m + 1
    assert (data.graph.degrees[p:] == 1).all()


@given(st.integers(2, 8), st.integers(2, 6), st.integers(1, 6))
def test_octopus(l, m, p):  # noqa: E741
    data = generators.octopus(l, m, p)
    edges = l * (l - 1) // 2 + 1 + m * p
    assert facts(data) == (l + m * p + 1, edges, 1, max(p + 2, 2 * p))
    root = l
    tips = root + p * np.arange(1, m + 1)
    assert geodesic_distances(data.graph, root)[tips].tolist() == [p] * m
    assert geodesic_distances(data.graph, int(tips[0]))[tips[1:]].tolist() == [2 * p] * (m - 1)
    assert data.graph.weight(0, root) == 1
    assert data.labels.tolist() == [1] * l + [-1] * (m * p + 1)


@given(st.integers(2, 5), st.integers(1, 5))
def test_balanced_octopus(m, p):
    data = generators.balanced_octopus(m, p)
    assert data.graph.num_nodes == 2 * (m * p + 1)
    assert label_balance(data.labels) == 0


@given(st.integers(1, 10))
def test_double_lollipop(eighth):
    n, quarter = 8 * eighth, 2 * eighth
    edges = 2 * (quarter * (quarter - 1) // 2 + quarter) + eighth
    data = generators.double_lollipop(n)
    assert facts(data) == (n, edges, eighth, n // 2 + 3)
    assert label_balance(data.labels) == 0
    path = data.graph.subgraph(np.arange(quarter, n // 2))
    assert path.edges.tolist() == [[i, i + 1] for i in range(quarter - 1)]


@given(st.integers(1, 25), st.integers(0, 500))
def test_path_connected_sets(n, seed):
    data = generators.path_connected_sets(n, rng(seed))
    points, labels = data.points, data.labels
    assert data.graph.num_nodes == len(points) == 6 * n
    assert len(np.unique(points, axis=0)) == 6 * n
    assert points[data.played].tolist() == [[i, 1] for i in range(1, n + 1)]
    assert cdist(points[labels > 0], points[labels < 0]).min() >= 1
    for side in (-1, 1):
        own = points[labels == side]
        assert epsilon_graph(own, 0.5).num_components == 1
    assert data.graph == epsilon_graph(points, 0.5)
    assert data.graph.num_components == 2
    assert cut(data.graph, labels) == 0


def test_path_connected_labels_are_fair_coins():
    labels = generators.path_connected_sets(4000, rng(1)).labels[:4000]
    assert abs(labels.mean()) < 4 / np.sqrt(4000)


def test_two_moons():
    data = generators.two_moons(401, rng(2), noise=0.05, k=6)
    upper = data.labels > 0
    assert upper.sum() == 201
    radius = np.linalg.norm(data.points - np.where(upper[:, None], [0.0, 0.0], [1.0, 0.5]), axis=1)
    assert abs(radius - 1).max() < 0.3
    assert data.points[upper, 1].mean() > 0.5 > 0 > data.points[~upper, 1].mean()
    assert data.graph == knn_graph(data.points, 6)
    assert cut(data.graph, data.labels) < 0.02 * data.graph.num_edges
    exact = generators.two_moons(50, rng(2), noise=0.0)
    assert np.allclose(np.linalg.norm(exact.points[:25], axis=1), 1)


def test_planted_partition_extremes():
    data = generators.planted_partition([3, 1, 4], 1.0, 0.0, rng())
    assert data.labels.tolist() == [0, 0, 0, 1, 2, 2, 2, 2]
    assert data.graph.num_edges == 3 + 0 + 6
    assert data.graph.components.tolist() == data.labels.tolist()
    crossed = generators.planted_partition([3, 1, 4], 0.0, 1.0, rng())
    assert crossed.graph.num_edges == 3 * 1 + 3 * 4 + 1 * 4 == cut(crossed.graph, crossed.labels)


def test_planted_partition_takes_every_pair_with_its_probability():
    source, rounds = rng(7), 3000
    sizes, p_in, p_out = [3, 4], 0.6, 0.2
    seen = np.zeros((7, 7))
    for _ in range(rounds):
        seen += generators.planted_partition(sizes, p_in, p_out, source).graph.adjacency.toarray()
    labels = np.repeat([0, 1], sizes)
    for i, j in itertools.combinations(range(7), 2):
        p = p_in if labels[i] == labels[j] else p_out
        assert abs(seen[i, j] / rounds - p) < 5 * np.sqrt(p * (1 - p) / rounds)


@given(st.integers(1, 2**29), st.data())
def test_triangle_numbers_are_decoded_exactly(j, data):
    for i in (0, j - 1, data.draw(st.integers(0, j - 1))):
        number = j * (j - 1) // 2 + i
        assert generators.sampled._triangle(np.array([number])).tolist() == [[i, j]]


def test_generators_repeat_with_the_seed():
    for make in (
        lambda r: generators.two_moons(60, r),
        lambda r: generators.path_connected_sets(9, r),
        lambda r: generators.planted_partition([20, 30], 0.3, 0.1, r),
        lambda r: generators.random_tree(40, r),
    ):
        first, second, other = make(rng(4)), make(rng(4)), make(rng(5))
        assert first.graph == second.graph
        assert (first.labels == second.labels).all()
        assert first.graph != other.graph


def test_labelled_graphs_are_frozen_and_described():
    data = generators.path_connected_sets(3, rng())
    for array in (data.labels, data.points, data.played):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        data.labels = None
    assert data.description == "two (1/2)-path-connected sets, 3 points to predict"
    with pytest.raises(LabelError, match="2 nodes"):
        LabelledGraph(Graph.from_edges([(0, 1)]), np.array([1]), "too few labels")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("clique", (0,)),
        ("clique", (2.0,)),
        ("line", (0,)),
        ("line", ("3",)),
        ("grid", (0, 3)),
        ("grid", (3, 0)),
        ("tree", (1, 3)),
        ("tree", (2, 0)),
        ("tree", (10, 300)),
        ("random_tree", (0, rng())),
        ("barbell", (1,)),
        ("noisy_barbell", (4, 4)),
        ("noisy_barbell", (4, 0)),
        ("thick_barbell", (4, 4)),
        ("thick_barbell", (4, 0)),
        ("three_clusters", (4, 4)),
        ("three_clusters", (4, 2, 0)),
        ("three_clusters", (4, 2, 4)),
        ("flower", (1, 3)),
        ("flower", (3, 0)),
        ("octopus", (1, 3, 3)),
        ("octopus", (3, 1, 3)),
        ("octopus", (3, 3, 0)),
        ("double_lollipop", (12,)),
        ("double_lollipop", (0,)),
        ("two_moons", (1, rng())),
        ("path_connected_sets", (0, rng())),
        ("planted_partition", ([], 0.5, 0.5, rng())),
        ("planted_partition", ([3, 0], 0.5, 0.5, rng())),
        ("planted_partition", ([3, 3], 1.5, 0.5, rng())),
        ("planted_partition", ([3, 3], 0.5, float("nan"), rng())),
    ],
)
def test_parameters_out_of_range_are_named(name, arguments):
    with pytest.raises(ParameterError, match=r"=.* is out of range; "):
        getattr(generators, name)(*arguments)


def test_every_generator_is_exported_and_tested():
    made = {name for name in generators.__all__ if name[0].islower()}
    assert made == {
        "balanced_octopus", "barbell", "clique", "double_lollipop", "flower", "fraud_rings", "grid", "line",
        "noisy_barbell",
        "octopus", "path_connected_sets", "planted_partition", "random_tree", "thick_barbell",
        "three_clusters", "tree", "two_moons",
    }  # fmt: skip


def test_million_node_generators_have_the_right_size():
    assert generators.line(1_000_000).graph.num_edges == 999_999
    assert generators.grid(1000, 1000).graph.num_edges == 2 * 999_000
    assert generators.tree(2, 19).graph.num_edges == 2**20 - 2
