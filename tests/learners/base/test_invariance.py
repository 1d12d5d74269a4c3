"""Neither the numbering of nodes nor the number of threads matters, and ties are ties."""

import dataclasses
import inspect
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import zerokelvin as zk
from zerokelvin import learners, threads
from zerokelvin.checks import CHECKS, ContractError
from zerokelvin.errors import ParameterError
from zerokelvin.games.labels import decide
from zerokelvin.graph.name_order import name_order
from zerokelvin.learners.base import Game, OneVsRest, State, columns_of
from zerokelvin.learners.base.renumbered import RenumberedGame, RenumberedState
from zerokelvin.learners.base.ties import DEAD_ZONE, first_largest, settle, settled_dot
from zerokelvin.learners.perceptron.perceptron import Perceptron
from zerokelvin.learners.perceptron.perceptron_state import PerceptronState
from zerokelvin.threads import on_one_thread


def circulant(n, steps=(1, 2, 5)):
    return zk.Graph.from_edges([(i, (i + step) % n) for i in range(n) for step in steps])


def hypercube(dimension):
    pairs = [(i, i ^ (1 << b)) for i in range(2**dimension) for b in range(dimension)]
    return zk.Graph.from_edges([pair for pair in pairs if pair[0] < pair[1]])


def torus(a, b):
    down = [(i * b + j, (i + 1) % a * b + j) for i in range(a) for j in range(b)]
    return zk.Graph.from_edges(down + [(i * b + j, i * b + (j + 1) % b) for i in range(a) for j in range(b)])


def drawn(n, seed):
    rng = np.random.default_rng(seed)
    pairs = [(i, int(rng.integers(i))) for i in range(1, n)]
    pairs += [tuple(rng.choice(n, 2, replace=False).tolist()) for _ in range(n)]
    return zk.Graph.from_edges(pairs, rng.choice([0.1, 0.3, 1.0, 2.5], len(pairs)), num_nodes=n)


FAMILIES = {
    "circulant": circulant(18),
    "hypercube": hypercube(4),
    "torus": torus(4, 4),
    "bipartite": zk.Graph.from_edges([(i, 6 + j) for i in range(6) for j in range(7)]),
    "binary tree": zk.Graph.from_edges([(i, (i - 1) // 2) for i in range(1, 15)]),
    "drawn": drawn(19, 3),
    "islands": zk.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (5, 6), (6, 7), (7, 5)], num_nodes=9),
}

THREADS = """
import pickle, sys
import zerokelvin as zk
from zerokelvin.errors import ParameterError
found = {}
for n, steps, classes in ((150, (1, 2, 5), 2), (60, (1,), 3)):
    graph = zk.Graph.from_edges([(i, (i + step) % n) for i in range(n) for step in steps])
    for name in zk.learners.names():
        try:
            run = zk.play(graph, [i % classes for i in range(n)], name, seed=1)
        except ParameterError:
            continue
        found[n, name] = (run.margins.tobytes(), run.asked.tobytes(), run.mistakes)
sys.stdout.buffer.write(pickle.dumps(found))
"""


def played_with(threads):
    own = {name: str(threads) for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", THREADS], env=os.environ | own, capture_output=True, check=True
    )
    return pickle.loads(done.stdout)  # noqa: S301


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="150 nodes take long without compilation")
def test_every_learner_plays_the_same_game_on_any_number_of_threads():
    one, two = played_with(1), played_with(2)
    assert len(one) >= 2 * len(learners.names()) - 4
    assert [key for key in one if one[key] != two[key]] == []


@pytest.mark.parametrize("name", ["sslgc", "ollgc", "bbq", "llgc", "second-order", "perceptron", "pounce"])
def test_a_circulant_graph_is_played_the_same_on_two_threads(name):
    graph = circulant(150)
    runs = []
    for count in (1, 2, 4):
        with threadpool_limits(count, user_api="blas"):
            runs.append(zk.play(graph, [i % 2 for i in range(150)], name, seed=1))
    assert all(np.array_equal(run.margins, runs[0].margins) for run in runs)
    assert len({run.mistakes for run in runs}) == 1


def blas_threads():
    return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]


