"""The queue of nodes that wait to be relaxed: first in, first out, every node in it at most once.

``queue = (ring, waiting)`` are two arrays with an entry per node, the nodes in a ring of memory and whether
each waits. `head`, where the ring begins, and `length`, how many wait, are the caller's own variables, which
stay in registers in his loop:

    length = join(queue, head, length, node)
    while length > 0:
        u, head, length = leave(queue, head, length)
        ...
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel

__all__ = ["Queue", "join", "leave", "new_queue"]

Queue = tuple[NDArray[np.int64], NDArray[np.bool_]]


def new_queue(count: int) -> Queue:
    """An empty queue for `count` nodes."""
    return np.zeros(count, np.int64), np.zeros(count, np.bool_)


@kernel
def join(queue: Any, head: int, length: int, node: int) -> int:
    """Let a node wait, unless it does already; how many wait now."""
    ring, waiting = queue
    if waiting[node]:
        return length
    tail = head + length
    ring[tail if tail < len(ring) else tail - len(ring)] = node
    waiting[node] = True
    return length + 1


@kernel
def leave(queue: Any, head: int, length: int) -> Any:
    """Take the node that waited longest; the node, the new head, and how many wait now."""
    ring, waiting = queue
    node = ring[head]
    waiting[node] = False
    return node, head + 1 if head + 1 < len(ring) else 0, length - 1
