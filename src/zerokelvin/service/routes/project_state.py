"""Where a project stands: mistakes, questions, the bound, the estimated error, budgets."""

from __future__ import annotations

import time
from typing import NamedTuple

from zerokelvin.bound import Bound
from zerokelvin.client.messages import Assumed, BoundShown, GuaranteeShown, ProjectState
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.random_checks import CONFIDENCE, guarantee_shown
from zerokelvin.service.web.query_values import CONFIDENCES, confidence_given
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session
from zerokelvin.session.prediction import SKIP


class Proved(NamedTuple):
    """What is proved after so many events: bounds on the mistakes and on labels that go out unasked."""

    bound: BoundShown
    guarantee: GuaranteeShown
    events: int


@route(
    "GET",
    "/v1/projects/{name}/state",
    "read",
    gives=ProjectState,
    query={"confidence": (CONFIDENCES, f"Of the guarantee; {CONFIDENCE} unless given.")},
)
async def project_state(call: Call) -> ProjectState:
    """Show where a project stands; the bound is against the answers known so far."""
    confidence = confidence_given(call.query, CONFIDENCE)
    async with call.hall.using(call.name) as project:
        state = await project.read("state", lambda session: _state(session, project))
        place = (state.events, confidence)
        known: Proved | None = project.proved.get(place)
        if known is None:
            known = await project.read_copy(lambda session, events: _proved(session, events, confidence))
            project.proved = {(known.events, confidence): known}
        state.bound, state.guarantee = known.bound, known.guarantee
        if known.guarantee.checks:
            state.remaining_error_interval = [0.0, known.guarantee.wrong_at_most / state.nodes]
        return state


def _state(session: Session, project: Project) -> ProjectState:
    left = None if session.budget is None else max(session.budget - session.queries, 0)
    now, wrong = time.time(), session.remaining_error
    return ProjectState(
        name=project.name,
        learner=session.learner.name,
        classes=list(project.known.classes),
        nodes=session.graph.num_nodes,
        edges=session.graph.num_edges,
        answers=sum(count > 0 for count in project.known.labels.values()),
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


def _proved(session: Session, events: int, confidence: float) -> Proved:
    return Proved(_bound(session), guarantee_shown(session, confidence), events)


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
