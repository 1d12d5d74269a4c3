"""Local push: columns of regularised kernels and PageRank vectors that touch only what matters.

To solve (D − A + E) x = s with E = diag(excess) > 0 and s ≥ 0, keep an estimate x and a residual r = s −
(D − A + E)x ≥ 0; a *push* at u moves r_u into the estimate, x_u += r_u / (d_u + e_u), and passes
A_uv·r_u / (d_u + e_u) on to the neighbours (Andersen, Chung and Lang 2006). Since (D − A + E)·1 = e, a
residual r ≤ θ·e everywhere leaves

    0 ≤ x_exact − x ≤ θ   at every node,

so pushing only where r_u > θ·e_u gives a certified uniform error with work that does not depend on the
size of the graph. For (L + εI)⁻¹ take e = ε; for (Lₙ + εI)⁻¹ = D^(1/2)(L + εD)⁻¹D^(1/2) take e = εd;
personalised PageRank is (1 − α)(I − αAD⁻¹)⁻¹ = (1 − α)/α · D (L + (1 − α)/α · D)⁻¹.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.errors import NodeError, ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["PushKernel", "pagerank"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PushKernel:
    """Columns of (L + εI)⁻¹, or (Lₙ + εI)⁻¹, by local push.

    Parameters
    ----------
    graph
        A graph with positive weights.
    shift
        ε > 0.
    normalized
        Take Lₙ in place of L.
    tol
        Every entry of a column is too small by at most `tol` (times √(d_i·d_j) where normalized).

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> PushKernel(line, shift=1.0, tol=1e-6).column(1).round(3).tolist()
    [0.25, 0.5, 0.25]
    """

    graph: Graph
    shift: float
    normalized: bool = False
    tol: float = 1e-4

    def __post_init__(self) -> None:
        self.graph.require_positive("local push")
        if not (np.isfinite(self.shift) and self.shift > 0):
            raise ParameterError(f"shift={self.shift} must be positive for local push.")
        if not (np.isfinite(self.tol) and self.tol > 0):
            raise ParameterError(f"tol={self.tol} must be positive.")

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.graph.num_nodes

    def column(self, node: int) -> Floats:
        """The column of one node as a dense array."""
        nodes, values = self.sparse_column(node)
        result = np.zeros(self.num_nodes)
        result[nodes] = values
        return result

    def sparse_column(self, node: int) -> tuple[Ints, Floats]:
        """The nodes reached from one node, and the entries of its column there."""
        if not 0 <= node < self.num_nodes:
            raise NodeError(f"node index {node} is outside the graph's {self.num_nodes} nodes.")
        nodes, values = self._push(node, self._scale[node] ** 2 * self.tol)
        if self.normalized:
            values = values * (self._scale[nodes] / self._scale[node])
        return nodes, values

    @cached_property
    def _scale(self) -> Floats:
        degrees = self.graph.degrees
        return np.sqrt(np.where(degrees > 0, degrees, 1.0)) if self.normalized else np.ones(len(degrees))

    @cached_property
    def _scratch(self) -> tuple[Floats, Floats, Ints, NDArray[np.bool_]]:
        count = self.num_nodes
        return np.zeros(count), np.zeros(count), np.empty(count, np.int64), np.zeros(count, bool)

    @cached_property
    def _excess(self) -> Floats:
        return self.shift * self._scale**2

    def _push(self, node: int, threshold: float) -> tuple[Ints, Floats]:
        """Push from a residual of scale² at the node; scratch arrays are left clean."""
        csr = (self.graph.indptr, self.graph.indices, self.graph.weights)
        amount = float(self._scale[node] ** 2)
        nodes, values = _push(csr, self.graph.degrees, self._excess, self._scratch, node, amount, threshold)
        return nodes, values


def pagerank(graph: Graph, node: int, alpha: float = 0.85, tol: float = 1e-6) -> tuple[Ints, Floats]:
    """Personalised PageRank of one node by local push: the nodes reached and their values.

    Every value is too small by at most `tol` times the node's degree.

    Examples
    --------
    >>> nodes, values = pagerank(Graph.from_edges([(0, 1)]), 0, alpha=0.5, tol=1e-9)
    >>> values[np.argsort(nodes)].round(6).tolist()
    [0.666667, 0.333333]
    """
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha={alpha} must lie strictly between 0 and 1.")
    rate = (1 - alpha) / alpha
    push = PushKernel(graph, shift=rate, normalized=True, tol=tol)
    if not 0 <= node < graph.num_nodes:
        raise NodeError(f"node index {node} is outside the graph's {graph.num_nodes} nodes.")
    share = float(push._scale[node] ** 2)
    nodes, values = push._push(node, tol * share / rate)
    return nodes, values * (rate / share) * push._scale[nodes] ** 2


@kernel
def _push(
    csr: Any, degrees: Any, excess: Any, scratch: Any, node: int, amount: float, threshold: float
) -> Any:
    """First in, first out, until every residual is at most threshold · excess."""
    indptr, indices, weights = csr
    estimate, residual, queue, waiting = scratch
    n = len(estimate)
    seen = np.empty(64, np.int64)
    known = 0
    residual[node] = amount
    seen[0] = node
    known = 1
    head = 0
    length = 0
    if amount > threshold * excess[node]:
        queue[0] = node
        waiting[node] = True
        length = 1
    while length > 0:
        u = queue[head]
        head += 1
        if head == n:
            head = 0
        length -= 1
        waiting[u] = False
        moved = residual[u] / (degrees[u] + excess[u])
        estimate[u] += moved
        residual[u] = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            if residual[v] == 0.0 and estimate[v] == 0.0:
                if known == len(seen):
                    larger = np.empty(2 * known, np.int64)
                    larger[:known] = seen
                    seen = larger
                seen[known] = v
                known += 1
            residual[v] += weights[p] * moved
            if not waiting[v] and residual[v] > threshold * excess[v]:
                tail = head + length
                if tail >= n:
                    tail -= n
                queue[tail] = v
                waiting[v] = True
                length += 1
    values = np.full(known, np.nan)
    for k in range(known):
        values[k] = estimate[seen[k]]
        estimate[seen[k]] = 0.0
        residual[seen[k]] = 0.0
    return seen[:known].copy(), values
