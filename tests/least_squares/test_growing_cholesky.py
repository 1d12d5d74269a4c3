"""The growing Cholesky factor: right by LAPACK, and one point and a block to the last bit the same."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.least_squares.growing_cholesky import GrowingCholesky, dot_in_order, products_with


def grown(matrix):
    factor = GrowingCholesky()
    for k in range(len(matrix)):
        factor.append(matrix[k, :k], matrix[k, k])
    return factor


def example(seed, size):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(size, size))
    return rng, rows @ rows.T + np.eye(size)


@pytest.mark.kernels
@given(st.integers(0, 10**6), st.integers(1, 90))
def test_the_factor_and_its_solves_are_right(seed, size):
    rng, matrix = example(seed, size)
    factor = grown(matrix)
    lower = np.linalg.cholesky(matrix)
    np.testing.assert_allclose(factor.lower, lower, rtol=1e-8, atol=1e-10)
    column = rng.normal(size=size)
    expected = scipy.linalg.solve_triangular(lower, column, lower=True)
    np.testing.assert_allclose(factor.half_solve(column), expected, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(
        factor.back_solve(factor.half_solve(column)), np.linalg.solve(matrix, column), rtol=1e-7, atol=1e-9
    )


@pytest.mark.kernels
@given(st.integers(0, 10**6), st.integers(1, 90), st.integers(1, 9), st.integers(0, 3))
def test_a_block_gives_the_bits_of_each_of_its_points(seed, size, width, room):
    rng, matrix = example(seed, size)
    factor, columns = grown(matrix), rng.normal(size=(size, width))
    z = factor.half_solve(rng.normal(size=size))
    block = np.vstack([columns, np.full((room, width), np.nan)])
    factor.half_solve_block(block)
    solved = products_with(block, z)
    for c in range(width):
        half = factor.half_solve(columns[:, c])
        assert np.array_equal(half, solved.half[:size, c])
        assert solved.scores[c] == dot_in_order(half, z)
        assert solved.squares[c] == dot_in_order(half, half)


@pytest.mark.kernels
@given(st.integers(0, 10**6), st.integers(2, 70), st.integers(1, 9))
def test_a_row_bordered_later_gives_the_same_bits(seed, size, width):
    rng, matrix = example(seed, size)
    columns, y = rng.normal(size=(size, width)), rng.normal(size=size)
    factor = grown(matrix[:-1, :-1])
    block = columns.copy()
    factor.half_solve_block(block)
    z = factor.half_solve(y[:-1])
    factor.append_row(factor.half_solve(matrix[-1, :-1]), matrix[-1, -1])
    factor.border(block, 0)
    whole = columns.copy()
    factor.half_solve_block(whole)
    assert np.array_equal(block, whole)
    assert np.array_equal(np.append(z, factor.last_of(y[-1], z)), factor.half_solve(y))
    assert np.array_equal(factor.lower, grown(matrix).lower)
