"""Zero-temperature prediction by definition, single games on acyclic graphs, and their worst cases."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from naive.flow import naive_structure, path_lengths
from zerokelvin.graph import Graph


def predictions(case, labels, strategy):
    """The predicted label of every node, 0 in a component without labels, from the list of all minimum cuts.

    `labels` maps node to 0/1 and holds at least one label.
    """
    _, cuts, classes, place, arcs = naive_structure(case.n, case.edges, case.costs, labels)
    free = unlabelled(case, labels)
    out = []
    lengths = (
        None if strategy == "zero-ising" else path_lengths(place, classes, arcs, strategy == "longest-path")
    )
    for v in range(case.n):
        if v in free:
            out.append(0)
        elif place[v]:
            out.append(place[v])
        elif strategy == "zero-ising":
            out.append(1 if 2 * int(cuts[:, v].sum()) > len(cuts) else -1)
        else:
            start, end = lengths[v]
            out.append(-1 if start <= end else 1)
    return out


def unlabelled(case, labels):
    """Nodes from which no label can be reached."""
    near = {v: set() for v in range(case.n)}
    for a, b in case.edges:
        near[a].add(b)
        near[b].add(a)
    reached, stack = set(labels), list(labels)
    while stack:
        for w in near[stack.pop()] - reached:
            reached.add(w)
            stack.append(w)
    return set(range(case.n)) - reached


def flow_dag(rng, inner, paths):
    """A graph whose Picard–Queyranne graph is itself: edge-disjoint paths from 0 to the last node.

    Inner nodes are numbered along the paths and each lies on one at least. Returns the graph and the arcs,
    each as often as paths use it.
    """
    last = inner + 1
    routes = [
        sorted(rng.choice(np.arange(1, last), rng.integers(1, inner + 1), replace=False))
        for _ in range(paths)
    ]
    for v in set(range(1, last)) - {int(v) for route in routes for v in route}:
        route = routes[rng.integers(paths)]
        route.append(v)
        route.sort()
    arcs = [(int(a), int(b)) for route in routes for a, b in zip([0, *route], [*route, last], strict=True)]
    return Graph.from_edges(arcs, num_nodes=last + 1), arcs


def path_covers(arcs, last):
    """Every partition of the arcs, a list with repeats, into paths from 0 to `last`, as sorted tuples."""

    @cache
    def covers(left):
        if not left:
            return frozenset([()])
        found = set()
        for path in _paths(left, 0, last):
            if path[0] != left[0]:  # the first arc left leaves 0: some path must take it
                continue
            rest = list(left)
            for arc in path:
                rest.remove(arc)
            found |= {tuple(sorted((path, *others))) for others in covers(tuple(rest))}
        return frozenset(found)

    return covers(tuple(sorted(arcs)))


def _paths(arcs, start, last):
    if start == last:
        return [()]
    steps = sorted({arc for arc in arcs if arc[0] == start})
    return [(step, *rest) for step in steps for rest in _paths(arcs, step[1], last)]


def log_lengths(cover, rounded):
    """Σ log₂|p_i| over a cover, each rounded down or not."""
    return sum(len(path).bit_length() - 1 if rounded else math.log2(len(path)) for path in cover)


def worst_case(learner, graph, first):
    """Most mistakes an adversary gets out of a learner in one game, by trying every reply to every label.

    `first` are the labels (node, ±1) the game begins with; no label may raise the minimum cut. What a
    state predicts in one game depends on the sides alone, so each is visited once.
    """
    memo = {}
    prepared = learner.prepare(graph)

    def most(labels):
        state = learner.start(graph, prepared)
        for node, y in labels:
            state.update(node, y)
        sides = state.cut.sides
        key = sides.tobytes()
        if key not in memo:
            best = 0
            for node in np.flatnonzero(sides == 0).tolist():
                guess = 1 if state.margin(node) >= 0 else -1
                best = max(best, 1 + most([*labels, (node, -guess)]), most([*labels, (node, guess)]))
            memo[key] = best
        return memo[key]

    return most(list(first))
