"""Online ridge regression by definition: one dense solve per trial."""

import numpy as np

from naive.learners.propagation import leads


def posterior(matrix, trials, classes, mu, node):
    """Values of all classes and the variance at a node, given the trials (node, code)."""
    if not trials:
        return np.zeros(classes), matrix[node, node]
    seen = [i for i, _ in trials]
    targets = np.array([[float(c == k) for k in range(classes)] for _, c in trials])
    inverse = np.linalg.inv(matrix[np.ix_(seen, seen)] + mu * np.eye(len(seen)))
    row = matrix[node, seen]
    return row @ inverse @ targets, matrix[node, node] - row @ inverse @ row


def play(matrix, trials, classes, mu):
    """Leads and variances before each trial."""
    values = [posterior(matrix, trials[:t], classes, mu, node) for t, (node, _) in enumerate(trials)]
    return np.array([leads(list(v)) for v, _ in values]), np.array([s for _, s in values])
