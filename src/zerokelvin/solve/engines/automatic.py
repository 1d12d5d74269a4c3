"""The choice of an engine, from counts and a short trial rather than from a clock.

Costs are counted in entries touched: a conjugate-gradient iteration reads the matrix once and half a
dozen vectors, a preconditioned one also reads the factor twice, out of order. So the same graph always
gets the same engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.solve.dense import DENSE_LIMIT
from zerokelvin.solve.engines.approximate import ApproximateCholesky
from zerokelvin.solve.engines.direct.grounded import Direct
from zerokelvin.solve.engines.engine import Analysis, Engine, Prepared, Task, engine, find_engine
from zerokelvin.solve.engines.gradients import conjugate_gradients
from zerokelvin.solve.engines.jacobi import Jacobi
from zerokelvin.solve.layout import Core

__all__ = ["Automatic"]

MAX_FILL = 400.0  # entries of a Cholesky factor per node
MAX_WORK = 2e4, 1e10  # multiplications of a factorisation, per entry of the matrix and at least
READS = 2.4
"""What an entry of the factor costs in a direct solve, in entries of a conjugate-gradient iteration.

The factor is read twice, and a fifth of it is padding. Measured on grids, 2-D k-NN graphs, whiskers, PubMed:
1.9 to 2.6 for any right-hand side, 1.7 to 3.1 in a block, 1.0 to 2.2 for a unit vector, whose way forward
passes most of the factor over. It stays at what serves all of them.
"""
FEWEST = 9.0  # iterations that approximate Cholesky needs on any graph, for six digits
PATIENCE = 600  # Jacobi iterations after which it has lost


@dataclass(frozen=True)
class _Choice:
    """An engine's name, the reason, and the engine prepared where the choice already did that work."""

    name: str
    reason: str
    prepared: Prepared | None = None


@engine("auto")
@dataclass(frozen=True)
class Automatic(Engine):
    """The engine that costs least on the graph at hand."""

    name: ClassVar[str] = "auto"

    def begin(self, task: Task) -> Analysis:
        """Choose an engine and begin it, where the choice has not done that already."""
        layout = task.layout
        choice = _choose(layout.core, task.operator.graph.num_nodes, task.tol, task.ill_scaled)
        if choice.prepared is not None:
            return Analysis(choice.name, choice.reason, layout, choice.prepared)
        return replace(find_engine(choice.name).begin(task), reason=choice.reason)


def _choose(core: Core, num_nodes: int, tol: float, ill_scaled: bool) -> _Choice:
    """Choose an engine for a core of a graph with `num_nodes` nodes."""
    if core.size == 0:
        return _Choice("tree", "the graph is a forest")
    if num_nodes <= DENSE_LIMIT and ill_scaled:
        whole = Direct(max_fill=DENSE_LIMIT).prepare(core)
        if whole.exact:
            return _Choice("direct", "weights differ too much for a dense inverse", whole)
    if num_nodes <= DENSE_LIMIT:
        return _Choice("dense", f"{num_nodes} nodes are at most {DENSE_LIMIT}")
    entries = len(core.adjacency.data)
    plain = entries + 6.0 * core.size
    digits = max(1.0, float(np.log10(1 / tol)) / 6)
    direct = Direct(max_fill=MAX_FILL)
    order = direct.order(core)
    affordable = order.complete and order.work <= max(MAX_WORK[0] * entries, MAX_WORK[1])
    solve = READS * order.fill if affordable else np.inf
    small = f"a Cholesky factor has {order.fill / core.size:.0f} entries per node"
    if affordable and ill_scaled:
        return _Choice("direct", small, direct.prepare(core, order))
    large = "a Cholesky factor is too large" if not affordable else small
    if ill_scaled:
        return _Choice("approximate", f"{large}, and weights differ too much for a plain iteration")
    right, target = _trial(core, tol)
    limit = int(min(40 * digits, solve / plain)) + 1
    _, plainly = conjugate_gradients(core, right, target, None, limit)
    if plainly < limit:
        return _Choice("jacobi", f"{large}, and Jacobi needs {plainly} iterations", Jacobi().prepare(core))
    if solve <= FEWEST * digits * (3 * entries + 12 * core.size):
        return _Choice("direct", small, direct.prepare(core, order))
    engine = ApproximateCholesky().prepare(core)
    _, iterations = engine.solve(right, target)
    factor = 0 if engine.factor is None else engine.factor.entries
    better = iterations * (entries + 12.0 * core.size + 4.0 * factor)
    limit = int(min(PATIENCE, min(better, solve) / plain)) + 1
    _, plainly = conjugate_gradients(core, right, target, None, limit)
    if plainly < limit:
        reason = f"{large}, and {plainly} Jacobi iterations cost less than {iterations} preconditioned ones"
        return _Choice("jacobi", reason, Jacobi().prepare(core))
    if solve < better:
        return _Choice("direct", f"{small}, less than {iterations} iterations", direct.prepare(core, order))
    return _Choice("approximate", f"{large}, and {iterations} iterations beat the rest", engine)


def _trial(core: Core, tol: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A column in the largest component, and the residual at which it would be accepted."""
    largest = int(np.argmax(np.bincount(core.components)))
    nodes = np.flatnonzero(core.components == largest)
    right = np.zeros(core.size)
    right[nodes[len(nodes) // 2]] = 1.0
    if core.singular[largest]:
        right[nodes] -= 1 / len(nodes)
    return right, np.asarray(tol * np.linalg.norm(right))
