"""What a label is worth: how unsure the prediction is, and how much it would tell about nodes still to come.

With P the posterior covariance of a Gaussian regression and μ its noise, a label at i moves the mean of j by
k_ij = P_ij / (P_ii + μ) times what was wrong at i. The influence of i is

    √ Σ_j k_ij²   over the nodes j that wait for their turn,

large for a node in the middle of unexplored country, near 0 for a leaf or where labels are dense. The value
of a label is this influence over the lead of the best class before the second in the posterior mean, which is
small where classes compete and where nothing is known: the policy ``value:C`` asks where it exceeds 1/C.

The column P e_i comes from local pushes on the precision matrix L + E (`kernels.relaxation`), every
entry within `TOL` of the exact one, and only the nodes it reaches are touched.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.decision import lead
from zerokelvin.asking.value import LEAST_LEAD, label_value
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import join, leave
from zerokelvin.learners.base.multiclass import Valued, rank_values
from zerokelvin.learners.gaussian.diffusion import Diffusion, FieldArrays, FieldTerms, Frame, read_values

__all__ = ["TOL", "Influence", "KeptInfluences"]


TOL = 0.01


ROOM = 1 << 26
"""Entries of the lists of nodes that influences depend on: 4 bytes each."""

AT_ONCE = 32
"""How many nodes are looked at before it is asked whether more must be."""

HAIR, CANCELLED = 1.0 + 1e-9, 1e-12
"""On upper bounds for rounding: times the first, and the second beside what is left of 1 − x e."""


class Influence:
    """The influence of labels under the regression of a `Diffusion`.

    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.learners.gaussian.diffusion import system_of
    >>> star = Graph.from_edges([(0, leaf) for leaf in range(1, 8)])
    >>> influence = Influence(Diffusion(system_of(star, "regularized:0.1"), 1, 1.0, 0.0, 0.01))
    >>> waiting = np.ones(8, dtype=bool)
    >>> influence.of(0, waiting) > influence.of(1, waiting)
    True
    >>> influence.most_valued(np.arange(8), waiting, 0.0, 1).nodes.tolist()
    [0]
    """

    def __init__(self, diffusion: Diffusion, kept: KeptInfluences | None = None) -> None:
        self.diffusion = diffusion
        self.kept = KeptInfluences(diffusion.system.graph.num_nodes) if kept is None else kept

    def value(self, node: int, waiting: Bools) -> float:
        """What a label of `node` is worth: influence on the nodes that wait, over the lead of its class."""
        return label_value(self.of(node, waiting), self.diffusion.values(node))

    def of(self, node: int, waiting: Bools) -> float:
        """The influence of a node on the others that wait; nodes beyond the end of the array do not."""
        found = np.zeros(3)
        regression = self._regression(waiting)
        with self.kept.lock:
            _influence(regression, self.kept.column, self.diffusion.relaxation.scratch, node, found)
        return float(found[0])

    def most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None = None) -> Valued:
        """The nodes whose label is worth more than `above`, as `Game.most_valued`.

        An influence is computed only where an upper bound on the value does not rule the node out, and not
        again while nothing has changed that it depends on.
        """
        with self.kept.lock:
            return self._most_valued(nodes, waiting, above, most)

    def _most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None) -> Valued:
        diffusion, kept = self.diffusion, self.kept
        regression = self._regression(waiting)
        kept.renew(diffusion.relaxation.excess, waiting)
        solve = diffusion.relaxation
        leads = np.maximum(kept.leads(diffusion, nodes), LEAST_LEAD)
        upper = np.full(len(nodes), np.nan)
        _bounds(regression, kept.arrays, nodes, self._widest(), upper)
        upper /= leads
        order = np.argsort(-upper, kind="stable")
        values = np.full(len(nodes), -np.inf)
        done, step = 0, AT_ONCE
        while done < len(order) and upper[order[done]] > above:
            if most is not None and done > most:
                best = np.partition(values[order[:done]], done - most)[done - most] if most > 0 else np.inf
                if upper[order[done]] < best:
                    break
            part = order[done : done + step]
            kept.compute(regression, solve.scratch, nodes[part])
            values[part] = kept.values[nodes[part]] / leads[part]
            done, step = done + len(part), 2 * step
        return rank_values(nodes, values, above, most)

    def _regression(self, waiting: Bools) -> Any:
        """Matrix, scales and waiting nodes, noise and tolerance, for compiled code."""
        diffusion, solve, system = self.diffusion, self.diffusion.relaxation, self.diffusion.system
        matrix = (solve.csr, solve.diagonal[0], solve.excess)
        ends = (system.into, system.out, waiting)
        return matrix, ends, (1.0 / diffusion.terms.precision, TOL / system.unit**2)

    def _widest(self) -> float:
        """The largest o_j² / e_j before any label, hence ever."""
        system = self.diffusion.system
        return float((system.out**2 / system.excess).max())


class KeptInfluences:
    """Influences and leads as they were computed, each with what it depends on.

    The column of a node is made by pushes from nodes, and no other node matters: one that received less than
    it takes to push adds nothing, and takes more to push when it gets a label. So an influence stays what it
    is, to the last bit, until a node that pushed is labelled or waits no more. What has become old still
    bounds what it will be, since every label makes all entries of P smaller. Copies of a game share them
    in several threads, so whoever works with them holds `lock`.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.lock = threading.Lock()
        self._column: Any = None
        self._excess: Floats | None = None
        self._waiting: Bools | None = None
        self._read_from: tuple[Floats, ...] | None = None
        self._leads = np.zeros(0)
        self._pool, self._used = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        self._forget()

    @property
    def column(self) -> Any:
        """Scratch for one column: x, r, the nodes reached, and which those are."""
        if self._column is None:
            reached, known = np.empty(self.count, np.int64), np.zeros(self.count, np.bool_)
            self._column = (np.zeros(self.count), np.zeros(self.count), reached, known)
        return self._column

    @property
    def arrays(self) -> Any:
        """What is known of every node: the influence, ‖x‖, the residual left, and whether it is current."""
        return self.values, self._norms, self._left, self._current

    def renew(self, excess: Floats, waiting: Bools) -> None:
        """Find out what is no longer current, given the precision of every node and which of them wait."""
        if self._excess is None or self._waiting is None or len(waiting) != len(self._waiting):
            self._forget()
        elif (excess < self._excess).any() or (waiting & ~self._waiting).any():
            self._forget()  # a label was taken back: nodes that did not push now may
        else:
            changed = excess != self._excess
            changed[: len(waiting)] |= waiting != self._waiting
            if changed.any():
                _spoil(changed, self._start, self._length, self._pool, self._current)
        self._excess, self._waiting = excess.copy(), waiting.copy()

    def compute(self, regression: Any, queue: Any, nodes: Ints) -> None:
        """Have the influences of some nodes current."""
        wanted = nodes[~self._current[nodes]]
        done = 0
        while done < len(wanted):
            lists = (self._start, self._length, self._pool, self._used)
            done += int(_compute(regression, self.column, queue, self.arrays, lists, wanted[done:]))
            if done < len(wanted):
                self._make_room()

    def leads(self, diffusion: Diffusion, nodes: Ints) -> Floats:
        """The lead of the best class before the second at several nodes.

        Kept for all nodes, and read anew where what it is read from has changed: the fields and residuals of
        a node, and the residuals beside it. With a constant term every label changes all of them.
        """
        arrays, csr, terms = diffusion.arrays, diffusion.relaxation.csr, diffusion.terms
        if terms.b != 0:
            found = np.full(len(nodes), np.nan)
            _leads(csr, arrays, diffusion.frame, terms, nodes, found)
            return found
        changed = np.zeros(self.count, dtype=np.bool_)
        read_from = (arrays.x, arrays.r, arrays.inverse)
        if self._read_from is None or self._read_from[0].shape != arrays.x.shape:
            self._read_from, self._leads = tuple(array.copy() for array in read_from), np.zeros(self.count)
            changed[:] = True
        else:
            _follow_changes(csr, read_from, self._read_from, changed)
        places = np.flatnonzero(changed)
        found = np.full(len(places), np.nan)
        _leads(csr, arrays, diffusion.frame, terms, places, found)
        self._leads[places] = found
        return self._leads[nodes]

    def _make_room(self) -> None:
        """Drop the lists of what is not current, and make room for as much again and a whole column."""
        live = int(self._length[self._current].sum())
        if live > ROOM:
            self._current[:] = False  # too much to keep: it is computed anew whenever it is asked for
            live = 0
        pool = np.empty(2 * live + self.count, dtype=np.int32)
        _move(self._start, self._length, self._pool, self._current, pool)
        self._pool = pool
        self._used[0] = live

    def _forget(self) -> None:
        """Begin with nothing."""
        count = self.count
        self.values, self._norms, self._left = np.zeros(count), np.full(count, np.inf), np.zeros(count)
        self._current = np.zeros(count, dtype=np.bool_)
        self._start, self._length = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._pool, self._used = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        self._excess = self._waiting = None


