from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive import structure as naive
from zerokelvin.errors import GraphError, LabelError, NodeError, ParameterError
from zerokelvin.graph import (
    Graph,
    Measured,
    bal,
    cut,
    diameter,
    eccentricity,
    generators,
    geodesic_distances,
    label_balance,
)

pytestmark = pytest.mark.kernels

WEIGHTS = st.sampled_from([1.0, 1.0, 1.0, 2.0, 0.5, 0.3, 7.0])


@st.composite
def tables(draw, weights=WEIGHTS, most=9):
    """A small graph and the same graph as a dict of dicts."""
    count = draw(st.integers(1, most))
    node = st.integers(0, count - 1)
    triples = draw(st.lists(st.tuples(node, node, weights), max_size=3 * most))
    graph = Graph.from_edges([t[:2] for t in triples], [t[2] for t in triples], num_nodes=count)
    return graph, naive.merge(triples, count)


@given(tables(), st.data())
def test_cut_counts_the_weight_between_classes_and_is_a_quarter_of_the_norm(pair, data):
    graph, table = pair
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(table), max_size=len(table))))
    assert cut(graph, signs) == pytest.approx(naive.cut(table, signs))
    assert cut(graph, signs) == pytest.approx(signs @ graph.laplacian() @ signs / 4)
    classes = data.draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=len(table), max_size=len(table)))
    assert cut(graph, classes) == pytest.approx(naive.cut(table, classes))
    assert cut(graph, np.array(classes, dtype=object)) == pytest.approx(naive.cut(table, classes))


@given(tables(weights=st.sampled_from([1.0, -1.0, -0.5, 2.0])), st.data())
def test_cut_of_a_signed_graph_is_a_quarter_of_the_signed_norm(pair, data):
    graph, table = pair
    signs = np.array(data.draw(st.lists(st.sampled_from([-1, 1]), min_size=len(table), max_size=len(table))))
    assert cut(graph, signs) == pytest.approx(signs @ graph.laplacian() @ signs / 4)


def test_cut_of_mixed_labels_keeps_kinds_apart():
    path = Graph.from_edges([(0, 1), (1, 2)])
    assert cut(path, np.array([1, "1", "1"], dtype=object)) == 1.0


@pytest.mark.parametrize("labels", [[1, None, 1], [1.0, math.nan, 1.0], [1, -1], [[1, 1, -1]]])
def test_cut_refuses_unknown_labels_and_wrong_lengths(labels):
    with pytest.raises(LabelError):
        cut(Graph.from_edges([(0, 1), (1, 2)]), labels)


@given(st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=30))
def test_balance_by_definition(labels):
    mean = sum(labels) / len(labels)
    assert label_balance(labels) == pytest.approx(mean**2)
    expected = math.inf if abs(mean) == 1 else (1 - abs(mean)) ** -2
    assert bal(labels) == pytest.approx(expected)
    assert bal(np.array(labels, dtype=np.int8)) == bal(labels)


def test_bal_of_one_odd_label_out_of_n_is_a_quarter_of_n_squared():
    """The paper writes n² for u = (1, …, 1, −1); by its own definition it is (2/n)⁻² = n²/4."""
    assert bal([1] * 9 + [-1]) == pytest.approx(10**2 / 4)


@pytest.mark.parametrize(
    "labels", [[], [0, 1], ["a", "b"], [1.0, math.nan], [[1, -1]], [None, 1], [True, False]]
)
def test_balance_needs_signs(labels):
    for quantity in (label_balance, bal):
        with pytest.raises(LabelError):
            quantity(labels)


@given(tables())
def test_geodesic_distances_eccentricity_and_diameter_by_definition(pair):
    graph, table = pair
    expected = naive.distances(table)
    for u in table:
        row = [expected[u, v] for v in table]
        np.testing.assert_allclose(geodesic_distances(graph, u), row, rtol=1e-12)
        assert eccentricity(graph, u) == pytest.approx(max(d for d in row if d < math.inf))
    measured = diameter(graph)
    assert measured.exact
    assert measured.value == pytest.approx(max(d for d in expected.values() if d < math.inf))
    assert ("components" in measured.method) == (graph.num_components > 1)


@given(tables(most=14), st.integers(1, 4))
def test_diameter_out_of_sweeps_is_an_upper_bound_that_says_so(pair, sweeps):
    graph, table = pair
    true = max(d for d in naive.distances(table).values() if d < math.inf)
    measured = diameter(graph, max_sweeps=sweeps)
    assert measured.value >= true * (1 - 1e-12)
    assert measured.value <= 2 * true * (1 + 1e-12)
    if measured.exact:
        assert measured.value == pytest.approx(true)


def test_diameter_may_be_only_bounded_and_more_sweeps_settle_it():
    rng = np.random.default_rng(5)
    count = 300
    ring = [(i, (i + 1) % count) for i in range(count)]
    chords = rng.integers(0, count, size=(40, 2))
    graph = Graph.from_edges(np.concatenate([ring, chords]), num_nodes=count)
    rough, full = diameter(graph, max_sweeps=1), diameter(graph)
    assert full.exact
    assert full.value == max(eccentricity(graph, i) for i in range(count))
    assert not rough.exact
    assert rough.value > full.value
    assert str(rough).startswith("at most ")


def test_diameter_of_a_large_grid_is_exact():
    assert diameter(generators.grid(60, 45).graph) == Measured(103.0, True, "eccentricities from a centre")


def test_diameter_of_parts_is_the_largest_and_lonely_nodes_have_none():
    graph = Graph.from_edges([(0, 1), (2, 3), (3, 4), (4, 5)], [0.1, 1, 1, 1], num_nodes=8)
    assert diameter(graph) == Measured(10.0, True, "two sweeps of a tree; maximum over 4 components")
    assert diameter(Graph.from_edges([], num_nodes=1)).value == 0.0


def test_measured_is_a_number():
    assert float(Measured(2.5, True, "by hand")) == 2.5
    assert math.sqrt(Measured(4.0, False, "by hand")) == 2.0


def test_geodesics_refuse_signed_graphs_and_unknown_nodes():
    signed = Graph.from_edges([(0, 1)], [-1.0])
    for quantity in (diameter, lambda g: eccentricity(g, 0)):
        with pytest.raises(GraphError, match="positive weights"):
            quantity(signed)
    path = Graph.from_edges([(0, 1)])
    for node in (-1, 2, 0.5, "a"):
        with pytest.raises(NodeError):
            geodesic_distances(path, node)
    with pytest.raises(ParameterError, match="max_sweeps"):
        diameter(path, max_sweeps=0)
