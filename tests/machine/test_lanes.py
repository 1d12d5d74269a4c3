"""Vector instructions against their definitions in NumPy, bit by bit, and those against plain formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.jit import kernel
from zerokelvin.machine.lanes import (
    LANES,
    add_forms,
    aligned,
    borrow,
    combine,
    combine_sizes,
    eight_dot,
    fetch,
    lay_out,
    row_dot,
    shorten,
    sweep,
)
from zerokelvin.machine.tiles import block_forms, diagonal, pack, padded, unpack_tiles


@kernel
def compiled_dot(a, b):
    return eight_dot(a, b)


@kernel
def compiled_row_dot(left, i, right, j):
    fetch(left, i)
    return row_dot(left, i, borrow(right), j)


@kernel
def compiled_sweep(tiles, p, scale, x, out):
    sweep(tiles, p, scale, x, out)


@kernel
def compiled_shorten(tiles, p, scale, copy):
    shorten(tiles, p, scale, copy)


@kernel
def compiled_add_forms(tiles, dimension, block, lane, forms):
    add_forms(tiles, dimension, block, lane, forms)


@kernel
def compiled_combine(block, dimension, weights, lane, scores):
    combine(block, dimension, weights, lane, scores)


@kernel
def compiled_combine_sizes(block, dimension, weights, lane, scores):
    combine_sizes(block, dimension, weights, lane, scores)


@kernel
def compiled_lay_out(matrix, picks, lane, block):
    lay_out(matrix, picks, lane, block)


def packed(matrix):
    width = padded(len(matrix))
    tiles = np.empty(4 * width * (width // 8 + 1))
    pack(matrix, tiles)
    return tiles


def symmetric(rng, d):
    matrix = rng.normal(size=(d, d))
    return matrix + matrix.T


@pytest.mark.kernels
@given(st.integers(0, 2**32), st.integers(1, 36))
def test_compiled_equals_defined_to_the_last_bit(seed, d):
    rng = np.random.default_rng(seed)
    width = padded(d)
    p, x, w = rng.normal(size=(3, width))
    assert compiled_dot(p, x) == eight_dot(p, x) == pytest.approx(p @ x)
    tiles = packed(symmetric(rng, width))
    block = np.zeros(width * LANES)
    block[: d * LANES] = rng.normal(size=d * LANES)
    other = tiles.copy()
    out, out_other = np.full((2, width), 7.0)
    compiled_sweep(tiles, p, 0.3, x, out)
    sweep(other, p, 0.3, x, out_other)
    np.testing.assert_array_equal(tiles, other)
    np.testing.assert_array_equal(out, out_other)
    short, short_other = np.empty((2, len(tiles)), dtype=np.float32)
    compiled_shorten(tiles, p, 0.3, short)
    shorten(tiles, p, 0.3, short_other)
    np.testing.assert_array_equal(short, short_other)
    np.testing.assert_array_equal(tiles, other)
    forms, forms_other = np.ones((2, LANES))
    for lane in (0, 16):
        compiled_add_forms(tiles, d, block, lane, forms)
        add_forms(tiles, d, block, lane, forms_other)
    np.testing.assert_array_equal(forms, forms_other)
    for lane in (0, 7, 15, 16, 31):
        for compiled, defined in ((compiled_combine, combine), (compiled_combine_sizes, combine_sizes)):
            scores, scores_other = np.full((2, LANES), 9.0)
            compiled(block, d, w, lane, scores)
            defined(block, d, w, lane, scores_other)
            np.testing.assert_array_equal(scores, scores_other)
            assert (scores[:16] == 9.0).all() == (lane >= 16)
        combine(block, d, w, lane, scores)
        rows = np.ascontiguousarray(block.reshape(width, LANES)[:d].T)
        weights = np.stack([p, w])
        alone = compiled_row_dot(rows, lane, weights, 1)
        assert scores[lane] == alone == row_dot(rows, lane, weights, 1)
        assert alone == pytest.approx(rows[lane] @ w[:d])


@pytest.mark.kernels
@given(st.integers(0, 2**32), st.integers(1, 36))
def test_single_precision_may_fuse_but_no_more(seed, d):
    rng = np.random.default_rng(seed)
    width = padded(d)
    whole = np.zeros((width, width))
    whole[:d, :d] = symmetric(rng, d)
    tiles = packed(whole).astype(np.float32)
    block = np.zeros(width * LANES, dtype=np.float32)
    block[: d * LANES] = rng.normal(size=d * LANES)
    forms, forms_other = np.zeros((2, LANES), dtype=np.float32)
    compiled_add_forms(tiles, d, block, 0, forms)
    add_forms(tiles, d, block, 0, forms_other)
    columns = np.abs(block.reshape(width, LANES).astype(np.float64))
    size = np.einsum("ib,ij,jb->b", columns, np.abs(whole), columns)
    assert (np.abs(forms - forms_other) <= 2 * (2 * d + 2) * 2.0**-24 * size).all()


@pytest.mark.kernels
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_rows_are_laid_out_side_by_side(seed, d):
    rng = np.random.default_rng(seed)
    matrix, picks = rng.normal(size=(11, d)), rng.integers(0, 11, LANES)
    block, other = np.full((2, padded(d) * LANES), -1.0)
    for lane in range(0, LANES, 8):
        compiled_lay_out(matrix, picks, lane, block)
        lay_out(matrix, picks, lane, other)
    np.testing.assert_array_equal(block, other)
    whole = d // 8 * 8
    np.testing.assert_array_equal(block.reshape(-1, LANES)[:whole], matrix[picks, :whole].T)
    assert (block.reshape(-1, LANES)[whole:] == -1.0).all()


@pytest.mark.kernels
@given(st.integers(0, 2**32), st.integers(1, 27))
def test_tiles_against_the_whole_matrix(seed, d):
    rng = np.random.default_rng(seed)
    matrix, width = symmetric(rng, d), padded(d)
    tiles = packed(matrix)
    np.testing.assert_array_equal(unpack_tiles(tiles, d), matrix)
    p, x, out = aligned(width), aligned(width), aligned(width)
    p[:d], x[:d] = rng.normal(size=(2, d))
    sweep(tiles, p, 0.7, x, out)
    changed = matrix - 0.7 * np.outer(p[:d], p[:d])
    np.testing.assert_allclose(unpack_tiles(tiles, d), changed, atol=1e-13)
    np.testing.assert_allclose(out[:d], changed @ x[:d], atol=1e-12)
    block, forms = np.zeros((width, LANES)), np.empty(LANES)
    block[:d] = rng.normal(size=(d, LANES))
    block_forms(tiles, d, block.ravel(), forms)
    expected = np.einsum("ib,ij,jb->b", block[:d], changed, block[:d])
    np.testing.assert_allclose(forms, expected, atol=1e-11 * d)
    short = np.zeros(LANES, dtype=np.float32)
    compiled_add_forms(tiles.astype(np.float32), d, block.ravel().astype(np.float32), 0, short)
    np.testing.assert_allclose(short, expected, atol=1e-4 * d)
    found = np.empty(width)
    diagonal(tiles, found)
    np.testing.assert_allclose(found[:d], np.diag(changed), atol=1e-13)
