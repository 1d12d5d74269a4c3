"""Which question a person gets next on the page, and why there is none.

In this order: the one on their screen; one they hold a lease for; a random check where one is due; what
others handed over ("someone else"); a second look at what another answered, where overlap is wanted; the
question of the greatest value that nobody holds, by the newest model; what they skipped, the oldest first.

What somebody was unsure of comes back to them after 20 further answers of the project, and otherwise when
nothing else is left and there was an answer since. What somebody handed over never comes back to them.
"""

from __future__ import annotations

import time
from typing import Literal, NamedTuple

import numpy as np

from zerokelvin.asking.coin_hash import coins
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.session import Session

__all__ = ["Choice", "choose", "free_for"]

RETURNS = 20
"""Answers after which what somebody was unsure of comes back."""

MOST = 2000
"""Questions looked at beyond those that are taken."""

SALT = 0x0E1A
"""Keeps the coins of overlap apart from others of the seed."""

Done = Literal["all-answered", "budget", "leased-to-others", "no-classes"]


class Choice(NamedTuple):
    """A node, or why there is none; `second`: another has answered it; `check`: one is wanted."""

    node: int | None
    done: Done | None = None
    second: bool = False
    check: bool = False


def free_for(node: int, reviewer: str, book: PageBook, others: set[int], count: int) -> bool:
    """Whether somebody may be asked for a node: there, not theirs already, not on another's screen."""
    own = book.waiting.get(node, {}).get(reviewer)
    if not 0 <= node < count or node in others or (own is not None and own.kind == "someone-else"):
        return False
    return reviewer not in book.answers.get(node, {})


def choose(
    session: Session,
    project: Project,
    book: PageBook,
    reviewer: str,
    first: list[int],
    check: int | None = None,
    done: int | None = None,
) -> Choice:
    """The next question; `first` are nodes preferred in this order, `check` a random check that is due.

    With `done` it is the one that follows an answer to that node, which somebody looks at still.
    """
    standing, now = session.standing, time.time()
    count, leases, labels = standing.graph.num_nodes, project.leases, project.known.labels
    others = leases.of_others(reviewer, now)
    if done is not None:
        others.add(done)
    with book.lock:
        waits = {node: own[reviewer] for node, own in book.waiting.items() if reviewer in own}
        for node in first:
            if free_for(node, reviewer, book, others, count):
                return Choice(node, second=labels[node] > 0)
        for node in leases.of(reviewer, now):
            if free_for(node, reviewer, book, others, count) and node not in waits:
                return Choice(node, second=labels[node] > 0)
        if check is not None and check not in others and not labels[check]:
            return Choice(check)
        handed = [n for n, own in book.waiting.items() if any(w.kind == "someone-else" for w in own.values())]
        for node in handed:
            if free_for(node, reviewer, book, others, count) and not labels[node] and node not in waits:
                return Choice(node)
        second = _second_look(session, book, reviewer, others, done is not None)
        if second is not None:
            return Choice(second, second=True)
        back = [node for node, own in waits.items() if own.kind == "unsure"]
        ripe = {node for node in back if book.answered >= waits[node].answers + RETURNS}
    avoid = others | (set(waits) - ripe)
    names = session.open_questions(min(1 + len(avoid), MOST))
    for name in names:
        node = standing.graph.index(name)
        if node not in avoid:
            return Choice(node)
    skipped = [node for node, own in waits.items() if own.kind == "skip" and not labels[node]]
    unsure = [node for node in back if not labels[node] and book.answered > waits[node].answers]
    for node in [*skipped, *unsure]:
        if node not in others:
            return Choice(node)
    return _ended(standing.spent, count, project, set(waits), others)


def _ended(spent: bool, count: int, project: Project, mine: set[int], others: set[int]) -> Choice:
    """Why there is no question; or that a random check should be asked."""
    if spent:
        return Choice(None, "budget")
    labels, answered = project.known.labels, project.known.answered
    if answered >= count:
        return Choice(None, "all-answered")
    if any(not labels[node] for node in others):
        left = count - answered - sum(not labels[node] for node in others | mine)
        return Choice(None, check=True) if left > 0 else Choice(None, "leased-to-others")
    return Choice(None, "all-answered", check=count - answered > sum(not labels[node] for node in mine))


def _second_look(session: Session, book: PageBook, reviewer: str, others: set[int], more: int) -> int | None:
    """A node that one other person answered and that is in the share to be answered twice, the oldest.

    Every second question of a person may be one; `more` are answers that are supposed to come first.
    """
    share = book.settings.overlap
    if share <= 0 or (book.counts.get(reviewer, 0) + more) % 2:
        return None
    seed = session.seed ^ SALT
    for node, given in book.answers.items():
        people = [who for who in given if who]
        if len(people) == 1 and people[0] != reviewer and node not in others:
            handed = book.waiting.get(node, {}).get(reviewer)
            if handed is None and coins(seed, np.array([node]))[0] < share:
                return node
    return None
