"""The engines that solve what leaf elimination leaves: each a frozen configuration.

``prepare(core)`` does all work that depends on the matrix alone; the prepared engine's
``solve(right, target)`` does the work per right-hand side and returns the value and the iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.machine.blocks import Room
from zerokelvin.solve.engines.approximate import ApproximateFactor, approximate_factor
from zerokelvin.solve.engines.direct.cholesky import SparseCholesky
from zerokelvin.solve.engines.direct.ordering import EliminationOrder, minimum_degree
from zerokelvin.solve.engines.direct.selected import selected_inverse
from zerokelvin.solve.engines.gradients import conjugate_gradients
from zerokelvin.solve.layout import Core

__all__ = ["ApproximateCholesky", "CoreEngine", "Direct", "Factored", "Jacobi", "Prepared", "Tree"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Prepared(Protocol):
    """An engine with its work on one matrix done."""

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        """The solution for one or many right-hand sides, and the iterations it took."""
        ...

    def exhausted(self, iterations: int) -> bool:
        """Whether a solve of so many iterations was cut off by the engine's limit."""
        ...

    def estimate(self, residual: Floats) -> Floats | None:
        """Roughly the error behind a residual, also along weak links; None where it cannot be told."""
        ...


class CoreEngine(Protocol):
    """A configuration that can be prepared for a core."""

    name: ClassVar[str]

    def prepare(self, core: Core) -> Prepared:
        """Do the work that depends on the matrix alone."""
        ...


@dataclass(frozen=True)
class Tree:
    """Nothing but leaf elimination: exact, for forests."""

    name: ClassVar[str] = "tree"

    def prepare(self, core: Core) -> Prepared:
        """Refuse anything but an empty core."""
        if core.size:
            raise ParameterError(
                f"the tree engine solves forests, and {core.size} nodes of this graph lie on or between "
                "cycles; choose engine='auto'."
            )
        return _Nothing()


@dataclass(frozen=True)
class Factored:
    """A core factored directly, with one node of every singular component held at 0."""

    factor: SparseCholesky
    kept: Ints
    size: int
    exact: bool = False
    """Whether the factor was made without subtraction, so that solutions are right whatever weights span."""

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        """Two triangular solves."""
        place = self.kept[self.factor.order]
        inside = right[place]
        self.factor.sweep(inside)
        value = np.zeros_like(right)
        value[place] = inside
        return value, 0

    def exhausted(self, iterations: int) -> bool:
        """Never: nothing iterates."""
        return False

    def estimate(self, residual: Floats) -> Floats:
        """The correction of iterative refinement."""
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


@dataclass(frozen=True)
class Direct:
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
class Jacobi:
    """Conjugate gradients preconditioned with the diagonal."""

    max_iterations: int = 10_000
    name: ClassVar[str] = "jacobi"

    def prepare(self, core: Core) -> Prepared:
        """Nothing to do."""
        return _Iterative(core, None, self.max_iterations)


@dataclass(frozen=True)
class ApproximateCholesky:
    """Conjugate gradients preconditioned with a randomised approximate Cholesky factor.

    Parameters
    ----------
    samples
        1 (AC) or 2 (AC2) sampled edges per eliminated edge.
    seed
        Seed of the factor's random choices.
    max_iterations
        Most iterations per solve.
    """

    samples: int = 1
    seed: int = 0
    max_iterations: int = 2_000
    name: ClassVar[str] = "approximate"

    def __post_init__(self) -> None:
        if self.samples not in (1, 2):
            raise ParameterError(f"samples={self.samples} must be 1 or 2.")

    def prepare(self, core: Core) -> _Iterative:
        """Factor the core approximately."""
        factor = approximate_factor(core, np.random.default_rng(self.seed), self.samples)
        return _Iterative(core, factor, self.max_iterations)


@dataclass(frozen=True)
class _Nothing:
    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        return right, 0

    def exhausted(self, iterations: int) -> bool:
        return False

    def estimate(self, residual: Floats) -> Floats:
        return residual


@dataclass(frozen=True)
class _Iterative:
    core: Core
    factor: ApproximateFactor | None
    limit: int
    room: Room = field(default_factory=Room, repr=False, compare=False)

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        apply = None if self.factor is None else self.factor.apply
        arrays = self.room.borrow()
        found = conjugate_gradients(self.core, right, target, apply, self.limit, arrays)
        self.room.give_back(arrays)
        return found

    def exhausted(self, iterations: int) -> bool:
        return iterations >= self.limit

    def estimate(self, residual: Floats) -> Floats | None:
        return None if self.factor is None else self.factor.apply(residual)


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
