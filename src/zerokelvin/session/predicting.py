"""What a session says about nodes where it stands: predictions with a reason, probabilities, explanations.

Nothing here changes anything.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from zerokelvin.asking.class_prior import most_frequent
from zerokelvin.asking.decision import confidence
from zerokelvin.games.labels import class_array, decide
from zerokelvin.session.prediction import SKIP, Contribution, Explanation, Prediction
from zerokelvin.session.standing import Standing

__all__ = ["all_margins", "class_shares", "explain", "predict", "predict_all"]

Floats = NDArray[np.float64]


def predict(standing: Standing, node: Hashable) -> Prediction:
    """The prediction for a node, by name."""
    index, made_at = standing.graph.index(node), len(standing.events)
    if not standing.classes:
        reason = "No label and no class is known yet: please give the first answer."
        return Prediction(node, None, 0.0, {}, 0.0, not standing.spent, reason, made_at)
    margins = standing.game.score(index)
    code, by_prior = standing.decide(index, margins)
    asks = standing.asks(index, margins)
    label, scores = standing.classes[code], _scores(standing, margins)
    margin = float(margins[0]) if len(margins) == 1 else scores[label]
    reason = _reason(standing, index, margins, by_prior, bool(asks.any()))
    sure, left_out = confidence(margins), standing.left_out(asks)
    return Prediction(node, label, margin, scores, sure, bool(asks.any()), reason, made_at, left_out)


def all_margins(standing: Standing) -> Floats:
    """The margin of every node in every problem."""
    nodes = np.arange(standing.graph.num_nodes)
    return standing.game.scores(nodes)


def predict_all(standing: Standing) -> NDArray[np.generic]:
    """The predicted label of every node, in node order."""
    codes = decide(all_margins(standing), len(standing.classes))
    if standing.counts.any():
        unlabelled = ~standing.labelled[standing.graph.components]
        codes[unlabelled] = int(most_frequent(standing.counts))
    return class_array(standing.classes)[codes]


def class_shares(standing: Standing, prediction: Prediction) -> dict[Hashable, float]:
    """The probability of every class; see `Session.predict_proba_one`."""
    if prediction.label is None:
        return {}
    index = standing.graph.index(prediction.node)
    if standing.without_label(index):
        odds = standing.counts.astype(np.float64)
    elif (chances := standing.game.chances(index)) is not None:
        odds = chances[: len(standing.classes)]
    else:
        scores = np.array(list(prediction.scores.values()))
        odds = np.exp(scores - scores.max())
    shares = dict(zip(standing.classes, (odds / odds.sum()).tolist(), strict=True))
    own = shares[prediction.label]
    ahead = [label for label, share in shares.items() if share >= own]
    mean = sum(shares[label] for label in ahead) / len(ahead)
    shares.update(dict.fromkeys(ahead, mean))
    shares[prediction.label] = math.nextafter(mean, 2.0) if len(ahead) > 1 else mean
    return shares


def explain(standing: Standing, node: Hashable) -> Explanation:
    """The answers that decided the prediction for a node."""
    prediction = predict(standing, node)
    if prediction.label is None:
        return Explanation(node, None, 0.0, (), prediction.reason)
    graph, code = standing.graph, standing.codes[prediction.label]
    column = 0 if len(standing.classes) <= 2 else code
    sign = -1 if len(standing.classes) <= 2 and code == 0 else 1
    game, index = standing.game, graph.index(node)
    last = {event.node: event.label for event in standing.events if event.kind != SKIP}
    shares = tuple(
        Contribution(graph.name(other), last.get(other), sign * share)
        for other, share in game.explain(index, column)
    )
    path = tuple(map(graph.name, game.trail(index, column)))
    margin, trusted = prediction.scores[prediction.label], game.trusted()
    return Explanation(node, prediction.label, margin, shares, prediction.reason, path, trusted)


def _reason(standing: Standing, node: int, margins: Floats, by_prior: bool, ask: bool) -> str:
    if not standing.counts.any():
        return "No label has been learned yet, so this is only the tie rule's guess."
    if by_prior:
        return "No node of its component has a label yet, so this is the most frequent class so far."
    wish = "the label is wanted" if ask else "no label is needed"
    if not ask and standing.spent:
        wish = f"the budget of {standing.budget} questions is spent"
    remark = standing.game.remark(node, int(np.argmax(margins)))
    decided = f"The {standing.terms.learner.name} decides with confidence {confidence(margins):.3g}"
    return f"{decided}: {remark}; {wish}." if remark else f"{decided}; {wish}."


def _scores(standing: Standing, margins: Floats) -> dict[Hashable, float]:
    if len(margins) > 1:
        return dict(zip(standing.classes, margins.tolist(), strict=True))
    margin = float(margins[0])
    return dict(zip(standing.classes, [-margin, margin], strict=False))  # one class is coded −1
