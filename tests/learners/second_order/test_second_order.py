"""The second-order perceptron against its definition, in all variants, forms and scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive.learners import second_order as naive
from zerokelvin import Graph, play
from zerokelvin.errors import ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.learners.consistency.ollgc import Ollgc
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.ridge.comparators import best_margin, log_terms, recommended_a
from zerokelvin.learners.second_order.pseudoinverse import PseudoinverseState
from zerokelvin.learners.second_order.second_order import SecondOrder
from zerokelvin.least_squares.shifted import RATIO, DualShifted, PrimalShifted


@st.composite
def streams(draw, max_rows=8, max_dimension=4):
    """A table of small integer vectors (ties, repeats, zeros, low rank) and trials over it."""
    dimension = draw(st.integers(1, max_dimension))
    rows = draw(st.integers(1, max_rows))
    entry = st.integers(-2, 2) if draw(st.booleans()) else st.floats(-3, 3).map(lambda v: round(v, 3))
    table = draw(
        st.lists(st.lists(entry, min_size=dimension, max_size=dimension), min_size=rows, max_size=rows)
    )
    trial = st.tuples(st.integers(0, rows - 1), st.sampled_from([-1, 1]))
    return np.array(table, dtype=float), draw(st.lists(trial, min_size=1, max_size=25))


def with_constant(X, b):
    return np.hstack([np.full((len(X), 1), np.sqrt(b)), X]) if b else X


def follow(state, oracle, rows, trials, tolerance=1e-7):
    """Compare score by score; stop where rounding may decide a sign."""
    for node, label in trials:
        expected = oracle.score(rows[node])
        assert state.margin(node) == pytest.approx(expected, abs=tolerance)
        if oracle.columns and abs(expected) < 10 * tolerance and np.any(rows[node]):
            return
        learnt = oracle.update(rows[node], label)
        state.update(node, label)
        assert state.seen_learnt[-1] == learnt


@pytest.mark.kernels
@given(streams(), st.sampled_from([0.1, 1.0, 50.0]), st.sampled_from(["forward", "linear"]))
@pytest.mark.parametrize("form", ["primal", "dual"])
@pytest.mark.parametrize("b", [0.0, 1.0])
def test_fixed_equals_figure_3_1(form, b, stream, a, score):
    X, trials = stream
    state = SecondOrder(a=a, score=score, form=form, b=b).start(Features(X))
    rows = with_constant(X, b)
    follow(state, naive.SecondOrder(a, rows.shape[1], score == "forward"), rows, trials)


@pytest.mark.kernels
@given(streams(), st.sampled_from([0.05, 0.5, 3.0]), st.sampled_from(["forward", "linear"]))
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_increasing_equals_figure_4_1(form, stream, c, score):
    X, trials = stream
    radius = max(1.0, float(np.linalg.norm(X, axis=1).max()))
    state = SecondOrder(variant="increasing", c=c, radius=radius, score=score, form=form, b=0.0).start(
        Features(X)
    )
    oracle = naive.SecondOrder(lambda k: c * radius**2 * k, X.shape[1], score == "forward")
    follow(state, oracle, X, trials)


@given(streams(), st.sampled_from(["forward", "linear"]))
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_pseudoinverse_equals_figure_4_2(form, stream, score):
    X, trials = stream
    X = np.round(X)  # integers: the rank is never in doubt
    state = SecondOrder(variant="pseudoinverse", score=score, form=form, b=0.0).start(Features(X))
    oracle = naive.SecondOrder(None, X.shape[1], score == "forward")
    for node, label in trials:
        expected = oracle.score(X[node])
        assert state.margin(node) == pytest.approx(expected, abs=1e-6)
        if oracle.columns and abs(expected) < 1e-6:
            return  # scores of 0 are rounding's choice in the oracle
        oracle.update(X[node], label)
        state.update(node, label)


@given(streams())
@pytest.mark.parametrize("form", ["primal", "dual"])
def test_whitened_equals_a_perceptron_on_whitened_rows(form, stream):
    X, trials = stream
    state = SecondOrder(variant="whitened", form=form, b=1.0).start(Features(X))
    rows = naive.whitened_rows(with_constant(X, 1.0))
    for (node, label), expected in zip(trials, naive.perceptron_scores(rows, trials), strict=True):
        assert state.margin(node) == pytest.approx(expected, abs=1e-6)
        if state.mistakes and abs(expected) < 1e-6:
            return
        state.update(node, label)


@pytest.mark.kernels
@given(streams())
@pytest.mark.parametrize("variant", ["fixed", "increasing", "pseudoinverse", "whitened"])
def test_primal_equals_dual_and_new_vectors_equal_rows(variant, stream):
    X, trials = stream
    radius = 4.0 * X.shape[1]
    states = [
        SecondOrder(variant=variant, form=form, radius=radius).start(Features(X))
        for form in ("primal", "dual")
    ]
    fresh = SecondOrder(variant=variant, form="primal", radius=radius).start(Features(X))
    for node, label in trials:
        margins = [state.margin(node) for state in states]
        assert margins[0] == pytest.approx(margins[1], abs=1e-6)
        assert fresh.margin(X[node]) == pytest.approx(margins[0], abs=1e-6)
        if states[0].mistakes and abs(margins[0]) < 1e-6:
            return
        for state in states:
            state.update(node, label)
        fresh.update(X[node].tolist(), label)


@pytest.mark.kernels
@given(streams())
def test_large_a_gives_the_perceptron(stream):
    X, trials = stream
    second = SecondOrder(a=1e9, b=1.0).start(Features(X))
    first = Perceptron(b=1.0).start(Features(X))
    for node, label in trials:
        margin = first.margin(node)
        assert second.margin(node) * 1e9 == pytest.approx(margin, abs=1e-5)
        if first.mistaken_nodes and abs(margin) < 1e-5:
            return
        first.update(node, label)
        second.update(node, label)


@pytest.mark.kernels
@given(streams(), st.sampled_from([0.1, 1.0, 7.0]))
def test_ollgc_and_second_order_agree_in_sign(stream, mu):
    X, trials = stream
    one, two = Ollgc(mu=mu, b=2.0).start(Features(X)), SecondOrder(a=mu, b=2.0).start(Features(X))
    for node, label in trials:
        assert (one.margin(node) >= 0) == (two.margin(node) >= 0)
        assert abs(two.margin(node)) <= abs(one.margin(node))
        one.update(node, label)
        two.update(node, label)
    assert one.seen_learnt == two.seen_learnt


@pytest.mark.kernels
@given(streams())
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"form": "dual"},
        {"variant": "increasing"},
        {"variant": "increasing", "form": "dual", "score": "linear"},
        {"variant": "pseudoinverse"},
        {"variant": "pseudoinverse", "score": "linear", "b": 0.0},
        {"variant": "whitened"},
    ],
)
def test_mistakes_within_the_bound(params, stream):
    """Theorems 3.1, 4.1, 4.2 and Corollary 3.4, also with noise: a row may get contradicting labels."""
    X, trials = stream
    state = SecondOrder(**params).start(Features(X))
    mistakes = 0
    for node, label in trials:
        mistakes += (state.margin(node) >= 0) != (label > 0)
        state.update(node, label)
    target = np.zeros(len(X), dtype=np.int64)
    for node, label in trials:
        target[node] = label
    bound = state.bound(target)
    assert bound.holds
    assert bound.allows(mistakes), bound


def test_bound_is_far_from_trivial_on_flat_data():
    """Data on a flat ellipsoid with the target along a small axis: what the second order is good at."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 10)) * np.array([8.0] + [1.0] * 9)
    y = np.where(X[:, 1] >= 0, 1, -1)
    X[:, 1] += 0.5 * y
    order = rng.permutation(600)
    mistakes = {}
    for name, state in {
        "first": Perceptron(b=0.0).start(Features(X)),
        "second": SecondOrder(a=1.0, b=0.0).start(Features(X)),
    }.items():
        mistakes[name] = 0
        for node in order:
            mistakes[name] += (state.margin(int(node)) >= 0) != (y[node] > 0)
            state.update(int(node), int(y[node]))
    bound = state.bound(y)
    assert mistakes["second"] < 0.6 * mistakes["first"]
    assert mistakes["second"] <= bound.value < 300


