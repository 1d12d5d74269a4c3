"""A question as the page shows it: item, guess, probabilities, one plain sentence, the answers behind it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import numpy as np

from zerokelvin.client.page_messages import AskedTurn, Reason
from zerokelvin.service.page.asking import Choice
from zerokelvin.service.page.desk import Desk
from zerokelvin.service.projects.random_checks import pending_check
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.session import Session
from zerokelvin.session.predicting import shares_of

__all__ = ["SHOWN", "iso", "make_turn"]

SHOWN = 20
"""Classes whose probabilities go out, the most probable."""


def iso(at: float) -> str:
    """A time in seconds since 1970 as text."""
    return datetime.fromtimestamp(at, UTC).isoformat()


def make_turn(
    session: Session, desk: Desk, book: PageBook, choice: Choice, reviewer: str, *, lease: bool = True
) -> AskedTurn:
    """The question for a node; without a lease it is one that may come later, and has no decision."""
    node, project = choice.node, desk.project
    assert node is not None  # noqa: S101 - for the type checker
    standing = session.standing
    label: Any = None
    decision = None
    shares: list[tuple[Any, float]] = []
    if standing.classes:
        if lease:
            shown = project.forecasts(session).alone(node)
            label, decision = shown.label, shown.decision
        else:
            label = session.predict(standing.graph.name(node)).label
        row = shares_of(standing, np.array([node]))[0]
        order = np.argsort(-row, kind="stable")[:SHOWN].tolist()
        shares = [(standing.classes[code], float(row[code])) for code in order]
    audit = node == pending_check(session)
    because = desk.reasons(node, label, standing) if standing.counts.any() else []
    until = time.time() + project.settings.lease
    if lease:
        until = project.leases.take(node, reviewer, time.time(), project.settings.lease).until
    item = desk.item(node, session)
    own = dict(shares).get(label, 0.0)
    open_ones = [other for other in desk.duplicates(node) if other not in book.answers]
    return AskedTurn(
        node=desk.name(node),
        item=item,
        label=label,
        probabilities=shares,
        reason=plain_reason(label, own, because, begun=bool(standing.counts.any())),
        because=because,
        decision=decision,
        audit=audit,
        hidden=audit or choice.second or book.settings.hide_guess,
        lease_until=iso(until),
        duplicates=len(open_ones),
    )


def plain_reason(label: Any, share: float, because: list[Reason], *, begun: bool) -> str:
    """One sentence why a label is guessed.

    >>> plain_reason("spam", 0.87, [], begun=True)
    'No answered item is near, so “spam” is guessed from what is known of all (87 %).'
    >>> near = Reason(node=7, title="a mail", label="ham", share=1.0, image=None)
    >>> plain_reason("spam", 0.4, [near], begun=True)
    'The nearest answered item is “ham”, but all answers together point to “spam” (40 %).'
    """
    if label is None:
        return "No class is known yet: your first answer names one."
    if not begun:
        return "Nothing has been answered yet, so this is no more than a first guess."
    sure = f"{100 * share:.0f} %"
    if not because:
        return f"No answered item is near, so “{label}” is guessed from what is known of all ({sure})."
    same = [one for one in because if one.label == label]
    if not same:
        others = list(dict.fromkeys(f"“{one.label}”" for one in because))
        near = "item is" if len(because) == 1 else "items are"
        return (
            f"The nearest answered {near} {' and '.join(others)}, "
            f"but all answers together point to “{label}” ({sure})."
        )
    if len(same) == len(because):
        many = (
            "The nearest answered item is"
            if len(same) == 1
            else f"All {len(same)} nearest answered items are"
        )
        return f"{many} “{label}” ({sure})."
    verb = "is" if len(same) == 1 else "are"
    return f"{len(same)} of the {len(because)} nearest answered items {verb} “{label}” ({sure})."
