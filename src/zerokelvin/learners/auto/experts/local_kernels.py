"""`gaussian` on (L + εI)⁻¹ and (Lₙ + εI)⁻¹ at several ε and μ, and `propagation`, by local relaxation."""

from __future__ import annotations

from typing import ClassVar

from zerokelvin.graph import Graph
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.settings import Scale
from zerokelvin.learners.base import columns_of
from zerokelvin.learners.gaussian.diffusion import Diffusion, System, system_of
from zerokelvin.learners.gaussian.gaussian import GaussianGame
from zerokelvin.learners.gaussian.propagation import PropagationGame

__all__ = ["LocalKernels"]


@expert("local kernels")
class LocalKernels(Kind):
    """One relaxation per scale; the first is the one that answers for variance and value."""

    rank: ClassVar[int] = 10

    def prepare(self, graph: Graph, scaled: Graph) -> list[tuple[Scale, System]]:
        """The system of every scale; scales of one kernel share it."""
        systems = {scale.kernel: system_of(scaled, scale.kernel) for scale in settings.LOCAL}
        return [(scale, system) for scale in settings.LOCAL if (system := systems[scale.kernel]) is not None]

    def start(self, ready: list[tuple[Scale, System]], classes: int, tol: float, seed: int) -> list[Expert]:
        """A game per scale."""
        experts, columns = [], columns_of(classes)
        for scale, system in ready:
            if scale.mu > 0:
                regression = Diffusion(system, columns, 1.0 / scale.mu, 0.0, scale.slack * tol)
                experts.append(Expert(str(scale), GaussianGame(regression)))
            else:
                votes = Diffusion(system, columns, 0.0, 0.0, scale.slack * tol)
                experts.append(Expert(str(scale), PropagationGame(votes)))
        return experts
