"""From an operator to the system that an engine sees: leaves eliminated, nodes renumbered.

Leaf elimination is exact and loses nothing to rounding: with a leaf i of excess e hanging from p by an
edge of weight w,

    x_i = (f_i + w·x_p) / (|w| + e),   f_p += w·f_i / (|w| + e),   e_p += |w|·e / (|w| + e),

no subtraction anywhere. Repeated, it solves forests outright and strips the whiskers off other graphs;
what remains is the 2-core. Internal positions are: peeled nodes, children before parents; the roots of
tree components; the core in reverse Cuthill–McKee order, which keeps neighbours close in memory.

Above 300 lines: entering, leaving and laying out mirror each other, for one column and for blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import Part, empty_block, lanes_of
from zerokelvin.machine.products import Unsigned, unsigned
from zerokelvin.machine.rows import add, move, put
from zerokelvin.solve.operator import Operator

__all__ = ["Core", "Layout", "lay_out", "substitute_one"]


@dataclass(frozen=True)
class Core:
    """The system (D − A + E) x = f left to an engine.

    Attributes
    ----------
    adjacency
        A, without diagonal; rows sorted; negative entries only in components that are not balanced.
    excess, diagonal
        The diagonal of E, and that of D + E.
    components, singular
        The component of every node, and which components are singular.
    """

    adjacency: sp.csr_array
    excess: Floats
    diagonal: Floats
    components: Ints
    singular: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.diagonal)

    @cached_property
    def matrix(self) -> sp.csr_array:
        """The whole matrix D − A + E."""
        return sp.csr_array(sp.diags_array(self.diagonal) - self.adjacency)

    @cached_property
    def unsigned(self) -> Unsigned:
        """The matrix as products with one vector read it."""
        return unsigned(self.matrix)


@dataclass(frozen=True)
class Layout:
    """Internal numbering, the peeled part, and the core.

    Attributes
    ----------
    order, position
        The node at every internal position, and the internal position of every node.
    parent, coupling, pivot
        Per peeled position: position of its parent, w / (|w| + e), and |w| + e.
    roots
        Excess of the roots of tree components, 0 where singular.
    factors
        signs · S per position: multiply a right-hand side going in and a solution coming out; None
        where all are 1.
    """

    order: Ints
    position: Ints
    parent: Ints
    coupling: Floats
    pivot: Floats
    roots: Floats
    factors: Floats | None
    core: Core

    def take(self, right: Floats) -> Floats:
        """A vector (n,) by node, in internal order."""
        return right.take(self.order)

    def place(self, value: Floats) -> Floats:
        """A vector in the order of the graph's nodes."""
        return value.take(self.position)

    def take_part(self, right: Floats, part: Part, out: Floats) -> None:
        """Some columns of a block, in internal order; columns that `out` has too many are 0."""
        wide = part.stop - part.start
        if wide < part.width:
            out[:, wide:] = 0.0
            _copy_rows(self.order, right, part.start, out, 0, wide)
        else:
            _move_rows(lanes_of(out), self.order, right, part.start, out, 0)

    def place_part(self, value: Floats, part: Part, out: Floats) -> None:
        """Write columns in internal order to some columns of a block in the order of the graph's nodes."""
        wide = part.stop - part.start
        if wide < part.width:
            _copy_rows(self.position, value, 0, out, part.start, wide)
        else:
            _move_rows(lanes_of(value), self.position, value, 0, out, part.start)

    def enter(self, right: Floats, out: Floats | None = None) -> Floats:
        """A right-hand side in internal order with the peeled nodes eliminated.

        A vector, or a block of one of the widths of `machine.blocks`; that may be written to `out`.
        """
        if right.ndim == 1:
            value: Floats = right.copy() if self.factors is None else right * self.factors
            _eliminate_one(self.parent, self.coupling, value)
        else:
            value = empty_block(*right.shape) if out is None else out
            _eliminate_block(lanes_of(right), self.parent, self.coupling, self._factors, right, value)
        return value

    def leave(self, value: Floats) -> Floats:
        """From core and eliminated right-hand side to a solution in internal order, in place."""
        peeled, rooted = len(self.parent), len(self.parent) + len(self.roots)
        value[peeled:rooted] = (value[peeled:rooted].T * self._inverse_roots).T
        if value.ndim == 1:
            substitute_one(self.parent, self.coupling, self.pivot, value)
            if self.factors is not None:
                value *= self.factors
        else:
            lanes = lanes_of(value)
            _substitute_block(lanes, self.parent, self.coupling, self.pivot, value)
            if self.factors is not None:
                _scale_rows(lanes, self.factors, value)
        return value

    @cached_property
    def _inverse_roots(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.where(self.roots > 0, 1 / self.roots, 0.0)

    @cached_property
    def _factors(self) -> Floats:
        """`factors`, or an empty array in its stead."""
        return np.empty(0) if self.factors is None else self.factors


def lay_out(operator: Operator) -> Layout:
    """Take off leaves, renumber the rest and switch its signs; see the module."""
    graph = operator.graph
    signs = operator.camps.signs
    weights = graph.weights
    if graph.is_signed:
        rows = np.repeat(np.arange(graph.num_nodes), np.diff(graph.indptr))
        weights = weights * signs[rows] * signs[graph.indices]
    above, pull, order, excess = _peel(Csr(graph.indptr, graph.indices, weights), operator.excess)
    peeled = len(order)
    rest = np.flatnonzero(above < 0)
    inside = np.zeros(graph.num_nodes, dtype=bool)
    inside[rest] = True
    within = sp.csr_array((weights, graph.indices, graph.indptr), shape=(graph.num_nodes,) * 2)
    if peeled:
        within = within[rest][:, rest]
    lonely = np.diff(within.indptr) == 0
    roots, kept = rest[lonely], rest[~lonely]
    if len(roots):
        within = within[~lonely][:, ~lonely]
    within = sp.csr_array(
        (within.data, within.indices.astype(np.int32), within.indptr.astype(np.int32)), shape=within.shape
    )
    if len(kept):
        shuffle = sp.csgraph.reverse_cuthill_mckee(within, symmetric_mode=True)
        within = within[shuffle][:, shuffle]
        within.sort_indices()
        kept = kept[shuffle]
    order = np.concatenate([order, roots, kept])
    position = np.full(graph.num_nodes, -1)
    position[order] = np.arange(graph.num_nodes)
    first = order[:peeled]
    pivot = np.abs(pull[first]) + excess[first]
    _, components = np.unique(graph.components[kept], return_inverse=True)
    names = np.unique(graph.components[kept])
    sums: Floats = np.asarray(abs(within).sum(axis=1)).ravel()
    core = Core(sp.csr_array(within), excess[kept], sums + excess[kept], components, operator.singular[names])
    return Layout(
        order,
        position,
        position[above[first]],
        pull[first] / pivot,
        pivot,
        excess[roots],
        (signs * operator.scale)[order] if operator.normalized or graph.is_signed else None,
        core,
    )


class Peeled(NamedTuple):
    """What eliminating leaves found: per node its parent, −1 where it is left, and the weight of that edge.

    `order` are the eliminated nodes, children before parents; `excess` is that of all nodes afterwards.
    """

    above: Ints
    pull: Floats
    order: Ints
    excess: Floats


@kernel
def _peel(csr: Csr, excess: Floats) -> Peeled:
    """Eliminate leaves until none is left."""
    indptr, indices, weights = csr
    n = len(indptr) - 1
    excess = excess.copy()
    degree = np.empty(n, np.int64)
    above = np.full(n, -1, np.int64)
    pull = np.zeros(n)
    queue = np.empty(n, np.int64)
    tail = 0
    for i in range(n):
        degree[i] = indptr[i + 1] - indptr[i]
        if degree[i] == 1:
            queue[tail] = i
            tail += 1
    at = 0
    while at < tail:
        i = queue[at]
        at += 1
        if degree[i] != 1:
            continue
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if degree[j] > 0:
                above[i] = j
                pull[i] = weights[p]
                excess[j] += abs(weights[p]) * (excess[i] / (abs(weights[p]) + excess[i]))
                degree[i] = 0
                degree[j] -= 1
                if degree[j] == 1:
                    queue[tail] = j
                    tail += 1
                break
    # breadth first from what remains, so that parents lie in memory in the order they are needed
    starts = np.zeros(n + 1, np.int64)
    for i in range(n):
        if above[i] >= 0:
            starts[above[i] + 1] += 1
    for i in range(n):
        starts[i + 1] += starts[i]
    fill = starts[:n].copy()
    children = np.empty(starts[n], np.int64)
    for i in range(n):
        if above[i] >= 0:
            children[fill[above[i]]] = i
            fill[above[i]] += 1
    count = starts[n]
    order = np.full(count, -1)
    free = count
    for i in range(n):
        if above[i] < 0:
            for p in range(starts[i], starts[i + 1]):
                free -= 1
                order[free] = children[p]
    at = count
    while at > free:
        at -= 1
        i = order[at]
        for p in range(starts[i], starts[i + 1]):
            free -= 1
            order[free] = children[p]
    return Peeled(above, pull, order, excess)


@kernel
def _eliminate_one(parent: Any, coupling: Any, value: Any) -> None:
    """From the leaves to the roots, f_parent += coupling_i · f_i, in place, for a vector (n,)."""
    for i in range(len(parent)):
        value[parent[i]] += coupling[i] * value[i]


@kernel
def substitute_one(parent: Any, coupling: Any, pivot: Any, value: Any) -> Any:
    """From the roots to the leaves, x_i = f_i / pivot_i + coupling_i · x_parent, in place."""
    for i in range(len(parent) - 1, -1, -1):
        value[i] = value[i] / pivot[i] + coupling[i] * value[parent[i]]


@kernel
def _eliminate_block(lanes: Any, parent: Any, coupling: Any, factors: Any, right: Any, value: Any) -> Any:
    """Set value = factors·right with the peeled nodes eliminated, in one pass.

    The parents of peeled nodes ascend as long as they are peeled themselves, so a node finds its children,
    all finished, where the last node's ended; what hangs from roots and from the core comes last.
    """
    scaled = len(factors) > 0
    peeled = len(parent)
    child = 0
    for i in range(len(value)):
        put(lanes, value, i, factors[i] if scaled else 1.0, right, i)
        while child < peeled and parent[child] == i:
            add(lanes, value, i, coupling[child], value, child)
            child += 1
    for i in range(child, peeled):
        add(lanes, value, parent[i], coupling[i], value, i)


@kernel
def _substitute_block(lanes: Any, parent: Any, coupling: Any, pivot: Any, value: Any) -> None:
    """`substitute_one` for a block (n, k), in place."""
    for i in range(len(parent) - 1, -1, -1):
        put(lanes, value, i, 1.0 / pivot[i], value, i)
        add(lanes, value, i, coupling[i], value, parent[i])


@kernel
def _scale_rows(lanes: Any, factors: Any, value: Any) -> None:
    """Multiply every row of a block (n, k) by its factor, in place."""
    for i in range(len(value)):
        put(lanes, value, i, factors[i], value, i)


@kernel
def _move_rows(lanes: Any, rows: Any, source: Any, first: Any, out: Any, start: Any) -> Any:
    """Set row i of `out`, from column `start` on, to row rows[i] of `source` from column `first` on."""
    for i in range(len(rows)):
        move(lanes, out, i * out.shape[1] + start, source, rows[i] * source.shape[1] + first)


@kernel
def _copy_rows(rows: Any, source: Any, first: Any, out: Any, start: Any, wide: Any) -> Any:
    """Set `wide` columns of `out`, from `start` on, to those of rows rows[i] of `source`, from `first` on."""
    for i in range(len(rows)):
        for c in range(wide):
            out[i, start + c] = source[rows[i], first + c]
