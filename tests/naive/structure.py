"""Graphs as dicts of dicts, and structural quantities straight from their definitions."""

from __future__ import annotations

import itertools
import math


def merge(triples, count):
    """Node -> neighbour -> weight, by the rules of the graph: no loops, sums, no zeros."""
    table = {node: {} for node in range(count)}
    for u, v, w in triples:
        if u != v:
            table[u][v] = table[u].get(v, 0.0) + w
            table[v][u] = table[u][v]
    return {u: {v: w for v, w in row.items() if w != 0} for u, row in table.items()}


def components(table):
    """Lists of nodes, by flooding, ordered by their lowest node."""
    left, found = set(table), []
    while left:
        part, front = set(), [min(left)]
        while front:
            node = front.pop()
            if node not in part:
                part.add(node)
                front.extend(table[node])
        left -= part
        found.append(sorted(part))
    return found


def cut(table, labels):
    return sum(w for u in table for v, w in table[u].items() if u < v and labels[u] != labels[v])


def distances(table):
    """All geodesic distances with lengths 1/w, by Floyd and Warshall."""
    d = {(u, v): math.inf for u in table for v in table}
    for u in table:
        d[u, u] = 0.0
        for v, w in table[u].items():
            d[u, v] = 1 / w
    for k, i, j in itertools.product(table, table, table):
        d[i, j] = min(d[i, j], d[i, k] + d[k, j])
    return d


def nearest(points, k):
    """For every point the k others by (distance, index)."""
    ranked = []
    for i, p in enumerate(points):
        others = sorted((math.dist(p, q), j) for j, q in enumerate(points) if j != i)
        ranked.append([j for _, j in others[:k]])
    return ranked
