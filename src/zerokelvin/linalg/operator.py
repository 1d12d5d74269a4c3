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
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.linalg.balance import Balance, balance
from zerokelvin.linalg.blocks import WIDTHS, lanes_of
from zerokelvin.linalg.rows import add, add_products, set_row, sums_for, total

__all__ = ["Operator", "inner_products"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


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
        """The diagonal of E."""
        return self.shift * self.scale**2

    @cached_property
    def singular(self) -> NDArray[np.bool_]:
        """Which components are singular."""
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

    @cached_property
    def _centres(self) -> bool:
        """Whether projecting is taking off the mean: the common case, at a third of the price."""
        return not self.normalized and self.graph.num_components == 1 and not self.graph.is_signed

    @cached_property
    def matrix(self) -> sp.csr_array:
        """The operator as a sparse matrix."""
        inverse = sp.diags_array(1 / self.scale)
        laplacian = self.graph.laplacian()
        scaled = inverse @ laplacian @ inverse if self.normalized else laplacian
        shifted = sp.csr_array(scaled + self.shift * sp.eye_array(self.graph.num_nodes))
        if shifted.nnz >= np.iinfo(np.int32).max:
            return shifted
        starts, places = shifted.indptr.astype(np.int32), shifted.indices.astype(np.int32)
        return sp.csr_array((shifted.data, places, starts), shape=shifted.shape)

    def apply(self, value: Floats) -> Floats:
        """The operator times a vector (n,) or a block (n, k)."""
        product: Floats = self.matrix @ value
        return product

    def project(self, value: Floats) -> Floats:
        """`value` less its part along the null vectors, as a new array unless nothing is singular."""
        return self.project_in_place(value.copy()) if self.is_singular else value

    def project_in_place(self, value: Floats) -> Floats:
        """The same in the array given, which must be C-contiguous."""
        if not self.is_singular:
            return value
        if value.ndim == 2 and value.shape[1] in WIDTHS:
            self._project_block(value)
        elif self._centres:
            value -= value.mean(axis=0)
        else:
            columns = value.reshape(len(value), -1)
            _project(self.null, self.graph.components, self.graph.num_components, columns)
        return value

    def project_measured(self, value: Floats) -> tuple[Floats, Floats]:
        """The same, with the Euclidean norms of all columns before and after."""
        if value.ndim == 2 and value.shape[1] in WIDTHS:
            before, after = self._project_block(value)
            return np.sqrt(before), np.sqrt(after)
        before = _norms(value)
        return before, _norms(self.project_in_place(value))

    def _project_block(self, value: Floats) -> tuple[Floats, Floats]:
        """Project a block; its squared norms before and after."""
        lanes = lanes_of(value)
        if not self.is_singular:
            squares = inner_products(lanes, value, value)
            return squares, squares
        if self._centres:
            return _centre_block(lanes, value)
        part = np.zeros((self.graph.num_components, len(lanes)))
        return _project_block(lanes, self.null, self.graph.components, part, value)

    def residual_norms(self, right: Floats, value: Floats) -> Floats:
        """‖b − Mx‖ of a vector or of every column of a block."""
        if value.ndim == 1 or value.shape[1] not in WIDTHS:
            product = self.apply(value)
            np.subtract(right, product, out=product)
            return _norms(product)
        csr = (self.matrix.indptr, self.matrix.indices, self.matrix.data)
        return np.sqrt(_residual_squares(lanes_of(value), csr, right, value))


def _norms(value: Floats) -> Floats:
    """Euclidean norm of a vector, or of every column of a block, without a copy of it."""
    squares = np.dot(value, value) if value.ndim == 1 else np.einsum("ij,ij->j", value, value)
    return np.asarray(np.sqrt(squares))


@kernel
def _project(null: Any, components: Any, count: int, value: Any) -> Any:
    """Remove from every component its part along the null vector, in place."""
    many = value.shape[1]
    part = np.zeros((count, many))
    for i in range(len(null)):
        for c in range(many):
            part[components[i], c] += null[i] * value[i, c]
    for i in range(len(null)):
        for c in range(many):
            value[i, c] -= null[i] * part[components[i], c]


@kernel
def inner_products(lanes: Any, left: Any, right: Any) -> Any:
    """The inner products of the columns of two blocks."""
    sums = sums_for(lanes)
    for i in range(len(left)):
        add_products(lanes, sums, 1.0, left, i, right, i)
    return total(sums)


@kernel
def _centre_block(lanes: Any, value: Any) -> Any:
    sums, before, after = sums_for(lanes), sums_for(lanes), sums_for(lanes)
    for i in range(len(value)):
        add(lanes, sums, i & 3, 1.0, value, i)
        add_products(lanes, before, 1.0, value, i, value, i)
    sums[0] = total(sums) / len(value)
    for i in range(len(value)):
        add(lanes, value, i, -1.0, sums, 0)
        add_products(lanes, after, 1.0, value, i, value, i)
    return total(before), total(after)


@kernel
def _project_block(lanes: Any, null: Any, components: Any, part: Any, value: Any) -> Any:
    before, after = sums_for(lanes), sums_for(lanes)
    for i in range(len(null)):
        add(lanes, part, components[i], null[i], value, i)
        add_products(lanes, before, 1.0, value, i, value, i)
    for i in range(len(null)):
        add(lanes, value, i, -null[i], part, components[i])
        add_products(lanes, after, 1.0, value, i, value, i)
    return total(before), total(after)


@kernel
def _residual_squares(lanes: Any, csr: Any, right: Any, value: Any) -> Any:
    indptr, indices, data = csr
    sums = sums_for(lanes)
    rows = sums_for(lanes)
    for i in range(len(indptr) - 1):
        k = i & 3
        set_row(lanes, rows, k, value, indices, data, indptr[i], indptr[i + 1])
        add(lanes, rows, k, -1.0, right, i)
        add_products(lanes, sums, 1.0, rows, k, rows, k)
    return total(sums)
