"""From an act on the labelling page to events: what was done, and what the model is told of it.

An act with a number that was seen before is done already, so that a retry or a double click counts once. One
that cannot be done is refused by itself; those beside it in a request go on.

For every item of an act the agreed label before it is compared with the one after it: none and then one is an
answer for the first item and a lesson for the others (they were not asked), any other difference a revision.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from zerokelvin.client.messages import Named
from zerokelvin.service.records.decisions import DecisionRecord
from zerokelvin.service.records.facts import Acted, Fact, Labelled, Owned, Passed, Revised
from zerokelvin.service.records.page_book import ANSWERING, PASSING, Given, PageAct, PageBook
from zerokelvin.service.records.projection import Projection
from zerokelvin.service.records.refusals import ConflictError, RefusedError

__all__ = ["ActsWish", "WantedAct", "facts_of_act"]

Change = tuple[Named | None, Named | None]
"""What is agreed on a node before and after an act."""


@dataclass(eq=False)
class WantedAct:
    """An act as a person wants it: `nodes` are the item and its near-duplicates, or all of a selection."""

    id: str
    kind: str
    nodes: list[Named] = field(default_factory=list)
    label: Named | None = None
    decision: str | None = None
    of: str | None = None
    audit: bool = False


@dataclass(eq=False)
class ActsWish:
    """Acts of one person to be done in order; `saved` and `refused` are found while they are written."""

    reviewer: str
    acts: list[WantedAct]
    saved: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


def facts_of_act(act: WantedAct, by: str, known: Projection, book: PageBook) -> list[Fact]:
    """The events that an act comes to: none where it was done before, refused where it cannot be done."""
    if act.id in book.acts:
        return []
    if act.kind in ("undo", "redo"):
        return _back_or_again(act, by, known, book)
    if act.kind == "change" and act.of is not None:
        changed = book.acts.get(act.of)
        if changed is None or changed.kind not in ANSWERING:
            raise RefusedError("of", act.of, "is no act that gave an answer")
        act.nodes = [known.name(node) for node in changed.nodes]
    if not act.nodes:
        raise RefusedError("node", None, f"is missing; name the item of '{act.kind}'")
    indices = [known.index(node, "node") for node in act.nodes]
    if act.kind in PASSING:
        done = Acted(act.id, act.kind, by, tuple(act.nodes), audit=act.audit)
        return [done, Passed(act.nodes[0])] if act.audit and not known.labels[indices[0]] else [done]
    if act.kind not in ANSWERING:
        raise RefusedError("kind", act.kind, "is no kind of act")
    if act.label is None:
        raise RefusedError("label", None, f"is missing; give the label of '{act.kind}'")
    label = known.label(act.label, "label")
    shown = None if act.decision is None else known.decision(act.decision, "decision")
    if shown is not None and shown.node != indices[0]:
        raise RefusedError("decision", act.decision, "is for another item; send the one that was shown")
    predicted = None if shown is None else known.classes[shown.code]
    record = None if shown is None else DecisionRecord.of(shown)
    done = Acted(act.id, act.kind, by, tuple(act.nodes), label, act.of, predicted, act.audit)
    after = {node: _agreed_with(book, node, by, Given(label, float("inf"), act.id)) for node in indices}
    return [done, *_told(after, known, act.id, record)]


def _back_or_again(act: WantedAct, by: str, known: Projection, book: PageBook) -> list[Fact]:
    again = act.kind == "redo"
    target = book.newest(by, undone=again) if act.of is None else book.acts.get(act.of)
    if target is None:
        raise ConflictError(f"nothing is left to {act.kind}.")
    if target.by != by:
        raise ConflictError("that was done by somebody else; only one's own acts can be undone.")
    if target.undone != again or target.kind not in (*ANSWERING, *PASSING):
        raise ConflictError(f"that cannot be {'redone' if again else 'undone'}: it is {_state(target)}.")
    names = tuple(known.name(node) for node in target.nodes)
    done = Acted(act.id, act.kind, by, names, target.label, target.id)
    if target.label is None:  # it was passed over
        return [done]
    if again:
        given = Given(target.label, float("inf"), target.id)
        after = {node: _agreed_with(book, node, by, given) for node in target.nodes}
    else:
        mine = [node for node in target.nodes if (book.last_on(node, by) is target)]
        after = {node: _agreed_with(book, node, by, target.before.get(node)) for node in mine}
    return [done, *_told(after, known, act.id, None)]


def _state(target: PageAct) -> str:
    return "undone already" if target.undone else "not undone"


def _agreed_with(
    book: PageBook, node: int, by: str, given: Given | None
) -> tuple[Named | None, Named | None]:
    """What is agreed on a node now, and what would be if somebody's answer were another."""
    others = {who: one for who, one in book.answers.get(node, {}).items() if who != by}
    answers = list(others.values()) if given is None else [*others.values(), given]
    if not answers:
        return book.agreed(node), None
    counts = Counter(one.label for one in answers)
    most = max(counts.values())
    best = min((one for one in answers if counts[one.label] == most), key=lambda one: one.at)
    return book.agreed(node), best.label


def _told(
    changes: dict[int, Change],
    known: Projection,
    act: str,
    record: DecisionRecord | None,
) -> list[Fact]:
    """What the model is told where agreed labels change."""
    facts: list[Fact] = []
    revised: list[tuple[Named, Named | None]] = []
    for place, (node, (before, after)) in enumerate(changes.items()):
        name = known.name(node)
        if before == after:
            continue
        if before is not None:
            revised.append((name, after))
        elif after is not None:
            facts.append(
                Labelled(name, after, record, act=act) if place == 0 else Owned(name, after, act=act)
            )
    if revised:
        nodes, labels = zip(*revised, strict=True)
        facts.append(Revised(tuple(nodes), tuple(labels), act))
    return facts
