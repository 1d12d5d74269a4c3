"""Vector instructions against their definitions in NumPy, bit by bit, and those against plain formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerokelvin.jit import kernel
from zerokelvin.linalg.lanes import LANES, add_forms, aligned, combine, eight_dot, lay_out, sweep_panel
from zerokelvin.linalg.tiles import block_forms, diagonal, pack, padded, short_forms, sweep, unpack_tiles


@kernel
def compiled_dot(a, b):
    return eight_dot(a, b)


@kernel
def compiled_sweep_panel(tiles, panel, p, scale, x, out):
    sweep_panel(tiles, panel, p, scale, x, out)


@kernel
def compiled_add_forms(tiles, panel, panels, block, lane, forms):
    add_forms(tiles, panel, panels, block, lane, forms)


@kernel
def compiled_combine(block, weights, lane, scores):
    combine(block, weights, lane, scores)


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
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_compiled_equals_defined_to_the_last_bit(seed, panels):
    rng = np.random.default_rng(seed)
    width = 8 * panels
    p, x, w = rng.normal(size=(3, width))
    assert compiled_dot(p, x) == eight_dot(p, x) == pytest.approx(p @ x)
    tiles, block = packed(symmetric(rng, width)), rng.normal(size=width * LANES)
    other, at = tiles.copy(), 0
    out, out_other = np.zeros((2, width))
    forms, forms_other = np.zeros((2, LANES))
    for panel in range(panels):
        compiled_sweep_panel(tiles[at:], panel, p, 0.3, x, out)
        sweep_panel(other[at:], panel, p, 0.3, x, out_other)
        for lane in (0, 16):
            compiled_add_forms(tiles[at:], panel, panels, block, lane, forms)
            add_forms(other[at:], panel, panels, block, lane, forms_other)
        at += 64 * (panels - panel)
    np.testing.assert_array_equal(tiles, other)
    np.testing.assert_array_equal(out, out_other)
    np.testing.assert_array_equal(forms, forms_other)
    short, short_block = tiles.astype(np.float32), block.astype(np.float32)
    forms, forms_other = np.zeros((2, LANES), dtype=np.float32)
    compiled_add_forms(short, 0, panels, short_block, 0, forms)
    add_forms(short, 0, panels, short_block, 0, forms_other)
    np.testing.assert_array_equal(forms, forms_other)
    for lane in (0, 7, 15, 16, 31):
        scores, scores_other = np.full((2, LANES), 9.0)
        compiled_combine(block, w, lane, scores)
        combine(block, w, lane, scores_other)
        np.testing.assert_array_equal(scores, scores_other)
        assert (scores[:16] == 9.0).all() == (lane >= 16)
        alone = 0.0
        for i in range(width):
            alone += w[i] * block[LANES * i + lane]
        assert scores[lane] == alone  # in the order of a plain loop


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
    block_forms(tiles, width // 8, block.ravel(), forms)
    expected = np.einsum("ib,ij,jb->b", block[:d], changed, block[:d])
    np.testing.assert_allclose(forms, expected, atol=1e-11 * d)
    short = np.empty(LANES, dtype=np.float32)
    short_forms(tiles.astype(np.float32), width // 8, block.ravel().astype(np.float32), short)
    np.testing.assert_allclose(short, expected, atol=1e-4 * d)
    found = np.empty(width)
    diagonal(tiles, found)
    np.testing.assert_allclose(found[:d], np.diag(changed), atol=1e-13)
