"""What a label is worth: how unsure the prediction is, and how much it would tell about nodes still to come.

With P the posterior covariance of a Gaussian regression and μ its noise, a label at i moves the mean of j by
k_ij = P_ij / (P_ii + μ) times what was wrong at i. The influence of i is

    √ Σ_j k_ij²   over the nodes j that wait for their turn,

large for a node in the middle of unexplored country, near 0 for a leaf or where labels are dense. The value
of a label is this influence over the lead of the best class before the second in the posterior mean, which is
small where classes compete and where nothing is known: the policy ``value:C`` asks where it exceeds 1/C.

The column P e_i comes from local pushes on the precision matrix L + E (`kernels.relaxation`), every
entry within `TOL` of the exact one, and only the nodes it reaches are touched.

A list of nodes by value goes by near values, which have the near influence (`near_influence`) over the
lead: blocks of `BLOCK` nodes of decreasing near value, in each block those worth asking for, by value. So the
first of a list is the best of the `BLOCK` that promise most. To be sure of the best there is, every influence
would have to be computed that no bound rules out: in sixteen dimensions nearly all of 100,000, for 40 seconds
(`docs/adr/0018-near-values.md`).

While there are few answers, few nodes are looked at: `FIRST` of them and `FURTHER` more with every answer,
half of them those of the largest degree, half drawn at random. The others come behind. So no list waits for
the near values of a whole graph, whose best are hardly better than the best of thousands.

Above 300 lines: what is computed and what is kept of it follow each other step by step; the kernels
lie beside.
"""

from __future__ import annotations

import threading
from functools import partial

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bools, Floats, Ints
from zerokelvin.asking.coin_hash import coins
from zerokelvin.asking.value import LEAST_LEAD, label_value
from zerokelvin.graph import Graph
from zerokelvin.graph.canonical import Csr
from zerokelvin.kernels.relaxation_queue import Queue, new_queue
from zerokelvin.learners.base.multiclass import Valued
from zerokelvin.learners.gaussian.diffusion import Diffusion
from zerokelvin.learners.gaussian.influence_kernels import (
    ColumnRoom,
    InfluenceArrays,
    LeadSources,
    PushedNodes,
    RegressionSystem,
    bound_influences,
    compute_influences,
    follow_changes,
    move_lists,
    new_column,
    read_leads,
    relax_column,
    spoil_influences,
)
from zerokelvin.learners.gaussian.near_influence import (
    GradientRoom,
    near_influences,
    new_gradient_room,
    spoil_around,
)
from zerokelvin.stopping import may_be_stopped, stop_if_wanted
from zerokelvin.threads import in_threads

__all__ = ["TOL", "Influence", "KeptInfluences"]


TOL = 0.01


ROOM = 1 << 26
"""Entries of the lists of nodes that influences depend on: 4 bytes each."""

BLOCK = 32
"""Nodes of about the same near value, which are ordered by their value."""

FIRST, FURTHER = 4096, 512
"""Nodes looked at before all others, and how many more there are with every node answered or skipped."""

SALT = 0xF125
"""Of the coins that order nodes at random, the same for every graph."""

PART = 1024
"""Nodes whose near influences are computed at once by what may be stopped: some twenty milliseconds."""

IN_THREADS = 64
"""Nodes whose bounds, or influences, are worth two threads."""


