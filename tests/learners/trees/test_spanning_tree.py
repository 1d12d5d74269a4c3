"""spanning-tree: committees against their trees, spines against their bound, quality on real graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive.trees as trees
import strategies
import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.learners import sign
from zerokelvin.learners.trees.spanning_tree import SpanningTree
from zerokelvin.trees.spanning.spanning_trees import SpanningTrees

INNER = ("longest-path", "tree-opt", "shazoo", "nearest")


@pytest.mark.kernels
@given(
    strategies.games(max_nodes=8), st.sampled_from(["longest-path", "tree-opt", "shazoo"]), st.integers(0, 50)
)
def test_a_committee_is_the_mean_of_its_trees(game, inner, seed):
    """Each tree predicts by definition on its own; the committee's margin is the mean of the signs."""
    graph, _, trials = game
    size = 3
    rng = np.random.default_rng(seed)
    drawn = SpanningTrees(graph)
    members = []
    for _ in range(size):
        arcs = drawn.draw(rng)
        tails = np.searchsorted(graph.indptr, arcs, side="right") - 1
        edges = np.column_stack([tails, graph.indices[arcs]])
        members.append(zk.Graph.from_edges(edges, graph.weights[arcs], num_nodes=graph.num_nodes))
    if zk.trees.is_forest(graph):
        members = [graph] * size
    committee = SpanningTree(trees=size, inner=inner).start(graph, rng=np.random.default_rng(seed))
    alone = [SpanningTree(trees=1, inner=inner).start(member) for member in members]
    for node, label in trials:
        for state in (committee, *alone):
            state.update(node, label)
    for node in range(graph.num_nodes):
        votes = [int(np.sign(state.margin(node))) for state in alone]
        assert committee.margin(node) == sum(votes) / size


@pytest.mark.kernels
@pytest.mark.parametrize("inner", INNER)
@given(game=strategies.games(max_nodes=9, noisy=False), size=st.sampled_from([1, 3]), seed=st.integers(0, 20))
def test_mistakes_stay_within_the_bound(inner, game, size, seed):
    graph, labels, trials = game
    if inner != "nearest":
        graph = zk.Graph.from_edges(
            graph.edges, num_nodes=graph.num_nodes
        )  # their bound is for equal weights
    state = SpanningTree(trees=size, inner=inner).start(graph, rng=np.random.default_rng(seed))
    mistakes = 0
    for node, label in trials:
        mistakes += sign(state.margin(node)) != label
        state.update(node, label)
    bound = state.bound(labels)
    assert bound.holds
    assert bound.allows(mistakes)


@pytest.mark.kernels
def test_the_worst_order_on_a_spine_stays_within_the_bound():
    """All orders on weighted trees, by the definition of nearest on the spine the learner drew."""
    import functools

    rng = np.random.default_rng(5)
    tight = 0.0
    for trial in range(40):
        graph = trees.small_forest(rng, largest=6)
        n = graph.num_nodes
        labels = rng.choice([-1, 1], n)
        state = SpanningTree(trees=1, inner="nearest").start(graph, rng=np.random.default_rng(trial))
        spines = state.spines
        order = np.argsort(spines.place)
        gaps = np.diff(spines.height)
        joint = np.round(np.where(np.diff(spines.part) == 0, 1 / np.where(gaps > 0, gaps, 1.0), 0.0), 9)

        @functools.cache
        def most(shown, order=order, joint=joint, labels=labels, n=n):
            known = {i: int(labels[i]) for i in range(n) if shown >> i & 1}
            guess = [s or 1 for s in trees.spine_nearest(order, joint, known)]
            steps = [
                int(guess[v] != labels[v]) + most(shown | 1 << v) for v in range(n) if not shown >> v & 1
            ]
            return max(steps, default=0)

        bound = state.bound(labels)
        assert bound.holds
        assert most(0) <= bound.value
        tight = max(tight, most(0) / bound.value)
    assert tight == 1.0


@pytest.mark.kernels
@pytest.mark.parametrize("inner", INNER)
def test_late_repeated_and_corrected_labels(inner):
    """The last answer counts, whatever came before it."""
    rng = np.random.default_rng(6)
    for seed in range(30):
        graph = trees.small_forest(rng, largest=10)
        nodes = rng.permutation(graph.num_nodes)[: int(rng.integers(1, graph.num_nodes + 1))].tolist()
        labels = {int(v): int(rng.choice([-1, 1])) for v in nodes}
        learner = SpanningTree(trees=3, inner=inner)
        right, mended = (learner.start(graph, rng=np.random.default_rng(seed)) for _ in range(2))
        for node, label in labels.items():
            right.update(node, label)
            mended.update(node, -label if rng.random() < 0.5 else label)
        for node in rng.permutation(list(labels)):
            mended.update(int(node), labels[int(node)])
        assert [right.margin(v) for v in range(graph.num_nodes)] == [
            mended.margin(v) for v in range(graph.num_nodes)
        ]


def test_one_tree_predicts_like_the_learner_on_minimum_cuts():
    """`longest-path` computes flows; on a tree it must agree, weighted or not, at every trial."""
    rng = np.random.default_rng(9)
    for seed in range(12):
        plain = zk.generators.random_tree(80, rng).graph
        weights = rng.integers(1, 4, plain.num_edges) if seed % 2 else None
        graph = zk.Graph.from_edges(plain.edges, weights, num_nodes=80)
        labels = rng.choice([-1, 1], 80) if seed % 3 else np.where(np.arange(80) < 40, -1, 1)
        runs = [
            zk.play(graph, labels, "longest-path", seed=seed, repeats=2, label_noise=0.1),
            zk.play(graph, labels, "spanning-tree", trees=1, seed=seed, repeats=2, label_noise=0.1),
        ]
        assert np.array_equal(runs[0].predicted, runs[1].predicted)


def test_wta_is_another_name_for_nearest():
    line = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)], weights=[1.0, 0.1, 1.0])
    for inner in ("wta", "nearest"):
        state = SpanningTree(trees=1, inner=inner).start(line)
        state.update(0, -1)
        state.update(3, 1)
        assert [sign(state.margin(v)) for v in range(4)] == [-1, -1, 1, 1]
        assert {node for node, _ in state.explain(1)} == {0, 3}


def test_seeds_draw_trees_and_classes_share_them():
    graph = zk.generators.grid(6, 6).graph
    learner = SpanningTree(trees=1)
    forests = [[state.forest for state in learner.start_game(graph, 3, None, seed).states] for seed in (0, 1)]
    assert all(forest is forests[0][0] for forest in forests[0])
    assert not np.array_equal(forests[0][0].heads, forests[1][0].heads)


def test_refusals():
    for bad in (0, 2, -1, 1.5, True):
        with pytest.raises(ParameterError, match="trees="):
            SpanningTree(trees=bad)
    with pytest.raises(ParameterError, match="inner='deep'"):
        SpanningTree(inner="deep")
    with pytest.raises(ParameterError, match="tree='oak'"):
        SpanningTree(tree="oak")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "inner", "most"),
    [
        ("cora", "longest-path", 0.050),
        ("pubmed", "longest-path", 0.128),
        ("cora", "nearest", 0.053),
        ("pubmed", "nearest", 0.131),
    ],
)
def test_quality_of_seventeen_trees(name, inner, most, data_folder):
    data = zk.load_dataset(data_folder / f"{name}.npz")
    graph, nodes = data.graph.largest_component()
    labels = np.asarray(data.labels, dtype=object)[nodes]
    runs = zk.play_shuffles(graph, labels, "spanning-tree", trees=17, inner=inner, shuffles=2)
    assert runs.mean("error_binary") <= most
