"""What hands out columns of a kernel on the nodes of a graph, and what every such class needs.

Learners that predict with a kernel K ask for columns ``K e_i`` only, never for the matrix, so that the same
learner runs on a dense inverse of a small graph and on a sparse solver of a large one.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from zerokelvin.errors import NodeError

__all__ = ["KernelColumns", "check_node", "units"]

Floats = NDArray[np.float64]


@runtime_checkable
class KernelColumns(Protocol):
    """A kernel on n nodes that hands out columns."""

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        ...

    def column(self, node: int) -> Floats:
        """The column ``K e_node`` as an (n,) array, read-only."""
        ...


def check_node(node: int, count: int) -> None:
    """Refuse a node index outside a graph of `count` nodes."""
    if not 0 <= node < count:
        raise NodeError(f"node index {node} is outside the graph's {count} nodes.")


def units(nodes: ArrayLike, count: int) -> Floats:
    """The unit vectors of k nodes as the columns of a (count, k) array."""
    chosen = np.asarray(nodes, dtype=np.int64)
    for node in chosen:
        check_node(int(node), count)
    unit = np.zeros((count, len(chosen)))
    unit[chosen, np.arange(len(chosen))] = 1.0
    return unit
