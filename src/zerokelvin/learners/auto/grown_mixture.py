"""How the mixture of `auto` follows a graph that grows: whom to trust is kept, the experts are told anew.

The losses, the combinations and the class counts were learnt from what every expert said on the graph of the
moment, and stay. The experts are those of the new graph. Fields of kernels are repaired where the graph has
changed, to the error they always have (`learners.gaussian.grown_fields` and `grow_pairs` below), and flows of
minimum cuts are carried over (`flow.online.grown_cut`); all others,
trees, votes of two steps and smooth directions, begin on the new graph and are told the labels in their
order, no trial of which is scored. An expert that a growth brings (of directions, on a graph that has fewer
components now) counts as one that slept: as having lost what the mixture lost, with no part in the
combinations yet. One that a growth takes away is forgotten.

Pairs of fields (`learners.auto.paired`). With W the weights of −A beside its diagonal a, the residuals of

    A f = s M g,        A g = s (y − N f)

at a node that no change touches, where W has become u W, follow from what they were without a look at the
edges: W f = r − s m g + a f before, and u times that after. At touched nodes and their neighbours, whose
degrees enter the weights of a normalized kernel, they are computed anew.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from zerokelvin.array_types import Bools, Ints
from zerokelvin.graph.scale import mean_degree
from zerokelvin.jit import kernel
from zerokelvin.learners.auto.experts import Expert
from zerokelvin.learners.auto.mixing import Mixing
from zerokelvin.learners.auto.mixture import Mixture
from zerokelvin.learners.auto.paired import LOOSE, PairedFields, PairedSystem
from zerokelvin.learners.base.growth import Growth
from zerokelvin.threads import in_threads

__all__ = ["grow_mixing", "grow_mixture", "grow_pairs"]

MANY = 1 << 12
"""Nodes from which on experts grow in several threads: for fewer, these take longer to start."""


def grow_mixture(old: Mixture, new: Mixture, growth: Growth) -> None:
    """Bring a mixture just started on a grown graph to where the old one is; changes nothing there."""
    means = mean_degree(growth.before), mean_degree(growth.after)
    in_unit = dataclasses.replace(growth, unit=means[0] / means[1] if all(means) else 1.0)
    place = {expert.name: k for k, expert in enumerate(old.experts)}
    _ = in_unit.places, in_unit.touched  # once for all

    def grow(expert: Expert) -> None:
        game, heir = old.experts[place[expert.name]].game if expert.name in place else None, expert.game
        if game is None or expert.relearns:
            heir.teach(*growth.answers())
        elif isinstance(game, PairedFields) and isinstance(heir, PairedFields):
            grow_pairs(game, heir, in_unit)
        else:
            game.hand_over(heir, in_unit)

    slowest_first = [partial(grow, expert) for expert in reversed(new.experts)]  # voters, pairs, others
    in_threads(slowest_first, worth=growth.after.num_nodes >= MANY)
    grow_mixing(old.mixing, new.mixing, [place.get(expert.name, -1) for expert in new.experts])
    new.asking = copy.deepcopy(old.asking)


def grow_mixing(old: Mixing, new: Mixing, place: Sequence[int]) -> None:
    """Keep whom to trust; `place` has the old number of every expert, −1 for one that is new.

    >>> old, new = Mixing([0.1, 0.1], [True, False], 2), Mixing([0.1, 0.1], [False, True], 2)
    >>> old.losses[:] = [1.0, 2.0, 3.0, 4.0]
    >>> old.totals[1] = 2.5
    >>> grow_mixing(old, new, [1, -1])
    >>> new.losses.tolist()
    [2.0, 2.5, 3.0, 4.0]
    """
    experts, before, classes = len(place), len(old.floors), len(old.counts)
    kept = np.array([k for k, own in enumerate(place) if own >= 0], dtype=np.int64)
    source = np.array([own for own in place if own >= 0], dtype=np.int64)
    for name in ("counts", "totals", "surprise", "mistakes"):
        getattr(new, name)[:] = getattr(old, name)
    new.losses[:experts] = old.totals[1]
    new.losses[kept] = old.losses[source]
    new.losses[experts:] = old.losses[before:]
    rest = -1 - np.arange(classes)  # the offsets, at the end
    estimates = [int(np.flatnonzero(new.estimates == k)[0]) if k in new.estimates else -1 for k in kept]
    told = [int(np.flatnonzero(old.estimates == k)[0]) if k in old.estimates else -1 for k in source]
    both = [(own, other) for own, other in zip(estimates, told, strict=True) if min(own, other) >= 0]
    pairs = np.array(both, dtype=np.int64).reshape(-1, 2)
    to = np.concatenate([kept, [experts], experts + 1 + pairs[:, 0], rest])
    of = np.concatenate([source, [before], before + 1 + pairs[:, 1], rest])
    fresh = np.setdiff1d(np.arange(len(new.means[0]) - classes), to)
    new.means[:] = 0.0
    new.means[:, to] = old.means[:, of]
    for own, other in zip(new.covariance, old.covariance, strict=True):
        unheard = own[np.ix_(fresh, fresh)]
        own[:] = 0.0
        own[np.ix_(fresh, fresh)] = unheard
        own[np.ix_(to, to)] = other[np.ix_(of, of)]


def grow_pairs(old: PairedFields, new: PairedFields, growth: Growth) -> None:
    """Bring pairs of fields just started on a grown graph to where the old ones are."""
    places, system = growth.places, new.system
    near = _with_neighbours(system, growth.touched)
    new.counts[places] = old.counts
    new.find_classes()
    new.parts()["0/plan"][:] = old.parts()["0/plan"]
    new.arrays.labels[places] = old.arrays.labels
    factor = _ratio(old.system, system, places, near)
    _follow((old.system, old.arrays), (system, new.arrays), old.counts, places, factor)
    _recompute(system, new.arrays, new.counts, np.flatnonzero(near))
    for c in range(new.classes):
        first, second = np.abs(new.arrays.residual[c]).T
        above = np.maximum(first, second) > LOOSE * system.diagonal
        new.relax_from(c, np.flatnonzero(near | above))


def _with_neighbours(system: PairedSystem, nodes: Ints) -> Bools:
    """Which nodes are among these or next to one of them."""
    near = np.zeros(len(system.diagonal), dtype=np.bool_)
    near[nodes] = True
    for node in nodes.tolist():
        near[system.indices[system.indptr[node] : system.indptr[node + 1]]] = True
    return near


def _ratio(old: PairedSystem, new: PairedSystem, places: Ints, near: Bools) -> float:
    """What the weights of all rows that are not near a change were multiplied by."""
    rows = np.flatnonzero(~near[places] & (np.diff(old.indptr) > 0))
    if len(rows) == 0:
        return 1.0
    return float(new.weights[new.indptr[places[rows[0]]]] / old.weights[old.indptr[rows[0]]])


@kernel
def _follow(old: Any, new: Any, counts: Any, places: Any, factor: float) -> None:
    """Fields and residuals of old nodes in the new unit, as if no edge had changed; see the module."""
    (system, arrays), (new_system, new_arrays) = old, new
    for c in range(len(arrays.pairs)):
        for k in range(len(places)):
            at = places[k]
            a, m = system.diagonal[k], system.link[k]
            b, n = new_system.diagonal[at], new_system.link[at]
            f, g = arrays.pairs[c, k, 0], arrays.pairs[c, k, 1]
            wanted = arrays.root * (counts[k, c] - arrays.labels[k] * f)
            first = arrays.residual[c, k, 0] - m * g + a * f
            second = arrays.residual[c, k, 1] - wanted + a * g
            new_arrays.pairs[c, at, 0] = f
            new_arrays.pairs[c, at, 1] = g
            new_arrays.residual[c, at, 0] = n * g - b * f + factor * first
            new_arrays.residual[c, at, 1] = wanted - b * g + factor * second


@kernel
def _recompute(system: Any, arrays: Any, counts: Any, nodes: Any) -> None:
    """The residuals of some nodes, by their definition."""
    pairs, residual = arrays.pairs, arrays.residual
    for i in nodes:
        a, m = system.diagonal[i], system.link[i]
        for c in range(len(pairs)):
            f, g = pairs[c, i, 0], pairs[c, i, 1]
            first = m * g - a * f
            second = arrays.root * (counts[i, c] - arrays.labels[i] * f) - a * g
            for p in range(system.indptr[i], system.indptr[i + 1]):
                first += system.weights[p] * pairs[c, system.indices[p], 0]
                second += system.weights[p] * pairs[c, system.indices[p], 1]
            residual[c, i, 0] = first
            residual[c, i, 1] = second
