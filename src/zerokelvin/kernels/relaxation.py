"""Local relaxation: solutions of (D − A + E) x = b that follow every change of b and E locally.

Keep an estimate x and its residual r = b − (D − A + E) x. After a change, a *push* at u moves ω·r_u into the
estimate, x_u += ω r_u / (d_u + e_u), and passes A_uv times that on to the neighbours, until everywhere
|r_u| ≤ tol·e_u. Since (D − A + E)·1 = e and the inverse is non-negative,

    |x_exact − x| ≤ tol   at every node,

whatever the history of changes: the residual is kept, so errors do not add up over them. A change touches
only the neighbourhood where it matters (Andersen, Chung and Lang 2006; residuals are carried over as in
Zhang, Lofgren and Goel 2016; ω = 1.3 is successive over-relaxation, which needs about a fifth fewer pushes).

A value is read as x_i + (r_i + Σ_v A_iv r_v / (d_v + e_v)) / (d_i + e_i): two steps of Jacobi's iteration at
this node alone, O(degree) and much nearer to the solution than x_i, never further than `tol`.

Several right-hand sides ("channels") share the matrix; memory is O(E + n·channels).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.overwritten import NOTED, end_notes, note_pair
from zerokelvin.kernels.relaxation_queue import Queue, join, leave, new_queue

__all__ = ["OVER_RELAXATION", "NodeRules", "Relaxation", "Watch", "read", "relax"]

OVER_RELAXATION = 1.3


class NodeRules(NamedTuple):
    """Per node 1 / (d + e), by which its residual moves it, and tol · e, the residual that is left alone."""

    inverse: Floats
    limits: Floats


class Watch(NamedTuple):
    """Sums that are kept current: sums_k = Σ_u counts_ku scale_u x_u; empty `sums` watch nothing."""

    scale: Floats
    counts: Floats
    sums: Floats


class Relaxation:
    """Estimates of (D − A + E)⁻¹ b for several right-hand sides b, kept to a certified error.

    Parameters
    ----------
    graph
        A graph with positive weights.
    excess
        The diagonal of E, all positive.
    channels
        Number of right-hand sides.
    tol
        Every entry of every estimate differs from the exact solution by at most this.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> relaxation = Relaxation(line, np.ones(3), channels=1, tol=1e-9)
    >>> relaxation.add(0, 1, 1.0)
    >>> [round(relaxation.value(0, node), 3) for node in range(3)]
    [0.25, 0.5, 0.25]
    >>> relaxation.load(1, 2.0)  # now e = (1, 3, 1)
    >>> [round(relaxation.value(0, node), 3) for node in range(3)]
    [0.125, 0.25, 0.125]
    """

    def __init__(self, graph: Graph, excess: Floats, channels: int, tol: float) -> None:
        graph.require_positive("local relaxation")
        if not (np.isfinite(tol) and tol > 0):
            raise ParameterError(f"tol={tol} must be a positive number.")
        if not (np.isfinite(excess).all() and (excess > 0).all()):
            raise ParameterError("every excess must be a positive, finite number.")
        count = graph.num_nodes
        self.graph = graph
        self.tol = float(tol)
        self.excess = np.array(excess, dtype=np.float64)
        self.x = np.zeros((channels, count))
        self.r = np.zeros((channels, count))
        self.csr = graph.csr
        self.rules = NodeRules(1.0 / (graph.degrees + self.excess), self.tol * self.excess)
        self.scratch = new_queue(count)

    @property
    def error(self) -> float:
        """A bound on the error of every estimate, from the residuals as they are: max |r_u| / e_u."""
        return float(np.max(np.abs(self.r) / self.excess, initial=0.0))

    def value(self, channel: int, node: int) -> float:
        """The solution of a channel at a node."""
        return float(read(self.csr, self.rules.inverse, self.x[channel], self.r[channel], node))

    def add(self, channel: int, node: int, amount: float) -> None:
        """Let a right-hand side grow by `amount` at a node."""
        self.r[channel, node] += amount
        self._relax(self.x[channel], self.r[channel], node)

    def load(self, node: int, weight: float) -> None:
        """Let the excess of a node grow by `weight`, for every right-hand side."""
        self.excess[node] += weight
        self.rules.inverse[node] = 1.0 / (self.graph.degrees[node] + self.excess[node])
        self.rules.limits[node] = self.tol * self.excess[node]
        for x, r in zip(self.x, self.r, strict=True):
            r[node] -= weight * x[node]
            self._relax(x, r, node)

    def column(self, node: int, tol: float | None = None) -> Floats:
        """The column of (D − A + E)⁻¹ that belongs to a node, every entry within `tol`."""
        count = self.graph.num_nodes
        x, r = np.zeros(count), np.zeros(count)
        r[node] = 1.0
        self._relax(x, r, node, None if tol is None else tol * self.excess)
        return x

    def _relax(self, x: Floats, r: Floats, node: int, limits: Floats | None = None) -> None:
        nothing = np.zeros(0)
        rules = self.rules if limits is None else NodeRules(self.rules.inverse, limits)
        relax(self.csr, rules, x, r, self.scratch, node, Watch(nothing, np.zeros((0, 0)), nothing))


@kernel
def read(csr: Csr, inverse: Floats, x: Floats, r: Floats, node: int) -> float:
    """The estimate at a node after two steps of Jacobi's iteration."""
    indptr, indices, weights = csr
    arriving = r[node]
    for p in range(np.uint64(indptr[node]), np.uint64(indptr[node + 1])):
        v = np.uint64(indices[p])
        arriving += weights[p] * r[v] * inverse[v]
    return x[node] + arriving * inverse[node]


@kernel
def relax(
    csr: Csr,
    rules: NodeRules,
    x: Floats,
    r: Floats,
    queue: Queue,
    node: int,
    watch: Watch,
    notes: Any = None,
) -> None:
    """Push, first in first out, from `node` until every |r| ≤ its limit; x and r are changed in place.

    What they held before is left in `notes`, where they are given.
    """
    indptr, indices, weights = csr
    inverse, limits = rules
    scale, counts, sums = watch
    if notes is not None:
        note_pair(notes, queue, node, x[node], r[node])
    head, tail = 0, join(queue, 0, node, abs(r[node]) > limits[node])
    while head < tail:
        u, head = leave(queue, head)
        if notes is not None:
            queue.waiting[u] = NOTED
        held = r[u]
        if abs(held) <= limits[u]:
            continue
        moved = OVER_RELAXATION * held * inverse[u]
        x[u] += moved
        for k in range(len(sums)):
            if counts[k, u] > 0.0:
                sums[k] += counts[k, u] * scale[u] * moved
        held *= 1.0 - OVER_RELAXATION
        r[u] = held
        tail = join(queue, tail, u, abs(held) > limits[u])
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + np.uint64(1)])):
            v = np.uint64(indices[p])
            if notes is not None:
                note_pair(notes, queue, v, x[v], r[v])
            received = r[v] + weights[p] * moved
            r[v] = received
            tail = join(queue, tail, v, abs(received) > limits[v])
    if notes is not None:
        end_notes(notes, queue)
