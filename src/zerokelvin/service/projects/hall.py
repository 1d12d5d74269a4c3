"""All projects of a service: a few awake in memory, the others asleep in the store, woken when used.

A project that nobody uses is put to sleep, the one longest unused first, when another needs its place: what
waits is written and learnt, a snapshot kept, and its memory is free. Waking reads the snapshot and the events
after it.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from zerokelvin.client.messages import CreateProject
from zerokelvin.service.projects.practice_run import practise
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.facts import Created
from zerokelvin.service.records.graph_source import GraphRules, graph_bytes, graph_from
from zerokelvin.service.records.project_snapshot import start_session
from zerokelvin.service.records.refusals import (
    BusyError,
    ConflictError,
    NotThereError,
    RefusedError,
    TooLargeError,
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

__all__ = ["Hall"]

THREADS = 4


class Hall:
    """The projects of a store, for one event loop."""

    def __init__(self, store: Store, settings: ServiceSettings) -> None:
        self.store, self.settings = store, settings
        self.pool = ThreadPoolExecutor(THREADS, thread_name_prefix="read")
        self.closing = self.ending = False
        self.files_anywhere = False
        """Whether a graph may be read from any file: without keys, where who asks is who serves."""
        self._awake: dict[str, Project] = {}
        self._doors: dict[str, asyncio.Lock] = {}

    @property
    def awake(self) -> list[Project]:
        """The projects in memory."""
        return list(self._awake.values())

    # -- one project --------------------------------------------------------------------------------

    def using(self, name: str) -> Use:
        """A project that stays awake meanwhile, for ``async with``."""
        return Use(self, name)

    async def awoken(self, name: str) -> Project:
        """A project, woken if it is asleep; opened again if it failed."""
        project = self._awake.get(name)
        return await self._woken(name) if project is None or project.failed else project

    async def _woken(self, name: str) -> Project:
        if self.closing:
            raise BusyError("the service is stopping; send the request again in a few seconds.", 5.0)
        async with self._doors.setdefault(name, asyncio.Lock()):
            there = self._awake.get(name)
            if there is not None and not there.failed:
                return there
            if there is not None:
                await self._in_thread(there.close, 1.0)
                self._awake.pop(name, None)
            await self._make_room()
            try:
                project = await self._in_thread(self._open, name, asyncio.get_running_loop())
            except (NoSuchProject, ValueError):
                self._doors.pop(name, None)
                raise NotThereError(
                    f"there is no project '{name[:120]}'; GET /v1/projects lists them."
                ) from None
            except LedElsewhere as problem:
                raise BusyError(str(problem)) from None
            self._awake[name] = project
            return project

    def _open(self, name: str, loop: asyncio.AbstractEventLoop) -> Project:
        log = self.store.open(name)
        try:
            return Project(log, self.settings, loop, self.pool)
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

    async def make(self, wanted: CreateProject, actor: str, key: str | None, fingerprint: bytes) -> None:
        """Make a project; on the disk when this returns. Conflict where there is one of this name."""
        if self.closing:
            raise BusyError("the service is stopping; send the request again in a few seconds.", 5.0)
        if await self.remembered(wanted.name, key, fingerprint):
            return
        await self._in_thread(self._make, wanted, actor, key, fingerprint)

    async def remembered(self, name: str, key: str | None, fingerprint: bytes) -> bool:
        """Whether a project was made by a request with this key before; refused if by another request."""
        if key is None:
            return False
        try:
            log = await self._in_thread(self.store.open, name)
        except (StoreError, ValueError):
            return False
        try:
            found = await self._in_thread(log.remembered, key)
        finally:
            log.close()
        if found is None:
            return False
        if found.fingerprint != fingerprint:
            raise RefusedError(
                "Idempotency-Key", key.partition(":")[2], "was used for another request; take a new key"
            )
        return True

    def _make(self, wanted: CreateProject, actor: str, key: str | None, fingerprint: bytes) -> None:
        graph = graph_from(wanted.graph, self.graph_rules())
        data = graph_bytes(graph)
        created = _created(wanted, graph.content_hash)
        session = start_session(created, data)  # refuses what no session could be made of
        practise(session)
        now = time.time()
        answers = [] if key is None else [RememberedAnswer(key, fingerprint, 201, b"", now)]
        if len(self.store.names()) >= self.settings.most_projects:
            raise TooLargeError(f"there are {self.settings.most_projects:,} projects already; archive some.")
        try:
            log = self.store.create(
                wanted.name, data, NewEvent("created", msgspec.json.encode(created), now, actor), answers
            )
        except ProjectExists as problem:
            raise ConflictError(str(problem)) from None
        log.close()

    def graph_rules(self) -> GraphRules:
        """What graphs may be."""
        below: Path | None = self.settings.graphs
        return GraphRules(
            self.files_anywhere or below is not None,
            None if self.files_anywhere and below is None else below,
            self.settings.most_graph,
            self.settings.most_name,
            max(self.settings.most_body * 8, 1 << 28),
        )

    async def close(self, patience: float = 5.0) -> None:
        """Put all projects to sleep, and take no more."""
        self.closing = True
        awake, self._awake = list(self._awake.values()), {}
        await asyncio.gather(
            *(self._in_thread(project.close, patience) for project in awake), return_exceptions=True
        )
        self.pool.shutdown(wait=False, cancel_futures=True)

    async def _in_thread(self, work: Any, *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(None, work, *args)


class Use:
    """The use of a project: it is not put to sleep meanwhile."""

    __slots__ = ("_hall", "_name", "_project")
    _project: Project

    def __init__(self, hall: Hall, name: str) -> None:
        self._hall, self._name = hall, name

    async def __aenter__(self) -> Project:
        project = self._project = await self._hall.awoken(self._name)
        project.users += 1
        project.used_at = time.monotonic()
        return project

    async def __aexit__(self, *_: object) -> None:
        self._project.users -= 1


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
