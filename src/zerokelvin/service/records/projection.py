"""What requests are checked against: a cheap picture of the log, never the learner.

It knows the names of the nodes, the classes, how many labels each node has, the budgets, and how many answers
were asked for today. What it accepts the session never refuses (`tests/service/test_state_machine.py`). A
group of requests that could not be written is taken back with `undo`.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from zerokelvin.client.messages import Named
from zerokelvin.errors import NodeError
from zerokelvin.games.class_names import nearest
from zerokelvin.graph import Graph
from zerokelvin.service.records.decisions import Decision, read_decision
from zerokelvin.service.records.facts import (
    Budgeted,
    ClassesAdded,
    Corrected,
    Created,
    Fact,
    Labelled,
    Owned,
    PutAway,
    Revised,
    TakenOut,
)
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.service.records.project_names import all_named, named
from zerokelvin.service.records.refusals import ConflictError, RefusedError
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP

__all__ = ["DAY", "Book", "Projection"]

DAY = 86400.0
"""Seconds of a day; days begin at midnight UTC."""


class Book(NamedTuple):
    """What is known beside the session.

    Questions allowed per day, the last day that had one and how many it had, whether it is put away, and the
    share of questions that are random checks.
    """

    daily_budget: int | None
    day: int
    asked_today: int
    archived: bool = False
    audit_share: float = 0.0


class Projection:
    """The names, classes and counts that the log has led to; see the module."""

    def __init__(self, created: Created, session: Session, created_at: float = 0.0) -> None:
        self.created, self.created_at = created, created_at
        self.policy = str(session.policy)
        self.secret = base64.b64decode(created.secret)
        self._put_classes(tuple(all_named(session.classes or created.classes)))
        self.page: PageBook | None = None
        """What people did on the page, where somebody has looked at it since the project woke."""
        self.graph: Graph = session.graph
        self.labels = Counter(event.node for event in session.events if event.kind != SKIP)
        self.budget = session.budget
        self.book = Book(created.daily_budget, 0, 0, audit_share=created.audit_share)
        self.answered = sum(count > 0 for count in self.labels.values())
        """Nodes that have a label; `labels` must not be gone through while it is written to."""
        self._undo: list[Callable[[], None]] = []

    # -- reading ------------------------------------------------------------------------------------

    def require_in_use(self) -> None:
        """Refuse to change a project that is put away."""
        if self.book.archived:
            raise ConflictError(
                f"project '{self.created.name}' is archived; POST …/restore takes it out again."
            )

    def index(self, node: Named, field: str) -> int:
        """The index of a node; refused where the graph has none of this name."""
        try:
            return self.graph.index(node)
        except NodeError:
            kind = "texts" if self.graph.names and isinstance(self.graph.names[0], str) else "whole numbers"
            raise RefusedError(
                field, node, f"is no node of this project, whose nodes are {kind}; add it with POST …/nodes"
            ) from None

    def label(self, label: Named, field: str) -> Named:
        """A label, which must be a class."""
        if label in self.codes and type(label) is type(self.classes[self.codes[label]]):
            return label
        near = nearest(label, self.classes)
        meant = f"give {near!r}" if near is not None else f"give one of {list(self.classes[:10])!r}"
        raise RefusedError(field, label, f"is no class of this project; {meant}")

    def decision(self, text: str, field: str) -> Decision:
        """A decision of this project, signed by it."""
        try:
            found = read_decision(self.secret, text)
        except RefusedError as problem:
            raise RefusedError(field, text[:80], str(problem).partition("' ")[2].rstrip(".")) from None
        return found

    def left_today(self, at: float) -> int | None:
        """How many questions are left for the day of a time; None for any number."""
        allowed, day, asked, *_ = self.book
        return None if allowed is None else max(allowed - (asked if int(at // DAY) <= day else 0), 0)

    def name(self, index: int) -> Named:
        """The name of the node with this index."""
        return named(self.graph.name(index))

    # -- changing -----------------------------------------------------------------------------------

    def note(self, facts: Sequence[Fact], at: float, actor: str = "") -> None:
        """Take events for granted that happened at a time, but for the graph (`show_graph`)."""
        for fact in facts:
            if self.page is not None:
                self.page.note(fact, at, actor)
            if isinstance(fact, (Labelled, Owned)):
                self._count(self.graph.index(fact.node), 1)
                if isinstance(fact, Labelled) and fact.decision is not None and fact.decision.ask:
                    self._asked(at)
            elif isinstance(fact, Corrected) and fact.label is None:
                self._count(self.graph.index(fact.node), -1)
            elif isinstance(fact, Revised):
                for node, label in zip(fact.nodes, fact.labels, strict=True):
                    if label is None:
                        self._count(self.graph.index(node), -1)
            elif isinstance(fact, ClassesAdded):
                self._set_classes((*self.classes, *fact.labels))
            elif isinstance(fact, Budgeted):
                self._set_budget(fact.budget)
                self._set_book(
                    self.book._replace(daily_budget=fact.daily_budget, audit_share=fact.audit_share)
                )
            elif isinstance(fact, (PutAway, TakenOut)):
                self._set_book(self.book._replace(archived=isinstance(fact, PutAway)))

    def settle(self) -> None:
        """Keep what was noted for good: it is written, and nothing of it will be taken back."""
        self._undo.clear()

    def undo(self) -> None:
        """What was noted since the last `settle` was not written."""
        if self._undo:
            self.page = None  # folded from the log again when needed
        while self._undo:
            self._undo.pop()()

    def _count(self, node: int, by: int) -> None:
        self._add(node, by)
        self._undo.append(partial(self._add, node, -by))

    def _add(self, node: int, by: int) -> None:
        before = self.labels[node]
        self.labels[node] = before + by
        self.answered += (before + by > 0) - (before > 0)

    def _asked(self, at: float) -> None:
        """One more answer that was asked for; a clock that goes back leaves the day as it is."""
        book, today = self.book, int(at // DAY)
        if today > book.day:
            self._set_book(book._replace(day=today, asked_today=1))
        else:
            self._set_book(book._replace(asked_today=book.asked_today + 1))

    def _set_book(self, book: Book) -> None:
        self._undo.append(partial(setattr, self, "book", self.book))
        self.book = book

    def _set_budget(self, budget: int | None) -> None:
        self._undo.append(partial(setattr, self, "budget", self.budget))
        self.budget = budget

    def _set_classes(self, classes: tuple[Named, ...]) -> None:
        self._undo.append(partial(self._put_classes, self.classes))
        self._put_classes(classes)

    def _put_classes(self, classes: tuple[Named, ...]) -> None:
        self.classes: tuple[Named, ...] = classes
        self.codes = {label: code for code, label in enumerate(classes)}

    def show_graph(self, graph: Graph) -> None:
        """The graph has grown. Under the lock of the session, so that no node is known before it is there."""
        self.graph = graph
        if self.page is not None:
            self.page.graph = graph
