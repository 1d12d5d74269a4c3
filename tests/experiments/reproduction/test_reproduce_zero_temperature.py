"""The zero-temperature reproduction: Figure 2's structure, the bounds, mistakes within what is proven."""

import math

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import ParameterError
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.experiments.reproduction.zero_temperature.zero_temperature_bounds import (
    METHODS,
    figure2_graph,
    paper_bounds,
)
from zerokelvin.experiments.reproduction.zero_temperature.zero_temperature_figure import (
    draw_minimum_cuts,
    flow_along_edges,
)
from zerokelvin.graph import Graph


@pytest.fixture(scope="module")
def report():
    return make_experiment("zero-temperature", fast=True).run()


def test_figure_2_has_everything_the_text_names():
    graph, labels = figure2_graph()
    pq = zk.picard_queyranne(graph, labels)
    assert pq.value == 3
    members = [sorted(pq.members(v)) for v in range(5)]
    assert members == [[1, 2, 3, 4], [5, 7], [8], [10, 11, 12], [6, 9]]
    arcs = dict(zip(map(tuple, pq.arcs.tolist()), pq.arc_weights.tolist(), strict=True))
    assert arcs == {(0, 1): 2, (0, 2): 1, (1, 2): 1, (1, 4): 1, (2, 3): 1, (2, 4): 1, (3, 4): 1}
    cuts = {frozenset(graph.name(i) for i in np.flatnonzero(u < 0)) for u in pq.minimum_cuts()}
    assert {frozenset({1, 2, 3, 4}), frozenset({1, 2, 3, 4, 5, 7, 8})} <= cuts


def test_every_learner_stays_within_its_proven_bound(report):
    graphs = report.values["graphs"]
    assert list(graphs) == ["line", "tree", "barbell", "octopus", "double lollipop", "grid"]
    for row in graphs.values():
        assert list(row["methods"]) == list(METHODS)
        for found in row["methods"].values():
            assert found["mistakes"] <= found["most_mistakes"] <= row["nodes"]
            assert found["hunted"] >= 2
            if found["certificate_holds"]:
                assert found["mistakes"] <= found["certificate"] + 1e-9


def test_the_lollipop_separates_the_bounds():
    found = {}
    for n in (64, 256):
        example = zk.generators.double_lollipop(n)
        found[n], cover = paper_bounds(example.graph, np.asarray(example.labels))
        assert sorted(c.case for c in cover.clusters) == ["connected", "connected", "tree", "tree"]
        assert found[n]["V"] <= 2 * math.log2(n) + 4
    assert found[256]["IV"] >= 4 * 0.9 * found[64]["IV"]
    assert found[256]["III"] >= 4 * found[64]["III"]


def test_tables_and_pictures(report, tmp_path):
    assert [len(table.rows) for table in report.tables][:3] == [6, 6, 6]
    assert all(len(row) == len(table.columns) for table in report.tables for row in table.rows)
    files = report.save(tmp_path / "out")
    assert {path.name for path in files} == {"zero-temperature.json", "figure2.png", "figure2.svg"}


def test_a_graph_of_ones_own_is_played_and_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.savez("house.npz", edges=np.array([(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (3, 4)]), n=5,
             labels=np.array([0, 0, 1, 1, 1]))  # fmt: skip
    report = make_experiment("zero-temperature", fast=True, data=("house.npz",), shuffles=1).run()
    assert report.values["graphs"]["house.npz"]["cut"] == 2
    assert [picture.name for picture in report.pictures] == ["figure2", "minimum-cuts-house-npz"]
    figure = report.pictures[1].draw()
    assert len(figure.axes) == 3


def test_the_drawn_flow_is_a_flow():
    graph, labels = figure2_graph()
    flow = flow_along_edges(graph, labels)
    net = np.zeros(graph.num_nodes)
    np.add.at(net, graph.edges[:, 0], flow)
    np.add.at(net, graph.edges[:, 1], -flow)
    assert net[graph.index(1)] == 3
    assert net[graph.index(6)] + net[graph.index(9)] == -3
    inner = [i for i in range(graph.num_nodes) if graph.name(i) not in labels]
    assert not net[inner].any()
    weighted = Graph.from_edges([(0, 1), (1, 2), (0, 2)], [0.5, 0.25, 0.75])
    assert sorted(flow_along_edges(weighted, {0: -1, 2: 1})) == [0.25, 0.25, 0.75]
    assert len(draw_minimum_cuts(weighted, {0: -1, 2: 1}).axes) == 3


def test_bad_options():
    with pytest.raises(ParameterError, match="shuffles=0"):
        make_experiment("zero-temperature", shuffles=0)
