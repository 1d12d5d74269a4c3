"""Telling events to a session: live, one group after the other, and again from the log after a restart.

Runs of plain answers and of lessons are told in one call (`learn_many`, `teach`), which a session promises to
be the same as one by one. What goes back over answers, a correction or a growth, is made beside, in a session
of its own that shares what does not change, so that the present one can be read meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from typing import TypeVar

from zerokelvin.errors import SessionError
from zerokelvin.service.records.decisions import DecisionRecord
from zerokelvin.service.records.facts import (
    Budgeted,
    CheckDrawn,
    ClassesAdded,
    Corrected,
    Fact,
    Grown,
    Labelled,
    Owned,
    Passed,
    Revised,
)
from zerokelvin.session import Session
from zerokelvin.session.late import ShownDecision

__all__ = ["beside", "goes_back", "runs", "tell"]

T = TypeVar("T")


def runs(items: Iterable[T], of: Callable[[T], Fact]) -> Iterator[list[T]]:
    """Items in runs whose events are told in one call: plain answers, lessons; every other one by itself.

    `of` gives the event of an item.
    """
    for _, run in groupby(enumerate(items), key=lambda pair: _run_key(pair[0], of(pair[1]))):
        yield [item for _, item in run]


def goes_back(fact: Fact) -> bool:
    """Whether an event makes a session go back over its answers, which may take long."""
    return isinstance(fact, (Corrected, Revised, ClassesAdded, Grown))


def tell(session: Session, run: Sequence[Fact]) -> None:
    """Let a session learn a run of events; those that are about the project alone change nothing."""
    first = run[0]
    if isinstance(first, Labelled) and first.decision is None:
        plain = [fact for fact in run if isinstance(fact, Labelled)]
        session.learn_many([(fact.node, fact.label) for fact in plain])
    elif isinstance(first, Owned):
        session.teach([(fact.node, fact.label) for fact in run if isinstance(fact, Owned)])
    elif isinstance(first, Labelled) and first.decision is not None:
        session.learn(first.node, first.label, shown=_shown(session, first, first.decision))
    elif isinstance(first, Passed):
        session.skip(first.node)
    elif isinstance(first, Corrected):
        session.correct(first.node, first.label)
    elif isinstance(first, Revised):
        session.correct_many(zip(first.nodes, first.labels, strict=True))
    elif isinstance(first, ClassesAdded):
        session.add_classes(first.labels)
    elif isinstance(first, Grown):
        pairs = [(source, target) for source, target, _ in first.edges]
        weights = [weight for *_, weight in first.edges] if pairs else None
        known = first.columns if first.columns is not None else first.rows
        session.add_nodes(first.nodes, pairs, weights, attributes=known)
    elif isinstance(first, Budgeted):
        session.budget = first.budget
    elif isinstance(first, CheckDrawn):
        with suppress(SessionError):  # an answer may have come for the last node that could be drawn
            session.random_check()


def beside(session: Session) -> Session:
    """Another session at the same place, for what is made beside; it must not learn in place."""
    return Session(session.standing)


def _run_key(i: int, fact: Fact) -> tuple[str, int]:
    if isinstance(fact, Labelled) and fact.decision is None:
        return ("label", 0)
    if isinstance(fact, Owned):
        return ("teach", 0)
    return ("alone", i)


def _shown(session: Session, fact: Labelled, record: DecisionRecord) -> ShownDecision:
    classes = session.classes
    return ShownDecision(
        fact.node,
        classes[record.code],
        record.ask,
        record.overruled,
        tuple(classes[code] for code in record.left_out),
        record.made_at,
        classes,
        bytes.fromhex(record.digest),
    )
