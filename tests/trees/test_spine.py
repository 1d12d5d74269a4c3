"""The spine of a tree, and nearest labels along it."""

import numpy as np
import pytest

import naive.trees as naive
import zerokelvin as zk
from zerokelvin.errors import GraphError
from zerokelvin.graph import cut
from zerokelvin.trees.online.drawn_spines import lay_out
from zerokelvin.trees.online.neighbours import new_marks, spine_committee, update_spines
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees
from zerokelvin.trees.spanning.spine import linearise

pytestmark = pytest.mark.kernels


def tree_path(tree, u, v):
    parent = {u: None}
    queue = [u]
    for at in queue:
        for other in tree.neighbors(at).tolist():
            if other not in parent:
                parent[other] = at
                queue.append(other)
    path = []
    while v != u:
        path.append(tree.weight(v, parent[v]))
        v = parent[v]
    return path


def test_joints_are_the_least_weights_and_order_is_depth_first():
    rng = np.random.default_rng(0)
    for _ in range(400):
        tree = naive.small_forest(rng, largest=12)
        spine = linearise(tree)
        assert sorted(spine.order.tolist()) == list(range(tree.num_nodes))
        assert (spine.position[spine.order] == np.arange(tree.num_nodes)).all()
        parts = tree.components[spine.order]
        assert (np.diff(parts) != 0).sum() == tree.num_components - 1  # one component after the other
        uses = {}
        for i in range(tree.num_nodes):
            if i + 1 == tree.num_nodes or parts[i] != parts[i + 1]:
                assert spine.weights[i] == 0
                continue
            path = tree_path(tree, int(spine.order[i]), int(spine.order[i + 1]))
            assert spine.weights[i] == min(path)
            uses[i] = len(path)
        edges = tree.num_edges
        assert sum(uses.values()) <= 2 * edges  # every tree edge lies between at most two neighbours


def test_a_labelling_cuts_the_spine_at_most_twice_as_much():
    rng = np.random.default_rng(1)
    for _ in range(400):
        tree = naive.small_forest(rng, largest=12)
        labels = rng.choice([-1, 1], tree.num_nodes)
        assert cut(linearise(tree).as_graph(), labels) <= 2 * cut(tree, labels) + 1e-9


def test_nearest_labels_by_definition():
    rng = np.random.default_rng(2)
    for _ in range(500):
        tree = naive.small_forest(rng, largest=11)
        spines = lay_out(tree, [SpanningTrees(tree).draw(rng)], [rng])
        marks, labels = new_marks(spines), {}
        for _ in range(int(rng.integers(1, tree.num_nodes + 3))):
            node, label = int(rng.integers(tree.num_nodes)), int(rng.choice([-1, 1]))
            update_spines(spines, marks, 1, node, label)
            labels[node] = label
        order = np.argsort(spines.place)
        gaps = np.diff(spines.height)
        joint = np.where(np.diff(spines.part) == 0, 1 / np.where(gaps > 0, gaps, 1.0), 0.0)
        assert (np.diff(tree.components[order])[joint > 0] == 0).all()
        expected = naive.spine_nearest(order, np.round(joint, 9), labels)
        votes = [spine_committee(spines, marks, 1, node) for node in range(tree.num_nodes)]
        assert [int(np.sign(v)) for v in votes] == expected


def test_a_cycle_has_no_spine():
    with pytest.raises(GraphError, match="cycle"):
        linearise(zk.Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
