"""A packed graph is the graph in memory: whatever plays on both, by name, is equal to the last bit."""

import re
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zerokelvin as zk
from strategies import graphs
from zerokelvin.errors import ParameterError
from zerokelvin.graph.packed import giving_back as page_release
from zerokelvin.graph.packed import packed_graph
from zerokelvin.io.packs.pack_order import order_pack

LOCAL = [
    ("propagation", {}),
    ("propagation", {"kernel": "pagerank:0.15"}),
    ("gaussian", {}),
    ("gaussian", {"kernel": "normalized:0.1", "b": 1.0}),
    ("nearest", {}),
    ("nearest", {"k": 3}),
    ("auto", {"local": True}),
]
FEW = settings(max_examples=12, deadline=None)


@st.composite
def named_graphs(draw):
    """A graph whose names are none, numbers in any order, or texts."""
    graph = draw(graphs(max_nodes=12))
    kind = draw(st.sampled_from(["none", "numbers", "texts"]))
    if kind == "none":
        return graph
    numbers = draw(st.permutations(range(-3, graph.num_nodes - 3)))
    names = [7 * n for n in numbers] if kind == "numbers" else [f"é{n}" for n in numbers]
    return zk.Graph(graph.indptr, graph.indices, graph.weights, names)


def packed(graph, folder, order):
    zk.write_graph(graph, folder / "graph.zkg")
    found = zk.open_graph(folder / "graph.zkg")
    if order == "name":
        return found
    order_pack(found, folder / "other.zkg", order)
    return zk.open_graph(folder / "other.zkg")


def played(graph, names, answers, learner, params):
    """What a session says before each answer, and of every node at the end."""
    session = zk.start(graph, learner, classes=["a", "b", "c"], **params)
    said = []
    for name, label in answers:
        said.append(session.predict(name).scores)
        session.learn(name, label)
    return said, [session.predict(name).scores for name in names]


@pytest.mark.kernels
@pytest.mark.parametrize("order", ["name", "rcm"])
@pytest.mark.parametrize(("learner", "params"), LOCAL)
def test_equal_to_the_last_bit(learner, params, order, tmp_path_factory):
    @FEW
    @given(named_graphs(), st.data())
    def play(graph, data):
        names = list(graph.names or range(graph.num_nodes))
        answer = st.tuples(st.sampled_from(names), st.sampled_from("abc"))
        answers = data.draw(st.lists(answer, max_size=10))
        pack = packed(graph, tmp_path_factory.mktemp("pack"), order)
        given_params = {} if learner == "auto" else params  # a packed graph is local without being told
        assert played(pack, names, answers, learner, given_params) == played(
            graph, names, answers, learner, params
        )

    play()


@FEW
@given(named_graphs())
def test_it_is_the_same_graph(graph):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        for order in ("name", "rcm"):
            pack = packed(graph, Path(folder), order)
            assert pack.num_nodes == graph.num_nodes
            assert pack.num_edges == graph.num_edges
            assert pack.num_components == graph.num_components
            names, by_name = list(graph.names or range(graph.num_nodes)), graph.by_name
            for u in names:
                assert pack.name(pack.index(u)) == u
                assert pack.degrees[pack.index(u)] == by_name.degrees[by_name.index(u)], order
                assert pack.heaviest[pack.index(u)] == graph.heaviest[graph.index(u)]
                for v in names:
                    assert pack.weight(pack.index(u), pack.index(v)) == graph.weight(
                        graph.index(u), graph.index(v)
                    )
                    together = graph.components[graph.index(u)] == graph.components[graph.index(v)]
                    assert together == (pack.components[pack.index(u)] == pack.components[pack.index(v)])
            first = np.unique(pack.components, return_index=True)[1]
            assert (np.diff(first) > 0).all()  # numbered by their lowest node
            assert pack.in_memory().by_name == graph.by_name
            assert pack.total_degree == graph.by_name.total_degree


@pytest.mark.parametrize(
    ("learner", "params"),
    [(name, {}) for name in zk.learners.names() if name not in ("auto", "propagation", "gaussian", "nearest")]
    + [
        ("nearest", {"distance": "resistance"}),
        ("gaussian", {"engine": "exact"}),
        ("propagation", {"kernel": "laplacian"}),
    ],
)
def test_other_learners_refuse_and_say_what_to_take(learner, params, tmp_path):
    pack = packed(zk.Graph.from_edges([("ann", "bob")]), tmp_path, "name")
    with pytest.raises(ParameterError, match=r"(?s)packed; take 'propagation'.*in_memory"):
        zk.start(pack, learner, **params)
    with pytest.raises(ParameterError, match="packed"):
        zk.learners.make(learner, **params).start_game(pack, 2)


