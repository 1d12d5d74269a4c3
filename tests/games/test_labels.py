"""Labels at the edge: −1 is a class, and said so where it is probably not meant."""

import numpy as np
import pytest

import zerokelvin as zk
from zerokelvin.errors import LabelWarning
from zerokelvin.games.labels import decide, encode_labels
from zerokelvin.learners.base.ties import first_largest

LINE = zk.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize(
    "labels",
    [[-1, 0, 1, 0], [-1, 0, 0, -1], np.array([-1.0, 0.0, 2.0, 2.0]), {0: -1, 1: 3}, np.arange(4) - 1],
)
def test_minus_one_beside_other_classes_is_announced(labels):
    with pytest.warns(LabelWarning, match="-1 is a class like the others here, not a sign for unlabelled"):
        encode_labels(LINE, labels)
    with pytest.warns(LabelWarning, match="mark unknown labels with None"):
        zk.play(LINE, labels, "nearest")
    encode_labels(LINE, labels, classes=[-1, 0, 1, 2, 3])  # whoever names it means it


@pytest.mark.parametrize(
    "labels", [[-1, 1, 1, -1], [-1, None, None, -1], ["-1", "0", "x", "x"], [0, 1, 2, 0], [None, -1, 1.0, 1]]
)
def test_minus_one_and_one_are_an_ordinary_pair(labels):
    encode_labels(LINE, labels)


def test_a_negative_margin_is_never_tied_with_one_that_is_not():
    """All three problems are right about class 1; a tie beside the largest |margin| would predict class 0."""
    margins = np.array([[-1e-8, 0.0, -100.0], [0.5, 0.5 + 1e-12, -0.5], [-0.5, -0.5 + 1e-12, -0.7]])
    assert decide(margins, 3).tolist() == [1, 0, 0]
    assert [int(first_largest(row)) for row in margins] == [1, 0, 0]
