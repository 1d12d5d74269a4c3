"""Which labels decide a prediction on a tree: those next to the node, over forks that have no label.

What lies behind a labelled node does not matter, so these are all the labels there are for the node.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel
from zerokelvin.trees.online.forest import NOBODY, PARENT, UNROOTED, attach
from zerokelvin.trees.online.hinges import BOTTOM, HINGE, LABEL, LINE, LOWER, NEXT, TOP, Hinges

__all__ = ["deciding_hinges"]


class DecidingHinges(NamedTuple):
    """Labelled nodes of the forest, and the label of each."""

    nodes: Ints
    labels: Ints


@kernel
def deciding_hinges(hinges: Hinges, node: int) -> DecidingHinges:
    """The labelled hinges that are reached from a node of the forest over unlabelled forks only."""
    found = np.empty(16, dtype=np.int64)
    stack = np.empty((16, 2), dtype=np.int64)
    count = top = 0
    if hinges.rooted.nodes[node, PARENT] != UNROOTED:
        here = attach(hinges.rooted, node)
        stack[0, 0], stack[0, 1] = here, NOBODY
        top = 1
        if hinges.nodes[here, HINGE] == 0:
            line = hinges.nodes[here, LINE]
            stack[0, 0], stack[0, 1] = hinges.lines[line, TOP], line
            stack[1, 0], stack[1, 1] = hinges.lines[line, BOTTOM], line
            top = 2
    while top:  # of (hinge, line by which it was reached)
        top -= 1
        hinge, came = stack[top, 0], stack[top, 1]
        if hinges.nodes[hinge, LABEL] != 0:
            if count == len(found):
                found = np.concatenate((found, np.empty(count, dtype=np.int64)))
            found[count] = hinge
            count += 1
            continue
        line = hinges.nodes[hinge, LINE]
        upwards = True
        while line != NOBODY:
            if line != came:
                if top == len(stack):
                    stack = np.concatenate((stack, np.empty((top, 2), dtype=np.int64)))
                stack[top, 0] = hinges.lines[line, TOP] if upwards else hinges.lines[line, BOTTOM]
                stack[top, 1] = line
                top += 1
            line = hinges.nodes[hinge, LOWER] if upwards else hinges.lines[line, NEXT]
            upwards = False
    labels = np.full(count, -1)
    for k in range(count):
        labels[k] = hinges.nodes[found[k], LABEL]
    return DecidingHinges(found[:count].copy(), labels)