@kernel
def _influence(regression: Any, column: Any, queue: Any, node: int, found: Any) -> int:
    """Relax the column of a node: found = (its influence, ‖o x‖ s_i, the residual left); nodes that pushed.

    Those are left at the front of the list of nodes reached.
    """
    ((indptr, indices, weights), inverse, excess), (into, out, waiting), (noise, tol) = regression
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
def _compute(regression: Any, column: Any, queue: Any, kept: Any, lists: Any, nodes: Any) -> int:
    """Compute the influences of nodes while there is room for their lists; of how many."""
    values, norms, rest, current = kept
    start, length, pool, used = lists
    found = np.zeros(3)
    for k in range(len(nodes)):
        if used[0] + len(values) > len(pool):
            return k
        i = nodes[k]
        pushed = _influence(regression, column, queue, i, found)
        values[i], norms[i], rest[i], current[i] = found[0], found[1], found[2], True
        start[i], length[i] = used[0], pushed
        for m in range(pushed):
            pool[used[0] + m] = column[2][m]
        used[0] += pushed
    return len(nodes)


@kernel
def _spoil(changed: Any, start: Any, length: Any, pool: Any, current: Any) -> None:
    """Mark the influences that depend on a node that has changed as no longer current."""
    for i in range(len(current)):
        if current[i]:
            for k in range(start[i], start[i] + length[i]):
                if changed[pool[k]]:
                    current[i] = False
                    break