def test_threads_are_put_back_whoever_leaves_last():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        entered, leave, seen = threading.Event(), threading.Event(), []

        @on_one_thread
        def other():
            entered.set()
            leave.wait(10)
            seen.append(blas_threads())

        @on_one_thread
        def first():
            worker.start()
            entered.wait(10)
            seen.append(on_one_thread(blas_threads)())

        worker = threading.Thread(target=other)
        first()
        assert set(blas_threads()) == {1}  # the other is still inside
        leave.set()
        worker.join()
        assert [set(found) for found in seen] == [{1}, {1}]
        assert blas_threads() == before
        worker = threading.Thread(target=on_one_thread(lambda: seen.append(blas_threads())))  # by itself
        worker.start()
        worker.join()
        assert set(seen[2]) == {1}
        assert blas_threads() == before
        with pytest.raises(ZeroDivisionError):
            on_one_thread(lambda: 1 / 0)()
        assert blas_threads() == before


# -- numbering ------------------------------------------------------------------------------------


def renumbered(graph, labels, rng):
    """The same named nodes and edges, handed over in another order."""
    n = graph.num_nodes
    place = rng.permutation(n)
    names = [""] * n
    for i in range(n):
        names[place[i]] = f"v{i * 7919 % 10007}"
    edges, weights = place[graph.edges], graph.edge_weights
    shuffled = rng.permutation(len(edges))
    edges = np.where(rng.random((len(edges), 1)) < 0.5, edges, edges[:, ::-1])[shuffled]
    known = [None] * n
    for i in range(n):
        known[place[i]] = labels[i]
    return zk.Graph.from_edges(edges, weights[shuffled], names=names), known


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("family", list(FAMILIES))
@pytest.mark.parametrize("name", learners.names())
def test_predictions_do_not_depend_on_the_numbering(name, family, classes):
    graph, rng = FAMILIES[family], np.random.default_rng(5)
    labels = [i % classes for i in range(graph.num_nodes)]
    runs = []
    for _ in range(3):
        other, known = renumbered(graph, labels, rng)
        noise = {"label_noise": 0.1, "concept_noise": 0.1, "policy": "random:0.8"}
        runs.append(zk.play(other, known, name, seed=4, **noise))
    for run in runs[1:]:
        assert run.order.tolist() == runs[0].order.tolist()
        assert np.array_equal(run.margins, runs[0].margins)
        assert run.predictions.tolist() == runs[0].predictions.tolist()
        assert run.bound.value == runs[0].bound.value


@pytest.mark.parametrize("name", ["perceptron", "gaussian", "spanning-tree", "longest-path", "sslgc"])
def test_sessions_grow_and_explain_whatever_the_numbering(name, tmp_path):
    graph, rng = FAMILIES["drawn"], np.random.default_rng(9)
    found = []
    for _ in range(3):
        other, _ = renumbered(graph, [0] * graph.num_nodes, rng)
        names = sorted(other.names)
        session = zk.start(other, name, classes=["a", "b", "c"], seed=2)
        for i, node in enumerate(names[::2]):
            session.learn(node, "abc"[i % 3])
        session.add_nodes(
            ["middle", "v0000"], [("middle", names[1]), ("v0000", names[3]), (names[0], "v0000")]
        )
        session.learn("middle", "b")
        path = tmp_path / "grown.zk"
        session.save(path)
        again = zk.load(path, session.graph)
        everyone = sorted(session.graph.names)
        told = [session.predict(node) for node in everyone]
        assert told == [again.predict(node) for node in everyone]
        reasons = [session.explain(node) for node in everyone]
        found.append((told, [(r.contributions, r.path) for r in reasons], session.mistakes))
    assert found[0] == found[1] == found[2]


def test_states_speak_of_nodes_as_the_caller_numbers_them():
    line = zk.Graph.from_edges([("d", "b"), ("b", "a"), ("a", "c")])  # 0 d, 1 b, 2 a, 3 c
    state = learners.make("llgc").start(line)
    assert isinstance(state, RenumberedState)
    state.update(line.index("d"), -1)
    state.update(line.index("c"), 1)
    assert state.margin(line.index("b")) < 0 < state.margin(line.index("a"))
    assert {node for node, _ in state.explain(line.index("b"))} == {line.index("d"), line.index("c")}
    assert state.margins(np.arange(4)).tolist() == [state.margin(i) for i in range(4)]
    assert state.f.shape == (4,)  # what is inside can be looked at
    copy = learners.make("llgc").start(line)
    copy.restore(state.snapshot())
    assert set(state.snapshot()) == set(state.fields)
    assert not set(state.fields) & {"f", "labels"}  # arrays in the order of numbers are never taken for these
    assert copy.margins(np.arange(4)).tolist() == state.margins(np.arange(4)).tolist()


