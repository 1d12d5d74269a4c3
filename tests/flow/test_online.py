from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive.flow import naive_structure
from naive.flow_graphs import small_graph
from naive.online_cuts import compare_with_definition, medium_graph, validate
from zerokelvin.errors import GraphError, LabelError, NodeError, ParameterError
from zerokelvin.flow import OnlineCut, picard_queyranne
from zerokelvin.flow.online.cut_arrays import PATIENCE
from zerokelvin.graph import Graph


def play_small_games(rng, games, changes):
    """Random labels in random order with random questions between; the whole state checked."""
    for _ in range(games):
        case = small_graph(rng)
        paths = "longest" if rng.random() < 0.7 else "shortest"
        cut = OnlineCut(case.graph, paths, close=bool(rng.integers(2)))
        labels = {}
        for node in rng.permutation(case.n).tolist():
            if labels and rng.random() < changes:
                old = int(rng.choice(list(labels)))
                if rng.random() < 0.5:
                    cut.forget(old)
                    del labels[old]
                else:
                    labels[old] = 1 - labels[old]
                    cut.label(old, 2 * labels[old] - 1)
            else:
                labels[node] = int(rng.integers(2))
                cut.label(node, 2 * labels[node] - 1)
            for other in range(case.n):
                if rng.random() < 0.3:  # lengths known before later labels must not go wrong
                    cut.guess(other)
            if rng.random() < 0.4:
                validate(cut, labels)
                compare_with_definition(case, cut, labels, paths == "longest")


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(4))
def test_every_prefix_has_the_state_of_definition_1(seed):
    play_small_games(np.random.default_rng(seed), games=100, changes=0.0)


def test_every_prefix_of_thousands_of_games():
    play_small_games(np.random.default_rng(77), games=4000, changes=0.0)


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(2))
def test_replaced_and_forgotten_labels(seed):
    play_small_games(np.random.default_rng(100 + seed), games=100, changes=0.3)


