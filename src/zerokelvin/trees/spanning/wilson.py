"""Uniform random spanning trees by Wilson's algorithm, weighted, on graphs of any shape.

A spanning tree is drawn with probability proportional to the product of its edge weights. Wilson (1996):
start with a root; from every other node walk at random (an edge with probability proportional to its
weight) until the tree is met, erase the walk's loops, add what remains. The expected number of steps is
the mean hitting time of the root, which is near-linear on graphs that mix but quadratic on long cycles and
paths. So the graph is made smaller first, exactly:

- a leaf's edge is in every spanning tree: leaves are stripped until none is left;
- a chain of nodes of degree two with resistances r_j = 1/w_j acts like one edge of weight 1/Σ r_j; if the
  tree does not use the chain, it misses exactly one of its edges, the j-th with probability r_j / Σ r.

A forest, a cycle, a core with whiskers and a subdivided graph thus cost what their core costs. On a
disconnected graph every component gets its tree. A graph without leaves and chains is its own core.

A step reads the row of its node, an entry of it and the last step from where it leads, and waits for memory
more than for anything else; so all three are numbers of 32 bits where these suffice, and weights that are all
equal are not looked at. Whether the tree has a node is the sign of its last step.

Above 300 lines: a sampler and its kernels, which leave one graph smaller step by step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.array_types import Bools, Floats, Ints, Shorts, index_kind
from zerokelvin.graph import Graph
from zerokelvin.jit import kernel

__all__ = ["WilsonSampler", "running_sums"]

UNSEEN, INSIDE = -1, -2
"""A node that no walk has met has UNSEEN for its last step, one of the tree INSIDE or less."""


class JunctionCore(NamedTuple):
    """The graph of junctions and chains that is left after stripping leaves.

    ``chains[starts[c]:starts[c + 1]]`` are the arcs of chain c. ``rows`` and ``heads`` are the CSR arrays of
    the junctions (by node index), with the chain of every entry in ``via`` and the running sum of weights
    within the row in ``sums``, which is empty where all weights are equal. In a graph without leaves and
    chains the entries are its arcs, and ``starts``, ``chains`` and ``via`` are empty.
    """

    starts: Ints
    chains: Ints
    rows: Shorts
    heads: Shorts
    via: Ints
    sums: Floats


@dataclass(frozen=True, eq=False)
class WilsonSampler:
    """A graph made ready for drawing spanning trees; `draw` gives one.

    Examples
    --------
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> WilsonSampler.of(square).draw(np.random.default_rng(0)).shape
    (3,)
    """

    graph: Graph
    whiskers: Ints
    core: JunctionCore
    order: Ints

    @classmethod
    def of(cls, graph: Graph) -> WilsonSampler:
        """Strip leaves and join chains; done once for any number of trees."""
        graph.require_positive("a random spanning tree")
        degree, nothing = np.diff(graph.indptr), np.zeros(0, dtype=np.int64)
        if not ((degree == 1) | (degree == 2)).any():
            core = _core_of(nothing, nothing, graph.indptr, graph.indices, nothing, graph.weights)
            return cls(graph, nothing, core, _roots_first(degree, graph.components))
        reverse = np.argsort(graph.indices, kind="stable")
        stripped = _stripped(graph)
        starts, chains, ends = _chains(graph, reverse, stripped.alive)
        resistance = np.add.reduceat(1.0 / graph.weights[chains], starts[:-1]) if len(chains) else np.zeros(0)
        proper = np.flatnonzero(ends[:, 0] != ends[:, 1])  # a chain back to its own junction is never used
        tails = np.concatenate([ends[proper, 0], ends[proper, 1]])
        heads = np.concatenate([ends[proper, 1], ends[proper, 0]])
        via = np.concatenate([proper, proper])
        by_tail = np.argsort(tails, kind="stable")
        rows = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=graph.num_nodes))])
        core = _core_of(starts, chains, rows, heads[by_tail], via[by_tail], 1.0 / resistance[via[by_tail]])
        return cls(graph, stripped.whiskers, core, _roots_first(np.diff(rows), graph.components))

    def draw(self, rng: np.random.Generator) -> Ints:
        """One spanning tree (forest), as positions of its edges in the graph's CSR arrays."""
        core, graph = self.core, self.graph
        step = np.full(graph.num_nodes, UNSEEN, dtype=core.rows.dtype)
        begun = np.zeros(graph.num_components, dtype=np.bool_)
        _walk(core, self.order, graph.components, rng, WalkMarks(begun, step))
        taken = INSIDE - step[step <= INSIDE].astype(np.int64)
        taken = taken[taken < len(core.heads)]
        if len(core.starts) == 0:
            return np.concatenate([self.whiskers, taken])
        used, kept = (
            np.zeros(len(core.starts) - 1, dtype=np.bool_),
            np.empty(len(core.chains), dtype=np.int64),
        )
        used[core.via[taken]] = True
        count = _expand(core.starts, core.chains, used, graph.weights, rng, kept)
        return np.concatenate([self.whiskers, kept[:count]])


