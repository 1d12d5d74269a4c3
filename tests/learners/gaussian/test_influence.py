"""Values that are kept and ruled out by bounds: the list that looking at every node by itself would give."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.decision import lead
from zerokelvin.asking.value import LEAST_LEAD
from zerokelvin.kernels.relaxation_queue import new_queue
from zerokelvin.learners.base.multiclass import Valued
from zerokelvin.learners.gaussian import influence
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.field_system import system_of
from zerokelvin.learners.gaussian.gaussian import GaussianGame
from zerokelvin.learners.gaussian.influence import Influence, KeptInfluences
from zerokelvin.learners.gaussian.influence_kernels import bound_influences
from zerokelvin.learners.gaussian.near_influence import SEEN, SOLVED, STEPS
from zerokelvin.stopping import StoppedError, stop_when

KERNELS = ["relative-regularized:0.1", "regularized:0.5", "normalized:0.1", "normalized:0.01"]


def near_by_definition(game, waiting):
    """The near influence of every node, by conjugate gradients on dense vectors."""
    diffusion = game.diffusion
    system, graph, excess = diffusion.system, diffusion.system.graph, diffusion.relaxation.excess
    count, found = graph.num_nodes, np.zeros(graph.num_nodes)
    adjacency = np.zeros((count, count))
    adjacency[np.repeat(np.arange(count), np.diff(graph.indptr)), graph.indices] = graph.weights
    precision = np.diag(graph.degrees + excess) - adjacency
    diagonal = graph.degrees + excess
    for i in range(count):
        x, r = np.zeros(count), np.eye(count)[i]
        way, seen = r / diagonal, {i}
        left = first = r @ way
        for _ in range(STEPS):
            seen |= {int(v) for u in seen for v in graph.indices[graph.indptr[u] : graph.indptr[u + 1]]}
            product = precision @ way
            length = left / (way @ product)
            x, r = x + length * way, r - length * product
            before, left = left, r @ (r / diagonal)
            if len(seen) > SEEN or left <= SOLVED * first:
                break
            way = r / diagonal + left / before * way
        shares = system.out * x * system.into[i]
        others = waiting & (np.arange(count) != i)
        found[i] = np.linalg.norm(shares[others]) / (shares[i] + 1.0 / diffusion.terms.precision)
    return found


def first_by_definition(graph, waiting):
    """The nodes looked at before all others: in turn the next by degree and the next drawn."""
    count = graph.num_nodes
    drawn = [float(coins(influence.SALT, np.array([i]))[0]) for i in range(count)]
    by_degree = sorted(range(count), key=lambda i: (-graph.degrees[i], drawn[i]))
    at_random = sorted(range(count), key=lambda i: drawn[i])
    both = [node for pair in zip(by_degree, at_random, strict=True) for node in pair]
    size = influence.FIRST + influence.FURTHER * int(np.sum(~waiting))
    return set(both[:size]) if size < count else set(range(count))


def by_definition(game, nodes, waiting, above, most):
    """The values of all nodes one by one, in blocks of decreasing near value, by what keeps nothing."""
    plain = game.twin()
    plain.influence.kept = own = KeptInfluences(len(waiting))
    values = np.array([plain.value(int(node), waiting) for node in nodes])
    own.renew(game.diffusion.relaxation.csr, game.diffusion.relaxation.excess, waiting)
    near = own.near(plain.influence.regression(waiting), nodes)
    leads = np.array([lead(plain.diffusion.values(int(node))) for node in nodes])
    first = first_by_definition(game.diffusion.system.graph, waiting)
    size, places = influence.BLOCK, []
    for part in (True, False):
        own = [place for place in range(len(nodes)) if (int(nodes[place]) in first) == part]
        order = sorted(own, key=lambda place: -near[place] / max(leads[place], LEAST_LEAD))
        for start in range(0, len(order), size):
            places += sorted(order[start : start + size], key=lambda place: (-values[place], place))
    kept = [place for place in places if values[place] > above][:most]
    return Valued(nodes[kept], values[kept])


def agree(game, nodes, waiting, above, most):
    ours = game.most_valued(nodes, waiting, above, most)
    plain = by_definition(game, nodes, waiting, above, most)
    assert ours.nodes.tolist() == plain.nodes.tolist()
    assert np.array_equal(ours.values, plain.values)


@pytest.mark.parametrize(("first", "further"), [(influence.FIRST, influence.FURTHER), (2, 2)])
@pytest.mark.parametrize("kernel", KERNELS)
@given(data=st.data())
def test_the_most_valued_are_those_by_definition(kernel, first, further, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(influence, "FIRST", first)
        patch.setattr(influence, "FURTHER", further)
        play_by_definition(kernel, data)


def play_by_definition(kernel, data):
    """Lists at every point of a small game."""
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
@pytest.mark.parametrize("block", [3, influence.BLOCK])
@pytest.mark.parametrize("first", [20, influence.FIRST])
def test_over_a_whole_game_on_a_larger_graph(first, block, room, worth, monkeypatch):
    monkeypatch.setattr(influence, "BLOCK", block)
    monkeypatch.setattr(influence, "FIRST", first)
    monkeypatch.setattr(influence, "FURTHER", 9)  # with 20 first, all of them after 32 answers
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


@pytest.mark.parametrize("kernel", KERNELS)
@given(data=st.data())
def test_near_influences_are_those_of_conjugate_gradients(kernel, data):
    graph = data.draw(strategies.graphs(max_nodes=12))
    game = GaussianGame(
        Diffusion(system_of(graph, kernel), 1, data.draw(st.sampled_from([0.1, 1.0, 50.0])), 0.0, 0.01)
    )
    count = graph.num_nodes
    waiting = np.array(data.draw(st.lists(st.booleans(), min_size=count, max_size=count)))
    kept, nodes = game.influence.kept, np.arange(count)
    for node in data.draw(st.lists(st.integers(0, count - 1), max_size=4)):
        game.learn(node, 0)
        kept.renew(game.diffusion.relaxation.csr, game.diffusion.relaxation.excess, waiting)
        near = kept.near(game.influence.regression(waiting), nodes)
        assert near == pytest.approx(near_by_definition(game, waiting), rel=1e-6, abs=1e-9)
        waiting[node] = False


def test_near_influences_are_kept_but_where_something_has_changed(monkeypatch):
    """On a graph so large that steps end early, as computed anew after every label."""
    rng = np.random.default_rng(4)
    graph = zk.knn_graph(rng.normal(size=(1500, 2)), k=5)
    game = zk.learners.make("gaussian", b=0.0).start_game(graph, 3)
    waiting, nodes, computed = np.ones(1500, dtype=np.bool_), np.arange(1500), []
    real = influence.near_influences
    monkeypatch.setattr(influence, "near_influences", lambda *all: computed.append(len(all[2])) or real(*all))
    for node in rng.permutation(1500)[:12].tolist():
        game.learn(node, node % 3)
        waiting[node] = False
        regression, precision = game.influence.regression(waiting), game.diffusion.relaxation
        fresh = KeptInfluences(1500)
        for kept in (fresh, game.influence.kept):
            kept.renew(precision.csr, precision.excess, waiting)
        computed.clear()
        found = game.influence.kept.near(regression, nodes)
        again = sum(computed)
        assert np.array_equal(found, fresh.near(regression, nodes))
    assert 0 < again < 600
    chosen = rng.permutation(1500)[:40]
    assert found[chosen] == pytest.approx(near_by_definition(game, waiting)[chosen], rel=1e-6)


def test_the_first_of_a_list_is_worth_nearly_as_much_as_the_best():
    rng = np.random.default_rng(5)
    for dimension in (2, 12):
        graph = zk.knn_graph(rng.normal(size=(1200, dimension)), k=8)
        game = zk.learners.make("gaussian", b=0.0).start_game(graph, 2)
        waiting, nodes = np.ones(1200, dtype=np.bool_), np.arange(1200)
        for node in rng.permutation(1200)[:20].tolist():
            game.learn(node, node % 2)
            waiting[node] = False
            first = game.most_valued(nodes[waiting], waiting, 0.0, 1).values[0]
            assert first >= 0.75 * max(game.most_valued(nodes[waiting], waiting, 0.0).values)


@pytest.mark.parametrize("first", [40, influence.FIRST])
@pytest.mark.parametrize("most", [0, 1, 7, 32, 33, 100, 1000])
def test_a_shorter_list_is_the_beginning_of_a_longer_one(most, first, monkeypatch):
    monkeypatch.setattr(influence, "FIRST", first)
    monkeypatch.setattr(influence, "FURTHER", 5)
    rng = np.random.default_rng(6)
    graph = zk.knn_graph(rng.normal(size=(300, 3)), k=5)
    game = zk.learners.make("gaussian", b=0.0).start_game(graph, 3)
    waiting, nodes = np.ones(300, dtype=np.bool_), np.arange(300)
    for node in range(0, 300, 40):
        game.learn(node, node % 3)
        waiting[node] = False
    for above in (0.0, 0.3, 2.0, 1e9):
        whole = game.most_valued(nodes[waiting], waiting, above)
        part = game.twin().most_valued(nodes[waiting], waiting, above, most)
        assert part.nodes.tolist() == whole.nodes.tolist()[:most]


def one_label(count, dimension):
    """A game on points of which the first has its label, who waits, and the nodes."""
    graph = zk.knn_graph(np.random.default_rng(7).normal(size=(count, dimension)), k=6)
    game = zk.learners.make("gaussian", b=0.0).start_game(graph, 2)
    game.learn(0, 1)
    return game, np.arange(count) > 0, np.arange(count)


def test_few_near_influences_are_computed_for_the_first_list(monkeypatch):
    monkeypatch.setattr(influence, "FIRST", 100)
    monkeypatch.setattr(influence, "FURTHER", 10)
    game, waiting, nodes = one_label(2000, dimension=8)
    game.most_valued(nodes[waiting], waiting, 0.0, 1)
    known = np.count_nonzero(~np.isnan(game.influence.kept._near))
    assert 90 <= known <= 110
    game.most_valued(nodes[waiting], waiting, 0.0)
    assert np.count_nonzero(~np.isnan(game.influence.kept._near)) == 1999


def test_near_influences_go_on_where_they_were_stopped(monkeypatch):
    monkeypatch.setattr(influence, "PART", 50)
    game, waiting, nodes = one_label(400, dimension=4)
    other = game.twin()
    other.influence.kept = KeptInfluences(400)
    for looks in range(3):
        left = iter([False] * 2 + [True])
        with pytest.raises(StoppedError), stop_when(lambda left=left: next(left, False)):
            game.most_valued(nodes[waiting], waiting, 0.0, 5)
        assert np.count_nonzero(~np.isnan(game.influence.kept._near)) == 100 * (looks + 1)
    agree(game, nodes[waiting], waiting, 0.0, 5)
    assert other.most_valued(nodes[waiting], waiting, 0.0, 5).nodes.tolist() == (
        game.most_valued(nodes[waiting], waiting, 0.0, 5).nodes.tolist()
    )


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
