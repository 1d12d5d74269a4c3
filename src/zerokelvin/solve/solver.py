"""Solve with a graph's Laplacian: analyse once, then any number of right-hand sides.

    solver = analyse(graph)                 # or shift=ε, normalized=True, engine="direct", ...
    x = solver.solve(b).value               # L⁺ b, one (n,) or many (n, k)

`analyse` does all work on the matrix, `Solver.solve` the work per right-hand side, and every solve
returns its true residual with the value. ``engine="auto"`` takes, in this order: leaf elimination where
the graph is a forest; the dense inverse up to 3,000 nodes, unless weights differ much; sparse Cholesky where
its factor stays small (counted before any arithmetic); then the cheaper of Jacobi-preconditioned conjugate
gradients and approximate Cholesky, judged by a trial solve. Whiskers are always eliminated exactly first.

Where weights differ by more than 10⁸ a small residual no longer means a small error, and a dense inverse may
be wrong by as much as its largest entry. ``"auto"`` then takes sparse Cholesky, whose pivots are made without
subtraction (`solve.engines.direct.cholesky`), as long as its factor fits. With other engines, and on signed
graphs, `analyse` warns, and each solve estimates its error by applying the engine's factor to the residual;
an engine without one (Jacobi) never reports such a solve as converged.
"""

from __future__ import annotations

import warnings

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.errors import ParameterError
from zerokelvin.graph.graph import Graph
from zerokelvin.solve.dense import dense_inverse
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.engines.engine import Engine, Task, find_engine
from zerokelvin.solve.engines.tree import Tree
from zerokelvin.solve.operator import Operator
from zerokelvin.solve.solution import ScalingWarning
from zerokelvin.solve.solves import Solver

__all__ = ["Solver", "analyse", "inverse_matrix"]


ILL_SCALED = 1e8


def analyse(
    graph: Graph,
    engine: str | Engine = "auto",
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
        ``"auto"``, another name of `zerokelvin.solve.engines.ENGINES`, or a configured engine such as
        ``Direct(max_fill=200)``.
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
    chosen = find_engine(engine)
    operator = Operator(graph, shift, normalized)
    spread = _spread(operator)
    ill_scaled = spread > ILL_SCALED
    found = chosen.begin(Task(operator, tol, ill_scaled))
    exact = found.prepared is not None and found.prepared.exact
    if ill_scaled and not exact:
        warnings.warn(
            f"weights differ by a factor of {spread:.0e}, so solutions may lose that many digits; each solve "
            "is checked, and rescaling or dropping the smallest weights avoids it.",
            ScalingWarning,
            stacklevel=2,
        )
    return Solver(
        operator, tol, found.name, found.reason, found.inverse, found.layout, found.prepared, ill_scaled
    )


def inverse_matrix(graph: Graph, shift: float = 0.0, normalized: bool = False) -> Floats:
    """The whole (pseudo-)inverse as a matrix, right also where weights differ much; at most 3,000 nodes.

    >>> inverse_matrix(Graph.from_edges([(0, 1)]), shift=1.0).round(3).tolist()
    [[0.667, 0.333], [0.333, 0.667]]
    """
    operator = Operator(graph, shift, normalized)
    if _spread(operator) <= ILL_SCALED or graph.is_signed:
        return dense_inverse(operator)
    forest = graph.num_edges == graph.num_nodes - graph.num_components
    engine: Engine = Tree() if forest else Direct(max_fill=max(1000.0, graph.num_nodes))
    solver = analyse(graph, engine, shift=shift, normalized=normalized)
    matrix = solver.columns(np.arange(graph.num_nodes))
    symmetric: Floats = 0.5 * (matrix + matrix.T)
    return symmetric


def _spread(operator: Operator) -> float:
    """The ratio of the largest to the smallest of all weights and excesses."""
    sizes = np.abs(operator.graph.weights)
    excess = operator.excess[operator.excess > 0]
    low = min(sizes.min(initial=np.inf), excess.min(initial=np.inf))
    high = max(sizes.max(initial=0.0), excess.max(initial=0.0))
    return float(high / low) if high > 0 else 1.0
