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

after which the residuals of its neighbours change by w (δf, δg): O(degree · classes).

A label is carried at once as far as a residual exceeds `LOOSE` · a_i. When the labels have become a fifth
more (half more, while fewer than one node in fifty has one), all residuals above `tol` · a_i are relaxed
together, which is far cheaper than to carry each label that far alone: the passes over all nodes number
O(log n).

That relaxation ends is no theorem, for the pair is not diagonally dominant; with the kernels of `auto` it did
on thousands of graphs, with weights over eight orders of magnitude and noise from 10⁻⁶ to 1. It is cut off
after `MOST` · n nodes, which small ε on long chains need more than, and a mean beyond ±`FAR`, which
regression on 0 and 1 does not give, counts as no evidence.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.kernel_names import parse_kernel
from zerokelvin.kernels.relaxation_queue import join, leave, new_queue
from zerokelvin.learners.auto.evidence_game import EvidenceGame

__all__ = ["LOOSE", "PairArrays", "PairedFields", "PairedSystem", "paired_system"]


LOOSE = 0.002
GROWTH, EARLY_GROWTH = 1.2, 1.5
SPARSE = 50
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

    `values` has f of every class and then g of every class, `residual` what their equations leave, (nodes,
    2 · classes); `labels` counts those of every node, `root` is s.
    """

    values: Floats
    residual: Floats
    labels: Floats
    root: float


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
        shape = (count, 2 * classes)
        self.arrays = PairArrays(np.zeros(shape), np.zeros(shape), np.zeros(count), float(root))
        self._ring = new_queue(count)
        # The tolerance, the labels so far, and how many there will be at the next pass.
        self._plan = np.array([tol, 0.0, 1.0])

    def evidence(self, nodes: Any) -> Floats:
        """The mean of every class at several nodes, (nodes, classes), relaxed once more where it is read."""
        result = np.full((len(nodes), self.classes), np.nan)
        _table(self.system, self.arrays, np.asarray(nodes, dtype=np.int64), result)
        return result

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal that a node has class `code`."""
        self.counts[node, code] += 1.0
        _learn(self.system, self.arrays, self._ring, self._plan, node, code)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal the classes of nodes one after the other: the means before each, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _learn_in_order(self.system, self.arrays, self._ring, self._plan, nodes, codes, result)
        np.add.at(self.counts, (nodes, codes), 1.0)
        return result

    def parts(self) -> dict[str, NDArray[Any]]:
        """The labels, the fields with their residuals, and when the next pass is."""
        values, residual, labels, _ = self.arrays
        return {
            "0/counts": self.counts,
            "0/values": values,
            "0/residual": residual,
            "0/labels": labels,
            "0/plan": self._plan[1:],
        }

    def twin(self, kept: bool = False) -> PairedFields:
        """Other fields at the same place."""
        other = copy.copy(self)
        values, residual, labels, root = self.arrays
        other.counts, other._plan = self.counts.copy(), self._plan.copy()
        other.arrays = PairArrays(values.copy(), residual.copy(), labels.copy(), root)
        other._ring = new_queue(len(self.counts))
        return other

    def relax_from(self, nodes: Ints) -> None:
        """Relax nodes, each named once, and what they reach, as far as a label is carried at once."""
        ring, waiting = self._ring
        ring[: len(nodes)] = nodes
        waiting[nodes] = True
        _relax(self.system, self.arrays, self._ring, len(nodes), LOOSE)

    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the mean of its class at `node`.

        The posterior mean is S y with S = s² (A M⁻¹ A + s² N)⁻¹ symmetric, so these are its column at `node`.
        """
        shape, queue = (len(self.counts), 2), new_queue(len(self.counts))
        column = self.arrays._replace(values=np.zeros(shape), residual=np.zeros(shape))
        column.residual[node, 1] = column.root
        _relax(self.system, column, queue, join(queue, 0, 0, node), self._plan[0])
        return np.ascontiguousarray(column.values[:, 0])


@kernel
def _read(system: PairedSystem, fields: PairArrays, node: int, result: Any) -> None:
    """The means of all classes at a node, after one more step of relaxation there."""
    classes = len(result)
    a, b = system.diagonal[node], system.link[node]
    scale = 1.0 / (a * a + b * fields.root * fields.labels[node])
    for c in range(classes):
        step = (a * fields.residual[node, c] + b * fields.residual[node, classes + c]) * scale
        mean = fields.values[node, c] + step
        result[c] = mean if abs(mean) <= FAR else 0.0


@kernel
def _table(system: PairedSystem, fields: PairArrays, nodes: Any, result: Any) -> None:
    """The means at several nodes, one row each."""
    for k in range(len(nodes)):
        _read(system, fields, nodes[k], result[k])


@kernel
def _learn(system: PairedSystem, fields: PairArrays, ring: Any, plan: Any, node: int, code: int) -> None:
    """Take a label and carry it on."""
    values, residual, labels, root = fields
    classes = values.shape[1] // 2
    labels[node] += 1.0
    residual[node, classes + code] += root
    for c in range(classes):
        residual[node, classes + c] -= root * values[node, c]
    plan[1] += 1.0
    if plan[1] < plan[2]:
        _relax(system, fields, ring, join(ring, 0, 0, node), LOOSE)
        return
    plan[2] = plan[1] * (EARLY_GROWTH if SPARSE * plan[1] < len(labels) else GROWTH)
    length = 0
    for v in range(len(labels)):
        largest = 0.0
        for c in range(2 * classes):
            largest = max(largest, abs(residual[v, c]))
        if v == node or largest > plan[0] * system.diagonal[v]:
            length = join(ring, 0, length, v)
    _relax(system, fields, ring, length, plan[0])


@kernel
def _relax(system: PairedSystem, fields: PairArrays, ring: Any, length: int, tol: float) -> None:
    """Relax the first `length` nodes of the ring, and those whose residuals then exceed the tolerance."""
    indptr, indices, weights, diagonal, link = system
    values, residual, labels, root = fields
    waiting, width = ring[1], values.shape[1]
    classes = width // 2
    step = np.empty(width)
    head, left = 0, MOST * len(values)
    while length > 0:
        u, head, length = leave(ring, head, length)
        if left == 0:
            continue
        left -= 1
        a, b, feedback = diagonal[u], link[u], root * labels[u]
        scale = 1.0 / (a * a + b * feedback)
        for c in range(classes):
            first, second = residual[u, c], residual[u, classes + c]
            step[c] = (a * first + b * second) * scale
            step[classes + c] = (a * second - feedback * first) * scale
        for c in range(width):
            values[u, c] += step[c]
            residual[u, c] = 0.0
        for p in range(indptr[u], indptr[u + 1]):
            v = indices[p]
            largest = 0.0
            for c in range(width):
                residual[v, c] += weights[p] * step[c]
                largest = max(largest, abs(residual[v, c]))
            if not waiting[v] and largest > tol * diagonal[v]:
                length = join(ring, head, length, v)


@kernel
def _learn_in_order(
    system: PairedSystem, fields: PairArrays, ring: Any, plan: Any, nodes: Any, codes: Any, values: Any
) -> None:
    """Read the means at a node, reveal its class, go on to the next."""
    for t in range(len(nodes)):
        _read(system, fields, nodes[t], values[t])
        _learn(system, fields, ring, plan, nodes[t], codes[t])
