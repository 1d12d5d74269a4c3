"""Numbers and units: finite margins whatever the weights, predictions that do not depend on their unit."""

import dataclasses
import math

import numpy as np
import pytest

import zerokelvin as zk
from conftest import ROOT
from zerokelvin import learners
from zerokelvin.checks import CHECKS, ContractError
from zerokelvin.checks.finite_margins import untied_graphs
from zerokelvin.errors import GraphError, ParameterError
from zerokelvin.graph.scale import in_unit
from zerokelvin.learners import LEARNERS, Game, Learner, OneVsRest, State
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT
from zerokelvin.learners.gaussian.field_system import System, system_of
from zerokelvin.learners.gaussian.gaussian import DEFAULT_KERNEL, Gaussian
from zerokelvin.learners.perceptron.perceptron import Perceptron

RING = zk.Graph.from_edges([(i, (i + 1) % 10) for i in range(10)] + [(0, 5)])
LABELS = [0] * 5 + [1] * 5
FINITE = "weights of any size give finite margins or are refused"
UNIT = "the unit of the weights changes no prediction"


def heavy(weight, edges=RING.edges):
    return zk.Graph.from_edges(edges, np.full(len(edges), weight))


# -- finite margins -------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [0.01, 1e-9])
def test_little_noise_on_a_heavy_clique(mu):
    """(L + 0.1 I)⁻¹ is 11ᵀ/0.9 there; the mean of k labels is their sum over k + 0.9 μ."""
    clique = heavy(1e12, [(i, j) for i in range(9) for j in range(i)])
    state = Gaussian(kernel="regularized:0.1", mu=mu, b=0.0).start(clique)
    for k in range(1, 9):
        state.update(k - 1, 1)
        assert state.margin(8) == pytest.approx(k / (k + 0.9 * mu), rel=1e-6)
    run = zk.play(clique, [0, 1, 0, 1, 0, 1, 0, 1, 0], "gaussian", mu=mu)
    assert np.isfinite(run.margins).all()


@pytest.mark.parametrize("name", ["propagation", "gaussian", "interpolation", "nearest", "longest-path"])
@pytest.mark.parametrize("exponent", [-996, 996])
def test_extreme_units_give_the_same_numbers(name, exponent):
    usual, extreme = (zk.play(heavy(w), LABELS, name, seed=3) for w in (1.0, 2.0**exponent))
    assert np.array_equal(usual.predictions, extreme.predictions)
    assert np.allclose(usual.margins, extreme.margins)


@pytest.mark.parametrize("name", ["ollgc", "bbq", "sslgc", "perceptron", "propagation", "longest-path"])
def test_degrees_that_overflow_are_refused(name):
    with pytest.raises(GraphError, match="sum to more than a float can hold; divide all of them by 1e"):
        zk.play(heavy(1e308), LABELS, name)


def test_a_learner_with_a_unit_refuses_extreme_weights():
    with pytest.raises(
        GraphError, match=r"too far from 1 for 'ollgc'.*mu and b.*divide all of them by 1e\+300"
    ):
        zk.start(heavy(1e300), "ollgc")
    free = zk.play(heavy(1e300), LABELS, "perceptron", b=0.0)
    assert np.array_equal(free.predictions, zk.play(heavy(1.0), LABELS, "perceptron", b=0.0).predictions)


class Wild(State):
    """Gives what it is told to."""

    def __init__(self, value):
        self.value = value

    def margin(self, node):
        return self.value

    def update(self, node, label):
        pass


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_state_and_no_game_can_give_what_is_not_finite(value):
    class WildGame(Game):
        def scores(self, nodes):
            return np.full((len(nodes), 40), value)

        def learn(self, node, code, wanted=None):
            pass

    state = Wild(value)
    for call in (
        lambda: state.margin(0),
        lambda: OneVsRest([state]).score(0),
        lambda: WildGame(40).scores([0]),
        lambda: WildGame(40).score(0),
    ):
        with pytest.raises(GraphError, match="not a finite number"):
            call()
    assert Wild(0.5).margin(0) == 0.5


