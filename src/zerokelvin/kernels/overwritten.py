"""What relaxation overwrites, noted so that it can be put back to the last bit.

A label changes the fields of some nodes around it. Where it is learnt only to see what would follow, copying
the fields of all nodes first would take far longer than learning does. So the queue's flag of a node gets a
second bit: a node without it is about to be changed for the first time, and what it holds is noted. The flag
is read there anyhow, and a node is noted once for each channel, so that the notes never outgrow the fields.

    notes = new_notes(channels · count, width)
    begin_notes(notes, channel · count)         # then relax, which notes and ends with `end_notes`
    fields.reshape(-1)[places] = values         # and all is as it was
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.kernels.relaxation_queue import Queue

__all__ = ["NOTED", "Notes", "begin_notes", "end_notes", "new_notes", "note_pair"]

NOTED = 2
"""The bit of a node's flag in the queue (`kernels.relaxation_queue`) that says it has been noted."""


class Notes(NamedTuple):
    """Places, row after row of what they held, and how many there are with the place of the first node."""

    places: Ints
    values: Floats
    used: Ints


def new_notes(most: int, width: int) -> Notes:
    """Room for the notes of `most` places, `width` numbers each; memory is taken as it is written."""
    return Notes(np.empty(most, np.int64), np.empty((most, width)), np.zeros(2, np.int64))


@kernel
def begin_notes(notes: Notes, base: int) -> None:
    """Go on with the channel whose first node is at place `base`."""
    notes.used[1] = base


@kernel
def note_pair(notes: Notes, queue: Queue, node: Any, first: float, second: float) -> None:
    """Note the two numbers of a node, unless that was done in this channel."""
    places, values, used = notes
    waiting = queue.waiting
    if waiting[node] & NOTED == 0:
        k = used[0]
        places[k] = used[1] + np.int64(node)
        values[k, 0] = first
        values[k, 1] = second
        used[0] = k + 1
        waiting[node] = waiting[node] | NOTED


@kernel
def end_notes(notes: Notes, queue: Queue) -> None:
    """Take the bit off all nodes of the present channel, whose queue is empty."""
    places, _, used = notes
    k = used[0] - 1
    while k >= 0 and places[k] >= used[1]:
        queue.waiting[places[k] - used[1]] = 0
        k -= 1
