"""Online LLGC against Algorithm 1 by definition, its bounds, and the figures of Table 2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.runtime import _nrt_python, rtsys

from naive.learners import ollgc as naive
from strategies import games
from zerokelvin import Graph, play, play_shuffles, start
from zerokelvin.errors import ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.learners import Trials, make
from zerokelvin.learners.base import signs_of
from zerokelvin.learners.consistency.ollgc import Ollgc
from zerokelvin.learners.ridge.dual_ridge import DualRidgeState
from zerokelvin.learners.ridge.instances import Coordinates
from zerokelvin.learners.ridge.ridge import RidgeState
from zerokelvin.least_squares.growing_inverse import REFRESH, inverse_of
from zerokelvin.solve.dense import dense_inverse
from zerokelvin.solve.operator import Operator
from zerokelvin.spectral.embedding_features import laplacian_coordinates

MUS = st.sampled_from([0.01, 0.3, 1.0, 10.0])


def distinct_spectrum(graph, rank):
    """Whether the rank cuts between two eigenvalues that differ, so that the embedding's kernel is unique."""
    values = np.linalg.eigvalsh(graph.laplacian().toarray())[graph.num_components :]
    return len(values) <= rank - 1 or values[rank - 1] - values[rank - 2] > 1e-6


@pytest.mark.kernels
@given(games(), MUS, st.booleans())
def test_full_rank_equals_algorithm_1(game, mu, every_round):
    graph, _, trials = game
    rows = naive.embedding(graph, 100, 2.0)
    margins, _, learnt = naive.run(rows, trials, mu, every_round=every_round)
    for rank in (100, None):
        state = Ollgc(rank=rank, mu=mu, every_round=every_round).start(graph)
        for (node, label), expected, flag in zip(trials, margins, learnt, strict=True):
            assert state.margin(node) == pytest.approx(expected, abs=1e-7)
            if state.mistakes and abs(expected) < 1e-7:
                return  # the sign of a tie is rounding's choice
            state.update(node, label)
            assert state.seen_learnt[-1] == flag


@pytest.mark.kernels
@given(games(connected=True), st.integers(1, 6), MUS, st.sampled_from([0.0, 2.0]))
def test_low_rank_equals_algorithm_1(game, rank, mu, b):
    graph, _, trials = game
    if not distinct_spectrum(graph, rank if b > 0 else rank + 1):
        return
    rows = naive.embedding(graph, rank, b)
    margins, _, _ = naive.run(rows, trials, mu)
    state = Ollgc(rank=rank, mu=mu, b=b).start(graph)
    for t, ((node, label), expected) in enumerate(zip(trials, margins, strict=True)):
        assert state.margin(node) == pytest.approx(expected, abs=1e-6)
        if (t and abs(expected) < 1e-7) or np.linalg.norm(rows[node]) < 1e-7:
            return  # the sign of a tie, and whether a row is 0, is rounding's choice
        state.update(node, label)


def test_coordinates_reproduce_the_kernel():
    graph = Graph.from_edges([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)], num_nodes=7)
    rows = laplacian_coordinates(graph, 100, b=0.5)
    np.testing.assert_allclose(rows @ rows.T, dense_inverse(Operator(graph)) + 0.5, atol=1e-9)
    assert laplacian_coordinates(graph, 1, b=0.5).tolist() == [[np.sqrt(0.5)]] * 7
    assert laplacian_coordinates(graph, 3, b=0.0).shape == (7, 3)


@pytest.mark.kernels
@given(games(), st.booleans())
def test_mistakes_within_both_bounds(game, dual):
    graph, labels, trials = game
    state = Ollgc(rank=None if dual else 5, mu=0.7).start(graph)
    mistakes = 0
    for node, label in trials:
        mistakes += (state.margin(node) >= 0) != (label > 0)
        state.update(node, label)
    for theorem in ("3.1", "5", "best"):
        bound = state.bound(labels, theorem)
        assert bound.holds
        assert bound.allows(mistakes), (theorem, bound)
    assert state.bound(labels).value == min(state.bound(labels, t).value for t in ("3.1", "5"))


@pytest.mark.kernels
@given(games(), MUS)
def test_regret_within_corrected_theorem_4(game, mu):
    graph, labels, trials = game
    state = Ollgc(rank=6, mu=mu, every_round=True).start(graph)
    for node, label in trials:
        state.update(node, label)
    rows = state.seen_points(state.source)
    y = np.array(state.seen_labels, dtype=float)
    learnt = np.array(state.seen_learnt, dtype=bool)
    best = state.weights
    regret = 0.5 * state.losses().sum() - 0.5 * ((rows[learnt] @ best - y[learnt]) ** 2).sum()
    assert regret <= state.bound(labels, "4").value + 1e-9


