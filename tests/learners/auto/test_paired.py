"""Pairs of fields: dense regression on squared kernels by definition, and relaxation that ends."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive.learners.gaussian import posterior
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.learners.auto import paired
from zerokelvin.learners.auto import settings as auto_settings
from zerokelvin.learners.auto.paired import PairedFields, paired_system

SCALES = [(scale.kernel, scale.mu) for scale in auto_settings.SQUARED]
WALK = ("walk-squared:0.1", 1.0)


def kernel_matrix(graph, kernel):
    """By definition."""
    name, epsilon = kernel.split(":")
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    laplacian = np.diag(graph.degrees) - graph.adjacency.toarray()
    if name == "walk-squared":
        inverse = np.linalg.inv(laplacian + float(epsilon) * np.diag(degrees))
        return inverse @ np.diag(degrees) @ inverse
    if name == "normalized-squared":
        laplacian = laplacian / np.sqrt(np.outer(degrees, degrees))
    return np.linalg.matrix_power(np.linalg.inv(laplacian + float(epsilon) * np.eye(len(degrees))), 2)


def fields_of(graph, classes, scale, tol):
    kernel, mu = scale
    return PairedFields(paired_system(graph, kernel), classes, mu, tol)


def ended(fields, node, votes):
    """Whether the second equation holds for votes whose second field follows from the first equation."""
    (indptr, indices, weights, diagonal, link), (_, _, labels, root) = fields.system, fields.arrays
    system = np.diag(diagonal) - sp.csr_array((weights, indices, indptr), shape=(len(votes),) * 2)
    wanted = root * (np.arange(len(votes)) == node)
    left = wanted - root * labels * votes - system @ ((system @ votes) / link)
    return np.all(np.abs(left) <= 1e-6 * diagonal)


@st.composite
def games(draw):
    """Graphs of a mean degree of 4 as in the mixture, and labels in which nodes may come again."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    count, kind = (
        draw(st.integers(2, 25)),
        draw(st.sampled_from(["tree", "chain", "star", "random", "scattered"])),
    )
    ends = np.arange(1, count)
    starts = {
        "tree": [int(rng.integers(end)) for end in ends],
        "chain": ends - 1,
        "star": np.zeros(count - 1, dtype=int),
        "random": rng.integers(count, size=count - 1),
        "scattered": [int(rng.integers(end)) for end in ends],
    }[kind]
    pairs = [(int(a), int(b)) for a, b in zip(starts, ends, strict=True) if a != b] or [(0, 1)]
    weights = 10.0 ** rng.normal(0, 1.5, len(pairs)) if kind == "scattered" else np.ones(len(pairs))
    graph = Graph.from_edges(pairs, weights=weights, num_nodes=count)
    graph = Graph.from_scipy(graph.adjacency * (4.0 / graph.degrees.mean()))
    classes = draw(st.integers(2, 4))
    nodes = rng.integers(count, size=draw(st.integers(1, count)))
    return graph, nodes, rng.integers(classes, size=len(nodes)), classes, draw(st.sampled_from(SCALES))


@pytest.mark.kernels
@settings(max_examples=60, deadline=None)
@given(games())
def test_means_agree_with_dense_regression(game):
    graph, nodes, codes, classes, scale = game
    matrix, mu = kernel_matrix(graph, scale[0]), scale[1]
    fields = fields_of(graph, classes, scale, tol=1e-9)
    for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
        fields._plan[1] = 0.0  # as the first label, with which everything is relaxed
        fields.learn(node, code)
    if np.any(np.abs(fields.arrays.residual).max(axis=(0, 2)) > 1.001e-9 * fields.system.diagonal):
        assert graph.weights.max() > 100 * graph.weights.min()  # nowhere else is it cut off at `MOST`
        return
    trials = list(zip(nodes.tolist(), codes.tolist(), strict=True))
    for node in range(graph.num_nodes):
        exact = np.array(posterior(matrix, trials, classes, mu, node)[0])
        assume(not np.any(np.abs(np.abs(exact) - paired.FAR) < 1e-3))  # on either side of the limit
        exact[np.abs(exact) > paired.FAR] = 0.0  # which counts as no evidence
        assert np.allclose(fields.evidence([node])[0], exact, atol=2e-5)


