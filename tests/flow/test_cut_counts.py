from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from naive.flow import all_minimum_cuts
from naive.flow_graphs import random_labels, small_graph
from zerokelvin.errors import ParameterError
from zerokelvin.flow import OnlineCut, count_minimum_cuts_through, picard_queyranne
from zerokelvin.flow.static.ideals import InnerPart, count_ideals, reduce_transitively
from zerokelvin.graph import Graph


def random_part(rng, num, density):
    order = rng.permutation(num)
    arcs = [(order[i], order[j]) for i in range(num) for j in range(i + 1, num) if rng.random() < density]
    return InnerPart(num, np.array(arcs, dtype=np.int64).reshape(-1, 2), int(rng.integers(num)))


def brute_force(part):
    every = ((np.arange(2**part.num)[:, None] >> np.arange(part.num)) & 1).astype(bool)
    for i, j in part.arcs:
        every = every[every[:, i] | ~every[:, j]]
    return every


def weakly_connected(part):
    reached = {0}
    while True:
        grown = reached | {j for i, j in part.arcs.tolist() if i in reached}
        grown |= {i for i, j in part.arcs.tolist() if j in reached}
        if grown == reached:
            return len(reached) == part.num
        reached = grown


@pytest.mark.kernels
def test_counts_agree_with_all_labelings():
    rng = np.random.default_rng(0)
    for _ in range(300):
        case = small_graph(rng)
        labels = random_labels(rng, case.n)
        _, cuts = all_minimum_cuts(case.n, case.edges, case.costs, labels)
        offline = picard_queyranne(case.graph, labels)
        online = OnlineCut(case.graph)
        for node, y in labels.items():
            online.label(node, 2 * y - 1)
        for node in range(case.n):
            zeros, ones = int((cuts[:, node] == 0).sum()), int((cuts[:, node] == 1).sum())
            for cut in (offline, online):
                count = count_minimum_cuts_through(cut, node)
                assert count.exact
                assert count.source * ones == count.target * zeros  # the same odds
                assert count.source + count.target > 0
                assert count.label == (-1 if zeros >= ones else 1)


def test_ideals_of_random_orders():
    rng = np.random.default_rng(1)
    for _ in range(400):
        part = random_part(rng, int(rng.integers(1, 10)), rng.uniform(0.1, 0.9))
        if not weakly_connected(part):
            continue
        every = brute_force(part)
        count = count_ideals(part, 10**6)
        assert count.source == every[:, part.watched].sum()
        assert count.source + count.target == len(every)


def test_transitive_reduction_keeps_only_immediate_neighbours():
    rng = np.random.default_rng(2)
    for _ in range(200):
        part = random_part(rng, int(rng.integers(1, 9)), rng.uniform(0.1, 0.9))
        below = np.zeros((part.num, part.num), dtype=bool)
        for i, j in part.arcs:
            below[i, j] = True
        closure = below.copy()
        for _ in range(part.num):
            closure |= (closure.astype(int) @ closure.astype(int)) > 0
        immediate = closure & ~((closure.astype(int) @ closure.astype(int)) > 0)
        before, after = reduce_transitively(part.num, part.arcs)
        for i in range(part.num):
            assert [bool(after[i] >> j & 1) for j in range(part.num)] == immediate[i].tolist()
            assert [bool(before[i] >> j & 1) for j in range(part.num)] == immediate[:, i].tolist()


def test_large_counts_are_exact():
    chain = InnerPart(2000, np.column_stack([np.arange(1999), np.arange(1, 2000)]), 500)
    assert count_ideals(chain, 10)[:2] == (1500, 501)
    fan = InnerPart(200, np.column_stack([np.zeros(199, dtype=int), np.arange(1, 200)]), 0)
    assert count_ideals(fan, 10)[:2] == (2**199, 1)


def crown(wide):
    """Source and target joined through `wide` upper and lower nodes in two rotations."""
    edges = [(0, 1 + i) for i in range(wide) for _ in range(2)]
    edges += [(1 + i, 1 + wide + (i + step) % wide) for i in range(wide) for step in (0, 1)]
    edges += [(1 + wide + i, 1 + 2 * wide) for i in range(wide) for _ in range(2)]
    return Graph.from_edges(edges), {0: 0, 1 + 2 * wide: 1}


def test_sampling_takes_over_beyond_the_cap():
    pq = picard_queyranne(*crown(8))
    exact = count_minimum_cuts_through(pq, 3)
    share = exact.source / (exact.source + exact.target)
    rng = np.random.default_rng(4)
    drawn = count_minimum_cuts_through(pq, 3, max_states=4, samples=4000, rng=rng)
    assert not drawn.exact
    assert drawn.source + drawn.target == 4000
    assert drawn.super_vertices == exact.super_vertices == 16
    assert abs(drawn.source / 4000 - share) < 5 * np.sqrt(share * (1 - share) / 4000)
    with pytest.raises(ParameterError, match="pass rng"):
        count_minimum_cuts_through(pq, 3, max_states=4)
    with pytest.raises(ParameterError, match="samples=0"):
        count_minimum_cuts_through(pq, 3, max_states=4, samples=0, rng=rng)


@pytest.mark.kernels
def test_sampled_minimum_cuts_are_uniform():
    pq = picard_queyranne(*crown(3))
    listed = {tuple(cut): k for k, cut in enumerate(pq.minimum_cuts())}
    samples = 40 * len(listed)
    drawn = pq.sample_minimum_cuts(samples, np.random.default_rng(6))
    seen = np.bincount([listed[tuple(cut)] for cut in drawn], minlength=len(listed))
    assert chisquare(seen).pvalue > 1e-3


def test_the_same_seed_draws_the_same_cuts():
    pq = picard_queyranne(*crown(5))
    first = pq.sample_minimum_cuts(20, np.random.default_rng(1))
    assert (first == pq.sample_minimum_cuts(20, np.random.default_rng(1))).all()
    assert (first != pq.sample_minimum_cuts(20, np.random.default_rng(2))).any()


def test_a_single_minimum_cut_is_always_drawn():
    pq = picard_queyranne(Graph.from_edges([(0, 1)]), {0: 0, 1: 1})
    assert pq.sample_minimum_cuts(3, np.random.default_rng(0)).tolist() == [[-1, 1]] * 3
