"""Predictions as they go out: label, probabilities, whether to ask, why, and the signed decision.

Nothing is written. What is read of the session is what `Session.predict_many` and `predict_proba_one` give.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from zerokelvin.client.messages import Predicted
from zerokelvin.service.records.decisions import Decision, write_decision
from zerokelvin.service.records.projection import Projection
from zerokelvin.session import Prediction, Session
from zerokelvin.session.late import ShownDecision
from zerokelvin.session.predicting import class_shares, predict_many, shares_of
from zerokelvin.session.standing import Standing

__all__ = ["SPENT_TODAY", "forecast", "key_of"]

SPENT_TODAY = "the daily budget of {most} questions is spent"
FEW = 4
"""Nodes up to which probabilities are read one by one, which is faster then."""


def forecast(session: Session, nodes: Sequence[Hashable], known: Projection) -> list[Predicted]:
    """The predictions for nodes, all made from the same events."""
    standing = session._now()
    now, found = time.time(), predict_many(standing, nodes)
    left = known.left_today(now)
    rows: Any
    if len(nodes) <= FEW:
        rows = [tuple(class_shares(standing, one).values()) for one in found]
    else:
        indices = np.array([standing.graph.index(node) for node in nodes], dtype=np.int64)
        rows = shares_of(standing, indices).tolist()
    keys = [key_of(label) for label in standing.classes]
    return [
        _predicted(standing, one, dict(zip(keys, row, strict=True)), known, left, now)
        for one, row in zip(found, rows, strict=True)
    ]


def key_of(label: Hashable) -> str:
    """A class as a key of a JSON object."""
    return label if isinstance(label, str) else str(label)


def _predicted(
    standing: Standing,
    one: Prediction,
    shares: dict[str, float],
    known: Projection,
    left: int | None,
    now: float,
) -> Predicted:
    shown, ask, reason = ShownDecision.of(one), one.ask, one.reason
    if ask and left == 0:
        ask = False
        reason = f"{reason.rstrip('.')}, but {SPENT_TODAY.format(most=known.book.daily_budget)}."
    codes = standing.codes
    decision = Decision(
        standing.graph.index(one.node),
        codes[one.label],
        ask,
        shown.overruled,
        one.made_at,
        now,
        shown.digest,
        tuple(codes[label] for label in one.left_out) if ask else (),
    )
    text = write_decision(known.secret, decision)
    return Predicted(
        node=one.node,  # type: ignore[arg-type]
        label=one.label,  # type: ignore[arg-type]
        probabilities=shares,
        ask=ask,
        reason=reason,
        decision=text,
    )
