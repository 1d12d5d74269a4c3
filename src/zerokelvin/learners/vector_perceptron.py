"""The perceptron on feature vectors, those of a table and new ones.

On the rows of a table it is the kernel perceptron as on a graph: margins of all rows are kept, and a mistake
adds a kernel column. A vector from outside the table has the margin Σ y_t (K(x_t, x) + b) over the mistakes,
and a mistake on it adds its kernel values to all rows. It counts as a point of its own: the identity part
c·I of the kernel joins no two of them.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from zerokelvin.certify import Assumption, Bound
from zerokelvin.graph.features import Features
from zerokelvin.learners.base import sign
from zerokelvin.learners.instances import is_vector
from zerokelvin.learners.perceptron import Perceptron, PerceptronState
from zerokelvin.linalg.kernels import KernelColumns

__all__ = ["VectorPerceptronState"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class VectorPerceptronState(PerceptronState):
    """One binary problem over a table of features; `strangers` are mistaken vectors from outside it."""

    fields: ClassVar[tuple[str, ...]] = (*PerceptronState.fields, "strangers", "stranger_labels")

    def __init__(self, features: Features, columns: KernelColumns, learner: Perceptron) -> None:
        super().__init__(features, columns, learner)
        self.features = features
        self.strangers: list[list[float]] = []
        self.stranger_labels: list[int] = []

    def margin(self, node: Any) -> float:
        """The weight of a row, or Σ y_t (K(x_t, x) + b) for a new vector."""
        return self._outside(self.features.vector(node)) if is_vector(node) else super().margin(node)

    def update(self, node: Any, label: int) -> None:
        """Add y K x if the prediction for the row or the vector is wrong."""
        if not is_vector(node):
            super().update(node, label)
            return
        x = self.features.vector(node)
        if sign(self._outside(x)) == label:
            return
        self.w += label * (self.features.cross(self.features.X, x) + self.learner.b)
        self.strangers.append(x.tolist())
        self.stranger_labels.append(int(label))
        norm = float(self.features.cross(x[None, :], x)[0])
        self.radius = max(self.radius, norm + self.learner.b + self.learner.c)

    def bound(self, labels: Ints, theorem: str = "2.1") -> Bound:
        """The bound of the table's rows; vectors from outside it have no comparator there."""
        bound = super().bound(labels, theorem)
        known = Assumption("every vector is a row of the table", not self.strangers)
        return dataclasses.replace(bound, assumptions=(*bound.assumptions, known))

    def _outside(self, x: Floats) -> float:
        rows = np.array([*self.features.X[self.mistaken_nodes], *np.array(self.strangers)])
        signs = np.array([*self.mistaken_labels, *self.stranger_labels], dtype=np.float64)
        if len(signs) == 0:
            return 0.0
        return float(signs @ (self.features.cross(rows, x) + self.learner.b))
