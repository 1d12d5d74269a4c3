"""Upper bounds on influences from a few steps of Lanczos around a node.

An influence is the length of a column of G = (L + E)⁻¹ without its own entry, over that entry and the noise
(`learners.gaussian.influence`). With E₀ the excess before any label and B = E₀^−½ (L + E) E₀^−½, which has
no eigenvalue below 1,

    Σ_{j≠i} (o_j G_ij)² ≤ w / e_i · ((B⁻²)_ii − (B⁻¹)_ii²),   w = max o_j² / e_j,   G_ii = (B⁻¹)_ii / e_i.

k steps of Lanczos from node i see the nodes within k edges of it, and make of B a tridiagonal matrix T_k.
Gauss' quadrature bounds (B⁻¹)_ii from below by (T_k⁻¹)₁₁, and with one more row, chosen such that 1 is an
eigenvalue, Radau's bounds (B⁻²)_ii from above, as the derivatives of 1/x² change sign in turn (Golub and
Meurant, 2010).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Bytes, Floats, Ints, Shorts
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel

__all__ = [
    "STEPS",
    "KeptBounds",
    "LanczosRoom",
    "RegressionSystem",
    "WantedBounds",
    "new_room",
    "spoil_around",
    "tighten",
]

STEPS = 10
"""Steps of Lanczos at most."""

CLOSER = 0.85
"""How far below what rules a node out its bound is brought, so that it does so in the next lists too; where
that has not been enough, all steps are taken."""

LOST = 1e-6
"""What must be left of a difference, over what it is taken from, and what bounds allow for rounding."""


class RegressionSystem(NamedTuple):
    """A Gaussian regression as it stands: the kernel out · (L + E)⁻¹ · into, and its noise.

    Attributes
    ----------
    csr, inverse, excess
        The graph; per node 1 / (d + e), and e with what labels added to it.
    into, out, waiting
        Per node the scales s and o, and whether it waits for its turn.
    noise, tol
        μ, and how far the entries of a column may be off.
    """

    csr: Csr
    inverse: Floats
    excess: Floats
    into: Floats
    out: Floats
    waiting: Bools
    noise: float
    tol: float


class LanczosRoom(NamedTuple):
    """Room for Lanczos' vectors around one node, which hold the nodes seen and no others.

    Attributes
    ----------
    place
        Of every node of the graph, where it stands in the vectors; −1 where it was not seen.
    seen
        The nodes seen, in that order.
    now, before, coming, scale
        The present vector, the last and the next one, and E₀^−½.
    """

    place: Shorts
    seen: Shorts
    now: Floats
    before: Floats
    coming: Floats
    scale: Floats


class WantedBounds(NamedTuple):
    """Nodes, and the influence that rules each of them out if it is not reached."""

    nodes: Ints
    limits: Floats


class KeptBounds(NamedTuple):
    """What is known of the influence of every node.

    A bound on it and the steps taken for that, which stay while no label comes near; a bound on the length of
    its column but for its own entry, with the residual left, which stays for good.
    """

    bounds: Floats
    steps: Bytes
    norms: Floats
    rest: Floats


def new_room(count: int) -> LanczosRoom:
    """Room for the vectors of a node of a graph with `count` nodes."""
    return LanczosRoom(np.full(count, -1, np.int32), np.empty(count, np.int32), *np.zeros((4, count)))


@kernel
def tighten(
    regression: RegressionSystem,
    base: Floats,
    widest: float,
    room: LanczosRoom,
    reach: int,
    wanted: WantedBounds,
    kept: KeptBounds,
) -> None:
    """Bound the influences of the wanted nodes, each until it is ruled out or `reach` nodes have been seen.

    `base` is E₀, `widest` is w; what is found is written to `kept`.
    """
    csr, inverse, noise, tol = regression.csr, regression.inverse, regression.noise, regression.tol
    into, out = regression.into, regression.out
    nodes, limits = wanted
    bounds, steps, norms, rest = kept
    alpha, beta, found = np.empty(STEPS), np.empty(STEPS + 1), np.empty(2)
    for k in range(len(nodes)):
        i = nodes[k]
        enough = CLOSER * limits[k] if steps[i] == 0 else 0.0
        count, slope = _begin(room, base, i), 0.0
        for step in range(STEPS):
            count = _step(csr, inverse, base, room, count, step, alpha, beta)
            slope = alpha[step] - 1.0 - (beta[step] ** 2 / slope if step > 0 else 0.0)
            if not (slope > LOST * alpha[step] and beta[step + 1] > LOST * alpha[step]):
                break
            _quadrature(alpha, beta, step + 1, 1.0 + beta[step + 1] ** 2 / slope, found)
            square = max(found[1] * (1.0 + LOST) - found[0] * found[0] * (1.0 - LOST), 0.0)
            length = into[i] * np.sqrt(widest / base[i] * square)
            own = max(found[0] * (1.0 - LOST) / base[i] - tol, inverse[i])
            bound = length / (out[i] * into[i] * own + noise)
            if bound < bounds[i]:
                bounds[i], steps[i] = bound, step + 1
            if length < norms[i] + into[i] * np.sqrt(widest * tol * rest[i]):
                norms[i], rest[i] = length, 0.0
            if bounds[i] < enough or count > reach:
                break
        _clear(room, count)


@kernel
def _begin(room: LanczosRoom, base: Floats, node: int) -> int:
    """Begin with the unit vector of a node; the number of nodes seen."""
    place, seen, now, before, coming, scale = room
    place[node], seen[0] = 0, node
    now[0], before[0], coming[0], scale[0] = 1.0, 0.0, 0.0, 1.0 / np.sqrt(base[node])
    return 1


@kernel
def _step(
    csr: Csr,
    inverse: Floats,
    base: Floats,
    room: LanczosRoom,
    count: int,
    step: int,
    alpha: Floats,
    beta: Floats,
) -> int:
    """One step of Lanczos: the next row of the tridiagonal matrix; the number of nodes seen."""
    indptr, indices, weights = csr
    place, seen, now, before, coming, scale = room
    support = count
    for a in range(support):
        u, sent = seen[a], now[a] * scale[a]
        coming[a] += sent / inverse[u]
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
            v = np.uint64(indices[p])
            b = place[v]
            if b < 0:
                b = count
                place[v], seen[b] = b, v
                now[b], before[b], coming[b], scale[b] = 0.0, 0.0, 0.0, 1.0 / np.sqrt(base[v])
                count += 1
            coming[b] -= weights[p] * sent
    own, last = 0.0, beta[step] if step > 0 else 0.0
    for a in range(support):
        own += coming[a] * scale[a] * now[a]
    total = 0.0
    for a in range(count):
        coming[a] = coming[a] * scale[a] - own * now[a] - last * before[a]
        total += coming[a] * coming[a]
    norm = np.sqrt(total)
    for a in range(count):
        before[a] = now[a]
        now[a] = coming[a] / norm if norm > 0.0 else 0.0
        coming[a] = 0.0
    alpha[step], beta[step + 1] = own, norm
    return count


@kernel
def _quadrature(alpha: Floats, beta: Floats, size: int, last: float, found: Floats) -> None:
    """Found = (Gauss' lower bound on (B⁻¹)_ii, Radau's upper bound on (B⁻²)_ii) from `size` rows."""
    pivots = np.empty(size + 1)
    pivots[size - 1] = alpha[size - 1]
    for s in range(size - 2, -1, -1):
        pivots[s] = alpha[s] - beta[s + 1] ** 2 / pivots[s + 1]
    found[0] = 1.0 / pivots[0]
    pivots[size] = last
    for s in range(size - 1, -1, -1):
        pivots[s] = alpha[s] - beta[s + 1] ** 2 / pivots[s + 1]
    entry = 1.0 / pivots[0]
    total = entry * entry
    for s in range(1, size + 1):
        entry *= -beta[s] / pivots[s]
        total += entry * entry
    found[1] = total


@kernel
def _clear(room: LanczosRoom, count: int) -> None:
    """Empty the vectors: none of the first `count` nodes seen has a place in them any more."""
    place, seen = room.place, room.seen
    for a in range(count):
        place[seen[a]] = -1


@kernel
def spoil_around(csr: Csr, changed: Bools, room: LanczosRoom, bounds: Floats, steps: Bytes) -> None:
    """Drop the bounds of nodes whose steps saw a node that has changed."""
    indptr, indices = csr.indptr, csr.indices
    place, seen = room.place, room.seen
    count = 0
    for i in range(len(changed)):
        if changed[i]:
            place[i], seen[count] = 0, i
            count += 1
    first = 0
    for distance in range(STEPS + 1):
        last = count
        for a in range(first, last):
            u = seen[a]
            if steps[u] >= distance:
                bounds[u] = np.inf
            for p in range(indptr[u], indptr[u + 1]):
                if distance < STEPS and place[indices[p]] < 0:
                    place[indices[p]], seen[count] = 0, indices[p]
                    count += 1
        first = last
    _clear(room, count)
