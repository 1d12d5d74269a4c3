"""The nearest labelled node along a spine, kept current while labels arrive.

WTA predicts a node by the label of the nearest labelled node on the spine, in resistance distance
(Cesa-Bianchi, Gentile, Vitale, Zappella 2010). Only the next labelled place on either side can be it. A
binary tree of marks over the places finds both in O(log n) steps, and marks a new one in as many.

Several spines stand one behind the other; so do the components of one. The vote is ±1 where both
neighbours agree or there is one only, else (d₋ − d₊)/(d₋ + d₊), and `TIE` for equal distances.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Bytes, Floats, Ints, Shorts
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.online.strategies import EQUAL, TIE, Schedule

__all__ = [
    "Marks",
    "Spines",
    "around",
    "new_marks",
    "play_spines",
    "spine_committee",
    "spine_neighbours",
    "sweep_spines",
    "teach_spines",
    "update_spines",
]


class Spines(NamedTuple):
    """Spines behind each other: place of every node, part (component) of every place, and resistance.

    ``height`` is the resistance from the start of the part to every place.
    """

    place: Shorts
    part: Shorts
    height: Floats


class Marks(NamedTuple):
    """One binary problem: the label at every place (0: none), and the tree of marks above them."""

    labels: Bytes
    marks: NDArray[np.bool_]


def new_marks(spines: Spines) -> Marks:
    """The state of a binary problem on spines without labels."""
    count = len(spines.place)
    size = 1 << max(count - 1, 1).bit_length()
    return Marks(np.zeros(count, dtype=np.int8), np.zeros(2 * size, dtype=np.bool_))


def spine_neighbours(spines: Spines, marks: Marks, node: int) -> Ints:
    """The labelled places that decide the vote on a node of the spines: itself, or its neighbours."""
    place = int(spines.place[node])
    if marks.labels[place] != 0:
        return np.array([place])
    return np.array([p for p in around(spines, marks, place) if p >= 0], dtype=np.int64)


@kernel
def spine_committee(spines: Spines, marks: Marks, size: int, node: int) -> float:
    """The mean vote of `size` spines on a node of the graph: of signs, or of one spine its own vote."""
    count = len(spines.place) // size
    total = 0
    for k in range(size):
        one = _vote(spines, marks, spines.place[k * count + node])
        if size == 1:
            return one
        total += 1 if one > 0 else (-1 if one < 0 else 0)
    return total / size


@kernel
def sweep_spines(spines: Spines, marks: Marks, size: int, margins: Floats) -> None:
    """The same for all nodes of the graph at once, in one pass along the spines each way."""
    total = len(spines.place)
    after, votes = np.empty(total, dtype=np.int64), np.empty(total)
    following = -1
    for place in range(total - 1, -1, -1):
        if following >= 0 and spines.part[following] != spines.part[place]:
            following = -1
        after[place] = following
        if marks.labels[place] != 0:
            following = place
    before = -1
    for place in range(total):
        if before >= 0 and spines.part[before] != spines.part[place]:
            before = -1
        if marks.labels[place] != 0:
            votes[place] = float(marks.labels[place])
            before = place
        else:
            votes[place] = _between(spines, marks, place, before, after[place])
    count = total // size
    for node in range(count):
        if size == 1:
            margins[node] = votes[spines.place[node]]
            continue
        tally = 0
        for k in range(size):
            one = votes[spines.place[k * count + node]]
            tally += 1 if one > 0 else (-1 if one < 0 else 0)
        margins[node] = tally / size


@kernel
def update_spines(spines: Spines, marks: Marks, size: int, node: int, label: int) -> None:
    """Give every one of `size` spines the label −1 or +1 of one node of the graph; the last one counts."""
    count = len(spines.place) // size
    for k in range(size):
        place = spines.place[k * count + node]
        marks.labels[place] = label
        at = place + len(marks.marks) // 2
        while at >= 1 and not marks.marks[at]:
            marks.marks[at] = True
            at >>= 1


@kernel
def teach_spines(spines: Spines, marks: Marks, size: int, nodes: Ints, labels: Ints) -> None:
    """Give the spines the labels of several nodes in turn."""
    for t in range(len(nodes)):
        update_spines(spines, marks, size, nodes[t], labels[t])


@kernel
def play_spines(spines: Spines, marks: Marks, size: int, schedule: Schedule, margins: Floats) -> None:
    """Play the trials of a schedule to the end, one margin per trial."""
    nodes, labels, delay, budget, begin = schedule
    for t in range(begin, len(nodes) + delay):
        if t < len(nodes):
            margins[t] = spine_committee(spines, marks, size, nodes[t])
        due = t - delay
        if 0 <= due < min(budget, len(nodes)):
            update_spines(spines, marks, size, nodes[due], labels[due])


@kernel
def around(spines: Spines, marks: Any, place: int) -> tuple[int, int]:
    """The labelled places next to a place in its part, −1 where there is none."""
    before, after = _neighbour(marks.marks, place, 0), _neighbour(marks.marks, place, 1)
    if before >= 0 and spines.part[before] != spines.part[place]:
        before = -1
    if after >= 0 and spines.part[after] != spines.part[place]:
        after = -1
    return before, after


@inner_kernel
def _vote(spines: Spines, marks: Marks, place: int) -> float:
    """The vote of one spine on a place, in [−1, 1]; 0 while its part has no label."""
    if marks.labels[place] != 0:
        return float(marks.labels[place])
    before, after = around(spines, marks, place)
    return _between(spines, marks, place, before, after)


@inner_kernel
def _between(spines: Spines, marks: Marks, place: int, before: int, after: int) -> float:
    """The vote on a place without a label from the labelled places next to it, −1 where there is none."""
    if before < 0 and after < 0:
        return 0.0
    if before < 0 or after < 0 or marks.labels[before] == marks.labels[after]:
        return float(marks.labels[max(before, after)])
    back, forth = spines.height[place] - spines.height[before], spines.height[after] - spines.height[place]
    if abs(back - forth) <= EQUAL * (back + forth):
        return TIE
    towards = (forth - back) / (back + forth)
    return towards if marks.labels[before] > 0 else -towards


@inner_kernel
def _neighbour(marks: NDArray[np.bool_], place: int, side: int) -> int:
    """The nearest marked place before (side 0) or after (side 1) a place; −1 if there is none."""
    size = len(marks) // 2
    at = place + size
    while at > 1 and ((at & 1) != 1 - side or not marks[at ^ 1]):
        at >>= 1
    if at == 1:
        return -1
    at ^= 1
    while at < size:
        at = 2 * at + (1 - side)
        if not marks[at]:
            at ^= 1
    return at - size
