"""The thread of a project that checks requests, writes their events and lets them be acknowledged.

All requests that wait are written in one durable transaction, each with its answer if it has an idempotency
key. A growth goes by itself: once all that was written is learnt, it is tried on a session beside, and only
what the session took is written. So whatever is in the log the session can learn.

Above 300 lines: one thread and what it does with the requests of a group, in the order of a commit.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from zerokelvin.client.messages import AddEdges, AddedNodes, AddNodes, Numbered
from zerokelvin.errors import ZerokelvinError
from zerokelvin.service.projects.learning_thread import LearningThread, Lesson
from zerokelvin.service.projects.project_shown import project_shown
from zerokelvin.service.projects.tracing import Tracing
from zerokelvin.service.records.attribute_source import checked_table
from zerokelvin.service.records.commands import ArchiveWish, Told, facts_of
from zerokelvin.service.records.facts import KIND_OF, KINDS, Fact, Grown
from zerokelvin.service.records.graph_source import weighted_edges
from zerokelvin.service.records.packed_reference import refuse_growth
from zerokelvin.service.records.page_acts import ActsWish, facts_of_act
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.service.records.projection import Book, Projection
from zerokelvin.service.records.refusals import BusyError, RefusedError
from zerokelvin.service.records.telling import beside, tell
from zerokelvin.service.store import Log, NewEvent, StoreError, StoreFull
from zerokelvin.service.store.log import RememberedAnswer

__all__ = ["FIRST", "Pending", "Settled", "WriteLimits", "WritingThread"]

FIRST = 1
"""The number of the first event, which is no one's answer: `events` of an answer does not count it."""

SILENT = Tracing()

GROUP = 256
"""Requests written in one transaction at most."""

MOST_GATHERING = 0.005
"""Seconds that a group may wait for those who are expected to come."""

ONE_LOOK = 0.0003
"""Seconds between looks at how many have come."""

MOST_EVENTS = 4096
"""Events of a group after which no further request joins it."""


@dataclass(frozen=True)
class WriteLimits:
    """How many requests may wait, how many events may wait to be learnt, and what a growth may bring."""

    most_queue: int
    most_unlearnt: int
    most_graph: int
    most_name: int


@dataclass(eq=False)
class Pending:
    """A request that waits to be written; `waiter` is whatever its answer is handed to."""

    request: Any
    actor: str
    waiter: Any
    key: str | None = None
    fingerprint: bytes = b""
    status: int = 200
    answer: bytes = field(default=b"", init=False)
    place: Any = None
    """Where its span is, if there is one."""
    number: int = field(default=0, init=False)
    """Of its last event, once it is written."""


class Noted(NamedTuple):
    """An event that is to be written, and the book as it is after it."""

    fact: Fact
    book: Book


class Settled(NamedTuple):
    """A request that is done, with its answer or with an error."""

    pending: Pending
    answer: bytes | BaseException


