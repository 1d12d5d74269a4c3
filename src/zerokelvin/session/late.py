"""Answers that come late: scored against the prediction that was shown to whoever gave them.

A prediction says how many events there were when it was made. If answers came since, the feedback was late:
no mistake bound speaks of predictions that were made before earlier answers were learnt, and the session's
bound says so. Those answers may have brought new classes, which the prediction could not name. One that was
made while no class was known named none, so it was not wrong.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from zerokelvin.errors import SessionError
from zerokelvin.games.labels import decide
from zerokelvin.session.predicting import predict
from zerokelvin.session.prediction import SKIP, Outcome, Prediction
from zerokelvin.session.standing import Standing

__all__ = ["shown_outcome"]


def shown_outcome(standing: Standing, node: Hashable, shown: Any) -> Outcome | None:
    """What an answer for a node finds, the prediction given having been shown.

    None where that prediction named no class because none was known, and none is known still.
    """
    if not isinstance(shown, Prediction):
        raise SessionError(f"shown={shown!r} is no prediction; give what predict({node!r}) returned.")
    if standing.graph.index(shown.node) != standing.graph.index(node):
        raise SessionError(
            f"the prediction shown is for node {shown.node!r}, not for {node!r}; give the one for {node!r}."
        )
    classes = tuple(shown.scores)
    if not set(classes) <= set(standing.classes):
        raise SessionError(
            f"the prediction shown was made with the classes {list(classes)!r}, which are "
            f"{list(standing.classes)!r} now; leave shown= out for this answer."
        )
    if not standing.classes:
        return None
    if shown.label not in (classes or (None,)):
        raise SessionError(f"the prediction shown has the label {shown.label!r}, which is no class.")
    overruled = shown.label is not None and shown.label != _by_margin(shown)
    answered = any(event.kind != SKIP for event in standing.events[shown.made_at :])
    late = answered or predict(standing, node).scores != shown.scores
    asked = shown.ask and not standing.spent  # the budget is a hard limit on what counts as asked
    left_out = shown.left_out if asked else ()
    return Outcome(shown.label, asked, overruled, left_out, shown=True, late=late)


def _by_margin(shown: Prediction) -> Hashable:
    """The class of the largest margin, whatever the class prior said."""
    margins, count = np.array(list(shown.scores.values())), len(shown.scores)
    code = decide(margins[None, -1:] if count <= 2 else margins[None, :], count)[0]
    return tuple(shown.scores)[int(code)]
