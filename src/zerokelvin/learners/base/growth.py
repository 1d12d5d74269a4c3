"""How learners follow a graph that grows.

When nodes or edges are added, a session starts its learner on the new graph and lets the old game hand over
what it knows (`Game.hand_over`). What then holds is the learner's `growth`:

- ``"exact"``: every margin is that of a session started on the new graph and told the same answers in the
  same order. By default the answers are learnt again, in compiled code where the learner has such a game;
  learners by local relaxation repair what they have instead (`learners.gaussian.grown_fields`), to the same
  certified error.
- ``"carried"``: what was learnt is kept and expressed on the new graph. A perceptron keeps its mistakes: its
  weights become K c with the new kernel K and the old coefficients c, one solve per class whose relative
  residual is at most the learner's `tol` (`apply_kernel`). A session started on the new graph might have
  erred elsewhere, so it may have other mistakes.
- ``"ordered"``: the game is a function of its whole story, the first graph and then answers and growths in
  their order. What a mixture has learnt of whom to trust is kept, as it was learnt on the graph of each
  moment; its experts are those of the new graph, told the answers. A correction goes over the growths again,
  each at its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel
from zerokelvin.kernels.heat import HeatKernel
from zerokelvin.kernels.inverses import SolverKernel
from zerokelvin.kernels.kernels import DenseKernel, KernelColumns, Remembered
from zerokelvin.kernels.powers import PowerKernel
from zerokelvin.kernels.walks import RandomWalkKernel

__all__ = ["CARRIED", "EXACT", "ORDERED", "Growth", "apply_kernel"]


EXACT, CARRIED, ORDERED = "exact", "carried", "ordered"


@dataclass(frozen=True, eq=False)
class Growth:
    """A graph that has grown, and the answers learnt so far.

    Attributes
    ----------
    before, after
        The old and the new graph; old nodes have their old index.
    answers
        Gives every answer in order: the nodes, and their class numbers.
    place
        The new index of every old node, ascending; where not given, the old one.
    unit
        What the weights that a game sees are multiplied by beside, where it sees them in a unit of its own.
    """

    before: Graph
    after: Graph
    answers: Callable[[], tuple[Ints, Ints]] = field(repr=False)
    place: Ints | None = field(default=None, repr=False)
    unit: float = 1.0

    @cached_property
    def places(self) -> Ints:
        """The new index of every old node, ascending."""
        return np.arange(self.before.num_nodes) if self.place is None else self.place

    @cached_property
    def touched(self) -> Ints:
        """The nodes whose edges changed and the new nodes, ascending."""
        return touched_nodes(self.before, self.after, self.places)


def touched_nodes(old: Graph, new: Graph, places: Ints | None = None) -> Ints:
    """The nodes whose row of the adjacency matrix differs, new ones included, ascending.

    `places` are the new indices of the old nodes, ascending; by default the old ones.

    >>> line = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> touched_nodes(line, line.extended(1, [(3, 4), (0, 1)])).tolist()
    [0, 1, 3, 4]
    """
    flags = np.ones(new.num_nodes, dtype=np.bool_)
    moved = np.arange(old.num_nodes) if places is None else places
    _compare(old.csr, new.csr, moved, flags)
    return np.flatnonzero(flags)


def apply_kernel(columns: KernelColumns, vectors: Floats) -> Floats:
    """The products K v of the rows v of `vectors`: one solve each where the kernel has a solver."""
    source = columns.source if isinstance(columns, Remembered) else columns
    if isinstance(source, SolverKernel):
        return np.ascontiguousarray(source.solver.solve(np.ascontiguousarray(vectors.T)).value.T)
    if isinstance(source, DenseKernel):
        return vectors @ source.matrix
    if isinstance(source, (HeatKernel, PowerKernel, RandomWalkKernel)):
        return np.stack([source.apply(row) for row in vectors])
    result = np.zeros_like(vectors)
    for node in np.flatnonzero(vectors.any(axis=0)).tolist():
        result += np.outer(vectors[:, node], columns.column(node))
    return result


@kernel
def _compare(old: Any, new: Any, places: Any, flags: Any) -> None:
    """Say of every old node whether its row differs, at its new index."""
    indptr, indices, weights = old
    new_indptr, new_indices, new_weights = new
    for u in range(len(places)):
        start, at = indptr[u], places[u]
        other = new_indptr[at]
        length = indptr[u + 1] - start
        differs = new_indptr[at + 1] - other != length
        k = 0
        while k < length and not differs:
            moved = places[indices[start + k]] != new_indices[other + k]
            differs = moved or weights[start + k] != new_weights[other + k]
            k += 1
        flags[at] = differs
