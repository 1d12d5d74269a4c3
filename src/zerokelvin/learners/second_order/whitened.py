"""The whitened perceptron (Cesa-Bianchi, Conconi, Gentile 2005, section 2).

All instances are known beforehand, only the labels are hidden. With M = Σ x xᵀ over all of them, run the
perceptron on M^(−1/2)x. In coordinates, X = UΣVᵀ makes the rows of U the whitened instances; on a kernel,
K = UΛUᵀ does. Where M is singular, its pseudo-inverse is taken.

A kernel of full rank, like the whole Laplacian kernel of a graph, whitens to the identity: then nothing is
learnt about other nodes, and an embedding of low rank is what to use.

Bound: that of the perceptron in the whitened space, in the separable case eq. (2.1),
mistakes ≤ max_t (x_tᵀM⁺x_t)(uᵀMu)/γ².
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.linalg

from zerokelvin.array_types import Floats, Ints
from zerokelvin.bound import Bound
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base import sign
from zerokelvin.learners.base.ties import DEAD_ZONE, settled_dot
from zerokelvin.learners.ridge.comparators import best_margin, compare
from zerokelvin.learners.ridge.instances import Coordinates, KernelPoints
from zerokelvin.learners.ridge.trial_log import LoggedState
from zerokelvin.solve.dense import DENSE_LIMIT

__all__ = ["Whitened", "WhitenedState", "whiten"]


@dataclass(frozen=True, eq=False)
class Whitened(Coordinates):
    """Whitened rows of a table, and the map that whitens a new vector."""

    source: Coordinates | KernelPoints
    transform: Floats

    def vector(self, node: Any) -> Floats:
        """The whitened coordinates of a node index or of a new vector."""
        if isinstance(node, (int, np.integer)):
            return self.matrix[node]
        if isinstance(self.source, Coordinates):
            return self.source.vector(node) @ self.transform
        return self.source.cross(self.source.table, self.source.point(node)) @ self.transform


def whiten(source: Coordinates | KernelPoints) -> Whitened:
    """Whiten a table of coordinates or of kernel points."""
    if isinstance(source, Coordinates):
        left, values, right = scipy.linalg.svd(source.matrix, full_matrices=False)
        kept = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
        rows, transform = left[:, kept], right[kept].T / values[kept]
        return Whitened(np.ascontiguousarray(rows), source.features, source.b, source, transform)
    table = source.table
    if len(table) > DENSE_LIMIT:
        raise ParameterError(
            f"whitening a kernel of {len(table)} points needs a dense matrix; give a rank, "
            f"or take at most {DENSE_LIMIT} points."
        )
    values, vectors = scipy.linalg.eigh(source.gram(table))
    kept = values > 1e-10 * max(float(values.max(initial=0.0)), 1e-300)
    rows, transform = vectors[:, kept], vectors[:, kept] / values[kept]
    return Whitened(np.ascontiguousarray(rows), source.features, source.b, source, transform)


class WhitenedState(LoggedState):
    """One binary problem: a perceptron in the whitened space."""

    fields: ClassVar[tuple[str, ...]] = ("weights", *LoggedState.log)

    def __init__(self, source: Whitened) -> None:
        super().__init__()
        self.source = source
        self.weights = np.zeros(source.dimension)

    def margin(self, node: Any) -> float:
        """The inner product with the whitened instance."""
        return float(settled_dot(self.source.vector(node), self.weights))

    def update(self, node: Any, label: int) -> None:
        """Add y times the whitened instance if it was predicted wrong."""
        z = self.source.vector(node)
        learnt = bool(sign(float(settled_dot(z, self.weights))) != label and z.any())
        if learnt:
            self.weights += label * z
        self.note(node, label, learnt)

    def explain(self, node: Any) -> list[tuple[int, float]]:
        """Every learnt node with its share of the margin."""
        learnt = np.array(self.seen_learnt, dtype=np.bool_)
        rows = self.seen_points(self.source)[learnt]
        labels = np.array(self.seen_labels, dtype=np.float64)[learnt]
        return self.explain_from(rows @ self.source.vector(node), labels)

    def bound(self, labels: Ints) -> Bound:
        """The perceptron's bound in the whitened space against the best of several comparators."""
        view = compare(self, self.source, labels)
        squares = (view.rows[view.learnt] ** 2).sum(axis=1)
        tie = DEAD_ZONE * len(squares) * float(squares.max(initial=0.0))  # ‖z‖ ‖w‖ ≤ m max ‖z_t‖²
        reach = math.sqrt(float(squares.sum()) + 2.0 * len(squares) * tie)
        value, gamma, _ = best_margin(view.scores, np.full(view.scores.shape[1], reach))
        terms = {"√Σ‖z_t‖²": reach, "γ": gamma}
        theorem = "Theorem 3.1 as a → ∞ on whitened instances, Cesa-Bianchi, Conconi, Gentile 2005"
        return Bound(value, theorem, terms, ())
