"""Supernodes: groups of columns of a Cholesky factor with (nearly) the same structure.

From the assembly tree of an elimination order: merge pivots into their parents where few zeros are
stored for it (Ashcraft and Grimes 1989), number the result so that every subtree is contiguous, and find
the rows of each panel as the union of its columns' and its children's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zerokelvin.jit import kernel

__all__ = ["find_structure", "merge_pivots", "number_in_postorder"]


@kernel
def merge_pivots(parent: Any, sizes: Any, rows: Any) -> Any:
    """Merge a pivot into its parent where the merged panel holds few zeros; the pivot each ends in."""
    count = len(parent)
    group = np.arange(count)
    width = sizes.copy()
    zeros = np.zeros(count)
    for s in range(count):
        p = parent[s]
        if p < 0:
            continue
        wide = width[s] + width[p]
        empty = zeros[s] + zeros[p] + width[s] * (width[p] + rows[p] - rows[s])
        total = wide * (wide + 1) / 2 + wide * rows[p]
        share = empty / total
        if share <= 0.03 or (wide <= 48 and share <= 0.1) or (wide <= 12 and share <= 0.25):
            group[s] = p
            width[p] = wide
            zeros[p] = empty
    for s in range(count - 1, -1, -1):
        group[s] = group[group[s]]
    return group


@kernel
def number_in_postorder(parent: Any, group: Any) -> Any:
    """Number the groups so that every subtree is contiguous and precedes its root."""
    count = len(parent)
    first = np.full(count, -1, np.int64)
    following = np.full(count, -1, np.int64)
    roots = -1
    total = 0
    above = np.full(count, -1, np.int64)
    for s in range(count - 1, -1, -1):
        if group[s] != s:
            continue
        total += 1
        p = parent[s]
        if p >= 0:
            p = group[p]
            above[s] = p
            following[s] = first[p]
            first[p] = s
        else:
            following[s] = roots
            roots = s
    rank = np.full(count, -1, np.int64)
    at = 0
    s = roots
    while s >= 0:
        while first[s] >= 0:
            child = first[s]
            first[s] = following[child]
            s = child
        rank[s] = at
        at += 1
        if above[s] >= 0:
            s = above[s]
        else:
            s = following[s]
    result = np.full(total, -1, np.int64)
    for s in range(count):
        if group[s] == s and above[s] >= 0:
            result[rank[s]] = rank[above[s]]
    return rank, result


@kernel
def find_structure(indptr: Any, indices: Any, columns: Any, parent: Any) -> Any:
    """Rows below every supernode: those of its own columns and of its children."""
    count = len(parent)
    n = len(indptr) - 1
    mark = np.full(n, -1, np.int64)
    starts = np.zeros(count + 1, np.int64)
    rows = np.empty(4 * n + 16, np.int64)
    first = np.full(count, -1, np.int64)
    following = np.full(count, -1, np.int64)
    for s in range(count):
        end = columns[s + 1]
        begin = starts[s]
        free = begin
        need = indptr[end] - indptr[columns[s]]
        child = first[s]
        while child >= 0:
            need += starts[child + 1] - starts[child]
            child = following[child]
        if free + need > len(rows):
            larger = np.empty(2 * len(rows) + need, np.int64)
            larger[:free] = rows[:free]
            rows = larger
        for p in range(indptr[columns[s]], indptr[end]):
            i = indices[p]
            if i >= end and mark[i] != s:
                mark[i] = s
                rows[free] = i
                free += 1
        child = first[s]
        while child >= 0:
            for p in range(starts[child], starts[child + 1]):
                i = rows[p]
                if i >= end and mark[i] != s:
                    mark[i] = s
                    rows[free] = i
                    free += 1
            child = following[child]
        rows[begin:free] = np.sort(rows[begin:free])
        starts[s + 1] = free
        if parent[s] >= 0:
            following[s] = first[parent[s]]
            first[parent[s]] = s
    return starts, rows[: starts[count]].copy()