@settings(max_examples=60, deadline=None)
@given(games())
def test_votes_are_the_weights_of_the_regression(game):
    """f = K_Q (K_QQ + μI)⁻¹ y: the weights are the entries of the matrix before y.

    Where weights differ by many orders of magnitude relaxation may be cut off at `MOST` before it ends.
    """
    graph, nodes, codes, classes, scale = game
    matrix, mu = kernel_matrix(graph, scale[0]), scale[1]
    fields = fields_of(graph, classes, scale, tol=1e-10)
    for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
        fields.learn(node, code)
    noisy = matrix[np.ix_(nodes, nodes)] + mu * np.eye(len(nodes))
    weights = matrix[:, nodes] @ np.linalg.inv(noisy)
    for node in range(graph.num_nodes):
        votes = fields.votes(node)
        if not ended(fields, node, votes):
            assert graph.weights.max() > 100 * graph.weights.min()  # nowhere else
            continue
        assert np.allclose(votes[nodes], weights[node], atol=1e-5)
        exact = [weights[node] @ (codes == c) for c in range(classes)]
        assert np.allclose(votes @ fields.counts, exact, atol=1e-5)


@settings(max_examples=100, deadline=None)
@given(games())
def test_residuals_are_what_they_claim_and_end_below_the_tolerance(game):
    graph, nodes, codes, classes, scale = game
    fields = fields_of(graph, classes, scale, tol=1e-4)
    for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
        fields._plan[1] = 0.0
        fields.learn(node, code)
    (indptr, indices, weights, diagonal, link), (pairs, residual, labels, root) = (
        fields.system,
        fields.arrays,
    )
    system = np.diag(diagonal) - sp.csr_array((weights, indices, indptr), shape=(graph.num_nodes,) * 2)
    f, g = pairs.transpose(2, 1, 0)
    targets = np.zeros((graph.num_nodes, classes))
    np.add.at(targets, (nodes, codes), 1.0)
    first, second = residual.transpose(2, 1, 0)
    assert np.allclose(first, link[:, None] * g - system @ f, atol=1e-9)
    assert np.allclose(second, root * (targets - labels[:, None] * f) - system @ g, atol=1e-9)
    assert (np.abs(residual).max(axis=(0, 2)) <= 1e-4 * diagonal * (1 + 1e-9)).all()


@settings(max_examples=30, deadline=None)
@given(games())
def test_foreseen_games_are_the_same_as_step_by_step(game):
    graph, nodes, codes, classes, scale = game
    ahead = fields_of(graph, classes, scale, tol=5e-4).learn_in_order(nodes, codes)
    fields = fields_of(graph, classes, scale, tol=5e-4)
    for t, (node, code) in enumerate(zip(nodes.tolist(), codes.tolist(), strict=True)):
        assert np.array_equal(fields.evidence([node])[0], ahead[t])
        fields.learn(node, code)
    everyone = np.arange(graph.num_nodes)
    assert np.array_equal(fields.evidence(everyone), [fields.evidence([node])[0] for node in everyone])


@settings(max_examples=60, deadline=None)
@given(games(), st.data())
def test_classes_without_a_label_are_passed_over(game, data):
    """The same to the last bit as going through all of them, also after an answer is taken back."""
    graph, nodes, codes, classes, scale = game
    fields, plain = (fields_of(graph, classes, scale, tol=5e-4) for _ in range(2))
    for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
        if data.draw(st.booleans()):
            fields.learn_reversibly(node, data.draw(st.integers(0, classes - 1))).back()
        if data.draw(st.integers(0, 4)) == 0:
            fields = fields.twin()
        if data.draw(st.integers(0, 4)) == 0:
            saved, fields = fields.snapshot(), fields_of(graph, classes, scale, tol=5e-4)
            fields.restore(saved)
        assert fields._begun.tolist() == fields.counts.any(axis=0).tolist()
        plain._begun[:] = True
        fields.learn(node, code)
        plain.learn(node, code)
        for mine, own in zip(fields.parts().values(), plain.parts().values(), strict=True):
            assert np.array_equal(mine, own)


