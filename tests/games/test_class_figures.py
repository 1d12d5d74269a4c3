"""Figures class by class: scikit-learn's are the oracle."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from zerokelvin.games.class_figures import class_figures


@given(st.data())
def test_precision_recall_and_f1_are_those_of_scikit_learn(data):
    count = data.draw(st.integers(1, 5))
    total = data.draw(st.integers(1, 40))
    codes = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=total, max_size=total)))
    predicted = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=total, max_size=total)))
    found = class_figures(list("abcde")[:count], codes, predicted)
    every = {"labels": range(count), "zero_division": 0.0}
    assert found.precision == pytest.approx(metrics.precision_score(codes, predicted, average=None, **every))
    assert found.recall == pytest.approx(metrics.recall_score(codes, predicted, average=None, **every))
    assert found.f1 == pytest.approx(metrics.f1_score(codes, predicted, average=None, **every))
    assert found.macro_f1 == pytest.approx(
        metrics.f1_score(codes, predicted, average="macro", zero_division=0.0)
    )
    pairs = Counter(zip(codes.tolist(), predicted.tolist(), strict=True))
    assert found.confusion.tolist() == [[pairs[i, j] for j in range(count)] for i in range(count)]
    assert found.error == pytest.approx(np.mean(codes != predicted))
    assert found.majority_error == pytest.approx(1 - np.bincount(codes).max() / total)
    assert found.auc is None


@given(st.data())
def test_the_order_is_judged_as_by_scikit_learn(data):
    total = data.draw(st.integers(2, 40))
    rare = data.draw(st.integers(1, total - 1))
    codes = np.array([1] * rare + [0] * (total - rare))
    few = data.draw(st.lists(st.integers(-3, 3), min_size=total, max_size=total))  # many ties
    margins = np.array(few, dtype=float)
    found = class_figures(["no", "yes"], codes, (margins >= 0).astype(int), margins)
    sought = codes if rare <= total - rare else 1 - codes
    scores = margins if rare <= total - rare else -margins
    assert found.sought == ("yes" if rare <= total - rare else "no")
    assert found.auc == pytest.approx(metrics.roc_auc_score(sought, scores))
    assert found.average_precision == pytest.approx(metrics.average_precision_score(sought, scores))


def test_one_class_has_no_order():
    found = class_figures(["no", "yes"], np.zeros(3, int), np.zeros(3, int), np.zeros(3))
    assert (found.auc, found.sought, found.majority_error, found.macro_f1) == (None, None, 0.0, 1.0)
