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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel

__all__ = ["EliminationOrder", "minimum_degree"]

Ints = NDArray[np.int64]

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
    complete, fill, owner, rank, rows = _minimum_degree(starts, work, limit, patience)
    if not complete:
        nothing = np.zeros(0, np.int64)
        return EliminationOrder(False, int(fill), nothing, nothing, nothing)
    pivot, parent = _assembly_tree(owner, rank)
    return EliminationOrder(True, int(fill), pivot, parent, rows[: len(parent)].copy())


@kernel
def _compact(pe: Any, ln: Any, kind: Any, iw: Any, end: Any) -> Any:
    """Squeeze out dead lists, keeping the order in which they lie; returns the first free slot."""
    n = len(pe)
    for i in range(n):
        if kind[i] < 2 and ln[i] > 0:
            at = pe[i]
            pe[i] = iw[at]
            iw[at] = -i - 1
    free = 0
    at = 0
    while at < end:
        if iw[at] < 0:
            i = -iw[at] - 1
            iw[free] = pe[i]
            pe[i] = free
            for k in range(1, ln[i]):
                iw[free + k] = iw[at + k]
            free += ln[i]
            at += ln[i]
        else:
            at += 1
    return free


@kernel
def _unlink(i: Any, degree: Any, head: Any, nxt: Any, prv: Any) -> Any:
    if nxt[i] >= 0:
        prv[nxt[i]] = prv[i]
    if prv[i] >= 0:
        nxt[prv[i]] = nxt[i]
    else:
        head[degree[i]] = nxt[i]


