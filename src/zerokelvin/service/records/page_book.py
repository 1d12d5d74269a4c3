"""What people did on the labelling page: a fold over the log, from which history, undo and agreement follow.

Everyone has their own answer for an item. What the model is told is the *agreed* label: what most of those
who answered say now, and of equally many the earliest. An act changes one person's answers; whether the model
must be told something follows from comparing what was agreed before with what is agreed after it
(`zerokelvin.service.records.page_acts`). Undoing an act puts back the answers before it wherever no newer act
has changed them.

Labels that came by other routes are answers of nobody in particular. Corrections by other routes replace all
answers for their node.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from zerokelvin.client.messages import Named
from zerokelvin.graph import Graph
from zerokelvin.service.records.facts import Acted, Corrected, Fact, Labelled, Owned, PageSet, Revised

__all__ = ["ANSWERING", "OUTSIDE", "PASSING", "Given", "PageAct", "PageBook", "PageSettings", "Waiting"]

ANSWERING = ("answer", "change", "label-many")
"""Kinds of acts that give a label."""

PASSING = ("skip", "unsure", "someone-else")
"""Kinds of acts that give none."""

OUTSIDE = ""
"""Who an answer is of that did not come from the page."""


class Given(NamedTuple):
    """Somebody's answer for an item: the label, when, and by which act."""

    label: Named
    at: float
    act: str


class Waiting(NamedTuple):
    """An item somebody passed over: how, and how many answers the project had then."""

    kind: str
    answers: int
    act: str


@dataclass(eq=False)
class PageAct:
    """An act as it was done: who, when, on which items; the answers before it; whether it is undone."""

    id: str
    kind: str
    by: str
    at: float
    nodes: tuple[int, ...]
    label: Named | None
    predicted: Named | None = None
    audit: bool = False
    before: dict[int, Given | None] = field(default_factory=dict)
    undone: bool = False


class PageSettings(NamedTuple):
    """What can be set for the page of a project."""

    guidelines: str = ""
    notes: dict[str, str] = {}  # noqa: RUF012 - replaced, never changed
    target: float = 0.02
    overlap: float = 0.0
    hide_guess: bool = False


