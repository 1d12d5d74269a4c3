"""Preconditioned conjugate gradients on a core, for one right-hand side or a block side by side.

Hestenes and Stiefel (1952). Each pass over memory does as much as it can: the two vector updates with the
new residual norms, the next direction with the diagonal (Jacobi) preconditioner. The columns of a block
share every pass over the matrix and the preconditioner but keep their own step lengths, so each is the
same iteration as alone; a column that has converged stands still. The recurrence stops at an absolute
target per column; whoever calls checks the true residual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel
from zerokelvin.linalg.layout import Core

__all__ = ["conjugate_gradients"]

Floats = NDArray[np.float64]
Precondition = Callable[[Floats], Floats]


def conjugate_gradients(
    core: Core, right: Floats, target: Floats, precondition: Precondition | None, limit: int
) -> tuple[Floats, int]:
    """Solve until every column's residual is at most its `target`, or `limit` iterations are spent.

    Parameters
    ----------
    core, right
        The system, and one right-hand side (n,) or several (n, k), orthogonal to its null vectors.
    target
        Residual norm at which each column stops.
    precondition
        Applies a symmetric positive definite approximate inverse; None is the diagonal's.
    limit
        Most iterations.

    Returns
    -------
    The value, and the iterations of the slowest column.
    """
    single = right.ndim == 1
    step: Any = _step_one if single else _step_block
    inner: Any = _inner_one if single else _inner_block
    advance: Any = _advance_one if single else _advance_block
    inverse = 1 / core.diagonal
    residual = right.copy()
    value = np.zeros_like(right)
    squares = np.asarray(inner(residual, residual))
    goal = np.asarray(target) ** 2
    if (squares <= goal).all():
        return value, 0
    direction = precondition(residual) if precondition is not None else (residual.T * inverse).T.copy()
    product = np.empty_like(direction)
    along = np.asarray(inner(residual, direction))
    iterations = 0
    while iterations < limit:
        iterations += 1
        if single:
            product = core.matrix @ direction
            curvature = np.asarray(inner(direction, product))
        else:
            matrix = core.matrix
            curvature = _multiply_block((matrix.indptr, matrix.indices, matrix.data), direction, product)
        active = (squares > goal) & (curvature > 0) & np.isfinite(curvature) & (along > 0)
        if not active.any():
            break
        length = np.where(active, along / np.where(active, curvature, 1.0), 0.0)
        before = along
        moved = step(length[()], inverse, direction, product, value, residual)
        squares, along = np.asarray(moved[0]), np.asarray(moved[1])
        if (squares <= goal).all():
            break
        if precondition is None:
            ratio = np.where(active, along / np.where(active, before, 1.0), 0.0)
            advance(ratio[()], residual, inverse, direction)
        else:
            auxiliary = precondition(residual)
            along = np.asarray(inner(residual, auxiliary))
            direction *= np.where(active, along / np.where(active, before, 1.0), 0.0)
            direction += auxiliary
    return value, iterations


@kernel
def _multiply_block(csr: Any, block: Any, product: Any) -> Any:
    """Write M·block into `product`; the inner products of their columns."""
    indptr, indices, data = csr
    many = block.shape[1]
    inner = np.zeros(many)
    row = np.empty(many)
    for i in range(len(indptr) - 1):
        for c in range(many):
            row[c] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            weight = data[p]
            for c in range(many):
                row[c] += weight * block[j, c]
        for c in range(many):
            product[i, c] = row[c]
            inner[c] += row[c] * block[i, c]
    return inner


@kernel
def _step_one(length: Any, inverse: Any, direction: Any, product: Any, value: Any, residual: Any) -> Any:
    """Take the step; the squared norm of the new residual, plain and in the inverse diagonal."""
    squares = 0.0
    along = 0.0
    for i in range(len(value)):
        value[i] += length * direction[i]
        left = residual[i] - length * product[i]
        residual[i] = left
        squares += left * left
        along += left * left * inverse[i]
    return squares, along


@kernel
def _step_block(length: Any, inverse: Any, direction: Any, product: Any, value: Any, residual: Any) -> Any:
    many = value.shape[1]
    squares = np.zeros(many)
    along = np.zeros(many)
    for i in range(len(value)):
        for c in range(many):
            value[i, c] += length[c] * direction[i, c]
            left = residual[i, c] - length[c] * product[i, c]
            residual[i, c] = left
            squares[c] += left * left
            along[c] += left * left * inverse[i]
    return squares, along


@kernel
def _advance_one(ratio: Any, residual: Any, inverse: Any, direction: Any) -> Any:
    for i in range(len(direction)):
        direction[i] = inverse[i] * residual[i] + ratio * direction[i]


@kernel
def _advance_block(ratio: Any, residual: Any, inverse: Any, direction: Any) -> Any:
    for i in range(len(direction)):
        for c in range(direction.shape[1]):
            direction[i, c] = inverse[i] * residual[i, c] + ratio[c] * direction[i, c]


@kernel
def _inner_one(left: Any, right: Any) -> Any:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@kernel
def _inner_block(left: Any, right: Any) -> Any:
    total = np.zeros(left.shape[1])
    for i in range(len(left)):
        for c in range(left.shape[1]):
            total[c] += left[i, c] * right[i, c]
    return total
