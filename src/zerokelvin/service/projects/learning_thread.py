"""The thread of a project that learns what was written, in order, and tells who waits for it.

What is read from the session is read under `lock`. A few events are learnt in place under it, which takes a
few milliseconds. When many wait, all that can be learnt in `GROUP_SECONDS` are told in one call to a *copy*
of the session, which then takes its place: one call learns several times as many per second as many calls do
(`auto` plays its experts side by side, each through all of them), and the present session is read meanwhile.
So a single client that labels and predicts in turn waits for one label to be learnt, and when labels pour in,
predictions do not wait for them; the thread that does so gives way to requests, and leaves a core to them
unless somebody waits for what it learns. Corrections and growths are
made beside the present session too.

One event after the other would take two to four times as long as many at once, and the cores from those that
write. So few events wait a moment for others, and half a second where they pour in, unless somebody waits for
them (`hurry`).

A fixed number of events may wait to be learnt, so that the queue never grows without end; writers then wait.
"""

from __future__ import annotations

import copy
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, NamedTuple

from zerokelvin.service.projects.patient_thread import patiently
from zerokelvin.service.projects.tracing import Tracing
from zerokelvin.service.projects.turn_lock import TurnLock
from zerokelvin.service.records.facts import CheckDrawn, Fact
from zerokelvin.service.records.projection import Book
from zerokelvin.service.records.refusals import BusyError
from zerokelvin.service.records.telling import beside, goes_back, runs, tell
from zerokelvin.session import Session

__all__ = ["FEW", "LearningThread", "Lesson"]

SILENT = Tracing()

IN_PLACE = 0.01
"""Seconds of learning that readers may be kept waiting for."""

GROUP_SECONDS = 0.5
"""Seconds of learning in one call, by the pace so far: who waits for the end of a group waits that long."""

FEW = 512
"""Events that may be learnt in one call at any pace: fewer at a time are slower still."""

ONE_LOOK = 64
"""Events learnt in place, part by part, before it is looked how many wait."""

COPIES = 3.0
"""How many times as long as its copy takes a group is to be learnt for, if there is enough of it."""

PAUSE = 0.03
"""Seconds for which few events wait for others to be learnt with, unless somebody waits for them."""

LEAST = 4
"""Events learnt in place at a time, if so many wait: one by one takes twice as long."""

POURING = 8
"""Events that come within a pause where they pour in: some hundred a second."""

MANY = 1024
"""Events learnt together where they pour in, if nobody waits for them."""

GATHERING = 0.5
"""Seconds that events wait for so many at most."""

FIRST_PACE = 500.0
"""Events per second, before any were learnt."""


class Lesson(NamedTuple):
    """An event that was written: its number, what it says, and the book as it is after it.

    `ready` is the session that a growth led to.
    """

    number: int
    fact: Fact
    book: Book
    ready: Session | None = None


