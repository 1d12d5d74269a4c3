"""Gaussian regression on squared kernels by relaxing a pair of fields.

With M-matrices A and diagonal matrices M, the kernel A⁻¹ M A⁻¹ weighs a path of k steps by k + 1 where A⁻¹
weighs it by 1, and so looks further:

    squared:EPS               (L + εI)⁻²         A = L + εI, M = I
    walk-squared:EPS          A⁻¹ D A⁻¹          A = L + εD, M = D
    normalized-squared:EPS    (Lₙ + εI)⁻²        A = Lₙ + εI, M = I

With n_i labels at node i of which y_ic are of class c, noise μ and s = 1/√μ, the posterior mean f_c solves
A M⁻¹ A f = s² (y − N f). Relaxing that would reach over two edges at a time. Instead a second field g_c is
kept beside f_c,

    A f = s M g,        A g = s (y − N f),

and with a_i the diagonal of A a node is relaxed by solving its own two equations,

    [   a_i    −s m_i ] [ δf ]   [ r_i ]
    [  s n_i     a_i  ] [ δg ] = [ q_i ]    for the residuals r of the first and q of the second,

after which the residuals of its neighbours change by w (δf, δg): O(degree), for every class by itself, since
a label says most about two of them.

A label is carried at once as far as a residual exceeds `LOOSE` · a_i. What that leaves is relaxed by sweeps
over all nodes, which is far cheaper than to carry each label that far alone: in a sweep every residual above
`tol` · a_i is relaxed once. There is a sweep while the labels become a tenth more (a twentieth, while fewer
than one node in fifty has one), and every label sweeps its piece, n / (labels · `PACE`) nodes, so that none
waits for all of them: the sweeps number O(log n), and pieces get smaller as labels come. While a piece would
be all nodes, for the first ten or twenty labels, everything is relaxed down to the tolerance.

That relaxation ends is no theorem, for the pair is not diagonally dominant; with the kernels of `auto` it did
on thousands of graphs, with weights over eight orders of magnitude and noise from 10⁻⁶ to 1. It is cut off
after `MOST` · n nodes of a class, which small ε on long chains need more than, and a mean beyond ±`FAR`,
which regression on 0 and 1 does not give, counts as no evidence.

Above 300 lines: a third of it says how pairs of fields are relaxed; the rest is one class and its
kernels.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.overwritten import NOTED, begin_notes, end_notes, new_notes, note_pair
from zerokelvin.kernels.relaxation_queue import Queue, join, leave, new_queue
from zerokelvin.learners.auto.evidence_game import EvidenceGame
from zerokelvin.learners.base.kept import room_in_steps
from zerokelvin.undo import Undo

__all__ = ["LOOSE", "PairArrays", "PairedFields", "PairedSystem", "paired_system", "relaxed_mean"]


TOLERANCE, LEARNT, PLACE = range(3)
"""Slots of the plan of a pair: what is left alone in the end, labels so far, and where the sweep goes on."""

LOOSE = 0.004
"""Four times `settings.SQUARED_TOL`, as before both were doubled for speed: on the graphs of ``bench
default-learner`` that and relaxing class by class left the mean error where it was."""

PACE, EARLY_PACE = 0.1, 0.05
"""The growth of the labels during one sweep: the second while labels are sparse. On Cora and PubMed, in two
orders: with 0.2 for the second the wide kernels had .33 to .35 of the first 300 wrong on PubMed, with 0.05
.31 to .34, of all as many, in nearly the same time."""

SPARSE = 50
"""Nodes for one label above which labels are sparse."""

MOST = 200
FAR = 2.0


class PairedSystem(NamedTuple):
    """The matrices of a kernel A⁻¹ M A⁻¹: the arcs of −A with their weights, the diagonals of A and of M."""

    indptr: Ints
    indices: Ints
    weights: Floats
    diagonal: Floats
    link: Floats


def paired_system(graph: Graph, kernel: str) -> PairedSystem:
    """The matrices of a squared kernel by its name; a node without edges counts as of degree 1.

    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> system = paired_system(line, "walk-squared:0.5")
    >>> system.diagonal.tolist(), system.link.tolist()
    ([1.5, 3.0, 1.5], [1.0, 2.0, 1.0])
    """
    named = parse_kernel(kernel)
    epsilon, ones = named.number, np.ones(graph.num_nodes)
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    arcs, weights = (graph.indptr, graph.indices), graph.weights
    if named.name == "squared":
        return PairedSystem(*arcs, weights, graph.degrees + epsilon, ones)
    if named.name == "walk-squared":
        return PairedSystem(*arcs, weights, graph.degrees + epsilon * degrees, degrees)
    if named.name == "normalized-squared":
        rows = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
        scaled = weights / np.sqrt(degrees[rows] * degrees[graph.indices])
        scaled.setflags(write=False)  # as those of the graph, so that kernels are compiled once for both
        return PairedSystem(*arcs, scaled, np.sign(graph.degrees) + epsilon, ones)
    raise ParameterError(f"kernel {kernel!r} is no square; take squared, walk-squared or normalized-squared.")


class PairArrays(NamedTuple):
    """What labels change, for compiled code.

    `pairs` has f and g of every class at every node, `residual` what their equations leave, (classes, nodes,
    2), or (nodes, 2) for one class alone; `labels` counts those of every node, `root` is s.
    """

    pairs: Floats
    residual: Floats
    labels: Floats
    root: float


class PairedNode(NamedTuple):
    """What the equations of a pair have at one node: a, s m, s, and the labels there."""

    diagonal: float
    link: float
    root: float
    labels: float


class PairedFields(EvidenceGame):
    """The posterior means of all classes.

    Parameters
    ----------
    system, classes
        The kernel on a graph, and the number of classes.
    mu
        The noise.
    tol
        Residual of an equation, over its diagonal, that is left alone in a pass over all nodes.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> fields = PairedFields(paired_system(line, "walk-squared:0.1"), 2, mu=1.0, tol=1e-6)
    >>> fields.learn(0, 0)
    >>> fields.learn(3, 1)
    >>> first, second = fields.evidence([1])[0]
    >>> bool(first > second)
    True
    """

    def __init__(self, system: PairedSystem, classes: int, mu: float, tol: float) -> None:
        super().__init__(classes)
        count = len(system.diagonal)
        root = 1.0 / np.sqrt(mu)
        self.counts = np.zeros((count, classes))  # labels of each class at each node
        self.system = system._replace(link=root * system.link)
        shape = (classes, count, 2)
        self.arrays = PairArrays(np.zeros(shape), np.zeros(shape), np.zeros(count), float(root))
        self._queue = new_queue(count)
        self._plan = np.array([tol, 0.0, 0.0])
        self._begun = np.zeros(classes, dtype=np.bool_)  # which classes have a label

    def evidence(self, nodes: Any) -> Floats:
        """The mean of every class at several nodes, (nodes, classes), relaxed once more where it is read."""
        result = np.full((len(nodes), self.classes), np.nan)
        _read(self.system, self.arrays, np.asarray(nodes, dtype=np.int64), result)
        return result

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in the mean of every class at one node."""
        _read_one(self.system, self.arrays, node, evidence)

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal that a node has class `code`."""
        self.counts[node, code] += 1.0
        _learn(self.system, self.arrays, self._queue, self._plan, self._begun, node, code)

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo:
        """The same, and what takes it back."""
        undo, (pairs, residual, labels, _) = Undo(), self.arrays
        for array, index in (
            (self.counts, (node, code)),
            (labels, node),
            (self._plan, slice(LEARNT, None)),
            (self._begun, code),
        ):
            undo.keep(array, index)
        self.counts[node, code] += 1.0
        notes = new_notes(labels.size * self.classes, 4)
        _learn(self.system, self.arrays, self._queue, self._plan, self._begun, node, code, notes)
        count = notes.used[0]
        places, old = notes.places[:count].copy(), notes.values[:count].copy()
        undo.put(pairs.reshape(-1, 2), places, old[:, :2])
        undo.put(residual.reshape(-1, 2), places, old[:, 2:])
        return undo

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal the classes of nodes one after the other: the means before each, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _learn_in_order(self.system, self.arrays, self._queue, self._plan, self._begun, nodes, codes, result)
        np.add.at(self.counts, (nodes, codes), 1.0)
        return result

    def parts(self) -> dict[str, NDArray[Any]]:
        """The labels, the fields with their residuals, and where the sweep is."""
        pairs, residual, labels, _ = self.arrays
        return {
            "0/counts": self.counts,
            "0/pairs": pairs,
            "0/residual": residual,
            "0/labels": labels,
            "0/plan": self._plan[LEARNT:],
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Bring fresh fields to where `snapshot` was taken."""
        super().restore(arrays)
        self.find_classes()

    def find_classes(self) -> None:
        """Find out from the counts which classes have a label."""
        self._begun[:] = self.counts.any(axis=0)

    def twin(self, kept: bool = False) -> PairedFields:
        """Other fields at the same place."""
        return self._copied(list(map(np.empty_like, self._large)))

    def keeping(self) -> Iterator[PairedFields | None]:
        """The same, the room for it being taken in steps."""
        rooms = yield from room_in_steps(self._large)
        yield self._copied(rooms)

    @property
    def _large(self) -> list[Floats]:
        return [self.counts, self.arrays.pairs, self.arrays.residual]

    def _copied(self, rooms: list[Floats]) -> PairedFields:
        """Other fields at the same place, in some room."""
        other = copy.copy(self)
        for room, array in zip(rooms, self._large, strict=True):
            np.copyto(room, array)
        other.counts, pairs, residual = rooms
        other._plan, other._begun = self._plan.copy(), self._begun.copy()
        other.arrays = PairArrays(pairs, residual, self.arrays.labels.copy(), self.arrays.root)
        other._queue = new_queue(len(self.counts))
        return other

    def relax_from(self, c: int, nodes: Ints) -> None:
        """Relax nodes for class `c`, each named once, and what they reach, as far as a label is at once."""
        pairs, residual, labels, root = self.arrays
        ring, waiting = self._queue
        ring[: len(nodes)], waiting[nodes] = nodes, 1
        _relax(self.system, PairArrays(pairs[c], residual[c], labels, root), self._queue, len(nodes), LOOSE)

    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the mean of its class at `node`.

        The posterior mean is S y with S = s² (A M⁻¹ A + s² N)⁻¹ symmetric, so these are its column at `node`.
        """
        shape, queue = (len(self.counts), 2), new_queue(len(self.counts))
        column = self.arrays._replace(pairs=np.zeros(shape), residual=np.zeros(shape))
        column.residual[node, 1] = column.root
        _relax(self.system, column, queue, join(queue, 0, node, True), self._plan[TOLERANCE])
        return np.ascontiguousarray(column.pairs[:, 0])


@kernel
def _mean(system: PairedSystem, fields: PairArrays, node: int, c: int) -> float:
    """The mean of a class at a node, after one more step of relaxation there."""
    own = PairedNode(system.diagonal[node], system.link[node], fields.root, fields.labels[node])
    return relaxed_mean(
        own, fields.pairs[c, node, 0], fields.residual[c, node, 0], fields.residual[c, node, 1]
    )


@inner_kernel
def relaxed_mean(own: PairedNode, f: float, first: float, second: float) -> float:
    """A mean f after one more step, from the residuals of both fields at the node."""
    a, b, root, labels = own
    scale = 1.0 / (a * a + b * root * labels)
    mean = f + (a * first + b * second) * scale
    return mean if abs(mean) <= FAR else 0.0


@kernel
def _read(system: PairedSystem, fields: PairArrays, nodes: Any, result: Any) -> None:
    """The means at several nodes, one row each."""
    for c in range(result.shape[1]):
        for k in range(len(nodes)):
            result[k, c] = _mean(system, fields, nodes[k], c)


@kernel
def _read_one(system: PairedSystem, fields: PairArrays, node: int, result: Any) -> None:
    """The means of all classes at a node."""
    for c in range(len(result)):
        result[c] = _mean(system, fields, node, c)


@kernel
def _learn(
    system: PairedSystem,
    fields: PairArrays,
    queue: Queue,
    plan: Any,
    begun: Any,
    node: int,
    code: int,
    notes: Any = None,
) -> None:
    """Take a label and carry it on; what fields held is left in `notes`, where they are given.

    Where a class has no label yet, everything of it is 0 and stays so.
    """
    pairs, residual, labels, root = fields
    begun[code] = True
    labels[node] += 1.0
    plan[LEARNT] += 1.0
    count = len(labels)
    piece = count / (plan[LEARNT] * (EARLY_PACE if SPARSE * plan[LEARNT] < count else PACE))
    first = int(plan[PLACE]) % count if piece < count else 0
    last = min(first + int(piece) + 1, count)
    plan[PLACE] = last % count
    tol = LOOSE if piece < count else plan[TOLERANCE]
    for c in range(len(pairs)):
        if not begun[c]:
            continue
        if notes is not None:
            begin_notes(notes, c * len(labels))
            _note(notes, queue, pairs[c], residual[c], node)
        residual[c, node, 1] += root * ((1.0 if c == code else 0.0) - pairs[c, node, 0])
        tail = join(queue, 0, node, _exceeds(residual[c], node, tol * system.diagonal[node]))
        for v in range(first, last):
            wanted = _exceeds(residual[c], v, plan[TOLERANCE] * system.diagonal[v])
            if notes is not None and wanted:
                _note(notes, queue, pairs[c], residual[c], v)
            tail = join(queue, tail, v, wanted)
        _relax(system, PairArrays(pairs[c], residual[c], labels, root), queue, tail, tol, notes)


@kernel
def _note(notes: Any, queue: Queue, pairs: Any, residual: Any, node: Any) -> None:
    """Note the pair of a node and its residuals, unless that was done for this class."""
    if queue.waiting[node] & NOTED == 0:
        note_pair(notes, queue, node, pairs[node, 0], pairs[node, 1])
        notes.values[notes.used[0] - 1, 2] = residual[node, 0]
        notes.values[notes.used[0] - 1, 3] = residual[node, 1]


@kernel
def _exceeds(residual: Any, node: Any, limit: float) -> Any:
    """Whether one of the two residuals of a node is above a limit."""
    return (abs(residual[node, 0]) > limit) | (abs(residual[node, 1]) > limit)


@kernel
def _relax(
    system: PairedSystem, fields: PairArrays, queue: Queue, tail: int, tol: float, notes: Any = None
) -> None:
    """Relax the first `tail` nodes of the queue for one class, and those beyond the tolerance after that.

    The nodes of the queue have been noted, where there are `notes`.
    """
    indptr, indices, weights, diagonal, link = system
    pairs, residual, labels, root = fields
    head, left = 0, MOST * len(pairs)
    while head < tail:
        u, head = leave(queue, head)
        if notes is not None:
            queue.waiting[u] = NOTED
        if left == 0:
            continue
        left -= 1
        a, b, feedback = diagonal[u], link[u], root * labels[u]
        scale = 1.0 / (a * a + b * feedback)
        first, second = residual[u, 0], residual[u, 1]
        f, g = (a * first + b * second) * scale, (a * second - feedback * first) * scale
        pairs[u, 0] += f
        pairs[u, 1] += g
        residual[u, 0] = 0.0
        residual[u, 1] = 0.0
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + np.uint64(1)])):
            v = np.uint64(indices[p])
            if notes is not None:
                _note(notes, queue, pairs, residual, v)
            residual[v, 0] += weights[p] * f
            residual[v, 1] += weights[p] * g
            tail = join(queue, tail, v, _exceeds(residual, v, tol * diagonal[v]))
    if notes is not None:
        end_notes(notes, queue)


@kernel
def _learn_in_order(
    system: PairedSystem,
    fields: PairArrays,
    queue: Queue,
    plan: Any,
    begun: Any,
    nodes: Any,
    codes: Any,
    values: Any,
) -> None:
    """Read the means at a node, reveal its class, go on to the next."""
    for t in range(len(nodes)):
        _read_one(system, fields, nodes[t], values[t])
        _learn(system, fields, queue, plan, begun, nodes[t], codes[t])
