"""Theorem 8 as printed: the extremes over all path covers, and the worst case of every strategy."""

import math

import numpy as np
import pytest

from naive.learners.zero_temperature import flow_dag, log_lengths, path_covers, worst_case
from zerokelvin.errors import ParameterError
from zerokelvin.flow import least_path_cover, most_path_cover, picard_queyranne, theorem_8
from zerokelvin.graph import Graph, generators
from zerokelvin.learners import make


def game(seed, paths=4):
    rng = np.random.default_rng(seed)
    inner = int(rng.integers(2, 7))
    graph, arcs = flow_dag(rng, inner, int(rng.integers(1, paths)))
    return graph, arcs, inner + 1, picard_queyranne(graph, {0: -1, inner + 1: 1})


@pytest.mark.parametrize("seed", range(40))
def test_the_extremes_are_those_of_all_covers(seed):
    _, arcs, last, pq = game(seed, 5)
    place = dict(enumerate(pq.super_vertex.tolist()))
    covers = path_covers(arcs, last)
    logs = [log_lengths(cover, False) for cover in covers]
    least, most = least_path_cover(pq), most_path_cover(pq)
    assert least.exact
    assert most.exact
    assert least.value == pytest.approx(min(logs))
    assert most.value == pytest.approx(max(logs))
    rough_least, rough_most = least_path_cover(pq, 1), most_path_cover(pq, 1)
    assert rough_least.value >= min(logs) - 1e-9
    assert rough_most.value >= max(logs) - 1e-9
    for cover in sorted(covers)[:5]:
        paths = [[place[path[0][0]], *(place[head] for _, head in path)] for path in cover]
        assert theorem_8(pq, "fixed-paths", paths).value == pytest.approx(log_lengths(cover, False))


@pytest.mark.parametrize("seed", range(25))
def test_no_adversary_exceeds_it(seed):
    graph, arcs, last, pq = game(seed)
    first = [(0, -1), (last, 1)]
    for strategy in ("zero-ising", "longest-path"):
        bound = theorem_8(pq, strategy)
        assert bound.holds
        assert bound.allows(worst_case(make(strategy), graph, first))
        assert bound.terms["k"] == sum(tail == 0 for tail, _ in arcs)
        assert "without a rise of the cut" in bound.theorem


def test_many_parallel_paths():
    """Equal lengths are alike, so sixteen paths of four arcs are one cover."""
    edges = [(0, 1 + 3 * k) for k in range(16)] + [(3 + 3 * k, 49) for k in range(16)]
    edges += [(1 + 3 * k + j, 2 + 3 * k + j) for k in range(16) for j in range(2)]
    pq = picard_queyranne(Graph.from_edges(edges), {0: 0, 49: 1})
    assert least_path_cover(pq) == most_path_cover(pq)
    assert most_path_cover(pq).value == 32.0


def test_the_figure_of_the_paper():
    """Section 3.2 names both covers: lengths 2, 3, 3 and 2, 4, 2."""
    from zerokelvin.experiments.reproduction.zero_temperature.zero_temperature_bounds import figure2_graph

    pq = picard_queyranne(*figure2_graph())
    assert least_path_cover(pq).value == pytest.approx(1 + 2 + 1)
    assert most_path_cover(pq).value == pytest.approx(1 + 2 * math.log2(3))


def test_large_graphs_get_upper_bounds():
    grid = generators.grid(12, 12)
    pq = picard_queyranne(grid.graph, {0: 0, 143: 1, 5: 0, 100: 1})
    least, most = least_path_cover(pq, 50), most_path_cover(pq, 50)
    assert least.value <= most.value or not most.exact


def test_refusals():
    line = generators.line(5).graph
    pq = picard_queyranne(line, {0: 0, 4: 1})
    with pytest.raises(ParameterError, match="shortest-path"):
        theorem_8(pq, "shortest-path")
    with pytest.raises(ParameterError, match="give it as lists"):
        theorem_8(pq, "fixed-paths")
    with pytest.raises(ParameterError, match="no cover"):
        theorem_8(pq, "fixed-paths", [[0, 1, 4]])
    weighted = picard_queyranne(Graph.from_edges([(0, 1), (1, 2)], [0.5, 0.5]), {0: 0, 2: 1})
    with pytest.raises(ParameterError, match="without weights"):
        theorem_8(weighted, "longest-path")
