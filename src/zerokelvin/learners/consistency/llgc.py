"""Learning with local and global consistency, batch: the offline comparator, fitted to the labels so far.

The objective (Gu, Aggarwal, Liu, Han 2013, section 3.1, after Zhou, Bousquet, Lal, Weston, Schölkopf 2003):

    min_f ½‖f − y‖² + ½ μ fᵀLf,   y_i = 0 where unknown   ⟹   f = (I + μL)⁻¹y

Refitting after every label costs one column of (I + μL)⁻¹ each, since f = Σ y_j (I + μL)⁻¹e_j: a batch
method in name, it can be played like the others. A label for the same node replaces the earlier one, and
`margins` over all nodes is the batch solution.

Bound: none is known. Every revealed node votes, so classes of many labels have large scores; the sign
says which side is nearer, the largest score which class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.kernels.kernels import KernelColumns, kernel_columns
from zerokelvin.learners.base import Learner, State, learner
from zerokelvin.learners.base.ties import DEAD_ZONE, settle

__all__ = ["Llgc", "LlgcState"]


class LlgcState(State):
    """One binary problem: the solution on all nodes and the labels it is made of."""

    fields: ClassVar[tuple[str, ...]] = ("f", "sizes", "labels")

    def __init__(self, columns: KernelColumns, mu: float) -> None:
        self.columns = columns
        self.mu = mu
        self.f = np.zeros(columns.num_nodes)
        self.sizes = np.zeros(columns.num_nodes)  # what f would be were all labels +1
        self.labels = np.zeros(columns.num_nodes)

    def margin(self, node: int) -> float:
        """The solution f at the node."""
        return float(settle(self.f[node], self.sizes[node]))

    def margins(self, nodes: Ints) -> Floats:
        """The solution f at the nodes."""
        return np.where(np.abs(self.f) <= DEAD_ZONE * self.sizes, 0.0, self.f)[nodes]

    def update(self, node: int, label: int) -> None:
        """Refit with this label; a repeated one changes nothing, another replaces it."""
        change = label - self.labels[node]
        if change:
            column = self.columns.column(node) / self.mu
            self.f += change * column
            if self.labels[node] == 0:
                self.sizes += np.abs(column)
            self.labels[node] = label

    def explain(self, node: int) -> list[tuple[int, float]]:
        """Every labelled node with its share y_j ((I + μL)⁻¹)_ij."""
        column = self.columns.column(node) / self.mu
        known = np.flatnonzero(self.labels)
        shares = [(int(j), float(self.labels[j] * column[j])) for j in known]
        return sorted(shares, key=lambda share: -abs(share[1]))


@learner("llgc")
@dataclass(frozen=True)
class Llgc(Learner):
    """Batch LLGC on the labels known so far; see the module.

    Parameters
    ----------
    mu
        Weight of the smoothness against the squared loss.
    engine, tol
        How columns of (I + μL)⁻¹ are computed; see `zerokelvin.kernels.kernel_columns`.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> state = Llgc(mu=1.0).start(line)
    >>> state.update(0, 1)
    >>> state.margins(np.arange(3)).round(3).tolist()
    [0.625, 0.25, 0.125]
    """

    purpose: ClassVar[str] = "the offline method that the online ones are measured against"
    choose: ClassVar[str] = "you want the batch method LLGC itself, fitted again after every label"
    cost: ClassVar[str] = "one column of (I + μL)⁻¹ per label"

    mu: float = 1.0
    engine: str = "auto"
    tol: float = 1e-8

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mu) and self.mu > 0):
            raise ParameterError(f"mu={self.mu} must be a positive, finite number.")

    def unit_matters(self) -> str:
        """Always: f = (I + μL)⁻¹y."""
        return "mu multiplies the Laplacian"

    def prepare(self, graph: Graph) -> KernelColumns:
        """The kernel (L + I/μ)⁻¹, shared by all classes and shuffles."""
        graph.require_positive("llgc")
        return kernel_columns(graph, f"regularized:{1 / self.mu!r}", self.engine, self.tol)

    def start(self, graph: Graph, prepared: Any = None, rng: np.random.Generator | None = None) -> LlgcState:
        """Begin without labels."""
        return LlgcState(self.prepare(graph) if prepared is None else prepared, self.mu)
