"""The balanced forest against walks between hinges, definitions, and a count of its steps in bad orders."""

import math

import numpy as np
import pytest

import naive.trees as naive
import zerokelvin as zk
from zerokelvin.learners.trees.spanning_tree import SpanningTree
from zerokelvin.trees.online.balanced import ABOVE, _trail
from zerokelvin.trees.online.forest import make_forest
from zerokelvin.trees.online.hinges import EXCESS, STEPS, WALKED, new_hinges
from zerokelvin.trees.online.segments import NONE, arrive, further, join, node_piece, regime
from zerokelvin.trees.online.steady_strategies import balance, steady_vote, update_steadily
from zerokelvin.trees.online.strategies import STRATEGIES, update_committee, vote
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees


def laid_out(graph):
    return make_forest(graph, [SpanningTrees(graph).draw(np.random.default_rng(0))])


@pytest.mark.kernels
@pytest.mark.parametrize("seed", range(4))
def test_every_strategy_by_definition(seed):
    """Labels that come, repeat and change before and after the forest is balanced."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        graph = naive.small_forest(rng)
        forest = laid_out(graph)
        trials = rng.integers(graph.num_nodes, size=int(rng.integers(1, graph.num_nodes + 3))).tolist()
        labels = rng.choice([-1, 1], len(trials)).tolist()
        known = dict(zip(trials, labels, strict=True))
        for strategy, code in STRATEGIES.items():
            hinges, after = new_hinges(forest), int(rng.integers(len(trials) + 1))
            for node, label in zip(trials[:after], labels[:after], strict=True):
                update_committee(forest, hinges, 1, node, label)
            balanced = balance(forest, hinges, code)
            for node, label in zip(trials[after:], labels[after:], strict=True):
                update_steadily(forest, hinges, balanced, 1, node, label)
            votes = [steady_vote(forest, hinges, balanced, v, code) for v in range(graph.num_nodes)]
            assert [int(np.sign(v)) for v in votes] == naive.predictions(graph, known, strategy), (
                strategy,
                graph.edges.tolist(),
                graph.edge_weights.tolist(),
                known,
            )


@pytest.mark.parametrize("weighted", [False, True])
def test_votes_are_those_of_walks_on_larger_forests(weighted):
    """To the last bit, after every label, with repeats and contradictions."""
    rng = np.random.default_rng(10 + weighted)
    ties = 0
    for _ in range(60):
        graph = naive.small_forest(rng, largest=70, weighted=weighted)
        forest, n = laid_out(graph), graph.num_nodes
        for code in STRATEGIES.values():
            walks, hinges = new_hinges(forest), new_hinges(forest)
            balanced = balance(forest, hinges, code)
            for _ in range(n + 5):
                node, label = int(rng.integers(n)), int(rng.choice([-1, 1]))
                update_committee(forest, walks, 1, node, label)
                update_steadily(forest, hinges, balanced, 1, node, label)
                asked = rng.integers(n, size=8).tolist()
                expected = [vote(forest, walks, v, code) for v in asked]
                assert [steady_vote(forest, hinges, balanced, v, code) for v in asked] == expected
                ties += sum(abs(v) < 1 for v in expected)
    assert ties > 1000  # places where minimum cuts differ, so that lengths and distances were compared


@pytest.mark.kernels
@pytest.mark.parametrize("way", [0, 1])
def test_a_piece_is_its_nodes_one_after_the_other(way):
    """Every way of joining a chain gives what walking along it gives, for every message."""
    rng = np.random.default_rng(way)
    for _ in range(150):
        count = int(rng.integers(1, 7))
        flow = np.zeros((2 * count, 6), dtype=np.int64)
        paths = np.full((2 * count, 24), NONE, dtype=np.int32)
        chain = []
        for k in range(count):
            label = int(rng.choice([0, 0, 0, 0, 0, -1, 1]))
            capacity, arriving = int(rng.integers(1, 4)), int(rng.integers(-3, 4))
            inside = (int(rng.integers(-1, 5)), int(rng.integers(-1, 5)))
            node_piece(flow, paths, k, label, capacity, arriving, inside)
            chain.append((label, capacity, arriving, inside))
        pieces, free = list(range(count)), count  # the message comes into the first
        while len(pieces) > 1:
            at = int(rng.integers(len(pieces) - 1))
            join(flow, paths, way, pieces[at], pieces[at + 1], free)
            pieces[at : at + 2] = [free]
            free += 1
        for x in range(-14, 15):
            for beyond in ((NONE, NONE), (2, NONE), (NONE, 3), (4, 4)):
                case = regime(flow, pieces[0], way, x)
                found = (
                    arrive(flow, pieces[0], way, x),
                    *(further(paths, pieces[0], way, case, side, beyond[side]) for side in (0, 1)),
                )
                assert found == walk_along(chain, way, x, beyond), (chain, x, beyond)


def walk_along(chain, way, message, longest):
    """What leaves a chain, and the longest paths from its far end, node by node.

    Upwards a node comes before the edge above it, downwards after it.
    """
    for label, capacity, arriving, inside in chain:
        if way == 0:
            longest = [max(pair) for pair in zip(longest, inside, strict=True)]
            message = label * 2**61 if label else message + arriving
        over = []
        for strength, reach in zip((-message, message), longest, strict=True):
            full = reach + 1 if strength == capacity and reach != NONE else reach
            over.append(NONE if strength <= -capacity else 1 if strength > capacity else full)
        longest, message = over, max(-capacity, min(capacity, message))
        if way == 1:
            longest = [NONE if label else max(pair) for pair in zip(over, inside, strict=True)]
            message = label * 2**61 if label else message + arriving
    return message, *longest


def caterpillar(n):
    """Leaves first along the spine, labels in turn: every fork is balanced, every label tells on all."""
    half = n // 2
    above = np.concatenate([np.arange(half - 1), np.arange(half)])
    graph = zk.Graph.from_edges(
        np.column_stack([above, np.concatenate([np.arange(1, half), np.arange(half, n)])])
    )
    return graph, np.concatenate([np.arange(half, n), np.arange(half)]), np.arange(n) % 2


def path(n):
    """From both ends inwards, labels in turn."""
    graph = zk.Graph.from_edges(np.column_stack([np.arange(n - 1), np.arange(1, n)]))
    order = np.argsort(np.minimum(np.arange(n), n - 1 - np.arange(n)), kind="stable")
    return graph, order, np.arange(n) // 2 % 2


def broom(n):
    """A handle of half the nodes, and bristles at its end, which come first."""
    half = n // 2
    edges = np.column_stack([np.minimum(np.arange(n - 1), half - 1), np.arange(1, n)])
    return (
        zk.Graph.from_edges(edges),
        np.concatenate([[0], np.arange(half, n), np.arange(1, half)]),
        np.arange(n) % 2,
    )


def star(n):
    """The leaves in turn −1 and +1; the middle last."""
    edges = np.column_stack([np.zeros(n - 1, dtype=int), np.arange(1, n)])
    return zk.Graph.from_edges(edges), np.arange(n)[::-1], np.arange(n) % 2


def star_of_paths(n):
    """√n paths from one node, their ends first, then inwards."""
    arm = math.isqrt(n)
    above = np.arange(n - 1)
    above[::arm] = 0
    graph = zk.Graph.from_edges(np.column_stack([above, np.arange(1, n)]))
    order = np.argsort(-((np.arange(n) - 1) % arm), kind="stable")
    return graph, order, (np.arange(n) - 1) // arm % 2


def binary(n):
    """The leaves of a complete binary tree first, labels in turn."""
    edges = np.column_stack([(np.arange(1, n) - 1) // 2, np.arange(1, n)])
    return zk.Graph.from_edges(edges), np.arange(n)[::-1], np.arange(n) % 2


def comb(n):
    """A caterpillar with legs of √n nodes, their ends first: forks far apart."""
    leg = math.isqrt(n)
    above = np.arange(n - 1)
    above[leg - 1 :: leg] = np.arange(0, n - leg + 1, leg)[: len(above[leg - 1 :: leg])]
    graph = zk.Graph.from_edges(np.column_stack([above, np.arange(1, n)]))
    order = np.argsort(-(np.arange(n) % leg), kind="stable")
    return graph, order, np.arange(n) // leg % 2


SHAPES = (caterpillar, path, broom, star, star_of_paths, binary, comb)


def play(shape, n, inner, weighted):
    graph, order, ones = shape(n)
    if weighted:
        weights = np.random.default_rng(0).integers(1, 4, graph.num_edges)
        graph = zk.Graph.from_edges(graph.edges, weights, num_nodes=graph.num_nodes)
    state = SpanningTree(trees=1, inner=inner).start(graph)
    state.play(order, 2 * ones[order] - 1, 0, len(order), np.zeros(len(order)))
    return state


def steps(state):
    counted = int(state.hinges.used[[STEPS, WALKED]].sum())
    return counted if state.balanced is None else counted + int(state.balanced.steps[0])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("inner", STRATEGIES)
@pytest.mark.parametrize("shape", SHAPES)
def test_bad_orders_take_logarithmically_many_steps(shape, inner, weighted):
    """Steps counted in the code, for a label and a prediction of every node: no clock."""
    for n in (1 << 10, 1 << 12, 1 << 14):
        state = play(shape, n, inner, weighted)
        assert steps(state) <= 4 * n * math.log2(n)


def test_without_balancing_the_count_would_be_linear(monkeypatch):
    """The test above can fail."""
    from zerokelvin.learners.trees.tree_opt import HingeState

    few = play(caterpillar, 1 << 12, "longest-path", False)
    monkeypatch.setattr(HingeState, "_settle_if_worn", lambda _self: None)
    graph, order, ones = caterpillar(1 << 12)
    state = SpanningTree(trees=1, inner="longest-path").start(graph)
    for node in order.tolist():
        state.margin(node)
        state.update(node, int(2 * ones[node] - 1))
    assert steps(state) > 50 * steps(few)
    assert state.hinges.used[EXCESS] > 0


@pytest.mark.parametrize("shape", SHAPES)
def test_no_node_is_far_below_the_top(shape):
    """O(log n) rows, whatever the shape and whichever leaf is the root."""
    n = 1 << 12
    graph, order, _ = shape(n)
    forest, hinges = laid_out(graph), None
    for root in (int(order[0]), 0, n - 1):
        hinges = new_hinges(forest)
        update_committee(forest, hinges, 1, root, 1)
        balanced = balance(forest, hinges, STRATEGIES["tree-opt"])
        assert (balanced.links[:n, ABOVE] >= 0).sum() >= n - 1
        assert max(len(_trail(balanced.links, node)) for node in range(n)) <= 2.5 * math.log2(n) + 4


def test_a_worn_state_balances_itself_and_votes_as_before():
    """Through a session's calls, one label and one prediction at a time, and in a committee."""
    graph, order, ones = caterpillar(1000)
    for trees in (1, 3):
        compiled, stepwise = (SpanningTree(trees=trees).start(graph) for _ in range(2))
        margins = np.zeros(len(order))
        compiled.play(order, 2 * ones[order] - 1, 3, 900, margins)
        found = []
        for t, node in enumerate(order.tolist()):
            found.append(stepwise.margin(node))
            if t >= 3:
                stepwise.update(int(order[t - 3]), int(2 * ones[order[t - 3]] - 1))
        assert compiled.balanced is not None
        assert stepwise.balanced is not None
        assert found[:900] == margins[:900].tolist()
        assert compiled.explain(int(order[-1])) != []


def test_a_component_first_labelled_after_balancing():
    """Components come and go in one forest; each is laid out when it gets its first label."""
    first, order, ones = caterpillar(600)
    edges = np.vstack([first.edges, first.edges + 600])
    graph = zk.Graph.from_edges(edges, num_nodes=1200)
    states = [SpanningTree(trees=1).start(graph), SpanningTree(trees=1).start(first)]
    for node in order.tolist():
        states[0].update(node, int(2 * ones[node] - 1))
        assert states[0].margin(600) == 0
    assert states[0].balanced is not None
    for node in order[:400].tolist():
        for state, shift in zip(states, (600, 0), strict=True):
            state.update(node + shift, int(2 * ones[node] - 1))
        assert states[0].margin(int(order[-1]) + 600) == states[1].margin(int(order[-1]))
