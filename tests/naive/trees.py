"""Trees by definition: small forests of many shapes, all spanning trees, predictions from all cuts."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np

from naive.flow import naive_structure, path_lengths
from zerokelvin.graph import Graph

SHAPES = ("random", "path", "star", "caterpillar", "binary", "spider", "whiskers")


def small_forest(rng, largest=9, weighted=None):
    """A forest of 1 to `largest` nodes of many shapes with integer weights, often all 1."""
    n = int(rng.integers(1, largest + 1))
    shape = SHAPES[rng.integers(len(SHAPES))]
    above = {
        "random": lambda i: int(rng.integers(0, i)),
        "path": lambda i: i - 1,
        "star": lambda i: 0,
        "caterpillar": lambda i: i - 1 if i % 2 else max(0, i - 2),
        "binary": lambda i: (i - 1) // 2,
        "spider": lambda i: max(0, i - 3),
        "whiskers": lambda i: i - 1 if i <= n // 2 else int(rng.integers(0, n // 2 + 1)),
    }[shape]
    edges = [(above(i), i) for i in range(1, n) if rng.random() > (0.15 if rng.random() < 0.3 else 0.0)]
    order = rng.permutation(n)
    edges = np.array([(order[u], order[v]) for u, v in edges], dtype=int).reshape(-1, 2)
    weighted = rng.random() < 0.5 if weighted is None else weighted
    weights = rng.choice([1, 2, 3, 4], len(edges)) if weighted else np.ones(len(edges), dtype=int)
    return Graph.from_edges(edges, weights, num_nodes=n)


def spanning_trees(graph):
    """Every spanning forest of a small graph as a set of rows of ``graph.edges``, with its weight."""
    size = graph.num_nodes - graph.num_components
    found = {}
    for rows in itertools.combinations(range(graph.num_edges), size):
        part = Graph.from_edges(graph.edges[list(rows)], num_nodes=graph.num_nodes)
        if part.num_components == graph.num_components:
            found[frozenset(rows)] = float(np.prod(graph.edge_weights[list(rows)]))
    return found


def branches(graph, labels, node):
    """The neighbours of a node behind which there are labelled nodes."""
    found = []
    for first in graph.neighbors(node).tolist():
        seen, stack = {node, first}, [first]
        while stack:
            at = stack.pop()
            fresh = [int(v) for v in graph.neighbors(at) if int(v) not in seen]
            seen.update(fresh)
            stack.extend(fresh)
        if any(v in labels for v in seen - {node}):
            found.append(first)
    return found


def predictions(graph, labels, strategy):
    """The sign predicted for every node, 0 in a component without labels; labels map index to ±1."""
    n = graph.num_nodes
    known = {node: (1 if y > 0 else 0) for node, y in labels.items()}
    weights = graph.edge_weights.astype(int)
    assert (weights == graph.edge_weights).all()
    _, _, classes, place, arcs = naive_structure(n, graph.edges, weights, known)
    reach = {v: branches(graph, labels, v) for v in range(n)}
    hull = [v in labels or len(reach[v]) >= 2 for v in range(n)]
    hinge = [v in labels or len(reach[v]) >= 3 for v in range(n)]
    lengths = path_lengths(place, classes, arcs, longest=True)
    answers = []
    for node in range(n):
        here, came = node, None
        while not hull[here] and reach[here]:
            here, came = next(v for v in reach[here] if v != came), here
        if not reach[here] and here not in labels:
            answers.append(0)
        elif here in labels:
            answers.append(labels[here])
        elif strategy == "longest-path":
            source, target = lengths[here]
            answers.append(place[here] or (-1 if source <= target else 1))
        elif hinge[here]:
            answers.append(place[here] or -1)
        else:
            ends = [_next_hinge(graph, reach, hinge, here, first) for first in reach[here]]
            answers.append(_nearer(ends, place, strategy))
    return answers


def _next_hinge(graph, reach, hinge, before, at):
    distance = Fraction(1, int(graph.weight(before, at)))
    while not hinge[at]:
        before, at = at, next(v for v in reach[at] if v != before)
        distance += Fraction(1, int(graph.weight(before, at)))
    return distance, at


def _nearer(ends, place, strategy):
    if strategy == "tree-opt":
        said = [(distance, place[at] or -1) for distance, at in ends]
    else:
        said = [(distance, place[at]) for distance, at in ends if place[at]]
    nearest = min((distance for distance, _ in said), default=None)
    signs = {sign for distance, sign in said if distance == nearest}
    return 1 if signs == {1} else -1


def spine_nearest(order, weights, labels):
    """Nearest labelled node along a spine by exact resistance; −1 on a tie, 0 without labels."""
    place = {int(node): i for i, node in enumerate(order)}
    answers = []
    for node in range(len(order)):
        best = {}
        for other, y in labels.items():
            a, b = sorted((place[node], place[other]))
            between = weights[a:b]
            if (between > 0).all():
                distance = sum((Fraction(1) / Fraction(float(w)) for w in between), Fraction(0))
                best[y] = min(best.get(y, distance), distance)
        minus, plus = best.get(-1), best.get(1)
        if minus is None and plus is None:
            answers.append(0)
        elif minus is None or plus is None:
            answers.append(1 if minus is None else -1)
        else:
            answers.append(-1 if minus <= plus else 1)
    return answers
