"""Mixing experts online: AdaHedge, and a logistic combination that learns offsets per class.

`AdaHedge` (de Rooij, van Erven, Grünwald and Koolen 2014) plays weights w_k ∝ π_k exp(−η L_k) over K
experts with cumulative losses L_k, losses in [0, 1], a prior π, and η = ln K / Δ where Δ is the cumulative
mixability gap so far, Δ₀ + Σ (w·ℓ + ln(w·e^(−ηℓ))/η). No rate has to be tuned. Its loss is the cumulative mix
loss plus Δ − Δ₀, and as η falls the mix loss is at most L_k + ln(1/π_k)/η for every k, so that at every time

    loss ≤ min_k { L_k + (1 + ln(1/π_k) / ln K) Δ } − Δ₀,

which with the uniform prior and Δ₀ = 0 is their Lemma 3, min_k L_k + 2Δ. With Δ₀ > 0 the first few losses do
not yet decide who is heard.

A combination is multinomial logistic regression on rows φ_k of one number per class, what experts say,

    p(c) ∝ exp(Σ_k θ_k φ_k(c) + o_c),

with one weight per row and one offset per class, learnt online by Newton steps on the accumulated Fisher
information and a Gaussian prior. The offsets handle class imbalance, and the fit of the logarithmic loss
calibrates p. A step costs O(classes · (rows + classes)²).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats
from zerokelvin.jit import inner_kernel, kernel
from zerokelvin.learners.auto.settings import OFFSETS

__all__ = [
    "combine",
    "hedge_learn",
    "hedge_weights",
    "largest",
    "newton_step",
    "prior_covariance",
]


ROUNDING = 1e-12


def prior_covariance(weights: Floats, classes: int) -> Floats:
    """Of the weights and offsets of a combination before any label, from that of the weights alone.

    >>> prior_covariance(np.array([[0.5]]), 2).tolist()
    [[0.5, 0.0, 0.0], [0.0, 0.02, 0.0], [0.0, 0.0, 0.02]]
    """
    count = len(weights)
    covariance = np.diag(np.full(count + classes, 1.0 / OFFSETS))
    covariance[:count, :count] = weights
    return covariance


@kernel
def hedge_weights(prior: Any, losses: Any, totals: Any, weights: Any) -> None:
    """The weights of AdaHedge, from the logarithms of the prior; while Δ = 0 the leaders have them all."""
    best = losses[0]
    for k in range(len(losses)):
        best = min(best, losses[k])
    for k in range(len(losses)):
        lead = losses[k] - best
        if totals[0] > 0.0:
            weights[k] = prior[k] - lead * math.log(len(losses)) / totals[0]
        else:
            weights[k] = prior[k] if lead <= 0.0 else -np.inf
    top, total = largest(weights), 0.0
    for k in range(len(losses)):
        weights[k] = math.exp(weights[k] - top)
        total += weights[k]
    for k in range(len(losses)):
        weights[k] /= total


@inner_kernel
def hedge_learn(prior: Any, losses: Any, totals: Any, weights: Any, suffered: Any) -> None:
    """Add a trial's losses; the mix loss in logarithms, as weights may be too small for floats."""
    mean = 0.0
    for k in range(len(losses)):
        mean += weights[k] * suffered[k]
    if totals[0] > 0.0:
        rate = math.log(len(losses)) / totals[0]
        before, after = np.empty(len(losses)), np.empty(len(losses))
        for k in range(len(losses)):
            before[k] = prior[k] - rate * losses[k]
            after[k] = before[k] - rate * suffered[k]
        mixed = (_log_sum(before) - _log_sum(after)) / rate
    else:
        mixed = np.inf
        for k in range(len(losses)):
            if weights[k] > 0.0:
                mixed = min(mixed, suffered[k])
    if mean - mixed > ROUNDING:  # a gap of rounding alone would make the rate enormous
        totals[0] += mean - mixed
    totals[1] += mean
    for k in range(len(losses)):
        losses[k] += suffered[k]


@inner_kernel
def largest(values: Any) -> float:
    """The largest of some numbers; NumPy's max() is compiled for ten times as long."""
    top = values[0]
    for k in range(1, len(values)):
        top = max(top, values[k])
    return top


@inner_kernel
def _log_sum(logs: Any) -> float:
    top = largest(logs)
    total = 0.0
    for k in range(len(logs)):
        total += math.exp(logs[k] - top)
    return top + math.log(total)


@inner_kernel
def combine(theta: Any, rows: Any, probabilities: Any) -> None:
    """Fill in each class's probability, from weights, offsets and rows (rows, classes)."""
    count, classes = rows.shape
    top = -np.inf
    for c in range(classes):
        logit = theta[count + c]
        for k in range(count):
            logit += theta[k] * rows[k, c]
        probabilities[c] = logit
        top = max(top, logit)
    total = 0.0
    for c in range(classes):
        probabilities[c] = math.exp(probabilities[c] - top)
        total += probabilities[c]
    for c in range(classes):
        probabilities[c] /= total


@inner_kernel
def newton_step(theta: Any, covariance: Any, rows: Any, probabilities: Any, code: int) -> None:
    """Add the Fisher information of a trial, then step along its gradient."""
    count, classes = rows.shape
    size = count + classes
    mean = np.zeros(size)
    for c in range(classes):
        for k in range(count):
            mean[k] += probabilities[c] * rows[k, c]
        mean[count + c] = probabilities[c]
    step, moved = np.empty(size), np.empty(size)
    for c in range(classes + 1):  # the last pass is the gradient
        row = c if c < classes else code
        root = np.sqrt(probabilities[row]) if c < classes else 1.0
        for i in range(size):
            own = rows[i, row] if i < count else (1.0 if i - count == row else 0.0)
            step[i] = root * (own - mean[i])
        for i in range(size):
            moved[i] = 0.0
        for j in range(size):  # the covariance is symmetric to the last bit: its rows are its columns
            for i in range(size):
                moved[i] += covariance[j, i] * step[j]
        if c == classes:
            for i in range(size):
                theta[i] += moved[i]
        else:
            total = 1.0
            for i in range(size):
                total += step[i] * moved[i]
            scale = 1.0 / math.sqrt(total)
            for i in range(size):
                moved[i] *= scale
            for i in range(size):
                for j in range(size):
                    covariance[i, j] -= moved[i] * moved[j]
