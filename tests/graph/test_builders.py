from __future__ import annotations

import math
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from naive import structure as naive
from zerokelvin.errors import GraphError, MissingDependencyError, ParameterError
from zerokelvin.graph import (
    ExponentialGraph,
    Graph,
    epsilon_graph,
    exponential_graph,
    geodesic_distances,
    knn_graph,
)
from zerokelvin.graph.points.nearest_points import nearest_neighbors


@st.composite
def point_sets(draw, least=2, most=14, dimensions=None):
    """Points on a small integer lattice: many ties and duplicates, all distances exact."""
    count = draw(st.integers(least, most))
    width = draw(st.integers(1, 4) if dimensions is None else st.just(dimensions))
    row = st.lists(st.integers(-2, 2), min_size=width, max_size=width)
    return np.array(draw(st.lists(row, min_size=count, max_size=count)), dtype=float)


def pairs(graph):
    return {tuple(edge) for edge in graph.edges.tolist()}


def expected_pairs(points, k, mode):
    directed = {(i, j) for i, row in enumerate(naive.nearest(points.tolist(), k)) for j in row}
    if mode == "union":
        return {(min(i, j), max(i, j)) for i, j in directed}
    return {(i, j) for i, j in directed if i < j and (j, i) in directed}


@given(point_sets(), st.data())
def test_neighbours_on_tie_heavy_points(points, data):
    k = data.draw(st.integers(1, len(points) - 1))
    assert nearest_neighbors(points, k).tolist() == naive.nearest(points.tolist(), k)
    for mode in ("union", "mutual"):
        graph = knn_graph(points, k, mode=mode)
        assert graph.num_nodes == len(points)
        assert pairs(graph) == expected_pairs(points, k, mode)
        assert (graph.weights == 1).all()


@settings(max_examples=40)  # each search starts a pool of threads
@given(point_sets(dimensions=17), st.data())
def test_neighbours_on_tie_heavy_points_in_many_dimensions(points, data):
    k = data.draw(st.integers(1, len(points) - 1))
    assert nearest_neighbors(points, k).tolist() == naive.nearest(points.tolist(), k)


@pytest.mark.parametrize(
    ("count", "dimensions", "shift"), [(400, 2, 0), (300, 3, 1e6), (250, 20, 0), (120, 16, 1e7)]
)
def test_neighbours_of_scattered_points(count, dimensions, shift):
    points = np.random.default_rng(count).standard_normal((count, dimensions)) + shift
    assert nearest_neighbors(points, 7).tolist() == naive.nearest(points.tolist(), 7)


@pytest.mark.parametrize("dimensions", [2, 20])
def test_neighbours_among_many_copies(dimensions):
    source = np.random.default_rng(1)
    points = np.repeat(source.integers(0, 3, size=(6, dimensions)), [40, 1, 3, 25, 8, 2], axis=0)[
        source.permutation(79)
    ]
    for k in (1, 2, 5, 8, 30, 78):
        assert nearest_neighbors(points.astype(float), k).tolist() == naive.nearest(points.tolist(), k)


def test_many_equal_points_stay_fast():
    """Quadratic work on 200,000 copies would take minutes."""
    points = np.zeros((200_000, 2))
    points[:3] = [[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]]
    found = nearest_neighbors(points, 2)
    assert found[0].tolist() == [1, 3]
    assert found[3].tolist() == [4, 5]
    assert found[199_999].tolist() == [3, 4]


@given(point_sets(), st.sampled_from([0.5, 1.0, math.sqrt(2), 2.0, 2.5]))
def test_balls_hold_the_points_at_their_radius(points, r):
    expected = {
        (i, j)
        for i in range(len(points))
        for j in range(i + 1, len(points))
        if math.dist(points[i], points[j]) <= r
    }
    assert pairs(epsilon_graph(points, r)) == expected
    wide = np.hstack([points, np.zeros((len(points), 16))])
    assert pairs(epsilon_graph(wide, r)) == expected


def test_ball_graphs_have_a_limit(monkeypatch):
    monkeypatch.setattr("zerokelvin.graph.points.builders._MOST_EDGES", 40)
    for width in (1, 16):
        with pytest.raises(GraphError, match="smaller r"):
            epsilon_graph(np.zeros((10, width)), 1.0)
        assert epsilon_graph(np.zeros((9, width)), 1.0).num_edges == 36


def test_inverse_distances_make_geodesics_walk_along_the_points():
    graph = knn_graph([[0.0], [1.0], [3.0], [7.0]], k=1, weights="inverse-distance")
    np.testing.assert_allclose(geodesic_distances(graph, 0), [0, 1, 3, 7])
    with pytest.raises(GraphError, match="points 0 and 2 are equal"):
        knn_graph([[0.0], [1.0], [0.0]], k=1, weights="inverse-distance")


