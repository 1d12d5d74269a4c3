"""The scale of weights: what is refused, what is rescaled, and that powers of two are exact."""

import numpy as np
import pytest

from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.graph.scale import at_mean_degree, in_unit, sound_scale

RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


@pytest.mark.parametrize("size", [1e-300, 1e-100, 1e100, 1e300])
def test_extreme_weights_are_brought_to_the_middle_exactly(size):
    graph = Graph.from_edges(RING, [size, 2 * size, 3 * size, size])
    exponent = sound_scale(graph)
    moved = in_unit(graph, 2.0**exponent)
    assert 2.0**-4 < moved.degrees.mean() < 2.0**4
    assert np.array_equal(np.ldexp(moved.weights, -exponent), graph.weights)
    assert sound_scale(moved) == 0


@pytest.mark.parametrize("size", [1e-80, 1e-12, 1.0, 1e12, 1e80])
def test_other_weights_stay_as_they_are(size):
    graph = Graph.from_edges(RING, np.full(4, size))
    assert sound_scale(graph) == 0
    assert in_unit(graph, 1.0) is graph


def test_degrees_that_overflow_are_refused_in_one_sentence():
    with pytest.raises(GraphError, match=r"up to 1\.5e\+308, sum to more than a float can hold; divide"):
        sound_scale(Graph.from_edges(RING, np.full(4, 1.5e308)))


def test_weights_that_span_too_much_are_refused():
    with pytest.raises(GraphError, match=r"span from 1\.0e-200 to 1\.0e\+100.*drop the edges lighter than"):
        sound_scale(Graph.from_edges(RING, [1e-200, 1.0, 1e100, 1.0]))
    assert sound_scale(Graph.from_edges(RING, [1e-80, 1.0, 1e80, 1.0])) == 0


def test_graphs_without_edges_have_no_scale():
    empty = Graph.from_edges([], num_nodes=3)
    assert sound_scale(empty) == 0
    assert at_mean_degree(empty) is empty


def test_the_mean_degree_becomes_four_and_names_stay():
    graph = Graph.from_edges([("a", "b"), ("b", "c")], [7.0, 11.0])
    scaled = at_mean_degree(graph)
    assert scaled.degrees.mean() == pytest.approx(4.0)
    assert scaled.names == graph.names
    assert np.array_equal(at_mean_degree(in_unit(graph, 2.0**21)).weights, scaled.weights)