class Stripped(NamedTuple):
    """A graph without leaves: which nodes remain, and the arcs by which the others hung."""

    alive: Bools
    whiskers: Ints


class Chains(NamedTuple):
    """Chains between junctions: ``arcs[starts[c] : starts[c + 1]]`` lead from ends[c, 0] to ends[c, 1]."""

    starts: Ints
    arcs: Ints
    ends: Ints


class WalkMarks(NamedTuple):
    """Which components have a root, and the last step of every node: UNSEEN, an entry, or INSIDE − entry."""

    begun: Bools
    step: Shorts


def _core_of(starts: Ints, chains: Ints, rows: Ints, heads: Ints, via: Ints, weights: Floats) -> JunctionCore:
    """A core in as few bits as hold its numbers."""
    kind: Any = index_kind(len(heads) - INSIDE)
    even = len(weights) == 0 or bool((weights == weights[0]).all())
    sums = np.zeros(0) if even else running_sums(rows.astype(np.int64), np.ascontiguousarray(weights))
    return JunctionCore(starts, chains, rows.astype(kind), heads.astype(kind), via, sums)


def _roots_first(degree: Ints, component: Ints) -> Ints:
    """Where walks begin: in every component where most neighbours are, for a root that is met soon; then all.

    In which order they begin changes neither the law of the tree nor the mean number of steps (Wilson 1996).
    """
    junctions = np.flatnonzero(degree > 0)
    if len(junctions) and component.max() == 0:
        return np.concatenate([junctions[np.argmax(degree[junctions])][None], junctions])
    ranked = junctions[np.argsort(-degree[junctions], kind="stable")]
    _, first = np.unique(component[ranked], return_index=True)
    return np.concatenate([ranked[first], junctions])


def running_sums(rows: Ints, weights: Floats) -> Floats:
    """Sums of the weights up to and including every entry, within its row."""
    sums = np.full(len(weights), np.nan)
    _add_up(rows, weights, sums)
    return sums


def _stripped(graph: Graph) -> Stripped:
    """What is left of a graph whose leaves are removed until none is left."""
    alive = np.ones(graph.num_nodes, dtype=np.bool_)
    found = np.empty(graph.num_nodes, dtype=np.int64)
    count = _strip(graph.indptr, graph.indices, np.diff(graph.indptr), alive, found)
    return Stripped(alive, found[:count].copy())


def _chains(graph: Graph, reverse: Ints, alive: Bools) -> Chains:
    """The chains between the junctions of what is alive; `reverse` is the opposite arc of each."""
    degree, done = np.zeros(graph.num_nodes, dtype=np.int64), np.zeros(len(graph.indices), dtype=np.bool_)
    most = len(graph.indices) // 2
    starts, arcs = np.zeros(most + 1, dtype=np.int64), np.empty(most, dtype=np.int64)
    ends = np.empty((most, 2), dtype=np.int64)
    found = Chains(starts, arcs, ends)
    count, filled = _trace(graph.indptr, graph.indices, reverse, alive, degree, done, found)
    return Chains(starts[: count + 1].copy(), arcs[:filled].copy(), ends[:count].copy())


# the kernels below fill arrays that are made by NumPy: to make them here would take longer to compile


