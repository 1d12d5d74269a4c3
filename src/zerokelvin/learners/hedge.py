"""Mixing experts online: AdaHedge, and a logistic combination that learns offsets per class.

`AdaHedge` (de Rooij, van Erven, Grünwald and Koolen 2014) plays weights w_k ∝ exp(−η L_k) over experts with
cumulative losses L_k, losses in [0, 1], and η = ln K / Δ where Δ is the cumulative mixability gap so far,
Σ (w·ℓ + ln(w·e^(−ηℓ))/η). No rate has to be tuned, and its loss is at most min_k L_k + 2Δ at every time.

`Combination` is multinomial logistic regression on the experts' log-probabilities,

    p(c) ∝ exp(Σ_k θ_k ln q_k(c) + o_c),

with one weight per expert and one offset per class, learnt online by Newton steps on the accumulated
Fisher information. The offsets handle class imbalance, and the fit of the logarithmic loss calibrates p.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerokelvin.jit import kernel

__all__ = ["AdaHedge", "Combination"]

Floats = NDArray[np.float64]


class AdaHedge:
    """Weights over experts.

    >>> hedge = AdaHedge(2)
    >>> for _ in range(50):
    ...     hedge.learn(np.array([0.0, 1.0]))
    >>> hedge.weights().round(3).tolist()
    [1.0, 0.0]
    >>> bool(hedge.loss <= hedge.losses.min() + 2 * hedge.gap)
    True
    """

    def __init__(self, experts: int) -> None:
        self.losses = np.zeros(experts)
        self.gap = 0.0
        self.loss = 0.0

    def weights(self) -> Floats:
        """The weights for the next trial."""
        lead = self.losses - self.losses.min()
        raw = np.exp(-lead * self._rate) if self.gap > 0 else (lead <= 0).astype(np.float64)
        return np.asarray(raw / raw.sum())

    def learn(self, losses: Floats) -> None:
        """Take the losses of all experts in a trial, each in [0, 1]."""
        weights = self.weights()
        suffered = float(weights @ losses)
        if self.gap > 0:
            before = _log_sum(-self._rate * self.losses)  # in logarithms: weights may be too small for floats
            mixed = (before - _log_sum(-self._rate * (self.losses + losses))) / self._rate
        else:
            mixed = float(losses[weights > 0].min())
        self.gap += max(0.0, suffered - mixed)
        self.loss += suffered
        self.losses += losses

    @property
    def _rate(self) -> float:
        return math.log(len(self.losses)) / self.gap


def _log_sum(logs: Floats) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


class Combination:
    """Logistic regression on log-probabilities of experts; `precision` is its prior around their mean."""

    def __init__(self, experts: int, classes: int, precision: float = 10.0) -> None:
        size = experts + classes
        self.theta = np.zeros(size)
        self.theta[:experts] = 1.0 / experts
        self.covariance = np.eye(size) / precision

    def probabilities(self, logs: Floats) -> Floats:
        """The probability of each class, from log-probabilities (experts, classes)."""
        experts = len(logs)
        logits = self.theta[:experts] @ logs + self.theta[experts:]
        odds = np.exp(logits - logits.max())
        return np.asarray(odds / odds.sum())

    def learn(self, logs: Floats, probabilities: Floats, code: int) -> None:
        """One Newton step after the class is revealed."""
        _newton(self.theta, self.covariance, np.ascontiguousarray(logs), probabilities, code)


@kernel
def _newton(theta: Any, covariance: Any, logs: Any, probabilities: Any, code: int) -> None:
    experts, classes = logs.shape
    size = experts + classes
    mean = np.zeros(size)
    for c in range(classes):
        for k in range(experts):
            mean[k] += probabilities[c] * logs[k, c]
        mean[experts + c] = probabilities[c]
    step, moved = np.empty(size), np.empty(size)
    for c in range(classes + 1):  # the last pass is the gradient
        row = c if c < classes else code
        root = np.sqrt(probabilities[row]) if c < classes else 1.0
        for i in range(size):
            own = logs[i, row] if i < experts else (1.0 if i - experts == row else 0.0)
            step[i] = root * (own - mean[i])
        total = 0.0
        for i in range(size):
            moved[i] = 0.0
            for j in range(size):
                moved[i] += covariance[i, j] * step[j]
            total += step[i] * moved[i]
        if c == classes:
            for i in range(size):
                theta[i] += moved[i]
        else:
            for i in range(size):
                for j in range(size):
                    covariance[i, j] -= moved[i] * moved[j] / (1.0 + total)