def test_heat_weights():
    points = np.array([[0.0], [1.0], [3.0]])
    graph = epsilon_graph(points, 2.0, weights="heat", bandwidth=2.0)
    np.testing.assert_allclose(graph.edge_weights, [math.exp(-1 / 8), math.exp(-4 / 8)])
    median = epsilon_graph(points, 2.0, weights="heat")
    np.testing.assert_allclose(median.edge_weights, np.exp(-(np.array([1.0, 2.0]) ** 2) / (2 * 1.5**2)))
    with pytest.raises(GraphError, match="larger bandwidth"):
        epsilon_graph(points, 2.0, weights="heat", bandwidth=1e-3)
    with pytest.raises(GraphError, match="give a bandwidth"):
        knn_graph(np.zeros((4, 2)), 1, weights="heat")
    assert epsilon_graph(points, 0.1, weights="heat").num_edges == 0


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([1.0, 2.0, 3.0], "reshape"),
        ([[1.0], [math.nan]], "point 1 has coordinate nan"),
        ([[math.inf], [1.0]], "point 0 has coordinate inf"),
        ([], "reshape"),
        ([[], []], "one row per point"),
        ([["a"], ["b"]], "not a matrix of numbers"),
        ([[1.0], [1.0, 2.0]], "not a matrix of numbers"),
        (np.zeros((2, 2, 2)), "one row per point"),
        (sp.csr_array(np.eye(3)), "toarray"),
        ([[1e200], [2e200]], "rescale"),
        ([[1e-200], [2e-200]], "rescale"),
    ],
)
def test_bad_points_are_refused(points, words):
    for build in (knn_graph, epsilon_graph, exponential_graph):
        with pytest.raises(GraphError, match=words):
            build(points, 1)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda x: knn_graph(x, 3), "choose k <= 2"),
        (lambda x: knn_graph(x[:1], 1), "at least two points"),
        (lambda x: knn_graph(x, 0), "k=0"),
        (lambda x: knn_graph(x, 1.5), "k=1.5"),
        (lambda x: knn_graph(x, 1, mode="both"), "unknown mode 'both'"),
        (lambda x: knn_graph(x, 1, method="fast"), "unknown method 'fast'"),
        (lambda x: knn_graph(x, 1, weights="far"), "unknown weights 'far'"),
        (lambda x: knn_graph(x, 1, bandwidth=1.0), "leave it out"),
        (lambda x: knn_graph(x, 1, weights="heat", bandwidth=0.0), "bandwidth=0.0"),
        (lambda x: epsilon_graph(x, 0.0), "r=0.0"),
        (lambda x: epsilon_graph(x, math.nan), "r=nan"),
        (lambda x: exponential_graph(x, 0.0), "a=0.0"),
        (lambda x: exponential_graph(x, math.nan), "a=nan"),
        (lambda x: exponential_graph(x, 1.0, metric="miles"), "metric 'miles'"),
    ],
)
def test_bad_parameters_are_refused(build, words):
    with pytest.raises(ParameterError, match=words):
        build(np.array([[0.0], [1.0], [2.0]]))


def test_one_point_and_no_pair_in_reach():
    assert epsilon_graph([[3.0, 4.0]], 1.0).num_nodes == 1
    assert exponential_graph([[3.0, 4.0]], 1.0).num_edges == 0
    assert epsilon_graph([[0.0], [9.0]], 1.0).num_components == 2


def test_large_wide_inputs_ask_for_the_library_instead_of_falling_back(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)  # as if it were not installed
    points = np.zeros((50_001, 16))
    with pytest.raises(MissingDependencyError, match=r"pip install zerokelvin\[neighbors\].*method='exact'"):
        knn_graph(points, 3)
    assert knn_graph(points, 3, method="exact").num_nodes == 50_001
    assert knn_graph(points[1:], 3).num_nodes == 50_000
    assert knn_graph(points[:, 1:], 3).num_nodes == 50_001


def test_approximate_neighbours_are_nearly_exact_and_repeat():
    points = np.random.default_rng(0).standard_normal((1500, 16))
    points[700:720] = points[0]
    exact = nearest_neighbors(points, 10, "exact")
    found = nearest_neighbors(points, 10, "approximate")
    common = [len(set(a) & set(b)) for a, b in zip(found.tolist(), exact.tolist(), strict=True)]
    assert np.mean(common) > 9.7
    assert all(len(set(row)) == 10 and i not in row for i, row in enumerate(found.tolist()))
    assert (nearest_neighbors(points, 10, "approximate") == found).all()
    seeded = [nearest_neighbors(points, 10, "approximate", np.random.default_rng(3)) for _ in range(2)]
    assert (seeded[0] == seeded[1]).all()


# -- the exponential embedding ---------------------------------------------------------------------


