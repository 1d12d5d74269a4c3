"""Answers that come late: scored against the prediction that was shown to whoever gave them.

A prediction says how many events there were when it was made. If answers came since, the feedback was late:
no mistake bound speaks of predictions that were made before earlier answers were learnt, and the session's
bound says so. Those answers may have brought new classes, which the prediction could not name. One that was
made while no class was known named none, so it was not wrong.

Who cannot keep a whole prediction until the answer comes keeps a `ShownDecision` of it, which is all that an
answer is scored by; instead of the scores it has a digest of them.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from zerokelvin.errors import SessionError
from zerokelvin.games.labels import decide
from zerokelvin.session.predicting import predict
from zerokelvin.session.prediction import SKIP, Outcome, Prediction
from zerokelvin.session.standing import Standing

__all__ = ["DIGEST", "ShownDecision", "score_digest", "shown_outcome"]

DIGEST = 8
"""Bytes of a digest of scores: two different ones are taken for equal once in 2⁶⁴ times."""


class ShownDecision(NamedTuple):
    """What an answer is scored by: the part of a prediction that matters once it was shown.

    `overruled` says that the class prior had overruled the margin, `classes` are those of the session then,
    and `digest` is the `score_digest` of the prediction's scores.
    """

    node: Hashable
    label: Hashable
    ask: bool
    overruled: bool
    left_out: tuple[Hashable, ...]
    made_at: int
    classes: tuple[Hashable, ...]
    digest: bytes

    @classmethod
    def of(cls, prediction: Prediction) -> ShownDecision:
        """What is needed of a prediction."""
        label = prediction.label
        return cls(
            prediction.node,
            label,
            prediction.ask,
            label is not None and label != _by_margin(prediction),
            prediction.left_out,
            prediction.made_at,
            tuple(prediction.scores),
            score_digest(prediction.scores),
        )


def score_digest(scores: Mapping[Hashable, float]) -> bytes:
    """A few bytes that are equal for equal scores, and for other scores practically never.

    >>> score_digest({"fraud": 0.0, "ok": 1.0}) == score_digest({"fraud": -0.0, "ok": 1.0})
    True
    """
    values = array("d", [score + 0.0 for score in scores.values()])  # −0.0 equals 0.0, and so do these bytes
    return hashlib.blake2b(values.tobytes(), digest_size=DIGEST).digest()


def shown_outcome(standing: Standing, node: Hashable, shown: Any) -> Outcome | None:
    """What an answer for a node finds, the prediction given having been shown.

    None where that prediction named no class because none was known, and none is known still.
    """
    if isinstance(shown, Prediction):
        if shown.label not in (tuple(shown.scores) or (None,)):
            raise SessionError(f"the prediction shown has the label {shown.label!r}, which is no class.")
        shown = ShownDecision.of(shown)
    if not isinstance(shown, ShownDecision):
        raise SessionError(f"shown={shown!r} is no prediction; give what predict({node!r}) returned.")
    if standing.graph.index(shown.node) != standing.graph.index(node):
        raise SessionError(
            f"the prediction shown is for node {shown.node!r}, not for {node!r}; give the one for {node!r}."
        )
    classes = shown.classes
    if not set(classes) <= set(standing.classes):
        raise SessionError(
            f"the prediction shown was made with the classes {list(classes)!r}, which are "
            f"{list(standing.classes)!r} now; leave shown= out for this answer."
        )
    if not standing.classes:
        return None
    if shown.label not in (classes or (None,)):
        raise SessionError(f"the prediction shown has the label {shown.label!r}, which is no class.")
    answered = any(event.kind != SKIP for event in standing.events[shown.made_at :])
    late = answered or score_digest(predict(standing, node).scores) != shown.digest
    asked = shown.ask and not standing.spent  # the budget is a hard limit on what counts as asked
    left_out = shown.left_out if asked else ()
    return Outcome(shown.label, asked, shown.overruled, left_out, shown=True, late=late)


def _by_margin(shown: Prediction) -> Hashable:
    """The class of the largest margin, whatever the class prior said."""
    margins, count = np.array(list(shown.scores.values())), len(shown.scores)
    code = decide(margins[None, -1:] if count <= 2 else margins[None, :], count)[0]
    return tuple(shown.scores)[int(code)]