@kernel
def _move(start: Any, length: Any, pool: Any, current: Any, room: Any) -> None:
    """Move the lists of what is current to the front of another pool."""
    used = 0
    for i in range(len(current)):
        if current[i]:
            for k in range(length[i]):
                room[used + k] = pool[start[i] + k]
            start[i] = used
            used += length[i]


@kernel
def _bounds(regression: Any, kept: Any, nodes: Any, widest: float, upper: Any) -> None:
    """An upper bound on every influence: itself where it is current.

    With P = G the inverse of L + E, x ≤ G and |G − x| ≤ t at every entry, Σ_j G_ij e_j = 1 and G_ij ≤ G_ii:

        Σ_{j≠i} (o_j x_ij)² ≤ w (x_ii + t) (1 − x_ii e_i),   w = max o_j² / e_j,

    over (o_i x_ii s_i + μ)², which is largest where its derivative, linear in x_ii, is 0, or at an end. Where
    an older column is known, entries of G have only become smaller since: ‖o x‖ ≤ ‖o x_old‖ + √(w t Σ r_old).
    """
    (_, inverse, excess), (into, out, _), (noise, tol) = regression
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
def _follow_changes(csr: Any, now: Any, then: Any, changed: Any) -> None:
    """Mark the nodes whose values are read from something that is another now, and bring `then` to `now`."""
    indptr, indices, _ = csr
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
def _leads(csr: Any, arrays: FieldArrays, frame: Frame, terms: FieldTerms, nodes: Any, result: Any) -> None:
    """The lead of the best class before the second at several nodes."""
    values = np.empty(len(frame.totals))
    for k in range(len(nodes)):
        read_values(csr, arrays, frame, terms, nodes[k], values)
        result[k] = lead(values)
