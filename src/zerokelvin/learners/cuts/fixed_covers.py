"""Paths that cover a part of the Picard–Queyranne graph, fixed for a game of `fixed-paths`.

A part is what hangs together of the inner super-vertices around a node. The maximum flow through it falls
apart into paths from the source to the target; those that are longest (or shortest) are taken first, until
every super-vertex is on one. Or the paths are given, and checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.errors import ParameterError
from zerokelvin.flow.online.cut_arrays import (
    COMPONENT,
    HEAD,
    INNER,
    MEMBER,
    QUEUE,
    SIDE,
    TOTAL,
    CutArrays,
)
from zerokelvin.flow.online.online_cut import OnlineCut
from zerokelvin.flow.online.trials import local_part
from zerokelvin.flow.static.dag import topological_levels
from zerokelvin.jit import kernel

__all__ = ["PathCover", "given_cover", "take_cover"]


class WeightedPart(NamedTuple):
    """A part of the Picard–Queyranne graph with the flow on its arcs.

    Attributes
    ----------
    vertices
        What each inner super-vertex is called.
    arcs
        Rows (tail, head): 0 is the source, k the k-th super-vertex, and one more than all of them the target.
    weights
        The weight of every arc, which is the flow on it.
    """

    vertices: Ints
    arcs: Ints
    weights: Ints


class PeeledPaths(NamedTuple):
    """Paths one behind the other: the positions of their super-vertices, and where each path ends."""

    vertices: Ints
    ends: Ints


class PathCover(NamedTuple):
    """Paths through one part, by a node of each inner super-vertex; source and target are left out.

    Attributes
    ----------
    paths
        The inner super-vertices of every path, from source to target.
    place
        Super-vertex → (its path, its position there; the first has 1).
    """

    paths: tuple[tuple[int, ...], ...]
    place: dict[int, tuple[int, int]]

    @property
    def bound(self) -> int:
        """Σ ⌊log₂|p_i|⌋, a path counting at most its own super-vertices."""
        own = [0] * len(self.paths)
        for path, _ in self.place.values():
            own[path] += 1
        lengths = (len(path) + 1 for path in self.paths)
        return sum(min(count, length.bit_length() - 1) for count, length in zip(own, lengths, strict=True))


def take_cover(cut: OnlineCut, node: int, longest: bool) -> PathCover:
    """Take paths away from the part's flow until every super-vertex is on one."""
    part = _weighted_part(cut, node)
    peeled = _peel(len(part.vertices) + 2, part.arcs, part.weights, longest)
    names = part.vertices[peeled.vertices]
    paths = tuple(tuple(path.tolist()) for path in np.split(names, peeled.ends[:-1]))
    return _assign(paths)


def given_cover(cut: OnlineCut, node: int, given: Sequence[Sequence[int]]) -> PathCover:
    """The given paths through the part, checked against its arcs."""
    part = _weighted_part(cut, node)
    names = np.concatenate([[-1], part.vertices, [-2]])  # −1 is the source and −2 the target
    steps = set(map(tuple, names[part.arcs].tolist()))
    inside = set(part.vertices.tolist())
    paths = []
    for path in given:
        walk = tuple(cut.super_vertex(other) for other in path)
        if inside.isdisjoint(walk):
            continue
        for step in zip((-1, *walk), (*walk, -2), strict=True):
            if step not in steps:
                raise ParameterError(
                    f"cover holds the path {tuple(path)!r}, which is no path of inner super-vertices from "
                    "source to target; see OnlineCut.picard_queyranne()."
                )
        paths.append(walk)
    cover = _assign(tuple(paths))
    missing = inside - set(cover.place)
    if missing:
        raise ParameterError(f"cover leads around the inner node {min(missing)}; add a path through it.")
    return cover


def _assign(paths: tuple[tuple[int, ...], ...]) -> PathCover:
    """The cover by these paths, in which a super-vertex on several of them belongs to the first."""
    place: dict[int, tuple[int, int]] = {}
    for k, path in enumerate(paths):
        for at, own in enumerate(path, 1):
            place.setdefault(own, (k, at))
    return PathCover(paths, place)


