"""The labelled nodes two steps away, where neighbours differ (`zerokelvin.learners.auto.two_steps`)."""

from __future__ import annotations

from typing import ClassVar

from zerokelvin.graph import Graph
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.two_steps import TwoSteps

__all__ = ["Counted", "SharedNeighbours"]


class Counted(Expert):
    """A voice that counts votes, of which there may be any number."""

    is_estimate = False


@expert("shared neighbours")
class SharedNeighbours(Kind):
    """The kind of one expert, which counts the labels two steps away."""

    rank: ClassVar[int] = 40

    def prepare(self, graph: Graph, scaled: Graph) -> Graph:
        """The scaled graph as it is: votes need nothing computed ahead."""
        return scaled

    def start(self, ready: Graph, classes: int, tol: float, seed: int) -> list[Expert]:
        """The one expert of this kind, which has counted no label yet."""
        return [Counted("labels two steps away", TwoSteps(ready, classes))]
