"""Classes as one-vs-rest problems, there and back, and trials that are none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.errors import ParameterError
from zerokelvin.learners import Learner, Trials
from zerokelvin.learners.base import codes_of, columns_of, signs_of


@given(st.integers(2, 6), st.lists(st.integers(0, 5), max_size=8))
def test_signs_and_codes_are_inverse(classes, codes):
    codes = np.array([code % classes for code in codes], dtype=np.int64)
    signs = signs_of(codes, columns_of(classes))
    assert signs.shape == (len(codes), columns_of(classes))
    assert codes_of(signs).tolist() == codes.tolist()
    trials = Trials(np.arange(len(codes)), signs, np.full(len(codes), np.inf), 0, 9)
    assert trials.codes.tolist() == codes.tolist()


@pytest.mark.parametrize("row", [[1, 1, -1], [-1, -1, -1]])
def test_a_trial_of_no_class_or_of_two_is_refused(row):
    """A compiled game would learn the signs, the plain one a class."""
    signs = np.array([[1, -1, -1], row], dtype=np.int8)
    with pytest.raises(ParameterError, match=r"trial 1 has the signs .*exactly one is \+1"):
        Trials(np.arange(2), signs, np.full(2, np.inf), 0, 2)


def test_a_learner_that_starts_nothing_is_told():
    class Idle(Learner):
        pass

    with pytest.raises(ParameterError, match="neither start nor start_game; write one"):
        Idle().start(None)
