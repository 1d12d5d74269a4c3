"""How a node of a labelled forest is predicted: three rules over the same hinges.

A node hangs from the hull at r (itself, if it is on it). If r is strictly on one side of all minimum cuts,
or the hinges around it agree, all rules say so; they differ where minimum cuts do.

- ``longest-path``: −1 iff the longest path from the source to the super-vertex of r in the
  Picard–Queyranne graph is no longer than the longest path from there to the target (Herbster, Pasteris,
  Ghosh 2015). On a tree the arcs of that graph are the saturated edges, so a hinge line between different
  labels counts its cheapest edges, and the search continues through forks of both kinds of minimum cut.
- ``tree-opt``: a fork takes its label from the minimum cut that has as many −1 as possible; r takes the
  label of its nearer hinge (Cesa-Bianchi, Gentile, Vitale 2009). Equally near: −1.
- ``shazoo``: forks with Δ = 0 have no say; r takes the label of the nearest of its hinges that does, −1 if
  none does (Vitale, Cesa-Bianchi, Gentile, Zappella 2011).

Distances are resistances Σ 1/w, edges on an unweighted tree. The vote is ±1 where the hinges are of one
mind, else (d₋ − d₊)/(d₋ + d₊) with the distances, or longest paths, to either label; `TIE` for a tie.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.online.forest import DEPTH, NOBODY, PARENT, UNROOTED, Forest, attach, path_minimum
from zerokelvin.trees.online.hinges import (
    BOTTOM,
    CAPACITY,
    CHANGED,
    EXCESS,
    HINGE,
    LABEL,
    LINE,
    LOWER,
    MESSAGE,
    NEXT,
    PATIENCE,
    STEPS,
    TIMES,
    TOP,
    Hinges,
    clip,
    down_message,
    enter_label,
    fork_balance,
    send_up,
    up_message,
)

__all__ = [
    "EQUAL",
    "LONGEST_PATH",
    "STRATEGIES",
    "TIE",
    "Schedule",
    "between",
    "committee",
    "compare",
    "is_worn",
    "play_committee",
    "side_of",
    "update_committee",
    "vote",
]

STRATEGIES = {"longest-path": 0, "tree-opt": 1, "shazoo": 2}
LONGEST_PATH, TREE_OPT, SHAZOO = 0, 1, 2
TIE = -1e-9  # a tie is −1, the source, with next to no confidence
EQUAL = 1e-9  # resistances that differ by less, relatively, are equal


class Schedule(NamedTuple):
    """The trials of one binary problem in which the first `budget` labels come, each `delay` trials late.

    Attributes
    ----------
    nodes, labels
        The node of every trial, and its label −1 or +1.
    delay
        After how many further trials a label comes.
    budget
        How many labels come.
    begin
        The trial with which the game begins, or goes on.
    """

    nodes: Ints
    labels: Ints
    delay: int
    budget: int
    begin: int


@inner_kernel
def vote(forest: Forest, hinges: Hinges, node: int, strategy: int) -> float:
    """The vote on one node of the forest, in [−1, 1]; 0 while its component has no label."""
    if hinges.rooted.nodes[node, PARENT] == UNROOTED:
        return 0.0
    here = attach(hinges.rooted, node)
    if hinges.nodes[here, LABEL] != 0:
        return float(hinges.nodes[here, LABEL])
    if hinges.nodes[here, HINGE] != 0:
        balance = fork_balance(hinges, here)
        if balance != 0:
            return 1.0 if balance > 0 else -1.0
        if strategy != LONGEST_PATH:
            return TIE
        source = _longest(hinges, here, NOBODY, -1, 0)
        target = _longest(hinges, here, NOBODY, 1, 0)
        return compare(float(source), float(target))
    line = hinges.nodes[here, LINE]
    down, up = down_message(hinges, line), up_message(hinges, hinges.lines[line, BOTTOM])
    if strategy == LONGEST_PATH:
        return _on_line(forest, hinges, here, down, up)
    upper = down + hinges.flows[line, MESSAGE]
    lower = up + clip(down, hinges.flows[line, CAPACITY])
    return between(forest, hinges, here, strategy, side_of(upper), side_of(lower))


@kernel
def committee(forest: Forest, hinges: Hinges, size: int, node: int, strategy: int) -> float:
    """The mean vote of `size` trees on one node of the graph: of signs, or of one tree its own vote."""
    began = hinges.used[STEPS]
    count = len(forest.first) // size
    one, total = 0.0, 0
    for k in range(size):
        one = vote(forest, hinges, k * count + node, strategy)
        total += side_of(one)
    hinges.used[EXCESS] += max(0, hinges.used[STEPS] - began - size * PATIENCE)
    return one if size == 1 else total / size


@kernel
def update_committee(forest: Forest, hinges: Hinges, size: int, node: int, label: int) -> None:
    """Give every one of `size` trees the label −1 or +1 of one node of the graph."""
    began = hinges.used[STEPS]
    count = len(forest.first) // size
    for k in range(size):
        if enter_label(forest, hinges, k * count + node, label) == CHANGED:
            send_up(hinges, k * count + node)
    hinges.used[EXCESS] += max(0, hinges.used[STEPS] - began - size * PATIENCE)


@kernel
def play_committee(
    forest: Forest, hinges: Hinges, size: int, strategy: int, schedule: Schedule, margins: Floats
) -> int:
    """Play the trials of a schedule, one margin per trial; the trial with which to go on.

    That is the one after the last, unless the hinges are worn.
    """
    nodes, labels, delay, budget, begin = schedule
    for t in range(begin, len(nodes) + delay):
        if t < len(nodes):
            margins[t] = committee(forest, hinges, size, nodes[t], strategy)
        due = t - delay
        if 0 <= due < min(budget, len(nodes)):
            update_committee(forest, hinges, size, nodes[due], labels[due])
        if is_worn(hinges.used, len(forest.first)):
            return t + 1
    return len(nodes) + delay


@kernel
def is_worn(used: Ints, nodes: int) -> bool:
    """Whether walks between hinges have cost more steps beyond their due than the forest has nodes."""
    return used[EXCESS] > nodes


@inner_kernel
def between(
    forest: Forest, hinges: Hinges, here: int, strategy: int, top_sign: int, bottom_sign: int
) -> float:
    """The vote on a node inside a line whose hinges have these labels, 0 where minimum cuts differ."""
    if strategy == TREE_OPT:
        if top_sign <= 0 and bottom_sign <= 0:
            return -1.0 if top_sign + bottom_sign < 0 else TIE
        top_sign = 1 if top_sign > 0 else -1
        bottom_sign = 1 if bottom_sign > 0 else -1
    if top_sign * bottom_sign >= 0:
        both = top_sign + bottom_sign
        return TIE if both == 0 else (1.0 if both > 0 else -1.0)
    above, below = _distances(forest, hinges, here, hinges.nodes[here, LINE])
    return compare(above, below) if top_sign < 0 else compare(below, above)


@inner_kernel
def compare(source: float, target: float) -> float:
    """The vote for two lengths: towards the shorter one, a tie to the source."""
    if abs(source - target) <= EQUAL * (source + target):
        return TIE
    return (source - target) / (source + target)


@inner_kernel
def side_of(value: float) -> int:
    """The sign of a number, as an integer."""
    return 1 if value > 0 else (-1 if value < 0 else 0)


@inner_kernel
def _distances(forest: Forest, hinges: Hinges, here: int, line: int) -> tuple[float, float]:
    """Resistance from a node inside a line to its upper and its lower hinge."""
    top, bottom = hinges.lines[line, TOP], hinges.lines[line, BOTTOM]
    if forest.uniform:
        depth = hinges.rooted.nodes[here, DEPTH]
        above = float(depth - hinges.rooted.nodes[top, DEPTH])
        return above, float(hinges.rooted.nodes[bottom, DEPTH] - depth)
    height = hinges.rooted.height
    return height[here] - height[top], height[bottom] - height[here]


@inner_kernel
def _on_line(forest: Forest, hinges: Hinges, here: int, down: int, up: int) -> float:
    """The longest-path vote inside a line, given what its hinges send."""
    line = hinges.nodes[here, LINE]
    top, bottom = hinges.lines[line, TOP], hinges.lines[line, BOTTOM]
    upper, upper_times = path_minimum(forest, hinges.rooted, here, top)
    lower, lower_times = path_minimum(forest, hinges.rooted, bottom, here)
    balance = clip(down, upper) + clip(up, lower)
    if balance != 0:
        return 1.0 if balance > 0 else -1.0
    source = max(
        _follow(hinges, top, line, -1, down, upper, upper_times),
        _follow(hinges, bottom, line, -1, up, lower, lower_times),
    )
    target = max(
        _follow(hinges, top, line, 1, down, upper, upper_times),
        _follow(hinges, bottom, line, 1, up, lower, lower_times),
    )
    return compare(float(source), float(target))


@inner_kernel
def _follow(hinges: Hinges, hinge: int, line: int, side: int, sent: int, capacity: int, times: int) -> int:
    """Longest path to a side through a piece of line from `hinge`; −1 if there is none."""
    if abs(sent) < capacity:  # nothing is saturated: the hinge is in the same super-vertex
        return _longest(hinges, hinge, line, side, 0)
    if (sent > 0) != (side > 0):
        return -1
    if abs(sent) > capacity:  # the hinge is on that side itself
        return times
    return _longest(hinges, hinge, line, side, times)


@inner_kernel
def _longest(hinges: Hinges, hinge: int, origin: int, side: int, base: int) -> int:
    """Longest path from a fork with Δ = 0 to a side, not over the line `origin`, plus `base`."""
    best = -1
    stack = np.empty((16, 3), dtype=np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = hinge, origin, base
    top = 1
    steps = 0
    while top:
        top -= 1
        fork, came, length = stack[top, 0], stack[top, 1], stack[top, 2]
        line = hinges.nodes[fork, LINE]
        upwards = True
        while line != NOBODY:
            steps += 1
            if line != came:
                other = hinges.lines[line, TOP] if upwards else hinges.lines[line, BOTTOM]
                sent = down_message(hinges, line) if upwards else up_message(hinges, other)
                capacity = hinges.flows[line, CAPACITY]
                if abs(sent) < capacity or (sent > 0) == (side > 0):
                    reached = length + (hinges.flows[line, TIMES] if abs(sent) >= capacity else 0)
                    if abs(sent) > capacity:
                        best = max(best, reached)
                    else:
                        if top == len(stack):
                            bigger = np.empty((2 * top, 3), dtype=np.int64)
                            bigger[:top] = stack
                            stack = bigger
                        stack[top, 0], stack[top, 1], stack[top, 2] = other, line, reached
                        top += 1
            line = hinges.nodes[fork, LOWER] if upwards else hinges.lines[line, NEXT]
            upwards = False
    hinges.used[STEPS] += steps
    return best
