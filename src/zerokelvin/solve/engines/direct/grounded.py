"""The direct engine: a sparse Cholesky factor of the core, one node of every singular component held at 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.machine.blocks import empty_block
from zerokelvin.solve.engines.direct.cholesky import SparseCholesky
from zerokelvin.solve.engines.direct.ordering import EliminationOrder, minimum_degree
from zerokelvin.solve.engines.direct.selected import selected_inverse
from zerokelvin.solve.engines.engine import CoreEngine, engine
from zerokelvin.solve.layout import Core

__all__ = ["Direct", "Factored"]


@engine("direct")
@dataclass(frozen=True)
class Direct(CoreEngine):
    """Sparse Cholesky, given up before any arithmetic where the factor would be too large.

    Parameters
    ----------
    max_fill
        Most entries of the factor per node.
    max_bytes
        Most memory for the factor.
    """

    max_fill: float = 1000.0
    max_bytes: float = 4e9
    name: ClassVar[str] = "direct"

    def order(self, core: Core) -> EliminationOrder:
        """The elimination order of the grounded core with its fill, incomplete where too large."""
        kept = _grounded(core)
        pattern = core.adjacency[kept][:, kept] if len(kept) < core.size else core.adjacency
        limit = min(self.max_fill * core.size + 10_000, self.max_bytes / 8)
        return minimum_degree(pattern.indptr.astype(np.int64), pattern.indices.astype(np.int64), limit)

    def prepare(self, core: Core, order: EliminationOrder | None = None) -> Factored:
        """Factor the core with one node of every singular component held at 0."""
        order = order or self.order(core)
        if not order.complete:
            raise ParameterError(
                f"the direct engine's factor passes {self.max_fill:g} entries per node or {self.max_bytes:g} "
                "bytes; raise max_fill and max_bytes or choose engine='auto'."
            )
        kept = _grounded(core)
        matrix = core.matrix
        if len(kept) < core.size:
            matrix = sp.csr_array(matrix[kept][:, kept])
        positive = not bool((core.adjacency.data < 0).any())
        excess = _excess(core, kept) if positive else None
        return Factored(SparseCholesky.factor(matrix, order, excess), kept, core.size, positive)


@dataclass(frozen=True)
class Factored:
    """A core factored directly, with one node of every singular component held at 0."""

    factor: SparseCholesky
    kept: Ints
    size: int
    exact: bool = False
    """Whether the factor was made without subtraction, so that solutions are right whatever weights span."""

    skips_zeros: ClassVar[bool] = True

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        """The solution for a vector (n,) or a block (n, k), by two triangular solves; and 0 iterations."""
        count = len(self._place)
        held = np.zeros(count + 1) if right.ndim == 1 else empty_block(count + 1, right.shape[1])
        held[count] = 0.0  # the last row is that of the nodes held at 0
        right.take(self._place, 0, held[:count], mode="clip")  # all are within; else it goes through a copy
        self.factor.sweep(held[:count])
        return held.take(self._back, 0), 0

    @cached_property
    def _place(self) -> Ints:
        """The node of the core at every position of the elimination order."""
        return self.kept[self.factor.order]

    @cached_property
    def _back(self) -> Ints:
        """The position of every node of the core, one past the last for those held at 0."""
        position = np.full(self.size, len(self._place))
        position[self._place] = np.arange(len(self._place))
        return position

    def exhausted(self, iterations: int) -> bool:
        """Whether the iterations are used up: never, as nothing iterates."""
        return False

    def estimate(self, residual: Floats) -> Floats:
        """A correction from a residual by one solve, the step of iterative refinement."""
        return self.solve(residual, np.zeros(()))[0]

    def inverse_entries(self, rows: Ints, columns: Ints) -> tuple[Floats, Floats]:
        """Diagonal of the grounded inverse, and its entries at edges; 0 at grounded nodes."""
        place = np.full(self.size, -1, dtype=np.int64)
        place[self.kept] = np.arange(len(self.kept))
        first, second = place[rows], place[columns]
        inside = (first >= 0) & (second >= 0)
        diagonal, entries = np.zeros(self.size), np.zeros(len(rows))
        diagonal[self.kept], entries[inside] = selected_inverse(self.factor, first[inside], second[inside])
        return diagonal, entries


def _grounded(core: Core) -> Ints:
    """All nodes but the one of largest degree in every singular component."""
    keep = np.ones(core.size, dtype=bool)
    order = np.lexsort((-core.diagonal, core.components))
    _, first = np.unique(core.components[order], return_index=True)
    keep[order[first][core.singular]] = False
    return np.flatnonzero(keep)


def _excess(core: Core, kept: Ints) -> Floats:
    """The excess of the nodes kept, with what ties them to those held at 0."""
    held = np.ones(core.size)
    held[kept] = 0.0
    surplus: Floats = (core.excess + core.adjacency @ held)[kept]
    return surplus
