"""On larger graphs, `gaussian` on the squared walk kernel A⁻¹ D A⁻¹ with A = L + 0.1 D, by a pair of fields.

See `zerokelvin.learners.auto.paired`; small graphs have it among their dense kernels.
"""

from __future__ import annotations

from typing import ClassVar

from zerokelvin.graph import Graph
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.paired import PairedFields

__all__ = ["PairedWalk"]


@expert("paired walk")
class PairedWalk(Kind):
    """One pair of fields."""

    rank: ClassVar[int] = 30

    def prepare(self, graph: Graph, scaled: Graph) -> Graph | None:
        """The scaled graph; None on a small one."""
        return scaled if graph.num_nodes > settings.DENSE_LIMIT else None

    def start(self, ready: Graph | None, classes: int, tol: float, seed: int) -> list[Expert]:
        """The fields, if the graph is large."""
        if ready is None:
            return []
        scale = settings.PAIRED
        fields = PairedFields(
            ready, classes, parse_kernel(scale.kernel).number, scale.mu, settings.PAIRED_TOL
        )
        return [Expert(str(settings.PAIRED), fields)]