def test_a_matrix_of_the_callers_keeps_its_order():
    line = zk.Graph.from_edges([("d", "b"), ("b", "a"), ("a", "c")])
    kernel = np.diag([4.0, 3.0, 2.0, 1.0])
    state = learners.make("perceptron", kernel=kernel, b=0.0).start(line)
    for node in range(4):
        state.update(node, -1)
    assert [state.margin(node) for node in range(4)] == [-4.0, -3.0, -2.0, -1.0]


def test_an_interrupt_on_the_way_in_or_out_leaves_the_gate_usable(monkeypatch):
    """Wherever it strikes, it can be entered again, and then the threads are as many as before."""
    monkeypatch.setattr(threads, "_GATE", threads._Gate())  # tracing may leave its lock held by this thread
    visit = on_one_thread(blas_threads)
    for after in range(60):
        left = after

        def strike(frame, event, argument):
            nonlocal left
            if frame.f_code.co_filename.endswith("threads.py") and event == "line":
                left -= 1
                if left < 0:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return strike

        with threadpool_limits(2, user_api="blas"):
            sys.settrace(strike)
            try:
                visit()
            except KeyboardInterrupt:
                pass
            finally:
                sys.settrace(None)
            assert set(visit()) == {1}, after
            assert set(blas_threads()) == {2}, after
            if left >= 0:
                assert after > 20
                return
    pytest.fail("it never came to its end")


@pytest.mark.parametrize(("outer", "base"), [(RenumberedState, State), (RenumberedGame, Game)])
def test_every_method_is_translated(outer, base):
    public = [name for name, _ in inspect.getmembers(base, inspect.isfunction) if not name.startswith("_")]
    assert [name for name in public if name not in vars(outer)] == []


def test_names_have_an_order_of_their_own():
    assert name_order(["b", "a", "c"]).tolist() == [1, 0, 2]
    assert name_order([10, 9, 2.5]).tolist() == [2, 1, 0]
    assert name_order([10**400, True, -3, "x"]).tolist() == [2, 1, 0, 3]
    assert name_order([(1, "x"), (0, "y"), frozenset({2}), b"z", "s", 7]).tolist() == [5, 4, 3, 1, 0, 2]
    numbers = zk.Graph.from_edges([(0, 1), (1, 2)], names=[2, 0, 1])
    assert numbers.by_name.names is None  # 0, 1, 2 are no names
    assert numbers.by_name.edges.tolist() == [[0, 1], [0, 2]]
    assert circulant(7).by_name.name_order.tolist() == list(range(7))


class Numbered(PerceptronState):
    """Goes by the numbers of its nodes."""

    def margin(self, node):
        return super().margin(node) + 1e-3 * node * bool(self.mistaken_nodes)

    margins = State.margins


@dataclasses.dataclass(frozen=True)
class Broken(Perceptron):
    """A perceptron whose promises are broken below, past the wrappers."""


def start_game(self, graph, classes, prepared=None, seed=0):
    return OneVsRest([self.start(graph, prepared) for _ in range(columns_of(classes))])


def test_the_contract_sees_a_learner_that_goes_by_numbers(monkeypatch):
    def start(self, graph, prepared=None, rng=None):
        return Numbered(graph, prepared, self)

    monkeypatch.setattr(Broken, "start", start, raising=False)
    monkeypatch.setattr(Broken, "start_game", start_game, raising=False)
    with pytest.raises(ContractError, match="another numbering"):
        CHECKS["the numbering of nodes does not matter"](Broken())


