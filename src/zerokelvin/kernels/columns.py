"""What hands out columns of a kernel on the nodes of a graph, and what every such class needs.

Learners that predict with a kernel K ask for columns ``K e_i`` only, never for the matrix, so that the same
learner runs on a dense inverse of a small graph and on a sparse solver of a large one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from zerokelvin.array_types import Floats
from zerokelvin.errors import NodeError

__all__ = ["AppliedKernel", "KernelColumns", "check_node"]


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


class AppliedKernel(ABC):
    """A kernel on n nodes that is known by its products: a column is its product with a unit vector."""

    @property
    @abstractmethod
    def num_nodes(self) -> int:
        """Number of nodes."""

    @abstractmethod
    def apply(self, value: Floats) -> Floats:
        """The kernel times a vector (n,) or a block (n, k)."""

    def column(self, node: int) -> Floats:
        """The column of one node as an (n,) array."""
        check_node(node, self.num_nodes)
        unit = np.zeros(self.num_nodes)
        unit[node] = 1.0
        return self.apply(unit)

    def columns(self, nodes: ArrayLike) -> Floats:
        """The columns of k nodes as an (n, k) array."""
        chosen = np.asarray(nodes, dtype=np.int64)
        for node in chosen:
            check_node(int(node), self.num_nodes)
        block = np.zeros((self.num_nodes, len(chosen)))
        block[chosen, np.arange(len(chosen))] = 1.0
        return self.apply(block)


def check_node(node: int, count: int) -> None:
    """Refuse a node index outside a graph of `count` nodes."""
    if not 0 <= node < count:
        raise NodeError(f"node index {node} is outside the graph's {count} nodes.")
