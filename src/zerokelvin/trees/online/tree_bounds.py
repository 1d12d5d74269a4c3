"""What the tree learners guarantee: mistakes per uniformly labelled cluster of a tree, or of its spine.

Cut a tree at its Φ cut edges. A cluster C with k cut edges at its border and diameter D costs `tree-opt`,
`longest-path` and `shazoo` on a tree without weights at most

    min(|C|, B),   B = 1 for k = 0,   1 + ⌊log₂(D+1)⌋ for k = 1,   6k − 8 + (8k − 12) ⌊log₂(D+1)⌋ for k ≥ 2

mistakes, in any order. The proof is in docs/theory/trees.md; up to the constants it is the optimal bound of
Cesa-Bianchi, Gentile and Vitale (2009). The nearest label on a spine, with any weights, costs a stretch S of
equal labels at most min(|S|, 1 + Σ ⌊log₂(ℓ/r)⌋) over its cut edges, r being the resistance of the cut edge
and ℓ the resistance from its far end to the other end of the stretch.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.trees.online.forest import Forest
from zerokelvin.trees.online.neighbours import Spines

__all__ = ["TreeGuarantee", "spine_guarantee", "tree_guarantee"]


class TreeGuarantee(NamedTuple):
    """The bound of every tree, and the totals it is made of: cut edges, clusters, widest diameter."""

    per_tree: Floats
    cut: float
    clusters: float
    widest: float


class Clusters(NamedTuple):
    """The cluster of every node; of every cluster its number of border edges and its diameter in edges."""

    cluster: Ints
    border: Ints
    diameter: Ints


def tree_guarantee(forest: Forest, size: int, labels: Ints) -> TreeGuarantee:
    """The bound of each of `size` trees against a labelling in {−1, +1}ⁿ of the graph."""
    signs = np.tile(np.asarray(labels, dtype=np.int64), size)
    cluster, border, diameter = _find_clusters(forest.indptr, forest.heads, signs)
    count = np.bincount(cluster, minlength=len(border))
    depth = np.floor(np.log2(diameter + 1.0))
    cost = np.where(
        border == 0, 1.0, np.where(border == 1, 1.0 + depth, 6.0 * border - 8 + (8.0 * border - 12) * depth)
    )
    cost = np.minimum(cost, count)
    tree = np.zeros(len(border), dtype=np.int64)
    tree[cluster] = np.arange(len(signs)) // (len(signs) // size)
    per_tree = np.bincount(tree, weights=cost, minlength=size).astype(np.float64)
    return TreeGuarantee(per_tree, float(border.sum() / 2), float(len(border)), float(diameter.max()))


def spine_guarantee(spines: Spines, size: int, labels: Ints) -> TreeGuarantee:
    """The bound of each of `size` spines against a labelling in {−1, +1}ⁿ of the graph."""
    n = len(spines.place) // size
    signs = np.empty(len(spines.place), dtype=np.int64)
    signs[spines.place] = np.tile(np.asarray(labels, dtype=np.int64), size)
    together = (spines.part[1:] == spines.part[:-1]) & (signs[1:] == signs[:-1])
    begin = np.concatenate([[0], np.flatnonzero(~together) + 1])
    end = np.concatenate([begin[1:], [len(signs)]]) - 1
    span = spines.height[end] - spines.height[begin]
    cost = np.ones(len(begin))
    cuts = 0
    for inside, outside in ((begin, begin - 1), (end, end + 1)):
        there = (outside >= 0) & (outside < len(signs))
        there &= spines.part[inside] == spines.part[np.clip(outside, 0, len(signs) - 1)]
        r = np.abs(spines.height[inside] - spines.height[np.clip(outside, 0, len(signs) - 1)])
        ratio = np.where(there, (span + r) / np.where(there, r, 1.0), 1.0)
        cost += np.floor(np.log2(ratio) + 1e-6)
        cuts += int(there.sum())
    cost = np.minimum(cost, end - begin + 1)
    per_tree = np.bincount(begin // n, weights=cost, minlength=size).astype(np.float64)
    return TreeGuarantee(per_tree, cuts / 2, float(len(begin)), float((end - begin).max()))


@kernel
def _find_clusters(indptr: Ints, heads: NDArray[np.int32], signs: Ints) -> Clusters:
    """The clusters of a forest in CSR form whose node v has the label ``signs[v]``."""
    n = len(signs)
    cluster = np.full(n, -1)
    border = np.zeros(n, dtype=np.int64)
    diameter = np.zeros(n, dtype=np.int64)
    parent = np.full(n, -1)
    height = np.zeros(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    count = 0
    for root in range(n):
        if cluster[root] >= 0:
            continue
        # spread over equal labels, breadth first
        cluster[root] = count
        queue[0] = root
        head, tail = 0, 1
        while head < tail:
            node = queue[head]
            head += 1
            for arc in range(indptr[node], indptr[node + 1]):
                other = heads[arc]
                if signs[other] != signs[node]:
                    border[count] += 1
                elif cluster[other] < 0:
                    cluster[other] = count
                    parent[other] = node
                    queue[tail] = other
                    tail += 1
        # heights from the leaves up, and with them the diameter
        for k in range(tail - 1, 0, -1):
            node = queue[k]
            above = parent[node]
            diameter[count] = max(diameter[count], height[above] + height[node] + 1)
            height[above] = max(height[above], height[node] + 1)
        count += 1
    return Clusters(cluster, border[:count].copy(), diameter[:count].copy())
