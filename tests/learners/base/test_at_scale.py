"""Perceptron and pounce on real graphs: the same predictions by every engine, and signed ones whole."""

import functools

import numpy as np
import pytest

from zerokelvin.games import play
from zerokelvin.graph import Graph
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.pounce.pounce import Pounce
from zerokelvin.solve.balance import balance

pytestmark = pytest.mark.data


@functools.cache
def largest(path):
    """The largest component of a stored graph, and its labels."""
    with np.load(path) as data:
        weights = data["weights"] if "weights" in data.files else None
        graph, nodes = Graph.from_edges(data["edges"], weights, num_nodes=int(data["n"])).largest_component()
        return graph, data["labels"][nodes]


def by_definition(graph, labels, order, b):
    """One-vs-rest margins with the kernel from the inverse of L + 11ᵀ/n, as a matrix."""
    n = graph.num_nodes
    K = np.linalg.inv(graph.laplacian().toarray() + 1 / n) - 1 / n + b
    signs = np.where(labels[:, None] == np.unique(labels), 1, -1)
    w, margins = np.zeros(signs.shape), []
    for node in order:
        margins.append(w[node].copy())
        wrong = np.where(w[node] >= 0, 1, -1) != signs[node]
        w += K[node][:, None] * (signs[node] * wrong)
    return np.array(margins)


def test_every_engine_predicts_cora_as_the_dense_inverse_does(data_folder):
    graph, labels = largest(data_folder / "cora.npz")
    exact = play(graph, labels, Perceptron(engine="dense"))
    expected = by_definition(graph, labels, exact.order, b=1.0)
    assert ((exact.margins >= 0) == (expected >= 0)).all()
    np.testing.assert_allclose(exact.margins, expected, atol=1e-9)
    for engine in ("auto", "direct", "jacobi", "approximate", "approximate-2"):
        found = play(graph, labels, Perceptron(engine=engine))
        assert (found.predictions == exact.predictions).all(), engine
        assert ((found.margins >= 0) == (exact.margins >= 0)).all(), engine


def test_engines_agree_on_pubmed_at_the_default_tolerance(data_folder):
    graph, labels = largest(data_folder / "pubmed.npz")
    order = np.random.default_rng(0).permutation(graph.num_nodes)[:1500]
    exact = play(graph, labels, Perceptron(engine="direct"), order=order)
    for engine in ("auto", "approximate"):
        found = play(graph, labels, Perceptron(engine=engine), order=order)
        assert (found.predictions == exact.predictions).all(), engine
        assert ((found.margins >= 0) == (exact.margins >= 0)).all(), engine


@pytest.mark.parametrize("learner", [Perceptron(b=0.01), Pounce()], ids=["perceptron", "pounce"])
def test_vandals_among_all_editors(data_folder, learner):
    """20,198 editors joined by signed edges: positive definite, and solved column by column."""
    graph, labels = largest(data_folder / "signed_wiki_editor.npz")
    assert (graph.num_nodes, graph.is_signed) == (20_198, True)
    assert not balance(graph).balanced.any()  # no camps without contradiction: positive definite
    order = np.random.default_rng(0).permutation(graph.num_nodes)[:100]
    prepared = learner.prepare(graph)
    column = (prepared.geometry if isinstance(learner, Pounce) else prepared).column(7)
    assert np.linalg.norm(graph.laplacian() @ column - np.eye(1, graph.num_nodes, 7)[0]) <= 1e-6
    found = play(graph, labels, learner, order=order, prepared=prepared)
    assert found.trials == 100
    assert 0 < found.mistakes < 50
    assert found.bound.holds
    assert found.bound.allows(found.mistakes)
