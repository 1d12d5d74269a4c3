"""Asking for a rare class and deciding by costs, by definition: a plain session, sums over all that came."""

import math

import numpy as np

from zerokelvin.asking.coin_hash import coins


def settled(labels, classes):
    """The class settled on as the rarest after labels in order, None while none is."""
    for t in range(1, len(labels) + 1):
        counts = [labels[:t].count(name) for name in classes]
        if max(counts) - min(counts) >= 8:
            return classes[counts.index(min(counts))]
    return None


def drawn(seed, trial):
    return float(coins(seed, np.array([trial]))[0])


def questions_of_find(session, trials, classes, label):
    """Which trials ask, going through all of them with a session that has no policy."""
    asked, labels = [], []
    for t, (node, name) in enumerate(trials):
        sought = label or settled(labels, classes)
        ask = not labels or sought is None
        if not ask:
            ask = session.predict_proba_one(node)[sought] > drawn(session.seed, t) / 2
        asked.append(ask)
        if ask:
            labels.append(name)
            session.learn(node, name)
    return asked


def interval(p):
    if p in (0.0, 1.0):
        return math.copysign(99, p - 0.5)
    return min(max(math.floor((math.log(p) - math.log1p(-p) + 8) / 0.5), -1), 32)


def corrected(p, history):
    """A probability, with what became of those that were in the same interval: (probability, came true)."""
    alike = [
        came for q, came in history if interval(q) == interval(p) or abs(interval(p)) == 99 == interval(q)
    ]
    return (20 * p + sum(alike)) / (20 + len(alike))


def decisions_of_costs(session, trials, classes, costs):
    """Label predicted and whether it is asked for, trial by trial, from the three expected costs."""
    history, found = [], []
    sought = costs["class"]
    other = next(name for name in classes if name != sought)
    for t, (node, name) in enumerate(trials):
        if not session.trials:
            found.append((None, True))
        else:
            raw = session.predict_proba_one(node)[sought]
            p = corrected(raw, history)
            passing, flagging = p * costs["miss"], (1 - p) * costs["alarm"]
            ask = min(passing, flagging) > drawn(session.seed, t) * costs["ask"]
            close = abs(passing - flagging) < 1e-9
            found.append((None if close else sought if flagging < passing else other, ask))
        if found[-1][1]:
            if session.trials:
                history.append((raw, name == sought))
            session.learn(node, name)
    return found


def cost(codes, predicted, asked, sought, prices):
    """What trials cost, one after the other."""
    total = 0.0
    for code, guess, ask in zip(codes, predicted, asked, strict=True):
        if ask:
            total += prices["ask"]
        elif code == sought and guess != sought:
            total += prices["miss"]
        elif code != sought and guess == sought:
            total += prices["alarm"]
    return total
