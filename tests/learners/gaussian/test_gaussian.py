"""Gaussian-process regression against dense solves, its identity, its bound and known figures."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.learners.gaussian as naive
import zerokelvin as zk
from naive.class_games import as_trials, class_games, comparators, dataset, mistakes
from naive.learners.propagation import kernel as kernel_matrix
from zerokelvin.errors import NodeError, ParameterError, SessionError
from zerokelvin.kernels import kernel_columns
from zerokelvin.learners import Game
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT, Covariance
from zerokelvin.learners.gaussian.exact_gaussian import ExactGame
from zerokelvin.learners.gaussian.gaussian import Gaussian, GaussianGame
from zerokelvin.learners.gaussian.vector_covariance import VectorCovariance

KERNELS = st.sampled_from(
    ["relative-regularized:0.1", "regularized:0.1", "regularized:2", "normalized:0.1", "normalized:1"]
)
MU = st.sampled_from([0.1, 0.3, 2.0])
B = st.sampled_from([0.0, 1e-8, 0.5])
VECTOR_KERNELS = {
    "linear": lambda P, Q: P @ Q.T,
    "polynomial:2": lambda P, Q: (1 + P @ Q.T) ** 2,
    "gaussian:1.5": lambda P, Q: np.exp(-((P[:, None] - Q[None]) ** 2).sum(-1) / 4.5),
    "function": lambda P, Q: np.minimum(np.exp(P[:, None, 0]), np.exp(Q[None, :, 0])),
}


def kernel_named(name):
    return (lambda A, x: VECTOR_KERNELS[name](A, x[None])[:, 0]) if name == "function" else name


@st.composite
def vector_games(draw):
    """Points of which the first are the rows of a table, a kernel, and trials on all of them."""
    rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    rows, outside = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    outside += rows + outside == 0
    points = rng.integers(-2, 3, (rows + outside, draw(st.integers(1, 3)))) / 2.0
    classes = draw(st.integers(2, 4))
    total = draw(st.integers(0, 25))
    pairs = zip(rng.integers(0, rows + outside, total), rng.integers(0, classes, total), strict=True)
    return (
        points,
        rows,
        draw(st.sampled_from(list(VECTOR_KERNELS))),
        classes,
        [(int(i), int(c)) for i, c in pairs],
    )


def start(graph, classes, **params):
    return Gaussian(**params).start_game(graph, classes)


@pytest.mark.kernels
@settings(max_examples=60)
@given(class_games(), KERNELS, MU, B)
def test_relaxed_means_and_variances_agree_with_dense_solves(game, kernel, mu, b):
    graph, classes, trials, _ = game
    matrix = kernel_matrix(graph, kernel) + b
    expected, spread = naive.play(matrix, trials, classes, mu)
    game = start(graph, classes, kernel=kernel, mu=mu, b=b, tol=1e-11)
    found = []
    for t, (node, code) in enumerate(trials):
        found.append(game.score(node))
        assert game.variance(node) == pytest.approx(spread[t], abs=1e-5)
        game.diffusion.learn(node, code)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.kernels
@settings(max_examples=40)
@given(class_games(), st.sampled_from(["heat:0.7", "regularized:0.1", "laplacian"]), MU, B)
def test_exact_means_and_variances_agree_with_dense_solves(game, kernel, mu, b):
    graph, classes, trials, _ = game
    laplacian = np.linalg.pinv(graph.laplacian().toarray())
    matrix = (laplacian if kernel == "laplacian" else kernel_matrix(graph, kernel)) + b
    expected, spread = naive.play(matrix, trials, classes, mu)
    game = start(graph, classes, kernel=kernel, mu=mu, b=b, engine="exact")
    found = []
    for t, (node, code) in enumerate(trials):
        found.append(game.score(node))
        assert game.variance(node) == pytest.approx(spread[t], abs=1e-5)
        game.covariance.learn(node, code)
    np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.kernels
@pytest.mark.parametrize("nodes", [1, 7, 31, 32, 33, 70, 101, 165])
def test_a_known_order_is_one_factorisation_equal_to_the_last_bit(nodes):
    rng = np.random.default_rng(nodes)
    graph = zk.Graph.from_edges(rng.integers(0, nodes, (2 * nodes, 2)), num_nodes=nodes)
    trials = as_trials([(int(i), int(rng.integers(3))) for i in rng.permutation(nodes)], 3)
    fast, slow = (start(graph, 3, kernel="heat:1", engine="exact") for _ in range(2))
    one = fast.play(trials)
    two = super(type(slow), slow).play(trials)
    assert np.array_equal(one.margins, two.margins)
    everyone = np.arange(nodes)
    assert np.array_equal(fast.scores(everyone), slow.scores(everyone))


@settings(max_examples=40)
@given(class_games(), KERNELS, MU)
def test_the_identity_behind_the_bound(game, kernel, mu):
    """Zhdanov and Kalnishkan, Theorem 1, for the ±1 targets of the first class."""
    graph, _, trials, _ = game
    matrix = kernel_matrix(graph, kernel)
    signs = np.array([1.0 if code == 1 else -1.0 for _, code in trials])
    loss = 0.0
    for t, (node, _) in enumerate(trials):
        values, spread = naive.posterior(matrix, [(i, int(c == 1)) for i, c in trials[:t]], 2, mu, node)
        loss += (signs[t] - (values[1] - values[0])) ** 2 / (1 + spread / mu)
    seen = [i for i, _ in trials]
    best = mu * signs @ np.linalg.solve(matrix[np.ix_(seen, seen)] + mu * np.eye(len(seen)), signs)
    assert loss == pytest.approx(best, rel=1e-6)


@settings(max_examples=60)
@given(class_games(), KERNELS, MU, B, st.sampled_from([0.02, 1e-4]))
def test_mistakes_stay_within_the_bound(game, kernel, mu, b, tol):
    graph, classes, trials, codes = game
    game = start(graph, classes, kernel=kernel, mu=mu, b=b, tol=tol)
    trace = game.play(as_trials(trials, classes))
    bound = game.bound(comparators(codes, classes))
    assert bound.allows(mistakes(trace.margins, trials, classes)) or not bound.holds
    assert bound.holds or tol > 1e-3


@settings(max_examples=150)
@given(class_games(), st.sampled_from(["heat:0.7", "regularized:0.1"]), MU)
def test_exact_mistakes_stay_within_the_bound(game, kernel, mu):
    graph, classes, trials, codes = game
    game = start(graph, classes, kernel=kernel, mu=mu, engine="exact")
    trace = game.play(as_trials(trials, classes))
    bound = game.bound(comparators(codes, classes))
    assert bound.holds or kernel == "heat:0.7"  # a heavy edge makes the heat kernel singular to rounding
    assert bound.allows(mistakes(trace.margins, trials, classes)) or not bound.holds


def test_the_bound_does_not_grow_with_the_cliques():
    values = []
    for m in (5, 20, 80):
        example = zk.generators.barbell(m)
        state = Gaussian(kernel=f"regularized:{1 / m}", mu=0.5, tol=1e-3).start(example.graph)
        values.append(state.bound(np.asarray(example.labels)).value)
    assert values[2] <= values[0]
    assert values[2] < 160


@settings(max_examples=100)
@given(class_games(), st.sampled_from(["push", "exact"]), B, st.sampled_from([1e-10, 0.05]))
def test_shares_sum_to_the_margin(game, engine, b, tol):
    graph, classes, trials, _ = game
    game = start(graph, classes, engine=engine, b=b, tol=tol)
    game.play(as_trials(trials, classes))
    for node in range(graph.num_nodes):
        for column, margin in enumerate(game.score(node)):
            total = math.fsum(share for _, share in game.explain(node, column))
            assert total == pytest.approx(margin, abs=1e-6)


@pytest.mark.parametrize(
    ("kernel", "count"),
    [("normalized:0.03", 300), ("normalized:0.03", 6000), ("relative-regularized:0.01", 6000)],
)
def test_the_votes_that_matter_are_near_the_fine_ones(kernel, count):
    """On a small graph the same to the last bit; where a column reaches far, within a hundredth."""
    graph = zk.knn_graph(np.random.default_rng(0).random((count, 2)), k=8)
    game = Gaussian(kernel=kernel, mu=3.0, b=0.0).start_game(graph, 2)
    for node in range(0, count, 97):
        game.learn(node, node % 2)
    for node in (5, 150, 299):
        fine, coarse = game.diffusion.votes(node), game.diffusion.main_votes(node)
        if count == 300:
            assert np.array_equal(fine, coarse)
        assert np.abs(fine - coarse).max() <= 0.01 * game.diffusion.system.out.max() ** 2 + 1e-5
        assert np.argmax(fine) == np.argmax(coarse)


def test_shares_sum_to_the_margin_where_labels_cancel():
    """Two labels of one node that contradict each other: no share, but the tolerance of the margin."""
    state = Gaussian(tol=0.05).start(zk.Graph.from_edges([(0, 1)]))
    state.update(0, 1)
    state.update(0, -1)
    for node in (0, 1):
        assert [other for other, _ in state.explain(node)] == [0]
        assert state.explain(node)[0][1] == pytest.approx(state.margin(node), abs=1e-12)


@settings(max_examples=100)
@given(class_games())
def test_values_are_chances(game):
    """With (L + εI)⁻¹ the values of all classes are at least 0 and sum to at most 1, up to the tolerance."""
    graph, classes, trials, _ = game
    game = start(graph, classes, tol=1e-6)
    for node, code in trials:
        game.diffusion.learn(node, code)
    for node in range(graph.num_nodes):
        values = game.diffusion.values(node)
        assert values.min() >= -1e-5
        assert values.sum() <= 1 + 1e-5


def test_refusals():
    with pytest.raises(ParameterError, match="mu=0"):
        Gaussian(mu=0)
    with pytest.raises(ParameterError, match="b=-1"):
        Gaussian(b=-1)
    line = zk.Graph.from_edges([(0, 1)])
    with pytest.raises(ParameterError, match="is not symmetric"):
        Gaussian(kernel="pagerank:0.5").start(line)

    class Large:
        num_nodes = EXACT_LIMIT + 1

    with pytest.raises(ParameterError, match="works locally"):
        Covariance(Large(), 2, 1.0, 0.0)
    covariance = Covariance(kernel_columns(line, "heat:1"), 1, 1.0, 0.0)
    with pytest.raises(ParameterError, match="distinct"):
        covariance.learn_in_order(np.array([0, 0]), np.array([0, 1]))


@pytest.mark.kernels
@settings(max_examples=120)
@given(vector_games(), MU, B)
def test_vectors_in_and_outside_a_table_agree_with_dense_solves(game, mu, b):
    points, rows, name, classes, trials = game
    matrix = VECTOR_KERNELS[name](points, points) + b
    features = zk.Features(points[:rows], kernel=kernel_named(name))
    game = start(features, classes, mu=mu, b=b)
    handed = [i if i < rows else points[i] for i in range(len(points))]
    for t in range(len(trials) + 1):
        probes = range(len(points)) if t == len(trials) else [trials[t][0]]
        for i in probes:
            values, spread = naive.posterior(matrix, trials[:t], classes, mu, i)
            np.testing.assert_allclose(game.score(handed[i]), naive.leads(list(values)), atol=1e-7)
            assert game.variance(handed[i]) == pytest.approx(max(spread, 0.0), abs=1e-7)
        if t < len(trials):
            node, code = trials[t]
            game.learn(handed[node], code)
    if trials:
        every = game.scores(np.arange(rows))
        assert rows == 0 or every[0].tolist() == game.score(handed[0]).tolist()


@pytest.mark.kernels
@pytest.mark.parametrize("name", list(VECTOR_KERNELS))
@pytest.mark.parametrize("rows", [1, 33, 70])
def test_a_table_in_a_known_order_is_one_factorisation_equal_to_the_last_bit(name, rows):
    rng = np.random.default_rng(rows)
    points = rng.normal(size=(rows, 3))
    trials = [(int(i), int(rng.integers(3))) for i in rng.permutation(rows)]
    fast, slow = (start(zk.Features(points), 3, kernel=kernel_named(name)) for _ in range(2))
    one, two = fast.play(as_trials(trials, 3)), Game.play(slow, as_trials(trials, 3))
    assert np.array_equal(one.margins, two.margins)
    expected, _ = naive.play(VECTOR_KERNELS[name](points, points) + 1e-8, trials, 3, 0.3)
    np.testing.assert_allclose(one.margins, expected, atol=1e-6)
    everyone = np.arange(rows)
    assert np.array_equal(fast.scores(everyone), slow.scores(everyone))
    unseen = np.array([0.2, -0.1, 0.4])
    assert np.array_equal(fast.score(unseen), slow.score(unseen))


@settings(max_examples=120)
@given(vector_games(), MU, B, st.integers(0, 3))
def test_mistakes_on_vectors_stay_within_the_bound(game, mu, b, wrong):
    points, rows, name, classes, trials = game
    codes = np.random.default_rng(wrong).integers(0, classes, rows)  # other than the labels told, mostly
    if wrong == 0:
        truth = dict(trials)
        trials = [(i, truth[i]) for i, _ in trials]
        codes = np.array([truth.get(i, 0) for i in range(rows)], dtype=np.int64)
    game = start(zk.Features(points[:rows], kernel=kernel_named(name)), classes, mu=mu, b=b)
    made = []
    for node, code in trials:
        place = node if node < rows else points[node]
        made.append(game.score(place))
        game.learn(place, code)
    bound = game.bound(comparators(codes, classes))
    assert bound.holds
    assert np.isfinite(bound.value)
    assert not trials or bound.allows(mistakes(np.array(made), trials, classes))
    if wrong == 0 and trials and len({i for i, _ in trials}) == len(trials):
        seen = [i for i, _ in trials]
        gram = VECTOR_KERNELS[name](points, points)[np.ix_(seen, seen)] + b
        targets = np.eye(classes)[:, [c for _, c in trials]]
        targets = targets[1:] - targets[:1] if classes == 2 else targets
        least = mu * np.trace(targets @ np.linalg.solve(gram + mu * np.eye(len(seen)), targets.T))
        factor = (1 if classes == 2 else 2) * (1 + gram.diagonal().max() / mu)
        assert bound.value == pytest.approx(factor * least, rel=1e-4)


@settings(max_examples=60)
@given(vector_games())
def test_shares_of_vectors(game):
    points, rows, name, classes, trials = game
    trials = [(i, c) for i, c in trials if i < rows]
    game = start(zk.Features(points[:rows], kernel=kernel_named(name)), classes, b=0.5)
    for node, code in trials:
        game.learn(node, code)
    for place in [*range(rows), points[-1]]:
        for column, margin in enumerate(game.score(place)):
            total = math.fsum(share for _, share in game.explain(place, column))
            assert total == pytest.approx(margin, abs=1e-7)
    game.learn(points[-1], 1)
    assert all(node < rows for node, _ in game.explain(points[-1], 0))


def test_the_kernel_of_the_learner_replaces_that_of_the_table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    labels = np.where((X**2).sum(axis=1) > 1.4, "far", "near")
    own = zk.play(zk.Features(X, kernel="gaussian:1"), labels, "gaussian", mu=0.1)
    for features in (zk.Features(X), zk.Features(X, kernel="polynomial:3")):
        given_one = zk.play(features, labels, "gaussian", kernel="gaussian:1", mu=0.1)
        assert np.array_equal(own.margins, given_one.margins)
    flat = zk.play(zk.Features(X, kernel="gaussian:1"), labels, "gaussian", kernel="linear", mu=0.1)
    assert own.mistakes < flat.mistakes
    for policy in ("variance:0.4", "doubt:1", "value:0.7", "margin:0.5"):
        run = zk.play(zk.Features(X), labels, "gaussian", kernel="gaussian:1", mu=0.1, policy=policy)
        assert 0 < run.queried_nodes < 40
        assert run.mistakes < 20


def test_the_value_of_a_vector_is_that_of_its_row():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 2))
    game = start(zk.Features(X, kernel="gaussian:1"), 3)
    for node in range(8):
        game.learn(node, node % 3)
    waiting = np.arange(20) > 10
    for node in range(8, 20):
        others = waiting & (np.arange(20) != node)
        column = game.covariance.column(node)
        influence = np.linalg.norm(column[others]) / (column[node] + 0.3)
        lead = abs(game.score(node)).min()
        assert game.value(node, others) == pytest.approx(influence / lead, rel=1e-6)
        assert game.value(X[node], others) == pytest.approx(game.value(node, others), rel=1e-6)


def test_the_bound_on_vectors_is_against_the_labelling_given():
    X = np.array([[1.0], [2.0], [-1.0]])
    game = start(zk.Features(X), 2, mu=0.5, b=0.0)
    for node, code in ((0, 1), (1, 0), (2, 0)):
        game.learn(node, code)
    told, labels, gram = np.array([1.0, -1.0, -1.0]), np.array([1.0, 1.0, -1.0]), X @ X.T
    duals = np.linalg.solve(gram + 0.5 * np.eye(3), labels)
    expected = (1 + 4 / 0.5) * (((told - gram @ duals) ** 2).sum() + 0.5 * duals @ gram @ duals)
    assert game.bound([labels.astype(np.int64)]).value == pytest.approx(expected, rel=1e-5)


def test_labels_that_contradict_count_after_a_game_in_a_known_order():
    line = zk.Graph.from_edges([(i, i + 1) for i in range(5)])
    game = start(line, 2, kernel="heat:1", engine="exact")
    game.play(as_trials([(i, int(i == 2)) for i in range(6)], 2))
    assert game.bound(comparators(np.zeros(6, dtype=np.int64), 2)).terms["k"] == 1


def crowd(nodes, share, seed=0):
    """Two groups in which everyone knows a share of everyone."""
    return zk.generators.planted_partition([nodes // 2] * 2, share, share / 4, np.random.default_rng(seed))


def test_small_graphs_with_many_edges_are_factorised_as_relaxing_takes_longer():
    many, few = crowd(300, 0.6), crowd(300, 0.02)
    assert isinstance(start(many.graph, 2), ExactGame)
    assert isinstance(start(few.graph, 2), GaussianGame)
    large = zk.Graph.from_edges([(i, j) for i in range(3) for j in range(3, 3200)])
    assert isinstance(start(large, 2, kernel="regularized:0.01"), GaussianGame)
    order = np.random.default_rng(1).permutation(300)
    signs = np.where(many.labels > 0, 1, -1)
    laplacian = many.graph.laplacian().toarray()
    matrix = np.linalg.inv(4 * laplacian / laplacian.diagonal().mean() + 0.1 * np.eye(300)) + 1e-8
    state = Gaussian().start(many.graph)
    for t, node in enumerate(order.tolist()):
        if t % 50 == 0:
            seen = order[:t]
            duals = np.linalg.solve(matrix[np.ix_(seen, seen)] + 0.3 * np.eye(t), signs[seen])
            assert state.margin(node) == pytest.approx(matrix[node, seen] @ duals, abs=1e-6)
        state.update(node, int(signs[node]))


def test_a_graph_that_grows_many_edges_is_factorised_from_then_on():
    few, many = crowd(300, 0.02), crowd(300, 0.7)
    session = zk.start(few.graph, "gaussian", classes=[0, 1])
    answers = [(node, int(few.labels[node])) for node in range(0, 300, 7)]
    for node, label in answers:
        session.learn(node, label)
    session.add_edges(many.graph.edges)
    fresh = zk.start(session.graph, "gaussian", classes=[0, 1])
    assert isinstance(start(session.graph, 2), ExactGame)
    for node, label in answers:
        fresh.learn(node, label)
    for node in range(300):
        assert session.predict(node).margin == pytest.approx(fresh.predict(node).margin, abs=1e-9)


def test_a_constant_whose_weight_the_tolerance_would_turn_negative():
    """Labels at one node that add up to more than all there is, by their tolerance (a random game)."""
    star = zk.Graph.from_edges([(0, 1), (0, 2), (0, 3)], [10.48, 2.33, 2.26])
    trials = [(0, int(k != 6)) for k in range(13)]
    kernel = "regularized:0.1"
    game = start(star, 2, kernel=kernel, mu=0.1, b=0.5, tol=0.02)
    trace = game.play(as_trials(trials, 2))
    diffusion = game.diffusion
    assert (diffusion.totals - diffusion.sums).sum() < -0.2  # -μ/b
    assert 0 < diffusion.prior_weight() <= 0.5 / 0.1
    exact = start(star, 2, kernel=kernel, mu=0.1, b=0.5, engine="exact").play(as_trials(trials, 2))
    np.testing.assert_allclose(trace.margins, exact.margins, atol=0.02)
    bound = game.bound(comparators(np.zeros(4, dtype=np.int64), 2))
    assert not bound.holds or bound.allows(mistakes(trace.margins, trials, 2))


def test_refusals_on_vectors():
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    features = zk.Features(X)
    with pytest.raises(ParameterError, match="unknown kernel 'heat'"):
        Gaussian(kernel="heat:3").start(features)
    with pytest.raises(ParameterError, match="no ndarray as their kernel"):
        Gaussian(kernel=np.eye(3)).start(features)
    with pytest.raises(ParameterError, match="does not fit"):
        Gaussian().start(features).update([1.0], 1)
    state = Gaussian(kernel=lambda A, x: -(A @ x)).start(features)
    with pytest.raises(ParameterError, match="not positive semi-definite"):
        state.update(0, 1)
    with pytest.raises(ParameterError, match="not positive semi-definite"):
        zk.play(features, [0, 1, 0], "gaussian", kernel=lambda A, x: -(A @ x))
    for node in (0, [1e4, 1e4]):
        with pytest.raises(ParameterError, match="too large beside mu"):
            Gaussian(kernel="polynomial:2").start(zk.Features(1e4 * X)).update(node, 1)
    with pytest.raises(ParameterError, match="too large beside mu"):
        zk.play(zk.Features(1e4 * X), [0, 1, 0], "gaussian", kernel="polynomial:2")
    with pytest.raises(ParameterError, match="NaN or infinite"):
        Gaussian(kernel=lambda A, x: np.full(len(A), np.nan)).start(features).update(0, 1)
    with pytest.raises(ParameterError, match="shorter table"):
        VectorCovariance(zk.Features(np.zeros((EXACT_LIMIT + 1, 1))), 1, 1.0, 0.0)
    full = VectorCovariance(zk.Features(np.zeros((EXACT_LIMIT, 1))), 1, 1.0, 0.0)
    with pytest.raises(ParameterError, match="at most 20000"):
        full.learn([1.0], 0)


@pytest.mark.data
@pytest.mark.parametrize(("name", "binary", "multi"), [("cora", 0.0455, 0.158), ("pubmed", 0.119, 0.1785)])
def test_known_figures(name, binary, multi):
    runs = zk.play_shuffles(*dataset(name), "gaussian", shuffles=2)
    assert runs.mean("error_binary") <= binary
    assert runs.mean("error_multiclass") <= multi


@pytest.mark.data
def test_heat_on_cora():
    run = zk.play(*dataset("cora"), "gaussian", kernel="heat:3", mu=1.0)
    assert run.error_multiclass <= 0.165


def test_sessions_tell_the_variance_and_the_certified_error():
    line = zk.Graph.from_edges([("a", "b"), ("b", "c")])
    session = zk.start(line, "gaussian", classes=[0, 1], kernel="regularized:0.5", mu=0.3, tol=1e-6, b=0.0)
    session.learn("a", 1)
    kernel = np.linalg.inv(line.laplacian().toarray() + 0.5 * np.eye(3))
    exact = kernel[2, 2] - kernel[0, 2] ** 2 / (kernel[0, 0] + 0.3)
    assert session.variance("c") == pytest.approx(exact, abs=1e-5)
    assert "its margin is exact up to 2e-06;" in session.predict("c").reason
    with pytest.raises(SessionError, match="'pounce' knows no variance"):
        zk.start(line, "pounce", classes=[0, 1]).variance("a")
    with pytest.raises(NodeError, match="no node 'z'"):
        session.variance("z")