def test_the_contract_sees_a_learner_that_uses_threads(monkeypatch):
    def start(self, graph, prepared=None, rng=None):
        state = PerceptronState(graph, prepared, self)
        state.w += 1e-3 * prepared.threads
        return state

    def prepare(self, graph):
        columns = Perceptron.prepare(self, graph)
        columns.threads = max(blas_threads())
        return columns

    monkeypatch.setattr(Broken, "start", start, raising=False)
    monkeypatch.setattr(Broken, "prepare", prepare, raising=False)
    monkeypatch.setattr(Broken, "start_game", start_game, raising=False)
    with pytest.raises(ContractError, match="number of threads"):
        CHECKS["the number of threads does not matter"](Broken())


# -- ties -----------------------------------------------------------------------------------------


def test_the_dead_zone_is_relative():
    assert settle(0.9 * DEAD_ZONE, 1.0) == 0.0
    assert settle(-0.9 * DEAD_ZONE, 0.5) != 0.0
    assert settle(1e300, np.inf) == 1e300
    assert np.isnan(settle(np.nan, 1.0))
    assert settled_dot(np.array([1.0, 1.0]), np.array([0.1 + 0.2, -0.3])) == 0.0
    assert first_largest(np.array([0.1 + 0.2, 0.3, 0.0])) == 0
    assert first_largest(np.array([0.3, 0.1 + 0.2])) == 0
    rows = np.array([[-0.1, 0.3, 0.1 + 0.2], [0.0, 0.0, 0.0], [-2e-12, 1e-12, 0.0], [-1.0, -1.0, -0.9]])
    assert decide(rows, 3).tolist() == [1, 0, 1, 2]


FLOATING = [
    ("perceptron", {"b": 10.0}),
    ("llgc", {}),
    ("ollgc", {"rank": None}),
    ("ollgc", {"rank": 7}),
    ("sslgc", {"rank": 7}),
    ("bbq", {"rank": 7}),
    ("second-order", {"b": 10.0}),
    ("second-order", {"variant": "increasing", "b": 10.0}),
    ("gaussian", {"engine": "exact"}),
    ("propagation", {"engine": "dense"}),
    ("interpolation", {}),
]


@pytest.mark.parametrize(("name", "params"), FLOATING)
@pytest.mark.parametrize("seed", range(4))
def test_nodes_between_opposite_labels_are_ties(name, params, seed):
    """On a cycle the two nodes midway between −1 and +1 have margin 0 exactly, and so predict +1."""
    place = np.random.default_rng(seed).permutation(8)
    graph = zk.Graph.from_edges(place[[(i, (i + 1) % 8) for i in range(8)]], np.full(8, 0.3))
    state = learners.make(name, **params).start(graph)
    for node, label in ((0, -1), (4, 1)):
        state.update(int(place[node]), label)
    assert [state.margin(int(place[node])) for node in (2, 6)] == [0.0, 0.0]
    assert state.margins(place[[2, 6]]).tolist() == [0.0, 0.0]
    assert state.margin(int(place[1])) < 0 < state.margin(int(place[3]))


@pytest.mark.parametrize("name", ["perceptron", "llgc", "second-order", "interpolation"])
@pytest.mark.parametrize("family", ["circulant", "hypercube", "torus", "bipartite"])
def test_symmetric_graphs_are_predicted_alike_however_numbered(name, family):
    """Without names too, where rounding alone depends on the numbering."""
    graph, rng = FAMILIES[family], np.random.default_rng(8)
    order, found = rng.permutation(graph.num_nodes), []
    for _ in range(4):
        place = rng.permutation(graph.num_nodes)
        other = zk.Graph.from_edges(place[graph.edges], num_nodes=graph.num_nodes)
        labels = np.empty(graph.num_nodes, dtype=int)
        labels[place] = np.arange(graph.num_nodes) % 3 % 2
        found.append(zk.play(other, labels, name, order=place[order].tolist()).predictions.tolist())
    assert found[1:] == [found[0]] * 3


def test_far_labels_still_count():
    """Values that fall off exponentially are no ties: the dead zone is relative to their own terms."""
    line = zk.Graph.from_edges([(i, i + 1) for i in range(60)])
    for name, params in (("llgc", {}), ("perceptron", {"kernel": "regularized:1", "b": 0.0})):
        state = learners.make(name, **params).start(line)
        state.update(0, -1)
        assert -1e-12 < state.margin(60) < 0


def test_a_learner_may_refuse_what_it_always_refused():
    with pytest.raises(ParameterError):
        zk.play(circulant(30), [0, 1] * 15, "halving")
