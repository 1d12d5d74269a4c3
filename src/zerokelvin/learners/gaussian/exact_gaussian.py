"""Gaussian-process regression on any kernel up to 20,000 nodes, by the growing Cholesky factor.

The states and problems of `gaussian` where nothing can be relaxed locally: a prediction is a look-up in the
means that `learners.gaussian.covariance` keeps current at every node, a label extends its factor by a row,
and a game in a known order is one factorisation. The bound is that of `learners.gaussian.gaussian`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.value import label_value
from zerokelvin.bound import Assumption, Bound
from zerokelvin.errors import ParameterError
from zerokelvin.learners.base import Problems, Progress, State, Trace, Trials
from zerokelvin.learners.gaussian.covariance import Covariance, all_revealed
from zerokelvin.learners.gaussian.diffusion import code_of, dense_norm, targets_of
from zerokelvin.learners.gaussian.propagation import lookup_margins

__all__ = ["ExactProblems", "ExactState", "comparators", "ridge_bound"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class ExactState(State):
    """One binary problem, by the growing Cholesky factor."""

    def __init__(self, covariance: Covariance, problem: int = 0) -> None:
        self.covariance = covariance
        self.problem = problem

    def margin(self, node: int) -> float:
        """The lead of the problem's class over its best rival."""
        return float(_leads_at(self.covariance, node)[self.problem])

    def margins(self, nodes: Ints) -> Floats:
        """The leads at several nodes."""
        return _leads(self.covariance, np.asarray(nodes, dtype=np.int64))[:, self.problem].copy()

    def update(self, node: int, label: int) -> None:
        """Reveal a label; of several problems that share a covariance, use `Problems.update`."""
        if self.covariance.problems > 1:
            raise ParameterError("one label concerns all classes here; update the problems together.")
        self.covariance.learn(node, 1 if label > 0 else 0)

    def variance(self, node: int) -> float:
        """The predictive variance of a node, its noise left out."""
        return max(float(self.covariance.variances[node]), 0.0)

    def explain(self, node: int) -> list[tuple[int, float]]:
        """Every node labelled with the class or its best rival; the shares sum to the margin."""
        covariance = self.covariance
        values = covariance.values(node)
        channel = 1 if covariance.problems == 1 else self.problem
        others = np.delete(np.arange(len(values)), channel)
        rival = int(others[np.argmax(values[others])])
        shares: dict[int, float] = {}
        weights = self._weights(node).tolist()
        for other, code, weight in zip(covariance.nodes, covariance.codes, weights, strict=True):
            if code in (channel, rival):
                shares[other] = shares.get(other, 0.0) + (weight if code == channel else -weight)
        return sorted(shares.items(), key=lambda share: -abs(share[1]))

    def bound(self, labels: Ints) -> Bound:
        """The bound of the one problem; with more classes it speaks of all, see `Problems.bound`."""
        one = self.covariance.problems == 1
        return self.bound_all(np.asarray(labels)[None, :]) if one else super().bound(labels)

    def bound_all(self, labels: Ints) -> Bound:
        """The bound of the module against one row of ±1 per problem; norms by dense solves."""
        covariance = self.covariance
        columns, targets = covariance.columns, targets_of(labels)
        unit = np.eye(len(covariance.means))  # looking at the means learns what a game has left over
        matrix = np.column_stack([columns.column(i) for i in range(columns.num_nodes)]) + covariance.b
        norms = [dense_norm(matrix, target) for target in comparators(labels)]
        seen = zip(covariance.nodes, covariance.codes, strict=True)
        against = math.fsum(float(((unit[code] - targets[:, node]) ** 2).sum()) for node, code in seen)
        return ridge_bound(norms, float(matrix.diagonal().max()), covariance.mu, against, 1e-6)

    def _weights(self, node: int) -> Floats:
        """What each label adds to the value of a node."""
        return self.covariance.weights()[:, node]


class ExactProblems(Problems):
    """Problems that share a covariance; a game in a known order is one factorisation."""

    def __init__(self, states: Sequence[State], covariance: Covariance) -> None:
        super().__init__(states)
        self.covariance = covariance

    def margins(self, node: int) -> Floats:
        """The leads of every problem at a node."""
        return _leads_at(self.covariance, node)

    def variance(self, node: int) -> float:
        """All problems have the same variance."""
        return self.states[0].variance(node)

    def value(self, node: int, waiting: NDArray[np.bool_]) -> float:
        """Influence over lead, by a dense column of the posterior covariance."""
        column = self.covariance.column(node)
        others = column[: len(waiting)][waiting & (np.arange(len(waiting)) != node)]
        influence = float(np.linalg.norm(others)) / (float(column[node]) + self.covariance.mu)
        return label_value(influence, self.covariance.values(node))

    def update(self, node: int, signs: Any, learns: Any = None) -> None:
        """Reveal a label to all problems; this learner wants every label."""
        self.covariance.learn(node, code_of(signs))

    def bound(self, labels: Sequence[Ints]) -> Bound:
        """One bound for all classes together."""
        first: Any = self.states[0]
        bound: Bound = first.bound_all(np.array(labels))
        return bound

    def play(self, trials: Trials, progress: Progress | None = None) -> Trace:
        """One factorisation where every label is revealed at once and no node comes twice."""
        total = len(trials.nodes)
        if self.covariance.nodes or not all_revealed(trials):
            return super().play(trials, progress)
        codes = np.array([code_of(signs) for signs in trials.signs])
        values = self.covariance.known_order(trials.nodes, codes)
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


def _leads(covariance: Covariance, nodes: Ints) -> Floats:
    result = np.full((len(nodes), covariance.problems), np.nan)
    lookup_margins(covariance.means, nodes, result)
    return result


def _leads_at(covariance: Covariance, node: int) -> Floats:
    values = np.array(covariance.values(node))
    result = np.empty((1, covariance.problems))
    lookup_margins(values[:, None], np.zeros(1, dtype=np.int64), result)
    return result[0]