class PageBook:
    """The acts, answers and settings of a project's page, nodes by index; read it under `lock`."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.lock = threading.RLock()
        self.acts: dict[str, PageAct] = {}
        self.order: list[PageAct] = []
        """Acts that can be undone, oldest first."""
        self.answers: dict[int, dict[str, Given]] = {}
        self.waiting: dict[int, dict[str, Waiting]] = {}
        self.settings = PageSettings()
        self.answered = 0
        """Items that have an answer or a label."""
        self.counts: dict[str, int] = {}
        """How many acts that give a label everybody has done and not undone."""
        self._done: dict[str, list[PageAct]] = {}
        self._undone: dict[str, list[PageAct]] = {}

    # -- reading ------------------------------------------------------------------------------------

    def agreed(self, node: int) -> Named | None:
        """The label that most say now, of equally many the one said first; None where nobody said one."""
        given = self.answers.get(node)
        if not given:
            return None
        if len(given) == 1:
            return next(iter(given.values())).label
        counts = Counter(one.label for one in given.values())
        most = max(counts.values())
        return min((one for one in given.values() if counts[one.label] == most), key=lambda one: one.at).label

    def newest(self, by: str, undone: bool = False) -> PageAct | None:
        """The act that undo takes back for somebody, or the one that redo does again."""
        stack = (self._undone if undone else self._done).get(by)
        return stack[-1] if stack else None

    def own(self, by: str) -> Sequence[PageAct]:
        """What somebody has done and not undone, oldest first."""
        return self._done.get(by, [])

    def last_on(self, node: int, by: str) -> PageAct | None:
        """The act that gave somebody's answer for a node."""
        given = self.answers.get(node, {}).get(by)
        return None if given is None else self.acts.get(given.act)

    # -- changing -----------------------------------------------------------------------------------

    def note(self, fact: Fact, at: float, actor: str = "") -> None:
        """Bring the book up to a stored event, which happened at the time `at` by `actor`."""
        with self.lock:
            if isinstance(fact, Acted):
                self._act(fact, at)
            elif isinstance(fact, (Labelled, Owned)) and fact.act is None:
                self._put(self.graph.index(fact.node), OUTSIDE, Given(fact.label, at, actor))
            elif isinstance(fact, Corrected):
                self._replace([(fact.node, fact.label)], at, actor)
            elif isinstance(fact, Revised) and fact.act is None:
                self._replace(zip(fact.nodes, fact.labels, strict=True), at, actor)
            elif isinstance(fact, PageSet):
                self._set(fact)

    def _act(self, fact: Acted, at: float) -> None:
        if fact.kind in ("undo", "redo"):
            target = self.acts[fact.of or ""]
            self.acts[fact.id] = PageAct(fact.id, fact.kind, fact.by, at, target.nodes, target.label)
            self._undo(target) if fact.kind == "undo" else self._redo(target, at)
            return
        nodes = tuple(self.graph.index(node) for node in fact.nodes)
        act = PageAct(fact.id, fact.kind, fact.by, at, nodes, fact.label, fact.predicted, fact.audit)
        self.acts[fact.id] = act
        self.order.append(act)
        self._done.setdefault(act.by, []).append(act)
        self._undone.pop(act.by, None)
        self._apply(act, at)

    def _apply(self, act: PageAct, at: float) -> None:
        act.before = {}
        self.counts[act.by] = self.counts.get(act.by, 0) + (act.kind in ANSWERING)
        for node in act.nodes:
            if act.kind in PASSING:
                self.waiting.setdefault(node, {})[act.by] = Waiting(act.kind, self.answered, act.id)
                continue
            act.before[node] = self.answers.get(node, {}).get(act.by)
            if act.label is not None:
                self._put(node, act.by, Given(act.label, at, act.id))

    def _undo(self, act: PageAct) -> None:
        act.undone = True
        self.counts[act.by] -= act.kind in ANSWERING
        stack = self._done.get(act.by, [])
        if act in stack:
            stack.remove(act)
        self._undone.setdefault(act.by, []).append(act)
        for node in act.nodes:
            own = self.waiting.get(node, {}).get(act.by)
            if own is not None and own.act == act.id:
                del self.waiting[node][act.by]
            now = self.answers.get(node, {}).get(act.by)
            if now is not None and now.act == act.id:
                self._put(node, act.by, act.before.get(node))

    def _redo(self, act: PageAct, at: float) -> None:
        act.undone = False
        stack = self._undone.get(act.by, [])
        if act in stack:
            stack.remove(act)
        self._done.setdefault(act.by, []).append(act)
        self._apply(act, at)

    def _put(self, node: int, by: str, given: Given | None) -> None:
        had = bool(self.answers.get(node))
        if given is not None:
            self.answers.setdefault(node, {})[by] = given
            self.waiting.pop(node, None)
        elif had:
            self.answers[node].pop(by, None)
        self.answered += bool(self.answers.get(node)) - had

    def _replace(self, pairs: Iterable[tuple[Named, Named | None]], at: float, actor: str) -> None:
        for name, label in pairs:
            node = self.graph.index(name)
            for by in list(self.answers.get(node, {})):
                self._put(node, by, None)
            if label is not None:
                self._put(node, OUTSIDE, Given(label, at, actor))

    def _set(self, fact: PageSet) -> None:
        fields = ("guidelines", "target", "overlap", "hide_guess")
        new = {name: value for name in fields if (value := getattr(fact, name)) is not None}
        notes = {**self.settings.notes, **fact.notes}
        self.settings = self.settings._replace(**new, notes=notes)

    def reviewers(self) -> Sequence[str]:
        """Everybody who did something, in the order they came."""
        return list(dict.fromkeys(act.by for act in self.acts.values()))
