"""Minimum p-seminorm interpolation by definition: dense systems for p = 2, a generic optimiser otherwise."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def harmonic(graph, labels):
    """p = 2: solve the Laplacian's unlabelled rows; NaN where no label is reached."""
    laplacian = graph.laplacian().toarray()
    f = np.full(graph.num_nodes, np.nan)
    for part in range(graph.num_components):
        nodes = np.flatnonzero(graph.components == part)
        known = [i for i in nodes if i in labels]
        free = [i for i in nodes if i not in labels]
        for i in known:
            f[i] = labels[i]
        if known and free:
            right = -laplacian[np.ix_(free, known)] @ np.array([labels[i] for i in known], dtype=float)
            f[free] = np.linalg.solve(laplacian[np.ix_(free, free)], right)
    return f


def energy(graph, f, p):
    """(1/p) Σ w |f_i − f_j|^p."""
    i, j = graph.edges.T
    return float((graph.edge_weights * np.abs(f[i] - f[j]) ** p).sum() / p)


def minimum(graph, labels, p):
    """The smallest energy on a connected graph, by a quasi-Newton method from several starts."""
    free = np.array([i for i in range(graph.num_nodes) if i not in labels])
    f = np.zeros(graph.num_nodes)
    for i, y in labels.items():
        f[i] = y
    if len(free) == 0:
        return energy(graph, f, p)

    def value(x):
        f[free] = x
        return energy(graph, f, p)

    starts = [harmonic(graph, labels)[free], np.zeros(len(free))]
    return min(
        minimize(value, x, method="L-BFGS-B", options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 10_000}).fun
        for x in starts
    )