def test_a_kernel_that_is_not_positive_is_refused_and_rounding_is_not():
    line = zk.Graph.from_edges([(0, 1), (1, 2)])
    bad = np.array([[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ParameterError, match="not positive semi-definite"):
        zk.play(line, [0, 1, 1], "gaussian", kernel=bad, mu=0.01)
    flat = np.ones((3, 3)) + 1e-12 * bad  # singular but for rounding
    assert np.isfinite(zk.play(line, [0, 1, 1], "gaussian", kernel=flat, mu=1e-150).margins).all()


def test_halving_counts_in_the_largest_unit_there_is():
    """One cut edge of weight 10¹² is one step, not 10¹²."""
    line = heavy(1e12, [(i, i + 1) for i in range(8)])
    run, usual = (
        zk.play(g, [0] * 4 + [1] * 5, "halving", k=w) for g, w in ((line, 1e12), (heavy(1.0, line.edges), 1))
    )
    assert np.array_equal(run.margins, usual.margins)
    assert zk.play(line, [0] * 4 + [1] * 5, "halving", k=1).trials == 9


@pytest.mark.parametrize("orders", [12, 24, 100])
def test_a_bound_that_holds_is_kept_over_many_orders_of_magnitude(orders):
    """Short distances are differences of long ones there, so they are not taken as such."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        graph = zk.Graph.from_edges(RING.edges, 10.0 ** rng.uniform(0, orders, RING.num_edges))
        for name, params in (("pounce", {}), ("nearest", {"distance": "resistance"})):
            run = zk.play(graph, rng.integers(2, size=10), name, seed=seed, **params)
            assert not run.bound.holds or run.bound.allows(run.mistakes)


# -- units ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        ("perceptron", {"b": 0.0}),
        ("perceptron", {"kernel": "relative-laplacian", "c": 0.5}),
        ("perceptron", {"kernel": "normalized:0.1"}),
        ("second-order", {"kernel": "relative-laplacian"}),
        ("second-order", {"variant": "increasing", "b": 0.0}),
        ("gaussian", {"kernel": "normalized:0.3"}),
        ("gaussian", {"kernel": "relative-heat:2"}),
        ("gaussian", {"engine": "exact"}),
        ("propagation", {"kernel": "relative-regularized:0.2"}),
        ("propagation", {"kernel": "pagerank:0.8"}),
        ("nearest", {"distance": "resistance", "k": 3}),
        ("interpolation", {"p": 1.5}),
        ("random", {"inner": "propagation"}),
    ],
    ids=str,
)
def test_parameters_that_free_a_learner_of_the_unit(params):
    learner = learners.make(params[0], **params[1])
    assert learner.unit_matters() == ""
    CHECKS[UNIT](learner)


def claims_none(cls):
    """The learner, saying that the unit does not matter."""

    @dataclasses.dataclass(frozen=True)
    class Silent(cls):
        def unit_matters(self):
            return ""

    return Silent


@pytest.mark.parametrize(
    "learner",
    [
        claims_none(Gaussian)(kernel="regularized:0.1"),
        claims_none(Perceptron)(),
        claims_none(LEARNERS["llgc"])(),
        claims_none(LEARNERS["second-order"])(),
        claims_none(LEARNERS["ollgc"])(),
    ],
    ids=lambda learner: learner.name,
)
def test_the_check_finds_learners_that_do_depend_on_it(learner):
    with pytest.raises(ContractError, match="change predictions"):
        CHECKS[UNIT](learner)


def test_the_check_finds_numbers_that_are_not_finite():
    @dataclasses.dataclass(frozen=True)
    class Doubtful(Learner):
        name = "doubtful"
        has_variance = True

        def start(self, graph, prepared=None, rng=None):
            state = Wild(0.0)
            state.variance = lambda node: math.inf
            return state

    with pytest.raises(ContractError, match="a number is not finite"):
        CHECKS[FINITE](Doubtful())


def test_every_learner_with_a_unit_is_in_the_docs():
    page = (ROOT / "docs" / "guide" / "weights.md").read_text()
    for name in learners.names():
        reason = learners.make(name).unit_matters()
        assert (f"| `{name}` |" in page) == bool(reason), name


@pytest.mark.parametrize("factor", [2.0**20, 2.0**-20])
def test_powers_of_two_change_no_bit_of_the_default(factor):
    for graph in untied_graphs().values():
        usual, scaled = (
            zk.play(g, np.arange(16) // 4 % 2, "gaussian", seed=2) for g in (graph, in_unit(graph, factor))
        )
        assert np.array_equal(usual.margins, scaled.margins)


def test_the_default_is_auto_s_first_expert_and_as_before_at_a_mean_degree_of_four():
    torus = zk.Graph.from_edges(
        [
            (6 * i + j, 6 * k + m)
            for i in range(6)
            for j in range(6)
            for k, m in ((i, (j + 1) % 6), ((i + 1) % 6, j))
        ]
    )
    assert torus.degrees.mean() == 4.0
    labels = np.arange(36) // 18
    new, old = (zk.play(torus, labels, "gaussian", kernel=k) for k in (DEFAULT_KERNEL, "regularized:0.1"))
    assert np.array_equal(new.margins, old.margins)
    system = system_of(in_unit(torus, 9.0), DEFAULT_KERNEL)
    assert np.allclose(
        system.out
        * np.linalg.inv(in_unit(torus, 9.0).laplacian().toarray() + np.diag(system.excess))
        * system.into,
        np.linalg.inv(torus.laplacian().toarray() + 0.1 * np.eye(36)),
    )


def test_the_default_on_graphs_of_mean_degree_thirty():
    """Where (L + 0.1 I)⁻¹ is flat: wrong there more than twice as often."""
    example = zk.generators.planted_partition([150, 150], 0.17, 0.03, np.random.default_rng(2))
    assert 28 < example.graph.degrees.mean() < 32
    new, old = (
        np.mean(
            [zk.play(example.graph, example.labels, "gaussian", seed=s, kernel=k).mistakes for s in range(3)]
        )
        for k in (DEFAULT_KERNEL, "regularized:0.1")
    )
    assert new < 0.5 * old


def test_a_guide_asks_the_same_questions_in_any_unit():
    graph = untied_graphs()["a ring with chords"]
    asked = [
        zk.play(in_unit(graph, factor), np.arange(16) // 8, "nearest", policy="variance:0.2").asked
        for factor in (1.0, 2.0**20, 1e-3)
    ]
    assert 0 < asked[0].sum() < 16
    assert np.array_equal(asked[0], asked[1])
    assert np.array_equal(asked[0], asked[2])


# -- large graphs, saved sessions -----------------------------------------------------------------


def test_large_weighted_graphs_take_the_default_and_refusals_name_what_works():
    count = EXACT_LIMIT + 1
    edges = np.column_stack([np.arange(count), (np.arange(count) + 1) % count])
    large = zk.Graph.from_edges(edges, np.full(count, 1e4))
    assert isinstance(Gaussian().prepare(large), System)
    for kernel in ("regularized:0.1", "heat:1e-6", "laplacian"):
        with pytest.raises(ParameterError, match=r"needs a column per label.*use kernel=") as refused:
            Gaussian(kernel=kernel).prepare(large)
        advised = str(refused.value).rpartition('use kernel="')[2].partition('"')[0]
        assert advised != kernel
        assert isinstance(Gaussian(kernel=advised).prepare(large), System)
    with pytest.raises(ParameterError, match='leave out engine, or give engine="push"'):
        Gaussian(engine="exact").prepare(large)


def test_one_enormous_edge_is_no_endless_to_and_fro():
    """Relaxing across it would take 10¹² pushes; the columns of a factor take none."""
    edges = [*RING.edges.tolist(), (2, 8)]
    graph = zk.Graph.from_edges(edges, [1.0] * (len(edges) - 1) + [1e7])
    system = system_of(graph, "regularized:100")
    assert system.reach < 1e5
    assert not system_of(graph, "regularized:1").is_local
    run = zk.play(graph, LABELS, "gaussian", kernel="regularized:1")
    assert np.isfinite(run.margins).all()


def test_saved_sessions_keep_the_kernel_they_were_saved_with(tmp_path):
    """The default of former versions is stored by its value, and means what it meant, on features too."""
    graph = heavy(50.0)
    session = zk.start(graph, "gaussian", classes=[0, 1], kernel="regularized:0.1")
    for node in (0, 7, 3):
        session.learn(node, LABELS[node])
    session.save(tmp_path / "old.zk")
    loaded = zk.load(tmp_path / "old.zk", graph)
    assert loaded.learner.kernel == "regularized:0.1"
    assert [loaded.predict(i) for i in range(10)] == [session.predict(i) for i in range(10)]
    table = zk.Features(np.random.default_rng(0).normal(size=(12, 3)), kernel="gaussian:1")
    old, new = (zk.play(table, [0, 1] * 6, "gaussian", kernel=k) for k in ("regularized:0.1", DEFAULT_KERNEL))
    assert np.array_equal(old.margins, new.margins)
