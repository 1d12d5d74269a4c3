"""Conjugate gradients as a prepared engine, with or without an approximate factor as preconditioner."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from zerokelvin.array_types import Floats
from zerokelvin.machine.blocks import Room
from zerokelvin.solve.engines.approximate_factor import ApproximateFactor
from zerokelvin.solve.engines.gradients import conjugate_gradients
from zerokelvin.solve.layout import Core

__all__ = ["Iterative"]


@dataclass(frozen=True)
class Iterative:
    """A core prepared for conjugate gradients.

    Attributes
    ----------
    core, limit
        The system, and the most iterations of a solve.
    factor
        The preconditioner; None is the diagonal's.
    """

    core: Core
    factor: ApproximateFactor | None
    limit: int
    exact: ClassVar[bool] = False
    skips_zeros: ClassVar[bool] = False
    _room: Room = field(default_factory=Room, repr=False, compare=False)

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        """Iterate until every column's residual norm is at most its `target`."""
        apply = None if self.factor is None else self.factor.apply
        arrays = self._room.borrow()
        found = conjugate_gradients(self.core, right, target, apply, self.limit, arrays)
        self._room.give_back(arrays)
        return found

    def exhausted(self, iterations: int) -> bool:
        """Whether a solve of so many iterations was cut off by the limit."""
        return iterations >= self.limit

    def estimate(self, residual: Floats) -> Floats | None:
        """The preconditioner applied to the residual; None without one."""
        return None if self.factor is None else self.factor.apply(residual)
