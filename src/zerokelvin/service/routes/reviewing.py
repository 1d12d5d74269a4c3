"""Questions for a pool of reviewers: each is kept for one of them for a while."""

from __future__ import annotations

import copy
import time
from datetime import UTC, datetime

import msgspec

from zerokelvin.client.messages import AfterAnswer, Named, Question, Questions
from zerokelvin.errors import ParameterError
from zerokelvin.service.projects.forecasts import key_of
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.random_checks import check_due, pending_check
from zerokelvin.service.records.project_names import named
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.web.query_values import FLAGS, class_named, flag, number, several, whole
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session
from zerokelvin.session.questions import ORDERS

MOST = 1000
"""Questions that one request may take."""

LIKELY = 0.05
"""Probability from which on an answer is thought of in advance."""

ANSWERS = 3
"""Answers thought of in advance at most."""

ASKED = {
    "limit": (whole(MOST, 1), "How many questions at most."),
    "reviewer": ({"type": "string", "maxLength": 200}, "Who will look at them; asked again, gets the same."),
    "after": (
        {"type": "string", "maxLength": 200},
        "1 for the question that would follow each likely answer, or an answer; several may be given.",
    ),
    "order": (
        {"type": "string", "maxLength": 200},
        "suspicion for those most suspected of the rarest class first, suspicion:CLASS for a class.",
    ),
    "check": ({"enum": ["0", "1"]}, "1 for the random check that waits for its answer, drawn if none does."),
}


@route(
    "GET", "/v1/projects/{name}/next", "label", gives=Questions, query=ASKED, links=("answer", "skip_node")
)
async def next_questions(call: Call) -> Questions:
    """Hand out the questions most worth asking, each kept for the reviewer until its lease ends.

    A share of them, as the project says, are random checks.
    """
    limit, reviewer = number(call.query, "limit", 1, MOST, 1), call.query.get("reviewer", "")
    if len(reviewer) > 200 or not (reviewer.isprintable() or not reviewer):
        raise RefusedError("reviewer", reviewer[:60], "is longer than 200 characters, or not printable")
    async with call.hall.using(call.name) as project:
        if project.known.book.archived:  # whose answers would be refused
            return Questions(questions=[], leased=0, events=project.events)
        only = flag(call.query, "check")
        check, order = await _check(call, project, reviewer, only), _order(call, project)
        limit = min(limit, 0 if check is None else 1) if only else limit
        found = await project.read(
            "next", lambda session: _take(session, project, limit, reviewer, check, order), limit
        )
        answers = _foreseen(call, project)
        if answers is not None and found.questions:
            await project.read_copy(
                lambda session, _: _look_ahead(session, project, found, reviewer, answers)
            )
        return found


def _order(call: Call, project: Project) -> str:
    """In which order questions are wanted, as `Session.open_questions` takes it."""
    order = call.query.get("order", "policy")
    try:
        label = ORDERS.split(order)[1]
    except ParameterError:
        raise RefusedError("order", order[:60], "is neither policy, suspicion nor suspicion:CLASS") from None
    if label is not None:
        class_named(label, project.known, "order")
    return order


def _foreseen(call: Call, project: Project) -> tuple[Named, ...] | None:
    """The answers that a reviewer may give, none for the likely ones; None where nobody asks for them."""
    if call.query.get("after", "0") in FLAGS:
        return () if flag(call.query, "after") else None
    return tuple(class_named(text, project.known, "after") for text in several(call.query, "after"))


async def _check(call: Call, project: Project, reviewer: str, wanted: bool) -> int | None:
    """The node of a random check for a reviewer; None where none is due or another looks at it."""
    share = project.known.book.audit_share
    if not wanted and not (
        share and await project.read("check due", lambda session: check_due(session, share))
    ):
        return None
    node = await project.random_check(call.actor.name)
    return None if node in project.leases.of_others(reviewer, time.time()) else node


def _take(
    session: Session, project: Project, limit: int, reviewer: str, check: int | None, order: str
) -> Questions:
    now, known, leases, graph = time.time(), project.known, project.leases, session.graph
    others = leases.of_others(reviewer, now)
    left = known.left_today(now)
    if left is not None:
        limit = max(min(limit, left - len(others)), 0)
    mine = [node for node in leases.of(reviewer, now) if not known.labels[node] and node < graph.num_nodes]
    later = set(project.skipped)
    most = limit + len(others) + len(later) + len(mine)
    names = session.open_questions(most, order) if limit else []
    drawn = [] if check is None or known.labels[check] else [check]
    mine = [*drawn, *(node for node in mine if node not in drawn)]
    waiting = [node for node in map(graph.index, names) if node not in others and node not in mine]
    waiting.sort(key=lambda node: node in later)  # those passed over come last
    chosen = [*mine, *waiting][:limit]
    questions = []
    forecasts, pending = project.forecasts(session), pending_check(session)
    for node in chosen:
        shown = forecasts.of(node)
        lease = leases.take(node, reviewer, now, project.settings.lease)
        until = datetime.fromtimestamp(lease.until, UTC).isoformat()
        fields = msgspec.structs.asdict(shown)
        questions.append(Question(**fields, lease_until=until, reviewer=reviewer, check=node == pending))
    return Questions(questions=questions, leased=len(others), events=project.events)


def _look_ahead(
    session: Session, project: Project, found: Questions, reviewer: str, answers: tuple[Named, ...]
) -> None:
    """Note after each question which one would follow each of some answers, or each likely one."""
    now, graph = time.time(), session.graph
    taken = project.leases.of_others(reviewer, now) | {graph.index(one.node) for one in found.questions}
    for one in found.questions:
        one.after = []
        for label in answers or _likely(session, one):
            other = copy.copy(session)
            other.learn(one.node, label)
            names = other.open_questions(len(taken) + 1)
            free = [name for name in names if graph.index(name) not in taken]
            one.after.append(AfterAnswer(answer=label, node=named(free[0]) if free else None))


def _likely(session: Session, question: Question) -> list[Named]:
    """The answers to a question that are not improbable, the most probable first."""
    chances = question.probabilities
    shares = sorted(((chances[key_of(c)], i, c) for i, c in enumerate(session.classes)), reverse=True)
    return [named(label) for share, _, label in shares[:ANSWERS] if share >= LIKELY]
