"""Minimum cuts and longest paths of a labelled tree, O(log n) steps per label and question in any order.

Every heavy path of the rooted tree is a balanced binary tree of pieces (`trees.online.segments`), every
set of light children one of *bunches*, which add up their messages and keep their longest paths. Both are
split where the weights, the sizes of what hangs below, are halved; so a node is O(log n) rows below the
top, however deep or wide the tree is. A label changes the pieces and bunches above its node
only; a question goes from the top down to its node, and carries along what the rest of the tree sends.

The idea is that of top trees (Alstrup, Holm, de Lichtenberg, Thorup 2005) of a tree that stays as it is. It
takes 321 bytes per node, 129 without paths, and is built only when the walks of `trees.online.hinges`
have cost more than n steps beyond their due.

Above 300 lines: one structure: building, updating and reading go through the same arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bytes, Ints
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.online.forest import HEAD, NOBODY, PARENT, PLACE, Forest, Rooted
from zerokelvin.trees.online.segments import NONE, SURE, arrive, further, join, node_piece, regime

__all__ = ["Balanced", "build", "change", "look", "new_balanced"]

Shorts = NDArray[np.int32]

# columns of Balanced.links: what it is part of, its upper and lower half (of a node: the bunch of its light
# children), and what it is
ABOVE, UPPER, LOWER, KIND = range(4)
PIECE, BUNCH = 0, 1
MESSAGE, MINUS, PLUS = range(3)  # what is told from above or from below


class Balanced(NamedTuple):
    """The pieces and bunches of all components that have a root.

    The first n rows are the nodes, each with the edge above it. Bunches keep their sum in the first column of
    ``flow`` and their longest paths in the first two of ``paths``, which has one row only where no paths are
    wanted. ``labels`` are the last labels given, ``steps`` counts the rows visited.
    """

    links: Shorts
    flow: Ints
    paths: Shorts
    labels: Bytes
    steps: Ints


class Sent(NamedTuple):
    """What some rows tell the node above them: their message, and their longest paths to −1 and to +1."""

    message: int
    minus: int
    plus: int


class Outlook(NamedTuple):
    """Δ of a node, and the lengths of its longest paths to −1 and to +1, `NONE` where there is none."""

    balance: int
    source: int
    target: int


def new_balanced(forest: Forest, labels: Bytes, paths: bool) -> Balanced:
    """Rows for a forest none of whose components is laid out yet; with longest paths if `paths`."""
    rows = 2 * len(forest.first)
    return Balanced(
        links=np.full((rows, 4), NOBODY, dtype=np.int32),
        flow=np.zeros((rows, 6), dtype=np.int64),
        paths=np.full((rows if paths else 1, 24), NONE, dtype=np.int32),
        labels=labels,
        steps=np.zeros(1, dtype=np.int64),
    )


@kernel
def build(forest: Forest, rooted: Rooted, balanced: Balanced, root: int) -> None:
    """Lay out the component of a root, from the lowest heavy paths up."""
    nodes, at, links = rooted.nodes, rooted.at, balanced.links
    # the places of the component, and the size of every subtree
    first = forest.first[root]
    last = first + 1
    while last < len(at) and forest.first[at[last]] == first and nodes[at[last], PLACE] == last:
        last += 1
    sizes = np.ones(last - first, dtype=np.int64)
    for place in range(last - 1, first, -1):
        sizes[nodes[nodes[at[place], PARENT], PLACE] - first] += sizes[place - first]
    leaves = np.empty(last - first, dtype=np.int32)
    weights = np.zeros(last - first + 1, dtype=np.int64)  # of the leaves before each
    free = len(at) + first
    end = last
    for place in range(last - 1, first - 1, -1):
        head = at[place]
        if nodes[head, HEAD] != head:
            continue
        # a heavy path, whose light children have been laid out: first the bunch of each of its nodes
        for below in range(place, end):
            node = at[below]
            count = 0
            for arc in range(forest.indptr[node], forest.indptr[node + 1]):
                child = forest.heads[arc]
                if nodes[child, PARENT] == node and nodes[child, HEAD] == child:
                    leaves[count] = _top(links, child)
                    weights[count + 1] = weights[count] + sizes[nodes[child, PLACE] - first]
                    count += 1
            if count:
                top = _halve(links, leaves, weights, count, BUNCH, free)
                free = _fill(forest, rooted, balanced, free, count)
                links[top, ABOVE] = node
                links[node, UPPER] = top
            _compute(forest, rooted, balanced, node)
        # then the path itself, a binary tree over its nodes
        for below in range(place, end):
            leaves[below - place] = at[below]
            rest = sizes[below + 1 - first] if below + 1 < end else 0
            weights[below + 1 - place] = sizes[place - first] - rest
        _halve(links, leaves, weights, end - place, PIECE, free)
        free = _fill(forest, rooted, balanced, free, end - place)
        end = place
    balanced.steps[0] += last - first


@inner_kernel
def change(forest: Forest, rooted: Rooted, balanced: Balanced, node: int, label: int) -> None:
    """Give a node of a component that is laid out a label, and bring all above it up to date."""
    balanced.labels[node] = label
    row = node
    while row != NOBODY:
        balanced.steps[0] += 1
        if not _compute(forest, rooted, balanced, row):
            return
        row = balanced.links[row, ABOVE]


@kernel
def look(forest: Forest, rooted: Rooted, balanced: Balanced, node: int) -> Outlook:
    """What minimum cuts say of a node without label; the paths are right if Δ = 0 and paths are kept."""
    links, flow, paths = balanced.links, balanced.flow, balanced.paths
    trail = _trail(links, node)
    balanced.steps[0] += len(trail)
    above, below = np.array([0, NONE, NONE]), np.array([0, NONE, NONE])
    sure = False
    # from the top down; `above` and `below` hold what comes to the present row from either end
    for k in range(len(trail) - 1, 0, -1):
        row, into = trail[k], trail[k - 1]
        upper, lower = links[row, UPPER], links[row, LOWER]
        if row < len(links) // 2:  # a node, left for one of its light children
            sure = balanced.labels[row] != 0
            _gather(forest, rooted, balanced, row, above, below)
        elif links[row, KIND] == BUNCH:
            beside = _offer(balanced, lower if into == upper else upper)
            above[MINUS] = max(above[MINUS], beside.minus)
            above[PLUS] = max(above[PLUS], beside.plus)
        else:
            way, other = (0, lower) if into == upper else (1, upper)
            tale = below if into == upper else above
            if len(paths) > 1:
                case = regime(flow, other, way, tale[MESSAGE])
                tale[MINUS] = further(paths, other, way, case, 0, tale[MINUS])
                tale[PLUS] = further(paths, other, way, case, 1, tale[PLUS])
            tale[MESSAGE] = arrive(flow, other, way, tale[MESSAGE])
            continue
        if not sure and not _is_bunch(links, into):
            above[MESSAGE] -= _offer(balanced, into).message
    _gather(forest, rooted, balanced, node, above, below)
    light = _light(balanced, node)
    return Outlook(above[MESSAGE], max(above[MINUS], light.minus), max(above[PLUS], light.plus))


@inner_kernel
def _gather(forest: Forest, rooted: Rooted, balanced: Balanced, node: int, above: Ints, below: Ints) -> None:
    """Sum up, in `above`, what a node receives from both ends of its heavy path; `below` is emptied.

    Its longest paths are left there too, but for those into its light children.
    """
    capacity, sent = _capacity(forest, rooted, node), above[MESSAGE]
    label = int(balanced.labels[node])
    if label != 0:
        above[MESSAGE] = label * SURE
    else:
        above[MESSAGE] = max(-capacity, min(capacity, sent)) + below[MESSAGE] + _light(balanced, node).message
    for side in range(2):
        strength, over = sent if side else -sent, above[MINUS + side]
        if label != 0 or strength <= -capacity:
            over = NONE
        elif strength > capacity:  # the node above is on that side
            over = 1
        elif strength == capacity and over != NONE:
            over += 1
        above[MINUS + side] = max(over, below[MINUS + side])
        below[MINUS + side] = NONE
    below[MESSAGE] = 0


@inner_kernel
def _trail(links: Shorts, row: int) -> Ints:
    """A row and all the rows that it is part of, from the row itself up to the top."""
    trail = np.empty(64, dtype=np.int64)
    count = 0
    while row != NOBODY:
        if count == len(trail):
            trail = np.concatenate((trail, np.empty(count, dtype=np.int64)))
        trail[count] = row
        count += 1
        row = links[row, ABOVE]
    return trail[:count]


@inner_kernel
def _is_bunch(links: Shorts, row: int) -> bool:
    """Whether a row is a bunch, not a node or a piece of a heavy path."""
    return row >= len(links) // 2 and links[row, KIND] == BUNCH


@inner_kernel
def _offer(balanced: Balanced, row: int) -> Sent:
    """What a bunch, or a whole heavy path with all below it, tells the node above it."""
    flow, paths = balanced.flow, balanced.paths
    keep = len(paths) > 1
    if _is_bunch(balanced.links, row):
        minus, plus = (int(paths[row, 0]), int(paths[row, 1])) if keep else (NONE, NONE)
        return Sent(flow[row, 0], minus, plus)
    message = arrive(flow, row, 0, 0)
    case = regime(flow, row, 0, 0) if keep else 0
    minus, plus = (int(paths[row, 2 * case]), int(paths[row, 2 * case + 1])) if keep else (NONE, NONE)
    return Sent(message, minus, plus)


@inner_kernel
def _light(balanced: Balanced, node: int) -> Sent:
    """What the light children of a node tell it together."""
    bunch = balanced.links[node, UPPER]
    if bunch == NOBODY:
        return Sent(0, NONE, NONE)
    return _offer(balanced, bunch)


@inner_kernel
def _capacity(forest: Forest, rooted: Rooted, node: int) -> int:
    """The capacity of the edge above a node."""
    if forest.uniform:
        return 1
    return rooted.least[len(rooted.at) + rooted.nodes[node, PLACE]]


@inner_kernel
def _compute(forest: Forest, rooted: Rooted, balanced: Balanced, row: int) -> bool:
    """Compute a row from those below it; whether it has changed."""
    links, flow, paths = balanced.links, balanced.flow, balanced.paths
    if row < len(links) // 2:
        light, capacity = _light(balanced, row), _capacity(forest, rooted, row)
        inside = (light.minus, light.plus)
        return node_piece(flow, paths, row, int(balanced.labels[row]), capacity, light.message, inside)
    upper, lower = links[row, UPPER], links[row, LOWER]
    if links[row, KIND] == PIECE:
        up = join(flow, paths, 0, lower, upper, row)
        return join(flow, paths, 1, upper, lower, row) or up
    one, two = _offer(balanced, upper), _offer(balanced, lower)
    message = one.message + two.message
    minus, plus = max(one.minus, two.minus), max(one.plus, two.plus)
    changed = flow[row, 0] != message
    flow[row, 0] = message
    if len(paths) > 1:
        changed |= paths[row, 0] != minus or paths[row, 1] != plus
        paths[row, 0], paths[row, 1] = minus, plus
    return changed


@inner_kernel
def _halve(links: Shorts, leaves: Shorts, weights: Ints, count: int, kind: int, free: int) -> int:
    """Make a binary tree of rows from `free` on over some leaves, split where their weight is; its top.

    ``weights[k]`` is the weight of the first k leaves. Rows come before those they are made of.
    """
    if count == 1:
        return leaves[0]
    stack = [(0, count, NOBODY)]
    while stack:
        begin, end, above = stack.pop()
        if end - begin == 1:
            row = leaves[begin]
        else:
            row = free
            free += 1
            links[row, KIND] = kind
            middle = (weights[begin] + weights[end]) // 2
            low, high = begin + 1, end - 1  # the first place to split at that leaves half on the left
            while low < high:
                at = (low + high) // 2
                if weights[at] < middle:
                    low = at + 1
                else:
                    high = at
            if low > begin + 1 and middle - weights[low - 1] < weights[low] - middle:
                low -= 1
            stack.append((low, end, row))
            stack.append((begin, low, row))
        links[row, ABOVE] = above
        if above != NOBODY:
            links[above, UPPER if links[above, UPPER] == NOBODY else LOWER] = row
    return free - count + 1


@inner_kernel
def _fill(forest: Forest, rooted: Rooted, balanced: Balanced, free: int, count: int) -> int:
    """Compute the rows of a binary tree over `count` leaves that begins at `free`; the next free row."""
    for row in range(free + count - 2, free - 1, -1):
        _compute(forest, rooted, balanced, row)
    return free + count - 1


@inner_kernel
def _top(links: Shorts, head: int) -> int:
    """The top row of the heavy path that begins at the node `head`."""
    row = head
    while links[row, ABOVE] != NOBODY:
        row = links[row, ABOVE]
    return row
