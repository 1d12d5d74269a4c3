"""A solver: an operator with all work on its matrix done, and the work per right-hand side.

A right-hand side is taken to the engine's numbering of the nodes, in which neighbours lie close in memory;
there it is projected off the null vectors, solved and checked, and the solution is taken back. A block of
right-hand sides is cut into parts of at most eight columns, and every pass over memory serves all columns
of a part; see `zerokelvin.machine.blocks` and `zerokelvin.machine.rows`.

Above 300 lines: one class: choosing, refining and certifying a solution look at the same residuals.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats, Ints
from zerokelvin.errors import ParameterError
from zerokelvin.machine.blocks import Part, Room, blocks_in, empty_block, parts
from zerokelvin.solve.action import Action
from zerokelvin.solve.engines.engine import Prepared
from zerokelvin.solve.layout import Layout
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solution import STATUSES, ScalingWarning, Solution, StagnationWarning, Status

__all__ = ["Solver"]


REFINEMENTS = 6


@dataclass(frozen=True)
class Solver:
    """An operator with all work on its matrix done; `zerokelvin.solve.solver.analyse` makes one.

    Attributes
    ----------
    operator
        What is solved with.
    tol
        Relative residual that a solve must reach.
    engine, reason
        The engine in use, and why it was chosen.
    """

    operator: Operator
    tol: float
    engine: str
    reason: str
    _inverse: Floats | None = field(repr=False)
    _layout: Layout | None = field(repr=False)
    _prepared: Prepared | None = field(repr=False)
    _ill_scaled: bool = field(repr=False)
    _room: Room = field(default_factory=Room, repr=False, compare=False)

    def solve(self, right: ArrayLike) -> Solution:
        """Solve for one right-hand side (n,) or a block (n, k).

        Examples
        --------
        >>> from zerokelvin.graph import Graph
        >>> from zerokelvin.solve.solver import analyse
        >>> solver = analyse(Graph.from_edges([(0, 1), (1, 2)]))
        >>> solution = solver.solve([1.0, 0.0, -1.0])
        >>> solution.value.round(6).tolist(), solution.status
        ([1.0, 0.0, -1.0], 'converged')
        """
        given = self._checked(right)
        layout = self._layout
        if layout is None:
            solution = self._solve(given.copy())
        elif given.ndim == 1:
            inside = self._solve(layout.take(given))
            solution = replace(inside, value=layout.place(inside.value))
        else:
            solution = self._solve_parts(
                layout, given.shape[1], lambda work, part: layout.take_part(given, part, work)
            )
        self._warn(solution)
        return solution

    def column(self, node: int) -> Floats:
        """The column of the (pseudo-)inverse that belongs to a node index, read-only where dense."""
        if not 0 <= node < self.operator.graph.num_nodes:
            raise ParameterError(
                f"node index {node} is outside the graph's {self.operator.graph.num_nodes} nodes."
            )
        if self._inverse is not None and not self._ill_scaled:
            return self._inverse[node]
        layout = self._layout
        place = node if layout is None else int(layout.position[node])
        unit = np.zeros(self.operator.graph.num_nodes)
        unit[place] = 1.0
        solution = self._solve_unit(unit, place) if self._takes_units else self._solve(unit)
        self._warn(solution)
        return solution.value if layout is None else layout.place(solution.value)

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns at once, as an (n, k) array: cheaper than one by one."""
        chosen = np.asarray(nodes, dtype=np.int64).ravel()
        count = self.operator.graph.num_nodes
        bad = chosen[(chosen < 0) | (chosen >= count)]
        if len(bad):
            raise ParameterError(f"node index {bad[0]} is outside the graph's {count} nodes.")
        if self._inverse is not None and not self._ill_scaled:
            return self._inverse[:, chosen]
        layout = self._layout
        if layout is None:
            unit = np.zeros((count, len(chosen)))
            unit[chosen, np.arange(len(chosen))] = 1.0
            return self.solve(unit).value

        places = layout.position[chosen]

        def fill(work: Floats, part: Part) -> None:
            work[:] = 0.0
            work[places[part.start : part.stop], np.arange(part.stop - part.start)] = 1.0

        solution = self._solve_parts(layout, len(chosen), fill, places if self._takes_units else None)
        self._warn(solution)
        return solution.value

    def _checked(self, right: ArrayLike) -> Floats:
        array = np.asarray(right, dtype=np.float64, order="C")
        count = self.operator.graph.num_nodes
        if array.ndim not in (1, 2) or len(array) != count:
            raise ParameterError(
                f"the right-hand side has shape {array.shape}; give ({count},) or ({count}, k)."
            )
        if not (np.isfinite(array.sum()) or np.isfinite(array).all()):
            raise ParameterError("the right-hand side holds NaN or infinite values; give finite numbers.")
        return array

    def _solve_parts(
        self, layout: Layout, columns: int, fill: Callable[[Floats, Part], None], units: Ints | None = None
    ) -> Solution:
        """Solve a block part by part; `fill` writes the right-hand sides of a part, in internal order.

        Where these are unit vectors to be solved for as such, `units` are the places of their nodes.
        """
        count = self.operator.graph.num_nodes
        value = empty_block(count, columns)
        worst, iterations = 0.0, 0
        statuses: list[Status] = ["converged"]
        arrays = self._room.borrow()
        for part in parts(columns):
            aim, inside = blocks_in(arrays, 2, count, part.width)
            fill(aim, part)
            if units is None:
                found = self._solve(aim, inside)
            else:
                places = np.full(part.width, -1)
                places[: part.stop - part.start] = units[part.start : part.stop]
                found = self._solve_units(aim, places, inside)
            layout.place_part(found.value, part, value)
            worst, iterations = max(worst, found.residual), max(iterations, found.iterations)
            statuses.append(found.status)
        self._room.give_back(arrays)
        return Solution(value, worst, iterations, max(statuses, key=STATUSES.index))

    def _solve(self, aim: Floats, room: Floats | None = None) -> Solution:
        """Solve for a vector or a part of a block, which is overwritten, in an array given for it."""
        size, norms = self._action.project_measured(aim)
        nothing = (norms <= 1e-14 * np.sqrt(len(aim)) * size) & (norms > 0)
        if nothing.any():  # a right-hand side along the null vectors is rounding only
            aim, norms = np.where(nothing, 0.0, aim), np.where(nothing, 0.0, norms)
        value, iterations = self._apply(aim, self.tol * norms, room)
        return self._checked_solution(aim, norms, value, iterations)

    def _solve_unit(self, unit: Floats, place: int) -> Solution:
        """`_solve_units` for one unit vector (n,), which is overwritten, with as few steps as will do."""
        action = self._action
        share = float(action.null[place])
        value = self._pass(unit)[0]
        if share != 0.0:
            own, at = np.asarray(share), np.asarray(place)
            action.take_off(action.null, own, at, unit)
            action.take_off(self._null_response, own, at, value)
            action.project_in_place(value)
        norm = math.sqrt(max(1.0 - share * share, 0.0))
        if norm == 0.0:  # the only node of its component
            unit[:], value[:] = 0.0, 0.0
        left = float(action.residual_norms(unit, value))
        if left <= self.tol * norm and not self._ill_scaled:
            return Solution(value, left / (norm or 1.0), 0, "converged")
        return self._checked_solution(unit, np.asarray(norm), value, 0)

    def _solve_units(self, units: Floats, places: Ints, room: Floats | None = None) -> Solution:
        """Solve for a block of unit vectors (n, k), in internal order, which are overwritten.

        `places` are the positions of their nodes, (k,); −1 stands for a column of 0.
        Off the null vector u of the node's component one is e − u_i·u, which has no zeros. As an engine that
        takes units is linear, it solves for e, most of which it passes over; what it gives for u is known.
        """
        action = self._action
        shares = np.where(places >= 0, action.null[places], 0.0)
        value = self._pass(units, room=room)[0]
        if shares.any():
            action.take_off(action.null, shares, places, units)
            action.take_off(self._null_response, shares, places, value)
            action.project_in_place(value)
        norms = np.where(places >= 0, np.sqrt(np.maximum(1.0 - shares * shares, 0.0)), 0.0)
        alone = norms == 0.0  # the only nodes of their components, and columns of 0
        if alone.any():
            units, value = np.where(alone, 0.0, units), np.where(alone, 0.0, value)
        return self._checked_solution(units, norms, value, 0)

    def _checked_solution(self, aim: Floats, norms: Floats, value: Floats, iterations: int) -> Solution:
        """The solution with its true residual, refined where that misses the tolerance."""
        target = self.tol * norms
        left = self._left(aim, value)
        exact = self._exact
        spent = self._prepared is not None and self._prepared.exhausted(iterations)
        if not (exact or spent) and (left > target).any():
            value, left, more = self._refine(aim, value, left, target)
            iterations += more
        status: Status = "converged" if exact or (left <= target).all() else "stagnated"
        if status == "converged" and self._ill_scaled and self.engine != "tree":
            status = self._weigh(aim, value) if exact else self._judge(value, self._residual(aim, value))
        worst = float(np.max(left / np.where(norms > 0, norms, 1.0), initial=0.0))
        return Solution(value, worst, iterations, status)

    def _refine(self, aim: Floats, value: Floats, left: Floats, target: Floats) -> tuple[Floats, Floats, int]:
        """Solve for what is left of the right-hand sides as long as that helps."""
        iterations = 0
        for tries in range(1, REFINEMENTS + 1):
            correction, more = self._apply(self._residual(aim, value), target * 0.1**tries)
            iterations += more
            better = value + correction
            after = self._left(aim, better)
            if not (after < 0.7 * left)[left > target].any():
                break
            value = np.where(after < left, better, value)
            left = np.minimum(after, left)
            if (left <= target).all():
                break
        return value, left, iterations

    def _left(self, aim: Floats, value: Floats) -> Floats:
        """The true residual norm of every column."""
        return self._action.residual_norms(aim, value)

    def _residual(self, aim: Floats, value: Floats) -> Floats:
        product = self._action.apply(value)
        np.subtract(aim, product, out=product)
        return product

    def _apply(self, aim: Floats, target: Floats, room: Floats | None = None) -> tuple[Floats, int]:
        """One pass of the engine: the value, off the null vectors, and its iterations."""
        if self._inverse is not None:
            return self._inverse @ aim, 0
        value, iterations = self._pass(aim, target, room)
        return self._action.project_in_place(value), iterations

    def _pass(
        self, aim: Floats, target: Floats | None = None, room: Floats | None = None
    ) -> tuple[Floats, int]:
        """Eliminate leaves, solve with the core, substitute back; the value may hold null vectors."""
        layout, prepared = self._engine()
        value = layout.enter(aim, room)
        start = len(value) - layout.core.size
        iterations = 0
        if layout.core.size:
            target = np.zeros(()) if target is None else target
            if layout.factors is not None:
                target = target * min(self._typical_factor, 1.0)
            value[start:], iterations = prepared.solve(value[start:], target)
        return layout.leave(value), iterations

    @cached_property
    def _typical_factor(self) -> float:
        """The median size of the factors between the operator's scale and the core's."""
        layout, _ = self._engine()
        return (
            1.0 if layout.factors is None else float(np.median(np.abs(layout.factors[-layout.core.size :])))
        )

    @cached_property
    def _takes_units(self) -> bool:
        """Whether columns are solved for as unit vectors."""
        return self._prepared is not None and self._prepared.skips_zeros

    @cached_property
    def _null_response(self) -> Floats:
        """What the engine gives for the null vectors of all singular components together."""
        return self._pass(self._action.null)[0]

    @property
    def _exact(self) -> bool:
        """Whether values need no check: where weights differ much it would see a residual's rounding only."""
        return self.engine == "tree" or (
            self._ill_scaled and self._prepared is not None and self._prepared.exact
        )

    @cached_property
    def _action(self) -> Action:
        """The operator in the numbering that solves work in."""
        return self.operator.action if self._layout is None else self.operator.renumbered(self._layout.order)

    def _engine(self) -> tuple[Layout, Prepared]:
        if self._layout is None or self._prepared is None:
            raise ParameterError("this solver holds no engine; make one with analyse(graph).")
        return self._layout, self._prepared

    def _judge(self, value: Floats, residual: Floats) -> Status:
        """Estimate the error of the value itself from the residual."""
        if self._inverse is not None:
            correction = self._inverse @ residual
        else:
            layout, prepared = self._engine()
            inside = layout.enter(residual)
            start = len(inside) - layout.core.size
            estimate = prepared.estimate(inside[start:])
            if estimate is None:
                return "ill-scaled"
            inside[start:] = estimate
            correction = self._action.project(layout.leave(inside))
        size = np.abs(value).max(axis=0, initial=0.0)
        error = np.abs(correction).max(axis=0, initial=0.0)
        return "converged" if (error <= max(1e-5, 10 * self.tol) * size).all() else "ill-scaled"

    def _weigh(self, aim: Floats, value: Floats) -> Status:
        """Whether a factor without subtraction is enough: right-hand sides of both signs still cancel.

        Its error is a few ulps of M⁻¹|b|, which for a column is as large as the column itself.
        """
        layout, prepared = self._engine()
        inside = layout.enter(np.abs(aim))
        start = len(inside) - layout.core.size
        inside[start:] = prepared.solve(inside[start:], np.zeros(()))[0]
        rounding = 4 * float(np.finfo(np.float64).eps) * len(aim)
        error = rounding * np.abs(layout.leave(inside)).max(axis=0, initial=0.0)
        size = np.abs(value).max(axis=0, initial=0.0)
        return "converged" if (error <= max(1e-5, 10 * self.tol) * size).all() else "ill-scaled"

    def _warn(self, solution: Solution) -> None:
        status, worst = solution.status, solution.residual
        if status == "stagnated":
            warnings.warn(
                f"the {self.engine} engine stopped at a relative residual of {worst:.1e}, above "
                f"tol={self.tol:g}; raise tol, or choose another engine.",
                StagnationWarning,
                stacklevel=3,
            )
        elif status == "ill-scaled":
            warnings.warn(
                f"the {self.engine} engine reached a relative residual of {worst:.1e}, but weights differ so "
                "much that the solution may be wrong; rescale or drop the smallest weights.",
                ScalingWarning,
                stacklevel=3,
            )
