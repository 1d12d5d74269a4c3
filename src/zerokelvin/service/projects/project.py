"""One project in memory, as requests see it: `write` and `read`, both for an event loop.

A write returns when its events are on the disk. A read begins when everything that was acknowledged to the
same reader has been learnt (`zerokelvin.service.projects.reading_as`), so that clients read their own writes;
what is quick is read at once, anything else in another thread, so that the event loop never waits.

Above 300 lines: one class that every request comes through; writing, learning and forecasts lie in
modules beside.
"""

from __future__ import annotations

import asyncio
import copy
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple, TypeVar

import msgspec

from zerokelvin.errors import SessionError
from zerokelvin.service.projects.forecasts import Forecasts
from zerokelvin.service.projects.learning_thread import LearningThread
from zerokelvin.service.projects.leases import Leases
from zerokelvin.service.projects.patient_thread import give_way
from zerokelvin.service.projects.random_checks import may_draw, pending_check
from zerokelvin.service.projects.reading_as import READER
from zerokelvin.service.projects.tracing import Tracing
from zerokelvin.service.projects.writing_thread import (
    FIRST,
    Pending,
    Settled,
    WriteLimits,
    WritingThread,
)
from zerokelvin.service.records.commands import DrawCheck
from zerokelvin.service.records.project_snapshot import pack, restored
from zerokelvin.service.records.projection import Book
from zerokelvin.service.records.refusals import BusyError, ConflictError, UnderWayError
from zerokelvin.service.service_settings import ServiceSettings
from zerokelvin.service.store import Kept, Log, StoreError
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP

__all__ = ["Project", "ReadingPools"]

T = TypeVar("T")

QUICK = 0.002
"""Seconds of reading that the event loop may be kept busy for."""


class ToldNodes(NamedTuple):
    """Predictions as JSON, and how many events they were made from."""

    predictions: list[msgspec.Raw]
    events: int


class ReadingPools(NamedTuple):
    """Threads in which sessions are read: for what is asked for, and for bounds, which may take minutes."""

    reading: Executor
    proving: Executor


