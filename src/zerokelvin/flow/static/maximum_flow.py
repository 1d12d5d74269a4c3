"""Maximum flow between many sources and many targets of an undirected graph, in exact integers.

Dinic's algorithm: breadth-first levels from the sources, then a blocking flow along arcs that
descend one level, until no target is reachable. A flow is kept as residual capacities: an edge of
capacity c starts with c both ways, and f units along an arc leave c − f on it and c + f on its
reverse.

Reference: E. A. Dinic (1970), Soviet Mathematics Doklady 11.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Ints
from zerokelvin.flow.static.capacities import Capacities
from zerokelvin.graph import Graph
from zerokelvin.jit import inner_kernel, kernel

__all__ = ["ResidualFlow", "maximum_flow"]


class ResidualFlow(NamedTuple):
    """A maximum flow.

    Attributes
    ----------
    value
        Its value in capacity units, equal to the minimum cut.
    residual
        Residual capacity of every arc of the graph's CSR arrays.
    source
        Nodes residually reachable from a source: the smallest source side of a minimum cut.
    target
        Nodes that residually reach a target: the smallest target side.
    """

    value: int
    residual: Ints
    source: Bools
    target: Bools


def maximum_flow(graph: Graph, capacities: Capacities, nodes: Ints, labels: Ints) -> ResidualFlow:
    """Maximum flow from the nodes labelled −1 to those labelled +1."""
    terminal = np.zeros(graph.num_nodes, dtype=np.int64)
    terminal[nodes] = labels
    residual = capacities.values.copy()
    value = _dinic(graph.indptr, graph.indices, capacities.reverse, residual, terminal)
    source = _reach(graph.indptr, graph.indices, residual, np.flatnonzero(terminal < 0))
    target = _reach(graph.indptr, graph.indices, residual[capacities.reverse], np.flatnonzero(terminal > 0))
    return ResidualFlow(int(value), residual, source, target)


@kernel
def _dinic(indptr: Ints, indices: Ints, reverse: Ints, residual: Ints, terminal: Ints) -> int:
    """Dinic's algorithm (1970): blocking flows over breadth-first levels, until no target is reached.

    `terminal` is −1 at sources and +1 at targets. `residual` is changed in place; the value comes back.
    """
    n = len(indptr) - 1
    level = np.empty(n, dtype=np.int64)
    cursor = np.empty(n, dtype=np.int64)
    queue = np.empty(n, dtype=np.int64)
    path = np.empty(n, dtype=np.int64)
    total = 0
    while _levels(indptr, indices, residual, terminal, level, queue):
        cursor[:] = indptr[:-1]
        for s in range(n):
            if terminal[s] >= 0:
                continue
            depth = 0
            v = s
            while True:
                # at a target: send what the path has room for, and go back to its first saturated arc
                if terminal[v] > 0:
                    least = residual[path[0]]
                    for i in range(1, depth):
                        least = min(least, residual[path[i]])
                    total += least
                    for i in range(depth - 1, -1, -1):
                        residual[path[i]] -= least
                        residual[reverse[path[i]]] += least
                        if residual[path[i]] == 0:
                            depth = i
                    v = indices[reverse[path[depth]]]
                # go on over the next arc one level down, or back where there is none
                forward = False
                while cursor[v] < indptr[v + 1]:
                    a = cursor[v]
                    if residual[a] > 0 and level[indices[a]] == level[v] + 1:
                        path[depth] = a
                        depth += 1
                        v = indices[a]
                        forward = True
                        break
                    cursor[v] += 1
                if not forward:
                    if depth == 0:
                        break
                    depth -= 1
                    v = indices[reverse[path[depth]]]
                    cursor[v] += 1
    return total


@inner_kernel
def _levels(indptr: Ints, indices: Ints, residual: Ints, terminal: Ints, level: Ints, queue: Ints) -> bool:
    """Breadth-first levels from the sources; whether a target has one. Targets are not passed through."""
    tail = 0
    for v in range(len(level)):
        level[v] = -1
        if terminal[v] < 0:
            level[v] = 0
            queue[tail] = v
            tail += 1
    head = 0
    found = False
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(indptr[v], indptr[v + 1]):
            w = indices[a]
            if residual[a] > 0 and level[w] < 0:
                level[w] = level[v] + 1
                if terminal[w] > 0:
                    found = True
                else:
                    queue[tail] = w
                    tail += 1
    return found


@kernel
def _reach(indptr: Ints, indices: Ints, residual: Ints, roots: Ints) -> Bools:
    """Which nodes can be reached from the roots over arcs with residual capacity."""
    seen = np.zeros(len(indptr) - 1, dtype=np.bool_)
    queue = np.empty(len(indptr) - 1, dtype=np.int64)
    tail = len(roots)
    for i in range(tail):
        queue[i] = roots[i]
        seen[roots[i]] = True
    head = 0
    while head < tail:
        v = queue[head]
        head += 1
        for a in range(indptr[v], indptr[v + 1]):
            w = indices[a]
            if residual[a] > 0 and not seen[w]:
                seen[w] = True
                queue[tail] = w
                tail += 1
    return seen