class WritingThread:
    """Writes what it is given with `put`; `written` is the number of the last event in the log.

    Requests that are done are handed to `deliver`, those of a group together.
    """

    def __init__(
        self,
        log: Log,
        known: Projection,
        learning: LearningThread,
        written: int,
        limits: WriteLimits,
        deliver: Callable[[list[Settled]], None],
        clock: Callable[[], float] = time.time,
        tracing: Tracing = SILENT,
    ) -> None:
        self.known = known
        self.written = written
        self.failed: BaseException | None = None
        self.sync_seconds = 0.0
        """Time of the last transaction."""
        self.groups = 0
        self._sizes = (1, 1)
        self._log, self._learning, self._limits, self._clock = log, learning, limits, clock
        self._deliver, self._tracing = deliver, tracing
        self._queue: queue.SimpleQueue[Pending | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"write {log.name}", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """How many requests wait to be written."""
        return self._queue.qsize()

    def put(self, pending: Pending) -> None:
        """Let a request be written; refused where too many wait."""
        if self.failed is not None or self.waiting >= self._limits.most_queue:
            raise BusyError(
                f"{self.waiting} requests wait to be written already; send this one again in a second."
            )
        self._queue.put(pending)

    def stop(self, patience: float) -> bool:
        """Write what waits, and end; whether that was done in time."""
        self._queue.put(None)
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _run(self) -> None:
        going = True
        while going:
            group = [self._queue.get()]
            self._gather(len(group))
            while len(group) < GROUP and not self._queue.empty():
                group.append(self._queue.get())
            going = None not in group
            self._sizes = (len(group), self._sizes[0])
            self._write_all([one for one in group if one is not None])
        while not self._queue.empty():
            left = self._queue.get()
            if left is not None:
                self._done(left, BusyError("the project is being closed; send the request again."))

    def _gather(self, there: int) -> None:
        """Wait for requests that are likely to come, for half the time at most that writing takes.

        Clients that were answered together come back together. The first would be written alone, and the
        others wait for the disk twice. As many are expected as the last two groups had; one alone waits for
        nobody.
        """
        expected = min(max(self._sizes), GROUP)
        if there >= expected:
            return
        end = time.perf_counter() + min(self.sync_seconds / 2, MOST_GATHERING)
        while there + self.waiting < expected and time.perf_counter() < end:
            time.sleep(ONE_LOOK)

    def _write_all(self, group: list[Pending]) -> None:
        open_ones: list[Pending] = []
        events: list[NewEvent] = []
        facts: list[Noted] = []
        if self.known.page is None and any(isinstance(one.request, ActsWish) for one in group):
            self._fold_page()
        for pending in group:
            if self.failed is not None:
                self._done(pending, BusyError("the log of the project cannot be written now; try again."))
                continue
            try:
                if self._answered_before(pending):
                    continue
                if isinstance(pending.request, (AddNodes, AddEdges)):
                    self._flush(open_ones, events, facts)
                    self._grow(pending)
                    continue
                if isinstance(pending.request, ActsWish):
                    self._act(pending, pending.request, events, facts)
                    open_ones.append(pending)
                    continue
                told = facts_of(pending.request, self.known)
            except Exception as problem:  # noqa: BLE001 - the request is told, whatever it is
                self._done(pending, problem)
                continue
            self._take(pending, told, events, facts)
            open_ones.append(pending)
            if len(events) >= MOST_EVENTS:
                self._flush(open_ones, events, facts)
        self._flush(open_ones, events, facts)

    def _answered_before(self, pending: Pending) -> bool:
        """Whether a request with this key was answered before, in which case it is answered again."""
        found = None if pending.key is None else self._log.remembered(pending.key)
        if found is None:
            return False
        if found.fingerprint != pending.fingerprint:
            raise RefusedError(
                "Idempotency-Key",
                pending.key.partition(":")[2] if pending.key else "",
                "was used for another request; take a new key for every new request",
            )
        pending.number = self.written
        self._done(pending, found.answer)
        return True

    def _fold_page(self) -> None:
        """Read what people did on the page from the log, once since the project woke."""
        book = PageBook(self.known.graph)
        for event in self._log.read(0):
            if event.kind in KINDS and event.number > FIRST:
                book.note(msgspec.json.decode(event.body, type=KINDS[event.kind]), event.at, event.actor)
        self.known.page = book

    def _act(self, pending: Pending, wish: ActsWish, events: list[NewEvent], facts: list[Noted]) -> None:
        """Take the acts of one person one after the other; one that is refused does not stop the others."""
        self.known.require_in_use()
        self._take(pending, [], events, facts)
        for act in wish.acts:
            book = self.known.page
            try:
                if book is None:
                    raise BusyError("the project is being opened again; send the request again.")
                told = facts_of_act(act, wish.reviewer, self.known, book)
            except (ZerokelvinError, ValueError) as problem:
                wish.refused.append((act.id, str(problem)))
                continue
            self._take(pending, [Told(KIND_OF[type(fact)], fact) for fact in told], events, facts)
            wish.saved.append(act.id)

    def _take(self, pending: Pending, told: list[Told], events: list[NewEvent], facts: list[Noted]) -> None:
        """Count a request's events as if they were written, and add them to the group."""
        at = self._clock()
        for one in told:
            self.known.note([one.fact], at, actor=pending.actor)
            events.append(_event(one, at, pending.actor))
            facts.append(Noted(one.fact, self.known.book))
        pending.number = self.written + len(events)
        pending.answer = self._answer(pending.request, pending.number - FIRST)

    def _answer(self, request: Any, events: int) -> bytes:
        """What a request that is written is answered with, and answered again."""
        known = self.known
        if isinstance(request, ArchiveWish):
            return msgspec.json.encode(project_shown(known, known.graph, known.budget, known.book, events))
        return msgspec.json.encode(Numbered(events=events))

    def _flush(self, pendings: list[Pending], events: list[NewEvent], facts: list[Noted]) -> None:
        """Write a group, acknowledge it, and hand it on; the lists are empty afterwards."""
        if not pendings:
            return
        try:
            if events:
                self._learning.wait_below(self._limits.most_unlearnt)
                self._append(events, pendings)
        except Exception as problem:  # noqa: BLE001 - all are told
            self.known.undo()
            self._deliver([Settled(one, _as_busy(problem)) for one in pendings])
        else:
            first = self.written - len(events) + 1
            self._deliver([Settled(one, one.answer) for one in pendings])  # who waits comes first
            self._learning.put([Lesson(first + i, *noted) for i, noted in enumerate(facts)])
        pendings.clear()
        events.clear()
        facts.clear()

    def _append(self, events: list[NewEvent], pendings: list[Pending]) -> None:
        now = self._clock()
        answers = [
            RememberedAnswer(one.key, one.fingerprint, one.status, one.answer, now)
            for one in pendings
            if one.key is not None
        ]
        began = time.perf_counter()
        try:
            links = (one.place for one in pendings)
            with self._tracing.work(
                "append", links, project=self._log.name, events=len(events), requests=len(pendings)
            ):
                last = self._log.append(events, answers)
        except StoreFull:
            raise
        except Exception as problem:  # whether it was written is not known
            self.failed = problem
            raise
        if last != self.written + len(events):
            self.failed = RuntimeError(f"event {last} was written as number {self.written + len(events)}")
            raise self.failed
        self.sync_seconds = time.perf_counter() - began
        self.groups += 1
        self.written = last
        self.known.settle()

    def _grow(self, pending: Pending) -> None:
        """Try a growth, write it, and hand on the session it led to."""
        fact = self._growth(pending.request)
        self._learning.wait_below(1)
        session = beside(self._learning.session)
        try:
            tell(session, [fact])
        except ZerokelvinError as problem:
            raise RefusedError(
                "edges" if fact.edges else "nodes", "[…]", f"cannot be added: {problem}"[:-1]
            ) from None
        grown = session.graph
        at = self._clock()
        event = _event(Told("grown", fact), at, pending.actor)
        pending.number = self.written + 1
        pending.answer = msgspec.json.encode(
            AddedNodes(events=self.written + 1 - FIRST, nodes=grown.num_nodes, edges=grown.num_edges)
        )
        try:
            self._append([event], [pending])
        except Exception as problem:  # noqa: BLE001 - told to whoever asked
            self._done(pending, _as_busy(problem))
            return
        self._learning.put([Lesson(self.written, fact, self.known.book, session)])
        with suppress(BusyError):  # if it cannot be learnt the project is opened again, and it is written
            self._learning.wait_below(1)  # which shows its nodes to all who ask
        self._done(pending, pending.answer)

    def _done(self, pending: Pending, answer: bytes | BaseException) -> None:
        self._deliver([Settled(pending, answer)])

    def _growth(self, request: AddNodes | AddEdges) -> Grown:
        self.known.require_in_use()
        refuse_growth(self.known.graph)
        nodes = request.nodes if isinstance(request, AddNodes) else []
        graph, limits = self.known.graph, self._limits
        texts = bool(graph.names) and isinstance(graph.names[0], str) if graph.names else False
        if graph.num_nodes + len(nodes) > limits.most_graph:
            raise RefusedError(
                "nodes", len(nodes), f"more nodes would be above the limit of {limits.most_graph:,}"
            )
        seen = set()
        for i, name in enumerate(nodes):
            if isinstance(name, str) != texts:
                kind = "texts" if texts else "whole numbers"
                raise RefusedError(
                    f"nodes[{i}]", name, f"is of another kind than the names here, which are {kind}"
                )
            if isinstance(name, str) and (len(name) > limits.most_name or "\0" in name):
                raise RefusedError(
                    f"nodes[{i}]", name, f"is longer than {limits.most_name} characters, or holds NUL"
                )
            if isinstance(name, int) and abs(name) >= 1 << 63:
                raise RefusedError(f"nodes[{i}]", name, "does not fit into 64 bits")
            if name in seen or _has(graph, name):
                raise RefusedError(f"nodes[{i}]", name, "is there already; add every node once")
            seen.add(name)
        edges = weighted_edges(request.edges, "edges")
        for i, edge in enumerate(edges):
            for node in edge[:2]:
                if node not in seen:
                    self.known.index(node, f"edges[{i}]")
        table = request.attributes if isinstance(request, AddNodes) else None
        columns, rows = (None, None) if table is None else checked_table(table)
        return Grown(
            tuple(nodes), tuple((edge.source, edge.target, edge.weight) for edge in edges), columns, rows
        )


def _has(graph: Any, name: Any) -> bool:
    if graph.names is None:
        return isinstance(name, int) and 0 <= name < graph.num_nodes
    return name in graph.positions


def _event(told: Told, at: float, actor: str) -> NewEvent:
    return NewEvent(told.kind, msgspec.json.encode(told.fact), at, actor)


def _as_busy(problem: BaseException) -> BaseException:
    return BusyError(str(problem), 2.0) if isinstance(problem, StoreError) else problem