def _weighted_part(cut: OnlineCut, node: int) -> WeightedPart:
    """The part of the Picard–Queyranne graph around an inner node; the rows of `cut` must be its nodes.

    Super-vertices come by topological level and then by their lowest node, so that the cover does not depend
    on the past.
    """
    own = local_part(cut.arrays, node).vertices
    count = len(own)
    raw = _collect(cut.arrays, own)
    # number the vertices by level and lowest node, the source first and the target last
    level = topological_levels(count + 2, raw.arcs)
    level[0], level[-1] = -1, count + 2
    keys = np.concatenate([[-1], raw.vertices, [-1]])
    number = np.empty(count + 2, dtype=np.int64)
    number[np.lexsort((keys, level))] = np.arange(count + 2)
    # merge parallel arcs
    arcs = number[raw.arcs]
    pairs, at = np.unique(arcs[:, 0] * (count + 2) + arcs[:, 1], return_inverse=True)
    merged = np.zeros(len(pairs), dtype=np.int64)
    np.add.at(merged, at.reshape(-1), raw.weights)
    vertices = np.full(count, -1)
    vertices[number[1:-1] - 1] = own
    return WeightedPart(vertices, np.column_stack([pairs // (count + 2), pairs % (count + 2)]), merged)


@kernel
def _collect(s: CutArrays, own: Ints) -> WeightedPart:
    """The part of the super-vertices `own`, in their order and called by their lowest row; arcs repeat."""
    indptr, arcs, residual, nodes, _, scratch, _, _, _ = s
    position = scratch[QUEUE]  # read before it is written: `own` is a copy
    for k in range(len(own)):
        position[own[k]] = k + 1
    lowest = own.copy()
    found = [(0, 0, 0)][:0]
    for k in range(len(own)):
        x = own[k]
        while True:
            lowest[k] = min(lowest[k], x)
            for a in range(indptr[x], indptr[x + 1]):
                y = arcs[a, HEAD]
                weight = arcs[a, TOTAL] // 2
                if nodes[y, SIDE] != INNER:
                    if residual[a] > 0:
                        found.append((0, k + 1, weight))
                    else:
                        found.append((k + 1, len(own) + 1, weight))
                elif nodes[y, COMPONENT] != own[k] and residual[a] == 0:
                    found.append((k + 1, position[nodes[y, COMPONENT]], weight))
            x = nodes[x, MEMBER]
            if x == own[k]:
                break
    pairs = np.full((len(found), 2), -1)
    weights = np.full(len(found), -1)
    for k in range(len(found)):
        pairs[k, 0], pairs[k, 1], weights[k] = found[k]
    return WeightedPart(lowest, pairs, weights)


@kernel
def _peel(num: int, arcs: Ints, weights: Ints, longest: bool) -> PeeledPaths:
    """Take paths from a flow over `num` vertices, from 0, the source, to the last, until all are covered.

    `arcs` has one row (tail, head) per arc, in topological order, and `weights` the flow on it. Each path is
    a longest or shortest one over the arcs that have flow left, and takes away what its arcs all have.
    """
    left = weights.copy()
    covered = np.zeros(num, dtype=np.bool_)
    missing = num - 2
    length = np.empty(num, dtype=np.int64)
    via = np.empty(num, dtype=np.int64)
    walk = np.empty(num, dtype=np.int64)
    found = [0][:0]
    ends = [0][:0]
    while missing > 0:
        # longest or shortest distance from the source over arcs with flow left, in topological order
        length[:] = -1
        length[0] = 0
        for k in range(len(arcs)):
            i, j = arcs[k, 0], arcs[k, 1]
            if left[k] > 0 and length[i] >= 0:
                step = length[i] + 1
                if length[j] < 0 or (longest and step > length[j]) or (not longest and step < length[j]):
                    length[j] = step
                    via[j] = k
        # walk the path back from the target, and find the least flow on it
        at, count = num - 1, 0
        room = left[via[at]]
        while at != 0:
            walk[count] = via[at]
            count += 1
            room = min(room, left[via[at]])
            at = arcs[via[at], 0]
        # take that flow away, from the source on, and note the vertices passed
        for k in range(count - 1, -1, -1):
            left[walk[k]] -= room
            j = arcs[walk[k], 1]
            if j != num - 1:
                found.append(j - 1)
                missing -= not covered[j]
                covered[j] = True
        ends.append(len(found))
    vertices, marks = np.full(len(found), -1), np.full(len(ends), -1)
    for k in range(len(found)):
        vertices[k] = found[k]
    for k in range(len(ends)):
        marks[k] = ends[k]
    return PeeledPaths(vertices, marks)
