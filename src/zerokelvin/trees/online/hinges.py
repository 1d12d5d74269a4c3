"""The hinges of a labelled forest and its minimum cuts, kept current while labels arrive.

Call the smallest subtree that holds all labelled nodes of a component its *hull*. A *hinge* is a labelled
node or a *fork*, a node where three or more branches of the hull meet. The hull falls into *hinge lines*
between neighbouring hinges; everything else hangs from the hull (Cesa-Bianchi, Gentile, Vitale 2009).

Minimum cuts of a tree come from messages. A hinge h sends towards a neighbour along a line of smallest
weight c

    m = clip(Δ_h without that neighbour, −c, c),     Δ_h = Σ of the messages h receives,

and ±c if it is labelled ±1. Δ_h is the cost of h = −1 less that of h = +1: every minimum cut gives h the
sign of Δ_h, and if Δ_h = 0 there are minimum cuts of both kinds. Messages towards the root are stored; a
label changes them upwards only, until one stays as it was. Messages away from the root are computed when
they are asked for: going up, what is known of the answer is a clip(x + s, low, high) of the message x from
further up, so the climb ends as soon as low = high or a labelled hinge is met; after `PATIENCE` steps it
remembers what it finds until the next label.

A label costs the walk to the hull (every edge joins the hull once) and, where it splits a line, the
renaming of its shorter part: O(n log n) in all, whatever the order. Messages change or are climbed over few
hinges unless long chains of unrevealed forks are balanced all along, as in a caterpillar whose leaves come
first with alternating labels. Steps beyond `PATIENCE` a label or prediction are counted as excess; when it
has come to n, the learners lay the forest out anew (`trees.online.balanced`) and ask that instead. So
labels and predictions take O(log n) steps each, amortised, in any order: PATIENCE and the climb to the hull,
n excess steps once, n log n steps to lay out, and O(log n) for each of those that come later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.jit import inner_kernel
from zerokelvin.trees.online.forest import (
    DEEP,
    DEPTH,
    HEAD,
    NOBODY,
    PARENT,
    UNROOTED,
    Forest,
    Rooted,
    attach,
    new_rooted,
    path_minimum,
    root_component,
)
from zerokelvin.trees.online.segments import SURE

__all__ = [
    "Hinges",
    "down_message",
    "enter_label",
    "fork_balance",
    "new_hinges",
    "send_up",
    "up_message",
]

Shorts = NDArray[np.int32]

# columns of Hinges.nodes: the line a node is on (of a hinge: the line up from it), the label (0: none),
# whether it is a hinge, and the first of the lines down from it
LINE, LABEL, HINGE, LOWER = range(4)
# columns of Hinges.lines: its upper and lower hinge, and its neighbours in the upper hinge's list
TOP, BOTTOM, NEXT, BEFORE = range(4)
# columns of Hinges.flows: capacity of a line, how many of its edges have it, the message up, and the
# message down with the time it was computed at
CAPACITY, TIMES, MESSAGE, DOWN, STAMP = range(5)
# slots of Hinges.used: lines, labels given, steps between hinges, those in excess, and steps along edges
LINES, TIME, STEPS, EXCESS, WALKED = range(5)
OLD, CHANGED, ROOT = range(3)  # what a label is to its node
PATIENCE = 64  # steps that are nobody's excess, and after which messages down are worth remembering


class Hinges(NamedTuple):
    """The state of one binary problem; names of columns stand in this module.

    ``total`` sums the messages an unlabelled hinge receives from below, ``used`` counts lines, labels and
    steps.
    """

    rooted: Rooted
    nodes: Shorts
    total: Ints
    lines: Shorts
    flows: Ints
    used: Ints


def new_hinges(forest: Forest) -> Hinges:
    """The state of a binary problem on a forest without labels."""
    count = len(forest.first)
    nodes = np.zeros((count, 4), dtype=np.int32)
    nodes[:, LINE] = nodes[:, LOWER] = NOBODY
    return Hinges(
        rooted=new_rooted(forest),
        nodes=nodes,
        total=np.zeros(count, dtype=np.int64),
        lines=np.full((count, 4), NOBODY, dtype=np.int32),
        flows=np.zeros((count, 5), dtype=np.int64),
        used=np.array([0, 1, 0, 0, 0]),
    )


@inner_kernel
def enter_label(forest: Forest, hinges: Hinges, node: int, label: int) -> int:
    """Make a node a hinge with a label, without telling the others; whether it is OLD, CHANGED or a ROOT."""
    nodes, rooted = hinges.nodes, hinges.rooted
    hinges.used[TIME] += 1
    if rooted.nodes[node, PARENT] == UNROOTED:
        root_component(forest, rooted, node)
        nodes[node, LABEL], nodes[node, HINGE] = label, 1
        rooted.nodes[rooted.nodes[node, HEAD], DEEP] = 0
        return ROOT
    if nodes[node, LABEL] == label:
        return OLD
    anchor = attach(rooted, node)
    if anchor == node:
        if nodes[node, HINGE] == 0:
            _split(forest, hinges, node)
        nodes[node, LABEL] = label
    else:
        line = _new_line(hinges)
        step = node
        while step != anchor:
            nodes[step, LINE] = line
            head = rooted.nodes[step, HEAD]
            rooted.nodes[head, DEEP] = max(rooted.nodes[head, DEEP], rooted.nodes[step, DEPTH])
            step = rooted.nodes[step, PARENT]
        hinges.used[WALKED] += rooted.nodes[node, DEPTH] - rooted.nodes[anchor, DEPTH]
        if nodes[anchor, HINGE] == 0:
            _split(forest, hinges, anchor)
        nodes[node, LABEL], nodes[node, HINGE] = label, 1
        hinges.lines[line, TOP], hinges.lines[line, BOTTOM] = anchor, node
        capacity, times = path_minimum(forest, rooted, node, anchor)
        hinges.flows[line, CAPACITY], hinges.flows[line, TIMES] = capacity, times
        _link(hinges, anchor, line)
    return CHANGED


@inner_kernel
def send_up(hinges: Hinges, hinge: int) -> None:
    """Bring the messages towards the root up to date, from a hinge whose own has changed."""
    steps = 0
    while hinges.nodes[hinge, LINE] != NOBODY:
        line = hinges.nodes[hinge, LINE]
        message = clip(up_message(hinges, hinge), hinges.flows[line, CAPACITY])
        change = message - hinges.flows[line, MESSAGE]
        if change == 0:
            break
        steps += 1
        hinges.flows[line, MESSAGE] = message
        hinge = hinges.lines[line, TOP]
        hinges.total[hinge] += change
        if hinges.nodes[hinge, LABEL] != 0:
            break
    hinges.used[STEPS] += steps


@inner_kernel
def up_message(hinges: Hinges, hinge: int) -> int:
    """What a hinge sends up, before the line clips it."""
    if hinges.nodes[hinge, LABEL] != 0:
        return int(hinges.nodes[hinge, LABEL]) * SURE
    return hinges.total[hinge]


@inner_kernel
def down_message(hinges: Hinges, line: int) -> int:
    """What the upper hinge of a line sends down it, before the line clips it."""
    if hinges.flows[line, STAMP] == hinges.used[TIME]:
        return hinges.flows[line, DOWN]
    low, high, shift, first = -SURE, SURE, 0, line
    for step in range(PATIENCE):
        upper = hinges.lines[line, TOP]
        if hinges.nodes[upper, LABEL] != 0:
            hinges.used[STEPS] += step
            return high if hinges.nodes[upper, LABEL] > 0 else low
        shift += hinges.total[upper] - hinges.flows[line, MESSAGE]
        line = hinges.nodes[upper, LINE]
        capacity = hinges.flows[line, CAPACITY]
        low, high = max(low, min(high, shift - capacity)), max(low, min(high, shift + capacity))
        if low == high:
            hinges.used[STEPS] += step
            return low
    hinges.used[STEPS] += PATIENCE
    return _remembered(hinges, first)


@inner_kernel
def _remembered(hinges: Hinges, line: int) -> int:
    """The message down a line, kept with those of all lines above it until the next label."""
    nodes, lines, flows, now = hinges.nodes, hinges.lines, hinges.flows, hinges.used[TIME]
    way = np.empty(4 * PATIENCE, dtype=np.int64)
    count, at = 0, line
    while flows[at, STAMP] != now:
        if count == len(way):
            way = np.concatenate((way, np.empty(count, dtype=np.int64)))
        way[count] = at
        count += 1
        upper = lines[at, TOP]
        if nodes[upper, LABEL] != 0:
            break
        at = nodes[upper, LINE]
    hinges.used[STEPS] += 2 * count
    for k in range(count - 1, -1, -1):
        upper = lines[way[k], TOP]
        if nodes[upper, LABEL] != 0:
            flows[way[k], DOWN] = int(nodes[upper, LABEL]) * SURE
        else:
            above = nodes[upper, LINE]
            arrived = clip(flows[above, DOWN], flows[above, CAPACITY])
            flows[way[k], DOWN] = arrived + hinges.total[upper] - flows[way[k], MESSAGE]
        flows[way[k], STAMP] = now
    return flows[line, DOWN]


@inner_kernel
def fork_balance(hinges: Hinges, fork: int) -> int:
    """Δ of an unlabelled hinge: positive where all minimum cuts give it +1, 0 where they differ."""
    line = hinges.nodes[fork, LINE]
    return hinges.total[fork] + clip(down_message(hinges, line), hinges.flows[line, CAPACITY])


@inner_kernel
def clip(value: int, capacity: int) -> int:
    """The value, brought between −capacity and capacity."""
    return max(-capacity, min(capacity, value))


@inner_kernel
def _new_line(hinges: Hinges) -> int:
    """The number of a hinge line that is not in use."""
    hinges.used[LINES] += 1
    return hinges.used[LINES] - 1


@inner_kernel
def _link(hinges: Hinges, upper: int, line: int) -> None:
    """Put a line at the front of its upper hinge's list."""
    following = hinges.nodes[upper, LOWER]
    hinges.lines[line, NEXT], hinges.lines[line, BEFORE] = following, NOBODY
    if following != NOBODY:
        hinges.lines[following, BEFORE] = line
    hinges.nodes[upper, LOWER] = line


