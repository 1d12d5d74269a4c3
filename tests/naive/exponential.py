"""Potentials of the exponential embedding by eliminating every vertex but the two that are held."""

from __future__ import annotations

import numpy as np


def potential(distances, a, node, other):
    """The potential of every vertex with `node` at 1 and `other` at 0, for a finite scale a."""
    count = len(distances)
    order = [v for v in range(count) if v not in (node, other)]
    logs = -a * np.asarray(distances, dtype=np.float64)
    np.fill_diagonal(logs, -np.inf)
    chances = {}
    for k in order:
        total = np.logaddexp.reduce(logs[k])
        chances[k] = np.exp(logs[k] - total)
        logs = np.logaddexp(logs, logs[:, k, None] + logs[k] - total)
        logs[k] = logs[:, k] = -np.inf
        np.fill_diagonal(logs, -np.inf)
    result = np.zeros(count)
    result[node] = 1.0
    for k in reversed(order):
        result[k] = chances[k] @ result
    return result
