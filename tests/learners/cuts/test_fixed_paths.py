"""fixed-paths: its covers are covers, predictions by definition on them, new games, refusals."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import zerokelvin as zk
from naive.flow_graphs import random_labels, small_graph
from naive.learners.zero_temperature import flow_dag
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners import make
from zerokelvin.learners.cuts.fixed_covers import take_cover


def teach(state, labels):
    for node, y in labels:
        state.update(node, y)
    return state


def check_cover(cover, pq):
    """Every path is one of the Picard–Queyranne graph, and every super-vertex has its place on one."""
    arcs = set(map(tuple, pq.arcs.tolist()))
    for path in cover.paths:
        walk = [pq.source, *(int(pq.super_vertex[node]) for node in path), pq.target]
        assert all(step in arcs for step in pairwise(walk))
    for own, (path, at) in cover.place.items():
        assert cover.paths[path][at - 1] == own
        assert all(own not in earlier for earlier in cover.paths[:path])


@pytest.mark.kernels
@pytest.mark.parametrize("order", ["longest", "shortest"])
def test_covers_of_small_graphs(order):
    rng = np.random.default_rng(4)
    seen = 0
    for _ in range(300):
        case = small_graph(rng)
        labels = {v: 2 * y - 1 for v, y in random_labels(rng, case.n).items()}
        state = teach(make("fixed-paths", cover=order).start(case.graph), labels.items())
        pq = state.cut.picard_queyranne()
        for node in np.flatnonzero(state.cut.sides == 0).tolist():
            if state.cut.is_free(node):
                continue
            cover = take_cover(state.cut, node, order == "longest")
            check_cover(cover, pq)
            assert state.cut.super_vertex(node) in cover.place
            ends = pq.longest_from_source, pq.longest_to_target
            if order == "longest":  # the first path is the longest of the part
                part = [int(pq.super_vertex[other]) for other in cover.place]
                assert len(cover.paths[0]) + 1 == max(ends[0][v] + ends[1][v] for v in part)
            seen += 1
    assert seen > 50


def test_the_paths_of_a_cover_use_every_arc_at_most_as_often_as_it_weighs():
    rng = np.random.default_rng(8)
    for _ in range(60):
        inner = int(rng.integers(2, 9))
        graph, arcs = flow_dag(rng, inner, int(rng.integers(1, 6)))
        state = teach(make("fixed-paths").start(graph), [(0, -1), (inner + 1, 1)])
        for node in range(1, inner + 1):
            left = list(arcs)
            for path in state.cover(node).paths:
                for arc in zip([0, *path], [*path, inner + 1], strict=True):
                    left.remove(arc)


def test_the_nearer_decided_node_on_the_path():
    # two paths that cross in node 4: 0-1-2-3-4-9 and 0-4-5-6-7-8-9
    graph = Graph.from_edges(
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 9), (0, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 9)]
    )
    ends = [(0, -1), (9, 1)]
    longest = teach(
        make("fixed-paths").start(graph), ends
    )  # 0-1-...-9 first, of 9 arcs, and the rest is one arc each
    assert [longest.margin(v) for v in range(1, 9)] == [-0.5] * 4 + [0.5] * 4
    given = ((1, 2, 3, 4), (4, 5, 6, 7, 8))
    chosen = teach(make("fixed-paths", cover=given).start(graph), ends)
    assert [chosen.margin(v) for v in range(1, 9)] == [-0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, 0.5]
    chosen.update(7, -1)  # so 4, 5, 6 and all before them are −1 too
    assert [chosen.margin(v) for v in range(1, 9)] == [-1.0] * 7 + [-0.5]
    assert "on its path −1 is 1 arcs away and +1 is 1" in chosen.remark(8)
    assert chosen.bound(np.ones(10)).terms["mistakes inside, by the theorem"] == 4


def test_a_new_game_has_a_new_cover():
    line = Graph.from_edges([(i, i + 1) for i in range(16)])
    state = teach(make("fixed-paths", cover=(tuple(range(1, 16)),)).start(line), [(0, -1), (16, 1)])
    assert state.margin(8) == -0.5
    teach(state, [(4, 1), (10, -1)])  # contradicts: the cut rises, the given path is gone
    assert [state.margin(v) for v in (1, 2, 3, 6, 8, 12, 13, 14)] == [
        -0.5,
        -0.5,
        0.5,
        0.5,
        -0.5,
        -0.5,
        -0.5,
        0.5,
    ]


@pytest.mark.parametrize(
    ("cover", "words"),
    [
        ("widest", "'widest'"),
        (((1, 3),), r"\(1, 3\)"),
        (((1, 2, 3), (4,)), "inner"),
        (((5, 6),), "inner node 1"),
    ],
)
def test_refusals(cover, words):
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (10, 5), (5, 6)])
    if cover == ((1, 2, 3), (4,)):
        graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (0, 5), (5, 2), (2, 4)])
        cover = ((1, 2, 3), (1, 2))
    with pytest.raises(ParameterError, match=words):
        teach(make("fixed-paths", cover=cover).start(graph), [(0, -1), (4, 1)]).margin(1)


def test_quality_on_a_small_graph_is_that_of_its_relatives():
    example = zk.generators.two_moons(300, np.random.default_rng(0))
    errors = {
        name: zk.play(example.graph, example.labels, name, seed=1).mistakes
        for name in ("fixed-paths", "longest-path", "zero-ising")
    }
    assert max(errors.values()) - min(errors.values()) <= 5
