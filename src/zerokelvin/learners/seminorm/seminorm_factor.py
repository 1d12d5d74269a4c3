"""Harmonic functions around a node by a sparse factor that outlasts many labels.

With U the nodes without a label and A = L_UU, the harmonic function that is 1 at v and 0 at all labels is
A⁻¹e_v / (A⁻¹)_vv, and the conductance between v and the labels 1 / (A⁻¹)_vv. A label takes its node out of U.
So one Cholesky factor of A serves the next labels too. Those given since, r_1 … r_j, are held at 0 by rows

    V_i = (A⁻¹e_{r_i} − Σ_{k<i} V_k(r_i) V_k) / √d_i,    d_i what the bracket has at r_i,
    column of v = A⁻¹e_v − Σ_k V_k(v) V_k,

one solve and j passes over a vector for a label. After `FactorPlan.period` labels the factor is made anew on
what is left of U: so many that factors and passes cost about the same.

Which labels a factor knows depends on the record of the state alone, so a state that is restored goes on to
the last bit as the one that was kept.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Bytes, Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.solve.engines.direct.grounded import Direct, Factored
from zerokelvin.solve.engines.direct.ordering import minimum_degree
from zerokelvin.solve.layout import Core

__all__ = ["FactorPlan", "HeldFactor", "LabelResponse"]


LEAST = 2000
"""Nodes from which on a factor is tried; on smaller graphs conjugate gradients take no time."""

MAX_FILL = 400.0
ROW_BYTES = 2**28
"""Entries of a factor per node, and bytes for the rows V, at most."""

GRADIENTS = 100.0
"""What conjugate gradients cost for a label, in passes over the graph: they take 60 to 400 iterations."""


class LabelResponse(NamedTuple):
    """The nodes that a label moves, how far each moves with it, and the conductance to the other labels."""

    nodes: Ints
    values: Floats
    conductance: float


class FactorPlan:
    """After how many labels a graph is factored anew; found when first asked for, shared by all problems."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def period(self) -> int:
        """That number, 0 where conjugate gradients take less than factors or those do not fit."""
        count, arcs = self.graph.num_nodes, len(self.graph.indices)
        if count < LEAST:
            return 0
        order = minimum_degree(self.graph.indptr, self.graph.indices, MAX_FILL * count)
        if not order.complete:
            return 0
        period = int(min(max(math.sqrt(2.0 * order.work / count), 32.0), 1024.0, ROW_BYTES / (8 * count)))
        costs = 2.0 * order.fill + float(period) * count
        return period if period >= 32 and costs <= GRADIENTS * arcs else 0


