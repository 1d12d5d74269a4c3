"""A matrix with its null vectors: products, projections and true residuals, in any numbering of the nodes.

An `Operator` gives its action in the order in which the graph's nodes come, or in an engine's order, in which
neighbours lie close in memory. A solve takes its right-hand side to that order once and its solution back
once; everything between is done there, the check of the true residual too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import WIDTHS, lanes_of
from zerokelvin.machine.products import (
    Unsigned,
    fetched,
    residual_square,
    residual_squares,
    rows_of,
    unsigned,
)
from zerokelvin.machine.rows import add, add_products, sums_for, total

__all__ = ["Action", "inner_products"]


@dataclass(frozen=True)
class Action:
    """What a symmetric matrix does to vectors and to blocks.

    Attributes
    ----------
    matrix
        The matrix.
    null
        Null vectors of all singular components in one array, each of length 1; 0 elsewhere.
    components, count
        The component of every node, and how many there are.
    is_singular
        Whether some component is singular.
    centres
        Whether projecting is taking off the mean: the common case, at a third of the price.
    """

    matrix: sp.csr_array
    null: Floats
    components: Ints
    count: int
    is_singular: bool
    centres: bool

    @cached_property
    def _unsigned(self) -> Unsigned:
        return unsigned(self.matrix)

    def apply(self, value: Floats) -> Floats:
        """The matrix times a vector (n,) or a block (n, k)."""
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
        elif self.centres:
            value -= value.mean(axis=0)
        else:
            columns = value.reshape(len(value), -1)
            _project(self.null, self.components, self.count, columns)
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
        if self.centres:
            return _centre_block(lanes, value)
        part = np.zeros((self.count, len(lanes)))
        return _project_block(lanes, self.null, self.components, part, value)

    def take_off(self, vector: Floats, shares: Floats, places: Ints, value: Floats) -> None:
        """Take a share of a vector (n,) from each of k columns, in the component of the node at its place.

        `shares` and `places` have shape (k,) and `value`, which is changed in place, (n, k); or () and (n,).
        """
        if self.count == 1 and value.ndim == 1:
            value -= vector * float(shares)
            return
        if self.count == 1 and value.shape[1] in WIDTHS:
            _take_off_block(lanes_of(value), vector, -shares.reshape(1, -1), value)
            return
        own = self.components[places].reshape(-1)
        _take_off(vector, shares.reshape(-1), self.components, own, value.reshape(len(value), -1))

    def residual_norms(self, right: Floats, value: Floats) -> Floats:
        """‖b − Mx‖ of a vector or of every column of a block."""
        if value.ndim == 1:
            return np.asarray(np.sqrt(residual_square(self._unsigned, right, value)))
        if value.shape[1] not in WIDTHS:
            product = self.apply(value)
            np.subtract(right, product, out=product)
            return _norms(product)
        rows = rows_of(self.matrix)
        return np.sqrt(residual_squares(lanes_of(value), rows, fetched(rows, value), right, value))


def _norms(value: Floats) -> Floats:
    """Euclidean norm of a vector, or of every column of a block, without a copy of it."""
    squares = np.einsum("i,i->" if value.ndim == 1 else "ij,ij->j", value, value)  # on this thread alone
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
def _take_off(vector: Any, shares: Any, components: Any, own: Any, value: Any) -> None:
    """Set value_ic −= vector_i · shares_c wherever node i is of component own_c."""
    for i in range(len(vector)):
        for c in range(len(shares)):
            if components[i] == own[c]:
                value[i, c] -= vector[i] * shares[c]


@kernel
def _take_off_block(lanes: Any, vector: Any, shares: Any, value: Any) -> None:
    """The same where there is one component: value_i += vector_i · shares, given with the sign turned."""
    for i in range(len(vector)):
        add(lanes, value, i, vector[i], shares, 0)


@kernel
def inner_products(lanes: Any, left: Any, right: Any) -> Any:
    """The inner products of the columns of two blocks."""
    sums = sums_for(lanes)
    for i in range(len(left)):
        add_products(lanes, sums, 1.0, left, i, right, i)
    return total(sums)


@kernel
def _centre_block(lanes: Any, value: Any) -> Any:
    """Take the mean off every column of a block (n, k); squared norms before and after, each (k,)."""
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
    """`_project` for a block (n, k), in place; `part` is zeros (components, k); as `_centre_block`."""
    before, after = sums_for(lanes), sums_for(lanes)
    for i in range(len(null)):
        add(lanes, part, components[i], null[i], value, i)
        add_products(lanes, before, 1.0, value, i, value, i)
    for i in range(len(null)):
        add(lanes, value, i, -null[i], part, components[i])
        add_products(lanes, after, 1.0, value, i, value, i)
    return total(before), total(after)
