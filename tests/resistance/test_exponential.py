"""Potentials of exponential graphs against an elimination of their own for every pair."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive import exponential as naive
from zerokelvin.graph import exponential_graph
from zerokelvin.resistance.exponential_resistance import eliminate


def points_of(seed):
    """Points at random, on a line over four orders of magnitude, on a grid (many ties), in tight clusters."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(5, 36))
    kind = seed % 4
    if kind == 0:
        points = rng.normal(size=(count, 2))
    elif kind == 1:
        points = rng.normal(size=(count, 1)) * 10.0 ** rng.uniform(-3, 1, (count, 1))
    elif kind == 2:
        points = np.unique(rng.integers(0, 5, (count, 2)), axis=0).astype(float)
    else:
        points = 3 * rng.normal(size=(4, 2))[rng.integers(0, 4, count)] + 0.05 * rng.normal(size=(count, 2))
    return points, np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2)), rng


@pytest.mark.kernels
@pytest.mark.parametrize("a", [1.0, 30.0, 400.0])
def test_potentials_equal_an_elimination_per_pair(a):
    for seed in range(24):
        points, distances, rng = points_of(seed)
        found = eliminate(exponential_graph(points, a))
        for _ in range(4):
            i, j = rng.choice(len(points), 2, replace=False).tolist()
            wanted = naive.potential(distances, a, i, j)
            np.testing.assert_allclose(found.potential(i, j), wanted, atol=1e-11)
            np.testing.assert_allclose(found.potential(j, i), 1 - wanted, atol=1e-11)


@pytest.mark.kernels
def test_the_limit_equals_a_very_large_scale():
    for seed in range(40):
        points, distances, rng = points_of(4 * seed + 2 * (seed % 2))  # no two nearly equal distances
        found = eliminate(exponential_graph(points, math.inf))
        for _ in range(4):
            i, j = rng.choice(len(points), 2, replace=False).tolist()
            np.testing.assert_allclose(
                found.potential(i, j), naive.potential(distances, 1e6, i, j), atol=1e-6
            )


def test_potentials_of_another_component_are_zero():
    distances = np.full((5, 5), np.inf)
    distances[:3, :3] = [[0, 1, 3], [1, 0, 2], [3, 2, 0]]
    distances[3:, 3:] = [[0, 1], [1, 0]]
    for a in (50.0, math.inf):
        found = eliminate(exponential_graph(distances, a, metric="precomputed"))
        assert found.potential(0, 2)[3:].tolist() == [0.0, 0.0]
        assert found.potential(4, 3).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
        assert np.isinf(found.resistances[0][0, 3:]).all()
