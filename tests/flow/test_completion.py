"""Completing a labelling, on graphs where a minimum cut is refused too."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.flow.static.completion import complete_labelling

SIGNED = zk.Graph.from_edges([(0, 1), (1, 2), (0, 2), (2, 3)], weights=[2.0, 2.0, -0.1, 1.0])
WIDE = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)], weights=[1e-30, 1.0, 1.0])


@pytest.mark.parametrize("graph", [SIGNED, WIDE], ids=["signed", "wide"])
@pytest.mark.parametrize("labels", [{0: 1}, {3: -1, 0: -1}, {}])
def test_it_agrees_with_the_labels_given(graph, labels):
    sides = complete_labelling(graph, labels)
    assert set(sides.tolist()) <= {-1, 1}
    assert {node: int(sides[node]) for node in labels} == labels


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("graph", [SIGNED, WIDE], ids=["signed", "wide"])
def test_a_bound_on_them_is_given_with_unknown_labels_and_forgetting(graph):
    run = zk.play(graph, ["a", None, "b", "b"], "pounce", repeats=3, label_noise=0.4, forget=2, seed=1)
    assert not run.bound.is_broken_by(run.mistakes)
    session = zk.start(graph, "pounce", classes=["a", "b"])
    session.learn(0, "a")
    assert not session.bound(["a", None, None, "b"]).is_broken_by(session.mistakes)
    assert np.isfinite(run.margins).all()
