"""AdaHedge by definition, every cumulative loss recomputed from the start; dense Newton steps."""

import math
from decimal import Decimal

import numpy as np
from scipy.linalg import block_diag


def adahedge(losses, prior, start=0.0):
    """Weights before each trial, the mixture's loss and the gap Δ, from the whole history each time."""
    total, experts = losses.shape
    weights, gap, suffered = [], start, 0.0
    for t in range(total):
        past = [math.fsum(losses[s, k] for s in range(t)) for k in range(experts)]
        if gap == 0:
            raw = [x if p <= min(past) else 0.0 for p, x in zip(past, prior, strict=True)]
        else:
            rate = math.log(experts) / gap
            raw = [x * math.exp(-rate * (p - min(past))) for p, x in zip(past, prior, strict=True)]
        w = np.array(raw) / sum(raw)
        weights.append(w)
        loss = float(w @ losses[t])
        if gap == 0:
            mix = min(losses[t, k] for k in range(experts) if w[k] > 0)
        else:
            rate = Decimal(math.log(experts) / gap)  # decimals do not underflow, whatever the rate
            exact = [
                Decimal(x) * (-rate * Decimal(p - min(past))).exp() for p, x in zip(past, prior, strict=True)
            ]
            seen = sum(x * (-rate * Decimal(losses[t, k])).exp() for k, x in enumerate(exact))
            mix = float(-(seen / sum(exact)).ln() / rate)
        gap += loss - mix if loss - mix > 1e-12 else 0.0
        suffered += loss
    return np.array(weights), suffered, gap


def newton(theta, covariance, rows, code):
    """One step of the logistic combination with dense matrices."""
    classes = rows.shape[1]
    design = np.vstack([rows, np.eye(classes)])
    logits = theta @ design
    p = np.exp(logits - logits.max())
    p /= p.sum()
    mean = design @ p
    fisher = (design * p) @ design.T - np.outer(mean, mean)
    covariance = np.linalg.inv(np.linalg.inv(covariance) + fisher)
    return theta + covariance @ (design[:, code] - mean), covariance


class Mixing:
    """The mixture by its definitions, everything recomputed from the history.

    `groups` says which rows every combination uses, logarithms of experts and frequencies and then estimates,
    and `beliefs` has mean and covariance of its weights.
    """

    def __init__(self, floors, estimates, classes, groups, beliefs, prior, constants):
        self.floors, self.estimates, self.prior = floors, np.flatnonzero(estimates), prior
        self.soft, offsets, self.start, self.ends, self.stretch = constants
        self.groups = groups
        self.counts = np.zeros(classes)
        self.thetas = [np.concatenate([mean, np.zeros(classes)]) for mean, _ in beliefs]
        self.covariances = [block_diag(own, np.eye(classes) / offsets) for _, own in beliefs]
        self.losses, self.surprises = [], np.zeros(len(beliefs))

    def judge(self, values):
        classes = len(self.counts)
        shares = np.maximum(values, 0) + np.array(self.floors)[:, None] / classes
        shares = np.vstack([shares, self.counts + 1])
        logs = np.log(shares / shares.sum(axis=1, keepdims=True))
        near = np.clip(values[self.estimates], *self.ends)
        self.rows = np.vstack([logs, self.stretch * (near - near.mean(axis=1, keepdims=True))])
        self.combined = []
        for group, theta in zip(self.groups, self.thetas, strict=True):
            logits = theta @ np.vstack([self.rows[group], np.eye(classes)])
            odds = np.exp(logits - logits.max())
            self.combined.append(odds / odds.sum())
        everyone = np.vstack([np.exp(logs), *self.combined])
        top = np.isclose(everyone, everyone.max(axis=1, keepdims=True), rtol=1e-15, atol=0)
        self.votes = self.soft * everyone + (1 - self.soft) * top / top.sum(axis=1, keepdims=True)
        history = np.array(self.losses).reshape(-1, len(everyone))
        weights = adahedge(np.vstack([history, np.zeros(len(everyone))]), self.prior, self.start)[0][-1]
        trust = np.exp(-(self.surprises - self.surprises.min()))
        chances = trust / trust.sum() @ np.array(self.combined)
        return int(np.argmax(weights @ self.votes)), chances

    def learn(self, code):
        self.losses.append(1 - self.votes[:, code])
        for g, group in enumerate(self.groups):
            self.surprises[g] -= math.log(self.combined[g][code])
            step = newton(self.thetas[g], self.covariances[g], self.rows[group], code)
            self.thetas[g], self.covariances[g] = step
        self.counts[code] += 1
