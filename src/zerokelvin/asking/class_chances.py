"""From margins to classes: a score for each class, and how probable each is.

Of two classes there is one problem, whose margin is the score of the second class and, with its sign turned,
that of the first. Two kinds of margins become probabilities:

- those of a learner whose probabilities are *calibrated* are leads, p_c − p_w for the class w ahead; as the
  p_c add up to 1, p_w = (1 − Σ_c min(lead_c, 0)) / classes;
- of any other a softmax.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.array_types import Floats

__all__ = ["chance_ahead", "class_chances", "class_odds", "class_scores"]


def class_scores(margins: Floats) -> Floats:
    """A score for every class, (nodes, classes), from the margin of every problem, (nodes, problems).

    >>> class_scores(np.array([[-0.5]])).tolist(), class_scores(np.array([[1.0, -1.0, -2.0]])).tolist()
    ([[0.5, -0.5]], [[1.0, -1.0, -2.0]])
    """
    return np.hstack([-margins, margins]) if margins.shape[1] == 1 else margins


def class_odds(scores: Floats) -> Floats:
    """What a softmax weighs classes by, 1 for the one ahead; of one node, (classes,), or of several.

    >>> class_odds(np.array([2.0, 2.0, 2.0 - np.log(4)])).round(12).tolist()
    [1.0, 1.0, 0.25]
    """
    odds: Floats = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return odds


def chance_ahead(leads: Floats) -> Floats:
    """The probability of the class that is ahead at every node, (nodes,), from the leads of all classes.

    >>> chance_ahead(np.array([[0.25, -0.25, -0.5]])).round(4).tolist()
    [0.5833]
    """
    chances: Floats = (1.0 - np.minimum(leads, 0.0).sum(axis=1)) / leads.shape[1]
    return chances


def class_chances(margins: Floats, calibrated: bool) -> Floats:
    """The probability of every class, (nodes, classes), from margins, (nodes, problems); see the module.

    >>> class_chances(np.array([[-0.5]]), True).tolist()
    [[0.75, 0.25]]
    >>> class_chances(np.array([[0.25, -0.25, -0.5]]), True).round(4).tolist()
    [[0.5833, 0.3333, 0.0833]]
    """
    if margins.shape[1] == 1 and calibrated:
        ahead = np.clip((1.0 + margins) / 2.0, 0.0, 1.0)
        return np.hstack([1.0 - ahead, ahead])
    scores = class_scores(margins)
    if calibrated:
        odds = np.maximum(chance_ahead(scores)[:, None] + np.minimum(scores, 0.0), 0.0)
    else:
        odds = class_odds(scores)
    chances: Floats = odds / odds.sum(axis=1, keepdims=True)
    return chances
