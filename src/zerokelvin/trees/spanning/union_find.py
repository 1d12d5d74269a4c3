"""Disjoint sets: every node points towards the leader of its set (Tarjan 1975, with path halving).

>>> import numpy as np
>>> chain = np.array([0, 0, 1, 2, 3])
>>> int(leader_of(chain, 4)), chain.tolist()
(0, [0, 0, 0, 2, 2])
"""

from __future__ import annotations

from typing import Any

from zerokelvin.jit import inner_kernel

__all__ = ["leader_of"]


@inner_kernel
def leader_of(leader: Any, node: int) -> int:
    """The leader of a node's set, halving the way to it."""
    while leader[node] != node:
        leader[node] = leader[leader[node]]
        node = leader[node]
    return node
