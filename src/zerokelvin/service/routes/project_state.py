"""Where a project stands: mistakes, questions, the bound, the estimated error, budgets."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeVar, cast

from zerokelvin.bound import Bound
from zerokelvin.client.messages import Assumed, BoundShown, ProjectState
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.random_checks import CONFIDENCE, guarantee_shown
from zerokelvin.service.web.query_values import CONFIDENCES, confidence_given
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP

PATIENCE = 5.0
"""Seconds that a state waits for the bound, which some learners compute from the distances of all nodes."""

MOST_PROVED = 8
"""Figures of a project that are kept until the next event: the bound, guarantees of several confidences."""

T = TypeVar("T")


class Proved(NamedTuple):
    """What is proved after so many events."""

    what: Any
    events: int


@route(
    "GET",
    "/v1/projects/{name}/state",
    "read",
    gives=ProjectState,
    query={"confidence": (CONFIDENCES, f"Of the guarantee; {CONFIDENCE} unless given.")},
)
async def project_state(call: Call) -> ProjectState:
    """Show where a project stands; the bound, against the answers known, is null while it is computed."""
    confidence = confidence_given(call.query, CONFIDENCE)
    async with call.hall.using(call.name) as project:
        state = await project.read("state", lambda session: _state(session, project))
        state.bound = await _proved(project, "bound", _bound, project.prove)
        state.guarantee = found = await _proved(
            project,
            f"guarantee {confidence}",
            lambda session: guarantee_shown(session, confidence),
            project.read_copy,
        )
        if found is not None and found.checks:
            state.remaining_error_interval = [0.0, found.wrong_at_most / state.nodes]
        return state


async def _proved(
    project: Project,
    kind: str,
    prove: Callable[[Session], T],
    read: Callable[[Callable[[Session, int], Proved]], Coroutine[Any, Any, Proved]],
) -> T | None:
    """What is proved where a project stands; None while that is being computed, which goes on."""
    deadline = time.monotonic() + PATIENCE
    while True:
        work = project.proved.get(kind)
        if work is None or (work.done() and _is_past(work, project.events)):
            reading = read(lambda session, events: Proved(prove(session), events))
            while len(project.proved) >= MOST_PROVED:
                project.proved.pop(next(iter(project.proved)))
            work = project.proved[kind] = asyncio.ensure_future(reading)
        began = project.events
        done, _ = await asyncio.wait({work}, timeout=max(deadline - time.monotonic(), 0.0))
        if not done:
            return None
        found: Proved = work.result()
        if found.events >= began:
            return cast("T", found.what)


def _is_past(work: asyncio.Future[Proved], events: int) -> bool:
    """Whether what was computed failed, or is of fewer events than there are."""
    return work.cancelled() or work.exception() is not None or work.result().events < events


def _state(session: Session, project: Project) -> ProjectState:
    left = None if session.budget is None else max(session.budget - session.queries, 0)
    now, wrong = time.time(), session.remaining_error
    return ProjectState(
        name=project.name,
        learner=session.learner.name,
        classes=list(project.known.classes),
        nodes=session.graph.num_nodes,
        edges=session.graph.num_edges,
        answers=project.known.answered,
        mistakes=session.mistakes,
        queries=session.queries,
        trials=session.trials,
        bound=None,
        remaining_error=None if wrong is None else float(wrong),
        remaining_error_interval=None,
        budget=session.budget,
        budget_left=left,
        daily_budget=project.learning.book.daily_budget,
        daily_budget_left=project.known.left_today(now),
        leases=project.leases.count(now),
        events=project.events,
        epoch=project.epoch,
    )


def _bound(session: Session) -> BoundShown:
    """The bound against the last label of every node that has one."""
    last = {event.node: event.label for event in session.events if event.kind != SKIP}
    found: Bound = session.bound({session.graph.name(node): label for node, label in last.items()})
    said = found.as_dict()
    assumed = [Assumed(text=one["text"], holds=bool(one["holds"])) for one in said["assumptions"]]
    return BoundShown(
        value=None if said["value"] is None else float(said["value"]),
        theorem=said["theorem"],
        assumptions=assumed,
        holds=bool(said["holds"]),
        expected=said["expected"],
    )
