"""Attributes drawn at random for the nodes of labelled graphs, which tell the classes or say nothing."""

from __future__ import annotations

import numpy as np

__all__ = ["KINDS", "draw_attributes"]

KINDS = 4


def draw_attributes(labels, kind, rng):
    """Attributes of every node: normal columns, a town, columns that say nothing, or words, by number."""
    names, codes = np.unique(labels, return_inverse=True)
    count, classes = len(codes), len(names)
    if kind == 0:  # the mean of a column differs by class, a little or much
        columns, scale = int(rng.integers(2, 31)), np.exp(rng.uniform(np.log(0.1), np.log(2.0)))
        centres = scale * rng.normal(size=(classes, columns))
        return rng.normal(size=(count, columns)) + centres[codes]
    if kind == 1:  # the town of the class, for a share of the nodes, and in three of ten draws for all
        right = rng.uniform(0.2, 1.0) if rng.random() < 0.7 else 1.0
        towns = np.where(rng.random(count) < right, codes, rng.integers(0, classes, count))
        return {"town": [f"town {town}" for town in towns]}
    if kind == 2:
        return rng.normal(size=(count, int(rng.integers(2, 31))))
    words = int(rng.integers(20, 200))  # of which a class has some more often; in four of ten draws of others
    often = np.exp(rng.uniform(0.2, 1.5) * rng.normal(size=(classes, words)))
    often = np.minimum(0.9, often * rng.uniform(2, 10) / words)
    rows = (rng.random((count, words)) < often[codes]).astype(float)
    return rows if rng.random() < 0.6 else rows[rng.permutation(count)]
