"""The first drawing: slow eigenvectors of each component, side by side; every shape of graph."""

import itertools

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from scipy.sparse.linalg import eigsh

import zerokelvin as zk
from strategies import graphs
from zerokelvin import Graph
from zerokelvin.layout import first_layout
from zerokelvin.layout.coarser_graphs import coarsened
from zerokelvin.layout.shelf_packing import packed
from zerokelvin.layout.slow_directions import slow_directions
from zerokelvin.layout.spectral_start import attracting


def path(nodes):
    return Graph.from_edges([(i, i + 1) for i in range(nodes - 1)])


def star(leaves):
    return Graph.from_edges([(0, i + 1) for i in range(leaves)])


@settings(max_examples=80)
@given(graphs(max_nodes=12))
def test_every_graph_has_a_finite_drawing_that_comes_again(graph):
    drawn = first_layout(graph)
    assert drawn.shape == (graph.num_nodes, 2)
    assert np.isfinite(drawn).all()
    assert np.array_equal(drawn, first_layout(graph))
    assert_apart(drawn, graph.components)


def assert_apart(drawn, components):
    """No two components have boxes that meet."""
    boxes = [
        (drawn[components == c].min(axis=0), drawn[components == c].max(axis=0))
        for c in np.unique(components)
    ]
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[i + 1 :]:
            assert (high < other_low).any() or (other_high < low).any()


@pytest.mark.parametrize("nodes", [2, 3, 10, 33, 399])
def test_a_path_is_drawn_in_its_order(nodes):
    along = first_layout(path(nodes))[:, 0]
    assert (np.diff(along) > 0).all() or (np.diff(along) < 0).all()


def test_a_long_path_is_nearly_drawn_in_its_order():
    along = first_layout(path(5000))[:, 0]
    ranks = np.argsort(np.argsort(along if along[0] < along[-1] else -along))
    assert np.abs(ranks - np.arange(5000)).max() <= 50  # carried back roughly: 17 measured


@pytest.mark.parametrize("leaves", [3, 40, 1000])
def test_a_star_has_its_hub_inside(leaves):
    drawn = first_layout(star(leaves))
    assert np.isfinite(drawn).all()
    assert (drawn[1:].min(axis=0) <= drawn[0] + 1e-9).all()
    assert (drawn[0] <= drawn[1:].max(axis=0) + 1e-9).all()


def test_one_node_and_no_edges():
    assert first_layout(Graph.from_edges([], num_nodes=1)).tolist() == [[0.0, 0.0]]
    graph = Graph.from_edges([], num_nodes=50)
    assert len(np.unique(first_layout(graph), axis=0)) == 50


def test_weights_over_six_hundred_orders_of_ten_and_signs():
    graph = Graph.from_edges([(0, 1, 1e300), (1, 2, 1e-300), (2, 3, 1.0), (3, 0, -1.0), (0, 2, 1e-12)])
    assert np.isfinite(first_layout(graph)).all()
    signed = Graph.from_edges([(0, 1, 1.0), (0, 2, -1.0)])
    assert_apart(first_layout(signed), np.array([0, 0, 1]))


def test_the_directions_are_nearly_the_slowest():
    graph, _ = zk.generators.two_moons(3000, np.random.default_rng(0)).graph.largest_component()
    found = slow_directions(attracting(graph))
    laplacian, degrees = graph.laplacian(), graph.degrees
    scale = scipy.sparse.diags_array(1 / np.sqrt(degrees))
    exact = np.sort(eigsh((scale @ laplacian @ scale).tocsc(), 3, sigma=-1e-3)[0])[1:]
    for k in range(2):
        v = found[:, k] - degrees @ found[:, k] / degrees.sum()
        slowness = v @ (laplacian @ v) / (v @ (degrees * v))
        assert exact[k] * (1 - 1e-9) <= slowness <= 1.6 * exact[k]


def test_coarser_graphs_keep_mass_and_cuts():
    graph = zk.generators.two_moons(3000, np.random.default_rng(0)).graph
    levels = coarsened(attracting(graph), 100, 5)
    assert len(levels) > 1
    for fine, coarse in itertools.pairwise(levels):
        assert coarse.masses.sum() == pytest.approx(fine.masses.sum())
        member = np.zeros((fine.adjacency.shape[0], coarse.adjacency.shape[0]))
        member[np.arange(len(member)), fine.owners] = 1.0
        expected = member.T @ (fine.adjacency @ member)
        np.fill_diagonal(expected, 0.0)
        np.testing.assert_allclose(coarse.adjacency.toarray(), expected)


@pytest.mark.kernels
@settings(max_examples=40)
@given(graphs(max_nodes=12, min_nodes=2, connected=True))
def test_aggregates_are_connected_and_cover_everything(graph):
    level = coarsened(attracting(graph), 1, 1)[0]
    if level.owners is None:
        return
    assert set(level.owners.tolist()) == set(range(int(level.owners.max()) + 1))
    for owner in range(int(level.owners.max()) + 1):
        assert graph.subgraph(np.flatnonzero(level.owners == owner)).num_components == 1


def test_packing_moves_components_whole():
    rng = np.random.default_rng(4)
    components = np.sort(rng.integers(0, 9, size=100))
    _, components = np.unique(components, return_inverse=True)
    before = rng.normal(size=(100, 2)) * (components + 1.0)[:, None]
    after = packed(before, components)
    assert_apart(after, components)
    for c in range(components.max() + 1):
        move = (after - before)[components == c]
        np.testing.assert_allclose(move, np.broadcast_to(move[0], move.shape), atol=1e-9)
    wide, high = np.ptp(after, axis=0)
    assert 0.3 < wide / high < 3.0


def test_many_components_of_many_sizes():
    edges, at = [], 0
    for size in [1, 2, 3, 5, 33, 40, 500] * 3:
        edges += [(at + i, at + i + 1) for i in range(size - 1)]
        at += size
    graph = Graph.from_edges(edges, num_nodes=at)
    assert_apart(first_layout(graph), graph.components)