def test_forward_and_linear_differ_with_the_pseudoinverse():
    """Against the remark in section 3: outside the span the forward score is 0, the linear one is not."""
    X = np.array([[1.0, 0.0], [1.0, 1.0]])
    forward, linear = (
        SecondOrder(variant="pseudoinverse", score=score, b=0.0).start(Features(X))
        for score in ("forward", "linear")
    )
    for state in (forward, linear):
        state.update(0, -1)
    assert forward.margin(1) == 0 == naive_score(X, forward=True)
    assert linear.margin(1) == pytest.approx(-1) == naive_score(X, forward=False)


def naive_score(X, forward):
    oracle = naive.SecondOrder(None, 2, forward)
    oracle.update(X[0], -1)
    return pytest.approx(oracle.score(X[1]), abs=1e-12)


def test_rank_decisions():
    """A direction of relative size 1e-6 counts, one at rounding level does not."""
    base = np.array([3.0, 4.0, 12.0])
    tiny = np.array([4.0, -3.0, 0.0])
    for scale, rank in ((1e-6, 2), (1e-16, 1)):
        state = SecondOrder(variant="pseudoinverse", b=0.0, score="linear").start(
            Features([base, base + scale * tiny])
        )
        assert isinstance(state, PseudoinverseState)
        state.update(0, -1)
        state.update(1, 1)
        assert (state.mistakes, state.rank) == (2, rank)


