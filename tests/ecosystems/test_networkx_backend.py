"""The backend of networkx: found by networkx, its own tests pass, and what they do not look at."""

import os
import subprocess
import sys
import time
from importlib.metadata import entry_points

import networkx as nx
import numpy as np
import pytest

from zerokelvin.ecosystems import networkx_backend
from zerokelvin.ecosystems.networkx_info import describe_backend
from zerokelvin.errors import GraphError
from zerokelvin.graph import Graph
from zerokelvin.resistance.network import ResistiveNetwork

HERE = "zerokelvin"
THEIRS = [
    "networkx.algorithms.tests.test_node_classification",
    "networkx.algorithms.tests.test_distance_measures",
    "networkx.algorithms.centrality.tests.test_current_flow_closeness",
]
OURS = "NodeClassification or Harmonic or Consistency or Resistance or Kemeny or FlowCloseness"


@pytest.fixture(autouse=True)
def quiet_cache():
    """Converted graphs are kept beside the graph, and networkx says so each time."""
    nx.config.warnings_to_ignore.add("cache")
    yield
    nx.config.warnings_to_ignore.discard("cache")


def test_networkx_finds_the_backend():
    for group in ("networkx.backends", "networkx.backend_info"):
        found = [point for point in entry_points(group=group) if point.name == HERE]
        assert found, "install this tree: pip install -e . --no-deps"
    assert HERE in nx.utils.backends.backends
    assert set(describe_backend()["functions"]) <= set(networkx_backend.__all__)
    for name in describe_backend()["functions"]:
        assert HERE in nx.utils.backends._registered_algorithms[name].backends


