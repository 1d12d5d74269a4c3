"""The game: figures by definition, noise, repeats, delay, asking, seeds."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.game as naive
import strategies
import zerokelvin as zk
from zerokelvin.errors import LabelError, NodeError, ParameterError
from zerokelvin.graph import generators
from zerokelvin.learners import LEARNERS
from zerokelvin.learners.perceptron.perceptron import Perceptron

LINE = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


@st.composite
def class_games(draw):
    graph = draw(strategies.graphs(max_nodes=8))
    num_classes = draw(st.integers(1, 4))
    codes = draw(
        st.lists(st.integers(0, num_classes - 1), min_size=graph.num_nodes, max_size=graph.num_nodes)
    )
    order = draw(st.lists(st.integers(0, graph.num_nodes - 1), min_size=1, max_size=16))
    return graph, num_classes, codes, order, draw(st.integers(0, 4))


@pytest.mark.kernels
@given(class_games())
def test_every_figure_by_definition(game):
    graph, num_classes, codes, order, delay = game
    trials = [(node, codes[node]) for node in order]
    margins, predicted, by_prior = naive.play(graph, trials, num_classes, delay=delay)
    nonzero = np.abs(margins[np.any(margins != 0, axis=1)])
    assume(nonzero.size == 0 or nonzero.min() > 1e-9)
    if num_classes > 2:
        top = np.sort(margins, axis=1)
        assume(np.all((top[:, -1] - top[:, -2] > 1e-9) | np.all(margins == 0, axis=1)))
    run = zk.play(graph, codes, "perceptron", order=order, classes=range(num_classes), delay=delay)
    shown = np.array(codes)[order]
    np.testing.assert_allclose(run.margins, margins, atol=1e-8)
    assert run.predictions.tolist() == predicted.tolist()
    assert run.order.tolist() == order
    assert run.trials == len(order)
    assert run.mistakes == int((predicted != shown).sum())
    assert run.error_multiclass == pytest.approx(np.mean(predicted != shown))
    assert run.cumulative_mistakes.tolist() == np.cumsum(predicted != shown).tolist()
    assert run.queries == len(order)
    assert run.queried_nodes == len(set(order))
    if num_classes <= 2:
        assert run.error_binary == run.error_multiclass
    else:
        errors = []
        for c in range(num_classes):
            guess = np.where(by_prior, predicted == c, margins[:, c] >= 0)
            errors.append(np.mean(guess != (shown == c)))
        assert run.error_binary == pytest.approx(np.mean(errors))


@pytest.mark.kernels
@given(class_games(), st.floats(0.1, 0.9))
def test_random_asking_by_definition(game, rate):
    """Only asked labels reach the learner; the first trial is always asked."""
    graph, num_classes, codes, order, delay = game
    run = zk.play(
        graph,
        codes,
        Perceptron(),
        order=order,
        classes=range(num_classes),
        delay=delay,
        policy=f"random:{rate}",
    )
    asks = run.asked.any(axis=1)
    assert asks[0]
    margins, _, _ = naive.play(
        graph, [(i, codes[i]) for i in order], num_classes, asks=asks.tolist(), delay=delay
    )
    nonzero = np.abs(margins[np.any(margins != 0, axis=1)])
    assume(nonzero.size == 0 or nonzero.min() > 1e-9)
    np.testing.assert_allclose(run.margins, margins, atol=1e-8)
    assert run.queries == asks.sum()


def test_random_asking_has_its_rate():
    example = generators.line(4000)
    run = zk.play(example.graph, example.labels, "perceptron", policy="random:0.25", kernel=np.eye(4000))
    assert run.queried_nodes / run.trials == pytest.approx(0.25, abs=0.03)


def test_margin_asking_asks_less_when_sure():
    example = generators.barbell(60)
    always = zk.play(example.graph, example.labels, "perceptron")
    sparing = zk.play(example.graph, example.labels, "perceptron", policy="margin:0.05", b=0.01)
    assert always.queried_nodes == 120
    assert 0 < sparing.queried_nodes < 40
    assert sparing.mistakes <= 3


@pytest.mark.parametrize("budget", [0, 1, 5])
def test_budget_is_hard(budget):
    example = generators.barbell(10)
    run = zk.play(example.graph, example.labels, "perceptron", budget=budget)
    assert run.queried_nodes == budget
    assert run.asked.any(axis=1)[:budget].all()


def test_the_same_seed_reproduces_exactly_and_another_differs():
    example = generators.planted_partition([30, 30, 30], 0.3, 0.02, np.random.default_rng(0))
    noise = {"label_noise": 0.1, "concept_noise": 0.05, "policy": "margin:0.2", "repeats": 2}
    one, two, other = (zk.play(example.graph, example.labels, seed=seed, **noise) for seed in (4, 4, 5))
    for name in ("nodes", "codes", "predicted", "margins", "asked"):
        assert np.array_equal(getattr(one, name), getattr(two, name))
    assert not np.array_equal(one.nodes, other.nodes)
    assert one.trials == 180


def test_shuffles_are_single_games_with_consecutive_seeds():
    example = generators.barbell(12)
    runs = zk.play_shuffles(example.graph, example.labels, "perceptron", shuffles=4, seed=10, label_noise=0.1)
    for i, run in enumerate(runs.runs):
        alone = zk.play(example.graph, example.labels, "perceptron", seed=10 + i, label_noise=0.1)
        assert np.array_equal(run.predicted, alone.predicted)
    values = [run.mistakes for run in runs.runs]
    assert runs.mean("mistakes") == pytest.approx(np.mean(values))
    assert runs.std("mistakes") == pytest.approx(np.std(values, ddof=1))


def test_label_noise_flips_each_trial_on_its_own():
    graph = generators.line(500).graph
    run = zk.play(graph, [0] * 250 + [1] * 250, "perceptron", label_noise=0.3, repeats=2, kernel=np.eye(500))
    clean = np.array([0] * 250 + [1] * 250)[run.nodes]
    assert np.mean(run.codes != clean) == pytest.approx(0.3, abs=0.05)
    first, second = run.codes[:500], run.codes[500:]
    assert np.mean(first != second) == pytest.approx(2 * 0.3 * 0.7, abs=0.07)


def test_concept_noise_changes_a_node_for_good():
    graph = generators.line(500).graph
    run = zk.play(
        graph, [0] * 250 + [1] * 250, "perceptron", concept_noise=0.2, repeats=2, kernel=np.eye(500)
    )
    clean = np.array([0] * 250 + [1] * 250)[run.nodes]
    assert np.mean(run.codes != clean) == pytest.approx(0.2, abs=0.05)
    assert np.array_equal(run.codes[:500], run.codes[500:])


def test_noise_among_several_classes_never_keeps_the_class():
    graph = generators.line(300).graph
    labels = [i % 4 for i in range(300)]
    run = zk.play(graph, labels, "perceptron", label_noise=1.0, kernel=np.eye(300))
    assert np.all(run.codes != np.array(labels)[run.nodes])


def test_delay_longer_than_the_game_teaches_nothing():
    run = zk.play(LINE, [0, 0, 0, 0], "perceptron", classes=[0, 1], delay=10)
    assert run.mistakes == 4
    assert np.all(run.margins == 0)


def test_a_component_without_labels_gets_the_most_frequent_class():
    graph = zk.Graph.from_edges([(0, 1), (1, 2), (3, 4)])
    run = zk.play(graph, ["b", "b", "a", "a", "a"], "perceptron", order=[2, 0, 1, 3, 4], classes=["a", "b"])
    assert run.predictions[3] == "b"  # two b against one a so far
    assert run.guessed.tolist()[3] or run.margins[3, 0] >= 0


def test_unknown_labels_are_not_played():
    run = zk.play(LINE, [None, "a", float("nan"), "b"], "perceptron")
    assert sorted(run.nodes.tolist()) == [1, 3]
    masked = np.ma.masked_array([-1, -1, 1, 1], mask=[False, True, False, False])
    assert sorted(zk.play(LINE, masked, "perceptron").nodes.tolist()) == [0, 2, 3]
    assert zk.play(LINE, {1: "a", 3: "b"}, "perceptron").trials == 2
    assert zk.play(LINE, {1: "a", 3: "b"}, "perceptron").bound.holds


def test_minus_one_is_a_label():
    run = zk.play(LINE, np.array([-1, -1, 1, 1]), "perceptron")
    assert run.trials == 4
    assert run.classes == (-1, 1)


def test_named_nodes():
    graph = zk.Graph.from_edges([("x", "y"), ("y", ("z", 1))])
    run = zk.play(graph, {"x": 0, ("z", 1): 1}, "perceptron", order=["x", ("z", 1)])
    assert run.order.tolist() == ["x", ("z", 1)]


@pytest.mark.parametrize("name", ["auto", "perceptron", "longest-path", "nearest", "ollgc"])
def test_a_game_comes_back_whole_from_another_process(name):
    graph = zk.Graph.from_edges([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("e", "f")])
    run = zk.play(graph, [0, 1, 0, 1, 1, 0], name, seed=2)
    back = pickle.loads(pickle.dumps(run))  # noqa: S301
    assert back.bound == run.bound
    assert back.predictions.tolist() == run.predictions.tolist()
    assert (back.mistakes, back.queries, back.learner, back.graph) == (
        run.mistakes,
        run.queries,
        run.learner,
        run.graph,
    )
    assert np.array_equal(back.chances, run.chances, equal_nan=True)
    assert pickle.loads(pickle.dumps(zk.Runs((run, back), 0.0))).mean("mistakes") == run.mistakes  # noqa: S301


def test_progress_reaches_the_end():
    seen = []
    zk.play(LINE, [0, 0, 1, 1], "perceptron", progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)
    zk.play_shuffles(
        LINE, [0, 0, 1, 1], "perceptron", shuffles=3, progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (12, 12)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"learner": "percepton"}, ParameterError, "did you mean 'perceptron'"),
        ({"b2": 1}, ParameterError, "no parameter 'b2'"),
        ({"labels": [0, 1]}, LabelError, "2 labels for 4 nodes"),
        ({"labels": [None] * 4}, LabelError, "no node has a label"),
        ({"labels": [0, "a", 1, 1]}, LabelError, "mixed types"),
        ({"classes": [0]}, LabelError, "label 1 is not among"),
        ({"classes": [0, 1, 0]}, LabelError, "twice"),
        ({"order": [9]}, NodeError, "no node 9"),
        ({"label_noise": 1.5}, ParameterError, "label_noise=1.5"),
        ({"delay": -1}, ParameterError, "delay=-1"),
        ({"repeats": 0}, ParameterError, "repeats=0"),
        ({"budget": -1}, ParameterError, "budget=-1"),
        ({"seed": -1}, ParameterError, "seed=-1"),
        ({"policy": "sometimes"}, ParameterError, "unknown policy 'sometimes'"),
        ({"policy": "random:2"}, ParameterError, "between 0 and 1"),
        ({"labels": {0: "a", 7: "b"}}, NodeError, "no node 7"),
    ],
)
def test_bad_input_is_refused_with_the_value(change, error, message):
    arguments = {"labels": [0, 0, 1, 1], "learner": "perceptron"} | change
    with pytest.raises(error, match=message):
        zk.play(LINE, **arguments)


def test_a_ready_made_learner_takes_no_parameters():
    with pytest.raises(ParameterError, match="has its parameters already"):
        zk.play(LINE, [0, 0, 1, 1], Perceptron(), b=2)
    assert "perceptron" in LEARNERS


def test_a_bound_can_fail_where_labels_are_held_back_and_then_says_so():
    clique = zk.Graph.from_edges([(i, j) for i in range(30) for j in range(i)])
    labels = [0] * 29 + [1]
    run = zk.play(clique, labels, "perceptron", budget=0)
    assert run.mistakes == 29 > run.bound.value
    assert not run.bound.holds
    assert not zk.play(clique, labels, "perceptron", delay=1).bound.holds
    assert not zk.play(clique, labels, "perceptron", policy="random:0.5").bound.holds
    assert zk.play(clique, labels, "perceptron").bound.holds
    assert zk.play(clique, labels, "perceptron", budget=30, policy="random:1").bound.holds


@pytest.mark.data
def test_cora_error_of_the_exact_kernel(data_folder):
    data = np.load(data_folder / "cora.npz")
    graph = zk.Graph.from_edges(data["edges"].astype(np.int64), num_nodes=int(data["n"]))
    component, nodes = graph.largest_component()
    assert (component.num_nodes, component.num_edges) == (2485, 5069)
    runs = zk.play_shuffles(component, data["labels"][nodes], "perceptron", shuffles=2, b=2.0)
    assert 0.09 < runs.mean("error_binary") < 0.125
    assert runs.runs[0].bound.holds
    assert runs.runs[0].bound.allows(runs.runs[0].mistakes)