def test_zero_vectors_are_never_learnt():
    for variant in ("fixed", "increasing", "pseudoinverse", "whitened"):
        for form in ("primal", "dual"):
            state = SecondOrder(variant=variant, form=form, b=0.0).start(Features([[0.0, 0.0], [1.0, 2.0]]))
            for _ in range(3):
                state.update(0, -1)
            assert state.margin(0) == 0
            assert state.mistakes == 0
            assert state.bound(np.array([-1, 1])).allows(3)


@pytest.mark.parametrize("kind", ["primal", "dual"])
def test_shifted_systems_stay_exact_and_refactor_rarely(kind):
    rng = np.random.default_rng(3)
    d, count = 20, 400
    system = PrimalShifted(d) if kind == "primal" else DualShifted()
    rows = np.zeros((0, d))
    for k in range(1, count if kind == "primal" else 150):
        x = rng.normal(size=d)
        if kind == "primal":
            system.add(x)
        else:
            system.add(rows @ x, float(x @ x))
        rows = np.vstack([rows, x])
        matrix = rows.T @ rows if kind == "primal" else rows @ rows.T
        right = rng.normal(size=len(matrix))
        expected = np.linalg.solve(matrix + 0.3 * k * np.eye(len(matrix)), right)
        np.testing.assert_allclose(
            system.solve(0.3 * k, right), expected, atol=1e-10 * np.abs(expected).max()
        )
    assert system.factorisations <= 5 + np.log(count) / np.log(RATIO)


@given(st.lists(st.floats(-3, 3).map(lambda v: round(v, 4)), min_size=1, max_size=12), st.floats(0, 5))
def test_best_margin_is_the_infimum_over_a_fine_grid(scores, spectral):
    values = np.array(scores)
    value, gamma, _ = best_margin(values[:, None], np.array([spectral]))
    assert value <= naive.hinge_bound(values, spectral) * (1 + 1e-9) + 1e-9
    if np.isfinite(gamma):
        assert value == pytest.approx((np.maximum(0, gamma - values).sum() + spectral) / gamma, rel=1e-9)


def test_helpers():
    rows = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    assert log_terms(rows, 2.0) == pytest.approx(np.log(1 + 9 / 2) + np.log(1 + 4 / 2))
    assert log_terms(np.zeros((0, 2)), 1.0) == 0


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 30.0), st.integers(0, 500), st.integers(1, 50))
def test_lemma_3_2(spread, radius, mistakes, dimension):
    """Below r/2 the recommended a makes (a + λ) ln(1 + r/a) < r; from there on no a does."""
    r = radius**2 * mistakes / dimension
    a = recommended_a(spread, radius, mistakes, dimension)
    if 2 * spread < r:
        assert (a + spread) * np.log1p(r / a) < r * (1 + 1e-12)
    else:
        assert a == np.inf
        tried = np.geomspace(1e-6, 1e9, 60)
        assert ((tried + spread) * np.log1p(r / tried) >= r * (1 - 1e-9)).all()


def test_lemma_3_2_needs_a_spread():
    with pytest.raises(ParameterError, match=r"spread=0\.0 must be positive"):
        recommended_a(0.0, 1.0, 10, 3)


@pytest.mark.kernels
def test_on_a_graph_rank_and_kernel_agree_at_full_rank():
    graph = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 3)])
    labels = ["a", "a", "b", "b", "a"]
    runs = [play(graph, labels, "second-order", seed=3, repeats=4, rank=rank) for rank in (None, 100)]
    np.testing.assert_allclose(runs[0].margins, runs[1].margins, atol=1e-8)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"a": 0.0}, "a=0.0"),
        ({"variant": "best"}, "variant='best'"),
        ({"score": "both"}, "score='both'"),
        ({"form": "other"}, "form='other'"),
        ({"c": -1.0}, "c=-1.0"),
        ({"b": -1.0}, "b=-1.0"),
        ({"rank": 0}, "rank=0"),
    ],
)
def test_bad_parameters(params, message):
    with pytest.raises(ParameterError, match=message):
        SecondOrder(**params)


def test_an_empty_table_needs_a_radius():
    with pytest.raises(ParameterError, match="radius"):
        SecondOrder(variant="increasing", b=0.0).start(Features(np.zeros((0, 3))))
    state = SecondOrder(variant="increasing", b=0.0, radius=2.0).start(Features(np.zeros((0, 3))))
    state.update([1.0, 0.0, 0.0], -1)
    assert state.margin([1.0, 0.0, 0.0]) < 0
    with pytest.raises(ParameterError, match="linear kernel"):
        SecondOrder(form="primal").start(Features([[1.0]], kernel="gaussian:1"))