def test_labels_stay_near_their_node_but_for_the_piece_they_sweep():
    """On a long chain a label that is carried loosely leaves all alone but its surroundings and its piece."""
    chain = Graph.from_edges([(i, i + 1) for i in range(2000)], weights=np.full(2000, 2.0))
    fields = fields_of(chain, 2, WALK, tol=1e-12)
    for node in (0, 2000, 1000, 500, 1500, 250):
        fields.learn(node, 0)
    before = fields.evidence(np.arange(2001))
    fields._plan[1:] = 10**6, 1900  # a piece of one node
    fields.learn(750, 1)
    changed = np.flatnonzero((fields.evidence(np.arange(2001)) != before).any(axis=1))
    assert 5 < np.count_nonzero(np.abs(changed - 750) < 30) < 60
    assert len(changed) < 65
    fields._plan[1:] = 99, 600  # a piece of some two hundred
    fields.learn(1250, 1)
    now = np.flatnonzero((fields.evidence(np.arange(2001)) != before).any(axis=1))
    assert len(now) > 2 * len(changed)
    assert now[now < 1200].min() > 590


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400))
def test_every_node_is_swept_while_labels_grow_by_a_fifth(count, begun):
    """The pieces of labels follow each other round all nodes."""
    line = Graph.from_edges([(i, i + 1) for i in range(count - 1)], num_nodes=count)
    fields = fields_of(line, 2, WALK, tol=1e-3)
    fields._plan[1] = begun
    swept, labels = np.zeros(count, dtype=bool), int(np.ceil(begun * np.exp(2 * paired.PACE))) - begun + 1
    for _ in range(labels):
        first = int(fields._plan[2])
        fields.learn(count // 2, 1)
        last = int(fields._plan[2]) or count
        swept[first if fields._plan[1] * paired.PACE > 1 else 0 : last] = True
    assert swept.all()


def test_sweeps_bring_what_labels_leave_below_the_tolerance():
    """Labels at one end of a chain sweep what a label near the other end has left."""
    chain = Graph.from_edges([(i, i + 1) for i in range(400)], weights=np.full(400, 2.0))
    fields = fields_of(chain, 2, WALK, tol=1e-4)
    fields._plan[1] = 10**6  # hardly any piece
    fields.learn(50, 0)
    sizes = np.abs(fields.arrays.residual[:, :150]).max(axis=(0, 2)) / fields.system.diagonal[:150]
    assert np.count_nonzero(sizes > 1e-4) > 10
    assert sizes.max() <= paired.LOOSE
    for _ in range(400):
        fields._plan[1] = 60  # a piece of a sixth
        fields.learn(400, 1)
    sizes = np.abs(fields.arrays.residual[:, :150]).max(axis=(0, 2)) / fields.system.diagonal[:150]
    assert sizes.max() <= 1e-4


def test_relaxation_that_takes_too_long_is_cut_off():
    """A walk that hardly ever stops on a long chain: no hang, nothing infinite."""
    chain = Graph.from_edges([(i, i + 1) for i in range(80)], weights=np.full(80, 2.0))
    fields = fields_of(chain, 2, ("walk-squared:0.0001", 1.0), tol=1e-9)
    for node in (0, 80, 40):
        fields._plan[1] = 0.0
        fields.learn(node, node % 3 % 2)
    residual, diagonal = fields.arrays.residual, fields.system.diagonal
    assert (np.abs(residual).max(axis=(0, 2)) > 1e-9 * diagonal).any()  # it was cut off
    table = fields.evidence(np.arange(81))
    assert np.isfinite(table).all()
    assert (np.abs(table) <= paired.FAR).all()


def test_only_squares_have_a_system():
    with pytest.raises(ParameterError, match=r"'heat:3' is no square; take squared"):
        paired_system(Graph.from_edges([(0, 1)]), "heat:3")
