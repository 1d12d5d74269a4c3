"""A fill-reducing elimination order by approximate minimum degree, with its fill count.

Amestoy, Davis and Duff (1996), "An approximate minimum degree ordering algorithm": eliminate at each
step a node of least (approximate) degree; the graph after elimination is kept implicitly as a quotient
graph of *variables* and *elements* (eliminated cliques), nodes that have become indistinguishable are
merged, and elements covered by a newer one are absorbed. The fill of the Cholesky factor is the sum of
the pivots' degrees, so it is known as the order is built. The search stops as soon as the fill so far, and
half the present degree for every node left, pass a limit, or when it has itself cost too much: a graph
that is too dense for a direct method says so early.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.jit import kernel
from zerokelvin.solve.engines.direct.quotient_graph import (
    DEGREE,
    HEAD,
    LENGTH,
    MARK,
    OWNER,
    SIZE,
    form_element,
    list_neighbours,
    make_room,
    measure_elements,
    merge_twins,
    new_graph,
    update_neighbours,
)

__all__ = ["EliminationOrder", "minimum_degree"]


PATIENCE = 10.0
"""List entries looked at, per entry of the matrix, before a search with a limit is given up."""


@dataclass(frozen=True)
class EliminationOrder:
    """An elimination order grouped into pivots, each a set of nodes eliminated together.

    Attributes
    ----------
    complete
        False where the fill passed the limit and the search was given up.
    fill
        Entries of the Cholesky factor, diagonal included (an upper bound; of the part ordered so far
        where the search was given up).
    pivot
        The pivot of every node.
    parent
        The parent of every pivot in the assembly tree, −1 at its roots; always a later pivot.
    rows
        The degree of every pivot: entries below the diagonal block in each of its columns.
    """

    complete: bool
    fill: int
    pivot: Ints
    parent: Ints
    rows: Ints

    @property
    def work(self) -> float:
        """Multiplications of a factorisation in this order, about."""
        wide = np.bincount(self.pivot, minlength=len(self.parent)).astype(np.float64)
        return float((wide * (self.rows + wide) ** 2).sum())


def minimum_degree(indptr: Ints, indices: Ints, max_fill: float = np.inf) -> EliminationOrder:
    """Order the nodes of a symmetric pattern without diagonal.

    Examples
    --------
    >>> path = minimum_degree(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1]))
    >>> path.complete, path.fill
    (True, 5)
    """
    count = len(indptr) - 1
    starts = np.array(indptr, dtype=np.int64)
    work = np.empty(len(indices) + len(indices) // 5 + count + 8, dtype=np.int64)
    work[: len(indices)] = indices
    limit = float(min(max_fill, 1e18))
    patience = 1e6 + PATIENCE * len(work) if np.isfinite(max_fill) else 1e18
    found = _minimum_degree(starts, work, limit, patience)
    if not found.complete:
        nothing = np.zeros(0, np.int64)
        return EliminationOrder(False, int(found.fill), nothing, nothing, nothing)
    pivot, parent = _assembly_tree(found.owner, found.rank)
    return EliminationOrder(True, int(found.fill), pivot, parent, found.rows[: len(parent)].copy())


class Pivots(NamedTuple):
    """What the search for an order found.

    Attributes
    ----------
    complete, fill
        Whether it was completed, and the fill so far.
    owner
        Per node the pivot it went with, the node it was merged into, or −1.
    rank
        Per node its number among the pivots, −1 where it is none.
    rows
        The degree of the pivot of every rank.
    """

    complete: bool
    fill: float
    owner: Ints
    rank: Ints
    rows: Ints


@kernel
def _minimum_degree(starts: Ints, lists: Ints, limit: float, patience: float) -> Pivots:
    """Eliminate pivot after pivot of least approximate degree.

    `starts` (n + 1) and `lists` are the rows of the matrix; `limit` and `patience` the fill and the list
    entries looked at beyond which the search is given up.
    """
    nodes, firsts = new_graph(starts)
    n = nodes.shape[1]
    rank = np.full(n, -1, np.int64)
    rows = np.zeros(n, np.int64)
    free = starts[n]
    stamp = 2  # a mark of at least this was set for the present pivot
    done, lowest, pivots = 0, 0, 0
    fill, touched = 0.0, 0.0
    while done < n:
        while firsts[HEAD, lowest] < 0:
            lowest += 1
        pivot = firsts[HEAD, lowest]
        lists, free = make_room(nodes, lists, free, pivot)
        begin = free
        free, degree = form_element(nodes, firsts, lists, free, pivot)
        measure_elements(nodes, lists, begin, free, stamp)
        eliminated, looked_at = update_neighbours(nodes, firsts, lists, begin, free, stamp, pivot)
        touched += looked_at
        degree -= eliminated
        together = eliminated - nodes[SIZE, pivot]  # the size of a pivot is negative as long as it is in hand
        done += together
        nodes[DEGREE, pivot] = degree
        stamp = merge_twins(nodes, firsts, lists, begin, free, stamp + n + 1)
        left = n - done
        free, lowest = list_neighbours(nodes, firsts, lists, begin, free, degree, left, lowest)
        nodes[SIZE, pivot] = together
        nodes[LENGTH, pivot] = free - begin
        if free == begin:
            nodes[MARK, pivot] = 0
        rank[pivot] = pivots
        rows[pivots] = degree
        pivots += 1
        fill += together * degree + together * (together + 1) / 2
        if fill + 0.5 * left * degree > limit or touched > patience:
            return Pivots(False, fill, nodes[OWNER].copy(), rank, rows)
    return Pivots(True, fill, nodes[OWNER].copy(), rank, rows)


@kernel
def _assembly_tree(owner: Any, rank: Any) -> Any:
    """Number the pivots in elimination order; the pivot of every node, the parent of every pivot."""
    n = len(owner)
    pivot = np.full(n, -1)
    count = 0
    for i in range(n):
        if rank[i] >= 0:
            count += 1
    parent = np.full(count, -1, np.int64)
    for i in range(n):
        root = i
        while rank[root] < 0:
            root = owner[root]
        pivot[i] = rank[root]
        if rank[i] >= 0 and owner[i] >= 0:
            above = owner[i]
            while rank[above] < 0:
                above = owner[above]
            parent[rank[i]] = rank[above]
    return pivot, parent