@pytest.mark.kernels
@pytest.mark.parametrize("kind", ["grid", "tree", "sparse", "dense"])
def test_medium_graphs_against_a_fresh_computation(kind):
    rng = np.random.default_rng(5)
    for _ in range(6):
        graph = medium_graph(rng, kind)
        truth = rng.integers(2, size=graph.num_nodes)
        if rng.random() < 0.5:
            truth[: graph.num_nodes // 2] = 0
        cut = OnlineCut(graph)
        labels = {}
        for node in rng.permutation(graph.num_nodes).tolist():
            cut.guess(node)
            labels[node] = int(truth[node])
            cut.label(node, 2 * labels[node] - 1)
            if rng.random() < 0.12:
                validate(cut, labels)
                now, fresh = cut.picard_queyranne(), picard_queyranne(graph, labels)
                assert now.value == fresh.value == cut.value
                assert (now.super_vertex == fresh.super_vertex).all()
                assert (now.arcs == fresh.arcs).all()
                assert (now.arc_weights == fresh.arc_weights).all()
                for other in np.flatnonzero(cut.sides == 0):
                    here = fresh.super_vertex[other]
                    lengths = fresh.longest_from_source[here], fresh.longest_to_target[here]
                    assert cut.lengths(int(other)) == lengths


@pytest.mark.kernels
@pytest.mark.parametrize("patience", [-1, 3, 30])
def test_rebuilding_the_forest_gives_the_same_state(patience):
    """Without patience the forest is spanned afresh instead of repaired."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        graph = medium_graph(rng, "grid")
        truth = rng.integers(2, size=graph.num_nodes)
        cut = OnlineCut(graph)
        cut.arrays.tally[PATIENCE] = patience
        labels = {}
        for node in rng.permutation(graph.num_nodes)[:40].tolist():
            cut.guess(node)
            labels[node] = int(truth[node])
            cut.label(node, 2 * labels[node] - 1)
            validate(cut, labels)
        now, fresh = cut.picard_queyranne(), picard_queyranne(graph, labels)
        assert (now.super_vertex == fresh.super_vertex).all()
        assert (now.arcs == fresh.arcs).all()


def test_neighbours_are_kept_close_together():
    """A path whose nodes are numbered at random lies in a row, and the guesses are the same."""
    rng = np.random.default_rng(0)
    names = rng.permutation(500)
    graph = Graph.from_edges(np.column_stack([names[:-1], names[1:]]))
    rows = OnlineCut(graph).rows(names)
    assert (np.abs(np.diff(rows)) == 1).all()
    truth, order = rng.choice([-1, 1], 500), rng.permutation(500)
    guesses = [OnlineCut(graph, close=close).play(order, truth) for close in (False, True)]
    assert (guesses[0] == guesses[1]).all()


@pytest.mark.kernels
def test_paths_tie_nodes_to_labels():
    """Ways are never cut, paths are cut at every edge by some minimum cut, ends are labelled."""
    rng = np.random.default_rng(21)
    seen = set()
    for _ in range(120):
        case = small_graph(rng, largest=9)
        longest = bool(rng.integers(2))
        cut = OnlineCut(case.graph, "longest" if longest else "shortest")
        labels = {int(v): int(rng.integers(2)) for v in rng.permutation(case.n)[: rng.integers(1, 5)]}
        for node, y in labels.items():
            cut.label(node, 2 * y - 1)
        _, cuts, classes, place, arcs = naive_structure(case.n, case.edges, case.costs, labels)
        neighbours = {(int(u), int(v)) for e in case.edges for u, v in (e, e[::-1])}
        for node in range(case.n):
            path, lengths = cut.path(node), cut.lengths(node)
            if lengths == (-1, -1):
                assert path is None
                continue
            seen.add(len(path.labels))
            if place[node]:
                assert path.way[0] == node
                assert path.way[-1:] == path.labels == path.nodes[-1:]
                assert all(place[v] == place[node] for v in path.way)
                assert neighbours.issuperset(itertools.pairwise(path.way))
            else:
                steps = [(classes[u], classes[v]) for u, v in path.edges]
                assert (path.before, len(path.edges)) == (lengths[0], sum(lengths))
                assert neighbours.issuperset(path.edges)
                assert arcs.issuperset(steps)
                assert all(a[1] == b[0] for a, b in itertools.pairwise(steps))
                assert steps[path.before - 1][1] == classes[node]
                assert (place[path.edges[0][0]], place[path.edges[-1][1]]) == (-1, 1)
                assert all((cuts[:, u] != cuts[:, v]).any() for u, v in path.edges)
                assert node in path.nodes
                passed = set(itertools.pairwise(path.nodes)) - neighbours
                assert all(classes[u] == classes[v] for u, v in passed)
            assert [place[v] for v in path.labels] == ([-1, 1] if place[node] == 0 else [place[node]])
            assert set(path.labels) <= set(labels)
    assert seen == {1, 2}


@pytest.mark.kernels
def test_play_is_guess_then_label():
    rng = np.random.default_rng(8)
    for paths in ("longest", "shortest"):
        graph = medium_graph(rng, "dense")
        truth = rng.choice([-1, 1], graph.num_nodes)
        order = rng.permutation(graph.num_nodes)
        whole = OnlineCut(graph, paths)
        guesses = whole.play(order, truth)
        single = OnlineCut(graph, paths)
        for t, node in enumerate(order.tolist()):
            assert single.guess(node) == guesses[t]
            single.label(node, truth[node])
        assert single.touches == whole.touches
        assert (whole.labels == truth).all()


def test_guesses_follow_the_settled_rules():
    cut = OnlineCut(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (5, 6)]))
    assert cut.guess(0) == 1  # nothing known: the tie rule
    cut.label(0, -1)
    assert [cut.guess(i) for i in range(7)] == [-1] * 7  # the only label seen, in other components too
    cut.label(4, 1)
    assert [cut.guess(i) for i in range(5)] == [-1, -1, -1, 1, 1]  # equal lengths: the source
    assert cut.lengths(2) == (2, 2)
    assert cut.lengths(0) == (0, -1)
    assert cut.lengths(4) == (-1, 0)
    assert cut.lengths(5) == (-1, -1)
    assert cut.guess(5) == 1  # one label of each kind: tied prior
    cut.label(3, -1)
    assert cut.guess(5) == -1
    cut.label(3, 1)  # the last answer counts
    assert cut.side(3) == 1
    cut.forget(3)
    assert cut.side(3) == 0
    cut.forget(3)
    assert cut.part(2).num == 3
    assert cut.part(0) is None


def families():
    rng = np.random.default_rng(0)

    def grid(h, w):
        at = np.arange(h * w).reshape(h, w)
        return np.concatenate([np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()]),
                               np.column_stack([at[:-1].ravel(), at[1:].ravel()])])  # fmt: skip

    n = 2000
    half = np.where(np.arange(n) < n // 2, -1, 1)
    noisy = np.where(rng.random(n) < 0.1, -half, half)
    path = np.column_stack([np.arange(n - 1), np.arange(1, n)])
    tree = np.array([(int(rng.integers(max(0, i - 50), i)), i) for i in range(1, n)])
    attach = np.array([(int(rng.integers(i)), i) for i in range(1, n) for _ in range(3)])
    near = np.array([(i, (i + int(k)) % n) for i in range(n) for k in rng.integers(1, 12, 4)])
    clique = np.array([(i, j) for i in range(60) for j in range(i)])
    blocks = rng.integers(n, size=(6000, 2))
    blocks = blocks[((blocks[:, 0] < n // 2) == (blocks[:, 1] < n // 2)) | (rng.random(len(blocks)) < 0.1)]
    whiskers = np.concatenate(
        [rng.integers(500, size=(2000, 2)), np.column_stack([np.arange(n - 500), np.arange(500, n)])]
    )
    return {
        "path": (path, half),
        "path, noisy": (path, noisy),
        "random tree": (tree, noisy),
        "grid": (grid(40, 50), np.where(np.arange(n) % 50 < 25, -1, 1)),
        "grid, noisy": (grid(40, 50), noisy),
        "preferential": (attach, noisy),
        "small world": (near, half),
        "two cliques": (np.concatenate([clique, clique + 60, [[0, 60]]]), np.repeat([-1, 1], 60)),
        "two blocks": (blocks, half),
        "whiskers": (whiskers, noisy),
    }


@pytest.mark.parametrize("name", families())
def test_arc_touches_in_random_order(name):
    edges, truth = families()[name]
    graph = Graph.from_edges(edges, num_nodes=len(truth))
    for seed in range(3):
        cut = OnlineCut(graph)
        cut.play(np.random.default_rng(seed).permutation(graph.num_nodes), truth)
        assert cut.touches <= 20 * graph.num_edges * (1 + np.sqrt(cut.value))


def planted(n, degree, crossing, rng):
    """Two equal blocks, a share of `crossing` edges between them."""
    count = n * degree // 2
    within = rng.random(count) >= crossing
    block = rng.integers(2, size=count)
    ends = rng.integers(n // 2, size=(count, 2)) + n // 2 * np.column_stack([block, block ^ ~within])
    return ends[ends[:, 0] != ends[:, 1]]


@pytest.mark.parametrize(("degree", "crossing"), [(3, 0.05), (3, 0.1), (5, 0.05), (10, 0.05)])
def test_arc_touches_on_planted_partitions(degree, crossing):
    """While both sides are nearly balanced, single labels turn the whole graph over, again and again."""
    n = 20_000
    for seed in range(3):
        rng = np.random.default_rng(seed)
        graph = Graph.from_edges(planted(n, degree, crossing, rng), num_nodes=n)
        cut = OnlineCut(graph)
        cut.play(rng.permutation(n), np.where(np.arange(n) < n // 2, -1, 1))
        assert cut.touches <= 12 * graph.num_edges * (1 + np.sqrt(cut.value))


def test_adversarial_orders_stay_within_the_papers_bound():
    n = 3000
    path = Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    truth = np.where(np.arange(n) < n // 2, -1, 1)
    ends_first = np.concatenate([[0, n - 1], np.arange(1, n - 1)])
    cut = OnlineCut(path)
    cut.play(ends_first, truth)
    assert cut.touches <= 20 * n  # eager lengths would be quadratic
    inwards = np.argsort(np.minimum(np.arange(n), n - 1 - np.arange(n)), kind="stable")
    cut = OnlineCut(path)
    cut.play(inwards, truth)
    assert cut.touches <= 3 * n * path.num_edges
    side = 40
    at = np.arange(side * side).reshape(side, side)
    edges = np.concatenate([np.column_stack([at[:, :-1].ravel(), at[:, 1:].ravel()]),
                            np.column_stack([at[:-1].ravel(), at[1:].ravel()])])  # fmt: skip
    board = Graph.from_edges(edges)
    checker = np.where((np.arange(side * side) // side + np.arange(side * side) % side) % 2, 1, -1)
    cut = OnlineCut(board)
    cut.play(np.arange(side * side), checker)
    assert cut.value == board.num_edges
    assert cut.touches <= 2 * max(cut.value, board.num_nodes) * board.num_edges


def test_refusals():
    graph = Graph.from_edges([(0, 1)])
    cut = OnlineCut(graph)
    for bad in (-1, 2):
        with pytest.raises(NodeError, match="nodes are the integers 0 to 1"):
            cut.label(bad, 1)
        with pytest.raises(NodeError):
            cut.guess(bad)
        with pytest.raises(NodeError, match="outside 0 to 1"):
            cut.play([bad], np.array([1, 1]))
    with pytest.raises(LabelError, match="label 0 of node 0"):
        cut.label(0, 0)
    with pytest.raises(LabelError, match="is not -1 or"):
        cut.play([0], np.array([0, 1]))
    with pytest.raises(LabelError, match="one per node"):
        cut.play([0], np.array([1]))
    with pytest.raises(ParameterError, match="neither"):
        OnlineCut(graph, "widest")
    with pytest.raises(GraphError, match="positive weights"):
        OnlineCut(Graph.from_edges([(0, 1)], [-2.0]))
