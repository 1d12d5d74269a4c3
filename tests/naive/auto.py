"""AdaHedge by definition, every cumulative loss recomputed from the start; dense Newton steps."""

import math
from decimal import Decimal

import numpy as np


def adahedge(losses):
    """Weights before each trial, the mixture's loss and the gap Δ, from the whole history each time."""
    total, experts = losses.shape
    weights, gap, suffered = [], 0.0, 0.0
    for t in range(total):
        past = [math.fsum(losses[s, k] for s in range(t)) for k in range(experts)]
        if gap == 0:
            raw = [1.0 if p <= min(past) else 0.0 for p in past]
        else:
            raw = [math.exp(-math.log(experts) / gap * (p - min(past))) for p in past]
        w = np.array(raw) / sum(raw)
        weights.append(w)
        loss = float(w @ losses[t])
        if gap == 0:
            mix = min(losses[t, k] for k in range(experts) if w[k] > 0)
        else:
            rate = Decimal(math.log(experts) / gap)  # decimals do not underflow, whatever the rate
            exact = [(-rate * Decimal(p - min(past))).exp() for p in past]
            seen = sum(x * (-rate * Decimal(losses[t, k])).exp() for k, x in enumerate(exact))
            mix = float(-(seen / sum(exact)).ln() / rate)
        gap += max(0.0, loss - mix)
        suffered += loss
    return np.array(weights), suffered, gap


def newton(theta, covariance, logs, code):
    """One step of the logistic combination with dense matrices."""
    classes = logs.shape[1]
    design = np.vstack([logs, np.eye(classes)])
    logits = theta @ design
    p = np.exp(logits - logits.max())
    p /= p.sum()
    mean = design @ p
    fisher = (design * p) @ design.T - np.outer(mean, mean)
    covariance = np.linalg.inv(np.linalg.inv(covariance) + fisher)
    return theta + covariance @ (design[:, code] - mean), covariance
