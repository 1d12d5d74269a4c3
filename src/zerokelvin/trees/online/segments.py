"""A piece of a path in a tree, as a function of the message that comes into it.

A piece passes a message x on as min(q, max(p, x)) + s, or always as s where p > q: adding what hangs from a
node and clipping to the weight of an edge are of this form, and so is one piece after another. No edge of
the piece is clipped for p ≤ x ≤ q, so these are all the messages that make a difference beyond the value:

    regime   0: x < p    1: x = p    2: p < x < q    3: x = q    4: x > q      (p > q: always 0)

Within a regime the arcs of the Picard–Queyranne graph on the piece that can be reached from its far end do
not depend on x. Proof: if some edge is clipped, let e be the one nearest the far end. For a larger x, if e is
clipped from above, it still is, what leaves it is the same, and so is all beyond it; likewise from below; and
if there is no x without a clipped edge, one edge is clipped for every x. What lies before e cannot be
reached over it. If none is clipped, edges are full only for x = p or x = q, always the same ones. So the
longest paths from the far end to either side take ten numbers, and two more for those that lead through.

A row of ``flow`` holds p, q, s; a row of ``paths`` the longest path within the piece to −1 and to +1 for
each regime, then the arcs on the way through to −1 in regime 1 and to +1 in regime 3. Both are kept upwards
(0) and downwards (1) along the tree. `NONE` means no path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.jit import inner_kernel

__all__ = ["NONE", "SURE", "arrive", "further", "join", "node_piece", "regime"]

Shorts = NDArray[np.int32]

NONE = -1
SURE = 2**61  # what a labelled node sends before clipping; capacities stay below
FLOW, PATHS = 3, 12  # columns of one direction
THROUGH = 10  # first of the columns for ways through


@inner_kernel
def regime(flow: Ints, piece: int, way: int, x: int) -> int:
    """The case 0 to 4 of a message x into a piece: x < p (or p > q), x = p, p < x < q, x = q or x > q."""
    p, q = flow[piece, FLOW * way], flow[piece, FLOW * way + 1]
    if p > q or x < p:
        return 0
    if x == p:
        return 1
    if x < q:
        return 2
    return 3 if x == q else 4


@inner_kernel
def arrive(flow: Ints, piece: int, way: int, x: int) -> int:
    """The message that leaves a piece, going one way, when the message x comes into it."""
    p, q, s = flow[piece, FLOW * way], flow[piece, FLOW * way + 1], flow[piece, FLOW * way + 2]
    if p > q:
        return s
    return min(q, max(p, x)) + s


@inner_kernel
def further(paths: Shorts, piece: int, way: int, case: int, side: int, beyond: int) -> int:
    """Longest path to side 0 or 1 from the far end, if the longest from where x comes in is `beyond`."""
    found = paths[piece, PATHS * way + 2 * case + side]
    across = _across(paths, piece, way, case, side)
    if beyond != NONE and across != NONE:
        return max(found, across + beyond)
    return found


@inner_kernel
def join(flow: Ints, paths: Shorts, way: int, near: int, far: int, into: int) -> bool:
    """One piece after another, as a third; whether that is new. The message comes into `near` first."""
    p, q, s = flow[near, FLOW * way], flow[near, FLOW * way + 1], flow[near, FLOW * way + 2]
    if p <= q:
        x = p
        low, high = flow[far, FLOW * way], flow[far, FLOW * way + 1]
        if low <= high:
            p, q = max(p, low - s), min(q, high - s)
            s += flow[far, FLOW * way + 2]
        else:
            p, q = 1, 0
        if p > q:
            s = arrive(flow, far, way, arrive(flow, near, way, x))
    else:
        x = 0
        s = arrive(flow, far, way, s)
    fresh = False
    if p > q:
        p, q = 1, 0
        if len(paths) > 1:
            fresh = _case(flow, paths, way, near, far, into, 0, x)
    elif len(paths) > 1:
        for case, value in ((0, p - 1), (1, p), (2, p + 1), (3, q), (4, q + 1)):
            if not (case == 2 and q <= p + 1):
                fresh |= _case(flow, paths, way, near, far, into, case, value)
        for side in range(2):
            case, value = 1 + 2 * side, q if side else p
            first, second = (
                regime(flow, near, way, value),
                regime(flow, far, way, arrive(flow, near, way, value)),
            )
            one, two = _across(paths, near, way, first, side), _across(paths, far, way, second, side)
            there = NONE if one == NONE or two == NONE else one + two
            fresh |= _set_path(paths, into, PATHS * way + THROUGH + side, there)
    return _write(flow, way, into, p, q, s) or fresh


@inner_kernel
def node_piece(
    flow: Ints, paths: Shorts, node: int, label: int, capacity: int, arriving: int, inside: tuple[int, int]
) -> bool:
    """A node and the edge above it as a piece, in both directions; whether that is new.

    ``arriving`` is the sum of the messages from its light children, ``inside`` their longest paths.
    """
    if label != 0:
        fresh = _write(flow, 0, node, 1, 0, label * capacity)
        fresh |= _write(flow, 1, node, 1, 0, label * SURE)
        if len(paths) > 1:
            for side in range(2):
                fresh |= _set_path(paths, node, side, 1 if (label > 0) == (side == 1) else NONE)
                fresh |= _set_path(paths, node, PATHS + side, NONE)
        return fresh
    fresh = _write(flow, 0, node, -capacity - arriving, capacity - arriving, arriving)
    fresh |= _write(flow, 1, node, -capacity, capacity, arriving)
    if len(paths) > 1:
        for side in range(2):
            within = inside[side]
            full = NONE if within == NONE else within + 1
            towards, tight = 4 * side, 1 + 2 * side
            for case, up, down in (
                (towards, 1, max(within, 1)),
                (tight, full, within),
                (2, within, within),
                (4 - tight, NONE, within),
                (4 - towards, NONE, within),
            ):
                fresh |= _set_path(paths, node, 2 * case + side, up)
                fresh |= _set_path(paths, node, PATHS + 2 * case + side, down)
            fresh |= _set_path(paths, node, THROUGH + side, 1)
            fresh |= _set_path(paths, node, PATHS + THROUGH + side, 1)
    return fresh


@inner_kernel
def _case(flow: Ints, paths: Shorts, way: int, near: int, far: int, into: int, case: int, x: int) -> bool:
    """The longest paths of two pieces together in one regime, of which x is an example."""
    first, second = regime(flow, near, way, x), regime(flow, far, way, arrive(flow, near, way, x))
    fresh = False
    for side in range(2):
        beyond = paths[near, PATHS * way + 2 * first + side]
        found = further(paths, far, way, second, side, beyond)
        fresh |= _set_path(paths, into, PATHS * way + 2 * case + side, found)
    return fresh


@inner_kernel
def _across(paths: Shorts, piece: int, way: int, case: int, side: int) -> int:
    """Arcs on the way through the piece towards a side."""
    if case == 2:
        return 0
    if case == 1 + 2 * side:
        return paths[piece, PATHS * way + THROUGH + side]
    return NONE


@inner_kernel
def _write(flow: Ints, way: int, piece: int, p: int, q: int, s: int) -> bool:
    """Set p, q and s of a piece in one direction; whether one of them is new."""
    at = FLOW * way
    fresh = flow[piece, at] != p or flow[piece, at + 1] != q or flow[piece, at + 2] != s
    flow[piece, at], flow[piece, at + 1], flow[piece, at + 2] = p, q, s
    return fresh


@inner_kernel
def _set_path(paths: Shorts, piece: int, column: int, value: int) -> bool:
    """Set one column of a piece's longest paths; whether its value is new."""
    fresh = paths[piece, column] != value
    paths[piece, column] = value
    return fresh
