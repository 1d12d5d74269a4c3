"""Covering numbers by definition: every family of sets of small diameter, tried in order of size."""

from __future__ import annotations

import itertools

import numpy as np


def covering_number(distances, rho):
    """The fewest subsets of diameter at most rho whose union is everything."""
    count = len(distances)
    small = [
        frozenset(chosen)
        for size in range(1, count + 1)
        for chosen in itertools.combinations(range(count), size)
        if all(distances[i][j] <= rho for i in chosen for j in chosen)
    ]
    maximal = [s for s in small if not any(s < t for t in small)]
    for size in range(1, count + 1):
        for family in itertools.combinations(maximal, size):
            if len(frozenset().union(*family)) == count:
                return size
    raise AssertionError("single points always cover")


def component_covering_number(distances, rho):
    """Components of "there is a path of steps of at most rho", by walking."""
    left, components = set(range(len(distances))), 0
    while left:
        components += 1
        walk = [left.pop()]
        while walk:
            i = walk.pop()
            step = {j for j in left if distances[i][j] <= rho}
            left -= step
            walk.extend(step)
    return components


def separating(distances, labels, number):
    """The least number over every ρ in (0, δ): between two distances nothing changes, so try them all."""
    differ = [
        distances[i][j] for i in range(len(labels)) for j in range(len(labels)) if labels[i] != labels[j]
    ]
    delta = min(differ, default=np.inf)
    if delta == 0:
        return np.inf
    tried = [rho for rho in np.unique(distances) if rho < delta]
    return min(number(distances, rho) for rho in tried)
