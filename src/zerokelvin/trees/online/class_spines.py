"""Nearest labels on several spines, for all classes at once.

In the problem of a class against the others a spine votes +1 where the nearest labelled place has that class
(`trees.online.neighbours`), and which place is nearest does not depend on the problem. So one search per
spine answers for all of them, and one mark per labelled place is kept instead of one per class: the votes are
those of a committee for every problem, to the last bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.trees.online.neighbours import Spines, around
from zerokelvin.trees.online.strategies import EQUAL

__all__ = ["ClassMarks", "learn_class", "new_class_marks", "read_class_votes", "sweep_class_votes"]
__all__ += ["votes_in_order"]

NOBODY, UNDECIDED = -1, -2
"""No place is labelled in the part; two places of different classes are equally near."""


class ClassMarks(NamedTuple):
    """The class at every place (−1: none), and the tree of marks above them."""

    codes: NDArray[np.int32]
    marks: NDArray[np.bool_]


def new_class_marks(spines: Spines) -> ClassMarks:
    """The marks by class of spines on which no label has been seen."""
    count = len(spines.place)
    size = 1 << max(count - 1, 1).bit_length()
    return ClassMarks(np.full(count, NOBODY, dtype=np.int32), np.zeros(2 * size, dtype=np.bool_))


@kernel
def read_class_votes(spines: Spines, marks: ClassMarks, size: int, node: int, votes: Floats) -> None:
    """The share of `size` spines for each class at a node of the graph: (1 + m) / 2 of their mean vote m."""
    count = len(spines.place) // size
    for c in range(len(votes)):
        votes[c] = 0.0
    idle = 0
    for k in range(size):
        code = _nearest_class(spines, marks, spines.place[k * count + node])
        if code >= 0:
            votes[code] += 1.0
        elif code == NOBODY:
            idle += 1
    _to_shares(votes, size, idle)


@inner_kernel
def _to_shares(votes: Floats, size: int, idle: int) -> None:
    """Turn how many spines are for each class into shares; of two classes the first has what is left."""
    for c in range(len(votes)):
        mean = (2.0 * votes[c] - (size - idle)) / size  # those for it, less those against
        votes[c] = 0.5 * (1.0 + mean)
        if c == 1 and len(votes) == 2:
            votes[0] = 0.5 * (1.0 - mean)


@kernel
def sweep_class_votes(spines: Spines, marks: ClassMarks, size: int, nearest: Any, votes: Floats) -> None:
    """The same for all nodes at once, by one pass along every spine each way; `nearest` is room for one."""
    count = len(nearest)
    votes[:] = 0.0
    for k in range(size):
        base = k * count
        after = -1
        for place in range(base + count - 1, base - 1, -1):
            if after >= 0 and spines.part[after] != spines.part[place]:
                after = -1
            nearest[place - base] = after
            if marks.codes[place] >= 0:
                after = place
        before = -1
        for place in range(base, base + count):
            if before >= 0 and spines.part[before] != spines.part[place]:
                before = -1
            if marks.codes[place] >= 0:
                before = place
                nearest[place - base] = marks.codes[place]
            else:
                nearest[place - base] = _decided(spines, marks, place, before, nearest[place - base])
        for node in range(count):
            code = nearest[spines.place[base + node] - base]
            if code >= 0:
                votes[node, code] += 1.0
    for node in range(count):  # a part has a label on every spine or on none
        idle = size if nearest[spines.place[(size - 1) * count + node] - base] == NOBODY else 0
        _to_shares(votes[node], size, idle)


@kernel
def learn_class(spines: Spines, marks: ClassMarks, size: int, node: int, code: int) -> None:
    """Give every one of `size` spines the class of one node of the graph; the last one counts."""
    count = len(spines.place) // size
    for k in range(size):
        place = spines.place[k * count + node]
        marks.codes[place] = code
        at = place + len(marks.marks) // 2
        while at >= 1 and not marks.marks[at]:
            marks.marks[at] = True
            at >>= 1


@kernel
def votes_in_order(
    spines: Spines, marks: ClassMarks, size: int, nodes: Ints, codes: Ints, votes: Floats
) -> None:
    """Read the votes on every node, (nodes, classes), and give its class, if one is given, before the next.

    Without room for votes, only give the classes.
    """
    for t in range(len(nodes)):
        if len(votes):
            read_class_votes(spines, marks, size, nodes[t], votes[t])
        if len(codes):
            learn_class(spines, marks, size, nodes[t], codes[t])


@inner_kernel
def _nearest_class(spines: Spines, marks: ClassMarks, place: int) -> int:
    """The class of the labelled place nearest to a place, or why there is none."""
    if marks.codes[place] >= 0:
        return int(marks.codes[place])
    before, after = around(spines, marks, place)
    return int(_decided(spines, marks, place, before, after))


@inner_kernel
def _decided(spines: Spines, marks: ClassMarks, place: int, before: int, after: int) -> int:
    """The class of the nearer of two labelled places, −1 standing for none."""
    if before < 0 and after < 0:
        return NOBODY
    if before < 0 or after < 0 or marks.codes[before] == marks.codes[after]:
        return int(marks.codes[max(before, after)])
    back, forth = spines.height[place] - spines.height[before], spines.height[after] - spines.height[place]
    if abs(back - forth) <= EQUAL * (back + forth):
        return UNDECIDED
    return int(marks.codes[before] if back < forth else marks.codes[after])