class Influence:
    """The influence of labels under the regression of a `Diffusion`.

    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.learners.gaussian.field_system import system_of
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
        regression = self.regression(waiting)
        with self.kept.lock:
            relax_column(regression, self.kept.column, self.diffusion.relaxation.scratch, node, found)
        return float(found[0])

    def most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None = None) -> Valued:
        """The nodes whose label is worth more than `above`, as `Game.most_valued`.

        An influence is computed only where the list comes to its node and no upper bound on the value rules
        it out, and not again while nothing has changed that it depends on.
        """
        with self.kept.lock:
            return self._most_valued(nodes, waiting, above, most)

    def _most_valued(self, nodes: Ints, waiting: Bools, above: float, most: int | None) -> Valued:
        regression, kept = self.regression(waiting), self.kept
        kept.renew(self.diffusion.relaxation.csr, self.diffusion.relaxation.excess, waiting)
        looked = kept.looked_at_first(self.diffusion.system.graph, waiting)[nodes]
        found = self._by_near_value(regression, nodes[looked], above, most)
        left = None if most is None else most - len(found.nodes)
        if looked.all() or left == 0:
            return found
        rest = self._by_near_value(regression, nodes[~looked], above, left)
        return Valued(*(np.append(*both) for both in zip(found, rest, strict=True)))

    def _by_near_value(
        self, regression: RegressionSystem, nodes: Ints, above: float, most: int | None
    ) -> Valued:
        """The same of some nodes: blocks of decreasing near value, each by value."""
        diffusion, kept = self.diffusion, self.kept
        leads = np.maximum(kept.leads(diffusion, nodes), LEAST_LEAD)
        upper = np.full(len(nodes), np.nan)
        bound_influences(regression, kept.arrays, nodes, self.widest(), upper)
        upper /= leads
        order = _Descending(kept.near(regression, nodes) / leads)
        found, values = np.empty(0, dtype=np.int64), np.empty(0)
        done, count = 0, len(nodes) if most is None else min(_whole_blocks(most), len(nodes))
        while done < len(nodes) and (most is None or len(found) < most):
            places = order.first(done + count)[done:]
            blocks = np.arange(done, done + len(places)) // BLOCK
            worth = upper[places] > above
            places, blocks = places[worth], blocks[worth]
            kept.compute(regression, diffusion.relaxation.scratch, nodes[places])
            own = kept.values[nodes[places]] / leads[places]
            best = np.lexsort((places, -own, blocks))
            best = best[own[best] > above]
            found, values = np.append(found, places[best]), np.append(values, own[best])
            done, count = done + count, 2 * count
        return Valued(nodes[found[:most]], values[:most])

    def regression(self, waiting: Bools) -> RegressionSystem:
        """The regression as it stands and the nodes that wait, for compiled code."""
        diffusion, solve, system = self.diffusion, self.diffusion.relaxation, self.diffusion.system
        matrix = (solve.csr, solve.rules.inverse, solve.excess, system.into, system.out)
        return RegressionSystem(*matrix, waiting, 1.0 / diffusion.terms.precision, TOL / system.unit**2)

    def widest(self) -> float:
        """The largest o_j² / e_j before any label, hence ever."""
        system = self.diffusion.system
        return float((system.out**2 / system.excess).max())


class KeptInfluences:
    """Influences and leads as they were computed, each with what it depends on.

    The column of a node is made by pushes from nodes, and no other node matters: one that received less than
    it takes to push adds nothing, and takes more to push when it gets a label. So an influence stays what it
    is, to the last bit, until a node that pushed is labelled or waits no more. What has become old still
    bounds what it will be, since every label makes all entries of P smaller. A near influence stays what it
    is while nothing changes where its steps were, also when a label is taken back. Copies of a game share all
    of them in several threads, so whoever works with them holds `lock`.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.lock = threading.Lock()
        self._column: ColumnRoom | None = None
        self._other: tuple[ColumnRoom, Queue] | None = None
        self._rooms: tuple[GradientRoom, GradientRoom] | None = None
        self._excess: Floats | None = None
        self._waiting: Bools | None = None
        self._read_from: LeadSources | None = None
        self._leads = np.zeros(0)
        self._pool, self._used = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        self._places: Ints | None = None  # in the order in which nodes are looked at
        self._forget()

    @property
    def column(self) -> ColumnRoom:
        """Room for one column, made when it is first asked for."""
        if self._column is None:
            self._column = new_column(self.count)
        return self._column

    @property
    def arrays(self) -> InfluenceArrays:
        """What is known of every node, for compiled code."""
        return InfluenceArrays(self.values, self._norms, self._left, self._current)

    @property
    def _near_rooms(self) -> tuple[GradientRoom, GradientRoom]:
        """Room for the near column of one node, twice, for two threads."""
        if self._rooms is None:
            self._rooms = new_gradient_room(self.count), new_gradient_room(self.count)
        return self._rooms

    def renew(self, csr: Csr, excess: Floats, waiting: Bools) -> None:
        """Find out what is no longer current, given the precision of every node and which of them wait."""
        if self._excess is None or self._waiting is None or len(waiting) != len(self._waiting):
            self._forget()
        else:
            changed = excess != self._excess
            changed[: len(waiting)] |= waiting != self._waiting
            if not changed.any():
                return
            farthest = int(self._steps.max())
            spoil_around(csr, changed, self._near_rooms[0], self._near, self._steps, farthest)
            if (excess < self._excess).any() or (waiting & ~self._waiting).any():
                self._forget_columns()  # a label was taken back: nodes that did not push now may
            else:
                spoil_influences(changed, self._start, self._length, self._pool, self._current)
        self._excess, self._waiting = excess.copy(), waiting.copy()

    def compute(self, regression: RegressionSystem, queue: Queue, nodes: Ints) -> None:
        """Have the influences of some nodes current; each is the same on one thread and on two."""
        wanted = nodes[~self._current[nodes]]
        if len(wanted) < IN_THREADS:
            self._compute_here(regression, queue, wanted)
            return
        if self._other is None:
            self._other = new_column(self.count), new_queue(self.count)
        halves, scratch = (wanted[::2], wanted[1::2]), ((self.column, queue), self._other)
        tasks = [partial(self._listed, regression, *both) for both in zip(scratch, halves, strict=True)]
        lists = in_threads(tasks)
        total = sum(map(len, lists))
        if self._used[0] + total > len(self._pool):
            self._make_room(total)
        for half, found in zip(halves, lists, strict=True):
            first = int(self._used[0])
            self._pool[first : first + len(found)] = found
            self._start[half] += first
            self._used[0] += len(found)
        self._current[wanted] = True  # last: an interrupt before it costs what was computed, no more

    def _compute_here(self, regression: RegressionSystem, queue: Queue, nodes: Ints) -> None:
        """The same for those that are not current, in this thread."""
        done = 0
        while done < len(nodes):
            lists = PushedNodes(self._start, self._length, self._pool, self._used)
            done += int(compute_influences(regression, self.column, queue, self.arrays, lists, nodes[done:]))
            if done < len(nodes):
                self._make_room(self.count)

    def _listed(
        self, regression: RegressionSystem, scratch: tuple[ColumnRoom, Queue], nodes: Ints
    ) -> NDArray[np.int32]:
        """Compute influences, and give the lists of what pushed for them, one behind the other."""
        column, queue = scratch
        pool, used, done = np.empty(2 * self.count, dtype=np.int32), np.zeros(1, dtype=np.int64), 0
        apart = self.arrays._replace(current=np.zeros(self.count, dtype=np.bool_))
        while True:
            lists = PushedNodes(self._start, self._length, pool, used)
            done += int(compute_influences(regression, column, queue, apart, lists, nodes[done:]))
            if done == len(nodes):
                return pool[: used[0]]
            pool = np.concatenate([pool[: used[0]], np.empty(len(pool), dtype=np.int32)])

    def looked_at_first(self, graph: Graph, waiting: Bools) -> Bools:
        """Which nodes are looked at before all others: more of them, the fewer wait."""
        size = FIRST + FURTHER * int(np.count_nonzero(~waiting))
        if size >= self.count:
            return np.ones(self.count, dtype=np.bool_)
        if self._places is None:
            drawn = coins(SALT, np.arange(self.count))
            by_degree, at_random = np.lexsort((drawn, -graph.degrees)), np.argsort(drawn)
            places = np.full(self.count, self.count)
            places[by_degree] = np.arange(0, 2 * self.count, 2)
            places[at_random] = np.minimum(places[at_random], np.arange(1, 2 * self.count, 2))
            self._places = places
        return self._places < size

    def near(self, regression: RegressionSystem, nodes: Ints) -> Floats:
        """The near influences of some nodes; each is the same on one thread and on two.

        Where it may be stopped, what was computed until then stays.
        """
        wanted = nodes[np.isnan(self._near[nodes])]
        size = PART if may_be_stopped() else max(len(wanted), 1)
        for start in range(0, len(wanted), size):
            stop_if_wanted()
            part = wanted[start : start + size]
            tasks = [
                partial(near_influences, regression, room, part[first::2], self._near, self._steps)
                for first, room in enumerate(self._near_rooms)
            ]
            in_threads(tasks, len(part) > IN_THREADS)
        return self._near[nodes]

    def leads(self, diffusion: Diffusion, nodes: Ints) -> Floats:
        """The lead of the best class before the second at several nodes.

        Kept for all nodes, and read anew where what it is read from has changed: the fields and residuals of
        a node, and the residuals beside it. With a constant term every label changes all of them.
        """
        arrays, csr, terms = diffusion.arrays, diffusion.relaxation.csr, diffusion.terms
        if terms.b != 0:
            found = np.full(len(nodes), np.nan)
            read_leads(csr, arrays, diffusion.frame, terms, nodes, found)
            return found
        changed = np.zeros(self.count, dtype=np.bool_)
        read_from = LeadSources(arrays.x, arrays.r, arrays.inverse)
        if self._read_from is None or self._read_from.x.shape != arrays.x.shape:
            self._read_from = LeadSources(*(array.copy() for array in read_from))
            self._leads = np.zeros(self.count)
            changed[:] = True
        else:
            follow_changes(csr, read_from, self._read_from, changed)
        places = np.flatnonzero(changed)
        found = np.full(len(places), np.nan)
        read_leads(csr, arrays, diffusion.frame, terms, places, found)
        self._leads[places] = found
        return self._leads[nodes]

    def _make_room(self, more: int) -> None:
        """Drop the lists of what is not current, and make room for as much again and `more`."""
        live = int(self._length[self._current].sum())
        if live > ROOM:
            self._current[:] = False  # too much to keep: it is computed anew whenever it is asked for
            live = 0
        pool = np.empty(2 * live + more, dtype=np.int32)
        move_lists(self._start, self._length, self._pool, self._current, pool)
        self._pool = pool
        self._used[0] = live

    def _forget(self) -> None:
        """Drop all that was kept: no influence, near or not, is known."""
        self._near, self._steps = np.full(self.count, np.nan), np.zeros(self.count, dtype=np.int8)
        self._excess = self._waiting = None
        self._forget_columns()

    def _forget_columns(self) -> None:
        """Drop what comes from whole columns; near influences stay."""
        count = self.count
        self.values, self._norms, self._left = np.zeros(count), np.full(count, np.inf), np.zeros(count)
        self._current = np.zeros(count, dtype=np.bool_)
        self._start, self._length = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._pool, self._used = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)


class _Descending:
    """The places of an array by decreasing value, of equal values in order; sorted as far as is asked for."""

    def __init__(self, values: Floats) -> None:
        self._values = values
        self._sorted = np.empty(0, dtype=np.int64)

    def first(self, count: int) -> Ints:
        """The first places, so many of them."""
        total = len(self._values)
        if len(self._sorted) < min(count, total):
            kept = np.arange(total)
            if 2 * count < total:
                level = np.partition(self._values, total - 2 * count)[total - 2 * count]
                kept = np.flatnonzero(self._values >= level)
            self._sorted = kept[np.argsort(-self._values[kept], kind="stable")]
        return self._sorted[:count]


def _whole_blocks(count: int) -> int:
    """The number of nodes of the blocks that so many nodes fill."""
    return -(-count // BLOCK) * BLOCK
