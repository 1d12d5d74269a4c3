"""Randomised approximate Cholesky factorisation of a Laplacian with excess.

Gao, Kyng and Spielman (2023), "Robust and practical solution of Laplacian equations by approximate
elimination"; `approximate_elimination` does it.

Excess on the diagonal is an edge to a ground node that is never eliminated. A signed component that is
not balanced is replaced by its double cover (Gremban 1996), a Laplacian with positive weights on two
copies of every node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import WIDTHS, copy_of, in_lanes, lanes_of
from zerokelvin.machine.rows import add_row, put, spread_row
from zerokelvin.solve.engines.approximate_elimination import SampledFactor, eliminate
from zerokelvin.solve.layout import Core

__all__ = ["ApproximateFactor", "approximate_factor"]


@dataclass(frozen=True)
class ApproximateFactor:
    """An approximate factorisation L D Lᵀ, applied as a preconditioner.

    `doubled` tells that it is of the double cover.
    """

    factor: SampledFactor
    doubled: bool

    @property
    def entries(self) -> int:
        """How many entries below the diagonal it has."""
        return len(self.factor.rows)

    def apply(self, residual: Floats, out: Floats | None = None) -> Floats:
        """L⁻ᵀ D⁻¹ L⁻¹ times a vector or a block, which may be written to `out`."""
        if residual.ndim == 2 and residual.shape[1] not in WIDTHS:
            return in_lanes(self.apply, residual)
        value = np.concatenate([residual, -residual]) if self.doubled else copy_of(residual, out)
        if value.ndim == 1:
            _apply_one(self.factor, value)
        else:
            _apply_block(lanes_of(value), self.factor, value)
        if self.doubled:
            half = len(residual)
            value = 0.5 * (value[:half] - value[half:])
        return value


def approximate_factor(core: Core, rng: np.random.Generator, samples: int = 1) -> ApproximateFactor:
    """Factor the core approximately; the same generator state gives the same factor."""
    adjacency, excess = core.adjacency, core.excess
    doubled = core.size > 0 and bool((adjacency.data < 0).any())
    if doubled:
        same, other = adjacency.maximum(0), -adjacency.minimum(0)
        adjacency = sp.csr_array(sp.block_array([[same, other], [other, same]], format="csr"))
        adjacency.sort_indices()
        excess = np.concatenate([excess, excess])
    csr = Csr(
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        np.ascontiguousarray(adjacency.data),
    )
    return ApproximateFactor(eliminate(csr, excess, samples, rng), doubled)


@kernel
def _apply_one(factor: SampledFactor, value: Floats) -> None:
    """Apply the inverse of the factor to a vector (n,), in place."""
    sequence, starts, rows, values, pivots = factor
    count = len(sequence)
    for s in range(count):
        known = value[sequence[s]]
        for p in range(starts[s], starts[s + 1]):
            value[rows[p]] += values[p] * known
    for s in range(count - 1, -1, -1):
        i = sequence[s]
        if pivots[s] > 0.0:
            total = value[i] / pivots[s]
            for p in range(starts[s], starts[s + 1]):
                total += values[p] * value[rows[p]]
            value[i] = total
        else:
            value[i] = 0.0


@kernel
def _apply_block(lanes: Any, factor: SampledFactor, value: Floats) -> None:
    """The same for a block (n, k) of as many columns as `lanes` has entries."""
    sequence, starts, rows, values, pivots = factor
    count = len(sequence)
    for s in range(count):
        spread_row(lanes, value, sequence[s], value, rows, values, starts[s], starts[s + 1])
    for s in range(count - 1, -1, -1):
        i = sequence[s]
        if pivots[s] > 0.0:
            put(lanes, value, i, 1.0 / pivots[s], value, i)
            add_row(lanes, value, i, value, rows, values, starts[s], starts[s + 1])
        else:
            value[i] = 0.0
