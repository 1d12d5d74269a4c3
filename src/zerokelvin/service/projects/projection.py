"""What requests are checked against: a cheap picture of the log, never the learner.

It knows the names of the nodes, the classes, how many labels each node has, the budgets, and how many answers
were asked for today. What it accepts the session never refuses (`tests/service/test_state_machine.py`). A
group of requests that could not be written is taken back with `undo`.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

from zerokelvin.errors import NodeError
from zerokelvin.games.class_names import nearest
from zerokelvin.graph import Graph
from zerokelvin.service.messages import Named
from zerokelvin.service.projects.decisions import Decision, read_decision
from zerokelvin.service.projects.facts import Budgeted, Corrected, Created, Fact, Grown, Labelled, Lesson
from zerokelvin.service.projects.refusals import Refused
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP

__all__ = ["DAY", "Projection"]

DAY = 86400.0
"""Seconds of a day; days begin at midnight UTC."""


class Projection:
    """The names, classes and counts that the log has led to; see the module."""

    def __init__(self, created: Created, session: Session) -> None:
        self.created = created
        self.secret = base64.b64decode(created.secret)
        self.codes = {label: code for code, label in enumerate(created.classes)}
        self.graph: Graph = session.graph
        self.labels = Counter(event.node for event in session.events if event.kind != SKIP)
        self.budget = session.budget
        self.daily_budget = created.daily_budget
        self.day = 0
        self.asked_today = 0
        self._undo: list[Callable[[], None]] = []

    # -- reading ------------------------------------------------------------------------------------

    def index(self, node: Named, field: str) -> int:
        """The index of a node; refused where the graph has none of this name."""
        try:
            return self.graph.index(node)
        except NodeError:
            kind = "texts" if self.graph.names and isinstance(self.graph.names[0], str) else "whole numbers"
            raise Refused(
                field, node, f"is no node of this project, whose nodes are {kind}; add it with POST …/nodes"
            ) from None

    def label(self, label: Named, field: str) -> Named:
        """A label, which must be a class."""
        if label in self.codes and type(label) is type(self.created.classes[self.codes[label]]):
            return label
        near = nearest(label, self.created.classes)
        meant = f"give {near!r}" if near is not None else f"give one of {list(self.created.classes[:10])!r}"
        raise Refused(field, label, f"is no class of this project; {meant}")

    def decision(self, text: str, field: str) -> Decision:
        """A decision of this project, signed by it."""
        try:
            found = read_decision(self.secret, text)
        except Refused as problem:
            raise Refused(field, text[:80], str(problem).partition("' ")[2].rstrip(".")) from None
        return found

    def left_today(self, at: float) -> int | None:
        """How many questions are left for the day of a time; None for any number."""
        if self.daily_budget is None:
            return None
        asked = self.asked_today if int(at // DAY) <= self.day else 0
        return max(self.daily_budget - asked, 0)

    def name(self, index: int) -> Hashable:
        """The name of a node."""
        return self.graph.name(index)

    # -- changing -----------------------------------------------------------------------------------

    def note(self, facts: Sequence[Fact], at: float, grown: Graph | None = None) -> None:
        """Take events for granted that happened at a time; `grown` is the graph that a growth led to."""
        for fact in facts:
            if isinstance(fact, (Labelled, Lesson)):
                self._count(self.graph.index(fact.node), 1)
                if isinstance(fact, Labelled) and fact.decision is not None and fact.decision.ask:
                    self._asked(at)
            elif isinstance(fact, Corrected) and fact.label is None:
                self._count(self.graph.index(fact.node), -1)
            elif isinstance(fact, Budgeted):
                before = (self.budget, self.daily_budget)
                self._undo.append(lambda old=before: self._set_budgets(*old))  # type: ignore[misc]
                self._set_budgets(fact.budget, fact.daily_budget)
            elif isinstance(fact, Grown) and grown is not None:
                self._undo.append(lambda old=self.graph: self._set_graph(old))  # type: ignore[misc]
                self._set_graph(grown)

    def settle(self) -> None:
        """What was noted is written."""
        self._undo.clear()

    def undo(self) -> None:
        """What was noted since the last `settle` was not written."""
        while self._undo:
            self._undo.pop()()

    def set_day(self, day: int, asked: int) -> None:
        """Put back the count of answers asked for on a day."""
        self.day, self.asked_today = day, asked

    def _count(self, node: int, by: int) -> None:
        self.labels[node] += by
        self._undo.append(lambda: self.labels.update({node: -by}))

    def _asked(self, at: float) -> None:
        """One more answer that was asked for; a clock that goes back leaves the day as it is."""
        before, today = (self.day, self.asked_today), max(int(at // DAY), self.day)
        self._undo.append(lambda: self.set_day(*before))
        self.set_day(today, 1 if today > self.day else self.asked_today + 1)

    def _set_budgets(self, budget: int | None, daily: int | None) -> None:
        self.budget, self.daily_budget = budget, daily

    def _set_graph(self, graph: Graph) -> None:
        self.graph = graph
