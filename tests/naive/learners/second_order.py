"""The second-order perceptron and its relatives by definition: dense inverses, everything recomputed."""

import numpy as np


def sign(score):
    return 1 if score >= 0 else -1


class SecondOrder:
    """Figures 3.1, 4.1 and 4.2 on explicit vectors. `a` is a number, or a function of k, or None for pinv."""

    def __init__(self, a, dimension, forward=True):
        self.a = a if callable(a) or a is None else (lambda _: a)
        self.forward = forward
        self.columns = []
        self.v = np.zeros(dimension)

    def matrix(self, extra=()):
        rows = [*self.columns, *extra]
        total = sum((np.outer(x, x) for x in rows), np.zeros((len(self.v), len(self.v))))
        if self.a is not None:
            total = total + self.a(len(self.columns) + 1) * np.eye(len(self.v))
        return total

    def score(self, x):
        matrix = self.matrix([x] if self.forward else [])
        inverse = (
            np.linalg.pinv(matrix, rcond=1e-9, hermitian=True) if self.a is None else np.linalg.inv(matrix)
        )
        return float(self.v @ inverse @ x)

    def update(self, x, label):
        if sign(self.score(x)) != label and np.any(x):
            self.v = self.v + label * x
            self.columns.append(x)
            return True
        return False


def whitened_rows(rows):
    """M^(−1/2)x for all rows, with the pseudo-inverse root."""
    values, vectors = np.linalg.eigh(rows.T @ rows)
    kept = values > 1e-10 * max(values.max(), 1e-300)
    return rows @ (vectors[:, kept] / np.sqrt(values[kept])) @ vectors[:, kept].T


def perceptron_scores(rows, trials):
    """Margins before each trial of the plain perceptron on explicit vectors."""
    w = np.zeros(rows.shape[1])
    scores = []
    for node, label in trials:
        scores.append(float(w @ rows[node]))
        if sign(scores[-1]) != label:
            w = w + label * rows[node]
    return scores


def hinge_bound(scores, spectral):
    """inf over a fine grid of γ of (D_γ + S)/γ for one comparator; an upper bound on the exact infimum."""
    grid = np.concatenate([np.geomspace(1e-6, 1e6, 4001), scores[scores > 0]])
    values = [(np.maximum(0, g - scores).sum() + spectral) / g for g in grid]
    return min(*values, float(len(scores)))
