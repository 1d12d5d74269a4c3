"""`gaussian` on squared kernels, which look further, by pairs of fields (`learners.auto.paired`)."""

from __future__ import annotations

from typing import ClassVar

from zerokelvin.graph import Graph
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.paired import PairedFields, PairedSystem, paired_system

__all__ = ["SquaredKernels"]


@expert("squared kernels")
class SquaredKernels(Kind):
    """A pair of fields per scale."""

    rank: ClassVar[int] = 20

    def prepare(self, graph: Graph, scaled: Graph) -> dict[str, PairedSystem]:
        """The system of every kernel; scales of one kernel share it."""
        return {scale.kernel: paired_system(scaled, scale.kernel) for scale in settings.SQUARED}

    def start(self, ready: dict[str, PairedSystem], classes: int, tol: float, seed: int) -> list[Expert]:
        """A game for every kernel and scale of the settings."""
        return [
            Expert(str(scale), PairedFields(ready[scale.kernel], classes, scale.mu, settings.SQUARED_TOL))
            for scale in settings.SQUARED
        ]
