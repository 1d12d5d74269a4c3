"""On small graphs, `gaussian` on kernels whose columns reach too far for relaxation, as dense matrices.

exp(−3L), (L + 0.3 I)⁻², exp(−4Lₙ), (Lₙ + 0.3 I)⁻², (A⁻¹ D)³ A⁻¹ and A⁻¹ D A⁻¹ with A = L + εD, and (L + εI)⁻¹
for wide regions with much noise or little; see `zerokelvin.learners.auto.smooth`.
"""

from __future__ import annotations

from typing import ClassVar

from zerokelvin.graph import Graph
from zerokelvin.kernels.kernels import DenseKernel
from zerokelvin.learners.auto import settings
from zerokelvin.learners.auto.experts.expert import Expert, Kind, expert
from zerokelvin.learners.auto.smooth import smooth_kernels
from zerokelvin.learners.base import columns_of
from zerokelvin.learners.gaussian.covariance import Covariance
from zerokelvin.learners.gaussian.exact_gaussian import ExactGame

__all__ = ["DenseKernels"]


@expert("dense kernels")
class DenseKernels(Kind):
    """One growing Cholesky factor per kernel."""

    rank: ClassVar[int] = 20

    def prepare(self, graph: Graph, scaled: Graph) -> dict[str, DenseKernel]:
        """The matrices; none on a graph that is not small."""
        small = graph.num_nodes <= settings.DENSE_LIMIT
        return smooth_kernels(scaled, [scale.kernel for scale in settings.DENSE]) if small else {}

    def start(self, ready: dict[str, DenseKernel], classes: int, tol: float, seed: int) -> list[Expert]:
        """A regression per kernel."""
        columns = columns_of(classes)
        return [
            Expert(str(scale), ExactGame(Covariance(ready[scale.kernel], columns, scale.mu, 0.0)))
            for scale in settings.DENSE
            if scale.kernel in ready
        ]
