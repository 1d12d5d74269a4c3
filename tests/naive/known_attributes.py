"""Regression on attributes by its definition: dense kernels, one solve per trial."""

import numpy as np

__all__ = ["averaged_rows", "joined_means", "joined_rows", "online_means"]


def averaged_rows(graph, rows, restart):
    """Personalised PageRank of the attributes by a dense inverse, rows of length 1 or 0."""
    degrees = np.where(graph.degrees > 0, graph.degrees, 1.0)
    walk = graph.adjacency.toarray() / np.sqrt(np.outer(degrees, degrees))
    total = restart * np.linalg.solve(np.eye(len(rows)) - (1 - restart) * walk, rows)
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    return total / np.where(lengths > 0, lengths, 1.0)


def online_means(rows, order, codes, classes, mu):
    """The means of kernel regression before every trial, (trials, classes)."""
    return _kernel_means(rows @ rows.T, order, codes, classes, mu)


def joined_rows(rows, count):
    """The adjacency of the graph that joins every row to the `count` of largest cosine, either way."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    cosines = (rows / lengths) @ (rows / lengths).T
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1)[:, :count]
    joined = np.zeros(cosines.shape)
    np.put_along_axis(joined, nearest, 1.0, axis=1)
    return np.maximum(joined, joined.T)


def joined_means(joined, order, codes, classes, ridge, mu):
    """Kernel regression on (L + ridge I)⁻¹ of a graph whose weights are scaled to mean degree 4."""
    scaled = joined * 4.0 / joined.sum(axis=1).mean()
    laplacian = np.diag(scaled.sum(axis=1)) - scaled
    return _kernel_means(np.linalg.inv(laplacian + ridge * np.eye(len(joined))), order, codes, classes, mu)


def _kernel_means(kernel, order, codes, classes, mu):
    found = np.zeros((len(order), classes))
    for t in range(1, len(order)):
        seen = order[:t]
        wanted = np.eye(classes)[codes[:t]]
        weights = np.linalg.solve(kernel[np.ix_(seen, seen)] + mu * np.eye(t), wanted)
        found[t] = kernel[order[t], seen] @ weights
    return found
