"""Where the work stands: what is answered, what the random checks prove of the rest, what is left to do.

The limit is what `Session.guarantee` proves. It looks at every node, so on large projects it is computed
beside the turns: what a turn shows is then a few answers old, never a certificate or an export.

How many answers are left is an estimate, not a promise: with c checks of which w were wrong the limit is near
w/c + 4/c, so the checks still needed are those at which that falls to the target, and one question in 1/share
is a check.
"""

from __future__ import annotations

import math
import statistics
import time
from itertools import pairwise

from zerokelvin.client.messages import GuaranteeShown
from zerokelvin.client.page_messages import OtherReviewer, StandingShown
from zerokelvin.service.page.desk import Desk
from zerokelvin.service.page.turns import iso
from zerokelvin.service.projects.random_checks import guarantee_shown
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.session import Session

__all__ = ["CONFIDENCE", "answers_left", "fresh_guarantee", "standing_shown"]

CONFIDENCE = 0.95
AT_ONCE = 4000
"""Nodes up to which the limit is computed in every turn."""

OPEN = 4.0
"""With c checks, all right, the limit at 0.95 is near OPEN / c."""

RECENT = 30
LONG = 120.0
"""Seconds between two answers above which somebody has been away."""


def fresh_guarantee(session: Session, desk: Desk) -> GuaranteeShown | None:
    """What the checks prove now; None while no class is known."""
    events = desk.project.events
    if not session.classes:
        return None
    if desk.proved is None or desk.proved[0] != events:
        desk.proved = (events, guarantee_shown(session, CONFIDENCE))
    return desk.proved[1]


def standing_shown(session: Session, desk: Desk, book: PageBook, reviewer: str) -> StandingShown:
    """Where the work stands, for somebody."""
    project, target = desk.project, book.settings.target
    count = session.graph.num_nodes
    small = count <= AT_ONCE
    proved = fresh_guarantee(session, desk) if small else (desk.proved[1] if desk.proved else None)
    checks = 0 if proved is None else proved.checks
    limit = proved.error_at_most if proved is not None and (checks or not proved.unasked) else None
    now = time.time()
    answered = project.known.answered
    left = answers_left(limit, checks, target, project.known.book.audit_share, count - answered)
    pace = _pace(book, reviewer)
    on = [(node, lease) for node, lease in project.leases.held(now) if lease.reviewer != reviewer]
    return StandingShown(
        answered=answered,
        items=count,
        mistakes=session.mistakes,
        target=target,
        error_at_most=limit,
        estimate=None if session.remaining_error is None else float(session.remaining_error),
        confidence=CONFIDENCE,
        checks=checks,
        answers_left=left,
        seconds_left=None if left is None or pace is None else left * pace,
        sentence="no random check has been answered yet" if proved is None else proved.sentence,
        others=[
            OtherReviewer(reviewer=one.reviewer, node=desk.name(node), until=iso(one.until))
            for node, one in on
        ],
    )


def answers_left(
    limit: float | None, checks: int, target: float, share: float, unanswered: int
) -> int | None:
    """About how many answers it takes until the target is proved; None where that cannot be said.

    >>> answers_left(None, 0, 0.02, 0.1, 10_000), answers_left(0.04, 100, 0.02, 0.1, 10_000)
    (2000, 1000)
    >>> answers_left(0.01, 400, 0.02, 0.1, 10_000), answers_left(0.3, 50, 0.02, 0.1, 10_000)
    (0, None)
    """
    if not unanswered or (limit is not None and limit <= target):
        return 0
    if not share:
        return None
    wrong = 0.0 if limit is None or not checks else max(limit - OPEN / checks, 0.0)
    if wrong >= target:
        return None
    needed = max(OPEN / (target - wrong) - checks, 1.0)
    return min(math.ceil(needed / share - 1e-9), unanswered)


def _pace(book: PageBook, reviewer: str) -> float | None:
    """Seconds somebody takes for an answer: the median of the last ones, without breaks."""
    with book.lock:
        times = [act.at for act in book.own(reviewer)[-RECENT:]]
    gaps = [b - a for a, b in pairwise(times) if 0 < b - a < LONG]
    return statistics.median(gaps) if len(gaps) >= 3 else None
