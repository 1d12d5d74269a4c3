"""The growing inverse against batch ridge regression, and its refresh."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.least_squares import growing_inverse
from zerokelvin.least_squares.growing_inverse import (
    due,
    empty_inverse,
    form_of,
    inverse_of,
    learn_row,
    refresh,
    score_row,
    triangle_of,
)


def batch(rows, targets, a):
    matrix = a * np.eye(rows.shape[1]) + rows.T @ rows
    return np.linalg.inv(matrix), np.linalg.solve(matrix, rows.T @ targets)


@pytest.mark.kernels
@given(
    st.integers(0, 2**32),
    st.integers(1, 19),
    st.integers(1, 3),
    st.integers(0, 12),
    st.sampled_from([0.01, 1.0, 50.0]),
)
def test_equals_batch_ridge_regression(seed, d, sides, count, a):
    rng = np.random.default_rng(seed)
    rows, targets = rng.normal(size=(count, d)), rng.choice([-1.0, 1.0], (count, sides))
    kept, scratch = empty_inverse(d, a, sides), np.empty((2, 24))
    for k, (x, y) in enumerate(zip(rows, targets, strict=True)):
        expected, _ = batch(rows[: k + 1], targets[: k + 1], a)
        assert learn_row(kept, x, y, scratch) == pytest.approx(x @ expected @ x, abs=1e-9)
        if k == 5:
            refresh(kept, rows[:6], targets[:6])
    inverse, weights = batch(rows, targets, a)
    np.testing.assert_allclose(inverse_of(kept, d, sides), inverse, atol=1e-9 / a)
    np.testing.assert_allclose(kept[2 : 2 + sides, :d], weights.T, atol=1e-8)
    x = rng.normal(size=d)
    before = kept.copy()
    assert form_of(kept, sides, x, scratch) == pytest.approx(x @ inverse @ x, abs=1e-9 / a)
    assert score_row(x, kept[2]) == pytest.approx(x @ weights[:, 0], abs=1e-8)
    np.testing.assert_array_equal(kept, before)
    triangle = triangle_of(kept, sides)[:d, :d]
    learnt = rows[: 6 if count > 5 else 0]
    np.testing.assert_allclose(
        triangle.T @ triangle, a * np.eye(d) + learnt.T @ learnt, atol=1e-9 * max(a, 1)
    )


@pytest.mark.kernels
def test_a_tiny_ridge_is_refreshed_at_once_and_stays_exact():
    """1 + r = 10¹²: Sherman–Morrison alone would lose all but four digits."""
    rng = np.random.default_rng(0)
    d, a = 6, 1e-12
    rows = rng.normal(size=(12, d))
    targets = rows @ rng.normal(size=(d, 1))
    kept, scratch, refreshes, since = empty_inverse(d, a), np.empty((2, 8)), 0, 0
    for k in range(12):
        learn_row(kept, rows[k], targets[k], scratch)
        if due(kept):
            refresh(kept, rows[since : k + 1], targets[since : k + 1])
            refreshes, since = refreshes + 1, k + 1
    assert d - 1 <= refreshes <= d + 2
    expected = np.linalg.lstsq(rows, targets)[0][:, 0]
    np.testing.assert_allclose(kept[2, :d], expected, rtol=1e-9)
    assert np.linalg.eigvalsh(inverse_of(kept, d)).min() > 0


@pytest.mark.kernels
def test_due_after_many_rows():
    kept, scratch = empty_inverse(1, 1.0), np.empty((2, 8))
    kept[0, growing_inverse.SINCE] = growing_inverse.REFRESH - 2
    learn_row(kept, np.ones(1), np.ones(1), scratch)
    assert not due(kept)
    learn_row(kept, np.ones(1), np.ones(1), scratch)
    assert due(kept)
