"""The smoothest directions of a graph, roughly and at a fixed price: Chebyshev-filtered subspace iteration.

With S = D^(−1/2) A D^(−1/2), whose eigenvalues lie in [−1, 1], those eigenvectors of the largest vary least
along the edges, and in a graph of communities they tell these apart. A block of random vectors is multiplied
by the Chebyshev polynomial of degree `DEGREE` that stays within ±1 on [−1, c] and grows fast beyond, and made
orthonormal; then c becomes the smallest Ritz value of the block. `ROUNDS` such rounds are products of S with
ROUNDS · (DEGREE + 1) blocks, whatever the graph: O((arcs + nodes · block) · block). Unlike
`zerokelvin.spectral.eigenpairs` nothing is converged or certified: what is wanted is a subspace to regress
in, not its eigenvectors (Zhou, Saad, Tiago and Chelikowsky 2006, who filter in this way).

The random block is drawn by a fixed seed, so that the same graph has the same subspace every time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats
from zerokelvin.graph.graph import Graph
from zerokelvin.threads import on_one_thread

__all__ = ["SmoothSubspace", "smooth_subspace"]


ROUNDS, DEGREE = 3, 8
GUARD = 8
"""Vectors in the block beside those wanted, which make these settle sooner."""

HIGHEST = 0.98
"""What c may be at most: beyond it all of the block is smooth enough."""

LEAST = 0.05
"""Directions of smaller Ritz values are left out: they vary along the edges as random ones do."""


class SmoothSubspace(NamedTuple):
    """Ritz values of S in descending order, and the orthonormal vectors that belong to them, (n, rank)."""

    values: Floats
    vectors: Floats


@on_one_thread
def smooth_subspace(graph: Graph, rank: int) -> SmoothSubspace:
    """At most `rank` of the smoothest directions of a graph; fewer where it has no more.

    Examples
    --------
    >>> two = Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)])
    >>> values, vectors = smooth_subspace(two, 2)
    >>> signs = np.sign(vectors[:, 1])  # the second direction has the two triangles on two sides
    >>> bool(signs[0] == signs[1] == signs[2] != signs[3] == signs[4] == signs[5])
    True
    """
    scale = 1.0 / np.sqrt(np.where(graph.degrees > 0, graph.degrees, 1.0))
    rows = np.repeat(scale, np.diff(graph.indptr))
    weights = graph.weights * rows * scale[graph.indices]
    walk = sp.csr_array((weights, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)
    width = min(rank + GUARD, graph.num_nodes)
    block = np.random.default_rng(0).standard_normal((graph.num_nodes, width))  # made orthonormal below
    values, cut = np.zeros(width), 0.0
    for _ in range(ROUNDS):
        block, _ = np.linalg.qr(_filtered(walk, block, cut))
        small: Floats = block.T @ np.asarray(walk @ block)
        values, turn = np.linalg.eigh(0.5 * (small + small.T))
        values, block = values[::-1], block @ turn[:, ::-1]
        cut = min(float(values[-1]), HIGHEST)
    kept = int(np.count_nonzero(values[:rank] > LEAST))
    return SmoothSubspace(values[:kept].copy(), np.ascontiguousarray(block[:, :kept]))


def _filtered(walk: sp.csr_array, block: Floats, cut: float) -> Floats:
    """The Chebyshev polynomial of [−1, cut] in S times a block, by its recurrence."""
    half, centre = max(0.5 * (cut + 1.0), 0.25), 0.5 * (cut - 1.0)
    before, now = block, (walk @ block - centre * block) / half
    scaled = np.empty_like(block)
    for _ in range(DEGREE - 1):  # 2 (S now − c now) / half − before, in place
        after = walk @ now
        after -= np.multiply(centre, now, out=scaled)
        after *= 2.0
        after /= half
        after -= before
        before, now = now, after
    return now
