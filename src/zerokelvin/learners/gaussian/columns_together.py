"""Columns of a kernel by solves, eight nodes at a time.

Solving for eight columns as a block takes little more time than for two (`zerokelvin.machine.blocks`), and a
game over all nodes needs every column once. But a block does not sum in the order in which a single solve
does. So that a column is the same to the last bit whoever asks, and when, the block of a node is always the
same: nodes 8k to 8k + 7. What a block gave beside the column asked for is kept for a while; solved for again,
it is the same.
"""

from __future__ import annotations

from collections import OrderedDict

from zerokelvin.array_types import Floats
from zerokelvin.kernels.inverses import SolverKernel
from zerokelvin.kernels.kernels import KernelColumns, Remembered

__all__ = ["ColumnsTogether"]


TOGETHER = 8
KEPT_BYTES = 2**28
"""Most memory for columns that were solved for and not yet asked for, if it holds one block."""


class ColumnsTogether:
    """The columns of a kernel: those of a solver in blocks, all others as they come."""

    def __init__(self, columns: KernelColumns) -> None:
        source = columns.source if isinstance(columns, Remembered) else columns
        solved = isinstance(source, SolverKernel) and source.solver.engine != "dense"
        self._solver: SolverKernel | None = source if solved and isinstance(source, SolverKernel) else None
        self._columns = columns
        self._kept: OrderedDict[int, Floats] = OrderedDict()

    def column(self, node: int) -> Floats:
        """The column of a node, (n,), computed with those of the nodes numbered next to it."""
        if self._solver is None:
            return self._columns.column(node)
        if node not in self._kept:
            first = node - node % TOGETHER
            block = list(range(first, min(first + TOGETHER, self._solver.num_nodes)))
            self._kept.update(zip(block, self._solver.several(block), strict=True))
            room = max(TOGETHER, KEPT_BYTES // (8 * self._solver.num_nodes))
            while len(self._kept) > room:
                self._kept.popitem(last=False)
        return self._kept[node]
