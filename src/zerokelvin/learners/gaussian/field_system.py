"""The systems (D − A + E) x = b of the kernels that local relaxation can serve, and whether it ends soon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.scale import MEAN_DEGREE, mean_degree
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.relaxation import Relaxation
from zerokelvin.learners.gaussian.covariance import EXACT_LIMIT
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = ["System", "is_relaxed", "system_of"]

FAR = 1e4
"""Mean degree over mean excess beyond which local relaxation would take too long."""

HEAVY, HEAVIEST = 1e5, 1e9
"""Weight of an edge over the excess of its ends, about the pushes to and fro that it may take: beyond the
first, factors take less where they fit; beyond the second, relaxation would not end in reasonable time."""


@dataclass(frozen=True, eq=False)
class System:
    """A kernel as out · (D − A + E)⁻¹ · into with diagonal `into`, `out` and E = diag(excess).

    Where the kernel does not depend on the unit of the weights, the size of a solution does, and a tolerance
    divided by `unit` is the same whatever they are measured in.
    """

    graph: Graph
    excess: Floats
    into: Floats
    out: Floats
    unit: float = 1.0

    @property
    def is_local(self) -> bool:
        """Whether relaxation ends: its sweeps grow with degrees over excess."""
        most = HEAVY if self.graph.num_nodes <= EXACT_LIMIT else HEAVIEST
        return self.reach <= FAR and self.heaviest <= most

    @cached_property
    def reach(self) -> float:
        """Mean degree over mean excess: the sweeps of relaxation, but for a constant."""
        return self.graph.total_degree / float(self.excess.sum())

    @cached_property
    def heaviest(self) -> float:
        """The largest weight of an edge over the excess of its ends."""
        return float((self.graph.heaviest / self.excess).max(initial=0.0))

    @property
    def is_slow(self) -> bool:
        """Whether a label may touch so many arcs that on this graph, a small one, dense factors take less."""
        count, touched = self.graph.num_nodes, len(self.graph.indices) * self.reach
        return count <= DENSE_LIMIT and touched > max(1e6, 4.0 * count**2)

    @property
    def symmetric(self) -> bool:
        """Whether the kernel is symmetric, so that norms and bounds make sense."""
        return bool(np.array_equal(self.into, self.out))

    def norm(self, u: Floats) -> float:
        """‖u‖² = (u/s)ᵀ (L + E) (u/s) in the space of the kernel."""
        scaled = u / self.into
        return float(_steps(self.graph.csr, scaled) + self.excess @ scaled**2)

    @cached_property
    def diagonal(self) -> Floats:
        """Upper bounds on K_ii: by columns up to `DENSE_LIMIT` nodes, else 1/e_i, as (L + E)⁻¹e = 1."""
        reach: Floats = 1.0 / self.excess
        if self.graph.num_nodes <= DENSE_LIMIT:
            tol = 1e-3 * float(reach.min())
            columns = Relaxation(self.graph, self.excess, 0, tol)
            found = np.array([columns.column(i)[i] for i in range(self.graph.num_nodes)])
            reach = np.minimum(reach, found + tol)
        return self.into * reach * self.out

    @cached_property
    def radius(self) -> float:
        """X²: the largest of the bounds on the diagonal of the kernel."""
        return float(self.diagonal.max())


RELAXED = ("regularized", "normalized", "pagerank")
"""The kernels that local relaxation can serve."""


def is_relaxed(kernel: str) -> bool:
    """Whether local relaxation can serve a kernel."""
    return parse_kernel(kernel).name in RELAXED


def system_of(graph: Graph, kernel: str) -> System | None:
    """The system of a kernel that local relaxation can serve, None for the others.

    ``"regularized:EPS"``, ``"normalized:EPS"`` and ``"pagerank:ALPHA"``; ``"relative-regularized:EPS"``,
    which is (4L/d̄ + εI)⁻¹ = √s (L + εs·I)⁻¹ √s with s = d̄/4, d̄ the mean degree. The other two are relative
    anyway.
    """
    named = parse_kernel(kernel)
    name, value = named.name, named.number
    if name not in RELAXED:
        return None
    ones = np.ones(graph.num_nodes)
    unit = graph.total_degree / (2 * graph.num_edges) if graph.num_edges else 1.0
    degrees = np.where(graph.degrees > 0, graph.degrees, unit)
    if name == "pagerank":
        rate = (1.0 - value) / value
        return System(graph, rate * degrees, ones, rate * degrees, unit)
    if name == "regularized" and named.relative:
        scale = mean_degree(graph) / MEAN_DEGREE or 1.0
        root = math.sqrt(scale)
        roots = root * ones
        return System(graph, value * scale * ones, roots, roots, root)
    if name == "regularized":
        return System(graph, value * ones, ones, ones)
    roots = np.sqrt(degrees)
    return System(graph, value * degrees, roots, roots, math.sqrt(unit))


@kernel
def _steps(csr: Csr, u: Floats) -> float:
    """Σ w_ij (u_i − u_j)² over the edges."""
    indptr, indices, weights = csr
    total = 0.0
    for i in range(len(u)):
        for p in range(indptr[i], indptr[i + 1]):
            if i < indices[p]:
                total += weights[p] * (u[i] - u[indices[p]]) ** 2
    return total
