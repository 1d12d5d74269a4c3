"""`gaussian` on (L + εI)⁻¹ and (Lₙ + εI)⁻¹ at several ε and μ, and `propagation`, by local relaxation."""

from __future__ import annotations

import math
from typing import ClassVar, NamedTuple

from zerokelvin.graph import Graph
from zerokelvin.graph.scale import MEAN_DEGREE, mean_degree
from zerokelvin.kernels.kernel_names import RELATIVE
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.settings import Scale
from zerokelvin.learners.base import columns_of
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.field_system import System, system_of
from zerokelvin.learners.gaussian.gaussian import GaussianGame
from zerokelvin.learners.gaussian.propagation import PropagationGame

__all__ = ["LocalKernels"]


class ReadyScale(NamedTuple):
    """A scale, its system, and what a tolerance is to be divided by there."""

    scale: Scale
    system: System
    unit: float


@expert("local kernels")
class LocalKernels(Kind):
    """One relaxation per scale; the first is the one that answers for variance and value."""

    rank: ClassVar[int] = 10

    def prepare(self, graph: Graph, scaled: Graph) -> list[ReadyScale]:
        """The system of every scale; scales of one kernel share it."""
        systems = {scale.kernel: system_of(scaled, scale.kernel) for scale in settings.LOCAL}
        return _ready(settings.LOCAL, systems, 1.0)

    def prepare_local(self, graph: Graph) -> list[ReadyScale]:
        """The same on the graph as it is, whose weights are not copied to be scaled."""
        scales = settings.LOCAL_OF_MANY if graph.num_nodes > settings.MANY_NODES else settings.LOCAL
        systems = {scale.kernel: system_of(graph, _relative(scale.kernel)) for scale in scales}
        return _ready(scales, systems, math.sqrt(mean_degree(graph) / MEAN_DEGREE) or 1.0)

    def start(self, ready: list[ReadyScale], classes: int, tol: float, seed: int) -> list[Expert]:
        """One expert per scale: a regression where its μ is above 0, else propagation; no label yet."""
        experts, columns = [], columns_of(classes)
        for scale, system, unit in ready:
            error = scale.slack * tol / unit
            if scale.mu > 0:
                regression = Diffusion(system, columns, 1.0 / scale.mu, 0.0, error)
                experts.append(Expert(str(scale), GaussianGame(regression)))
            else:
                votes = Diffusion(system, columns, 0.0, 0.0, error)
                experts.append(Expert(str(scale), PropagationGame(votes)))
        return experts


def _relative(kernel: str) -> str:
    """The name of a kernel that means the same whatever the unit of the weights: a normalized one does."""
    return kernel if kernel.startswith("normalized") else f"{RELATIVE}{kernel}"


def _ready(scales: tuple[Scale, ...], systems: dict[str, System | None], unit: float) -> list[ReadyScale]:
    """Each scale with its system, and the size of a solution in it."""
    return [ReadyScale(one, system, unit) for one in scales if (system := systems[one.kernel]) is not None]
