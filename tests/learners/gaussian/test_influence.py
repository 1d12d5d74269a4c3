"""Values that are kept and ruled out by bounds: the list that looking at every node by itself would give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.kernels.relaxation_queue import new_queue
from zerokelvin.learners.base.multiclass import rank_values
from zerokelvin.learners.gaussian import influence
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.field_system import system_of
from zerokelvin.learners.gaussian.influence import Influence, KeptInfluences
from zerokelvin.learners.gaussian.influence_kernels import bound_influences

KERNELS = ["relative-regularized:0.1", "regularized:0.5", "normalized:0.1", "normalized:0.01"]


def by_definition(game, nodes, waiting, above, most):
    """The values of all nodes one by one, by an influence that keeps nothing."""
    plain = game.twin()
    plain.influence.kept = KeptInfluences(len(waiting))
    values = np.array([plain.value(int(node), waiting) for node in nodes])
    return rank_values(nodes, values, above, most)


def agree(game, nodes, waiting, above, most):
    ours = game.most_valued(nodes, waiting, above, most)
    plain = by_definition(game, nodes, waiting, above, most)
    assert ours.nodes.tolist() == plain.nodes.tolist()
    assert np.array_equal(ours.values, plain.values)


@pytest.mark.parametrize("kernel", KERNELS)
@given(data=st.data())
def test_the_most_valued_are_those_by_definition(kernel, data):
    graph = data.draw(strategies.graphs(max_nodes=12))
    count, classes = graph.num_nodes, data.draw(st.sampled_from([2, 3]))
    b, mu = data.draw(st.sampled_from([0.0, 1e-8, 0.5])), data.draw(st.sampled_from([0.01, 0.3, 10.0]))
    learner = zk.learners.make("gaussian", kernel=kernel, b=b, mu=mu)
    game = learner.start_game(graph, classes)
    game = getattr(game, "inner", game)
    if not hasattr(game, "influence"):
        return  # a kernel that no relaxation serves on this graph
    waiting = np.ones(count, dtype=np.bool_)
    for _ in range(data.draw(st.integers(0, 8))):
        node = data.draw(st.integers(0, count - 1))
        if data.draw(st.booleans()):
            waiting[node] = False
        if data.draw(st.booleans()):
            game.learn(node, data.draw(st.integers(0, classes - 1)))
        if data.draw(st.integers(0, 9)) == 0:
            waiting[data.draw(st.integers(0, count - 1))] = True  # an answer is taken back
        if data.draw(st.integers(0, 3)) == 0:
            game = game.twin()
        nodes = np.array(data.draw(st.permutations(range(count))))
        above = data.draw(st.sampled_from([-1.0, 0.0, 0.5, 2.0]))
        agree(game, nodes, waiting, above, data.draw(st.sampled_from([0, 1, 2, 5, None])))


@pytest.mark.parametrize("room", [1 << 26, 50])
@pytest.mark.parametrize("worth", [1, 64])
def test_over_a_whole_game_on_a_larger_graph(room, worth, monkeypatch):
    monkeypatch.setattr(influence, "ROOM", room)
    monkeypatch.setattr(influence, "IN_THREADS", worth)  # with 1, every influence is computed in a thread
    rng = np.random.default_rng(0)
    graph = zk.knn_graph(rng.normal(size=(300, 3)), k=5)
    game = zk.learners.make("gaussian", b=0.0).start_game(graph, 3)
    waiting, nodes = np.ones(300, dtype=np.bool_), np.arange(300)
    for _ in range(40):
        agree(game, nodes[waiting], waiting, 0.0, 10)
        node = int(game.most_valued(nodes[waiting], waiting, 0.0, 1).nodes[0])
        waiting[node] = False
        game.learn(node, node % 3)


def test_an_interrupt_while_threads_compute_leaves_nothing_wrong(monkeypatch):
    monkeypatch.setattr(influence, "IN_THREADS", 1)
    rng, real = np.random.default_rng(3), influence.in_threads
    game = zk.learners.make("gaussian", b=0.0).start_game(zk.knn_graph(rng.normal(size=(200, 3)), k=5), 3)
    waiting, nodes = np.ones(200, dtype=np.bool_), np.arange(200)

    def interrupted(tasks, worth=True):
        real(tasks, worth)
        raise KeyboardInterrupt

    for node in range(0, 200, 20):
        game.learn(node, node % 3)
        waiting[node] = False
        monkeypatch.setattr(influence, "in_threads", interrupted)
        with pytest.raises(KeyboardInterrupt):
            game.influence.kept.compute(game.influence.regression(waiting), new_queue(200), nodes)
        monkeypatch.setattr(influence, "in_threads", real)
        agree(game, nodes[waiting], waiting, 0.0, 10)


def test_few_influences_are_computed_after_an_answer():
    rng = np.random.default_rng(1)
    graph = zk.knn_graph(rng.normal(size=(3000, 3)), k=6)
    game = zk.learners.make("gaussian", b=0.0).start_game(graph, 3)
    waiting, nodes = np.ones(3000, dtype=np.bool_), np.arange(3000)
    game.learn(0, 1)
    waiting[0] = False
    game.most_valued(nodes[waiting], waiting, 0.0, 10)
    kept = game.influence.kept
    before = int(kept._used[0])
    game.learn(1500, 2)
    waiting[1500] = False
    game.most_valued(nodes[waiting], waiting, 0.0, 10)
    assert 0 <= int(kept._used[0]) - before < before // 10


def test_bounds_are_above_what_they_bound():
    rng = np.random.default_rng(2)
    for kernel in KERNELS:
        graph = zk.knn_graph(rng.normal(size=(120, 2)), k=4)
        game = zk.learners.make("gaussian", kernel=kernel).start_game(graph, 2)
        waiting, nodes = np.ones(120, dtype=np.bool_), np.arange(120)
        for node in rng.permutation(120)[:30].tolist():
            own, upper = game.influence, np.zeros(120)
            own.kept.renew(game.diffusion.relaxation.csr, game.diffusion.relaxation.excess, waiting)
            bound_influences(own.regression(waiting), own.kept.arrays, nodes, own.widest(), upper)
            found = np.array([own.of(i, waiting) for i in range(120)])
            assert (upper >= found).all()
            game.most_valued(nodes, waiting, 0.0, 20)
            game.learn(node, node % 2)
            waiting[node] = False


def test_copies_in_threads_find_what_they_find_alone():
    """Copies share what is known of influences; at work at the same time they must not touch it together."""
    from concurrent.futures import ThreadPoolExecutor

    rng = np.random.default_rng(0)
    graph = zk.knn_graph(rng.normal(size=(400, 3)), k=6)
    first = Influence(Diffusion(system_of(graph, "regularized:0.1"), 2, 1.0, 0.0, 0.01))
    waits = rng.random((4, 6, 400)) < 0.8

    def work(start, kept=None):
        diffusion, found = first.diffusion.twin(), []
        influence = Influence(diffusion, kept)
        for step, waiting in enumerate(waits[start]):
            found.append(influence.most_valued(np.arange(400), waiting, 0.0, 5).nodes.tolist())
            diffusion.learn(40 * start + step, step % 2)
        return found

    alone = [work(start) for start in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda start: work(start, first.kept), range(4))) == alone
