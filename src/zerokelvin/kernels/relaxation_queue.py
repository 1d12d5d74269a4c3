"""The queue of nodes that wait to be relaxed: first in, first out, every node in it at most once.

The nodes are in a ring of memory, longer than there are nodes and a power of two; beside it stands for every
node whether it waits. `head`, how many have left so far, and `tail`, how many have joined, are
the caller's own variables, which stay in registers in his loop:

    tail = join(queue, tail, node, wanted)
    while head < tail:
        u, head = leave(queue, head)
        ...

Whether a neighbour has to wait is as good as random, and a processor that guesses wrong loses more time than
all else that a push does to it. So `join` has no branch: it writes the node behind the last one in any case,
and counts it only where it is to wait. Nodes are unsigned where they index, for numba adds a test for a
negative index to every access otherwise.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel

__all__ = ["Queue", "join", "leave", "new_queue"]


class Queue(NamedTuple):
    """The ring of nodes, and for every node whether it waits (with further bits of whoever relaxes)."""

    ring: Ints
    waiting: NDArray[np.uint8]


def new_queue(count: int) -> Queue:
    """An empty queue for `count` nodes.

    >>> queue = new_queue(5)
    >>> tail = join(queue, join(queue, join(queue, 0, 3, True), 4, False), 3, True)
    >>> tail, leave(queue, 0)
    (1, (3, 1))
    """
    return Queue(np.zeros(1 << count.bit_length(), np.int64), np.zeros(count, np.uint8))


@kernel
def join(queue: Queue, tail: int, node: Any, wanted: Any) -> int:
    """Let a node wait if it is wanted and does not wait yet; how many have joined now."""
    ring, waiting = queue
    was = waiting[node]
    now = was | np.uint8(wanted)
    ring[np.uint64(tail & (len(ring) - 1))] = node
    waiting[node] = now
    return int(tail + np.int64(now - was))


@kernel
def leave(queue: Queue, head: int) -> Any:
    """Take the node that waited longest; the node, and how many have left now."""
    ring, waiting = queue
    node = np.uint64(ring[np.uint64(head & (len(ring) - 1))])
    waiting[node] = 0
    return node, head + 1
