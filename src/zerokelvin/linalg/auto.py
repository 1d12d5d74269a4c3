"""The choice of an engine, from counts and a short trial rather than from a clock.

Costs are counted in entries touched: a conjugate-gradient iteration reads the matrix once and half a
dozen vectors, a preconditioned one also reads the factor twice, out of order. So the same graph always
gets the same engine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.linalg.dense import DENSE_LIMIT
from zerokelvin.linalg.engines import ApproximateCholesky, Direct, Jacobi, Prepared
from zerokelvin.linalg.gradients import conjugate_gradients
from zerokelvin.linalg.layout import Core

__all__ = ["Choice", "choose"]

QUICK = 40  # Jacobi iterations below which nothing else is tried
PATIENCE = 600  # Jacobi iterations after which approximate Cholesky has won


@dataclass(frozen=True)
class Choice:
    """An engine's name, the reason, and the engine prepared where the choice already did that work."""

    name: str
    reason: str
    prepared: Prepared | None = None


def choose(core: Core, num_nodes: int, tol: float, ill_scaled: bool) -> Choice:
    """Choose an engine for a core of a graph with `num_nodes` nodes."""
    if core.size == 0:
        return Choice("tree", "the graph is a forest")
    if num_nodes <= DENSE_LIMIT:
        return Choice("dense", f"{num_nodes} nodes are at most {DENSE_LIMIT}")
    direct = Direct()
    order = direct.order(core)
    if order.complete:
        reason = f"a Cholesky factor has {order.fill / core.size:.0f} entries per node"
        return Choice("direct", reason, direct.prepare(core, order))
    dense = "a Cholesky factor is too large"
    if ill_scaled:
        return Choice("approximate", f"{dense}, and weights differ too much for a plain iteration")
    right = np.zeros(core.size)
    right[core.size // 2] = 1.0
    inside = core.components == core.components[core.size // 2]
    if core.singular[core.components[core.size // 2]]:
        right[inside] -= 1 / inside.sum()
    target = np.asarray(tol * np.linalg.norm(right))
    _, quick = conjugate_gradients(core, right, target, None, QUICK)
    if quick < QUICK:
        return Choice("jacobi", f"{dense}, and Jacobi needs {quick} iterations", Jacobi().prepare(core))
    engine = ApproximateCholesky().prepare(core)
    _, slow = engine.solve(right, target)
    entries, factor = len(core.adjacency.data), 0 if engine.factor is None else len(engine.factor.rows)
    plain, better = entries + 6 * core.size, entries + 12 * core.size + 4 * factor
    affordable = min(PATIENCE, int(slow * better / plain) + 1)
    _, plainly = conjugate_gradients(core, right, target, None, affordable)
    if plainly < affordable:
        reason = f"{dense}, and {plainly} Jacobi iterations cost less than {slow} preconditioned ones"
        return Choice("jacobi", reason, Jacobi().prepare(core))
    return Choice("approximate", f"{dense}, and {slow} iterations beat Jacobi", engine)
