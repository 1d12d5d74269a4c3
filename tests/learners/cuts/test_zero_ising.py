"""zero-ising: the shares of all minimum cuts, counted or drawn, what it says about them, Proposition 6."""

from __future__ import annotations

import math

import numpy as np
import pytest

import zerokelvin as zk
from naive.flow import all_minimum_cuts
from naive.flow_graphs import random_labels, small_graph
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.reproduction.zero_temperature.strategies_compared import layered_graph
from zerokelvin.graph import Graph
from zerokelvin.learners import make
from zerokelvin.learners.cuts.zero_ising import _share


def teach(learner, graph, labels, rng=None):
    state = learner.start(graph, rng=rng)
    for node, y in labels:
        state.update(node, y)
    return state


def ladder(rungs):
    """A line from 0 to the last node with another beside it: many minimum cuts in one part."""
    lower = [(0, 1), *[(i, i + 1) for i in range(1, rungs)], (rungs, 2 * rungs + 1)]
    upper = [
        (0, rungs + 1),
        *[(rungs + i, rungs + i + 1) for i in range(1, rungs)],
        (2 * rungs, 2 * rungs + 1),
    ]
    return Graph.from_edges(lower + upper)


def test_shares_of_all_minimum_cuts():
    rng = np.random.default_rng(2)
    compared = 0
    for _ in range(2000):
        case = small_graph(rng)
        labels = random_labels(rng, case.n)
        if len(set(labels.values())) < 2:
            continue
        _, cuts = all_minimum_cuts(case.n, case.edges, case.costs, labels)
        state = teach(make("zero-ising"), case.graph, [(v, 2 * y - 1) for v, y in labels.items()])
        for v in range(case.n):
            if state.margin(v) == 0:
                continue  # no label in its component
            found = state.count(v)
            assert found.exact
            assert found.target * len(cuts) == (found.source + found.target) * int(cuts[:, v].sum())
            if state.cut.side(v) == 0:
                total = found.source + found.target
                assert state.margin(v) == pytest.approx((found.target - found.source - 0.5) / total)
                compared += 1
    assert compared > 200


def test_margins_of_astronomical_counts():
    big = 10**400
    assert _share(big, big) < 0  # a tie is the source's
    assert _share(big, big + 1) > 0
    assert _share(3 * big, big) == pytest.approx(-0.5)


def test_the_reason_says_whether_cuts_were_counted_or_drawn():
    graph = ladder(5)
    for params, words in (({}, "were counted"), ({"max_states": 1, "samples": 201}, "of 201 drawn")):
        session = zk.start(graph, "zero-ising", classes=[0, 1], **params)
        session.learn(0, 0)
        session.learn(11, 1)
        assert words in session.predict(2).reason
        assert "every minimum cut" in session.predict(0).reason
        assert session.predict(2) == session.predict(2)
    plain = zk.start(graph, "longest-path", classes=[0, 1])
    plain.learn(0, 0)
    assert "every minimum cut" in plain.predict(3).reason
    plain.learn(11, 1)
    assert "2 arcs from the source and 4 to the target" in plain.predict(2).reason


def test_draws_depend_on_the_seed_and_the_labels_not_on_their_order():
    graph = ladder(12)
    learner = make("zero-ising", max_states=1, samples=51)
    labels = [(0, -1), (25, 1), (2, -1), (23, 1)]
    nodes = np.arange(graph.num_nodes)

    def margins(order, seed):
        return teach(learner, graph, [labels[i] for i in order], np.random.default_rng(seed)).margins(nodes)

    assert (margins([0, 1, 2, 3], 1) == margins([3, 1, 0, 2], 1)).all()
    assert (margins([0, 1, 2, 3], 1) != margins([0, 1, 2, 3], 2)).any()
    exact = teach(make("zero-ising"), graph, labels).margins(nodes)
    many = make("zero-ising", max_states=1, samples=4001)
    drawn = teach(many, graph, labels, np.random.default_rng(0)).margins(nodes)
    assert (
        np.abs(exact - drawn).max() < 0.12
    )  # 4001 draws: four deviations are 0.063, and half a cut of the ties
    state = teach(learner, graph, labels)
    state.update(7, -1)
    assert not state.bound(np.ones(26)).holds


@pytest.mark.parametrize("c", [2, 4, 6])
def test_proposition_6(c):
    """fixed-paths with a bad cover errs c² times where zero-ising cannot err more than about c times."""
    arcs, source, target, layers, cover = layered_graph(c)
    place = {int(node): i for i, node in enumerate(np.unique(arcs))}
    graph = Graph.from_edges([(place[a], place[b]) for a, b in arcs])
    paths = tuple(tuple(place[node] for node in path) for path in cover)
    ends = [(place[source], -1), (place[target], 1)]
    mistakes = {}
    for name, params in (("fixed-paths", {"cover": paths}), ("zero-ising", {})):
        state = teach(make(name, **params), graph, ends)
        assert state.cut.value == c**2 + c
        assert (state.cut.sides == 0).sum() == graph.num_nodes - 2
        if name == "zero-ising":
            total = zk.picard_queyranne(graph, {place[source]: 0, place[target]: 1}).count_minimum_cuts()
        mistakes[name] = 0
        for layer in reversed(layers):  # the truth is +1 everywhere, shown from the target's side
            for node in layer:
                mistakes[name] += state.margin(place[node]) < 0
                state.update(place[node], 1)
        assert state.bound(np.ones(graph.num_nodes)).allows(mistakes[name] + 2)
    assert mistakes["fixed-paths"] == c**2
    assert mistakes["zero-ising"] <= math.log2(total) <= 2 * c


@pytest.mark.parametrize("params", [{"max_states": 0}, {"samples": -1}])
def test_refusals(params):
    (name, value), *_ = params.items()
    with pytest.raises(ParameterError, match=f"{name}={value}"):
        make("zero-ising", **params)
