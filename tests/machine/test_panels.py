"""Products with panels: vector instructions against their definitions bit by bit, those against formulas."""

import numpy as np
import pytest

from zerokelvin.jit import kernel
from zerokelvin.machine.panels import PAST, gather_rows, scatter_rows, take_row


@kernel
def compiled_gather(panels, start, wide, rows, first, last, value, own):
    gather_rows(panels, start, wide, rows, first, last, value, own)


@kernel
def compiled_scatter(panels, start, wide, rows, first, last, value, own):
    scatter_rows(panels, start, wide, rows, first, last, value, own)


@kernel
def compiled_take(panels, start, wide, known, own):
    take_row(panels, start, wide, known, own)


def example(wide, tall):
    rng = np.random.default_rng(100 * wide + tall)
    start, first = 5, 3
    panels = rng.standard_normal(start + wide * tall + PAST)
    rows = rng.permutation(60)[: first + tall]
    own = np.zeros((wide + 7) // 8 * 8)
    own[:wide] = rng.standard_normal(wide)
    panel = panels[start : start + wide * tall].reshape(tall, wide)
    return panels, start, wide, rows, first, first + tall, rng.standard_normal(60), own, panel


@pytest.mark.kernels
@pytest.mark.parametrize("wide", [1, 2, 7, 8, 9, 17])
@pytest.mark.parametrize("tall", [0, 1, 2, 7, 8, 9, 25])
def test_products_with_panels(wide, tall):
    *head, value, own, panel = example(wide, tall)
    rows, first, last = head[3:]
    results = []
    for gather in (gather_rows, compiled_gather):
        target = own.copy()
        gather(*head, value, target)
        results.append(target[:wide])
        assert np.allclose(target[:wide], own[:wide] - panel.T @ value[rows[first:last]])
    assert (results[0] == results[1]).all()
    results = []
    for scatter in (scatter_rows, compiled_scatter):
        target, wanted = value.copy(), value.copy()
        scatter(*head, target, own)
        results.append(target)
        wanted[rows[first:last]] -= panel @ own[:wide]
        assert np.allclose(target, wanted)
    assert (results[0] == results[1]).all()


@pytest.mark.kernels
@pytest.mark.parametrize("wide", [0, 1, 7, 8, 9, 17])
def test_a_row_times_a_number(wide):
    panels, start, *_, own, _ = example(max(wide, 1), 2)
    results = []
    for take in (take_row, compiled_take):
        target = own.copy()
        take(panels, start, wide, 0.7, target)
        results.append(target[:wide])
        assert np.allclose(target[:wide], own[:wide] - 0.7 * panels[start : start + wide])
    assert (results[0] == results[1]).all()
