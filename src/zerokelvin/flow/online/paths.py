"""What ties a node to the labels: a way to its side's nearest label, or the path that decides an inner node.

A node that all minimum cuts agree on is joined to a label by arcs with residual capacity: to part them would
cost more than the minimum cut. An inner node is joined to none. Then a longest (or shortest) path of the
Picard–Queyranne graph leads from the source through its super-vertex to the target, and every edge on it is
cut by some minimum cut (Herbster, Pasteris and Ghosh 2015, Figure 3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerokelvin.array_types import Ints
from zerokelvin.flow.online.components import length
from zerokelvin.flow.online.cut_arrays import (
    CLOCK,
    COMPONENT,
    HEAD,
    INNER,
    LABEL,
    MEMBER,
    QUEUE,
    REVERSE,
    SEEN,
    SIDE,
    TOTAL,
    TOUCHES,
    VIA,
    CutArrays,
)
from zerokelvin.jit import kernel

__all__ = ["CutPath", "trace_path", "way_to_label"]


@dataclass(frozen=True)
class CutPath:
    """What ties a node to the labels.

    Attributes
    ----------
    node
        The node asked about.
    labels
        The labelled nodes at the ends: one on the node's side, or one of the source and one of the target.
    way
        Outside the inner part: the nodes from the node to its label, each joined to the next by an edge that
        no minimum cut cuts.
    edges
        Inside it: the edges of the path that decides, from the source to the target, each from its end
        nearer to the source to the other. Different minimum cuts cut different ones of them.
    before
        How many of the edges come before the node.
    """

    node: int
    labels: tuple[int, ...]
    way: tuple[int, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    before: int = 0

    @property
    def nodes(self) -> tuple[int, ...]:
        """The nodes passed, from the node to its label or from label to label by way of the node.

        Two in a row that no edge joins lie in one super-vertex: every minimum cut keeps them together.
        """
        first = (end for edge in self.edges[: self.before] for end in edge)
        second = (end for edge in self.edges[self.before :] for end in edge)
        passed = self.way or (self.labels[0], *first, self.node, *second, self.labels[-1])
        return tuple(at for k, at in enumerate(passed) if k == 0 or at != passed[k - 1])


@kernel
def trace_path(s: CutArrays, row: int, node: int, longest: bool) -> Ints:
    """Arcs from an inner node's super-vertex to the source (row 0) or target (row 1) along its path."""
    indptr, arcs, residual, nodes, lengths, _, tally, _, _ = s
    total = length(s, row, node, longest)
    found = np.full(total, -1)
    c = nodes[node, COMPONENT]
    for k in range(total):
        x = c
        chosen = -1
        while chosen < 0:
            for a in range(indptr[x], indptr[x + 1]):
                tally[TOUCHES] += 1
                y = arcs[a, HEAD]
                if (residual[a] > 0) != (row == 0):
                    continue
                if nodes[y, SIDE] == INNER:
                    if nodes[y, COMPONENT] == c or lengths[nodes[y, COMPONENT], row] + 1 != total - k:
                        continue
                elif total - k != 1:
                    continue
                chosen = a
                break
            x = nodes[x, MEMBER]
        found[k] = chosen
        c = nodes[arcs[chosen, HEAD], COMPONENT]
    return found


@kernel
def way_to_label(s: CutArrays, start: int) -> Ints:
    """The shortest residual way from a node of a side to a label of it, as rows, `start` first."""
    indptr, arcs, residual, nodes, _, scratch, tally, _, _ = s
    d = nodes[start, SIDE]
    queue = scratch[QUEUE]
    tally[CLOCK] += 1
    stamp = tally[CLOCK]
    nodes[start, SEEN] = stamp
    nodes[start, VIA] = -1
    queue[0] = start
    head, tail = 0, 1
    x = start
    while nodes[x, LABEL] != d:
        for a in range(indptr[x], indptr[x + 1]):
            tally[TOUCHES] += 1
            y = arcs[a, HEAD]
            left = residual[a]
            if (
                nodes[y, SIDE] == d
                and nodes[y, SEEN] != stamp
                and (arcs[a, TOTAL] - left if d < 0 else left) > 0
            ):
                nodes[y, SEEN] = stamp
                nodes[y, VIA] = arcs[a, REVERSE]
                queue[tail] = y
                tail += 1
        head += 1
        x = queue[head]
    # back over the arcs by which nodes were visited, from the label to `start`
    count = 0
    while True:
        queue[count] = x  # the queue is no longer needed
        count += 1
        if nodes[x, VIA] < 0:
            return queue[:count][::-1].copy()
        x = arcs[nodes[x, VIA], HEAD]
