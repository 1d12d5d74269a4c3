"""Preconditioned conjugate gradients on a core, for one right-hand side or a block side by side.

Hestenes and Stiefel (1952). Each pass over memory does as much as it can: the new residual with its norms,
then the solution with the next direction and the diagonal (Jacobi) preconditioner. The columns of a block
share every pass over the matrix and the preconditioner but keep their own step lengths, so each is the
same iteration as alone; a column that has converged stands still, and once half of them do the others go
on in a block of half the width. The recurrence stops at an absolute target per column; whoever calls checks
the true residual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats
from zerokelvin.jit import kernel
from zerokelvin.machine.blocks import (
    WIDTHS,
    blocks_in,
    empty_block,
    lanes_of,
    place_columns,
    some_columns,
)
from zerokelvin.machine.products import fetched, multiply_block, multiply_one, rows_of
from zerokelvin.machine.rows import add, add_lanes, add_products, put, scale_lanes, sums_for, total
from zerokelvin.solve.action import inner_products
from zerokelvin.solve.layout import Core

__all__ = ["conjugate_gradients"]

Ints = NDArray[np.intp]
Precondition = Callable[[Floats, Floats | None], Floats]

NARROWING = 6  # iterations that pay for moving to a narrower block


def conjugate_gradients(
    core: Core,
    right: Floats,
    target: Floats,
    precondition: Precondition | None,
    limit: int,
    arrays: list[Floats] | None = None,
) -> tuple[Floats, int]:
    """Solve until every column's residual is at most its `target`, or `limit` iterations are spent.

    Parameters
    ----------
    core, right
        The system, and one right-hand side (n,) or a block of one of the widths of
        `zerokelvin.machine.blocks`, orthogonal to its null vectors; a block is overwritten with the value.
    target
        Residual norm at which each column stops.
    precondition
        Applies a symmetric positive definite approximate inverse, which may be written to the array given
        besides; None is the diagonal's.
    limit
        Most iterations.
    arrays
        Memory for blocks, as `zerokelvin.machine.blocks.Room` keeps it.

    Returns
    -------
    The value, and the iterations of the slowest column.
    """
    system: Any = (
        _Vector(core, right) if right.ndim == 1 else _Block(core, right, [] if arrays is None else arrays)
    )
    squares = first = system.squares()
    goal = np.broadcast_to(np.asarray(target) ** 2, squares.shape)
    if (squares <= goal).all():
        return system.result(), 0
    auxiliary = None if precondition is None else precondition(system.residual, system.spare)
    along = system.begin(auxiliary)
    iterations = 0
    while iterations < limit:
        iterations += 1
        curvature = system.multiply()
        active = (squares > goal) & (curvature > 0) & np.isfinite(curvature) & (along > 0)
        if not active.any():
            break
        length = np.where(active, along / np.where(active, curvature, 1.0), 0.0)
        before = along
        squares, along = system.step(length)
        if (squares <= goal).all() or iterations == limit:
            system.finish(length)
            break
        if precondition is not None:
            auxiliary = precondition(system.residual, system.spare)
            along = system.along(auxiliary)
        system.advance(length, np.where(active, along / np.where(active, before, 1.0), 0.0), auxiliary)
        kept = np.flatnonzero(squares > goal)
        if system.can_narrow(len(kept)) and _far_off(squares[kept], first[kept], goal[kept], iterations):
            goal, squares, along, first = system.narrow(kept, (goal, squares, along, first))
    return system.result(), iterations


def _far_off(squares: Floats, first: Floats, goal: Floats, iterations: int) -> bool:
    """Whether at the pace so far some column needs more iterations than narrowing the block costs."""
    with np.errstate(divide="ignore"):
        ahead, behind = np.log(squares / goal), np.log(first / squares)
    return bool((ahead * iterations > NARROWING * behind).any())


class _Vector:
    """The vectors of one iteration: the value x, the residual r, the direction p and its product q = M p."""

    def __init__(self, core: Core, right: Floats) -> None:
        self.matrix, self.inverse = core.unsigned, 1 / core.diagonal
        self.residual, self.value = right.copy(), np.zeros_like(right)
        self.direction, self.product = self.value, np.empty_like(right)
        self.spare = None

    def squares(self) -> Floats:
        """The squared norm ‖r‖² of the residual, ()."""
        return np.asarray(_inner_one(self.residual, self.residual))

    def along(self, auxiliary: Floats) -> Floats:
        """The inner product rᵀz of the residual with a vector z (n,), ()."""
        return np.asarray(_inner_one(self.residual, auxiliary))

    def begin(self, auxiliary: Floats | None) -> Floats:
        """Make z, where None the residual over the diagonal, the first direction; rᵀz."""
        self.direction = self.residual * self.inverse if auxiliary is None else auxiliary
        return self.along(self.direction)

    def multiply(self) -> Floats:
        """Set q = M p; the curvature pᵀq, ()."""
        return np.asarray(multiply_one(self.matrix, self.direction, self.product))

    def step(self, length: Floats) -> tuple[Floats, Floats]:
        """Set r −= αq; ‖r‖², and its square in the inverse diagonal."""
        squares, along = _step_one(float(length), self.inverse, self.product, self.residual)
        return np.asarray(squares), np.asarray(along)

    def advance(self, length: Floats, ratio: Floats, auxiliary: Floats | None) -> None:
        """Set x += αp and p = z + βp; without a z, the residual over the diagonal stands for it."""
        if auxiliary is None:
            _advance_one(float(length), float(ratio), self.residual, self.inverse, self.direction, self.value)
        else:
            self.finish(length)
            self.direction *= ratio
            self.direction += auxiliary

    def finish(self, length: Floats) -> None:
        """Set x += αp with the step length α, as after the last iteration."""
        self.value += length * self.direction

    def can_narrow(self, left: int) -> bool:
        """Whether columns that are done can be dropped: a single vector has none to drop."""
        return False

    def result(self) -> Floats:
        """The solution as it stands, (n,)."""
        return self.value


class _Block:
    """The same for a block: every pass over memory serves all its columns."""

    def __init__(self, core: Core, right: Floats, arrays: list[Floats]) -> None:
        self.rows = rows_of(core.matrix)
        self.lanes, self.fetch = lanes_of(right), fetched(self.rows, right)
        self.inverse = 1 / core.diagonal
        self.right = self.residual = right
        self.value, self.product, self.direction = blocks_in(arrays, 3, *right.shape)
        self.value[:] = 0.0
        self.spare = self.direction  # where the next auxiliary may be written
        self.wider: list[tuple[Floats, Ints]] = []

    def squares(self) -> Floats:
        """The squared norms ‖r‖² of the residuals, (k,)."""
        return inner_products(self.lanes, self.residual, self.residual)

    def along(self, auxiliary: Floats) -> Floats:
        """The inner products rᵀz with the columns of a block z (n, k), (k,)."""
        return inner_products(self.lanes, self.residual, auxiliary)

    def begin(self, auxiliary: Floats | None) -> Floats:
        """Make z, where None the residual over the diagonal, the first direction; rᵀz."""
        self.spare = self.product
        if auxiliary is None:
            return _begin_block(self.lanes, self.inverse, self.residual, self.direction)
        self.inverse = np.ones(len(self.inverse))
        self.direction = auxiliary
        return self.along(auxiliary)

    def multiply(self) -> Floats:
        """Set q = M p in every column; the curvatures pᵀq, (k,)."""
        return multiply_block(self.lanes, self.rows, self.fetch, self.direction, self.product)

    def step(self, length: Floats) -> tuple[Floats, Floats]:
        """Set r −= αq; ‖r‖², and its square in the inverse diagonal."""
        return _step_block(self.lanes, -length, self.inverse, self.product, self.residual)

    def advance(self, length: Floats, ratio: Floats, auxiliary: Floats | None) -> None:
        """Set x += αp and p = z + βp; without a z, the residual over the diagonal stands for it."""
        source = self.residual if auxiliary is None else auxiliary
        lengths = (length, ratio)
        _advance_block(self.lanes, lengths, source, self.inverse, self.direction, self.value)

    def finish(self, length: Floats) -> None:
        """Set x += αp with the step length α, as after the last iteration."""
        _finish_block(self.lanes, length, self.direction, self.value)

    def can_narrow(self, left: int) -> bool:
        """Whether so many columns fit in a block of half the width."""
        return 2 * left <= len(self.lanes) > WIDTHS[0]

    def narrow(self, kept: Ints, numbers: tuple[Floats, ...]) -> list[Floats]:
        """Go on with some columns only; also give their numbers, 0 for columns that fill up the width."""
        width = next(width for width in WIDTHS if width >= len(kept))
        self.wider.append((self.value, kept))
        self.residual, self.direction, self.value = (
            some_columns(block, kept, width) for block in (self.residual, self.direction, self.value)
        )
        self.product = self.spare = empty_block(len(self.value), width)
        self.lanes, self.fetch = lanes_of(self.value), fetched(self.rows, self.value)
        return [np.append(number[kept], np.zeros(width - len(kept))) for number in numbers]

    def result(self) -> Floats:
        """The value of all columns, in the place of the right-hand sides."""
        for value, kept in reversed(self.wider):
            place_columns(self.value, kept, value)
            self.value = value
        self.right[:] = self.value
        return self.right


@kernel
def _step_one(length: Any, inverse: Any, product: Any, residual: Any) -> Any:
    """Set r −= αq; returns ‖r‖² and Σ r_i² / d_i. length = α, inverse = 1 / d, product = q, residual = r."""
    squares = 0.0
    along = 0.0
    for i in range(len(residual)):
        left = residual[i] - length * product[i]
        residual[i] = left
        squares += left * left
        along += left * left * inverse[i]
    return squares, along


@kernel
def _advance_one(length: Any, ratio: Any, residual: Any, inverse: Any, direction: Any, value: Any) -> None:
    """Set x += αp and p = r / d + βp. length = α, ratio = β, direction = p, value = x."""
    for i in range(len(direction)):
        value[i] += length * direction[i]
        direction[i] = inverse[i] * residual[i] + ratio * direction[i]


@kernel
def _inner_one(left: Any, right: Any) -> Any:
    """The inner product of two vectors (n,), summed in order."""
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@kernel
def _begin_block(lanes: Any, inverse: Any, residual: Any, direction: Any) -> Any:
    """Set p = r / d in every column of a block (n, k); rᵀp of each, (k,)."""
    along = sums_for(lanes)
    for i in range(len(residual)):
        put(lanes, direction, i, inverse[i], residual, i)
        add_products(lanes, along, 1.0, residual, i, direction, i)
    return total(along)


@kernel
def _step_block(lanes: Any, length: Any, inverse: Any, product: Any, residual: Any) -> Any:
    """`_step_one` for a block, with a length −α per column; two arrays (k,)."""
    squares, along = sums_for(lanes), sums_for(lanes)
    for i in range(len(residual)):
        add_lanes(lanes, residual, i, length, product, i)
        add_products(lanes, squares, 1.0, residual, i, residual, i)
        add_products(lanes, along, inverse[i], residual, i, residual, i)
    return total(squares), total(along)


@kernel
def _advance_block(lanes: Any, lengths: Any, source: Any, scale: Any, direction: Any, value: Any) -> None:
    """Set x += αp and p = scale · source + βp in every column of a block; lengths = (α, β), each (k,)."""
    length, ratio = lengths
    for i in range(len(direction)):
        add_lanes(lanes, value, i, length, direction, i)
        scale_lanes(lanes, direction, i, ratio)
        add(lanes, direction, i, scale[i], source, i)


@kernel
def _finish_block(lanes: Any, length: Any, direction: Any, value: Any) -> None:
    """Set x += αp in every column of a block, with a length α per column."""
    for i in range(len(direction)):
        add_lanes(lanes, value, i, length, direction, i)
