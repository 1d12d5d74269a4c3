"""How fields kept by local relaxation follow a graph that grows.

With x the solutions of (D − A + E) x = b on the old graph, 0 at new nodes, the residual
r = b − (D − A + E) x changes at touched nodes alone, those whose edges changed: a degree, an excess or a
right-hand side differs nowhere else. There it is computed anew and relaxed from there, until |r| ≤ tol·e
again; since the residual is the true one, no error is left of the growth. A kernel relative to the mean
degree changes a little at every node: x is brought to its new unit and the residual computed anew everywhere,
one pass over the edges.

Where the weights themselves are in a unit that changes, those of untouched nodes by the factor u, and x
becomes ρ x, the residual follows at every untouched node from what it was, without a look at the edges:
(D − A) x is b − E x − r before and u ρ times that after, so that

    r' = b' − E' ρ x − u ρ (b − E x − r).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation import Watch, relax
from zerokelvin.learners.base.growth import Growth
from zerokelvin.learners.gaussian.diffusion import Diffusion

__all__ = ["grow_diffusion"]


def grow_diffusion(old: Diffusion, new: Diffusion, growth: Growth) -> None:
    """Bring fields just started on a grown graph to where the old ones are, locally."""
    places, after, system = growth.places, new.relaxation, new.system
    precision, tol = new.terms.precision, new.terms.tol
    new.counts[:, places] = old.counts
    new.totals[:] = old.totals
    shown = new.counts.sum(axis=0)
    labelled = np.flatnonzero(shown)
    if precision > 0:
        after.excess[labelled] += precision * system.into[labelled] ** 2 * shown[labelled]
        after.rules.inverse[labelled] = 1.0 / (after.graph.degrees[labelled] + after.excess[labelled])
        after.rules.limits[labelled] = tol * after.excess[labelled]
    ratio = old.system.into / system.into[places]
    gain = (precision if precision > 0 else 1.0) * system.into
    carry = _carry_same_unit if growth.unit == 1.0 else _carry_other_unit
    touched = carry(old, new, growth, ratio)
    nothing = np.zeros(0)
    watch = Watch(nothing, new.counts, nothing)
    for x, r, own in zip(after.x, after.r, new.counts, strict=True):
        _residuals(after.csr, after.rules.inverse, x, r, gain, own, touched)
        for node in np.flatnonzero(np.abs(r) > after.rules.limits).tolist():
            relax(after.csr, after.rules, x, r, after.scratch, node, watch)
    if precision > 0:
        new.sums[:] = new.counts @ (system.out * after.x.sum(axis=0))


def _carry_same_unit(old: Diffusion, new: Diffusion, growth: Growth, ratio: Floats) -> Ints:
    """Take the fields over; where the residual is to be computed anew. `ratio` is that of the scales s."""
    before, after, places = old.relaxation, new.relaxation, growth.places
    changed = (ratio != 1.0) | (old.system.excess != new.system.excess[places])
    after.x[:, places] = before.x * ratio if bool(changed.all()) else before.x
    after.r[:, places] = before.r
    return np.union1d(growth.touched, places[changed])


def _carry_other_unit(old: Diffusion, new: Diffusion, growth: Growth, ratio: Floats) -> Ints:
    """The same with weights in another unit: the residuals of untouched nodes follow from what they were."""
    before, after, places = old.relaxation, new.relaxation, growth.places
    same = np.ones(new.system.graph.num_nodes, dtype=np.bool_)
    same[growth.touched] = False
    joined = old.system.graph.degrees > 0
    untouched = np.flatnonzero(same[places] & joined)
    common = float(ratio[untouched[0]]) if len(untouched) else 1.0
    own = np.where(joined, common, ratio)  # of a node without edges no other sees the field
    odd = places[~joined & (ratio != common)]
    precision = old.terms.precision or 1.0
    gains = precision * old.system.into, precision * new.system.into
    scales = UnitScales(own, *gains, before.excess, after.excess)
    for c in range(len(after.x)):
        field = FollowedField(before.x[c], before.r[c], old.counts[c], after.x[c], after.r[c])
        _follow_unit(field, scales, places, growth.unit * common)
    return np.union1d(growth.touched, odd)


class FollowedField(NamedTuple):
    """One field and its residual before, the labels of its class, and the field and residual that follow."""

    x: Floats
    r: Floats
    counts: Floats
    new_x: Floats
    new_r: Floats


class UnitScales(NamedTuple):
    """Per old node ρ; per old and per new node the gain of a label and the excess."""

    ratio: Floats
    gain: Floats
    new_gain: Floats
    excess: Floats
    new_excess: Floats


@kernel
def _follow_unit(field: FollowedField, scales: UnitScales, places: Ints, factor: float) -> None:
    """One field and its residual in a new unit; see the module. `factor` is u ρ."""
    x, r, counts, new_x, new_r = field
    ratio, gain, new_gain, excess, new_excess = scales
    for k in range(len(places)):
        at = places[k]
        reached = gain[k] * counts[k] - excess[k] * x[k] - r[k]
        new_x[at] = ratio[k] * x[k]
        new_r[at] = new_gain[at] * counts[k] - new_excess[at] * new_x[at] - factor * reached


@kernel
def _residuals(
    csr: Csr, inverse: Floats, x: Floats, r: Floats, gain: Floats, counts: Floats, touched: Ints
) -> None:
    """The residual b − (D − A + E) x at the touched nodes, b being the gain times the labels there."""
    indptr, indices, weights = csr
    for k in range(len(touched)):
        u = touched[k]
        arriving = gain[u] * counts[u] - x[u] / inverse[u]
        for p in range(indptr[u], indptr[u + 1]):
            arriving += weights[p] * x[indices[p]]
        r[u] = arriving
