"""Minimum cuts by definition: every labelling of a small graph, written out."""

from __future__ import annotations

import numpy as np


def all_labelings(n):
    """Every u in {0, 1}^n as rows."""
    return (np.arange(2**n)[:, None] >> np.arange(n)) & 1


def all_minimum_cuts(n, edges, weights, labels):
    """Value and rows u in {0, 1}^n of all minimum cuts; `labels` maps index to 0/1."""
    every = all_labelings(n)
    for node, y in labels.items():
        every = every[every[:, node] == y]
    edges = np.asarray(edges, dtype=int).reshape(-1, 2)
    cuts = (every[:, edges[:, 0]] != every[:, edges[:, 1]]) @ np.asarray(weights)
    return cuts.min(), every[cuts == cuts.min()]


def naive_structure(n, edges, weights, labels):
    """Definition 1 from the list of all minimum cuts.

    Returns value, cuts, the class of every node (numbered by lowest node), whether every node lies in
    the source (−1), the target (+1) or neither (0), and the set of arcs (I, J) between classes: an
    edge between two classes is oriented I → J when no minimum cut has u_I = 1 and u_J = 0.
    """
    value, cuts = all_minimum_cuts(n, edges, weights, labels)
    zero, one = (cuts == 0).all(axis=0), (cuts == 1).all(axis=0)
    place = [-1 if zero[i] else 1 if one[i] else 0 for i in range(n)]
    columns = {}
    classes = []
    for i in range(n):
        key = (place[i],) if place[i] else (0, cuts[:, i].tobytes())
        classes.append(columns.setdefault(key, len(columns)))
    arcs = set()
    for i, j in np.asarray(edges, dtype=int).reshape(-1, 2):
        for a, b in ((i, j), (j, i)):
            if classes[a] != classes[b] and not ((cuts[:, a] == 1) & (cuts[:, b] == 0)).any():
                arcs.add((classes[a], classes[b]))
    return value, cuts, classes, place, arcs


def path_lengths(place, classes, arcs, longest):
    """Longest or shortest path lengths from the source to, and from, every inner class, by recursion.

    Returns node-indexed lists of (from source, to target), −1 where there is no path.
    """
    source = {c for c, p in zip(classes, place, strict=True) if p == -1}
    target = {c for c, p in zip(classes, place, strict=True) if p == 1}
    best = max if longest else min

    def walk(c, goal, step):
        if c in goal:
            return 0
        found = [walk(d, goal, step) for d in step.get(c, ())]
        found = [x for x in found if x >= 0]
        return 1 + best(found) if found else -1

    back, forth = {}, {}
    for a, b in arcs:
        back.setdefault(b, []).append(a)
        forth.setdefault(a, []).append(b)
    return [(walk(c, source, back), walk(c, target, forth)) for c in classes]
