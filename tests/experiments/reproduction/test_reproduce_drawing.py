"""The judge of drawings, by its definition; and the experiment on a small data set."""

import numpy as np

import zerokelvin as zk
from zerokelvin.experiments.reproduction import make_experiment
from zerokelvin.experiments.reproduction.drawing.drawn_neighbours import share_of_neighbours


def test_the_share_is_what_it_is_defined_to_be():
    rng = np.random.default_rng(0)
    graph = zk.generators.two_moons(80, rng).graph
    drawn = rng.normal(size=(80, 2))
    shares = []
    for i in range(80):
        order = sorted((j for j in range(80) if j != i), key=lambda j: np.hypot(*(drawn[i] - drawn[j])))
        shares.append(np.mean([graph.weight(i, j) > 0 for j in order[:10]]))
    assert np.isclose(share_of_neighbours(graph, drawn), np.mean(shares))


def test_each_step_shows_more_neighbours():
    report = make_experiment("drawing", fast=True).run()
    row = report.values["data"]["digits"]
    assert row["random"]["share"] < 0.05 < row["first"]["share"] < row["refined"]["share"]
    assert row["refined"]["share"] > 0.55
    assert report.tables[0].rows[0][:2] == ("digits", "1,797")
