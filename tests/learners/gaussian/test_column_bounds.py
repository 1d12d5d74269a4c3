"""Bounds on influences by Lanczos are never below the columns of the inverse itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.learners.gaussian import influence
from zerokelvin.learners.gaussian.column_bounds import (
    KeptBounds,
    WantedBounds,
    new_room,
    spoil_around,
    tighten,
)
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.field_system import system_of
from zerokelvin.learners.gaussian.influence import Influence

KERNELS = ["relative-regularized:0.1", "regularized:0.5", "normalized:0.1", "normalized:0.01"]


def bounds_of(own, waiting):
    """The closest bounds of all nodes and the steps they took."""
    count = len(waiting)
    bounds, steps = np.full(count, np.inf), np.zeros(count, np.int8)
    kept = KeptBounds(bounds, steps, np.full(count, np.inf), np.zeros(count))
    base, wanted = own.diffusion.system.excess, WantedBounds(np.arange(count), np.zeros(count))
    tighten(own.regression(waiting), base, own.widest(), new_room(count), count, wanted, kept)
    return bounds, steps, kept.norms


def lengths(own):
    """Of every column of out (L + E)⁻¹ into, by definition, the length but for its own entry, and that."""
    diffusion = own.diffusion
    system, count = diffusion.system, len(diffusion.system.excess)
    adjacency = np.zeros((count, count))
    graph = system.graph
    rows = np.repeat(np.arange(count), np.diff(graph.indptr))
    adjacency[rows, graph.indices] = graph.weights
    precision = np.diag(graph.degrees + diffusion.relaxation.excess) - adjacency
    kernel = system.out[:, None] * np.linalg.inv(precision) * system.into
    own_entry = np.diag(kernel).copy()
    np.fill_diagonal(kernel, 0.0)
    return np.linalg.norm(kernel, axis=0), own_entry


@pytest.mark.parametrize("kernel", KERNELS)
@given(data=st.data())
def test_bounds_are_above_columns_by_definition(kernel, data):
    graph = data.draw(strategies.graphs(max_nodes=14))
    count = graph.num_nodes
    mu = data.draw(st.sampled_from([0.01, 0.3, 10.0]))
    own = Influence(Diffusion(system_of(graph, kernel), 1, mu, 0.0, 0.01))
    waiting = np.ones(count, dtype=np.bool_)
    for node in data.draw(st.lists(st.integers(0, count - 1), max_size=4)):
        own.diffusion.learn(node, 0)
    bounds, _, norms = bounds_of(own, waiting)
    length, entry = lengths(own)
    assert (norms >= length * (1 - 1e-9)).all()
    assert (bounds >= length / (entry + 1.0 / own.diffusion.terms.precision) * (1 - 1e-9)).all()
    assert (bounds >= [own.of(i, waiting) for i in range(count)]).all()


def test_bounds_are_close_where_steps_see_enough():
    graph = zk.knn_graph(np.random.default_rng(0).normal(size=(400, 2)), k=6)
    own = Influence(Diffusion(system_of(graph, "regularized:0.5"), 1, 1.0, 0.0, 0.01))
    bounds, steps, _ = bounds_of(own, np.ones(400, dtype=np.bool_))
    length, entry = lengths(own)
    ratio = bounds / (length / (entry + 1.0 / own.diffusion.terms.precision))
    assert np.median(ratio) < 1.1
    assert steps.max() > 4


def test_a_label_drops_the_bounds_that_saw_its_node_and_no_others():
    graph = zk.Graph.from_edges([(i, i + 1) for i in range(29)])
    bounds, steps = np.ones(30), np.full(30, 3, np.int8)
    changed = np.zeros(30, dtype=np.bool_)
    changed[10] = True
    room = new_room(30)
    spoil_around(graph.csr, changed, room, bounds, steps)
    assert np.flatnonzero(bounds == np.inf).tolist() == list(range(7, 14))
    assert (room.place == -1).all()


@pytest.mark.parametrize("least", [0, 10**9])
def test_the_first_list_computes_few_influences_and_is_the_one_by_definition(least, monkeypatch):
    monkeypatch.setattr(influence, "IN_THREADS", least)
    graph = zk.knn_graph(np.random.default_rng(1).random((1500, 2)), k=8)
    game = zk.learners.make("gaussian", kernel="regularized:0.1", b=0.0, mu=0.3).start_game(graph, 3)
    waiting, nodes = np.ones(1500, dtype=np.bool_), np.arange(1500)
    for answer in range(4):
        found = game.most_valued(nodes[waiting], waiting, 0.0, 3)
        if answer == 0:
            assert game.influence.kept._current.sum() < 1125
        values = np.array([game.value(int(node), waiting) for node in nodes[waiting]])
        best = nodes[waiting][np.argsort(-values, kind="stable")[:3]]
        assert found.nodes.tolist() == best.tolist()
        node = int(best[0])
        waiting[node] = False
        game.learn(node, node % 3)
