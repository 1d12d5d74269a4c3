"""The perceptron by definition: the kernel by pseudo-inverse, w as a sum over the mistakes."""

import itertools

import numpy as np

from zerokelvin.graph import cut, label_balance


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


def all_labelings(count):
    """Every labelling in {-1, +1}^count."""
    return [np.array(signs) for signs in itertools.product([-1, 1], repeat=count)]


def lemma_4_1(graph, u, other, b, c):
    """Eq. (12): 4Φ(u') + β/b + 4k/c."""
    return 4 * cut(graph, other) + label_balance(other) / b + 4 * int((u != other).sum()) / c
