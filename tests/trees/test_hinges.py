"""Hinges, messages and strategies against all minimum cuts of thousands of small forests."""

import numpy as np
import pytest

import naive.trees as naive
import zerokelvin as zk
from naive.flow import all_minimum_cuts
from zerokelvin.flow.static.picard_queyranne import picard_queyranne
from zerokelvin.trees.online.forest import attach, make_forest
from zerokelvin.trees.online.hinges import HINGE, LABEL, fork_balance, new_hinges
from zerokelvin.trees.online.reasons import deciding_hinges
from zerokelvin.trees.online.strategies import STRATEGIES, update_committee, vote
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees

pytestmark = pytest.mark.kernels


def labelled(rng, largest=9, weighted=None):
    """A small forest with labels given one by one, some twice and differently."""
    graph = naive.small_forest(rng, largest, weighted)
    forest = make_forest(graph, [SpanningTrees(graph).draw(rng)])
    hinges, labels = new_hinges(forest), {}
    for _ in range(int(rng.integers(1, graph.num_nodes + 3))):
        node, label = int(rng.integers(graph.num_nodes)), int(rng.choice([-1, 1]))
        update_committee(forest, hinges, 1, node, label)
        labels[node] = label
    return graph, forest, hinges, labels


@pytest.mark.parametrize("seed", range(8))
def test_every_strategy_by_definition(seed):
    rng = np.random.default_rng(seed)
    for _ in range(150):
        graph, forest, hinges, labels = labelled(rng)
        for strategy, code in STRATEGIES.items():
            votes = [vote(forest, hinges, node, code) for node in range(graph.num_nodes)]
            assert [int(np.sign(v)) for v in votes] == naive.predictions(graph, labels, strategy), (
                strategy,
                graph.edges.tolist(),
                graph.edge_weights.tolist(),
                labels,
            )
            assert max(map(abs, votes)) <= 1


@pytest.mark.parametrize("seed", range(3))
def test_longest_path_is_that_of_the_picard_queyranne_graph(seed):
    """On larger trees than can be enumerated, against the maximum-flow code."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        graph, forest, hinges, labels = labelled(rng, largest=40)
        pq = picard_queyranne(graph, labels)
        for node in range(graph.num_nodes):
            value = vote(forest, hinges, node, STRATEGIES["longest-path"])
            here = int(pq.super_vertex[node])
            place = pq.place(node)
            if not any(graph.components[other] == graph.components[node] for other in labels):
                assert value == 0
            elif place != "inner":
                assert value == (-1 if place == "source" else 1)
            else:
                source, target = int(pq.longest_from_source[here]), int(pq.longest_to_target[here])
                tie = source == target
                assert value == (-1e-9 if tie else pytest.approx((source - target) / (source + target)))


def test_hinges_and_lines_by_definition():
    rng = np.random.default_rng(5)
    for _ in range(300):
        graph, _, hinges, labels = labelled(rng, largest=14)
        for node in range(graph.num_nodes):
            reach = naive.branches(graph, labels, node)
            on_hull = node in labels or len(reach) >= 2
            is_hinge = node in labels or len(reach) >= 3
            assert bool(hinges.nodes[node, HINGE]) == is_hinge
            assert hinges.nodes[node, LABEL] == labels.get(node, 0)
            if reach or node in labels:
                assert (attach(hinges.rooted, node) == node) == on_hull
        assert hinges.used[0] <= graph.num_nodes


def test_a_message_sent_down_is_what_the_rest_of_the_tree_says():
    """Δ of a fork is the cost of −1 less the cost of +1, from all labelings."""
    rng = np.random.default_rng(6)
    seen = 0
    for _ in range(400):
        graph, forest, hinges, labels = labelled(rng, largest=10)
        unit = graph.edge_weights[0] if forest.uniform and graph.num_edges else 1
        known = {node: (1 if y > 0 else 0) for node, y in labels.items()}
        for node in range(graph.num_nodes):
            if hinges.nodes[node, HINGE] and node not in labels:
                cost = [
                    all_minimum_cuts(graph.num_nodes, graph.edges, graph.edge_weights, {**known, node: y})[0]
                    for y in (0, 1)
                ]
                assert fork_balance(hinges, node) * unit == cost[0] - cost[1]
                seen += 1
    assert seen > 30


def test_deciding_hinges_are_the_labels_next_to_a_node():
    rng = np.random.default_rng(7)
    for _ in range(200):
        graph, _, hinges, labels = labelled(rng, largest=12)
        for node in range(graph.num_nodes):
            expected, stack, seen = set(), [node], {node}
            while stack:  # walk until a label stops the way
                at = stack.pop()
                if at in labels:
                    expected.add(at)
                    continue
                fresh = [v for v in graph.neighbors(at).tolist() if v not in seen]
                seen.update(fresh)
                stack.extend(fresh)
            found, signs = deciding_hinges(hinges, node)
            assert set(found.tolist()) == expected
            assert [labels[v] for v in found.tolist()] == signs.tolist()


def test_large_trees_in_every_order():
    """A path labelled from one end, and from both."""
    n = 2000
    path = zk.Graph.from_edges([(i, i + 1) for i in range(n - 1)])
    forest = make_forest(path, [SpanningTrees(path).draw(np.random.default_rng(0))])
    for order in (range(n), [i // 2 if i % 2 else n - 1 - i // 2 for i in range(n)]):
        hinges = new_hinges(forest)
        mistakes = 0
        for node in order:
            label = -1 if node < n // 3 else 1
            mistakes += np.sign(vote(forest, hinges, node, 0)) != label
            update_committee(forest, hinges, 1, node, label)
        assert mistakes <= 3