def test_printed_corollary_5_fails():
    """One edge, labels −1 and +1: u fits exactly, so γ = 0 and ½‖f−y‖² = 0, and (μ/2) fᵀLf = 2μ < 1."""
    graph, mu = Graph.from_edges([(0, 1)]), 0.1
    labels = np.array([-1, 1])
    state = Ollgc(rank=100, mu=mu, b=0.0).start(graph)
    mistakes = 0
    for node in (0, 1):
        mistakes += (state.margin(node) >= 0) != (labels[node] > 0)
        state.update(node, int(labels[node]))
    u = np.linalg.lstsq(state.source.matrix, labels.astype(float))[0]
    assert np.allclose(state.source.matrix @ u, labels)
    smoothness = labels @ graph.laplacian() @ labels
    printed = 0.5 * 0 + 0.5 * mu * smoothness + 0.0
    assert smoothness == 4 == 4 * 1  # fᵀLf = 4Φ, not the 2Φ of Lemma 3
    assert mistakes == 1 > printed
    assert state.bound(labels, "5").allows(mistakes)


@pytest.mark.kernels
def test_the_covariance_is_shared_in_every_round():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 30, (70, 2)), num_nodes=30)
    learner = Ollgc(rank=8, every_round=True)
    prepared = learner.prepare(graph)
    shared = learner.start_game(graph, 3, prepared, 0)
    alone = [learner.start(graph, prepared) for _ in range(3)]
    assert shared.kept.shape[0] == 1
    for node in rng.integers(0, 30, 200):
        code = int(rng.integers(3))
        shared.learn(int(node), code)
        for c, state in enumerate(alone):
            state.update(int(node), 1 if c == code else -1)
    together = shared.scores(np.arange(30))
    for c, state in enumerate(alone):
        np.testing.assert_allclose(together[:, c], state.margins(np.arange(30)), atol=1e-10)
        assert dict(shared.explain(3, c)) == pytest.approx(dict(state.explain(3)), abs=1e-10)
    labels = [rng.choice([-1, 1], 30) for _ in alone]
    apart = sum(state.bound(u).value for state, u in zip(alone, labels, strict=True))
    assert shared.bound(labels).value == pytest.approx(apart)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"every_round": True},
        {"kappa": 0.6},
        {"kappa": 0.6, "every_round": True},
        {"mu": 1e-9},  # refreshed after most of the first updates
        {"mu": 1e-9, "every_round": True},
    ],
)
@pytest.mark.parametrize("policy", [None, "variance", "doubt"])
def test_compiled_play_on_many_trials(params, policy):
    """More trials than a block has lanes, with repeats, delay and policies that see the variance."""
    rng = np.random.default_rng(5)
    graph = Graph.from_edges(rng.integers(0, 40, (90, 2)), num_nodes=40)
    learner = make("sslgc" if "kappa" in params else "ollgc", rank=9, **params)
    prepared = learner.prepare(graph)
    nodes = rng.integers(0, 40, 150)
    signs = signs_of(rng.integers(3, size=150), 3)
    gains = {None: None, "variance": np.zeros(150), "doubt": np.sqrt(np.log(np.arange(150) + 1.0))}[policy]
    floors = {None: None, "variance": (np.arange(150) + 1.0) ** -0.3, "doubt": np.full(150, -1.0)}[policy]
    limits = np.zeros(150) if policy == "doubt" else np.full(150, np.inf)
    for delay in (0, 3):
        trials = Trials(nodes, signs, limits, delay, 100, gains, floors)
        fast, slow = (learner.start_game(graph, 3, prepared, 0) for _ in range(2))
        one = fast.play(trials)
        two = super(type(slow), slow).play(trials)
        np.testing.assert_array_equal(one.margins, two.margins)
        np.testing.assert_array_equal(one.asked, two.asked)
        for state, other in zip(fast.problems, slow.problems, strict=True):
            assert state.seen_nodes.tolist() == other.seen_nodes.tolist()
            assert state.seen_learnt == other.seen_learnt


