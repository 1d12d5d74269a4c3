"""All projects of a service: a few awake in memory, the others asleep in the store, woken when used.

A project that nobody uses is put to sleep, the one longest unused first, when another needs its place: what
waits is written and learnt, a snapshot kept, and its memory is free. Waking reads the snapshot and the events
after it.

Above 300 lines: one class that makes, wakes and puts projects to sleep, which must not cross each
other.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from zerokelvin.client.messages import CreateProject
from zerokelvin.service.projects.leases import Leases
from zerokelvin.service.projects.practice_run import first_use, practise
from zerokelvin.service.projects.project import Project, ReadingPools
from zerokelvin.service.projects.project_shown import project_shown
from zerokelvin.service.records.attribute_source import with_attributes
from zerokelvin.service.records.facts import Created
from zerokelvin.service.records.graph_source import GraphRules, graph_bytes, graph_from
from zerokelvin.service.records.project_snapshot import start_session
from zerokelvin.service.records.projection import Projection
from zerokelvin.service.records.refusals import (
    BusyError,
    ConflictError,
    NotThereError,
    RefusedError,
    TooLargeError,
    UnderWayError,
)
from zerokelvin.service.service_settings import ServiceSettings
from zerokelvin.service.store import (
    LedElsewhere,
    NewEvent,
    NoSuchProject,
    ProjectExists,
    Store,
    StoreError,
)
from zerokelvin.service.store.log import RememberedAnswer

__all__ = ["Hall", "Made"]

THREADS, PROOFS, LONG = 4, 2, 4
"""Threads for what is read, for what is proved, and for projects that are made or woken.

