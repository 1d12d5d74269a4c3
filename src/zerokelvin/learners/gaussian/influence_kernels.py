"""Compiled code behind influences: one column, many of them, bounds, and what they depend on.

`learners.gaussian.influence` says what an influence is and decides which of them are computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.decision import lead
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import Queue, join, leave
from zerokelvin.learners.gaussian.diffusion import FieldArrays, FieldTerms, Frame, read_values

__all__ = [
    "ColumnRoom",
    "InfluenceArrays",
    "LeadSources",
    "PushedNodes",
    "RegressionSystem",
    "bound_influences",
    "compute_influences",
    "follow_changes",
    "move_lists",
    "new_column",
    "read_leads",
    "relax_column",
    "spoil_influences",
]

HAIR, CANCELLED = 1.0 + 1e-9, 1e-12
"""On upper bounds for rounding: times the first, and the second beside what is left of 1 − x e."""


class RegressionSystem(NamedTuple):
    """A Gaussian regression as it stands: the kernel out · (L + E)⁻¹ · into, and its noise.

    Attributes
    ----------
    csr, inverse, excess
        The graph; per node 1 / (d + e), and e with what labels added to it.
    into, out, waiting
        Per node the scales s and o, and whether it waits for its turn.
    noise, tol
        μ, and how far the entries of a column may be off.
    """

    csr: Csr
    inverse: Floats
    excess: Floats
    into: Floats
    out: Floats
    waiting: Bools
    noise: float
    tol: float


class ColumnRoom(NamedTuple):
    """Room for one column: its entries and residuals, the nodes reached, and of every node whether it is."""

    x: Floats
    r: Floats
    reached: Ints
    known: Bools


class InfluenceArrays(NamedTuple):
    """Of every node its influence, ‖o x‖ s_i, the residual left, and whether these are current."""

    values: Floats
    norms: Floats
    rest: Floats
    current: Bools


class PushedNodes(NamedTuple):
    """Of each column the nodes that pushed, ``pool[start[i] : start[i] + length[i]]``; used[0] are in use."""

    start: Ints
    length: Ints
    pool: NDArray[np.int32]
    used: Ints


class LeadSources(NamedTuple):
    """What leads are read from: the fields and their residuals, (classes, nodes), and 1 / (D + E)."""

    x: Floats
    r: Floats
    inverse: Floats


def new_column(count: int) -> ColumnRoom:
    """Room for one column on a graph of `count` nodes."""
    return ColumnRoom(np.zeros(count), np.zeros(count), np.empty(count, np.int64), np.zeros(count, np.bool_))


@kernel
def relax_column(
    regression: RegressionSystem, column: ColumnRoom, queue: Queue, node: int, found: Floats
) -> int:
    """Relax the column of a node: found = (its influence, ‖o x‖ s_i, the residual left); nodes that pushed.

    Those are left at the front of the list of nodes reached.
    """
    (indptr, indices, weights), inverse, excess, into, out, waiting, noise, tol = regression
    x, r, reached, known = column
    head, tail, count = 0, join(queue, 0, node, True), 1
    r[node] = 1.0
    reached[0] = node
    known[node] = True
    while head < tail:
        u, head = leave(queue, head)
        moved = r[u] * inverse[u]
        x[u] += moved
        r[u] = 0.0
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + np.uint64(1)])):
            v = np.uint64(indices[p])
            r[v] += weights[p] * moved
            if not known[v]:
                known[v] = True
                reached[count] = v
                count += 1
            tail = join(queue, tail, v, r[v] > tol * excess[v])
    own = out[node] * x[node] * into[node] + noise
    total, left, pushed = 0.0, 0.0, 0
    for k in range(count):
        v = reached[k]
        if v != node and v < len(waiting) and waiting[v]:
            share = out[v] * x[v] * into[node] / own
            total += share * share
        left += r[v]
        if x[v] > 0.0:
            reached[pushed] = v
            pushed += 1
        x[v] = 0.0
        r[v] = 0.0
        known[v] = False
    found[0] = np.sqrt(total)
    found[1] = found[0] * own
    found[2] = left
    return pushed


@kernel
def compute_influences(
    regression: RegressionSystem,
    column: ColumnRoom,
    queue: Queue,
    kept: InfluenceArrays,
    lists: PushedNodes,
    nodes: Ints,
) -> int:
    """Compute the influences of nodes while there is room for their lists; of how many."""
    values, norms, rest, current = kept
    start, length, pool, used = lists
    found = np.zeros(3)
    for k in range(len(nodes)):
        if used[0] + len(values) > len(pool):
            return k
        i = nodes[k]
        pushed = relax_column(regression, column, queue, i, found)
        values[i], norms[i], rest[i], current[i] = found[0], found[1], found[2], True
        start[i], length[i] = used[0], pushed
        for m in range(pushed):
            pool[used[0] + m] = column.reached[m]
        used[0] += pushed
    return len(nodes)


@kernel
def spoil_influences(
    changed: Bools, start: Ints, length: Ints, pool: NDArray[np.int32], current: Bools
) -> None:
    """Mark the influences that depend on a node that has changed as no longer current."""
    for i in range(len(current)):
        if current[i]:
            for k in range(start[i], start[i] + length[i]):
                if changed[pool[k]]:
                    current[i] = False
                    break


@kernel
def move_lists(
    start: Ints, length: Ints, pool: NDArray[np.int32], current: Bools, room: NDArray[np.int32]
) -> None:
    """Move the lists of what is current to the front of another pool."""
    used = 0
    for i in range(len(current)):
        if current[i]:
            for k in range(length[i]):
                room[used + k] = pool[start[i] + k]
            start[i] = used
            used += length[i]


@kernel
def bound_influences(
    regression: RegressionSystem, kept: InfluenceArrays, nodes: Ints, widest: float, upper: Floats
) -> None:
    """An upper bound on every influence: itself where it is current.

    With P = G the inverse of L + E, x ≤ G and |G − x| ≤ t at every entry, Σ_j G_ij e_j = 1 and G_ij ≤ G_ii:

        Σ_{j≠i} (o_j x_ij)² ≤ w (x_ii + t) (1 − x_ii e_i),   w = max o_j² / e_j,

    over (o_i x_ii s_i + μ)², which is largest where its derivative, linear in x_ii, is 0, or at an end. Where
    an older column is known, entries of G have only become smaller since: ‖o x‖ ≤ ‖o x_old‖ + √(w t Σ r_old).
    """
    _, inverse, excess, into, out, _, noise, tol = regression
    values, norms, rest, current = kept
    for k in range(len(nodes)):
        i = nodes[k]
        if current[i]:
            upper[k] = values[i]
            continue
        a, e, least = out[i] * into[i], excess[i], inverse[i]
        slope = a * (1.0 - e * tol) + 2.0 * e * noise
        still = (noise * (1.0 - e * tol) - 2.0 * a * tol) / slope if slope != 0.0 else least
        largest = 0.0
        for x in (least, min(max(still, least), 1.0 / e)):  # at 1 / e it is 0
            spread = a * x + noise
            largest = max(largest, (x + tol) * (max(1.0 - x * e, 0.0) + CANCELLED) / (spread * spread))
        general = into[i] * np.sqrt(widest * largest)
        older = (norms[i] + into[i] * np.sqrt(widest * tol * rest[i])) / (a * least + noise)
        upper[k] = min(general, older) * HAIR


@kernel
def follow_changes(csr: Csr, now: LeadSources, then: LeadSources, changed: Bools) -> None:
    """Mark the nodes whose values are read from something that is another now, and bring `then` to `now`."""
    indptr, indices = csr.indptr, csr.indices
    x, r, inverse = now
    old_x, old_r, old_inverse = then
    beside = np.zeros(len(inverse), np.bool_)
    for i in range(len(inverse)):
        if inverse[i] != old_inverse[i]:
            old_inverse[i] = inverse[i]
            beside[i] = True
    for c in range(len(x)):
        for i in range(len(inverse)):
            if r[c, i] != old_r[c, i]:
                old_r[c, i] = r[c, i]
                beside[i] = True
            if x[c, i] != old_x[c, i]:
                old_x[c, i] = x[c, i]
                changed[i] = True
    for i in range(len(inverse)):
        if beside[i]:
            changed[i] = True
            for p in range(indptr[i], indptr[i + 1]):
                changed[indices[p]] = True


@kernel
def read_leads(
    csr: Csr, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Ints, result: Floats
) -> None:
    """The lead of the best class before the second at several nodes."""
    values = np.empty(len(frame.totals))
    for k in range(len(nodes)):
        read_values(csr, arrays, frame, terms, nodes[k], values)
        result[k] = lead(values)
