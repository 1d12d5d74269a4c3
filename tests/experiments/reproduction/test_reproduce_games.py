"""Games on a shared embedding, and the perceptron on its rows against the one of their kernel."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.experiments.labelled_problem import Problem
from zerokelvin.experiments.reproduction.embedded_games import Job, embed, play_alone, play_jobs
from zerokelvin.graph.features import Features
from zerokelvin.learners import make, sign
from zerokelvin.spectral.embedding_features import laplacian_coordinates
from zerokelvin.sweeps.places import Threads

RNG = np.random.default_rng(5)
POINTS = np.concatenate([RNG.normal(3.0 * k, 1.0, size=(40, 2)) for k in range(3)])
GRAPH, KEPT = zk.knn_graph(POINTS, 6).largest_component()
LABELS = np.repeat(["a", "b", "c"], 40)[KEPT]
PROBLEM = Problem("blobs", GRAPH, LABELS)


@pytest.mark.kernels
@given(strategies.games(), st.integers(2, 6), st.sampled_from([0.5, 2.0]))
def test_the_perceptron_in_coordinates_is_that_of_their_kernel(game, rank, b):
    graph, _, trials = game
    rows = laplacian_coordinates(graph, rank, b)
    slow = make("perceptron", b=0.0, kernel=rows @ rows.T).start(graph)
    fast = make("perceptron", b=0.0).start(Features(rows))
    for node, label in trials:
        assert fast.margin(node) == pytest.approx(slow.margin(node), abs=1e-8)
        before = len(slow.mistaken_nodes) == 0  # all margins are exactly 0
        assume(before or abs(slow.margin(node)) > 1e-7)  # a sum that cancels to rounding size has no sign
        assert sign(fast.margin(node)) == sign(slow.margin(node))
        fast.update(node, label)
        slow.update(node, label)
    everywhere = np.arange(graph.num_nodes)
    assert np.allclose(fast.margins(everywhere), [slow.margin(int(i)) for i in everywhere], atol=1e-8)


@pytest.mark.kernels
@pytest.mark.parametrize(
    "options",
    [{}, {"policy": "random:0.4"}, {"policy": "margin:0.3"}, {"budget": 9}, {"delay": 7}, {"repeats": 2}],
    ids=str,
)
@pytest.mark.parametrize("classes", [2, 3])
def test_its_compiled_game_is_that_of_the_kernel(options, classes):
    labels = LABELS if classes == 3 else np.where(LABELS == "b", "b", "a")
    rows = laplacian_coordinates(GRAPH, 12, 2.0)
    fast = zk.play(Features(rows), labels, "perceptron", b=0.0, seed=3, **options)
    slow = zk.play(GRAPH, labels, "perceptron", kernel=rows @ rows.T, b=0.0, seed=3, **options)
    assert np.allclose(fast.margins, slow.margins, atol=1e-8)
    assert np.array_equal(fast.predicted, slow.predicted)
    assert np.array_equal(fast.asked, slow.asked)
    assert 0 < fast.mistakes < fast.trials


def test_rows_follow_their_nodes_whatever_the_order_of_the_names():
    names = [f"{k:03d}" for k in RNG.permutation(GRAPH.num_nodes)]
    edges = [(names[u], names[v]) for u, v in GRAPH.edges.tolist()]
    named = zk.Graph.from_edges(edges, GRAPH.edge_weights)
    labels = [dict(zip(names, LABELS, strict=True))[name] for name in named.names]
    arena = embed(Problem("named", named, labels), 20, 2.0)
    (game,) = play_jobs(arena, [Job(make("ollgc", b=0.0), 20, 3)])
    run = zk.play(named, labels, "ollgc", rank=20, b=2.0, seed=3)
    assert game.error_multiclass == run.error_multiclass < 0.5


def test_jobs_are_the_games_of_play_whatever_the_number_of_threads():
    arena = embed(PROBLEM, 20, 2.0)
    jobs = [
        Job(make(name, b=0.0), 20, seed, policy)
        for name in ("ollgc", "sslgc")
        for policy in ("always", "random:0.5")
        for seed in range(3)
    ]
    steps = []
    one = play_jobs(arena, jobs, lambda *at: steps.append(at), place=Threads(1))
    many = play_jobs(arena, jobs, place=Threads(4))
    assert steps[-1] == (12, 12)
    for job, a, b in zip(jobs, one, many, strict=True):
        run = zk.play(GRAPH, LABELS, job.learner.name, rank=20, b=2.0, seed=job.seed, policy=job.policy)
        for figure in ("error_binary", "error_multiclass", "queries", "queried_nodes"):
            assert getattr(a, figure) == getattr(b, figure) == getattr(run, figure), figure
        assert a.errors_so_far[-1] == pytest.approx(run.error_binary)
        assert a.queries_so_far[-1] == pytest.approx(run.queries)
        assert a.rounds[-1] == run.trials


def test_curves_count_what_happened_up_to_each_round():
    arena = embed(PROBLEM, 20, 2.0)
    (game,) = play_jobs(arena, [Job(make("sslgc", b=0.0), 20, 1)])
    run = zk.play(GRAPH, LABELS, "sslgc", rank=20, b=2.0, seed=1)
    assert len(game.rounds) == 60
    for at in (0, 7, 31):
        end = game.rounds[at]
        truth = np.array([[1 if label == name else -1 for name in "abc"] for label in run.labels[:end]])
        wrong = (np.where(run.margins[:end] >= 0, 1, -1) != truth).mean()
        assert game.errors_so_far[at] == pytest.approx(wrong)
        assert game.queries_so_far[at] == pytest.approx(run.asked[:end].sum() / 3)


def test_a_cut_embedding_is_the_embedding_of_that_rank():
    arena = embed(PROBLEM, 40, 2.0)
    (cut,) = play_jobs(arena, [Job(make("ollgc", b=0.0), 15, 4)])
    assert cut.error_binary == zk.play(GRAPH, LABELS, "ollgc", rank=15, b=2.0, seed=4).error_binary
    assert arena.cut(15).dimension == 15
    assert arena.cut(40) is arena.features


def test_an_error_in_a_game_comes_out():
    arena = embed(PROBLEM, 10, 2.0)
    jobs = [Job(make("ollgc", b=0.0), 10, 0), Job(make("ollgc", b=0.0), 10, 1, "nonsense")]
    with pytest.raises(zk.errors.ParameterError, match="nonsense"):
        play_jobs(arena, jobs)


def test_times_are_taken_at_each_share_of_the_rounds():
    arena = embed(PROBLEM, 10, 2.0)
    seconds = play_alone(arena, Job(make("ollgc", b=0.0), 10, 0), (0.25, 1.0))
    assert seconds.shape == (2,)
    assert (seconds > 0).all()
