"""The engine for forests: leaf elimination is all it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.solve.engines.engine import CoreEngine, Prepared, engine
from zerokelvin.solve.layout import Core

__all__ = ["Tree"]


@engine("tree")
@dataclass(frozen=True)
class Tree(CoreEngine):
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
class _Nothing:
    """The engine of a core without nodes: every right-hand side is its own solution."""

    exact: ClassVar[bool] = True
    skips_zeros: ClassVar[bool] = False

    def solve(self, right: Floats, target: Floats) -> tuple[Floats, int]:
        return right, 0

    def exhausted(self, iterations: int) -> bool:
        return False

    def estimate(self, residual: Floats) -> Floats:
        return residual
