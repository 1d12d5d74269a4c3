"""The perceptron by definition: the kernel by pseudo-inverse, w as a sum over the mistakes."""

import numpy as np


def kernel(graph, b, c):
    """Eq. (10): G⁺ + b·11ᵀ + c·I."""
    n = graph.num_nodes
    return np.linalg.pinv(graph.laplacian().toarray()) + b * np.ones((n, n)) + c * np.eye(n)


def play(graph, trials, b=1.0, c=0.0):
    """Fig. 1; the margins before each trial and the mistaken trials."""
    matrix = kernel(graph, b, c)
    margins, mistakes = [], []
    for t, (node, label) in enumerate(trials):
        margin = sum(trials[s][1] * matrix[trials[s][0], node] for s in mistakes)
        margins.append(margin)
        if (1 if margin >= 0 else -1) != label:
            mistakes.append(t)
    return np.array(margins), mistakes
