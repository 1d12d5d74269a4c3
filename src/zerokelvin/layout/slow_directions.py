"""The two slowest directions of a connected graph's random walk, roughly and soon.

They solve L v = σ D v for the two smallest σ > 0: along them a walk forgets last where it began, so they
spread what is far apart. They are computed exactly on a small graph made of neighbourhoods
(`coarser_graphs`), and carried back level by level, where each time the Chebyshev polynomial that is small on
[c, 2], beyond the slow end of the spectrum, takes off what was rough in them (as in
`zerokelvin.spectral.smooth_subspace`, but from a good start), followed by Rayleigh–Ritz. Two further vectors
come along, which make the two settle sooner. Nothing is converged or certified: a picture is made of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats
from zerokelvin.layout.coarser_graphs import Level, coarsened
from zerokelvin.threads import on_one_thread

__all__ = ["slow_directions", "slow_directions_of_small"]

Apply = Callable[[Floats], Floats]

SMALL, LEAST = 400, 24
"""Nodes up to which all eigenvectors are computed, and below which a graph says too little of a finer one."""

WIDTH = 4
ROUNDS, DEGREE = 3, 16
ROUNDS_ALONE = 6
"""Rounds of filter and Rayleigh–Ritz at a level, and at one that begins with random vectors."""


@on_one_thread
def slow_directions(adjacency: sp.csr_array, seed: int = 0) -> Floats:
    """Two columns, (n, 2), for a connected graph of at least 3 nodes without negative edges.

    Examples
    --------
    >>> line = sp.csr_array(np.eye(30, k=1) + np.eye(30, k=-1))
    >>> first = slow_directions(line)[:, 0]
    >>> bool((np.diff(first) > 0).all() or (np.diff(first) < 0).all())
    True
    """
    levels = coarsened(adjacency, SMALL, LEAST)
    matrix, masses, _ = levels[-1]
    if matrix.shape[0] <= SMALL:
        vectors = slow_directions_of_small(matrix.toarray()[None], masses[None], WIDTH)[0]
    else:
        start = np.random.default_rng(seed).standard_normal((matrix.shape[0], WIDTH))
        vectors = _smoothed(levels[-1], start, ROUNDS_ALONE)
    for level in levels[-2::-1]:
        vectors = _smoothed(level, vectors[level.owners], ROUNDS)
    return np.ascontiguousarray(vectors[:, :2])


def slow_directions_of_small(adjacencies: Floats, masses: Floats, width: int = 2) -> Floats:
    """The same of many graphs of one size s at once, (m, s, s) and (m, s) → (m, s, width).

    Columns beyond the s − 1 that there are, are 0.
    """
    scale = 1.0 / np.sqrt(masses)
    normal = -adjacencies * scale[:, :, None] * scale[:, None, :]
    size = masses.shape[1]
    normal[:, range(size), range(size)] += adjacencies.sum(axis=2) * scale**2
    _, vectors = np.linalg.eigh(normal)
    found = np.zeros((*masses.shape, width))
    kept = vectors[:, :, 1 : width + 1] * scale[:, :, None]
    found[:, :, : kept.shape[2]] = kept
    return found


def _smoothed(level: Level, vectors: Floats, rounds: int) -> Floats:
    """Directions of a level that begin at given ones, by so many rounds of filter and Rayleigh–Ritz."""
    adjacency, masses, _ = level
    root = np.sqrt(masses)
    scale = sp.diags_array(1.0 / root)
    walk = sp.csr_array(scale @ adjacency @ scale)
    rest = (np.asarray(adjacency.sum(axis=1)) / masses)[:, None]  # below 1 where an aggregate has inner edges
    still = root / np.linalg.norm(root)

    def normal(block: Floats) -> Floats:
        return rest * block - walk @ block

    block, values = _turned(normal, vectors * root[:, None], still)
    for _ in range(rounds):
        block, values = _turned(normal, _filtered(normal, block, float(values[-1])), still)
    return block / root[:, None]


def _turned(normal: Apply, block: Floats, still: Floats) -> tuple[Floats, Floats]:
    """Rayleigh–Ritz in the span of a block without the still direction: vectors and values, ascending."""
    block = block - np.outer(still, still @ block)
    block, _ = np.linalg.qr(block)
    small = block.T @ normal(block)
    values, turn = np.linalg.eigh(0.5 * (small + small.T))
    return block @ turn, values


def _filtered(normal: Apply, block: Floats, cut: float) -> Floats:
    """The Chebyshev polynomial of [cut, 2] times a block, by its recurrence."""
    cut = min(max(cut, 1e-9), 1.5)
    half, centre = 0.5 * (2.0 - cut), 0.5 * (2.0 + cut)
    before, now = block, (normal(block) - centre * block) / half
    for _ in range(DEGREE - 1):
        before, now = now, 2.0 * (normal(now) - centre * now) / half - before
    return now