@kernel
def _strip(indptr: Ints, indices: Ints, degree: Ints, alive: Bools, found: Ints) -> int:
    """Remove leaves from `alive` until none is left, and write their arcs to `found`; how many they are."""
    n = len(alive)
    count = 0
    for leaf in range(n):
        node = leaf
        while alive[node] and degree[node] == 1:
            alive[node] = False
            for arc in range(indptr[node], indptr[node + 1]):
                if alive[indices[arc]]:
                    found[count] = arc
                    count += 1
                    node = indices[arc]
                    degree[node] -= 1
                    break
    for node in range(n):
        if alive[node] and degree[node] == 0:
            alive[node] = False  # the last node of a tree
    return count


@kernel
def _trace(
    indptr: Ints, indices: Ints, reverse: Ints, alive: Bools, degree: Ints, done: Bools, found: Chains
) -> tuple[int, int]:
    """Fill in the chains of what is alive; how many there are, and how many arcs they have."""
    n = len(alive)
    starts, chains, ends = found
    for node in range(n):
        if alive[node]:
            for arc in range(indptr[node], indptr[node + 1]):
                degree[node] += alive[indices[arc]]
    filled = count = 0
    for lonely in range(2):  # second pass: a cycle without junction takes its lowest node as one
        for first in range(n):
            if not alive[first] or (degree[first] == 2) != (lonely == 1):
                continue
            for out in range(indptr[first], indptr[first + 1]):
                if done[out] or not alive[indices[out]]:
                    continue
                # follow the chain to its next junction, or round to where it began
                arc, node = out, indices[out]
                chains[filled] = arc
                filled += 1
                while degree[node] == 2 and node != first:
                    back = reverse[arc]
                    done[arc] = done[back] = True
                    for step in range(indptr[node], indptr[node + 1]):
                        if step != back and alive[indices[step]]:
                            arc = step
                            break
                    node = indices[arc]
                    chains[filled] = arc
                    filled += 1
                done[arc] = done[reverse[arc]] = True
                done[out] = done[reverse[out]] = True
                ends[count, 0], ends[count, 1] = first, node
                count += 1
                starts[count] = filled
    return count, filled


@kernel
def _add_up(rows: Ints, weights: Floats, sums: Floats) -> None:
    """Fill in the sums of the weights up to and including every entry, within its row."""
    for node in range(len(rows) - 1):
        total = 0.0
        for at in range(rows[node], rows[node + 1]):
            total += weights[at]
            sums[at] = total


@kernel
def _walk(
    core: JunctionCore, order: Ints, component: Ints, rng: np.random.Generator, marks: WalkMarks
) -> None:
    """Wilson's algorithm on the junctions: fills in the entry by which each leaves, as INSIDE − entry.

    That of a root is the number of entries.
    """
    rows, heads, sums = core.rows, core.heads, core.sums
    begun, step = marks.begun, marks.step
    for first in order:
        if not begun[component[first]]:
            begun[component[first]] = True
            step[first] = INSIDE - len(heads)
        # a random walk until it meets the tree; of every node its last step is kept
        node = first
        while step[node] > INSIDE:
            low, high = int(rows[node]), int(rows[node + 1])
            if len(sums) == 0:
                low += int(rng.random() * (high - low))
            else:
                high -= 1
                aim = rng.random() * sums[high]
                while low < high:
                    middle = (low + high) // 2
                    if sums[middle] > aim:
                        high = middle
                    else:
                        low = middle + 1
            step[node] = low
            node = heads[low]
        # the last steps, from the start on, are the walk without its loops
        node = first
        while step[node] > INSIDE:
            entry = step[node]
            step[node] = INSIDE - entry
            node = heads[entry]


@kernel
def _expand(
    starts: Ints, chains: Ints, used: Bools, weights: Floats, rng: np.random.Generator, kept: Ints
) -> int:
    """Write the arcs of all chains to `kept`, less one of every chain that is not used; how many they are."""
    count = 0
    for chain in range(len(used)):
        first, last = starts[chain], starts[chain + 1]
        missing = -1
        if not used[chain]:
            missing = last - 1
            if last - first > 1:
                total = 0.0
                for at in range(first, last):
                    total += 1.0 / weights[chains[at]]
                aim = rng.random() * total
                for at in range(first, last):
                    aim -= 1.0 / weights[chains[at]]
                    if aim < 0:
                        missing = at
                        break
        for at in range(first, last):
            if at != missing:
                kept[count] = chains[at]
                count += 1
    return count
