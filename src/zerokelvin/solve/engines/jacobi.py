"""The engine of conjugate gradients preconditioned with the diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zerokelvin.solve.engines.engine import CoreEngine, engine
from zerokelvin.solve.engines.iterative import Iterative
from zerokelvin.solve.layout import Core

__all__ = ["Jacobi"]


@engine("jacobi")
@dataclass(frozen=True)
class Jacobi(CoreEngine):
    """Conjugate gradients preconditioned with the diagonal.

    Parameters
    ----------
    max_iterations
        Most iterations per solve.
    """

    max_iterations: int = 10_000
    name: ClassVar[str] = "jacobi"

    def prepare(self, core: Core) -> Iterative:
        """The core with the diagonal as its preconditioner: no work on the matrix."""
        return Iterative(core, None, self.max_iterations)
