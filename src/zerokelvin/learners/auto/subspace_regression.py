"""Bayesian linear regression on a few coordinates of every node: O(k²) a label, whatever the graph.

With rows x_i of k coordinates, a prior of unit variance on the weights w_c of every class and noise μ, the
posterior after labels on S has the covariance P = (I + X_SᵀX_S / μ)⁻¹ and the means w_c = P X_Sᵀ y_c / μ. One
label more at i, with g = P x_i / (μ + x_iᵀ P x_i),

    w_c += g (y_c − x_iᵀ w_c),        P −= g (P x_i)ᵀ,

and the evidence for class c at a node is x_iᵀ w_c.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.jit import kernel
from zerokelvin.learners.auto.evidence_game import EvidenceGame
from zerokelvin.undo import Undo

__all__ = ["SubspaceRegression"]


class Posterior(NamedTuple):
    """What labels change: P (k, k), w (k, classes), and the noise μ."""

    covariance: Floats
    means: Floats
    mu: float


class SubspaceRegression(EvidenceGame):
    """The posterior means of all classes.

    Parameters
    ----------
    rows
        The coordinates of every node, (nodes, k).
    classes, mu
        The number of classes, and the noise.

    Examples
    --------
    >>> fields = SubspaceRegression(np.array([[1.0, 0.1], [1.0, 0.2], [0.1, 1.0]]), 2, mu=0.1)
    >>> fields.learn(0, 1)
    >>> fields.evidence([1, 2]).round(2).tolist()
    [[0.0, 0.92], [0.0, 0.18]]
    """

    def __init__(self, rows: Floats, classes: int, mu: float) -> None:
        super().__init__(classes)
        self.rows = rows
        self.counts = np.zeros((len(rows), classes))  # labels of each class at each node
        self.posterior = Posterior(np.eye(rows.shape[1]), np.zeros((rows.shape[1], classes)), float(mu))

    def evidence(self, nodes: Any) -> Floats:
        """The mean of every class at several nodes, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _table(self.rows, self.posterior, np.asarray(nodes, dtype=np.int64), result)
        return result

    def tell(self, node: int, evidence: Floats) -> None:
        """Fill in the mean of every class at one node."""
        _read(self.rows, self.posterior.means, node, evidence)

    def learn(self, node: int, code: int, wanted: Any = None) -> None:
        """Reveal that a node has class `code`."""
        self.learn_in_order(np.array([node]), np.array([code]))

    def learn_reversibly(self, node: int, code: int, wanted: Any = None) -> Undo:
        """The same, and what takes it back."""
        undo, (covariance, means, _) = Undo(), self.posterior
        undo.keep(self.counts, (node, code))
        undo.keep(covariance)
        undo.keep(means)
        self.learn(node, code)
        return undo

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal the classes of nodes one after the other: the means before each, (nodes, classes)."""
        result = np.full((len(nodes), self.classes), np.nan)
        _learn_in_order(self.rows, self.posterior, nodes, codes, result)
        np.add.at(self.counts, (nodes, codes), 1.0)
        return result

    def parts(self) -> dict[str, NDArray[Any]]:
        """The labels at every node, and the posterior."""
        covariance, means, _ = self.posterior
        return {"0/counts": self.counts, "0/covariance": covariance, "0/means": means}

    def twin(self, kept: bool = False) -> SubspaceRegression:
        """Another regression at the same place."""
        other = copy.copy(self)
        covariance, means, mu = self.posterior
        other.counts, other.posterior = self.counts.copy(), Posterior(covariance.copy(), means.copy(), mu)
        return other

    def votes(self, node: int) -> Floats:
        """What one label at each node adds to the mean of its class at `node`: X P x_i / μ."""
        covariance, _, mu = self.posterior
        votes: Floats = self.rows @ (covariance @ self.rows[node]) / mu
        return votes


@kernel
def _read(rows: Any, means: Any, node: int, result: Any) -> None:
    for c in range(len(result)):
        result[c] = 0.0
    for k in range(len(means)):
        for c in range(len(result)):
            result[c] += rows[node, k] * means[k, c]


@kernel
def _table(rows: Any, posterior: Posterior, nodes: Any, result: Any) -> None:
    """The means at several nodes, one row each."""
    for k in range(len(nodes)):
        _read(rows, posterior.means, nodes[k], result[k])


@kernel
def _learn_in_order(rows: Any, posterior: Posterior, nodes: Any, codes: Any, result: Any) -> None:
    """Read the means at a node, reveal its class, go on to the next."""
    covariance, means, mu = posterior
    size, classes = means.shape
    gain = np.empty(size)
    for t in range(len(nodes)):
        _read(rows, means, nodes[t], result[t])
        for i in range(size):
            gain[i] = 0.0
        for j in range(size):  # the covariance is symmetric to the last bit: its rows are its columns
            for i in range(size):
                gain[i] += covariance[j, i] * rows[nodes[t], j]
        spread = mu
        for i in range(size):
            spread += rows[nodes[t], i] * gain[i]
        for i in range(size):
            for c in range(classes):
                wrong = (1.0 if c == codes[t] else 0.0) - result[t, c]
                means[i, c] += gain[i] * wrong / spread
        root = math.sqrt(spread)
        for i in range(size):
            gain[i] /= root
        for i in range(size):
            for j in range(size):
                covariance[i, j] -= gain[i] * gain[j]
