"""How fields kept by local relaxation follow a graph that grows.

With x the solutions of (D − A + E) x = b on the old graph, 0 at new nodes, the residual
r = b − (D − A + E) x changes at touched nodes alone, those whose edges changed: a degree, an excess or a
right-hand side differs nowhere else. There it is computed anew and relaxed from there, until |r| ≤ tol·e
again; since the residual is the true one, no error is left of the growth. A kernel relative to the mean
degree changes a little at every node: x is brought to its new unit and the residual computed anew everywhere,
one pass over the edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation import relax
from zerokelvin.learners.gaussian.diffusion import Diffusion

__all__ = ["grow_diffusion"]


def grow_diffusion(old: Diffusion, new: Diffusion, touched: Ints, places: Ints) -> None:
    """Bring fields just started on a grown graph to where the old ones are, locally."""
    before, after, system = old.relaxation, new.relaxation, new.system
    precision, _, tol = new.terms
    ratio = old.system.into / system.into[places]
    changed = (ratio != 1.0) | (old.system.excess != system.excess[places])
    everywhere = bool(changed.all())
    touched = np.union1d(touched, places[changed])
    after.x[:, places] = before.x * ratio if everywhere else before.x
    after.r[:, places] = before.r
    new.counts[:, places] = old.counts
    new.totals[:] = old.totals
    shown = new.counts.sum(axis=0)
    labelled = np.flatnonzero(shown)
    if precision > 0:
        after.excess[labelled] += precision * system.into[labelled] ** 2 * shown[labelled]
        after.diagonal[0][labelled] = 1.0 / (after.graph.degrees[labelled] + after.excess[labelled])
        after.diagonal[1][labelled] = tol * after.excess[labelled]
    gain = (precision if precision > 0 else 1.0) * system.into
    nothing = np.zeros(0)
    for x, r, own in zip(after.x, after.r, new.counts, strict=True):
        _residuals(after.csr, after.diagonal[0], x, r, gain * own, touched)
        for node in np.flatnonzero(np.abs(r) > after.diagonal[1]).tolist():
            relax(after.csr, after.diagonal, x, r, after.scratch, node, (nothing, new.counts, nothing))
    if precision > 0:
        new.sums[:] = new.counts @ (system.out * after.x.sum(axis=0))


@kernel
def _residuals(csr: Any, inverse: Any, x: Any, r: Any, right: Any, touched: Any) -> None:
    """The residual b − (D − A + E) x at the touched nodes."""
    indptr, indices, weights = csr
    for k in range(len(touched)):
        u = touched[k]
        arriving = right[u] - x[u] / inverse[u]
        for p in range(indptr[u], indptr[u + 1]):
            arriving += weights[p] * x[indices[p]]
        r[u] = arriving
