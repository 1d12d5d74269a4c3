"""Exact counts of the labelings of a graph whose cut is small, given the labels of some nodes.

On a forest, let f_v(y, c) be the number of labelings of the subtree of v with label y at v and cut c. A
child u on an edge of weight w passes on f_u(y, c) + f_u(−y, c − w), and f_v is the product (a convolution
over c) of what its children pass on. A second pass from the roots gives the same for the rest of the tree,
and the product of both the votes at every node: O(n k²). The roots hang, on edges that cost nothing, on one
further node, so that all trees share one budget.

Counts are 64-bit integers where the number of labelings allows, else Python's; the same loop serves both.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["EnumeratedCuts", "ForestCuts"]

Signs = NDArray[np.int8]

_MOST_COUNTS = 20_000_000


class EnumeratedCuts:
    """All 2ⁿ labelings of a small graph with their cuts; bit i of a labelling is 1 where node i is +1."""

    def __init__(self, graph: Graph) -> None:
        self.num_nodes = graph.num_nodes
        self.labelings = np.arange(2**graph.num_nodes, dtype=np.int64)
        self.cuts = np.zeros(len(self.labelings))
        for (u, v), weight in zip(graph.edges.tolist(), graph.edge_weights.tolist(), strict=True):
            self.cuts += weight * ((self.labelings >> u ^ self.labelings >> v) & 1)

    def votes(self, labels: Signs, budget: float) -> tuple[list[int], list[int]]:
        """Votes of the labelings within the budget, or of those of least cut where there is none."""
        known = int(sum(1 << i for i in np.flatnonzero(labels).tolist()))
        value = int(sum(1 << i for i in np.flatnonzero(labels > 0).tolist()))
        agreeing = np.flatnonzero((self.labelings & known) == value)
        limit = max(budget, float(self.cuts[agreeing].min()))
        left = agreeing[self.cuts[agreeing] <= _rounded_up(limit)]
        plus = [int((left >> i & 1).sum()) for i in range(self.num_nodes)]
        return [len(left) - count for count in plus], plus

    def size(self, budget: float) -> int:
        """How many labelings have a cut of at most `budget`."""
        return int((self.cuts <= _rounded_up(budget)).sum())


class ForestCuts:
    """Cuts of a forest whose weights are whole multiples of one unit."""

    def __init__(self, graph: Graph, unit: float) -> None:
        self._unit = unit
        count = graph.num_nodes
        u, v = graph.edges.T
        _, roots = np.unique(graph.components, return_index=True)
        self._num_trees = len(roots)
        ends = np.concatenate([u, roots]), np.concatenate([v, np.full(len(roots), count)])
        tree = sp.coo_array((np.ones(len(ends[0])), ends), shape=(count + 1, count + 1)).tocsr()
        order, parent = sp.csgraph.breadth_first_order(tree, count, directed=False)
        self._order, self._parent = order.astype(np.int64), parent.astype(np.int64)
        self._costs = np.zeros(count + 1, dtype=np.int64)
        child = np.where(self._parent[v] == u, v, u)
        self._costs[child] = np.rint(graph.edge_weights / unit).astype(np.int64)

    @staticmethod
    def unit_of(weights: Floats) -> float | None:
        """The unit that all weights are multiples of: a whole number, else the least weight, else None."""
        for unit in (1.0, float(weights.min(initial=np.inf))):
            with np.errstate(invalid="ignore", over="ignore"):
                multiples = weights / unit
            if (np.abs(multiples - np.rint(multiples)) <= 1e-9).all() and (multiples < 2**53).all():
                return unit * max(1, int(np.gcd.reduce(np.rint(multiples).astype(np.int64))))
        return None

    def votes(self, labels: Signs, budget: float) -> tuple[list[int], list[int]]:
        """Votes of the labelings within the budget, or of those of least cut where there is none."""
        most = self._steps(budget)
        while True:
            inside, outside = self._passes(labels, most)
            top = self._order[0]
            found = np.flatnonzero([int(amount) > 0 for amount in inside[top, 1]])
            if len(found):
                break
            most = min(2 * most + 1, int(self._costs.sum()))  # no labelling of this cut agrees: look further
        limit = max(self._steps(budget), int(found[0]))
        both = [_totals(inside[:-1, side], outside[:-1, side], limit) for side in (0, 1)]
        return both[0], both[1]

    def size(self, budget: float) -> int:
        """How many labelings have a cut of at most `budget`."""
        inside, _ = self._passes(np.zeros(len(self._costs) - 1, dtype=np.int8), self._steps(budget))
        return int(sum(int(amount) for amount in inside[self._order[0], 1]))

    def _steps(self, budget: float) -> int:
        """The budget in units; more than all edges together is no different from that."""
        return min(math.floor(_rounded_up(budget) / self._unit), int(self._costs.sum()))

    def _passes(self, labels: Signs, most: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """For every node and label, by cut: the labelings of its subtree, and of all that is outside it."""
        count = len(self._costs)
        if count * (most + 1) > _MOST_COUNTS:
            raise ParameterError(
                f"halving on {count - 1} nodes would count cuts of up to {most * self._unit:g}; lower k."
            )
        edges = count - 1 - self._num_trees
        cuts = sum(math.comb(edges, j) for j in range(min(most, edges) + 1))
        small = self._num_trees + math.log2(cuts) < 62
        shape = (count, 2, most + 1)
        inside, outside = (np.zeros(shape, dtype=np.int64 if small else object) for _ in range(2))
        allowed = np.ones((count, 2), dtype=np.bool_)
        allowed[:-1, 0], allowed[:-1, 1] = labels <= 0, labels >= 0
        allowed[-1, 0] = False  # the node above all roots
        loop = _count if small else getattr(_count, "py_func", _count)
        loop(self._order, self._parent, self._costs, allowed, inside, outside, np.zeros_like(inside))
        return inside, outside


def _totals(inside: NDArray[Any], outside: NDArray[Any], limit: int) -> list[int]:
    """Σ inside(c) · outside(c′) over c + c′ ≤ limit, for every node."""
    sums = np.cumsum(outside, axis=1)
    width = inside.shape[1]
    total = np.zeros(len(inside), dtype=inside.dtype)
    for c in range(min(limit, width - 1) + 1):
        total += inside[:, c] * sums[:, min(limit - c, width - 1)]
    return [int(amount) for amount in total]


def _rounded_up(budget: float) -> float:
    """A budget raised by the rounding of sums of weights."""
    return budget * (1 + 1e-9) + 1e-12


@kernel
def _count(
    order: Ints,
    parent: Ints,
    costs: Ints,
    allowed: NDArray[np.bool_],
    inside: NDArray[Any],
    outside: NDArray[Any],
    passed: NDArray[Any],
) -> None:
    """Fill `inside` from the leaves and `outside` from the root; `passed` is what children pass on.

    The children of a node follow each other in `order`. `outside` of a child first holds the product over
    the siblings before it, then is completed by those after it.
    """

    def multiply(left: NDArray[Any], right: NDArray[Any]) -> None:
        """Convolve `left` with `right` in place, dropping what is beyond its width.

        Few cuts occur where weights are fine decimals, so only those of `right` are gone through.
        """
        occurring = np.flatnonzero(right)
        for c in range(len(left) - 1, -1, -1):
            total = left[c] * 0
            for d in occurring:
                if d > c:
                    break
                total += left[c - d] * right[d]
            left[c] = total

    count, width = len(order), inside.shape[2]
    # from the leaves up: the labelings of every subtree, by cut
    for v in range(count):
        for y in range(2):
            if allowed[v, y]:
                inside[v, y, 0] = 1
    for at in range(count - 1, 0, -1):
        v, p, cost = order[at], parent[order[at]], costs[order[at]]
        for y in range(2):
            for c in range(width):
                passed[v, y, c] = inside[v, y, c]
                if c >= cost:
                    passed[v, y, c] = inside[v, y, c] + inside[v, 1 - y, c - cost]
            multiply(inside[p, y], passed[v, y])
    # from the root down: those of the rest of the tree, one family of siblings at a time
    top = order[0]
    for y in range(2):
        if allowed[top, y]:
            outside[top, y, 0] = 1
    start = 1
    while start < count:
        p, stop = parent[order[start]], start
        while stop < count and parent[order[stop]] == p:
            stop += 1
        for y in range(2):
            before = outside[p, y].copy()
            if not allowed[p, y]:
                before[:] = 0
            after = np.zeros_like(before)
            after[0] = 1
            for at in range(start, stop):
                outside[order[at], y, :] = before
                multiply(before, passed[order[at], y])
            for at in range(stop - 1, start - 1, -1):
                multiply(outside[order[at], y], after)
                multiply(after, passed[order[at], y])
        # over the edge to the parent: with the parent's label, or with the other at the cost of the edge
        for at in range(start, stop):
            v, cost = order[at], costs[order[at]]
            for c in range(width - 1, -1, -1):
                minus, plus = outside[v, 0, c], outside[v, 1, c]
                if c >= cost and cost > 0:
                    outside[v, 0, c] = minus + outside[v, 1, c - cost]
                    outside[v, 1, c] = plus + outside[v, 0, c - cost]
                elif cost == 0:
                    outside[v, 0, c] = minus + plus
                    outside[v, 1, c] = minus + plus
        start = stop