@given(point_sets(least=1), st.sampled_from([0.1, 1.0, 5.0]))
def test_exponential_weights_by_definition(points, a):
    graph = exponential_graph(points, a)
    count = len(points)
    assert graph.num_edges == count * (count - 1) // 2
    for (i, j), d, e, w in zip(
        graph.edges.tolist(), graph.distances, graph.exponents, graph.edge_weights, strict=True
    ):
        assert d == pytest.approx(math.dist(points[i], points[j]))
        assert e == pytest.approx(a * d)
        assert w == pytest.approx(math.exp(-a * d))
    plain = Graph.from_edges(graph.edges, graph.edge_weights, num_nodes=count)
    for array in ("indptr", "indices", "weights"):
        assert (getattr(plain, array) == getattr(graph, array)).all()
    assert (graph.offset, graph.num_clamped) == (0.0, 0)


@given(point_sets(least=2), st.sampled_from([300.0, 1e5, math.inf]))
def test_exponents_outlive_the_weights(points, a):
    graph = exponential_graph(points, a)
    count = len(points)
    assert graph.num_edges == count * (count - 1) // 2
    assert (graph.weights > 0).all()
    np.testing.assert_allclose(graph.distances, pdist(points))
    shifted = [0.0 if d == 0 else a * d for d in graph.distances - graph.distances.min()]
    if graph.distances.max() > 0 and a * graph.distances.max() > 690.8:
        np.testing.assert_allclose(
            graph.edge_weights, np.maximum(np.exp(-np.array(shifted)), 1e-300), rtol=1e-10
        )
        assert graph.edge_weights.max() == 1.0
        assert graph.num_clamped == sum(e > 690.7755278982137 for e in shifted)
    assert graph.log_range == pytest.approx(max(shifted))
    assert graph.scale == a


def test_the_limit_keeps_what_its_weights_cannot_hold():
    points = [[0.0], [0.0], [1.0], [3.0]]
    limit = exponential_graph(points, math.inf)
    assert limit.exponents.tolist() == [0.0, math.inf, math.inf, math.inf, math.inf, math.inf]
    assert limit.distances.tolist() == [0.0, 1.0, 3.0, 1.0, 3.0, 2.0]
    assert limit.edge_weights.tolist() == [1.0] + [1e-300] * 5
    assert limit.num_components == 1
    assert repr(limit) == "ExponentialGraph(nodes=4, edges=6, scale=inf, clamped=5)"


def test_exponential_graphs_with_equal_weights_still_differ():
    points = [[0.0], [1.0], [3.0]]
    limit, steep, same = (exponential_graph(points, a) for a in (math.inf, 1e6, 1e6))
    assert (limit.weights == steep.weights).all()
    assert limit != steep
    assert steep == same
    assert steep.content_hash == same.content_hash
    assert exponential_graph(points, 1.0) != Graph.from_edges(
        exponential_graph(points, 1.0).edges, exponential_graph(points, 1.0).edge_weights
    )


@given(point_sets(least=3, most=8), st.sampled_from([1.0, 1e4, math.inf]), st.data())
def test_subgraphs_are_the_exponential_graphs_of_fewer_points(points, a, data):
    nodes = data.draw(st.lists(st.integers(0, len(points) - 1), min_size=1, unique=True))
    part = exponential_graph(points, a).subgraph(nodes)
    whole = exponential_graph(points[nodes], a)
    assert isinstance(part, ExponentialGraph)
    np.testing.assert_allclose(part.distances, whole.distances)
    np.testing.assert_allclose(part.weights, whole.weights)
    assert part.scale == a


def test_metrics_and_given_distances():
    points = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]])
    city = exponential_graph(points, 1.0, metric="cityblock")
    assert city.distances.tolist() == [3.0, 4.0, 3.0]
    given_table = exponential_graph(squareform(city.distances), 1.0, metric="precomputed")
    assert given_table == city
    apart = exponential_graph(
        [[0, 1, math.inf], [1, 0, math.inf], [math.inf, math.inf, 0]], 1.0, metric="precomputed"
    )
    assert apart.edges.tolist() == [[0, 1]]
    assert apart.num_components == 2
    component, nodes = apart.largest_component()
    assert (component.exponents.tolist(), nodes.tolist()) == ([1.0], [0, 1])
    with pytest.raises(GraphError, match="not symmetric"):
        exponential_graph([[0, 1], [2, 0]], 1.0, metric="precomputed")
    with pytest.raises(GraphError, match="square"):
        exponential_graph([[0, 1]], 1.0, metric="precomputed")
    with pytest.raises(GraphError, match=r"points 0 and 1 is -1\.0"):
        exponential_graph([[0, -1], [-1, 0]], 1.0, metric="precomputed")
    with pytest.raises(GraphError, match="nan"):
        exponential_graph([[0.0, 0.0], [1.0, 0.0]], 1.0, metric="cosine")


def test_exponential_graphs_are_frozen_and_limited():
    graph = exponential_graph([[0.0], [1.0]], 1.0)
    for array in (graph.distances, graph.exponents):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    with pytest.raises(AttributeError, match="cannot be changed"):
        graph.scale = 2.0
    with pytest.raises(GraphError, match="at most 5000 points"):
        exponential_graph(np.zeros((5001, 1)), 1.0)
