"""Propagation against its definition, its bound, and the figures it is known for."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.learners.propagation as naive
import strategies
import zerokelvin as zk
from naive.class_games import as_trials, class_games, comparators, dataset, mistakes
from zerokelvin.errors import ParameterError
from zerokelvin.kernels.relaxation import Relaxation
from zerokelvin.learners.gaussian.diffusion import EXPLAINED
from zerokelvin.learners.gaussian.propagation import Propagation

KERNELS = st.sampled_from(
    ["regularized:0.1", "regularized:2", "normalized:0.1", "normalized:1", "pagerank:0.85"]
)


@pytest.mark.kernels
@settings(max_examples=60)
@given(strategies.graphs(max_nodes=12), st.sampled_from([1e-1, 1e-3, 1e-8]), st.data())
def test_relaxation_keeps_its_certified_error(graph, tol, data):
    """After any changes of right-hand sides and diagonal, every value is within tol of a dense solve."""
    n = graph.num_nodes
    excess = np.array(data.draw(st.lists(st.floats(0.05, 3), min_size=n, max_size=n)))
    relaxation = Relaxation(graph, excess, channels=2, tol=tol)
    right = np.zeros((2, n))
    for _ in range(data.draw(st.integers(1, 8))):
        node = data.draw(st.integers(0, n - 1))
        amount = data.draw(st.floats(-2, 2))
        if data.draw(st.booleans()):
            channel = data.draw(st.integers(0, 1))
            relaxation.add(channel, node, amount)
            right[channel, node] += amount
        else:
            relaxation.load(node, abs(amount))
            excess[node] += abs(amount)
    inverse = np.linalg.inv(graph.laplacian().toarray() + np.diag(excess))
    exact = right @ inverse
    assert np.abs(relaxation.x - exact).max() <= tol + 1e-9
    assert np.abs(relaxation.x - exact).max() <= relaxation.error + 1e-9
    for channel in range(2):
        read = [relaxation.value(channel, i) for i in range(n)]
        assert np.abs(read - exact[channel]).max() <= tol + 1e-9
    assert np.abs(relaxation.column(0) - inverse[:, 0]).max() <= tol + 1e-9


def test_relaxation_refuses():
    line = zk.Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="tol=0"):
        Relaxation(line, np.ones(2), 1, 0.0)
    with pytest.raises(ParameterError, match="excess"):
        Relaxation(line, np.array([1.0, 0.0]), 1, 0.1)


@pytest.mark.kernels
@settings(max_examples=60)
@given(class_games(), KERNELS, st.sampled_from([0.0, 0.01]))
def test_agrees_with_the_definition(game, kernel, b):
    graph, classes, trials, _ = game
    learner = Propagation(kernel=kernel, b=b, tol=1e-10)
    game = learner.start_game(graph, classes)
    expected = naive.play(naive.kernel(graph, kernel), trials, classes, b)
    trace = game.play(as_trials(trials, classes))
    np.testing.assert_allclose(trace.margins, expected, atol=1e-6)


@settings(max_examples=150)
@given(class_games(), st.sampled_from(["heat:0.7", "normalized:0.3", "regularized:0.5"]))
def test_columns_agree_with_the_definition(game, kernel):
    graph, classes, trials, _ = game
    learner = Propagation(kernel=kernel, b=0.0, engine="auto")
    game = learner.start_game(graph, classes)
    expected = naive.play(naive.kernel(graph, kernel), trials, classes)
    np.testing.assert_allclose(game.play(as_trials(trials, classes)).margins, expected, atol=1e-5)


@settings(max_examples=40)
@given(class_games(), KERNELS, st.sampled_from([0.3, 0.01]))
def test_the_tolerance_is_kept(game, kernel, tol):
    """The sum of all votes is within tol, times the scale of the kernel in units of the mean weight."""
    graph, classes, trials, _ = game
    game = Propagation(kernel=kernel, b=0.0, tol=tol).start_game(graph, classes, None, 0)
    for node, code in trials:
        game.diffusion.learn(node, code)
    matrix = naive.kernel(graph, kernel)
    power = {"regularized": 0, "normalized": 0.5, "pagerank": 1}[kernel.split(":")[0]]
    unit = graph.edge_weights.mean() ** power if graph.num_edges else 1.0
    out = game.diffusion.system.out / unit
    for node in range(graph.num_nodes):
        exact = [sum(matrix[node, i] for i, c in trials if c == k) for k in range(max(2, classes))]
        assert np.abs(game.diffusion.values(node) - exact).max() <= tol * out[node] + 1e-9


@settings(max_examples=60)
@given(class_games(), st.sampled_from(["regularized:0.1", "normalized:0.5", "heat:0.5"]))
def test_mistakes_stay_within_the_bound(game, kernel):
    graph, classes, trials, codes = game
    game = Propagation(kernel=kernel, tol=1e-6).start_game(graph, classes, None, 0)
    trace = game.play(as_trials(trials, classes))
    bound = game.bound(comparators(codes, classes))
    assert bound.holds or kernel == "heat:0.5"  # a heavy edge makes the heat kernel singular to rounding
    assert bound.allows(mistakes(trace.margins, trials, classes)) or not bound.holds


def test_the_bound_can_be_below_the_trials():
    """Two cliques, a weak link, many repeats: some trials are proven right."""
    example = zk.generators.barbell(10)
    nodes = np.tile(np.arange(20), 30)
    trials = [(int(i), int(example.labels[i] > 0)) for i in nodes]
    game = Propagation(kernel="regularized:0.01", tol=1e-4).start_game(example.graph, 2, None, 0)
    trace = game.play(as_trials(trials, 2))
    bound = game.bound([np.asarray(example.labels)])
    assert bound.allows(mistakes(trace.margins, trials, 2))
    assert bound.value < len(trials) - 10


def rival(game, column, node):
    values = game.diffusion.values(node)
    values[1 if game.columns == 1 else column] = -np.inf
    return int(np.argmax(values))


@settings(max_examples=100)
@given(class_games(), KERNELS)
def test_shares_sum_to_the_margin(game, kernel):
    graph, classes, trials, _ = game
    fine = Propagation(kernel=kernel, tol=1e-9).start_game(graph, classes)
    fine.play(as_trials(trials, classes))
    coarse = Propagation(kernel=kernel).start_game(graph, classes)
    coarse.play(as_trials(trials, classes))
    for node in range(graph.num_nodes):
        for column in range(coarse.columns):
            shares = coarse.explain(node, column)
            margin, exact = coarse.score(node)[column], fine.score(node)[column]
            assert math.fsum(share for _, share in shares) == pytest.approx(margin, abs=1e-5)
            expected = dict(fine.explain(node, column))
            if margin * exact > 0 and rival(coarse, column, node) == rival(fine, column, node):
                system, seen = coarse.diffusion.system, coarse.diffusion.counts.sum(axis=0)
                certified = EXPLAINED * system.out[node] * float(system.into @ seen)
                slack = 1e-6 + abs(margin - exact) + 2 * certified
                assert all(abs(share - expected[other]) <= slack for other, share in shares)


def test_a_node_no_vote_reaches_follows_the_class_counts():
    """A long path, votes that stop early: the far end takes the most frequent class, not the first."""
    path = zk.Graph.from_edges([(i, i + 1) for i in range(400)])
    session = zk.start(path, "propagation", classes=["a", "b", "c"])
    for node, label in ((0, "b"), (2, "b"), (3, "a")):
        session.learn(node, label)
    assert session.predict(400).label == "b"


def test_refusals():
    line = zk.Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="b=-1"):
        Propagation(b=-1)
    with pytest.raises(ParameterError, match="tol=0"):
        Propagation(tol=0)
    with pytest.raises(ParameterError, match="positive number"):
        Propagation(kernel="regularized:0").start(line)
    with pytest.raises(ParameterError, match="'x' is no number; write pagerank:ALPHA"):
        Propagation(kernel="pagerank:x").start(line)
    with pytest.raises(ParameterError, match="strictly between"):
        Propagation(kernel="pagerank:1").start(line)
    with pytest.raises(ParameterError, match="unknown kernel"):
        Propagation(kernel="rbf:1").start(line)


@pytest.mark.data
@pytest.mark.parametrize(("name", "binary", "multi"), [("cora", 0.0475, 0.164), ("pubmed", 0.1225, 0.183)])
def test_known_figures(name, binary, multi):
    runs = zk.play_shuffles(*dataset(name), "propagation", shuffles=2)
    assert runs.mean("error_binary") <= binary
    assert runs.mean("error_multiclass") <= multi


@given(class_games(max_nodes=8), KERNELS)
def test_columns_by_solves_vote_as_local_push_does(game, kernel):
    graph, classes, trials, _ = game
    push = Propagation(kernel=kernel, tol=1e-9).start_game(graph, classes)
    solve = Propagation(kernel=kernel, engine="auto", tol=1e-9).start_game(graph, classes)
    for node, code in trials:
        assert solve.score(node) == pytest.approx(push.score(node), abs=1e-5)
        push.learn(node, code)
        solve.learn(node, code)
    for node in range(graph.num_nodes):
        for column, margin in enumerate(solve.score(node)):
            shares = solve.explain(node, column)
            assert math.fsum(share for _, share in shares) == pytest.approx(margin, abs=1e-7)


def test_the_reason_states_the_certified_error():
    line = zk.Graph.from_edges([(0, 1), (1, 2)])
    session = zk.start(line, "propagation", classes=[0, 1], kernel="regularized:0.5", tol=0.01)
    session.learn(0, 1)
    assert "its margin is exact up to 0.02;" in session.predict(2).reason
    exact = zk.start(line, "propagation", classes=[0, 1], kernel="regularized:0.5", engine="dense")
    exact.learn(0, 1)
    assert session.predict(2).margin == pytest.approx(exact.predict(2).margin, abs=0.02)


@pytest.mark.parametrize("kernel", ["normalized:0.1", "pagerank:0.85"])
@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e4, 1e12])
def test_the_unit_of_the_weights_does_not_matter(kernel, unit):
    example = zk.generators.planted_partition([30, 30], 0.2, 0.03, np.random.default_rng(0))
    graph = example.graph
    other = zk.Graph.from_edges(graph.edges, unit * graph.edge_weights, num_nodes=graph.num_nodes)
    plain = zk.play(graph, example.labels, "propagation", kernel=kernel)
    scaled = zk.play(other, example.labels, "propagation", kernel=kernel)
    assert scaled.margins == pytest.approx(plain.margins, abs=1e-5)


@pytest.mark.parametrize("name", ["propagation", "gaussian"])
def test_kernels_that_reach_too_far_for_push_are_computed_by_columns(name):
    line = zk.Graph.from_edges([(i, i + 1) for i in range(39)], weights=[1e6] * 39)
    labels = [0] * 20 + [1] * 20
    far = zk.play(line, labels, name, kernel="regularized:0.1")
    assert far.margins == pytest.approx(
        zk.play(line, labels, name, kernel="regularized:0.1", engine="direct").margins, abs=1e-6
    )
    session = zk.start(zk.Graph.from_edges([(0, 1)]), name, classes=[0, 1], kernel="regularized:0.1")
    session.learn(0, 1)
    session.add_nodes(1, edges=[(1, 2)], weights=[1e6])  # now another engine
    fresh = zk.start(session.graph, name, classes=[0, 1], kernel="regularized:0.1")
    fresh.learn(0, 1)
    for node in range(3):
        assert session.predict(node).margin == pytest.approx(fresh.predict(node).margin)


def test_a_growth_that_changes_the_unit_keeps_the_certified_error():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(11)], weights=[1e-2] * 11)
    session = zk.start(line, "propagation", classes=[0, 1], tol=0.3)
    session.learn(0, 1)
    session.add_nodes(
        2, edges=[(11, 12), (12, 13)], weights=[1e2] * 2
    )  # the mean weight is 1,800 times larger
    exact = zk.start(session.graph, "propagation", classes=[0, 1], engine="dense")
    exact.learn(0, 1)
    allowed = 0.3 * np.sqrt(session.graph.degrees / session.graph.edge_weights.mean())
    gaps = [session.predict(i).scores[1] - exact.predict(i).scores[1] for i in range(14)]
    assert (np.abs(gaps) <= 2 * allowed + 1e-9).all()