@inner_kernel
def _split(forest: Forest, hinges: Hinges, node: int) -> None:
    """Make a node inside a line a hinge; the shorter part of the line gets a new name."""
    nodes, lines, flows, rooted = hinges.nodes, hinges.lines, hinges.flows, hinges.rooted
    old, fresh = nodes[node, LINE], _new_line(hinges)
    top, bottom = lines[old, TOP], lines[old, BOTTOM]
    message = flows[old, MESSAGE]
    depth = rooted.nodes[node, DEPTH]
    if depth - rooted.nodes[top, DEPTH] <= rooted.nodes[bottom, DEPTH] - depth:
        upper, lower = fresh, old
        hinges.used[WALKED] += depth - rooted.nodes[top, DEPTH]
        step = node
        while step != top:
            nodes[step, LINE] = fresh
            step = rooted.nodes[step, PARENT]
        before, following = lines[old, BEFORE], lines[old, NEXT]
        lines[fresh, BEFORE], lines[fresh, NEXT] = before, following
        if before != NOBODY:
            lines[before, NEXT] = fresh
        else:
            nodes[top, LOWER] = fresh
        if following != NOBODY:
            lines[following, BEFORE] = fresh
    else:
        upper, lower = old, fresh
        hinges.used[WALKED] += rooted.nodes[bottom, DEPTH] - depth
        step = bottom
        while step != node:
            nodes[step, LINE] = fresh
            step = rooted.nodes[step, PARENT]
    lines[upper, TOP], lines[upper, BOTTOM] = top, node
    lines[lower, TOP], lines[lower, BOTTOM] = node, bottom
    nodes[node, LOWER] = NOBODY
    _link(hinges, node, lower)
    for line in (upper, lower):
        capacity, times = path_minimum(forest, rooted, lines[line, BOTTOM], lines[line, TOP])
        flows[line, CAPACITY], flows[line, TIMES] = capacity, times
    flows[lower, MESSAGE] = clip(up_message(hinges, bottom), flows[lower, CAPACITY])
    flows[upper, MESSAGE] = message
    hinges.total[node] = flows[lower, MESSAGE]
    nodes[node, HINGE] = 1
