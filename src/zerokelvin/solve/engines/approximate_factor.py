"""Randomised approximate Cholesky factorisation of a Laplacian with excess.

Gao, Kyng and Spielman (2023), "Robust and practical solution of Laplacian equations by approximate
elimination". Eliminating a node v with edge weights w₁ ≤ … ≤ w_k (sum W) adds the clique of weights
w_i·w_j / W among its neighbours. Instead, for each i < k one edge to a j > i drawn with probability
w_j / S_i, S_i = Σ_{j>i} w_j, is added with weight w_i·S_i / W: right in expectation, and the graph never
grows. The nodes are eliminated in order of their current number of edges. With ``samples=2`` (AC2) every
edge is first split in two halves and up to two parallel edges are kept apart, which takes about twice
the work and memory for a better preconditioner.

Excess on the diagonal is an edge to a ground node that is never eliminated. A signed component that is
not balanced is replaced by its double cover (Gremban 1996), a Laplacian with positive weights on two
copies of every node.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import WIDTHS, copy_of, in_lanes, lanes_of
from zerokelvin.machine.rows import add_row, put, spread_row
from zerokelvin.solve.layout import Core

__all__ = ["ApproximateFactor", "approximate_factor"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ApproximateFactor:
    """An approximate factorisation L D Lᵀ, applied as a preconditioner.

    Attributes
    ----------
    sequence, starts, rows, values, pivots
        Nodes in elimination order; per eliminated node its later neighbours, w / W, and W (0 for the
        last node of a singular component).
    doubled
        Whether the factor is of the double cover.
    """

    sequence: NDArray[np.int32]
    starts: Ints
    rows: NDArray[np.int32]
    values: Floats
    pivots: Floats
    doubled: bool

    def apply(self, residual: Floats, out: Floats | None = None) -> Floats:
        """L⁻ᵀ D⁻¹ L⁻¹ times a vector or a block, which may be written to `out`."""
        if residual.ndim == 2 and residual.shape[1] not in WIDTHS:
            return in_lanes(self.apply, residual)
        value = np.concatenate([residual, -residual]) if self.doubled else copy_of(residual, out)
        arrays = (self.sequence, self.starts, self.rows, self.values, self.pivots)
        if value.ndim == 1:
            _apply_one(arrays, value)
        else:
            _apply_block(lanes_of(value), arrays, value)
        if self.doubled:
            half = len(residual)
            value = 0.5 * (value[:half] - value[half:])
        return value


def approximate_factor(core: Core, rng: np.random.Generator, samples: int = 1) -> ApproximateFactor:
    """Factor the core approximately; the same generator state gives the same factor."""
    adjacency, excess = core.adjacency, core.excess
    doubled = core.size > 0 and bool((adjacency.data < 0).any())
    if doubled:
        same, other = adjacency.maximum(0), -adjacency.minimum(0)
        adjacency = sp.csr_array(sp.block_array([[same, other], [other, same]], format="csr"))
        adjacency.sort_indices()
        excess = np.concatenate([excess, excess])
    csr = (
        adjacency.indptr.astype(np.int64),
        adjacency.indices.astype(np.int32),
        np.ascontiguousarray(adjacency.data),
    )
    sequence, starts, rows, values, pivots = _factor(csr, excess, samples, rng)
    return ApproximateFactor(sequence, starts, rows, values, pivots, doubled)


@kernel
def _move(i: Any, change: Any, count: Any, degree: Any, head: Any, links: Any) -> Any:
    """Change the number of edges of node i by `change` and put it in front of its new bucket."""
    nxt, prv = links
    bucket = min(degree[i], count)
    degree[i] += change
    goal = min(degree[i], count)
    if goal == bucket:
        return goal
    if nxt[i] >= 0:
        prv[nxt[i]] = prv[i]
    if prv[i] >= 0:
        nxt[prv[i]] = nxt[i]
    else:
        head[bucket] = nxt[i]
    nxt[i] = head[goal]
    prv[i] = -1
    if nxt[i] >= 0:
        prv[nxt[i]] = i
    head[goal] = i
    return goal


@kernel
def _sort_by_weight(order: Any, weight: Any, length: Any) -> Any:
    """Sort the first entries of `order` by ascending weight, ties as they come."""
    if length <= 24:
        for a in range(1, length):
            held = order[a]
            key = weight[held]
            b = a
            while b > 0 and weight[order[b - 1]] > key:
                order[b] = order[b - 1]
                b -= 1
            order[b] = held
    else:
        chosen = order[:length].copy()
        keys = np.empty(length)
        for a in range(length):
            keys[a] = weight[chosen[a]]
        rank = np.argsort(keys, kind="mergesort")
        for a in range(length):
            order[a] = chosen[rank[a]]


@kernel
def _factor(csr: Any, excess: Any, samples: Any, rng: Any) -> Any:
    """Eliminate all nodes; half-edges 2e and 2e + 1 are the two directions of one edge."""
    indptr, indices, weights = csr
    n = len(indptr) - 1
    edges = 0
    for i in range(n):
        edges += excess[i] > 0
        for p in range(indptr[i], indptr[i + 1]):
            edges += indices[p] > i
    halves = 2 * edges * samples
    end = np.empty(halves, np.int32)
    worth = np.empty(halves)
    after = np.empty(halves, np.int32)
    first = np.full(n + 1, -1, np.int32)
    degree = np.zeros(n + 1, np.int64)
    free = 0
    for i in range(n):
        for p in range(indptr[i], indptr[i + 1] + 1):
            if p == indptr[i + 1]:
                if excess[i] <= 0:
                    continue
                j = n
                weight = excess[i]
            else:
                j = indices[p]
                weight = weights[p]
            if j < i:
                continue
            for _ in range(samples):
                end[free] = j
                end[free + 1] = i
                worth[free] = worth[free + 1] = weight / samples
                after[free] = first[i]
                first[i] = free
                after[free + 1] = first[j]
                first[j] = free + 1
                degree[i] += 1
                degree[j] += 1
                free += 2
    count = min(n, 4096)
    head = np.full(count + 1, -1, np.int64)
    links = (np.full(n + 1, -1, np.int64), np.full(n + 1, -1, np.int64))
    nxt, prv = links
    for i in range(n - 1, -1, -1):
        bucket = min(degree[i], count)
        nxt[i] = head[bucket]
        if nxt[i] >= 0:
            prv[nxt[i]] = i
        head[bucket] = i
    sequence = np.full(n, -1, dtype=np.int32)
    starts = np.zeros(n + 1, np.int64)
    rows = np.empty(edges + n + 16, np.int32)
    values = np.empty(edges + n + 16)
    pivots = np.zeros(n)
    seen = np.full(n + 1, -1, np.int64)  # last half-edge kept per neighbour, this elimination
    copies = np.zeros(n + 1, np.int64)
    total = np.zeros(n + 1)
    gone = np.zeros(n + 1, np.bool_)
    kept = np.empty(64, np.int64)
    sums = np.empty(64)
    lowest = 0
    filled = 0
    for step in range(n):
        while head[lowest] < 0:
            lowest += 1
        v = head[lowest]
        head[lowest] = nxt[v]
        if nxt[v] >= 0:
            prv[nxt[v]] = -1
        sequence[step] = v
        gone[v] = True
        # -- collect v's edges; of parallel ones keep `samples`, each with an equal share
        length = 0
        h = first[v]
        while h >= 0:
            if worth[h] > 0.0 and not gone[end[h]]:
                if length >= len(kept):
                    grown = np.empty(2 * len(kept), np.int64)
                    grown[:length] = kept[:length]
                    kept = grown
                    sums = np.empty(2 * len(sums))
                j = end[h]
                if seen[j] < 0:
                    total[j] = 0.0
                    copies[j] = 0
                    seen[j] = h
                total[j] += worth[h]
                if copies[j] < samples:
                    copies[j] += 1
                    kept[length] = h
                    length += 1
                else:
                    worth[h] = 0.0
                    worth[h ^ 1] = 0.0
                    if j < n:
                        lowest = min(lowest, _move(j, -1, count, degree, head, links))
            h = after[h]
        whole = 0.0
        for a in range(length):
            j = end[kept[a]]
            worth[kept[a]] = total[j] / copies[j]
            whole += worth[kept[a]]
        if filled + length > len(rows):
            more_rows = np.empty(2 * len(rows) + length, np.int32)
            more_rows[:filled] = rows[:filled]
            rows = more_rows
            more_values = np.empty(2 * len(values) + length)
            more_values[:filled] = values[:filled]
            values = more_values
        for a in range(length):
            j = end[kept[a]]
            if seen[j] >= 0:
                seen[j] = -1
                if j < n:
                    rows[filled] = j
                    values[filled] = total[j] / whole
                    filled += 1
        starts[step + 1] = filled
        pivots[step] = whole
        if length == 0:
            continue
        # -- replace the star by sampled edges, reusing its half-edges
        _sort_by_weight(kept, worth, length)
        running = 0.0
        for a in range(length):
            running += worth[kept[a]]
            sums[a] = running
        for a in range(length):
            h = kept[a]
            j = end[h]
            remaining = running - sums[a]
            back = h ^ 1
            if a == length - 1 or remaining <= 0.0:
                worth[h] = 0.0
                worth[back] = 0.0
                if j < n:
                    lowest = min(lowest, _move(j, -1, count, degree, head, links))
                continue
            draw = sums[a] + rng.random() * remaining
            b = a + 1
            top = length - 1
            while b < top:
                middle = (b + top) // 2
                if sums[middle] < draw:
                    b = middle + 1
                else:
                    top = middle
            k = end[kept[b]]
            if k == j:
                worth[h] = 0.0
                worth[back] = 0.0
                if j < n:
                    lowest = min(lowest, _move(j, -1, count, degree, head, links))
                continue
            fresh = worth[h] * (remaining / whole)
            worth[back] = fresh
            end[back] = k
            worth[h] = fresh
            end[h] = j
            after[h] = first[k]
            first[k] = h
            if k < n:
                _move(k, 1, count, degree, head, links)
    return sequence, starts, rows[:filled].copy(), values[:filled].copy(), pivots


@kernel
def _apply_one(arrays: Any, value: Any) -> Any:
    sequence, starts, rows, values, pivots = arrays
    count = len(sequence)
    for s in range(count):
        known = value[sequence[s]]
        for p in range(starts[s], starts[s + 1]):
            value[rows[p]] += values[p] * known
    for s in range(count - 1, -1, -1):
        i = sequence[s]
        if pivots[s] > 0.0:
            total = value[i] / pivots[s]
            for p in range(starts[s], starts[s + 1]):
                total += values[p] * value[rows[p]]
            value[i] = total
        else:
            value[i] = 0.0


@kernel
def _apply_block(lanes: Any, arrays: Any, value: Any) -> Any:
    sequence, starts, rows, values, pivots = arrays
    count = len(sequence)
    for s in range(count):
        spread_row(lanes, value, sequence[s], value, rows, values, starts[s], starts[s + 1])
    for s in range(count - 1, -1, -1):
        i = sequence[s]
        if pivots[s] > 0.0:
            put(lanes, value, i, 1.0 / pivots[s], value, i)
            add_row(lanes, value, i, value, rows, values, starts[s], starts[s + 1])
        else:
            value[i] = 0.0