class HeldFactor:
    """The factor of problems that get the same labels, those that it knows, and those that came since."""

    def __init__(self, plan: FactorPlan) -> None:
        self.plan = plan
        self._first: Ints | None = None  # the nodes of the labels that the factor knows
        self._factor: Factored | None = None
        self._nodes = np.zeros(0, dtype=np.int64)  # U
        self._place = np.zeros(0, dtype=np.int64)
        self._rows = np.zeros((0, 0))  # V
        self._since: list[int] = []  # the nodes of the labels given since, once each
        self._later = np.zeros(0, dtype=np.int64)  # all of them, as on the record
        self._last: tuple[int, Floats] | None = None  # the column asked for last, before its label

    def response(self, record: Ints, labels: Bytes, node: int) -> LabelResponse | None:
        """What a label of `node` moves, beside the nodes labelled so far; None where the factor cannot say.

        `record` has the nodes of all labels in order; `labels` is 0 where there is none.
        """
        period = self.plan.period
        known = max(1, len(record) // period * period) if period and len(record) else 0
        if known == 0 or labels[node] != 0:
            return None
        if self._first is None or not np.array_equal(self._first, record[:known]):
            self._renew(record[:known], labels)
            self._first = record[:known].copy()
        if self._factor is None or self._place[node] < 0 or not self._follow(record[known:], labels):
            return None
        column = self._column(self._factor, node)
        own = float(column[self._place[node]])
        if not own > 0:
            return None
        self._last = node, column
        values: Floats = column / own
        values[self._place[self._since]] = 0.0
        return LabelResponse(self._nodes, values, 1.0 / own)

    def _renew(self, first: Ints, labels: Bytes) -> None:
        """Factor what the first labels on the record leave."""
        graph, given = self.plan.graph, np.zeros(self.plan.graph.num_nodes, dtype=bool)
        given[first] = True
        given &= labels != 0
        reached = np.zeros(graph.num_components, dtype=bool)
        reached[graph.components[given]] = True
        self._nodes = np.flatnonzero(~given & reached[graph.components])
        self._since, self._later, self._last = [], first[:0], None
        self._rows = np.zeros((0, len(self._nodes)))
        self._place = np.full(graph.num_nodes, -1)
        self._place[self._nodes] = np.arange(len(self._nodes))
        self._factor = None
        if len(self._nodes) < max(1, LEAST // 4):
            return  # conjugate gradients take less
        shape = (graph.num_nodes, graph.num_nodes)
        below = sp.csr_array((graph.weights, graph.indices, graph.indptr), shape=shape)[self._nodes]
        excess: Floats = np.asarray(below @ given.astype(np.float64), dtype=np.float64)
        inside = sp.csr_array(below[:, self._nodes])
        inside.sort_indices()
        diagonal = np.asarray(inside.sum(axis=1)).ravel() + excess
        whole = np.zeros(len(excess), dtype=np.int64)
        core = Core(inside, excess, diagonal, whole, np.zeros(1, dtype=bool))
        direct = Direct(max_fill=10 * MAX_FILL)
        order = direct.order(core)
        if order.complete:
            self._factor = direct.prepare(core, order)

    def _follow(self, later: Ints, labels: Bytes) -> bool:
        """Hold the nodes labelled since at 0; whether every label is known."""
        read = len(self._later)
        if self._factor is None or not np.array_equal(later[:read], self._later):
            return False
        for node in later[read:].tolist():
            if self._place[node] < 0 or node in self._since:
                continue
            kept = self._last is not None and self._last[0] == node
            column = self._last[1] if kept and self._last is not None else self._column(self._factor, node)
            own = float(column[self._place[node]])
            if not own > 0:
                return False
            if len(self._since) == len(self._rows):
                more = np.zeros((max(8, 2 * len(self._rows)), len(column)))
                more[: len(self._rows)] = self._rows
                self._rows = more
            self._rows[len(self._since)] = column / math.sqrt(own)
            self._since.append(node)
        self._later = later.copy()
        given = labels[self._nodes] != 0
        return bool(given[self._place[self._since]].all() and np.count_nonzero(given) == len(self._since))

    def _column(self, factor: Factored, node: int) -> Floats:
        """The column of a node, those labelled since held at 0."""
        unit = np.zeros(len(self._nodes))
        unit[self._place[node]] = 1.0
        column, _ = factor.solve(unit, np.zeros(()))
        _hold(self._rows, len(self._since), int(self._place[node]), column)
        return column


@kernel
def _hold(rows: Any, count: int, place: int, column: Any) -> None:
    """Take Σ V_k(v) V_k off a column, four rows in a pass, one product after the other."""
    whole = count - count % 4
    for k in range(0, whole, 4):
        r0, r1, r2, r3 = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        f0, f1, f2, f3 = r0[place], r1[place], r2[place], r3[place]
        for i in range(len(column)):
            column[i] = (((column[i] - f0 * r0[i]) - f1 * r1[i]) - f2 * r2[i]) - f3 * r3[i]
    for k in range(whole, count):
        row, factor = rows[k], rows[k, place]
        for i in range(len(column)):
            column[i] -= factor * row[i]
