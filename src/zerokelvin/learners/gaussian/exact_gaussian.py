"""Gaussian-process regression on any kernel up to 20,000 nodes, by the growing Cholesky factor.

The game of `gaussian` where nothing can be relaxed locally: a prediction is a look-up in the
means that `learners.gaussian.covariance` keeps current at every node, a label extends its factor by a row,
and a game in a known order is one factorisation. The bound is that of `learners.gaussian.gaussian`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.value import label_value
from zerokelvin.bound import Assumption, Bound
from zerokelvin.learners.base import Game, Progress, Trace, Trials
from zerokelvin.learners.gaussian.covariance import Covariance, all_revealed
from zerokelvin.learners.gaussian.diffusion import dense_norm, targets_of
from zerokelvin.learners.gaussian.propagation import lookup_margins

__all__ = ["ExactGame", "comparators", "ridge_bound"]


LEARNT = ("0/learnt-nodes", "0/learnt-codes")
"""The saved arrays: node and code of every answer."""


class ExactGame(Game):
    """A game whose classes share a covariance; in a known order it is one factorisation."""

    def __init__(self, covariance: Covariance) -> None:
        super().__init__(max(2, covariance.problems))
        self.covariance = covariance

    def scores(self, nodes: Any) -> Floats:
        """The lead of every problem's class over its best rival, (nodes, columns)."""
        places = np.asarray(nodes, dtype=np.int64)
        result = np.full((len(places), self.columns), np.nan)
        lookup_margins(self.covariance.means, places, result)
        return result

    def score(self, node: Any) -> Floats:
        """The lead of every problem's class over its best rival at one node, (columns,)."""
        values = np.array(self.covariance.values(node))
        result = np.full((1, self.columns), np.nan)
        lookup_margins(values[:, None], np.zeros(1, dtype=np.int64), result)
        return result[0]

    def learn(self, node: Any, code: int, wanted: Any = None) -> None:
        """Reveal a class; this learner wants every label."""
        self.covariance.learn(node, code)

    def evidence(self, nodes: Any) -> Floats:
        """The mean of every class, (nodes, classes); they are kept for all nodes."""
        return np.ascontiguousarray(self.covariance.means[:, np.asarray(nodes, dtype=np.int64)].T)

    def learn_in_order(self, nodes: Ints, codes: Ints) -> Floats:
        """Reveal classes in order, by one factorisation: the means before each, (nodes, classes)."""
        if self.covariance.has_begun or len(np.unique(nodes)) < len(nodes):
            return super().learn_in_order(nodes, codes)
        return np.ascontiguousarray(self.covariance.learn_in_order(nodes, codes).T)

    def variance(self, node: Any) -> float:
        """The predictive variance of a node, its noise left out."""
        return max(float(self.covariance.variances[node]), 0.0)

    def value(self, node: Any, waiting: NDArray[np.bool_]) -> float:
        """Influence over lead, by a dense column of the posterior covariance."""
        column = self.covariance.column(node)
        others = column[: len(waiting)][waiting & (np.arange(len(waiting)) != node)]
        influence = float(np.linalg.norm(others)) / (float(column[node]) + self.covariance.mu)
        return label_value(influence, self.covariance.values(node))

    def explain(self, node: Any, column: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin."""
        covariance = self.covariance
        values = covariance.values(node)
        own = 1 if self.columns == 1 else column
        others = np.delete(np.arange(len(values)), own)
        rival = int(others[np.argmax(values[others])])
        return sorted(self.shares(node, own, rival).items(), key=lambda share: -abs(share[1]))

    def shares(self, node: Any, code: int, rival: int) -> dict[int, float]:
        """What each labelled node adds to a lead, by the weights of the regression."""
        covariance, shares = self.covariance, dict[int, float]()
        weights = self.weights(node).tolist()
        for other, seen, weight in zip(covariance.nodes, covariance.codes, weights, strict=True):
            if seen in (code, rival):
                shares[other] = shares.get(other, 0.0) + (weight if seen == code else -weight)
        return shares

    def weights(self, node: Any) -> Floats:
        """What each label learnt adds to the value of its class at a node."""
        return self.covariance.weights()[:, node]

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """The bound for all classes together; norms by dense solves."""
        rows, covariance = np.array(labels), self.covariance
        columns, targets = covariance.columns, targets_of(rows)
        unit = np.eye(len(covariance.means))  # looking at the means learns what a game has left over
        matrix = np.column_stack([columns.column(i) for i in range(columns.num_nodes)]) + covariance.b
        norms = [dense_norm(matrix, target) for target in comparators(rows)]
        seen = zip(covariance.nodes, covariance.codes, strict=True)
        against = math.fsum(float(((unit[code] - targets[:, node]) ** 2).sum()) for node, code in seen)
        return ridge_bound(norms, float(matrix.diagonal().max()), covariance.mu, against, 1e-6)

    @property
    def fields(self) -> tuple[str, ...]:
        """The answers: a factor has a row of all nodes for each, so it is computed again."""
        return LEARNT

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Nodes and codes of the answers, in order."""
        covariance = self.covariance
        _ = covariance.means  # looking at the means learns what a game has left over
        told = (covariance.nodes, covariance.codes)
        return {name: np.array(values, dtype=np.int64) for name, values in zip(LEARNT, told, strict=True)}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Learn the answers again, in their order."""
        nodes, codes = (arrays[name] for name in LEARNT)
        count = self.covariance.columns.num_nodes
        if nodes.shape != codes.shape or ((nodes < 0) | (nodes >= count)).any():
            raise ValueError("the saved answers name nodes that are not there.")
        for node, code in zip(nodes.tolist(), codes.tolist(), strict=True):
            self.covariance.learn(node, code)

    def twin(self, kept: bool = False) -> ExactGame | None:
        """A game on another factor of the same answers."""
        return type(self)(self.covariance.twin())

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """One factorisation where every label is revealed at once and no node comes twice."""
        total = len(trials.nodes)
        if self.covariance.has_begun or not all_revealed(trials):
            return super().play(trials, progress)
        values = self.covariance.learn_in_order(trials.nodes, trials.codes)
        trace = Trace.all_asked(trials)
        lookup_margins(values, np.arange(total), trace.margins)
        if progress is not None:
            progress(total)
        return trace


def comparators(labels: Ints) -> Floats:
    """The ±1 targets of one problem, the one-hot targets of several."""
    return labels.astype(np.float64) if len(labels) == 1 else targets_of(labels)


def ridge_bound(norms: Sequence[float], radius: float, mu: float, against: float, error: float) -> Bound:
    """The bound; `against` is twice the number of labels that contradict the comparator."""
    norm = math.fsum(norms)
    factor = 2.0 if len(norms) > 1 else 1.0
    loss = factor * (1.0 + radius / mu) * (mu * norm + against * (2.0 if len(norms) == 1 else 1.0))
    value = loss / (1.0 - error) ** 2 if error < 1 else math.inf
    terms = {"‖u‖²": norm, "X²": radius, "μ": mu, "k": against / 2, "δ": float(error)}
    assumptions = (
        Assumption("the comparator lies in the kernel's space", math.isfinite(norm)),
        Assumption("the error of a lead is below 1", bool(error < 1)),
    )
    return Bound(value, "Theorem 1, Zhdanov and Kalnishkan 2013", terms, assumptions)