def test_networkxs_own_tests_pass():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rxX", "-k", OURS, "--pyargs"]
    done = subprocess.run(
        [*command, *THEIRS],
        env=os.environ | {"NETWORKX_TEST_BACKEND": HERE},
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stdout
    waived = [line for line in done.stdout.splitlines() if line.startswith("XFAIL")]
    functions = describe_backend()["functions"]
    unknown = [
        line
        for line in waived
        if "not implemented by" not in line or any(f"'{f}'" in line for f in functions)
    ]
    assert not unknown
    passed = int(done.stdout.split(" passed")[0].split()[-1])
    assert passed >= 40


def random_graph(rng, kind):
    """A connected graph with weights; multiple edges and self-loops where it may."""
    count = int(rng.integers(2, 25))
    graph = nx.MultiGraph() if kind == "multi" else nx.Graph()
    nodes = [f"n{i}" for i in range(count)]
    graph.add_nodes_from(nodes)
    pairs = [(int(rng.integers(i)), i) for i in range(1, count)]
    if kind != "tree":
        pairs += [tuple(rng.integers(count, size=2).tolist()) for _ in range(2 * count)]
    for u, v in pairs:
        graph.add_edge(nodes[u], nodes[v], weight=float(rng.uniform(0.2, 5)), cost=float(rng.uniform(0.2, 5)))
    return graph


@pytest.mark.parametrize("kind", ["tree", "simple", "multi"])
@pytest.mark.parametrize("seed", range(4))
def test_every_function_gives_what_networkx_gives(kind, seed):
    rng = np.random.default_rng(seed)
    G = random_graph(rng, kind)
    nodes = list(G)
    a, b = nodes[0], nodes[-1]
    for weight in (None, "weight", "cost"):
        for inverted in (True, False):
            common = {"weight": weight, "invert_weight": inverted}
            ours, theirs = (nx.resistance_distance(G, **common, backend=name) for name in (HERE, "networkx"))
            assert list(ours) == list(theirs)
            for node in nodes:
                assert ours[node] == pytest.approx(theirs[node], rel=1e-8, abs=1e-10)
            for ends in ({"nodeA": a}, {"nodeB": b}):
                row, expected = (
                    nx.resistance_distance(G, **ends, **common, backend=name) for name in (HERE, "networkx")
                )
                assert row == pytest.approx(expected, rel=1e-8, abs=1e-10)
            pair = nx.resistance_distance(G, a, b, **common, backend=HERE)
            assert type(pair) is float
            assert pair == pytest.approx(theirs[a][b], rel=1e-8)
            total, expected = (
                nx.effective_graph_resistance(G, **common, backend=name) for name in (HERE, "networkx")
            )
            assert total == pytest.approx(expected, rel=1e-8)
        kemeny, expected = (nx.kemeny_constant(G, weight=weight, backend=name) for name in (HERE, "networkx"))
        assert kemeny == pytest.approx(expected, rel=1e-8)
        ours, theirs = (
            nx.information_centrality(G, weight=weight, backend=name) for name in (HERE, "networkx")
        )
        assert ours == pytest.approx(theirs, rel=1e-8)


@pytest.mark.parametrize("kind", ["tree", "simple", "multi"])
@pytest.mark.parametrize("seed", range(6))
def test_node_classification_is_networkxs_and_its_limit_that_of_many_steps(kind, seed):
    rng = np.random.default_rng(100 + seed)
    G = random_graph(rng, kind)
    G.add_edge("apart", "too")  # no label comes here
    for node in rng.choice(sorted(G)[1:], 4):
        G.nodes[node]["class"] = str(rng.choice(["x", "y", "z"]))
    classify = nx.algorithms.node_classification
    for function in (classify.harmonic_function, classify.local_and_global_consistency):
        for steps in (0, 1, 30):
            ours = function(G, max_iter=steps, label_name="class", backend=HERE)
            assert ours == function(G, max_iter=steps, label_name="class", backend="networkx")
        if nx.number_of_selfloops(G):
            with pytest.raises(NotImplementedError):
                function(G, max_iter=None, label_name="class", backend=HERE)
        else:
            limit = function(G, max_iter=None, label_name="class", backend=HERE)
            assert limit == function(G, max_iter=20_000, label_name="class", backend="networkx")


def test_the_limit_reaches_where_thirty_steps_do_not():
    G = nx.path_graph(200)
    G.nodes[0]["label"], G.nodes[199]["label"] = "near", "far"
    harmonic = nx.algorithms.node_classification.harmonic_function
    assert harmonic(G, max_iter=None, backend=HERE) == ["near"] * 100 + ["far"] * 100
    assert harmonic(G, backend=HERE) == harmonic(G) != ["near"] * 100 + ["far"] * 100


def test_a_changed_graph_is_read_anew():
    G = nx.path_graph(3)
    assert nx.resistance_distance(G, 0, 2, backend=HERE) == pytest.approx(2)
    G.add_edge(0, 2)
    assert nx.resistance_distance(G, 0, 2, backend=HERE) == pytest.approx(2 / 3)


def test_a_network_by_definition():
    rng = np.random.default_rng(5)
    for edges in (40, 700):  # a small factor, and one that is dense
        pairs = [(i, i + 1) for i in range(79)] + rng.integers(80, size=(edges, 2)).tolist()
        graph = Graph.from_edges(pairs, weights=rng.uniform(0.1, 2, len(pairs)), num_nodes=80)
        inverse = np.linalg.pinv(graph.laplacian().toarray())
        diagonal = inverse.diagonal()
        expected = diagonal[:, None] + diagonal - 2 * inverse
        network = ResistiveNetwork(graph)
        assert np.allclose(np.array(list(network.rows())), expected, atol=1e-10)
        assert np.allclose(network.row(7), expected[7], atol=1e-10)
        assert network.pair(3, 60) == pytest.approx(expected[3, 60])
        assert network.total() == pytest.approx(expected.sum() / 2)
    with pytest.raises(GraphError, match="not connected"):
        ResistiveNetwork(Graph.from_edges([(0, 1)], num_nodes=3))


def test_no_dense_matrix_above_its_limit(monkeypatch):
    def refuse(*_):
        raise AssertionError("a dense inverse was made")

    monkeypatch.setattr("zerokelvin.resistance.network.inverse_matrix", refuse)
    monkeypatch.setattr("zerokelvin.resistance.network.DENSE_LIMIT", 50)
    grid = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8))
    network = ResistiveNetwork(Graph.from_networkx(grid))
    ours = np.array(list(network.rows()))
    theirs = nx.resistance_distance(grid, backend="networkx")
    assert np.allclose(ours, [[theirs[p][q] for q in grid] for p in grid], atol=1e-9)


def test_a_pair_takes_a_part_of_the_time():
    """A third of the time of networkx at 600 nodes, so that it holds on any machine."""
    G = nx.barabasi_albert_graph(600, 3, seed=1)
    nx.resistance_distance(G.copy(), 0, 5, backend=HERE)  # compiles
    seconds = {}
    for name in (HERE, "networkx"):
        fresh, began = G.copy(), time.process_time()
        seconds[name] = nx.resistance_distance(fresh, 0, 5, backend=name), time.process_time() - began
    assert seconds[HERE][0] == pytest.approx(seconds["networkx"][0])
    assert seconds[HERE][1] < seconds["networkx"][1] / 3
