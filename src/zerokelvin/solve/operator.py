"""The matrices that are solved with: L, L + εI, and their degree-scaled forms.

With L = D − A (D the absolute degrees where weights are negative) and ε = `shift`,

    plain:       L + εI
    normalized:  Lₙ + εI,   Lₙ = D^(−1/2) L D^(−1/2).

Both are S⁻¹ (L + E) S⁻¹ with a diagonal scaling S (1 or D^(1/2)) and a diagonal excess E ≥ 0 (εI or
εD), so every engine only ever sees a Laplacian with excess. Where ε = 0 each balanced component is
singular with null vector S·signs, and solving means applying the pseudo-inverse: the right-hand side
and the solution are projected off the null vectors. A node without edges counts as scaling 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.graph.canonical import Csr
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.machine.products import MatrixRows
from zerokelvin.solve.action import Action
from zerokelvin.solve.balance import Balance, balance

__all__ = ["Operator"]


@dataclass(frozen=True)
class Operator:
    """L + εI of a graph, or its normalized form.

    Examples
    --------
    >>> line = Graph.from_edges([(0, 1), (1, 2)])
    >>> Operator(line, shift=0.5).apply(np.array([1.0, 0.0, 0.0]))
    array([ 1.5, -1. ,  0. ])
    """

    graph: Graph
    shift: float = 0.0
    normalized: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.shift) and self.shift >= 0):
            raise ParameterError(f"shift={self.shift} must be a finite number, at least 0.")

    @cached_property
    def camps(self) -> Balance:
        """Null vectors of the graph's components."""
        return balance(self.graph)

    @cached_property
    def scale(self) -> Floats:
        """The diagonal of S: square roots of the degrees where normalized, else ones."""
        if not self.normalized:
            return np.ones(self.graph.num_nodes)
        return np.sqrt(np.where(self.graph.degrees > 0, self.graph.degrees, 1.0))

    @cached_property
    def excess(self) -> Floats:
        """The diagonal of E, one number per node."""
        return self.shift * self.scale**2

    @cached_property
    def singular(self) -> NDArray[np.bool_]:
        """Whether each component is singular: balanced, and without shift."""
        return self.camps.balanced & (self.shift == 0)

    @cached_property
    def is_singular(self) -> bool:
        """Whether some component is singular."""
        return bool(self.singular.any())

    @cached_property
    def null(self) -> Floats:
        """Null vectors of all singular components in one array, each of length 1; 0 elsewhere."""
        vector = self.camps.signs * self.scale
        squares = np.bincount(self.graph.components, vector**2)
        inside = self.singular / np.sqrt(squares)
        return vector * inside[self.graph.components]

    @property
    def matrix(self) -> sp.csr_array:
        """The operator as a sparse matrix."""
        return self.action.matrix

    @cached_property
    def action(self) -> Action:
        """What the operator does to vectors in the order of the graph's nodes."""
        matrix = self._matrix(None)
        matrix.sort_indices()
        return self._action(matrix, self.null, self.graph.components)

    def renumbered(self, order: Ints) -> Action:
        """What it does to vectors in another order of the nodes."""
        return self._action(self._matrix(order), self.null[order], self.graph.components[order])

    def apply(self, value: Floats) -> Floats:
        """The operator times a vector (n,) or a block (n, k)."""
        return self.action.apply(value)

    def project(self, value: Floats) -> Floats:
        """`value` less its part along the null vectors, as a new array unless nothing is singular."""
        return self.action.project(value)

    def _action(self, matrix: sp.csr_array, null: Floats, components: Ints) -> Action:
        centres = not self.normalized and self.graph.num_components == 1 and not self.graph.is_signed
        return Action(matrix, null, components, self.graph.num_components, self.is_singular, centres)

    def _matrix(self, order: Ints | None) -> sp.csr_array:
        graph, size = self.graph, self.graph.num_nodes
        entries = len(graph.indices) + size
        kind = np.int32 if entries <= np.iinfo(np.int32).max else np.int64
        starts, places, data = np.empty(size + 1, kind), np.empty(entries, kind), np.full(entries, np.nan)
        if order is None:
            order = position = np.arange(size)
        else:
            position = np.empty(size, dtype=np.int64)
            position[order] = np.arange(size)
        diagonal = graph.degrees / self.scale**2 + self.shift
        _fill(graph.csr, order, position, diagonal, self.scale, MatrixRows(starts, places, data))
        return sp.csr_array((data, places, starts), shape=(size, size))


@kernel
def _fill(csr: Csr, order: Ints, position: Ints, diagonal: Floats, scale: Floats, made: MatrixRows) -> None:
    """Write the matrix to `made`, with row i and column i those of the node order[i]."""
    indptr, indices, weights = csr
    starts, places, data = made
    free = 0
    for i in range(len(order)):
        starts[i] = free
        node = order[i]
        places[free] = i
        data[free] = diagonal[node]
        free += 1
        for p in range(indptr[node], indptr[node + 1]):
            other = indices[p]
            places[free] = position[other]
            data[free] = -weights[p] / (scale[node] * scale[other])
            free += 1
    starts[len(order)] = free
