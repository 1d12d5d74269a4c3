"""The thread of a project that learns what was written, in order, and tells who waits for it.

What is read from the session is read under `lock`, and so is every run that is learnt in place; runs are
short, so that nobody waits long. A correction is made beside the present session, which can be read
meanwhile, and then takes its place.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from zerokelvin.service.records.facts import Fact
from zerokelvin.service.records.projection import Book
from zerokelvin.service.records.refusals import BusyError
from zerokelvin.service.records.telling import beside, goes_back, runs, tell
from zerokelvin.session import Session

__all__ = ["LearningThread", "Lesson"]

AT_ONCE = 64
"""Events learnt at most before others may read."""


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
    """

    def __init__(
        self, name: str, session: Session, learnt: int, book: Book, told: Callable[[], None]
    ) -> None:
        self.lock = threading.Lock()
        self.session = session
        self.learnt = learnt
        self.book = book
        self.failed: BaseException | None = None
        self.seconds = 0.0
        """Time spent learning, in all."""
        self._told = told
        self._waiting: deque[Lesson] = deque()
        self._at_work = 0
        self._changed = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=f"learn {name}", daemon=True)
        self._thread.start()

    @property
    def unlearnt(self) -> int:
        """How many events wait to be learnt."""
        return len(self._waiting) + self._at_work

    def put(self, lessons: Iterable[Lesson]) -> None:
        """Let the thread learn what was written."""
        with self._changed:
            self._waiting.extend(lessons)
            self._changed.notify_all()

    def wait_below(self, most: int) -> None:
        """Wait until fewer than `most` events wait to be learnt."""
        with self._changed:
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
                group = [self._waiting.popleft() for _ in range(min(len(self._waiting), AT_ONCE))]
                self._at_work = len(group)
            try:
                self._learn(group)
            except BaseException as problem:  # noqa: BLE001 - whatever it is, who waits must be told
                self.failed = problem
            with self._changed:
                self._at_work = 0
                self._changed.notify_all()
            self._told()
            if self.failed is not None:
                return

    def _learn(self, group: list[Lesson]) -> None:
        began = time.perf_counter()
        for run in runs(group, of=lambda lesson: lesson.fact):
            first, last = run[0], run[-1]
            facts = [lesson.fact for lesson in run]
            other = first.ready
            if other is None and goes_back(first.fact):
                other = beside(self.session)
                tell(other, facts)
            with self.lock:
                if other is not None:
                    self.session = other
                else:
                    tell(self.session, facts)
                self.learnt, self.book = last.number, last.book
        self.seconds += time.perf_counter() - began
