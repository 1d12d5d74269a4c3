"""What a session says about nodes where it stands: predictions with a reason, probabilities, explanations.

Nothing here changes anything.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.asking.class_chances import class_odds, class_scores
from zerokelvin.asking.decision import confidence
from zerokelvin.session.prediction import SKIP, Contribution, Explanation, Prediction
from zerokelvin.session.standing import Standing
from zerokelvin.threads import on_one_thread

__all__ = [
    "BY_PRIOR",
    "NOTHING_LEARNT",
    "all_margins",
    "all_shares",
    "class_shares",
    "decided_reason",
    "explain",
    "node_columns",
    "predict",
    "predict_many",
    "ranked",
    "reason_sentence",
    "shares_of",
]


NOTHING_LEARNT = "No label has been learned yet, so this is only the tie rule's guess."
BY_PRIOR = "No node of its component has a label yet, so this is the most frequent class so far."

HARDLY_ANY = 1e-6
"""Confidence below which the sentence gives no number: what settles ties is of the order of 1e-9."""


@on_one_thread
def predict(standing: Standing, node: Hashable) -> Prediction:
    """The prediction for a node, by name."""
    index = standing.graph.index(node)
    if not standing.classes:
        return _classless(standing, node)
    found = _prediction(standing, node, index, standing.game.score(index))
    standing.graph.touched()
    return found


def predict_many(standing: Standing, nodes: Iterable[Hashable]) -> list[Prediction]:
    """The predictions for several nodes, by name, whose margins are read in one call."""
    names = list(nodes)
    indices = np.array([standing.graph.index(node) for node in names], dtype=np.int64)
    if not standing.classes:
        return [_classless(standing, node) for node in names]
    with standing.graph.read_through():
        margins = standing.game.scores(indices) if names else ()
    found = zip(names, indices.tolist(), margins, strict=True)
    return [_prediction(standing, node, index, own) for node, index, own in found]


def _classless(standing: Standing, node: Hashable) -> Prediction:
    reason = "No label and no class is known yet: please give the first answer."
    return Prediction(node, None, 0.0, {}, 0.0, not standing.spent, reason, len(standing.events))


def _prediction(standing: Standing, node: Hashable, index: int, margins: Floats) -> Prediction:
    """The prediction from the margins of a node."""
    made_at = len(standing.events)
    code, by_prior = standing.decide(index, margins)
    asks = standing.asks(index, margins)
    label, scores = standing.classes[code], _scores(standing, margins)
    margin = float(margins[0]) if len(margins) == 1 else scores[label]
    reason = _reason(standing, index, margins, by_prior, bool(asks.any()))
    sure, left_out = confidence(margins), standing.left_out(asks)
    return Prediction(node, label, margin, scores, sure, bool(asks.any()), reason, made_at, left_out)


def all_margins(standing: Standing) -> Floats:
    """The margin of every node in every problem."""
    parts = list(standing.margins_in_parts())
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


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
        odds = class_odds(scores)
    shares = tuple((odds / odds.sum()).tolist())
    if not standing.game.decides_alone:
        shares = _settled(shares, standing.codes[prediction.label])
    return dict(zip(standing.classes, shares, strict=True))


def all_shares(standing: Standing) -> Floats:
    """The probability of every class at every node, (nodes, classes): `class_shares` of all of them."""
    return shares_of(standing, np.arange(standing.graph.num_nodes))


def shares_of(standing: Standing, nodes: Ints) -> Floats:
    """The probability of every class at several nodes, by number, (nodes, classes)."""
    count, rows = len(standing.classes), np.arange(len(nodes))
    with standing.graph.read_through():
        margins = standing.game.scores(nodes)
        chances = standing.game.chances_of(nodes)
    if chances is not None:
        odds = chances[:, :count]
    else:
        odds = class_odds(class_scores(margins)[:, :count])
    if standing.counts.any():
        odds[standing.unlabelled(nodes)] = standing.counts
    shares: Floats = odds / odds.sum(axis=1, keepdims=True)
    if standing.game.decides_alone:
        return shares
    codes = standing.decide_many(nodes, margins)
    ahead = (shares >= shares[rows, codes][:, None]).sum(axis=1) > 1
    known: dict[tuple[Any, ...], tuple[float, ...]] = {}
    for row in np.flatnonzero(ahead).tolist():  # ties, which are often all alike
        key = (*shares[row].tolist(), int(codes[row]))
        if key not in known:
            known[key] = _settled(key[:-1], key[-1])
        shares[row] = known[key]
    return shares


def node_columns(standing: Standing) -> dict[str, Any]:
    """What is known of every node, a column each; see `Session.to_frame`."""
    graph, count = standing.graph, standing.graph.num_nodes
    shares = all_shares(standing)
    labels = standing.predicted().tolist()
    answered, asked = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    codes = np.array([standing.codes[label] for label in labels], dtype=np.int64)
    probability: Floats = shares[np.arange(count), codes]
    for event, found in zip(standing.events, standing.outcomes, strict=True):
        if event.kind != SKIP:
            labels[event.node], probability[event.node] = event.label, 1.0
            answered[event.node], asked[event.node] = True, found.asked
    return {
        "node": [graph.name(i) for i in range(count)],
        "label": labels,
        "probability": probability,
        "answered": answered,
        "asked": asked,
    }


def ranked(standing: Standing, label: Hashable, most: int | None) -> list[Hashable]:
    """The nodes without an answer, those most probably of a class first; see `Session.rank`."""
    shares, margins = all_shares(standing), all_margins(standing)
    code = standing.codes[label]
    scores = class_scores(margins)[:, code]
    answered = np.zeros(standing.graph.num_nodes, dtype=np.bool_)
    answered[[event.node for event in standing.events if event.kind != SKIP]] = True
    order = np.lexsort((standing.graph.name_ranks, -scores, -shares[:, code]))
    return [standing.graph.name(node) for node in order[~answered[order]][:most].tolist()]


def _settled(shares: tuple[float, ...], code: int) -> tuple[float, ...]:
    """Shares in which the class predicted has the largest: classes ahead of it share their sum with it."""
    ahead = [c for c, share in enumerate(shares) if share >= shares[code]]
    mean = sum(shares[c] for c in ahead) / len(ahead)
    settled = list(shares)
    for c in ahead:
        settled[c] = mean
    settled[code] = math.nextafter(mean, 2.0) if len(ahead) > 1 else mean
    return tuple(settled)


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
    known = {name: sign * share for name, share in game.attribute_shares(index, column).items()}
    ranked = dict(sorted(known.items(), key=lambda item: -abs(item[1])))
    return Explanation(node, prediction.label, margin, shares, prediction.reason, path, trusted, ranked)


def _reason(standing: Standing, node: int, margins: Floats, by_prior: bool, ask: bool) -> str:
    silent = by_prior or not standing.counts.any()
    remark = "" if silent else standing.game.remark(node, int(np.argmax(margins)))
    return reason_sentence(standing, confidence(margins), by_prior, ask, remark)


def reason_sentence(standing: Standing, sure: float, by_prior: bool, ask: bool, remark: str) -> str:
    """Why a node is predicted as it is.

    `sure` is the confidence, `by_prior` says that no label of its component is known, `remark` is what the
    learner says of the node.
    """
    if not standing.counts.any():
        return NOTHING_LEARNT
    if by_prior:
        return BY_PRIOR
    spent = standing.budget if standing.spent else None
    return decided_reason(standing.terms.learner.name, sure, remark, ask, spent)


def decided_reason(learner: str, sure: float, remark: str, ask: bool, spent: int | None) -> str:
    """The sentence on a prediction that a learner decided; `spent` is the budget, where none of it is left.

    >>> decided_reason("perceptron", 0.25, "", False, None)
    "Predicted by 'perceptron' with confidence 0.25; no label is needed."
    >>> decided_reason("auto", 4e-9, "", True, None)
    "Predicted by 'auto' with hardly any confidence; the label is wanted."
    """
    wish = "the label is wanted" if ask else "no label is needed"
    if not ask and spent is not None:
        wish = f"the budget of {spent} questions is spent"
    much = f"confidence {sure:.3g}" if sure >= HARDLY_ANY else "hardly any confidence"
    decided = f"Predicted by '{learner}' with {much}"
    return f"{decided}: {remark}; {wish}." if remark else f"{decided}; {wish}."


def _scores(standing: Standing, margins: Floats) -> dict[Hashable, float]:
    if len(margins) > 1:
        return dict(zip(standing.classes, margins.tolist(), strict=True))
    margin = float(margins[0])
    return dict(zip(standing.classes, [-margin, margin], strict=False))  # one class is coded −1