Apart from each other, so that nobody who predicts waits for the bounds of other projects or for their logs.
"""


class Made(NamedTuple):
    """The answer, which is JSON, to a request that makes a project, and whether it was made by this one."""

    answer: bytes
    now: bool


class Hall:
    """The projects of a store, for one event loop."""

    def __init__(self, store: Store, settings: ServiceSettings) -> None:
        self.store, self.settings = store, settings
        self.pools = ReadingPools(
            ThreadPoolExecutor(THREADS, thread_name_prefix="read"),
            ThreadPoolExecutor(PROOFS, thread_name_prefix="prove"),
        )
        self._long = ThreadPoolExecutor(LONG, thread_name_prefix="open")
        self.closing = self.ending = False
        self.files_anywhere = False
        """Whether a graph may be read from any file: without keys, where who asks is who serves."""
        self._awake: dict[str, Project] = {}
        self._doors: dict[str, asyncio.Lock] = {}
        self._waking: dict[str, asyncio.Future[Project]] = {}
        self._leases: dict[str, Leases] = {}  # also of projects asleep: a question is still looked at
        self._making: set[str] = set()  # keys of requests under way that make a project
        self.on_failure: Callable[[str, BaseException], None] | None = None
        """Called with the name of a project that must be opened again or has no new snapshot, and why."""

    @property
    def awake(self) -> list[Project]:
        """All projects that are in memory."""
        return list(self._awake.values())

    # -- one project --------------------------------------------------------------------------------

    def using(self, name: str) -> Use:
        """A project that stays awake meanwhile, for ``async with``."""
        return Use(self, name)

    def is_awake(self, project: Project) -> bool:
        """Whether a project is in memory still."""
        return self._awake.get(project.name) is project

    async def awoken(self, name: str) -> Project:
        """A project, woken if it is asleep; opened again if it failed."""
        project = self._awake.get(name)
        return await self._woken(name) if project is None or project.failed else project

    def is_waking(self, name: str) -> bool:
        """Whether a project is being woken."""
        return name in self._waking

    async def _woken(self, name: str) -> Project:
        """Wait until a project is awake; who goes on waiting no longer does not stop it."""
        if self.closing:
            raise _stopping()
        waking = self._waking.get(name)
        if waking is None:
            waking = self._waking[name] = asyncio.ensure_future(self._wake(name))
            waking.add_done_callback(lambda done: self._forget_waking(name, done))
        return await asyncio.shield(waking)

    def _forget_waking(self, name: str, done: asyncio.Future[Project]) -> None:
        del self._waking[name]
        if not done.cancelled():
            done.exception()  # whoever waited may have gone

    async def _wake(self, name: str) -> Project:
        async with self._doors.setdefault(name, asyncio.Lock()):
            there = self._awake.get(name)
            if there is not None and not there.failed:
                return there
            if there is not None:
                if self.on_failure is not None and there.problem is not None:
                    self.on_failure(name, there.problem)
                await self._in_thread(there.close, 1.0)
                self._awake.pop(name, None)
            await self._make_room()
            try:
                project = await self._at_length(self._open, name, asyncio.get_running_loop())
            except (NoSuchProject, ValueError):
                self._doors.pop(name, None)
                raise NotThereError(
                    f"there is no project '{name[:120]}'; GET /v1/projects lists them."
                ) from None
            except LedElsewhere as problem:
                raise BusyError(str(problem)) from None
            if self.closing:
                await self._in_thread(project.close)
                raise _stopping()
            project.on_unkept = self.on_failure
            self._awake[name] = project
            return project

    def _open(self, name: str, loop: asyncio.AbstractEventLoop) -> Project:
        log = self.store.open(name)
        try:
            return Project(log, self.settings, loop, self.pools, self._leases.setdefault(name, Leases()))
        except BaseException:
            log.close()
            raise

    async def _make_room(self) -> None:
        """Put the project that was not used for the longest time to sleep, if there are too many."""
        while len(self._awake) >= self.settings.most_awake:
            idle = [project for project in self._awake.values() if not project.users]
            if not idle:
                raise BusyError(
                    f"all {self.settings.most_awake} projects in memory are in use; ask again in a second, "
                    "or start the service with a larger --awake."
                )
            await self.sleep(min(idle, key=lambda project: project.used_at).name)

    async def sleep(self, name: str) -> None:
        """Put a project to sleep; it is no longer awake at once, and closed when this returns."""
        project = self._awake.pop(name, None)
        if project is not None:
            if not project.leases.count(time.time()):
                self._leases.pop(name, None)
            door = self._doors.setdefault(name, asyncio.Lock())
            if door.locked():
                await self._in_thread(project.close)
            else:
                async with door:
                    await self._in_thread(project.close)

    # -- all projects -------------------------------------------------------------------------------

    async def names(self, archived: bool = False) -> list[str]:
        """The names of the projects that are not archived, or of those that are."""
        return await self._in_thread(self.store.names, archived)

    async def make(self, wanted: CreateProject, actor: str, key: str | None, fingerprint: bytes) -> Made:
        """Make a project; on the disk when this returns. Conflict where there is one of this name."""

        def make() -> bytes:
            return self._make(wanted, actor, key, fingerprint)

        return await self.make_once(wanted.name, key, fingerprint, make)

    async def make_once(
        self, name: str, key: str | None, fingerprint: bytes, make: Callable[[], bytes]
    ) -> Made:
        """Let a project be made in a thread, or answer a request again that was sent before."""
        if self.closing:
            raise _stopping()
        if key is None:
            return Made(await self._at_length(make), now=True)
        if key in self._making:
            raise UnderWayError
        self._making.add(key)
        making = asyncio.ensure_future(self._make_noted(name, key, fingerprint, make))
        making.add_done_callback(lambda _: self._making.discard(key))
        making.add_done_callback(lambda done: done.cancelled() or done.exception())  # who asked may have gone
        return await asyncio.shield(making)

    async def _make_noted(self, name: str, key: str, fingerprint: bytes, make: Callable[[], bytes]) -> Made:
        before = await self._in_thread(self.store.made_with, key)
        for one in dict.fromkeys((name, before or name)):
            found = await self._in_thread(self._answered_by, one, key, fingerprint)
            if found is not None:
                return Made(found, now=False)
        await self._in_thread(self.store.note_making, key, name)
        return Made(await self._at_length(make), now=True)

    def _answered_by(self, name: str, key: str, fingerprint: bytes) -> bytes | None:
        """What a project remembers as the answer to a key; refused if it was to another request."""
        try:
            log = self.store.open(name)
        except (StoreError, ValueError):
            return None
        try:
            found = log.remembered(key)
        finally:
            log.close()
        if found is None:
            return None
        if found.fingerprint != fingerprint:
            raise RefusedError(
                "Idempotency-Key", key.partition(":")[2], "was used for another request; take a new key"
            )
        return found.answer

    def _make(self, wanted: CreateProject, actor: str, key: str | None, fingerprint: bytes) -> bytes:
        rules = self.graph_rules()
        graph = with_attributes(graph_from(wanted.graph, rules), wanted.attributes, rules)
        data = graph_bytes(graph)
        created = _created(wanted, graph.content_hash)
        with first_use(wanted.learner):
            session = start_session(created, data)  # refuses what no session could be made of
        now = time.time()
        known = Projection(created, session, now)
        answer = msgspec.json.encode(project_shown(known, session.graph, session.budget, known.book, 0))
        practise(session)
        answers = [] if key is None else [RememberedAnswer(key, fingerprint, 201, answer, now)]
        if len(self.store.names()) >= self.settings.most_projects:
            raise TooLargeError(f"there are {self.settings.most_projects:,} projects already; archive some.")
        try:
            log = self.store.create(
                wanted.name, data, NewEvent("created", msgspec.json.encode(created), now, actor), answers
            )
        except ProjectExists as problem:
            raise ConflictError(str(problem)) from None
        log.close()
        return answer

    def graph_rules(self) -> GraphRules:
        """What the graph of a new project may be: limits, and folders it may be read from."""
        below: Path | None = self.settings.graphs
        return GraphRules(
            self.files_anywhere or below is not None,
            None if self.files_anywhere and below is None else below,
            self.settings.most_graph,
            self.settings.most_name,
            max(self.settings.most_body * 8, 1 << 28),
            max(self.settings.most_body * 2, 1 << 24),
        )

    async def close(self, patience: float = 5.0) -> None:
        """Put all projects to sleep, and take no more."""
        self.closing = True
        awake, self._awake = list(self._awake.values()), {}
        await asyncio.gather(
            *(self._in_thread(project.close, patience) for project in awake), return_exceptions=True
        )
        for pool in (*self.pools, self._long):
            pool.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, work: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, work, *args)

    async def _at_length(self, work: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._long, work, *args)


class Use:
    """The use of a project: it is not put to sleep meanwhile."""

    __slots__ = ("_hall", "_name", "_project")
    _project: Project

    def __init__(self, hall: Hall, name: str) -> None:
        self._hall, self._name = hall, name

    async def __aenter__(self) -> Project:
        project = await self._hall.awoken(self._name)
        while not self._hall.is_awake(project):  # put to sleep before this was told
            project = await self._hall.awoken(self._name)
        self._project = project
        project.users += 1
        project.used_at = time.monotonic()
        return project

    async def __aexit__(self, *_: object) -> None:
        self._project.users -= 1


def _stopping() -> BusyError:
    return BusyError("the service is stopping; send the request again in a few seconds.", 5.0)


def _created(wanted: CreateProject, graph: str) -> Created:
    """The first event of a project."""
    if len(set(wanted.classes)) != len(wanted.classes):
        raise RefusedError("classes", wanted.classes, "hold a class twice")
    if len({type(label) for label in wanted.classes}) > 1:
        raise RefusedError("classes", wanted.classes, "are texts and numbers; use one kind")
    if not all(isinstance(label, int) or label.strip() for label in wanted.classes):
        raise RefusedError("classes", wanted.classes, "hold an empty text; name every class")
    params = dict(wanted.params)
    if wanted.target is not None:
        if "target" in params:
            raise RefusedError("params", "target", "is given twice; leave one of them out")
        params["target"] = wanted.target
    return Created(
        name=wanted.name,
        classes=tuple(wanted.classes),
        learner=wanted.learner,
        secret=base64.b64encode(secrets.token_bytes(32)).decode(),
        graph=graph,
        params=params,
        policy=wanted.policy,
        budget=wanted.budget,
        daily_budget=wanted.daily_budget,
        seed=wanted.seed,
        audit_share=wanted.audit_share,
    )
