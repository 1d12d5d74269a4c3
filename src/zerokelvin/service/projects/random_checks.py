"""Random checks in a project: when one is due, which one waits, and what all of them prove.

A check is a question drawn by `Session.random_check`, whatever the policy wants. Drawing is an event of the
log ("check"), which a restart tells the session again, so that it draws the same node; any answer for that
node, by whom and however it came, is its check (`zerokelvin.guarantee`). One check waits at a time.

With an audit share s, the question after t trials is a check where the coin of t, which no other draw uses,
is below s. The coin knows nothing of the labels, so the guarantee holds whatever the share.
"""

from __future__ import annotations

import numpy as np

from zerokelvin.asking.coin_hash import coins
from zerokelvin.client.messages import GuaranteeShown
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP

__all__ = ["check_due", "guarantee_shown", "may_draw", "pending_check"]

SALT = 0xC0DE
"""Keeps these coins apart from those of trials and draws, which have the same seed."""

CONFIDENCE = 0.95
"""Of the guarantee, unless another is asked for."""


def pending_check(session: Session) -> int | None:
    """The index of the node that was drawn and waits for its answer; None where none does."""
    standing = session.standing
    if not standing.checks.draws:
        return None
    last = standing.checks.draws[-1]
    told = any(event.node == last.node for event in standing.events[last.told :])
    return None if told else last.node


def may_draw(session: Session) -> bool:
    """Whether a node is left that could be drawn."""
    standing = session.standing
    gone = {event.node for event in standing.events if event.kind != SKIP}
    gone.update(draw.node for draw in standing.checks.draws)
    return len(gone) < standing.graph.num_nodes


def check_due(session: Session, share: float) -> bool:
    """Whether the next question is to be a check, by the share of questions that are."""
    if share <= 0.0:
        return False
    standing = session.standing
    return bool(coins(standing.terms.seed ^ SALT, np.array([standing.trials]))[0] < share)


def guarantee_shown(session: Session, confidence: float = CONFIDENCE) -> GuaranteeShown:
    """What the checks prove, as it goes out.

    >>> from zerokelvin.graph import Graph
    >>> from zerokelvin.session import start
    >>> line = Graph.from_edges([("a", "b"), ("b", "c")])
    >>> guarantee_shown(start(line, "nearest", classes=["no", "yes"])).sentence
    'nothing is proved of the 3 labels that go out unasked (0 random checks)'
    """
    found = session.guarantee(confidence)
    sentence = str(found)
    if found.unasked and not found.checks:
        done = len(session.standing.checks.draws) - (pending_check(session) is not None)
        checks = "the random check" if done == 1 else f"the {done} random checks"
        why = f"predictions changed since {checks}" if done else "0 random checks"
        many = f"{found.unasked:,} labels that go" if found.unasked > 1 else "one label that goes"
        sentence = f"nothing is proved of the {many} out unasked ({why})"
    return GuaranteeShown(
        sentence=sentence,
        error_at_most=found.error_at_most,
        wrong_at_most=found.wrong_at_most,
        confidence=found.confidence,
        checks=found.checks,
        unasked=found.unasked,
        changed=found.changed,
    )
