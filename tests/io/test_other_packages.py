"""What other packages write is read (networkx's JSON, scipy's npz), and one graph has one hash."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import zerokelvin as zk
from zerokelvin.errors import DataError, GraphError
from zerokelvin.graph import Graph
from zerokelvin.io import read_graph, write_graph

KARATE = nx.karate_club_graph()


@pytest.mark.parametrize("key", ["edges", "links"])
def test_node_link(tmp_path: Path, key: str) -> None:
    path = tmp_path / "g.json"
    for graph in (KARATE, nx.les_miserables_graph(), nx.grid_2d_graph(3, 3), nx.MultiGraph([(0, 1), (0, 1)])):
        path.write_text(json.dumps(nx.node_link_data(graph, edges=key)))
        assert read_graph(path) == Graph.from_networkx(graph)


def test_networkx_reads_our_json(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    write_graph(Graph.from_networkx(KARATE), path)
    again = nx.node_link_graph(json.loads(path.read_text()), edges="edges")
    assert Graph.from_networkx(again) == Graph.from_networkx(KARATE)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[]", "no object with nodes and edges"),
        ("{}", "a list 'nodes' and a list 'edges' or 'links'"),
        ('{"nodes": [], "edges": []}', "holds no nodes"),
        ('{"nodes": [{"name": "a"}], "edges": []}', "a node without an id"),
        ('{"nodes": [{"id": {}}], "edges": []}', "ids are texts, numbers"),
        ('{"nodes": [{"id": NaN}], "edges": []}', "ids are texts, numbers"),
        ('{"nodes": [{"id": 1}, {"id": 1}], "edges": []}', "two nodes with one id"),
        ('{"nodes": [{"id": 1}], "edges": [[1, 1]]}', "without source and target"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1}]}', "without source and target"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": "1"}]}', "node '1', which is not among"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": [{}]}]}', "ids are texts"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "weight": "x"}]}', "weight 'x'"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "weight": Infinity}]}', "weight inf"),
        ('{"nodes": [{"id": 1}], "edges": [{"source": 1, "target": 1, "weight": true}]}', "weight True"),
        ('{"directed": true, "nodes": [{"id": 1}], "edges": []}', "directed"),
        ('{"nodes": [', "cannot be read as JSON"),
    ],
)
def test_bad_node_link(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "g.json"
    path.write_text(content)
    with pytest.raises((DataError, GraphError), match=words) as caught:
        read_graph(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("wrap", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("compressed", [True, False])
def test_scipys_own_npz(tmp_path: Path, kind: str, wrap: type, compressed: bool) -> None:
    graph = Graph.from_networkx(KARATE)
    path = tmp_path / "m.npz"
    sp.save_npz(path, wrap(graph.adjacency).asformat(kind), compressed=compressed)
    assert read_graph(path) == graph
    sp.save_npz(path, (wrap(graph.adjacency) != 0).asformat(kind) if kind != "dia" else wrap(graph.adjacency))
    assert read_graph(path).num_edges == graph.num_edges


def test_matrices_that_are_no_graph(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    for matrix, words in (
        (sp.csr_array(np.array([[0.0, 1.0], [2.0, 0.0]])), "not symmetric"),
        (sp.csr_array(np.ones((2, 3))), "square"),
        (sp.csr_array(np.array([[0.0, np.nan], [np.nan, 0.0]])), "weight nan"),
        (sp.csr_array(np.array([[0, 1j], [1j, 0]])), "real numbers"),
    ):
        sp.save_npz(path, matrix)
        with pytest.raises((DataError, GraphError), match=words):
            read_graph(path)


def test_gml_whose_edges_alone_have_labels(tmp_path: Path) -> None:
    path = tmp_path / "e.gml"
    path.write_text('graph [ node [ id 5 ] node [ id 9 ] edge [ source 5 target 9 label "x" ] ]')
    assert read_graph(path).names == (5, 9)
    path.write_text('graph [ node [ id 5 label "a" ] node [ id 9 label "b" ] edge [ source 5 target 9 ] ]')
    assert read_graph(path).names == ("a", "b")


@pytest.mark.parametrize("order", ["ascending", "permuted"])
def test_one_graph_has_one_hash_however_it_came(tmp_path: Path, order: str) -> None:
    graph = nx.Graph()
    rng = np.random.default_rng(3)
    graph.add_nodes_from(range(34) if order == "ascending" else rng.permutation(34).tolist())
    graph.add_weighted_edges_from(KARATE.edges(data="weight"))
    expected = Graph.from_networkx(KARATE)
    assert expected.names is None
    frame = nx.to_pandas_edgelist(graph)[["source", "target", "weight"]].sample(frac=1, random_state=1)
    frame.to_csv(tmp_path / "index.csv")
    frame.to_csv(tmp_path / "plain.csv", index=False)
    frame.to_csv(tmp_path / "bare.txt", index=False, header=False, sep=" ")
    frame.to_parquet(tmp_path / "table.parquet")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(graph)))
    sp.save_npz(tmp_path / "m.npz", nx.to_scipy_sparse_array(graph, nodelist=range(34)))
    for suffix in ("csv", "tsv", "txt", "parquet", "mtx", "graphml", "gml", "npz", "json"):
        write_graph(Graph.from_networkx(graph), tmp_path / f"own.{suffix}")
    graphs = [read_graph(path) for path in sorted(tmp_path.iterdir())]
    graphs += [Graph.from_networkx(graph), Graph.from_edges(frame), Graph.from_pandas(frame, *frame.columns)]
    assert len(graphs) == 20
    assert {found.content_hash for found in graphs} == {expected.content_hash}


def test_a_session_is_loaded_on_its_own_graph_from_elsewhere(tmp_path: Path) -> None:
    session = zk.start(KARATE, "nearest")
    for node in (0, 33, 5, 30):
        session.learn(node, KARATE.nodes[node]["club"])
    session.save(tmp_path / "s.zk")
    pd.DataFrame(
        [(u, v, w) for u, v, w in KARATE.edges(data="weight")], columns=["from", "to", "weight"]
    ).to_csv(tmp_path / "e.csv", index=False)
    again = zk.load(tmp_path / "s.zk", read_graph(tmp_path / "e.csv"))
    assert [again.predict(i).label for i in range(34)] == [session.predict(i).label for i in range(34)]