@pytest.fixture
def counted_memory():
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("name", ["ollgc", "sslgc", "bbq"])
def test_no_memory_is_taken_per_trial(name, counted_memory):
    """A game of 4,000 trials takes memory as often as one of 40."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(50, 12))
    learner, taken = make(name), []
    for count in (40, 4000):
        nodes, signs = rng.integers(0, 50, count), signs_of(rng.integers(3, size=count), 3)
        trials = Trials(nodes, signs, np.full(count, np.inf), 0, 10**9)
        game = learner.start_game(Features(rows), 3, Coordinates(rows, None, 0.0), 0)
        game.play(trials)  # loads the machine code
        game = learner.start_game(Features(rows), 3, Coordinates(rows, None, 0.0), 0)
        before = rtsys.get_allocation_stats().alloc
        game.play(trials)
        taken.append(rtsys.get_allocation_stats().alloc - before)
        assert game.problems[0].mistakes >= count // 40
    assert 0 < taken[1] == taken[0]


@pytest.mark.kernels
@given(games(connected=True))
def test_explanation_sums_to_the_margin(game):
    graph, _, trials = game
    for rank in (4, None):
        state = Ollgc(rank=rank).start(graph)
        for node, label in trials:
            state.update(node, label)
        for node in range(graph.num_nodes):
            assert sum(share for _, share in state.explain(node)) == pytest.approx(
                state.margin(node), abs=1e-8
            )


@pytest.mark.parametrize("d", [10, 100])
def test_drift_after_many_updates_is_bounded(d):
    """d·20,000 updates, ending just before a refresh, keep A⁻¹ positive definite and near a fresh one."""
    rng = np.random.default_rng(1)
    mu, refreshes = 1e-3, -(-20_000 * d // REFRESH)
    count = (refreshes + 1) * REFRESH - 1
    rows = rng.normal(size=(2000, d)) * np.geomspace(1, 1e-3, d)
    nodes = rng.integers(0, len(rows), count)
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), (count, 1))
    learner = Ollgc(mu=mu, b=0.0, every_round=True)
    game = learner.start_game(Features(rows), 2, None, 0)
    game.play(Trials(nodes, signs, np.full(count, np.inf), 0, count))
    (state,) = game.problems
    assert state.kept[0, 0] == REFRESH - 1  # rows since the last refresh
    counts = np.bincount(nodes, minlength=len(rows))
    sums = np.bincount(nodes, weights=signs[:, 0], minlength=len(rows))
    fresh = mu * np.eye(d) + rows.T @ (counts[:, None] * rows)
    inverse, weights = np.linalg.inv(fresh), np.linalg.solve(fresh, rows.T @ sums)
    kept = inverse_of(state.kept, d)
    assert np.linalg.eigvalsh(kept).min() > 0
    scale = np.sqrt(np.outer(np.diag(inverse), np.diag(inverse)))
    assert (np.abs(kept - inverse) / scale).max() < 1e-9
    assert np.abs(state.weights - weights).max() < 1e-8 * np.abs(weights).max()


def test_drift_method_measures_against_a_fresh_factorisation():
    graph = Graph.from_edges([(i, i + 1) for i in range(29)])
    state = Ollgc(rank=10, every_round=True, mu=1e-3).start(graph)
    for t in range(3000):
        state.update(t % 30, 1 if t % 7 else -1)
    assert state.drift() < 1e-10
    state.kept[3, 0] *= 1.001
    assert state.drift() > 1e-6


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"rank": 0}, "rank=0"),
        ({"mu": 0.0}, "mu=0.0"),
        ({"mu": float("nan")}, "mu=nan"),
        ({"b": -1.0}, "b=-1.0"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        Ollgc(**params)


def test_kinds_of_state():
    graph = Graph.from_edges([(0, 1)])
    assert isinstance(Ollgc().start(graph), RidgeState)
    assert isinstance(Ollgc(rank=None).start(graph), DualRidgeState)
    with pytest.raises(ParameterError, match=r"zk\.Features"):
        Ollgc().start(graph).margin(np.zeros(2))
    with pytest.raises(ParameterError, match="unknown theorem"):
        Ollgc().start(graph).bound(np.array([1, -1]), "7")


def test_session_saves_a_shared_covariance(tmp_path):
    from zerokelvin import load

    graph = Graph.from_edges([(i, i + 1) for i in range(9)])
    session = start(graph, "ollgc", classes=["a", "b", "c"], every_round=True, rank=4)
    for node in (0, 4, 8, 1):
        session.learn(node, "abc"[node % 3])
    session.save(tmp_path / "s.zk")
    assert load(tmp_path / "s.zk", graph).predict(5) == session.predict(5)


@pytest.mark.data
def test_table_2_on_cora(data_folder):
    arrays = np.load(data_folder / "cora.npz")
    graph, nodes = Graph.from_edges(arrays["edges"], num_nodes=int(arrays["n"])).largest_component()
    labels = arrays["labels"][nodes]
    ollgc = play_shuffles(graph, labels, "ollgc", shuffles=20, mu=1.0)
    sslgc = play_shuffles(graph, labels, "sslgc", shuffles=20, mu=1.0, kappa=0.4)
    assert ollgc.mean("error_binary") == pytest.approx(0.0758, abs=0.001)
    assert sslgc.mean("error_binary") == pytest.approx(0.0832, abs=0.004)
    assert sslgc.mean("queries") == pytest.approx(1525, rel=0.03)
    every = play(graph, labels, "ollgc", mu=0.1, every_round=True)
    assert every.error_binary < 0.06
