"""longest-path and shortest-path: against all labelings, Theorems 8 and 9, Proposition 7, the lollipop."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive.trees as trees
import strategies
import zerokelvin as zk
from naive.flow_graphs import random_labels, small_graph
from naive.learners.zero_temperature import flow_dag, log_lengths, path_covers, predictions, worst_case
from zerokelvin.experiments.reproduction.zero_temperature.strategies_compared import crossed_paths
from zerokelvin.flow import OnlineCut
from zerokelvin.graph import Graph
from zerokelvin.learners import make, sign
from zerokelvin.learners.cuts.cut_state import PathState
from zerokelvin.learners.cuts.longest_path import LongestPath

PATHS = ("longest-path", "shortest-path")
EVERY = (*PATHS, "zero-ising", "fixed-paths")


def teach(name, graph, labels):
    state = make(name).start(graph)
    for node, y in labels:
        state.update(node, y)
    return state


@pytest.mark.kernels
@pytest.mark.parametrize("name", [*PATHS, "zero-ising"])
def test_predictions_by_definition(name):
    rng = np.random.default_rng(11)
    for _ in range(150):
        case = small_graph(rng)
        labels = random_labels(rng, case.n, fewest=1)
        if not labels:
            continue
        state = teach(name, case.graph, [(v, 2 * y - 1) for v, y in labels.items()])
        margins = state.margins(np.arange(case.n))
        expected = predictions(case, labels, name)
        assert np.sign(margins).astype(int).tolist() == expected
        assert all(
            margin == side or abs(margin) < 1 for margin, side in zip(margins, state.cut.sides, strict=True)
        )


def test_predictions_by_definition_over_thousands_of_games():
    rng = np.random.default_rng(12)
    for _ in range(1200):
        case = small_graph(rng, 7)
        labels = random_labels(rng, case.n, fewest=1)
        if not labels:
            continue
        pairs = [(v, 2 * y - 1) for v, y in labels.items()]
        for name in (*PATHS, "zero-ising"):
            margins = teach(name, case.graph, pairs).margins(np.arange(case.n))
            assert np.sign(margins).astype(int).tolist() == predictions(case, labels, name)


@pytest.mark.kernels
@settings(max_examples=40)
@given(strategies.games())
def test_the_compiled_game_is_predicting_and_learning(game):
    graph, _, trials = game
    nodes, ys = (np.array(column, dtype=np.int64) for column in zip(*trials, strict=True))
    for name in PATHS:
        slow, fast = make(name).start(graph), make(name).start(graph)
        expected = []
        for node, y in trials:
            expected.append(slow.margin(node))
            slow.update(node, y)
        assert fast.play(nodes, ys).tolist() == expected
        assert fast.seen_nodes.tolist() == slow.seen_nodes.tolist()
        again = make(name).start(graph)
        again.restore(slow.snapshot())
        assert (again.margins(np.arange(graph.num_nodes)) == slow.margins(np.arange(graph.num_nodes))).all()


# -- Theorem 8 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_theorem_8_by_exhaustive_minimax(seed):
    rng = np.random.default_rng(seed)
    inner = int(rng.integers(2, 7))
    graph, arcs = flow_dag(rng, inner, int(rng.integers(1, 4)))
    last = inner + 1
    first = [(0, -1), (last, 1)]
    state = teach("longest-path", graph, first)
    assert (state.cut.sides == [-1, *[0] * inner, 1]).all()  # the graph is its own Picard–Queyranne graph
    covers = path_covers(arcs, last)
    assert worst_case(make("longest-path"), graph, first) <= max(log_lengths(cover, True) for cover in covers)
    assert (
        worst_case(make("zero-ising"), graph, first)
        <= min(log_lengths(cover, False) for cover in covers) + 1e-9
    )
    for cover in sorted(covers)[:6]:
        given_paths = tuple(tuple(head for _, head in path[:-1]) for path in cover if len(path) > 1)
        worst = worst_case(make("fixed-paths", cover=given_paths), graph, first)
        assert worst <= log_lengths(cover, True)
    for name in ("longest-path", "shortest-path", "zero-ising", "fixed-paths"):
        assert worst_case(make(name), graph, first) <= inner


def test_minimax_on_a_line_is_bisection():
    for arcs in (2, 3, 4, 7, 8, 9):
        graph = Graph.from_edges([(i, i + 1) for i in range(arcs)])
        for name in EVERY:
            assert worst_case(make(name), graph, [(0, -1), (arcs, 1)]) == int(math.log2(arcs))


@pytest.mark.kernels
@settings(max_examples=60)
@given(strategies.games())
def test_mistakes_never_exceed_the_certificate(game):
    graph, labels, trials = game
    for name in EVERY:
        state, mistakes = make(name).start(graph), 0
        for node, y in trials:
            mistakes += sign(state.margin(node)) != y
            state.update(node, y)
        bound = state.bound(labels)
        assert bound.holds
        assert bound.allows(mistakes)


@pytest.mark.parametrize("name", EVERY)
def test_mistakes_never_exceed_the_certificate_on_larger_graphs(name):
    rng = np.random.default_rng(5)
    grid = zk.generators.grid(9, 9).graph
    heavy = Graph.from_edges(grid.edges, rng.integers(1, 4, grid.num_edges).astype(float))
    tree = zk.generators.random_tree(80, rng).graph
    for graph in (grid, heavy, tree):
        for _ in range(6):
            u = np.where(zk.minimum_cut(graph, {0: -1, graph.num_nodes - 1: 1}).sides > 0, 1, -1)
            u[rng.integers(graph.num_nodes, size=3)] *= -1
            run = zk.play(graph, u, name, order=rng.permutation(graph.num_nodes))
            assert run.bound.holds
            assert run.bound.allows(run.mistakes)
            inside = run.bound.terms
            assert inside["mistakes inside"] <= inside["labels given inside"]


def test_the_certificate_of_an_adversary_is_nearly_attained():
    n = 256
    line = Graph.from_edges([(i, i + 1) for i in range(n)])
    state = teach("longest-path", line, [(0, -1), (n, 1)])
    low, high, mistakes = 0, n, 0
    while high - low > 1:
        node = (low + high) // 2
        guess = sign(state.margin(node))
        mistakes += 1
        state.update(node, -guess)
        low, high = (node, high) if guess > 0 else (low, node)
    bound = state.bound(np.ones(n + 1))
    assert mistakes == 8
    assert bound.terms["mistakes inside, by the theorem"] == 8
    assert bound.value == 8 + 2  # the first label, and the first of the other kind


# -- Theorem 9 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["longest-path", "zero-ising"])
@pytest.mark.parametrize("seed", range(6))
def test_theorem_9(name, seed):
    """Permutation-invariant, label-monotone, Markov; over several games, the cut rising."""
    rng = np.random.default_rng([9, seed])
    for _ in range(40):
        case = small_graph(rng, 9)
        nodes = np.arange(case.n)
        chosen = rng.permutation(case.n)[: rng.integers(1, case.n + 1)]
        labels = [(int(v), int(rng.choice([-1, 1]))) for v in chosen]
        state = teach(name, case.graph, labels)
        before = state.margins(nodes)
        shuffled = teach(name, case.graph, [labels[i] for i in rng.permutation(len(labels))])
        assert (shuffled.margins(nodes) == before).all()

        rest = np.setdiff1d(nodes, chosen)
        if len(rest):
            extra = int(rng.choice(rest))
            for y in (-1, 1):
                after = teach(name, case.graph, [*labels, (extra, y)]).margins(nodes)
                known = before != 0  # a component without labels has no prediction to change
                changed = (np.sign(after) != np.sign(before)) & known
                assert (np.sign(after)[changed] == y).all()

        fence = dict(labels)
        inside, outside = _sides_of_a_fence(case, fence, rng)
        one, two = ([(v, int(rng.choice([-1, 1]))) for v in outside] for _ in range(2))
        first = teach(name, case.graph, [*labels, *one]).margins(inside)
        second = teach(name, case.graph, [*labels, *two]).margins(inside)
        assert (first == second).all()


def _sides_of_a_fence(case, fence, rng):
    """The component of one node among the nodes off the fence, and some of the other nodes off it."""
    off = [v for v in range(case.n) if v not in fence]
    if not off:
        return np.array([], dtype=np.int64), []
    inside, stack = {off[0]}, [off[0]]
    while stack:
        v = stack.pop()
        for a, b in case.edges:
            for x, y in ((a, b), (b, a)):
                if x == v and y not in fence and y not in inside:
                    inside.add(y)
                    stack.append(y)
    outside = [v for v in off if v not in inside and rng.random() < 0.7]
    return np.array(sorted(inside)), outside


# -- Proposition 7 --------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [4, 5])
def test_proposition_7(c):
    """shortest-path makes more than c² log₂ c mistakes where any cover by paths promises O(c²)."""
    arcs, source, target, rows = crossed_paths(c)
    graph = Graph.from_edges(arcs)
    mistakes = {}
    for name in PATHS:
        state = teach(name, graph, [(source, -1), (target, 1)])
        assert state.cut.value == 2 * c
        assert (state.cut.sides == 0).sum() == graph.num_nodes - 2
        mistakes[name] = 0
        for row in reversed(rows):  # the truth is +1 everywhere; reveal what is predicted −1, the last first
            for j in reversed(range(c)):
                segment = row[j * c**3 : (j + 1) * c**3]
                wrong = np.flatnonzero(state.margins(np.array(segment)) < 0)
                while len(wrong):
                    state.update(segment[wrong[-1]], 1)
                    mistakes[name] += 1
                    wrong = np.flatnonzero(state.margins(np.array(segment)) < 0)
    assert (state.cut.sides[1:] == 1).sum() == graph.num_nodes - 1  # one game, to the end
    cover = 2 * c * math.log2(len(arcs) / (2 * c))  # the most that Σ log₂|p_i| can be, for 2c paths
    assert cover <= 12 * c * math.log2(c)
    assert mistakes["shortest-path"] >= c**2 * math.log2(c)
    assert mistakes["shortest-path"] > cover
    assert mistakes["longest-path"] <= cover


# -- the double lollipop ---------------------------------------------------------------------------------


def hunt(name, example, pick):
    """Mistakes of a learner against an adversary who always shows a node it gets wrong."""
    state, nodes = make(name).start(example.graph), np.arange(example.graph.num_nodes)
    seen, mistakes = np.zeros(len(nodes), dtype=bool), 0
    while True:
        margins = state.margins(nodes)
        wrong = nodes[(np.where(margins >= 0, 1, -1) != example.labels) & ~seen]
        if not len(wrong):
            return mistakes
        node = int(pick(wrong, np.abs(margins[wrong])))
        state.update(node, int(example.labels[node]))
        seen[node] = True
        mistakes += 1


def test_double_lollipop():
    """O(log n) mistakes at zero temperature against every adversary; linearly many of a perceptron."""
    rng = np.random.default_rng(0)
    picks = (
        lambda wrong, _: wrong[-1],
        lambda wrong, _: wrong[0],
        lambda wrong, sure: wrong[np.argmin(sure)],
        lambda wrong, sure: wrong[np.argmax(sure)],
        *[lambda wrong, _: rng.choice(wrong)] * 3,
    )
    for n in (128, 256):
        example = zk.generators.double_lollipop(n)
        most = {
            name: max(hunt(name, example, pick) for pick in picks)
            for name in ("longest-path", "zero-ising", "perceptron")
        }
        assert math.log2(n) <= most["longest-path"] <= math.log2(n) + 3
        assert most["zero-ising"] <= math.log2(n) + 3
        assert most["perceptron"] >= n / 4


# -- real graphs ------------------------------------------------------------------------------------------


@pytest.mark.data
@pytest.mark.parametrize(("name", "shuffles", "reached"), [("cora", 8, 0.053), ("pubmed", 2, 0.138)])
def test_quality(data_folder, name, shuffles, reached):
    data = zk.load_dataset(str(data_folder / f"{name}.npz"))
    graph, nodes = data.graph.largest_component()
    runs = zk.play_shuffles(graph, data.labels[nodes], "longest-path", shuffles=shuffles)
    assert runs.mean("error_binary") <= reached
    assert runs.runs[0].bound.allows(runs.runs[0].mistakes)


@settings(max_examples=30)
@given(strategies.labelled_graphs(max_nodes=7), st.integers(0, 10**6))
def test_repeats_and_corrections_end_where_a_fresh_state_does(case, seed):
    graph, labels = case
    rng = np.random.default_rng(seed)
    for name in EVERY:
        state = make(name).start(graph)
        last = {}
        for _ in range(12):
            node = int(rng.integers(graph.num_nodes))
            y = int(labels[node]) * int(rng.choice([1, 1, -1]))
            state.update(node, y)
            last[node] = y
        fresh = make(name).start(graph)
        for node, y in last.items():
            fresh.update(node, y)
        assert (state.cut.sides == fresh.cut.sides).all()
        if name != "fixed-paths":  # its covers depend on the order
            assert (
                state.margins(np.arange(graph.num_nodes)) == fresh.margins(np.arange(graph.num_nodes))
            ).all()


@pytest.mark.parametrize("name", EVERY)
@given(game=strategies.games(max_nodes=8))
def test_shares_of_the_labels_sum_to_the_margin(name, game):
    graph, _, trials = game
    state = teach(name, graph, trials)
    known = dict(trials)
    for node in range(graph.num_nodes):
        shares = state.explain(node)
        assert bool(shares) == (state.margin(node) != 0)
        assert sum(share for _, share in shares) == pytest.approx(state.margin(node))
        assert all(known[other] * share > 0 for other, share in shares)
        assert len(shares) == (1 if state.cut.side(node) else 2 * bool(shares))
        assert (node in state.trail(node)) == bool(shares)


def test_a_session_shows_the_path():
    names = ["ann", "bob", "cem", "dan", "eve"]
    graph = Graph.from_edges(list(itertools.pairwise(names)))
    session = zk.start(graph, "longest-path", classes=["fraud", "ok"])
    assert session.explain("bob").path == ()
    session.learn("ann", "fraud")
    session.learn("eve", "ok")
    told = session.explain("bob")
    assert told.path == ("ann", "bob", "cem", "dan", "eve")
    assert [(c.node, c.label, c.share) for c in told.contributions] == [
        ("ann", "fraud", 0.75),
        ("eve", "ok", -0.25),
    ]
    assert sum(c.share for c in told.contributions) == told.margin == 0.5
    assert "1 arcs from the source and 3" in told.reason


def alternating_caterpillar(n):
    """The leaves first along the spine, labels in turn: bad for flows."""
    half = n // 2
    spine = np.column_stack([np.arange(half - 1), np.arange(1, half)])
    legs = np.column_stack([np.arange(half), np.arange(half, n)])
    graph = zk.Graph.from_edges(np.vstack([spine, legs]))
    return graph, np.concatenate([np.arange(half, n), np.arange(half)]), np.arange(n) % 2 * 2 - 1


def test_a_forest_leaves_the_flow_in_a_bad_order():
    """The margins, reasons and explanations stay those of the flow, whichever way the labels come."""
    graph, order, labels = alternating_caterpillar(400)
    flow = PathState(graph, OnlineCut(graph))
    compiled, stepwise = LongestPath().start(graph), LongestPath().start(graph)
    expected = flow.play(order, labels[order])
    assert compiled.play(order, labels[order]).tolist() == expected.tolist()
    found = []
    for node in order.tolist():
        found.append(stepwise.margin(node))
        stepwise.update(node, int(labels[node]))
    assert found == expected.tolist()
    assert flow.cut.touches > 200 * graph.num_edges
    rng = np.random.default_rng(0)
    for state in (compiled, stepwise):
        assert state.tree is not None
        assert state._cut.touches < 60 * graph.num_edges  # left in time
    for _ in range(40):  # contradictions too
        node, label = int(rng.integers(400)), int(rng.choice([-1, 1]))
        for state in (flow, compiled):
            state.update(node, label)
        for asked in rng.integers(400, size=5).tolist():
            assert compiled.margin(asked) == flow.margin(asked)
            assert compiled.remark(asked) == flow.remark(asked)
    nodes = np.arange(400)
    assert compiled.margins(nodes).tolist() == flow.margins(nodes).tolist()
    assert compiled.explain(7) == flow.explain(7)
    assert compiled.trail(7) == flow.trail(7)
    assert (compiled.cut.sides == flow.cut.sides).all()
    assert compiled.bound(labels).value == flow.bound(labels).value


def test_a_forest_that_left_the_flow_agrees_on_random_forests(monkeypatch):
    """Weighted and not, with several components, from any label on."""
    rng = np.random.default_rng(1)
    inner = 0
    for _ in range(40):
        graph = trees.small_forest(rng, largest=30)
        n = graph.num_nodes
        flow = PathState(graph, OnlineCut(graph))
        state = LongestPath().start(graph)
        for t in range(n + 5):
            if t == n // 4:
                monkeypatch.setattr("zerokelvin.learners.cuts.longest_path.PER_EDGE", -1000)
            node, label = int(rng.integers(n)), int(rng.choice([-1, 1]))
            flow.update(node, label)
            state.update(node, label)
            for asked in range(n):
                assert state.margin(asked) == flow.margin(asked)
                assert state.remark(asked) == flow.remark(asked)
                inner += abs(flow.margin(asked)) == 0.5
        monkeypatch.undo()
        assert state.tree is not None
    assert inner > 200


def test_a_session_on_a_forest_that_left_the_flow_is_saved_and_loaded(tmp_path):
    graph, order, labels = alternating_caterpillar(400)
    session = zk.start(graph, "longest-path", classes=["a", "b"])
    for node in order[:300].tolist():
        session.learn(node, "ab"[int(labels[node] > 0)])
    session.save(tmp_path / "s.zk")
    again = zk.load(tmp_path / "s.zk", graph)
    for node in range(400):
        assert again.predict(node) == session.predict(node)


@pytest.mark.parametrize("name", PATHS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), classes=st.integers(2, 4))
def test_a_game_packed_in_steps_is_where_the_game_is_at_the_last(name, seed, classes):
    """Problem by problem, with labels in between: what is made again knows them all, and goes on alike."""
    rng = np.random.default_rng(seed)
    tree = [(int(rng.integers(end)), end) for end in range(1, 12)]
    graph = Graph.from_edges([*tree, (0, 1), (1, 2), (0, 2)])  # no forest
    game = make(name).start_game(graph, classes)
    for _ in range(5):
        game.learn(int(rng.integers(12)), int(rng.integers(classes)))
    steps = game.keeping()
    kept, taken = next(steps), 1
    while kept is None:
        game.learn(int(rng.integers(12)), int(rng.integers(classes)))
        kept, taken = next(steps), taken + 1
    assert taken == len(game.states)
    again, everyone = kept.twin(), np.arange(12)
    for node, code in [(3, 0), (7, 1), (9, classes - 1)]:
        assert np.array_equal(again.scores(everyone), game.scores(everyone))
        for own, other in zip(again.states, game.states, strict=True):
            assert own.record.nodes.tolist() == other.record.nodes.tolist()
            assert own.record.labels.tolist() == other.record.labels.tolist()
        again.learn(node, code)
        game.learn(node, code)
