"""From requests to events: each kind of request is checked against the projection and becomes facts.

Nothing changes here. A growth is checked elsewhere, by trying it (`zerokelvin.service.projects.writer`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from zerokelvin.client.messages import Answers, Correct, Named, SetBudget, Skip, Teach
from zerokelvin.service.records.decisions import DecisionRecord
from zerokelvin.service.records.facts import (
    Budgeted,
    CheckDrawn,
    ClassesAdded,
    Corrected,
    Fact,
    Labelled,
    Owned,
    PageSet,
    Passed,
    PutAway,
    Revised,
    TakenOut,
)
from zerokelvin.service.records.projection import Projection
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.store.log import ARCHIVED, RESTORED

__all__ = ["ArchiveWish", "DrawCheck", "PageWish", "Told", "facts_of"]


MOST_LABEL = 200
"""Characters of a class that is typed in the page."""

MOST_CLASSES = 10_000


class Told(NamedTuple):
    """A fact to be appended to the log, and the kind of its event."""

    kind: str
    fact: Fact


class PageWish(NamedTuple):
    """Settings of the page that change, and classes that are added."""

    changed: PageSet | None = None
    classes: tuple[Named, ...] = ()
    audit_share: float | None = None


class ArchiveWish(NamedTuple):
    """To put a project away, or to take it out again."""

    away: bool


class DrawCheck(NamedTuple):
    """To draw a random check, unless one waits for its answer."""


def facts_of(request: Any, known: Projection) -> list[Told]:
    """The events that a request comes to; refused as a whole where a part of it is."""
    if not isinstance(request, ArchiveWish):
        known.require_in_use()
    match request:
        case Answers():
            return [_answer(i, one, known) for i, one in enumerate(request.labels)]
        case Teach():
            told = []
            for i, one in enumerate(request.labels):
                known.index(one.node, f"labels[{i}].node")
                label = known.label(one.label, f"labels[{i}].label")
                told.append(Told("teach", Owned(one.node, label)))
            return told
        case Correct():
            return [_correction(request, known)]
        case Skip():
            nodes = [*([] if request.node is None else [request.node]), *request.nodes]
            if not nodes:
                raise RefusedError("node", None, "names no node to pass over")
            for i, node in enumerate(nodes):
                known.index(node, "node" if len(nodes) == 1 else f"nodes[{i}]")
            return [Told("skip", Passed(node)) for node in nodes]
        case SetBudget():
            unset = msgspec.UNSET
            budget = known.budget if request.budget is unset else request.budget
            daily = known.book.daily_budget if request.daily_budget is unset else request.daily_budget
            share = known.book.audit_share if request.audit_share is unset else request.audit_share
            return [Told("budget", Budgeted(budget, daily, share))]
        case PageWish():
            told = [] if request.changed is None else [Told("page", request.changed)]
            if request.audit_share is not None:
                told.append(
                    Told("budget", Budgeted(known.budget, known.book.daily_budget, request.audit_share))
                )
            new = tuple(_new_class(label, known) for label in dict.fromkeys(request.classes))
            fresh = tuple(label for label in new if label not in known.codes)
            return [*told, Told("classes", ClassesAdded(fresh))] if fresh else told
        case DrawCheck():
            return [Told("check", CheckDrawn())]
        case ArchiveWish():
            return [Told(ARCHIVED, PutAway()) if request.away else Told(RESTORED, TakenOut())]
    raise TypeError(f"{type(request).__name__} is no request that writes")


def _correction(request: Correct, known: Projection) -> Told:
    if request.labels:
        if request.node is not None or request.label is not msgspec.UNSET:
            raise RefusedError("labels", "[…]", "stand beside a node or a label; give one of both")
        nodes = [one.node for one in request.labels]
        rights = [_right(one.node, one.label, known, f"labels[{i}].") for i, one in enumerate(request.labels)]
        last = {node: i for i, node in enumerate(nodes)}
        for i, node in enumerate(nodes):
            if last[node] != i:
                raise RefusedError(f"labels[{last[node]}].node", node, "stood there before; send it once")
        return Told("revise", Revised(tuple(nodes), tuple(rights)))
    if request.node is None:
        raise RefusedError("node", None, "names no node to correct")
    if request.label is msgspec.UNSET:
        raise RefusedError("label", None, "is missing; give the right one, or null to take the last one back")
    return Told("correct", Corrected(request.node, _right(request.node, request.label, known, "")))


def _right(node: Named, label: Named | None, known: Projection, where: str) -> Named | None:
    """The label that a node is to have; refused where it has none to correct."""
    if known.labels[known.index(node, f"{where}node")] < 1:
        raise RefusedError(f"{where}node", node, "has no label to correct; send it to POST …/labels")
    return None if label is None else known.label(label, f"{where}label")


def _new_class(label: Named, known: Projection) -> Named:
    """A class that may be added; refused where classes are fixed or where it is no name."""
    if label in known.codes:
        return label
    if not known.created.open_classes:
        raise RefusedError("add_classes", label, "is no class of this project, whose classes are fixed")
    if known.classes and type(label) is not type(known.classes[0]):
        raise RefusedError("add_classes", label, "is of another kind than the classes there are")
    if isinstance(label, str) and (not label.strip() or len(label) > MOST_LABEL or not label.isprintable()):
        raise RefusedError(
            "add_classes", label, f"is empty, longer than {MOST_LABEL} characters or unprintable"
        )
    if len(known.classes) >= MOST_CLASSES:
        raise RefusedError("add_classes", label, f"would be more than {MOST_CLASSES:,} classes")
    return label


def _answer(i: int, one: Any, known: Projection) -> Told:
    field = f"labels[{i}]"
    label = known.label(one.label, f"{field}.label")
    if one.decision is None:
        if one.node is None:
            raise RefusedError(
                f"{field}.node", None, "is missing; give the node, or the decision shown for it"
            )
        known.index(one.node, f"{field}.node")
        return Told("label", Labelled(one.node, label, source=one.source))
    shown = known.decision(one.decision, f"{field}.decision")
    if one.node is not None and known.index(one.node, f"{field}.node") != shown.node:
        raise RefusedError(
            f"{field}.decision",
            one.decision,
            f"is for node {known.name(shown.node)!r}, not for {one.node!r}; send the one that was shown",
        )
    record = DecisionRecord.of(shown)
    node = known.name(shown.node) if one.node is None else one.node
    return Told("label", Labelled(node, label, record, one.source))