def test_auto_says_that_it_is_restricted(tmp_path):
    pack = packed(zk.Graph.from_edges([("ann", "bob"), ("bob", "cem")]), tmp_path, "name")
    session = zk.start(pack, "auto", classes=["x", "y"])
    session.learn("ann", "x")
    assert "only those whose work is local" in session.predict("bob").reason


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="resident pages are read from /proc")
def test_pages_are_given_back_while_all_of_a_file_is_read(tmp_path, monkeypatch):
    """The first label of `nearest` goes through everything; what it has read does not stay in memory."""
    rng = np.random.default_rng(0)
    edges = np.column_stack([np.repeat(np.arange(300_000), 8), rng.integers(0, 300_000, 2_400_000)])
    pack = packed(zk.Graph.from_edges(edges, num_nodes=300_000), tmp_path, "name")
    zk.play(pack.in_memory(), np.arange(300_000) % 2, "nearest", order=[0, 1])  # compiled before
    monkeypatch.setattr(packed_graph, "COUNTS", 1)
    monkeypatch.setattr(page_release, "BETWEEN", 0.0002)
    monkeypatch.setattr(page_release, "ROOM", -1)
    found, left = [], []
    give_back = page_release.MappedPages.give_back

    def counting(pages):
        found.append(resident())
        give_back(pages)
        left.append(resident())

    def given_back():
        return any(before > 2000 and after < before / 2 for before, after in zip(found, left, strict=False))

    monkeypatch.setattr(page_release.MappedPages, "give_back", counting)
    for _ in range(300):  # on a busy machine the thread that looks comes seldom, or is held up between
        game = zk.learners.make("nearest").start_game(pack, 2)
        pack.give_back()  # what beginning has read
        found.clear()
        left.clear()
        game.learn(5, 1)
        if given_back():
            break
    assert given_back(), (found, left)
    whole = zk.learners.make("nearest").start_game(pack.in_memory(), 2)
    whole.learn(5, 1)
    nodes = np.arange(0, 300_000, 7)
    assert np.array_equal(game.scores(nodes), whole.scores(nodes))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="resident pages are read from /proc")
@pytest.mark.parametrize("learner", ["gaussian", "auto"])
@pytest.mark.parametrize("told", [True, False], ids=["system tells", "nobody tells"])
def test_labels_and_predictions_keep_few_pages(tmp_path, monkeypatch, learner, told):
    """One by one, they touch all of a file in the end, and little of it is resident at any time."""
    rng = np.random.default_rng(0)
    edges = np.column_stack([np.repeat(np.arange(300_000), 8), rng.integers(0, 300_000, 2_400_000)])
    pack = packed(zk.Graph.from_edges(edges, num_nodes=300_000), tmp_path, "name")
    size = (tmp_path / "graph.zkg").stat().st_size // 1024
    if not told:
        monkeypatch.setattr(page_release, "STATM", tmp_path / "nothing")
    monkeypatch.setattr(page_release, "ROOM", size * 1024 // 16)
    peaks = {}
    for counts in (1 << 40, 1, 1 << 40):  # the first time kernels are compiled, and what that needs is read
        monkeypatch.setattr(packed_graph, "COUNTS", counts)
        session, most = zk.start(pack, learner, classes=["a", "b"]), 0
        pack.give_back()
        others = of_files() - resident()
        for node in rng.permutation(300_000)[:40].tolist():
            session.learn(node, "ab"[node % 2])
            most = max(most, of_files())
        for node in rng.permutation(300_000)[:400].tolist():
            session.predict(node)
            most = max(most, of_files())
        peaks[counts] = most - others
    assert peaks[1] < size / 4 < size / 2 < peaks[1 << 40], (peaks, size)


def resident():
    """Kilobytes of the file that are resident."""
    text = Path("/proc/self/smaps").read_text()
    return int(re.search(r"Rss:\s*(\d+) kB", text[text.rindex("graph.zkg") :])[1])


def of_files():
    """Kilobytes of all files that are resident, which takes the system less time to tell."""
    return int(Path("/proc/self/statm").read_text().split()[2]) * resource.getpagesize() // 1024


def test_a_pack_does_not_grow_and_takes_no_attributes(tmp_path):
    pack = packed(zk.Graph.from_edges([("ann", "bob")]), tmp_path, "name")
    with pytest.raises(zk.errors.GraphError, match="pack it again with the new edges"):
        pack.extended(["cem"], [("cem", "ann")])
    with pytest.raises(zk.errors.GraphError, match="in_memory"):
        pack.with_attributes([[1.0], [2.0]])


def test_a_session_is_saved_and_goes_on(tmp_path):
    pack = packed(zk.Graph.from_edges([("ann", "bob"), ("bob", "cem")]), tmp_path, "name")
    session = zk.start(pack, "gaussian", classes=["x", "y"])
    session.learn("ann", "x")
    session.save(tmp_path / "s.zk")
    again = zk.load(tmp_path / "s.zk", zk.open_graph(tmp_path / "graph.zkg"))
    assert again.predict("cem") == session.predict("cem")


def test_it_travels_to_another_process_by_its_path(tmp_path):
    import pickle

    pack = packed(zk.Graph.from_edges([("ann", "bob")] * 2000), tmp_path, "name")
    sent = pickle.dumps(pack)
    assert len(sent) < 1000
    assert pickle.loads(sent) == pack  # noqa: S301


def test_weights_beyond_sound_scale_are_refused(tmp_path):
    pack = packed(zk.Graph.from_edges([(0, 1, 1e300), (1, 2, 2e300)]), tmp_path, "name")
    with pytest.raises(zk.errors.GraphError, match="divide all of them by that and pack again"):
        zk.start(pack, "nearest")
