"""Propagation by definition: kernels as dense inverses, votes as sums over all labels so far."""

import numpy as np
import scipy.linalg


def kernel(graph, name):
    """The matrix of a named kernel."""
    laplacian = graph.laplacian().toarray()
    if name.startswith("relative-"):
        name = name.removeprefix("relative-")
        laplacian *= 4 / laplacian.diagonal().mean() if graph.num_edges else 1.0
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    root = np.diag(1 / np.sqrt(degrees))
    kind, _, number = name.partition(":")
    value = float(number or 0)
    eye = np.eye(graph.num_nodes)
    if kind == "regularized":
        return np.linalg.inv(laplacian + value * eye)
    if kind == "normalized":
        return np.linalg.inv(root @ laplacian @ root + value * eye)
    if kind == "heat":
        return scipy.linalg.expm(-value * laplacian)
    if kind == "pagerank":
        walk = graph.adjacency.toarray() / degrees  # column-stochastic; a walk stays at a lonely node
        walk += np.diag((graph.degrees == 0).astype(float))
        return (1 - value) * np.linalg.inv(eye - value * walk)
    raise ValueError(name)


def leads(values):
    """Each class against its best rival; two classes are one problem."""
    if len(values) == 2:
        return [values[1] - values[0]]
    return [values[c] - max(v for k, v in enumerate(values) if k != c) for c in range(len(values))]


def play(matrix, trials, classes, b=0.0):
    """Leads before each trial (node, code) when every label is revealed after it."""
    found = []
    for t, (node, _) in enumerate(trials):
        values = [sum(matrix[node, i] + b for i, c in trials[:t] if c == k) for k in range(classes)]
        found.append(leads(values))
    return np.array(found, dtype=float)
