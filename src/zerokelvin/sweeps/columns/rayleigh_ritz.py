"""The best approximations in the span of a block of columns: the small problem FᵀLF y = σ FᵀF y."""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.spectral.chebyshev import WIDTH
from zerokelvin.threads import on_one_thread

__all__ = ["ritz", "whole_products"]

INDEPENDENT = 1e-8
"""Of the largest eigenvalue of FᵀF: below it, a direction of F is rounding in 32 bits."""


def whole_products(met: dict[int, tuple[Floats, Floats]], columns: int) -> tuple[Floats, Floats]:
    """FᵀF and FᵀLF from the parts of their upper halves."""
    gram, small = np.zeros((columns, columns)), np.zeros((columns, columns))
    for panel, parts in met.items():
        here = slice(panel * WIDTH, (panel + 1) * WIDTH)
        for whole, part in zip((gram, small), parts, strict=True):
            whole[: len(part), here] = part
            whole[here, : len(part)] = part.T
    return 0.5 * (gram + gram.T), 0.5 * (small + small.T)


@on_one_thread
def ritz(gram: Floats, small: Floats) -> tuple[Floats, Floats]:
    """Ritz values, ascending, and what turns F into their vectors; zeros where F lacks a direction.

    >>> values, turn = ritz(np.diag([4.0, 1.0]), np.diag([4.0, 3.0]))
    >>> values.tolist(), np.abs(turn).round(3).tolist()
    ([1.0, 3.0], [[0.5, 0.0], [0.0, 1.0]])
    """
    scale = 1.0 / np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    found, basis = np.linalg.eigh(gram * scale[:, None] * scale)
    kept = found > INDEPENDENT * found[-1]
    whiten = basis[:, kept] / np.sqrt(found[kept])
    values, turn = np.linalg.eigh(whiten.T @ (small * scale[:, None] * scale) @ whiten)
    rotation = np.zeros_like(gram)
    rotation[:, : len(values)] = scale[:, None] * (whiten @ turn)
    return np.concatenate([values, np.full(len(gram) - len(values), values[-1])]), rotation