class Project:
    """A project that is awake; made by `Project.wake`, in a thread of its own choice."""

    def __init__(
        self,
        log: Log,
        settings: ServiceSettings,
        loop: asyncio.AbstractEventLoop,
        pools: ReadingPools,
        leases: Leases,
    ) -> None:
        self.settings, self.log, self._loop, self._pools = settings, log, loop, pools
        self.epoch = log.lead()
        log.forget(time.time() - settings.remember)
        found = restored(log)
        self.name, self.created, self.created_at = log.name, found.created, found.created_at
        self.known = found.known
        self.leases = leases
        self.skipped = {event.node for event in found.session.events if event.kind == SKIP}
        self.replayed = found.since
        self.used_at = time.monotonic()
        self.users = 0
        self.memory: dict[Hashable, Any] = {}
        """What was computed from the present events, by who computed it; gone with the next event."""
        self._memory_of = -1
        self.desk: Any = None
        """What the labelling page needs beside the session, where somebody has looked at it."""
        self.proved: dict[Hashable, asyncio.Future[Any]] = {}
        """The bound and guarantees as they were last asked for, or as they are being computed."""
        self._paces: dict[str, float] = {}
        self._snapshot_at = self._snapshot_tried = found.last - found.since
        self._snapshot_busy = threading.Lock()
        self._ended = False
        self.on_unkept: Callable[[str, BaseException], None] | None = None
        """Called in the event loop with the name and the reason where a snapshot cannot be kept."""
        self._in_flight: set[str] = set()
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._listeners: set[asyncio.Event] = set()
        self.acknowledged = found.last
        self._acknowledged_to: dict[str, int] = {}
        self._tracing = Tracing(settings.tracer)
        self.learning = LearningThread(
            self.name,
            found.session,
            found.last,
            found.known.book,
            self._learnt_more,
            self._read_before,
            self._publish,
            self._tracing,
        )
        limits = WriteLimits(
            settings.most_queue, settings.most_unlearnt, settings.most_graph, settings.most_name
        )
        self.writing = WritingThread(
            log,
            found.known,
            self.learning,
            found.last,
            limits,
            self._deliver,
            tracing=self._tracing,
        )

    @property
    def events(self) -> int:
        """How many events after the creation have been learnt."""
        return self.learning.learnt - FIRST

    @property
    def session(self) -> Session:
        """The session as it is; to be used under the lock of `learning` only."""
        return self.learning.session

    @property
    def problem(self) -> BaseException | None:
        """What the project failed of; None where it is sound."""
        return self.learning.failed or self.writing.failed

    @property
    def failed(self) -> bool:
        """Whether something failed, so that it must be opened again."""
        return self.problem is not None

    # -- writing ------------------------------------------------------------------------------------

    async def write(
        self, request: Any, actor: str, key: str | None = None, fingerprint: bytes = b"", status: int = 200
    ) -> bytes:
        """Write what a request comes to; the answer, which is JSON, once it is on the disk."""
        if key is not None:
            if key in self._in_flight:
                raise UnderWayError
            self._in_flight.add(key)
        answered: asyncio.Future[bytes] = self._loop.create_future()
        pending = Pending(request, actor, answered, key, fingerprint, status, place=self._tracing.here())
        try:
            self.writing.put(pending)
        except BusyError:
            if key is not None:
                self._in_flight.discard(key)
            raise
        return await answered

    async def random_check(self, actor: str) -> int | None:
        """The node, by index, that was drawn at random and waits for its answer; drawn now if none does.

        On the disk when this returns, so that a restart draws the same. None where no node is left.
        """
        found = await self.read("pending check", pending_check)
        if found is None and await self.read("may draw", may_draw):
            await self.write(DrawCheck(), actor)
            found = await self.read("pending check", pending_check)
        return found

    def _deliver(self, group: list[Settled]) -> None:
        """Let the event loop hand out the answers of requests that are done; called by the writing thread."""
        _later(self._loop, self._hand_out, group)

    def _hand_out(self, group: list[Settled]) -> None:
        self.acknowledged = max(self.acknowledged, self.writing.written)
        for pending, answer in group:
            if pending.key is not None:
                self._in_flight.discard(pending.key)
            answered: asyncio.Future[bytes] = pending.waiter
            gone = answered.done()  # whoever asked was given up
            if not isinstance(answer, BaseException):
                last = self._acknowledged_to.get(pending.actor, 0)
                self._acknowledged_to[pending.actor] = max(last, pending.number)
                if not gone:
                    answered.set_result(answer)
            elif not gone:
                answered.set_exception(answer)

    # -- reading ------------------------------------------------------------------------------------

    async def read(self, kind: str, work: Callable[[Session], T], size: int = 1) -> T:
        """What a function finds in the session, all acknowledged events having been learnt.

        `kind` names the work and `size` how much there is of it: by what it took before, it is done at once
        or in another thread.
        """
        await self.caught_up()
        lock = self.learning.lock
        if self._paces.get(kind, 1.0) * size <= QUICK and lock.acquire(blocking=False):
            try:
                return self._timed(kind, work, size)
            finally:
                lock.release()
        return await self._loop.run_in_executor(self._pools.reading, self._locked, kind, work, size)

    async def read_copy(self, work: Callable[[Session, int], T]) -> T:
        """The same on a copy of the session, which nobody waits for; work is told its number of events."""
        await self.caught_up()
        return await self._loop.run_in_executor(self._pools.reading, self._on_copy, work)

    async def prove(self, work: Callable[[Session, int], T]) -> T:
        """The same for what may take minutes, in threads that no reading waits for."""
        await self.caught_up()
        return await self._loop.run_in_executor(self._pools.proving, self._on_copy, work)

    def _on_copy(self, work: Callable[[Session, int], T]) -> T:
        with self.learning.lock:
            other, events = copy.copy(self.session), self.events
        return work(other, events)

    def _locked(self, kind: str, work: Callable[[Session], T], size: int) -> T:
        with self.learning.lock:
            return self._timed(kind, work, size)

    def _timed(self, kind: str, work: Callable[[Session], T], size: int) -> T:
        if self._memory_of != self.learning.learnt:
            self.memory = {}
            self._memory_of = self.learning.learnt
        began = time.perf_counter()
        try:
            found = work(self.session)
        except SessionError as problem:
            raise ConflictError(str(problem)) from None
        new = (time.perf_counter() - began) / max(size, 1)  # what was stopped would have taken longer
        old = self._paces.get(kind, new)
        self._paces[kind] = new if new < old else 0.9 * old + 0.1 * new
        return found

    def _wanted(self) -> int:
        """The number of the event that must be learnt before the present request reads."""
        reader = READER.get()
        if reader is None:
            return self.acknowledged
        if reader.events is None:
            return self._acknowledged_to.get(reader.name, 0)
        if reader.events + FIRST > self.writing.written:
            raise ConflictError(
                f"Zerokelvin-Events: this project has {self.writing.written - FIRST} events, "
                f"not {reader.events}; send a number that a write was answered with."
            )
        return reader.events + FIRST

    async def caught_up(self) -> None:
        """Wait until what was acknowledged to the reader has been learnt, as long as there is patience."""
        wanted = self._wanted()
        if self.learning.learnt >= wanted:
            return
        waiter: asyncio.Future[None] = self._loop.create_future()
        self._waiters.append((wanted, waiter))
        self.learning.hurry(wanted)
        self._wake()  # it may have been learnt just now
        try:
            await asyncio.wait_for(waiter, self.settings.patience)
        except TimeoutError:
            left = wanted - self.learning.learnt
            raise BusyError(
                f"{left} acknowledged events are still being learnt; ask again in a second, "
                "or send 'Zerokelvin-Events: 0' for an answer from what is learnt already.",
                min(left / self.learning.pace, self.settings.most_time),
            ) from None

    def _learnt_more(self) -> None:
        _later(self._loop, self._wake)
        due = self.learning.learnt - self._snapshot_tried >= self.settings.snapshot_every
        if due and self._snapshot_busy.acquire(blocking=False):
            threading.Thread(target=self._snapshot, name=f"snapshot {self.name}", daemon=True).start()

    def _wake(self) -> None:
        learnt, failed = self.learning.learnt, self.learning.failed
        still = []
        for wanted, waiter in self._waiters:
            if waiter.done():
                continue
            if learnt >= wanted:
                waiter.set_result(None)
            elif failed is not None:
                waiter.set_exception(BusyError("the project is being opened again; ask again in a second."))
            else:
                still.append((wanted, waiter))
        self._waiters = still
        for listener in self._listeners:
            listener.set()

    def _read_before(self, session: Session, learnt: int) -> Forecasts:
        """What a session says that is about to be the present one; called by the learning thread."""
        found = Forecasts(session, self.known, learnt)
        found.read_all()
        return found

    def _publish(self, found: Forecasts) -> None:
        """Let predictions be answered from these; under the lock."""
        graph = found.standing.graph
        if graph is not self.known.graph:
            self.known.show_graph(graph)
        self.memory = {"forecasts": found}
        self._memory_of = found.learnt

    def forecasts(self, session: Session) -> Forecasts:
        """The predictions where the session stands; for work that `read` does."""
        found = self.memory.get("forecasts")
        spent = self.known.left_today(time.time()) == 0
        if found is None or found.spent_today != spent:
            found = self.memory["forecasts"] = Forecasts(session, self.known, self.learning.learnt)
        return found

    def at_once(self, nodes: Sequence[int]) -> ToldNodes | None:
        """The predictions for nodes, if all that the reader must see is in them and nobody need be asked."""
        found: Forecasts | None = self.memory.get("forecasts")
        if found is None or not self._wanted() <= found.learnt == self.learning.learnt:
            return None
        if self.known.book.daily_budget is not None:
            return None  # which a new day changes
        told = found.at_once(nodes)
        return None if told is None else ToldNodes(told, found.learnt - FIRST)

    def unread(self, nodes: Sequence[int]) -> int:
        """How many of some nodes would have to be predicted anew, and read from the learner."""
        found = self.memory.get("forecasts")
        if found is None or self._memory_of != self.learning.learnt:
            return len(nodes)
        if len(nodes) == 1:
            return 0 if found.is_read(nodes[0]) else 1
        return len(found.untold(nodes))

    # -- listening ----------------------------------------------------------------------------------

    def listen(self) -> asyncio.Event:
        """A flag that is raised whenever events have been learnt; `unlisten` when done."""
        if len(self._listeners) >= self.settings.most_streams:
            raise BusyError(
                f"{len(self._listeners)} connections listen to this project already; close one.", 5.0
            )
        flag = asyncio.Event()
        self._listeners.add(flag)
        return flag

    def unlisten(self, flag: asyncio.Event) -> None:
        """Take a listener off, who is told no more events."""
        self._listeners.discard(flag)

    # -- ending -------------------------------------------------------------------------------------

    def _snapshot(self) -> None:
        """Keep a snapshot of a copy, giving way to requests; the lock is the caller's."""
        give_way()
        try:
            with self.learning.lock:
                learnt, book, other = self.learning.learnt, self.learning.book, copy.copy(self.session)
            self._keep(other, learnt, book)
        finally:
            self._snapshot_busy.release()

    def _keep(self, session: Session, learnt: int, book: Book) -> None:
        """Keep a snapshot if that can be done: the log is whole without one, and more of it is replayed."""
        self._snapshot_tried = learnt
        try:
            data = pack(session, book, self.created.graph)
            self.log.keep(Kept.of(learnt, self.log.chain(learnt), data))
            self._snapshot_at = learnt
        except Exception as problem:  # noqa: BLE001 - the disk is full, or whatever it is
            if not self._ended and self.on_unkept is not None:  # not where the log was closed meanwhile
                said = StoreError(
                    f"no snapshot was kept, so that more is replayed at the next start: {problem}"
                )
                _later(self._loop, self.on_unkept, self.name, said.with_traceback(problem.__traceback__))

    def close(self, patience: float = 8.0) -> None:
        """Write and learn what waits, keep a snapshot, and let another process have the project."""
        deadline = time.monotonic() + patience
        done = self.writing.stop(patience) and self.learning.stop(max(deadline - time.monotonic(), 0.1))
        if done and not self.failed and self.learning.learnt > self._snapshot_at:
            with self._snapshot_busy:
                self._keep(self.session, self.learning.learnt, self.learning.book)
        self._ended = True
        self.log.close()


def _later(loop: asyncio.AbstractEventLoop, call: Callable[..., None], *values: Any) -> None:
    """Let an event loop call a function, unless it has ended."""
    try:
        loop.call_soon_threadsafe(call, *values)
    except RuntimeError:
        return