class LearningThread:
    """Keeps a session up with its log.

    `learnt` is the number of the last event that the session has learnt, and `book` what else was known after
    it. Both, and the session, change together under `lock`.

    Parameters
    ----------
    session, learnt, book
        The session, the number of the last event it has learnt, and the book after it.
    told
        Called in this thread after every group, with nothing held.
    prepare, take
        What is made of a session that is about to take the place of the present one, given it and the number
        of its last event, and who is given that under the lock when it has.
    """

    def __init__(
        self,
        name: str,
        session: Session,
        learnt: int,
        book: Book,
        told: Callable[[], None],
        prepare: Callable[[Session, int], Any] = lambda _, __: None,
        take: Callable[[Any], None] = lambda _: None,
        tracing: Tracing = SILENT,
    ) -> None:
        self.lock = TurnLock()
        self.session = session
        self.learnt = learnt
        self.book = book
        self.failed: BaseException | None = None
        self.seconds = 0.0
        """Time spent learning, in all."""
        self.pace = FIRST_PACE
        """Events learnt per second, of late."""
        self._copying = 0.0
        self._prepare, self._take = prepare, take
        self._told, self._tracing, self._name = told, tracing, name
        self._waiting: deque[Lesson] = deque()
        self._changed = threading.Condition()
        self._stopping = False
        self._wanted = learnt
        self._enough = ONE_LOOK
        self._thread = threading.Thread(target=self._run, name=f"learn {name}", daemon=True)
        self._thread.start()

    @property
    def unlearnt(self) -> int:
        """How many events wait to be learnt."""
        return len(self._waiting)

    def put(self, lessons: Iterable[Lesson]) -> None:
        """Let the thread learn what was written."""
        with self._changed:
            idle = not self._waiting
            self._waiting.extend(lessons)
            if idle or self._due():
                self._changed.notify_all()

    def hurry(self, number: int) -> None:
        """Let everything up to an event be learnt without a pause: somebody waits for it."""
        with self._changed:
            self._wanted = max(self._wanted, number)
            self._changed.notify_all()

    def wait_below(self, most: int) -> None:
        """Wait until fewer than `most` events wait to be learnt."""
        with self._changed:
            if self.unlearnt >= most:
                self._wanted = self._waiting[-1].number
                self._changed.notify_all()
            self._changed.wait_for(lambda: self.unlearnt < most or self.failed is not None)
        self._check()

    def stop(self, patience: float) -> bool:
        """Learn what waits, and end; whether that was done in time."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        self._thread.join(patience)
        return not self._thread.is_alive()

    def _check(self) -> None:
        if self.failed is not None:
            raise BusyError(
                f"the project stopped learning ({type(self.failed).__name__}) and is being opened again."
            )

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._stopping)
                if not self._waiting:
                    return
                self._gather()
                seconds = max(GROUP_SECONDS, 2 * COPIES * self._copying)
                count = min(len(self._waiting), max(FEW, int(self.pace * seconds)))
                group = list(islice(self._waiting, count))
            try:
                with self._tracing.work("learn", project=self._name, waiting=len(group)) as span:
                    before = self.learnt
                    self._learn(group)
                    if span is not None:
                        span.set_attribute("zerokelvin.events", self.learnt - before)
            except BaseException as problem:  # noqa: BLE001 - whatever it is, who waits must be told
                self.failed = problem
                with self._changed:
                    self._changed.notify_all()
                self._told()
                return

    def _gather(self) -> None:
        """Wait for events to be learnt with those that wait: a moment, and longer where they pour in."""
        self._enough = ONE_LOOK
        before = len(self._waiting)
        self._changed.wait_for(self._due, PAUSE)
        if len(self._waiting) - before >= POURING:
            self._enough = MANY
            self._changed.wait_for(self._due, GATHERING)

    def _due(self) -> bool:
        """Whether it is time to learn: enough events wait, or somebody waits for them."""
        return self._stopping or len(self._waiting) >= self._enough or self.learnt < self._wanted

    def _learn(self, group: list[Lesson]) -> None:
        """Learn a group in place or beside; whoever waits is told of every part that is learnt."""
        if self._worth_a_copy(group):
            self._learn_beside(group)
            return
        few = max(LEAST, int(self.pace * IN_PLACE))
        for run in runs(group[:ONE_LOOK], of=lambda lesson: lesson.fact):
            for start in range(0, len(run), few):
                self._learn_few(run[start : start + few])
            if len(self._waiting) > len(group):  # more have come meanwhile: look again
                return

    def _learn_beside(self, group: list[Lesson]) -> None:
        """Learn a group on a copy, in a thread that gives way to requests."""
        began = time.perf_counter()
        with self.lock:
            other = copy.copy(self.session)
        self._copying += 0.5 * (time.perf_counter() - began - self._copying)

        def learn() -> Any:
            for run in runs(group, of=lambda lesson: lesson.fact):
                tell(other, [lesson.fact for lesson in run])
            return self._prepare(other, group[-1].number)

        hurried = self.learnt < self._wanted  # somebody waits: a core left free would serve nobody better
        self._put_in_place(group, other, began, patiently(learn, self._thread.name, all_cores=hurried))

    def _worth_a_copy(self, group: list[Lesson]) -> bool:
        """Whether learning a group in place would keep readers waiting for longer than a copy takes."""
        alike = not any(lesson.ready is not None or goes_back(lesson.fact) for lesson in group)
        return alike and len(group) / self.pace > max(IN_PLACE * 2, COPIES * self._copying)

    def _learn_few(self, part: list[Lesson]) -> None:
        """Learn a run of few events, or one that makes another session."""
        began, first, facts = time.perf_counter(), part[0], [lesson.fact for lesson in part]
        other = first.ready
        if other is None and goes_back(first.fact):
            other = beside(self.session)
            tell(other, facts)
        if other is not None:
            self._put_in_place(part, other, began, self._prepare(other, part[-1].number))
            return
        with self.lock:
            tell(self.session, facts)
            self.learnt, self.book = part[-1].number, part[-1].book
        self._done(part, began)

    def _put_in_place(self, group: list[Lesson], other: Session, began: float, prepared: Any) -> None:
        last = group[-1]
        with self.lock:
            self.session, self.learnt, self.book = other, last.number, last.book
            self._take(prepared)
        self._done(group, began)

    def _done(self, part: list[Lesson], began: float) -> None:
        seconds = time.perf_counter() - began
        self.seconds += seconds
        slow = goes_back(part[0].fact) or isinstance(part[0].fact, CheckDrawn)  # no measure of the others
        if not slow and seconds > 0:
            share = min(0.5, len(part) / ONE_LOOK)
            self.pace += share * (len(part) / seconds - self.pace)
        with self._changed:
            for _ in part:
                self._waiting.popleft()
            self._changed.notify_all()
        self._told()
