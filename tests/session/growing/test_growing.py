"""Growing graphs: every learner keeps its promise, figures are kept, bad growth changes nothing."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import strategies
import zerokelvin as zk
from session_files import write_version_1
from zerokelvin.errors import GraphError, NodeError, ParameterError, SessionError
from zerokelvin.kernels.kernels import kernel_columns
from zerokelvin.learners.base.growth import CARRIED, EXACT, ORDERED, apply_kernel, touched_nodes

RELAXED = {"propagation": {"tol": 1e-11}, "gaussian": {"tol": 1e-11}}
PATH = zk.Graph.from_edges([("ann", "bob"), ("bob", "cem"), ("cem", "dan")])


@st.composite
def stories(draw, classes="abc"):
    """A first graph, then growths (new nodes, edges, weights) with answers in between."""
    graph = draw(strategies.graphs(max_nodes=3))
    count, steps = graph.num_nodes, []
    for _ in range(draw(st.integers(1, 4))):
        answers = draw(st.lists(st.tuples(st.integers(0, count - 1), st.sampled_from(classes)), max_size=4))
        new = draw(st.integers(0, 2))
        count += new
        node = st.integers(0, count - 1)
        edges = draw(st.lists(st.tuples(node, node), max_size=4))
        weights = draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=len(edges), max_size=len(edges)))
        steps.append((answers, new, edges, weights))
    last = draw(st.lists(st.tuples(st.integers(0, count - 1), st.sampled_from(classes)), max_size=4))
    return graph, steps, last


def tell(session, story):
    """Play a story and give its session back."""
    _, steps, last = story
    for answers, new, edges, weights in steps:
        for node, label in answers:
            session.learn(node, label)
        session.add_nodes(new, edges, weights)
    for node, label in last:
        session.learn(node, label)
    return session


def margins(session):
    return session._all_margins() if session.classes else np.zeros(0)


def retold(session):
    """A session started on the final graph and told the same answers in the same order."""
    fresh = zk.start(session.graph, session.learner, classes=session.classes or None, seed=session.seed)
    for event in session.events:
        fresh.learn(session.graph.name(event.node), event.label)
    return fresh


EXACT_LEARNERS = [name for name in zk.learners.names() if zk.learners.LEARNERS[name].growth == EXACT]


@pytest.mark.parametrize("name", EXACT_LEARNERS)
@settings(max_examples=12)
@given(data=st.data())
def test_exact_growth_equals_a_session_on_the_final_graph(name, data, tmp_path_factory):
    binary = not zk.learners.LEARNERS[name].multiclass
    story = data.draw(stories("ab" if binary else "abc"))
    classes = ["a", "b"] if binary else data.draw(st.sampled_from([None, ["a", "b", "c"]]))
    session = tell(zk.start(story[0], name, classes=classes, seed=3, **RELAXED.get(name, {})), story)
    fresh = retold(session)
    if name in RELAXED:
        assert np.allclose(margins(session), margins(fresh), atol=1e-8)
    else:
        assert np.array_equal(margins(session), margins(fresh))
        if session.classes:
            assert session.predict_all().tolist() == fresh.predict_all().tolist()
    path = tmp_path_factory.mktemp("grown") / "s.zk"
    session.save(path)
    loaded = zk.load(path, session.graph)
    assert np.allclose(margins(loaded), margins(session), atol=1e-8)
    assert figures(loaded) == figures(session)


def figures(session):
    return session.mistakes, session.queries, session.trials, session.classes, session._standing.settled


def test_the_learners_whose_growth_is_not_exact():
    assert [n for n in zk.learners.names() if n not in EXACT_LEARNERS] == ["auto", "perceptron", "random"]
    assert zk.learners.LEARNERS["auto"].growth == ORDERED
    assert zk.learners.LEARNERS["perceptron"].growth == CARRIED
    assert zk.learners.LEARNERS["random"].growth == CARRIED  # as its inner learner, the perceptron
    assert zk.learners.make("random", inner="pounce").growth == EXACT


def test_the_guide_says_how_every_learner_grows():
    guide = (Path(__file__).parents[3] / "docs" / "guide" / "growing.md").read_text(encoding="utf-8")
    kind, said = "", {}
    for row in guide.partition("What a learner promises")[2].splitlines():
        if row.startswith("|"):
            kind = next((k for k in (EXACT, CARRIED, ORDERED) if f'"{k}"' in row.split("|")[1]), kind)
            said |= dict.fromkeys(re.findall("`([a-z-]+)`", row.split("|")[2]), kind)
        elif said:
            break
    assert said == {name: cls.growth for name, cls in zk.learners.LEARNERS.items()}


@given(stories(), st.just(0.0) | st.floats(1e-3, 2), st.just(0.0) | st.floats(1e-3, 2))
def test_the_perceptron_keeps_its_mistakes_in_the_new_kernel(story, b, c):
    session = tell(zk.start(story[0], "perceptron", classes=["a", "b", "c"], b=b, c=c), story)
    n = session.graph.num_nodes
    kernel = np.linalg.pinv(session.graph.laplacian().toarray(), rcond=1e-12) + b + c * np.eye(n)
    for state in session.standing.game.states:
        coefficients = np.zeros(n)
        np.add.at(coefficients, state.mistaken_nodes, state.mistaken_labels)
        assert np.allclose(state.w, kernel @ coefficients, atol=1e-6)
        assert len(state.mistaken_nodes) <= session.trials


def test_a_perceptron_that_errs_alike_is_exact():
    """Where the mistakes would have been the same, so are the weights."""
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    session.learn("ann", "x")
    session.learn("dan", "y")
    session.add_nodes(["eve"], [("dan", "eve")])
    fresh = retold(session)
    assert np.allclose(margins(session), margins(fresh), atol=1e-6)
    assert session.explain("eve").margin == pytest.approx(
        sum(c.share for c in session.explain("eve").contributions)
    )


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("propagation", "normalized:0.1"),
        ("propagation", "pagerank:0.9"),
        ("propagation", "regularized:0.3"),
        ("gaussian", "regularized:0.1"),
        ("gaussian", "normalized:0.2"),
        ("gaussian", "relative-regularized:0.1"),
    ],
)
@settings(max_examples=25)
@given(story=stories(), tol=st.sampled_from([0.1, 1e-3]), b=st.sampled_from([0.0, 0.5]))
def test_repaired_channels_are_within_the_certified_error(name, kernel, story, tol, b):
    """The residual is the true one after any growths, and below its limit everywhere."""
    session = tell(zk.start(story[0], name, classes=["a", "b", "c"], kernel=kernel, tol=tol, b=b), story)
    diffusion = session.standing.game.diffusion
    relaxation, system = diffusion.relaxation, diffusion.system
    precision, tol = diffusion.terms.precision, tol / system.unit
    shown = diffusion.counts.sum(axis=0)
    excess = system.excess + precision * system.into**2 * shown
    matrix = session.graph.laplacian().toarray() + np.diag(excess)
    right = (precision or 1.0) * system.into * diffusion.counts
    assert np.allclose(relaxation.r, right - relaxation.x @ matrix, atol=1e-9)
    assert (np.abs(relaxation.r) <= tol * excess * (1 + 1e-9)).all()
    assert np.abs(relaxation.x - np.linalg.solve(matrix, right.T).T).max() <= tol * (1 + 1e-9)
    if precision and b > 0:  # else no constant shares the weight, and nobody reads them
        mass = system.out * relaxation.x.sum(axis=0)
        assert np.allclose(diffusion.sums, diffusion.counts @ mass)
    assert np.array_equal(diffusion.totals, [sum(e.label == c for e in session.events) for c in "abc"])


def test_from_one_node_to_everything():
    """A session that starts with a single node and meets the rest one by one."""
    example = zk.generators.planted_partition([12, 12], 0.5, 0.05, np.random.default_rng(4))
    labels = example.labels.tolist()
    names = [f"n{i}" for i in range(24)]
    start = zk.Graph.from_edges([], num_nodes=1, names=names[:1])
    for learner in ("longest-path", "propagation", "perceptron", "spanning-tree", "auto"):
        session = zk.start(start, learner, classes=[0, 1])
        session.learn("n0", labels[0])
        for i in range(1, 24):
            back = [(names[i], names[int(j)]) for j in example.graph.neighbors(i) if j < i]
            assert session.add_nodes([names[i]], back) == [names[i]]
            session.predict(names[i])
            session.learn(names[i], labels[i])
        whole = zk.Graph(example.graph.indptr, example.graph.indices, example.graph.weights, names)
        assert session.graph == whole
        assert session.trials == 24
        assert session.mistakes < 12
        assert session.predict_all().tolist() == labels


@pytest.mark.parametrize("learner", ["longest-path", "propagation", "nearest", "pounce", "auto"])
def test_an_edge_whose_weight_is_taken_away_parts_components(learner):
    session = zk.start(zk.Graph.from_edges([(0, 1), (1, 2)]), learner, classes=["x", "y"])
    session.learn(0, "x")
    session.add_edges([(0, 1)], weights=[-1.0])
    assert session.graph.num_edges == 1
    assert "No node of its component" in session.predict(2).reason
    assert session.predict(0).label == session.predict(2).label == "x"


def test_components_that_merge_share_their_labels():
    islands = zk.Graph.from_edges([(0, 1), (2, 3)])
    for learner in ("longest-path", "propagation", "nearest", "pounce", "interpolation"):
        session = zk.start(islands, learner, classes=["x", "y"])
        session.learn(0, "x")
        assert "component" in session.predict(3).reason
        session.add_edges([(1, 2)])
        assert "component" not in session.predict(3).reason
        assert session.predict(3).label == "x"


@given(stories("ab"), st.data())
def test_figures_are_kept_and_corrections_recount_what_came_after(story, data):
    """Mistakes are those made on the graph of the moment; a correction makes the later ones anew."""
    graph, steps, last = story
    session = zk.start(graph, "longest-path", classes=["a", "b"])
    log = []  # node, answer, what was predicted before the last growth
    for answers, new, edges, weights in steps:
        for node, label in answers:
            log.append([node, label, None])
            session.learn(node, label)
        predicted = [outcome.predicted for outcome in session._standing.outcomes]
        before = session.mistakes, session.queries, session.trials
        small = session.graph
        session.add_nodes(new, edges, weights)
        if session.graph is not small:
            log = [[node, label, found] for (node, label, _), found in zip(log, predicted, strict=True)]
        assert (session.mistakes, session.queries, session.trials) == before
    for node, label in last:
        log.append([node, label, None])
        session.learn(node, label)
    for _ in range(data.draw(st.integers(0, min(3, len(log))))):
        node = data.draw(st.sampled_from([entry[0] for entry in log]))
        label = data.draw(st.sampled_from(["a", "b", None]))
        at = max(i for i, entry in enumerate(log) if entry[0] == node)
        session.correct(node, label)
        if label is None:
            del log[at]
        else:
            log[at][1] = label
    fresh, mistakes = zk.start(session.graph, "longest-path", classes=["a", "b"]), 0
    for node, label, predicted in log:
        mistakes += (fresh.predict(node).label if predicted is None else predicted) != label
        fresh.learn(node, label)
    assert (session.mistakes, session.trials) == (mistakes, len(log))
    assert np.array_equal(margins(session), margins(fresh))


def test_a_class_that_comes_after_growth():
    session = zk.start(PATH, "longest-path", classes=["x", "y"], open_classes=True)
    for node, label in [("ann", "x"), ("dan", "y"), ("bob", "y")]:
        session.learn(node, label)
    made = session.mistakes
    session.add_nodes(["eve"], [("dan", "eve")])
    session.learn("cem", "new class")
    assert session.classes == ("x", "y", "new class")
    assert (session.mistakes, session.trials) == (made + 1, 4)
    assert np.array_equal(margins(session), margins(retold(session)))


@given(stories("ab"), st.floats(0.1, 2), st.floats(0.01, 2), st.data())
def test_the_bound_of_the_perceptron_outlives_growth(story, b, c, data):
    session = tell(zk.start(story[0], "perceptron", classes=["a", "b"], b=b, c=c), story)
    label = st.sampled_from("ab")
    count = session.graph.num_nodes
    labels = data.draw(st.lists(label, min_size=count, max_size=count))
    bound = session.bound(labels)
    assert bound.allows(session.mistakes) or not bound.holds
    assert all("grow" not in assumption.text for assumption in bound.assumptions)


def test_the_bound_of_a_grown_perceptron_counts_every_mistake(tmp_path):
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    for node, label in [("ann", "x"), ("dan", "y")]:
        session.learn(node, label)
    before = session.bound(["x", "x", "y", "y"])
    session.add_nodes(["eve"], [("dan", "eve")])
    session.learn("eve", "y")
    after = session.bound(["x", "x", "y", "y", "y"])
    assert "Theorem 2.1" in before.theorem
    assert "Cauchy" in after.theorem
    assert after.holds
    assert session.mistakes == 2 <= after.value
    session.save(tmp_path / "s.zk")
    assert zk.load(tmp_path / "s.zk", session.graph).bound(["x", "x", "y", "y", "y"]) == after
    session.correct("dan", "x")  # replayed on the grown graph, where it may err elsewhere
    session.save(tmp_path / "s.zk")
    for one in (session, zk.load(tmp_path / "s.zk", session.graph)):
        assert "did not grow" in str(one.bound(["x", "x", "y", "y", "y"]))


def test_a_bound_after_growth_is_no_guarantee():
    session = zk.start(PATH, "longest-path", classes=["x", "y"])
    session.add_edges([("ann", "dan")])
    session.learn("ann", "x")
    assert session.bound(["x"] * 4).holds  # nothing was learnt on the smaller graph
    session.add_nodes(["eve"], [("dan", "eve")])
    bound = session.bound(["x"] * 5)
    assert not bound.holds
    assert "did not grow" in str(bound)


def test_a_crash_between_growing_and_saving(tmp_path):
    path = tmp_path / "s.zk"
    session = zk.start(PATH, "longest-path", classes=["x", "y"])
    session.learn("ann", "x")
    session.save(path)
    session.add_nodes(["eve"], [("dan", "eve")])
    assert zk.load(path, PATH).trials == 1  # never saved: the old session, on the old graph
    with pytest.raises(SessionError, match="another graph"):
        zk.load(path, session.graph)
    session.save(path)
    with pytest.raises(SessionError, match=r"grown to 5 nodes, not on this one of 4; .* grown graph"):
        zk.load(path, PATH)
    zk.write_graph(session.graph, tmp_path / "g.npz")
    again = zk.load(path, zk.read_graph(tmp_path / "g.npz"))
    assert again.predict("eve") == session.predict("eve")
    again.correct("ann", "y")
    assert again.predict("eve").label == "y"


def test_files_without_outcomes_still_load(tmp_path):
    path = tmp_path / "s.zk"
    session = zk.start(PATH, "longest-path", classes=["x", "y"])
    session.learn("ann", "x")
    session.learn("dan", "y")
    write_version_1(session, path, ("outcomes",))
    assert figures(zk.load(path, PATH)) == figures(session)


def test_a_grown_perceptron_of_version_1_had_no_record_and_gets_one(tmp_path):
    path = tmp_path / "s.zk"
    session = zk.start(zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)]), "perceptron", classes=["x", "y"])
    session.learn(0, "x")
    session.learn(3, "y")
    session.add_nodes(1, [(3, 4)])
    session.learn(1, "x")
    write_version_1(session, path, ("state/0/seen_",))
    loaded = zk.load(path, session.graph)
    assert figures(loaded) == figures(session)
    labels = ["x", "x", "y", "y", "y"]
    assert loaded.bound(labels) == session.bound(labels)
    assert [loaded.predict(i) for i in range(5)] == [session.predict(i) for i in range(5)]


@pytest.mark.parametrize(
    ("learner", "call", "error", "says"),
    [
        ("longest-path", lambda s: s.add_nodes(["bob"]), GraphError, "'bob' is there already"),
        ("longest-path", lambda s: s.add_nodes("eve"), GraphError, "no list of names"),
        ("longest-path", lambda s: s.add_nodes(2), GraphError, "have names"),
        ("longest-path", lambda s: s.add_edges([("ann", "eve")]), NodeError, "'eve'.*add it as a new node"),
        ("longest-path", lambda s: s.add_edges([("ann", "cem")], [-1.0]), GraphError, "positive"),
        ("longest-path", lambda s: s.add_edges([("ann", "cem")], [np.inf]), GraphError, "finite"),
        ("propagation", lambda s: s.add_edges([("ann", "cem")], [-1.0]), GraphError, "positive"),
    ],
)
def test_a_refused_growth_changes_nothing(learner, call, error, says):
    session = zk.start(PATH, learner, classes=["x", "y"])
    session.learn("ann", "x")
    before = session.graph, session.predict("dan"), figures(session)
    with pytest.raises(error, match=says):
        call(session)
    assert (session.graph, session.predict("dan"), figures(session)) == before


def test_a_kernel_given_as_a_matrix_cannot_grow():
    session = zk.start(PATH, "perceptron", classes=["x", "y"], kernel=np.eye(4))
    with pytest.raises(ParameterError, match="kernel has 4 nodes, the graph 5"):
        session.add_nodes(["eve"])
    assert session.graph is PATH
    session.learn("ann", "x")
    session.add_edges([("ann", "dan")])
    assert session.predict("ann").margin == retold(session).predict("ann").margin


def test_adding_nothing_is_no_growth():
    session = zk.start(PATH, "perceptron", classes=["x", "y"])
    session.learn("ann", "x")
    assert session.add_nodes([]) == []
    session.add_edges([])
    session.add_edges([("ann", "ann")])
    assert session.graph is PATH
    assert session.bound(["x"] * 4).holds


def test_questions_after_growth_include_the_new_nodes():
    session = zk.start(PATH, "longest-path", classes=["x", "y"], policy="margin:1")
    session.learn("ann", "x")
    session.add_nodes(["eve"], [("eve", "dan")])
    assert set(session.open_questions()) <= {"bob", "cem", "dan", "eve"}
    assert session.predict_all().tolist() == ["x"] * 5


@pytest.mark.parametrize("kernel", ["laplacian", "regularized:0.5", "heat:1", "walk:2"])
@pytest.mark.parametrize("engine", ["auto", "jacobi"])
def test_applying_a_kernel_is_the_sum_of_its_columns(kernel, engine):
    example = zk.generators.planted_partition([6, 6], 0.6, 0.2, np.random.default_rng(1))
    columns = kernel_columns(example.graph, kernel, engine, 1e-10)
    vectors = np.random.default_rng(2).normal(size=(3, 12))
    vectors[:, 5] = 0.0
    matrix = np.column_stack([columns.column(i) for i in range(12)])
    assert np.allclose(apply_kernel(columns, vectors), vectors @ matrix, atol=1e-7)

    class Bare:
        num_nodes = 12
        column = staticmethod(columns.column)

    assert np.allclose(apply_kernel(Bare(), vectors), vectors @ matrix, atol=1e-7)


@pytest.mark.kernels
@given(strategies.graphs(max_nodes=6), st.data())
def test_touched_nodes_are_those_whose_row_differs(graph, data):
    new = data.draw(st.integers(0, 2))
    node = st.integers(0, graph.num_nodes + new - 1)
    edges = data.draw(st.lists(st.tuples(node, node), max_size=3))
    grown = graph.extended(new, edges)
    small = np.zeros((grown.num_nodes,) * 2)
    small[: graph.num_nodes, : graph.num_nodes] = graph.adjacency.toarray()
    differ = (small != grown.adjacency.toarray()).any(axis=1)
    differ[graph.num_nodes :] = True
    assert touched_nodes(graph, grown).tolist() == np.flatnonzero(differ).tolist()
