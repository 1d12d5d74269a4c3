"""Solve with a graph's Laplacian: analyse once, then any number of right-hand sides.

    solver = analyse(graph)                 # or shift=ε, normalized=True, engine="direct", ...
    x = solver.solve(b).value               # L⁺ b, one (n,) or many (n, k)

`analyse` does all work on the matrix, `Solver.solve` the work per right-hand side, and every solve
returns its true residual with the value. ``engine="auto"`` takes, in this order: leaf elimination where
the graph is a forest; the dense inverse up to 3,000 nodes; sparse Cholesky where its factor stays
small (counted before any arithmetic); then the cheaper of Jacobi-preconditioned conjugate gradients and
approximate Cholesky, judged by a trial solve. Whiskers are always eliminated exactly first.

Where weights differ by more than 10⁸ a small residual no longer means a small error. `analyse` then
warns, and each solve estimates its error by applying the engine's factor to the residual; an engine
without one (Jacobi) never reports such a solve as converged.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.linalg.auto import choose
from zerokelvin.linalg.blocks import Part, Room, blocks_in, parts
from zerokelvin.linalg.dense import dense_inverse
from zerokelvin.linalg.engines import ApproximateCholesky, CoreEngine, Direct, Jacobi, Prepared, Tree
from zerokelvin.linalg.layout import Layout, lay_out
from zerokelvin.linalg.operator import Operator
from zerokelvin.linalg.solution import STATUSES, ScalingWarning, Solution, StagnationWarning, Status

__all__ = ["ENGINES", "Dense", "Solver", "analyse"]

Floats = NDArray[np.float64]
Arrays = tuple[Floats | None, Floats | None]

ILL_SCALED = 1e8
REFINEMENTS = 6


@dataclass(frozen=True)
class Dense:
    """The whole inverse as a matrix.

    Parameters
    ----------
    max_bytes
        Most memory for it: 8 n² bytes, and as many again where the graph has several components.
    """

    max_bytes: float = 4e9
    name: ClassVar[str] = "dense"

    def require_room(self, graph: Graph) -> None:
        """Refuse a graph whose inverse takes more memory than allowed."""
        need = 8.0 * graph.num_nodes**2 * (1 if graph.num_components == 1 else 2)
        if need > self.max_bytes:
            raise ParameterError(
                f"the dense engine needs {need / 1e9:.1f} GB for {graph.num_nodes} nodes and may take "
                f"{self.max_bytes / 1e9:g} GB; choose engine='auto', or raise Dense.max_bytes in analyse."
            )


ENGINES: dict[str, CoreEngine | Dense] = {
    "tree": Tree(),
    "dense": Dense(),
    "direct": Direct(),
    "jacobi": Jacobi(),
    "approximate": ApproximateCholesky(),
    "approximate-2": ApproximateCholesky(samples=2),
}


@dataclass(frozen=True)
class Solver:
    """An operator with all work on its matrix done; `analyse` makes one.

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
        >>> solver = analyse(Graph.from_edges([(0, 1), (1, 2)]))
        >>> solution = solver.solve([1.0, 0.0, -1.0])
        >>> solution.value.round(6).tolist(), solution.status
        ([1.0, 0.0, -1.0], 'converged')
        """
        given = self._checked(right)
        if given.ndim == 1 or self._inverse is not None:
            solution = self._solve(given.copy())
        else:
            solution = self._solve_parts(given.shape[1], lambda work, part: _copy_part(given, work, part))
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
        unit = np.zeros(self.operator.graph.num_nodes)
        unit[node] = 1.0
        return self.solve(unit).value

    def columns(self, nodes: ArrayLike) -> Floats:
        """Several columns at once, as an (n, k) array: cheaper than one by one."""
        chosen = np.asarray(nodes, dtype=np.int64).ravel()
        count = self.operator.graph.num_nodes
        bad = chosen[(chosen < 0) | (chosen >= count)]
        if len(bad):
            raise ParameterError(f"node index {bad[0]} is outside the graph's {count} nodes.")
        if self._inverse is not None and not self._ill_scaled:
            return self._inverse[:, chosen]

        def fill(work: Floats, part: Part) -> None:
            work[:] = 0.0
            work[chosen[part.start : part.stop], np.arange(part.stop - part.start)] = 1.0

        if self._inverse is not None:
            unit = np.zeros((count, len(chosen)))
            fill(unit, Part(0, len(chosen), len(chosen)))
            return self.solve(unit).value
        solution = self._solve_parts(len(chosen), fill)
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

    def _solve_parts(self, columns: int, fill: Callable[[Floats, Part], None]) -> Solution:
        """Solve a block part by part; `fill` writes the right-hand sides of a part."""
        count = self.operator.graph.num_nodes
        value = np.empty((count, columns))
        worst, iterations = 0.0, 0
        statuses: list[Status] = ["converged"]
        arrays = self._room.borrow()
        for part in parts(columns):
            aim, inside, outside = blocks_in(arrays, 3, count, part.width)
            fill(aim, part)
            found = self._solve(aim, (inside, outside))
            value[:, part.start : part.stop] = found.value[:, : part.stop - part.start]
            worst, iterations = max(worst, found.residual), max(iterations, found.iterations)
            statuses.append(found.status)
        self._room.give_back(arrays)
        return Solution(value, worst, iterations, max(statuses, key=STATUSES.index))

    def _solve(self, aim: Floats, room: Arrays = (None, None)) -> Solution:
        """Solve for a vector or a part of a block, which is overwritten, in arrays given for it."""
        size, norms = self.operator.project_measured(aim)
        nothing = (norms <= 1e-14 * np.sqrt(len(aim)) * size) & (norms > 0)
        if nothing.any():  # a right-hand side along the null vectors is rounding only
            aim, norms = np.where(nothing, 0.0, aim), np.where(nothing, 0.0, norms)
        target = self.tol * norms
        value, iterations = self._apply(aim, target, room)
        left = self._left(aim, value)
        exact = self.engine == "tree"
        spent = self._prepared is not None and self._prepared.exhausted(iterations)
        if not (exact or spent) and (left > target).any():
            value, left, more = self._refine(aim, value, left, target)
            iterations += more
        status: Status = "converged" if exact or (left <= target).all() else "stagnated"
        if status == "converged" and self._ill_scaled and not exact:
            status = self._judge(value, self._residual(aim, value))
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
        return self.operator.residual_norms(aim, value)

    def _residual(self, aim: Floats, value: Floats) -> Floats:
        product = self.operator.apply(value)
        np.subtract(aim, product, out=product)
        return product

    def _apply(self, aim: Floats, target: Floats, room: Arrays = (None, None)) -> tuple[Floats, int]:
        """One pass of the engine: the value, off the null vectors, and its iterations."""
        if self._inverse is not None:
            return self._inverse @ aim, 0
        layout, prepared = self._engine()
        value = layout.enter(aim, room[0])
        start = len(value) - layout.core.size
        iterations = 0
        if layout.core.size:
            if layout.factors is not None:
                target = target * min(float(np.median(np.abs(layout.factors[start:]))), 1.0)
            value[start:], iterations = prepared.solve(value[start:], target)
        return self.operator.project_in_place(layout.leave(value, room[1])), iterations

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
            correction = self.operator.project(layout.leave(inside))
        size = np.abs(value).max(axis=0, initial=0.0)
        error = np.abs(correction).max(axis=0, initial=0.0)
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


def analyse(
    graph: Graph,
    engine: str | CoreEngine | Dense = "auto",
    *,
    shift: float = 0.0,
    normalized: bool = False,
    tol: float = 1e-6,
) -> Solver:
    """Prepare to solve with L + shift·I of a graph, or with its normalized form.

    Parameters
    ----------
    graph
        Any graph; of a signed one, the signed Laplacian.
    engine
        ``"auto"``, a name of `ENGINES`, or a configured engine such as ``Direct(max_fill=200)``.
    shift
        ε ≥ 0 added to the diagonal; with 0 the pseudo-inverse is applied.
    normalized
        Solve with D^(−1/2) L D^(−1/2) in place of L.
    tol
        Relative residual at which an iterative engine stops.

    Examples
    --------
    >>> solver = analyse(Graph.from_edges([(0, 1), (1, 2), (2, 3)]))
    >>> solver.engine, solver.reason
    ('tree', 'the graph is a forest')
    """
    if not (np.isfinite(tol) and tol > 0):
        raise ParameterError(f"tol={tol} must be a positive number.")
    if isinstance(engine, str) and engine != "auto" and engine not in ENGINES:
        raise ParameterError(f"unknown engine '{engine}'; known: auto, {', '.join(ENGINES)}.")
    operator = Operator(graph, shift, normalized)
    spread = _spread(operator)
    ill_scaled = spread > ILL_SCALED
    reason = "as asked for"
    prepared: Prepared | None = None
    layout: Layout | None = None
    inverse: Floats | None = None
    if isinstance(engine, str) and engine == "auto":
        layout = lay_out(operator)
        choice = choose(layout.core, graph.num_nodes, tol, ill_scaled)
        engine, reason, prepared = choice.name, choice.reason, choice.prepared
    chosen = ENGINES[engine] if isinstance(engine, str) else engine
    name = engine if isinstance(engine, str) else chosen.name
    if isinstance(chosen, Dense):
        chosen.require_room(graph)
        inverse, layout = dense_inverse(operator), None
        inverse.setflags(write=False)
    else:
        layout = layout or lay_out(operator)
        prepared = prepared or chosen.prepare(layout.core)
    if ill_scaled and name != "tree":
        warnings.warn(
            f"weights differ by a factor of {spread:.0e}, so solutions may lose that many digits; each solve "
            "is checked, and rescaling or dropping the smallest weights avoids it.",
            ScalingWarning,
            stacklevel=2,
        )
    return Solver(operator, tol, name, reason, inverse, layout, prepared, ill_scaled)


def _copy_part(given: Floats, work: Floats, part: Part) -> None:
    work[:, : part.stop - part.start] = given[:, part.start : part.stop]
    work[:, part.stop - part.start :] = 0.0


def _spread(operator: Operator) -> float:
    """The ratio of the largest to the smallest of all weights and excesses."""
    sizes = np.abs(operator.graph.weights)
    excess = operator.excess[operator.excess > 0]
    low = min(sizes.min(initial=np.inf), excess.min(initial=np.inf))
    high = max(sizes.max(initial=0.0), excess.max(initial=0.0))
    return float(high / low) if high > 0 else 1.0
