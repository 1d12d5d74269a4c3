"""Gaussian-process regression on feature vectors, those of a table and new ones.

The game of `gaussian` on `Features`, over the means and variances that
`zerokelvin.learners.gaussian.vector_covariance` gives for rows of the table and for any other vector.

Bound. A kernel such as the linear one follows few labellings exactly, so the comparator is not the labelling
u but a fit to it, f = K (K + μI)⁻¹ u over the points learnt (a vector from outside counts with its own
label). The identity of `learners.gaussian.gaussian` (Zhdanov and Kalnishkan 2013, Theorem 1) then gives

    mistakes ≤ (1 + X²/μ) (Σ_t (y_t − f(x_t))² + μ‖f‖²) / (1 − δ)²,

twice as many with more than two classes, whose one-hot targets are summed. Where no label contradicts u and
no point comes twice, this is the least such figure over all f in the kernel's space.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.value import label_value
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.graph.features import Features
from zerokelvin.learners.gaussian.exact_gaussian import ExactGame, comparators
from zerokelvin.learners.gaussian.vector_covariance import VectorCovariance
from zerokelvin.learners.ridge.instances import is_vector

__all__ = ["VectorGame", "with_kernel"]


class VectorGame(ExactGame):
    """A game over a table of features; every method takes a row's index or a vector.

    >>> table = Features([[0.0, 1.0], [1.0, 0.0]], kernel="gaussian:1")
    >>> game = VectorGame(VectorCovariance(table, 1, 0.1, 0.0))
    >>> game.learn(0, 1)
    >>> game.learn([2.0, 0.0], 0)
    >>> (game.scores([0, 1])[:, 0] > 0).tolist(), bool(game.score([2.0, 0.1])[0] > 0)
    ([True, False], False)
    """

    covariance: VectorCovariance

    def scores(self, nodes: Any) -> Floats:
        """The leads of rows, or of vectors."""
        if len(nodes) and is_vector(nodes[0]):
            return np.stack([self.score(node) for node in nodes])
        return super().scores(nodes)

    def variance(self, node: Any) -> float:
        """The predictive variance, its noise left out."""
        return max(self.covariance.variance(node), 0.0)

    def value(self, node: Any, waiting: NDArray[np.bool_]) -> float:
        """Influence over lead; that of a vector from outside is on the rows that wait."""
        if not is_vector(node):
            return super().value(node, waiting)
        column, spread = self.covariance.column_of(node), self.covariance.variance(node)
        influence = float(np.linalg.norm(column[: len(waiting)][waiting])) / (spread + self.covariance.mu)
        return label_value(influence, self.covariance.values(node))

    def explain(self, node: Any, column: int) -> list[tuple[int, float]]:
        """Every row labelled with the class or its best rival; vectors from outside have no name to show."""
        rows = self.covariance.table.features.num_nodes
        return [share for share in super().explain(node, column) if share[0] < rows]

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound of the module against one row of ±1 per problem; rows of unknown label hold 0."""
        covariance, table = self.covariance, self.covariance.table
        count = len(covariance.means)  # looking at the means learns what a game has left over
        told = np.eye(count)[:, covariance.codes]
        if len(labels) == 1:
            told = told[1:] - told[:1]
        places, first, trial = np.unique(
            np.array(covariance.nodes, dtype=np.int64), return_index=True, return_inverse=True
        )
        wanted, inside = told[:, first], places < table.features.num_nodes
        wanted[:, inside] = comparators(np.asarray(labels))[:, places[inside]]
        gram = table.gram(places) + covariance.b
        noisy = gram + covariance.mu * np.eye(len(gram))
        duals = scipy.linalg.solve(noisy, wanted.T, assume_a="sym") if len(gram) else wanted.T
        fit = (gram @ duals).T
        norm = float((fit * duals.T).sum())
        loss = float(((told - fit[:, trial]) ** 2).sum())
        radius = float(gram.diagonal().max(initial=0.0))
        factor = 2.0 if len(labels) > 1 else 1.0
        value = factor * (1 + radius / covariance.mu) * (loss + covariance.mu * norm) / (1 - 1e-6) ** 2
        terms = {"Σ (y − f)²": loss, "‖f‖²": norm, "X²": radius, "μ": covariance.mu}
        definite = not callable(table.features.kernel) or _definite(gram)
        assumptions = (Assumption("the kernel is positive semi-definite", definite),)
        return Bound(value, "Theorem 1, Zhdanov and Kalnishkan 2013", terms, assumptions)

    @property
    def fields(self) -> tuple[str, ...]:
        """None: answers may be vectors, and are learnt again."""
        return ()

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Nothing: the answers are learnt again."""
        return {}

    def twin(self, kept: bool = False) -> None:
        """None: the table grows with the vectors learnt."""
        return

    def weights(self, node: Any) -> Floats:
        """What each label learnt adds to the value of its class at a row or a vector."""
        return self.covariance.shares(node)


def with_kernel(features: Features, kernel: Any) -> Features:
    """The same table with another kernel between its vectors.

    >>> with_kernel(Features([[1.0, 2.0]]), "polynomial:2")
    Features(rows=1, dimension=2, kernel=polynomial:2)
    """
    if not (isinstance(kernel, str) or callable(kernel)):
        raise ParameterError(
            f"features take no {type(kernel).__name__} as their kernel; name one between vectors, such as "
            "gaussian:WIDTH, or pass a function."
        )
    return Features(features.X, features.names, kernel)


def _definite(gram: Floats) -> bool:
    if len(gram) == 0:
        return True
    powers = scipy.linalg.eigvalsh(gram)
    return bool(powers[0] >= -1e-9 * max(float(powers[-1]), 0.0))
