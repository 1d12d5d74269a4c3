"""Gaussian regression on the squared walk kernel A⁻¹ D A⁻¹, A = L + εD, by relaxing a pair of fields.

A⁻¹ D counts the visits of a random walk that stops with probability ε / (1 + ε) at every step, wherever it
stands; the squared kernel weighs a path of k steps by k + 1 and so looks further than A⁻¹, which pays where
labels are few. With n_i labels at node i of which y_ic are of class c, noise μ and s = 1/√μ, the posterior
mean f_c solves A D⁻¹ A f = s² (y − N f). Relaxing that would reach over two edges at a time. Instead a
second field g_c is kept beside f_c,

    A f = s D g,        A g = s (y − N f),

and with a_i = (1 + ε) d_i a node is relaxed by solving its own two equations,

    [   a_i    −s d_i ] [ δf ]   [ r_i ]
    [  s n_i     a_i  ] [ δg ] = [ q_i ]    for the residuals r of the first and q of the second,

after which the residuals of its neighbours change by w (δf, δg): O(degree · classes).

A label is carried at once as far as a residual exceeds `LOOSE` · a_i. When the labels have become a fifth
more (half more, while fewer than one node in fifty has one), all residuals above `tol` · a_i are relaxed
together, which is far cheaper than to carry each label that far alone: the passes over all nodes number
O(log n).

That relaxation ends is no theorem, for the pair is not diagonally dominant; with ε = 0.1 it did on
thousands of graphs, with weights over eight orders of magnitude and noise from 10⁻⁶ to 1. It is cut off
after `MOST` · n nodes, which small ε on long chains need more than, and a mean beyond ±`FAR`, which
regression on 0 and 1 does not give, counts as no evidence.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import join, leave, new_queue
from zerokelvin.learners.auto.evidence_game import EvidenceGame

__all__ = ["PairedFields"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

LOOSE = 0.002
GROWTH, EARLY_GROWTH = 1.2, 1.5
SPARSE = 50
MOST = 200
FAR = 2.0


class PairedFields(EvidenceGame):
    """The posterior means of all classes; a node without edges counts as of degree 1.

    Parameters
    ----------
    graph, classes
        The graph, and the number of classes.
    epsilon, mu
        The kernel and its noise.
    tol
        Residual of an equation, over its diagonal, that is left alone in a pass over all nodes.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> fields = PairedFields(line, 2, epsilon=0.1, mu=1.0, tol=1e-6)
    >>> fields.learn(0, 0)
    >>> fields.learn(3, 1)
    >>> first, second = fields.evidence([1])[0]
    >>> bool(first > second)
    True
    """

    def __init__(self, graph: Graph, classes: int, epsilon: float, mu: float, tol: float) -> None:
        super().__init__(classes)
        count, adjacency = graph.num_nodes, graph.adjacency
        degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
        self.counts = np.zeros((count, classes))  # labels of each class at each node
        self._csr = (adjacency.indptr.astype(np.int64), adjacency.indices.astype(np.int64), adjacency.data)
        root = 1.0 / np.sqrt(mu)
        self._system = (graph.degrees + epsilon * degrees, root * degrees, np.zeros(count), root)
        self._fields = (np.zeros((count, 2 * classes)), np.zeros((count, 2 * classes)))
        self._ring = new_queue(count)
        # The tolerance, the labels so far, and how many there will be at the next pass.
        self._plan = np.array([tol, 0.0, 1.0])

    def evidence(self, nodes: Any) -> Floats:
        """The mean of every class at several nodes, (nodes, classes), relaxed once more where it is read."""
        result = np.full((len(nodes), self.classes), np.nan)
        _table(self._system, self._fields, np.asarray(nodes, dtype=np.int64), result)
        return result

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal that a node has class `code`."""
        self.counts[node, code] += 1.0
        _learn(self._csr, self._system, self._fields, self._ring, self._plan, node, code)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal the classes of nodes one after the other: the means before each, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _learn_in_order(self._csr, self._system, self._fields, self._ring, self._plan, nodes, codes, result)
        np.add.at(self.counts, (nodes, codes), 1.0)
        return result

    def parts(self) -> dict[str, NDArray[Any]]:
        """The labels, the fields with their residuals, and when the next pass is."""
        values, residual = self._fields
        return {
            "0/counts": self.counts,
            "0/values": values,
            "0/residual": residual,
            "0/labels": self._system[2],
            "0/plan": self._plan[1:],
        }

    def twin(self, kept: bool = False) -> PairedFields:
        """Other fields at the same place."""
        other = copy.copy(self)
        diagonal, link, labels, root = self._system
        other.counts, other._plan = self.counts.copy(), self._plan.copy()
        other._system = (diagonal, link, labels.copy(), root)
        other._fields = (self._fields[0].copy(), self._fields[1].copy())
        other._ring = new_queue(len(self.counts))
        return other

    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the mean of its class at `node`.

        The posterior mean is S y with S = s² (A D⁻¹ A + s² N)⁻¹ symmetric, so these are its column at `node`.
        """
        root = self._system[-1]
        column, residual = np.zeros((len(self.counts), 2)), np.zeros((len(self.counts), 2))
        residual[node, 1] = root
        queue = new_queue(len(self.counts))
        length = join(queue, 0, 0, node)
        _relax(self._csr, self._system, (column, residual), queue, length, self._plan[0])
        return np.ascontiguousarray(column[:, 0])


@kernel
def _read(system: Any, fields: Any, node: int, result: Any) -> None:
    diagonal, link, labels, root = system
    values, residual = fields
    classes = len(result)
    a, b = diagonal[node], link[node]
    scale = 1.0 / (a * a + b * root * labels[node])
    for c in range(classes):
        step = (a * residual[node, c] + b * residual[node, classes + c]) * scale
        mean = values[node, c] + step
        result[c] = mean if abs(mean) <= FAR else 0.0


@kernel
def _table(system: Any, fields: Any, nodes: Any, result: Any) -> None:
    for k in range(len(nodes)):
        _read(system, fields, nodes[k], result[k])


@kernel
def _learn(csr: Any, system: Any, fields: Any, ring: Any, plan: Any, node: int, code: int) -> None:
    """Take a label and carry it on."""
    diagonal, _, labels, root = system
    values, residual = fields
    classes = values.shape[1] // 2
    labels[node] += 1.0
    residual[node, classes + code] += root
    for c in range(classes):
        residual[node, classes + c] -= root * values[node, c]
    plan[1] += 1.0
    if plan[1] < plan[2]:
        _relax(csr, system, fields, ring, join(ring, 0, 0, node), LOOSE)
        return
    plan[2] = plan[1] * (EARLY_GROWTH if SPARSE * plan[1] < len(labels) else GROWTH)
    length = 0
    for v in range(len(labels)):
        if v == node or np.abs(residual[v]).max() > plan[0] * diagonal[v]:
            length = join(ring, 0, length, v)
    _relax(csr, system, fields, ring, length, plan[0])


@kernel
def _relax(csr: Any, system: Any, fields: Any, ring: Any, length: int, tol: float) -> None:
    """Relax the first `length` nodes of the ring, and those whose residuals then exceed the tolerance."""
    indptr, indices, weights = csr
    diagonal, link, labels, root = system
    values, residual = fields
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
    csr: Any, system: Any, fields: Any, ring: Any, plan: Any, nodes: Any, codes: Any, values: Any
) -> None:
    for t in range(len(nodes)):
        _read(system, fields, nodes[t], values[t])
        _learn(csr, system, fields, ring, plan, nodes[t], codes[t])
