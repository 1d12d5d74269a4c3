"""Perceptron and pounce on signed graphs (Herbster 2008, section 3.1)."""

import numpy as np
import pytest

from random_graphs import random_graph
from zerokelvin.errors import GraphError
from zerokelvin.games import play
from zerokelvin.graph import Graph, cut
from zerokelvin.learners import sign
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.pounce.pounce import Pounce


def definite_graphs(count):
    """Signed graphs whose Laplacian is positive definite."""
    for seed in range(count):
        graph = random_graph(seed, signed=True)
        if np.linalg.eigvalsh(graph.laplacian().toarray())[0] > 1e-9:
            yield np.random.default_rng(seed), graph


def test_lemma_1_the_norm_counts_violated_edges():
    for rng, graph in definite_graphs(200):
        u = rng.choice([-1, 1], graph.num_nodes)
        assert u @ graph.laplacian() @ u == pytest.approx(4 * cut(graph, u))


def test_perceptron_plays_the_inverse_of_the_signed_laplacian():
    played = 0
    for rng, graph in definite_graphs(250):
        kernel = np.linalg.inv(graph.laplacian().toarray()) + 0.5
        labels = rng.choice([-1, 1], graph.num_nodes)
        state = Perceptron(b=0.5).start(graph)
        w, mistakes = np.zeros(graph.num_nodes), 0
        for i in rng.integers(graph.num_nodes, size=2 * graph.num_nodes):
            assert state.margin(i) == pytest.approx(w[i], abs=1e-7)
            if abs(w[i]) < 1e-9 and mistakes:
                break  # a sum that cancels to rounding size has no sign
            if sign(w[i]) != labels[i]:
                w += labels[i] * kernel[i]
                mistakes += 1
            state.update(int(i), int(labels[i]))
        else:
            assert state.bound(labels).allows(mistakes)
        played += 1
    assert played > 50


def test_perceptron_refuses_what_is_not_positive_definite():
    balanced = Graph.from_edges([(0, 1), (1, 2)], weights=[1.0, -1.0])
    with pytest.raises(GraphError, match="positive definite"):
        Perceptron().prepare(balanced)
    mixed = Graph.from_edges([(0, 1), (1, 2), (0, 2), (3, 4)], weights=[1.0, 1.0, -1.0, 1.0])
    with pytest.raises(
        GraphError, match=r"component of node 3 has no negative edge; play the largest component"
    ):
        Perceptron().prepare(mixed)
    with pytest.raises(GraphError, match="no negative edge; take the components"):
        Perceptron().prepare(Graph.from_edges([(0, 1), (1, 2), (3, 4)], weights=[1.0, 1.0, -1.0]))
    with pytest.raises(GraphError, match="c > 0 needs positive weights"):
        Perceptron(c=1.0).prepare(mixed)


@pytest.mark.data
def test_vandals_among_editors(data_folder):
    """The largest component among 2,000 random editors: better than the majority."""
    with np.load(data_folder / "signed_wiki_editor.npz") as data:
        graph = Graph.from_edges(data["edges"], data["weights"], num_nodes=int(data["n"]))
        labels = data["labels"]
    sample = np.sort(np.random.default_rng(1).permutation(graph.num_nodes)[:2000])
    part, nodes = graph.subgraph(sample).largest_component()
    shown = labels[sample][nodes]
    assert part.is_signed
    rare = min(np.mean(shown == 0), np.mean(shown == 1))
    for learner in (Perceptron(b=0.01), Pounce()):
        found = play(part, shown, learner)
        assert found.bound.holds
        assert found.bound.allows(found.mistakes)
        assert found.error_multiclass < 0.9 * rare