@kernel
def _minimum_degree(starts: Any, iw: Any, limit: float, patience: float) -> Any:
    """The quotient-graph loop: owner of every node (a node or a pivot) and the rank of every pivot."""
    n = len(starts) - 1
    pe = starts[:n].copy()
    ln = np.empty(n, np.int64)
    elements = np.zeros(n, np.int64)
    size = np.ones(n, np.int64)
    degree = np.empty(n, np.int64)
    kind = np.zeros(n, np.int64)  # 0 variable, 1 element, 2 gone
    owner = np.full(n, -1, np.int64)
    rank = np.full(n, -1, np.int64)
    rows = np.zeros(n, np.int64)
    head = np.full(n + 1, -1, np.int64)
    nxt = np.full(n, -1, np.int64)
    prv = np.full(n, -1, np.int64)
    bucket = np.full(n + 1, -1, np.int64)
    hashes = np.zeros(n, np.int64)
    mark = np.ones(n, np.int64)
    stamp = 2
    free = starts[n]
    for i in range(n - 1, -1, -1):
        ln[i] = starts[i + 1] - starts[i]
        degree[i] = ln[i]
        nxt[i] = head[degree[i]]
        if nxt[i] >= 0:
            prv[nxt[i]] = i
        head[degree[i]] = i
    done = 0
    lowest = 0
    fill = 0.0
    touched = 0.0
    pivots = 0
    while done < n:
        while head[lowest] < 0:
            lowest += 1
        me = head[lowest]
        _unlink(me, degree, head, nxt, prv)
        npiv = size[me]
        done += npiv
        size[me] = -npiv
        # -- the new element: the union of me's elements and variables
        need = ln[me] - elements[me]
        for p in range(pe[me], pe[me] + elements[me]):
            need += ln[iw[p]]
        if free + need > len(iw):
            free = _compact(pe, ln, kind, iw, free)
            if free + need > len(iw):
                larger = np.empty(2 * len(iw) + need, np.int64)
                larger[:free] = iw[:free]
                iw = larger
        begin = free
        dme = 0
        pme, lme, eme = pe[me], ln[me], elements[me]
        for source in range(eme + 1):
            if source < eme:
                e = iw[pme + source]
                first, last = pe[e], pe[e] + ln[e]
            else:
                e = me
                first, last = pme + eme, pme + lme
            for p in range(first, last):
                i = iw[p]
                if size[i] > 0:
                    dme += size[i]
                    size[i] = -size[i]
                    iw[free] = i
                    free += 1
                    _unlink(i, degree, head, nxt, prv)
            if source < eme:
                owner[e] = me
                kind[e] = 2
                mark[e] = 0
        kind[me] = 1
        pe[me] = begin
        ln[me] = free - begin
        mark[me] = 1
        # -- |Le \ Lme| of every element seen
        for q in range(begin, free):
            i = iw[q]
            for p in range(pe[i], pe[i] + elements[i]):
                e = iw[p]
                if mark[e] >= stamp:
                    mark[e] += size[i]
                elif mark[e] != 0:
                    mark[e] = degree[e] + stamp + size[i]
        # -- approximate degrees, absorption, mass elimination, hashing
        for q in range(begin, free):
            i = iw[q]
            touched += ln[i]
            p1 = pe[i]
            pn = p1
            key = 0
            deg = 0
            for p in range(p1, p1 + elements[i]):
                e = iw[p]
                if mark[e] == 0:
                    continue
                outside = mark[e] - stamp
                if outside > 0:
                    deg += outside
                    iw[pn] = e
                    pn += 1
                    key += e
                else:
                    owner[e] = me
                    kind[e] = 2
                    mark[e] = 0
            p3 = pn
            for p in range(p1 + elements[i], p1 + ln[i]):
                j = iw[p]
                if size[j] > 0:
                    deg += size[j]
                    iw[pn] = j
                    pn += 1
                    key += j
            if pn == p1:
                owner[i] = me
                kind[i] = 2
                dme += size[i]
                npiv -= size[i]
                done -= size[i]
                size[i] = 0
                continue
            degree[i] = min(degree[i], deg)
            iw[pn] = iw[p3]
            iw[p3] = iw[p1]
            iw[p1] = me
            elements[i] = p3 - p1 + 1
            ln[i] = pn - p1 + 1
            key = key % n
            hashes[i] = key
            nxt[i] = bucket[key]
            bucket[key] = i
        degree[me] = dme
        stamp += n + 1
        # -- indistinguishable variables are merged
        for q in range(begin, free):
            if size[iw[q]] >= 0:
                continue
            i = bucket[hashes[iw[q]]]
            bucket[hashes[iw[q]]] = -1
            while i >= 0 and nxt[i] >= 0:
                for p in range(pe[i] + 1, pe[i] + ln[i]):
                    mark[iw[p]] = stamp
                before = i
                j = nxt[i]
                while j >= 0:
                    same = ln[j] == ln[i] and elements[j] == elements[i]
                    p = pe[j] + 1
                    while same and p < pe[j] + ln[j]:
                        same = mark[iw[p]] == stamp
                        p += 1
                    if same:
                        owner[j] = i
                        kind[j] = 2
                        size[i] += size[j]
                        size[j] = 0
                        j = nxt[j]
                        nxt[before] = j
                    else:
                        before = j
                        j = nxt[j]
                stamp += 1
                i = nxt[i]
        # -- back into the degree lists
        keep = begin
        left = n - done
        for q in range(begin, free):
            i = iw[q]
            if size[i] == 0:
                continue
            size[i] = -size[i]
            d = min(degree[i] + dme - size[i], left - size[i])
            degree[i] = d
            nxt[i] = head[d]
            prv[i] = -1
            if nxt[i] >= 0:
                prv[nxt[i]] = i
            head[d] = i
            lowest = min(lowest, d)
            iw[keep] = i
            keep += 1
        free = keep
        size[me] = npiv
        ln[me] = keep - begin
        if keep == begin:
            mark[me] = 0
        rank[me] = pivots
        rows[pivots] = dme
        pivots += 1
        fill += npiv * dme + npiv * (npiv + 1) / 2
        if fill + 0.5 * left * dme > limit or touched > patience:
            return False, fill, owner, rank, rows
    return True, fill, owner, rank, rows


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
