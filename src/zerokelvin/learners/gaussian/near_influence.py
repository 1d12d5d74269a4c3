"""Near influence: what a label would tell the nodes around it, by a few conjugate gradients.

An influence (`learners.gaussian.influence`) needs the column of a node until it fades out, a third of a
millisecond where little is labelled, and to have the largest of 100,000 every one of them. Which are large
shows much earlier. After k steps of conjugate gradients on (L + E) x = e_i, preconditioned by the diagonal,
x is the best column that polynomials of degree k − 1 give, and holds the nodes within k − 1 edges of i. The
*near influence* of i is that of this column,

    √ Σ_j (o_j x_j s_i)² / (o_i x_i s_i + μ)   over the nodes j ≠ i that wait,

after as many steps as it takes to see `SEEN` nodes, `STEPS` at most. It costs O(SEEN · degree), and a label
changes it within k edges and nowhere else.

Of 3,000 nodes of 20,000, with 1 to 1,000 labels: correlation of ranks with the influence .97 to .99 on points
in the plane, .97 on Cora, .54 in sixteen dimensions, where three steps see all they may.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Bytes, Floats, Ints, Shorts
from zerokelvin.graph.canonical import Csr
from zerokelvin.jit import kernel
from zerokelvin.learners.gaussian.influence_kernels import RegressionSystem

__all__ = ["SEEN", "STEPS", "GradientRoom", "near_influences", "new_gradient_room", "spoil_around"]

STEPS, SEEN = 8, 256
"""Steps at most, and the nodes seen after which no further step is begun."""

SOLVED = 1e-24
"""What is left of the square of the residual where the column is exact."""


class GradientRoom(NamedTuple):
    """Room for the vectors around one node, which hold the nodes seen and no others.

    Attributes
    ----------
    place
        Of every node of the graph, where it stands in the vectors; −1 where it was not seen.
    seen
        The nodes seen, in that order.
    x, r, way, product
        The column so far, its residual, the direction of the next step, and (L + E) times that.
    """

    place: Shorts
    seen: Shorts
    x: Floats
    r: Floats
    way: Floats
    product: Floats


def new_gradient_room(count: int) -> GradientRoom:
    """Room for the vectors of a node of a graph with `count` nodes."""
    return GradientRoom(np.full(count, -1, np.int32), np.empty(count, np.int32), *np.zeros((4, count)))


@kernel
def near_influences(
    regression: RegressionSystem, room: GradientRoom, nodes: Ints, found: Floats, steps: Bytes
) -> None:
    """The near influence of several nodes, and the steps that were taken for it."""
    into, out, waiting, noise = regression.into, regression.out, regression.waiting, regression.noise
    place, seen, x = room.place, room.seen, room.x
    for k in range(len(nodes)):
        i = nodes[k]
        count, taken = _column(regression, room, i)
        own, total = out[i] * x[0] * into[i] + noise, 0.0
        for a in range(1, count):
            v = seen[a]
            if v < len(waiting) and waiting[v]:
                share = out[v] * x[a] * into[i] / own
                total += share * share
        found[i], steps[i] = np.sqrt(total), taken
        for a in range(count):
            place[seen[a]] = -1


@kernel
def _column(regression: RegressionSystem, room: GradientRoom, node: int) -> tuple[int, int]:
    """Leave the near column of a node in `room.x`; how many nodes were seen, and in how many steps."""
    inverse = regression.inverse
    place, seen, x, r, way, product = room
    place[node], seen[0] = 0, node
    x[0], r[0], way[0], product[0] = 0.0, 1.0, inverse[node], 0.0
    count, first = 1, inverse[node]
    left = first
    for step in range(STEPS):
        count, along = _multiply(regression, room, count)
        length, before = left / along, left
        left = 0.0
        for a in range(count):
            x[a] += length * way[a]
            r[a] -= length * product[a]
            product[a] = 0.0
            left += r[a] * r[a] * inverse[seen[a]]
        if count > SEEN or left <= SOLVED * first:
            return count, step + 1
        for a in range(count):
            way[a] = r[a] * inverse[seen[a]] + left / before * way[a]
    return count, STEPS


@kernel
def _multiply(regression: RegressionSystem, room: GradientRoom, count: int) -> tuple[int, float]:
    """Product = (L + E) way, which sees one edge further; how many nodes are seen now, and way · product."""
    inverse, (indptr, indices, weights) = regression.inverse, regression.csr
    place, seen, x, r, way, product = room
    known = count
    for a in range(known):
        u, sent = seen[a], way[a]
        product[a] += sent / inverse[u]
        for p in range(np.uint64(indptr[u]), np.uint64(indptr[u + 1])):
            v = np.uint64(indices[p])
            b = place[v]
            if b < 0:
                b = count
                place[v], seen[b] = b, v
                x[b], r[b], way[b], product[b] = 0.0, 0.0, 0.0, 0.0
                count += 1
            product[b] -= weights[p] * sent
    along = 0.0
    for a in range(known):
        along += way[a] * product[a]
    return count, along


@kernel
def spoil_around(
    csr: Csr, changed: Bools, room: GradientRoom, near: Floats, steps: Bytes, farthest: int
) -> None:
    """Forget the near influences whose steps, `farthest` at most, saw a node that has changed."""
    indptr, indices = csr.indptr, csr.indices
    place, seen = room.place, room.seen
    count = 0
    for i in range(len(changed)):
        if changed[i]:
            place[i], seen[count] = 0, i
            count += 1
    first = 0
    for distance in range(farthest + 1):
        last = count
        for a in range(first, last):
            u = seen[a]
            if steps[u] >= distance:
                near[u] = np.nan
            for p in range(indptr[u], indptr[u + 1]):
                if distance < farthest and place[indices[p]] < 0:
                    place[indices[p]], seen[count] = 0, indices[p]
                    count += 1
        first = last
    for a in range(count):
        place[seen[a]] = -1
