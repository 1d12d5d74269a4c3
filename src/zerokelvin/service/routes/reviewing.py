"""Questions for a pool of reviewers: each is kept for one of them for a while."""

from __future__ import annotations

import copy
import time
from datetime import UTC, datetime

import msgspec

from zerokelvin.client.messages import AfterAnswer, Question, Questions
from zerokelvin.service.projects.forecasts import key_of
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.random_checks import check_due, pending_check
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.web.query_values import flag, number, whole
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session

MOST = 1000
"""Questions that one request may take."""

LIKELY = 0.05
"""Probability from which on an answer is thought of in advance."""

ANSWERS = 3
"""Answers thought of in advance at most."""

ASKED = {
    "limit": (whole(MOST, 1), "How many questions at most."),
    "reviewer": ({"type": "string", "maxLength": 200}, "Who will look at them; asked again, gets the same."),
    "after": ({"enum": ["0", "1"]}, "1 to be told which question would follow each likely answer."),
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
        only = flag(call.query, "check")
        check = await _check(call, project, reviewer, only)
        limit = min(limit, 0 if check is None else 1) if only else limit
        found = await project.read(
            "next", lambda session: _take(session, project, limit, reviewer, check), limit
        )
        if flag(call.query, "after") and found.questions:
            await project.read_copy(lambda session, _: _look_ahead(session, project, found, reviewer))
        return found


async def _check(call: Call, project: Project, reviewer: str, wanted: bool) -> int | None:
    """The node of a random check for a reviewer; None where none is due or another looks at it."""
    share = project.known.book.audit_share
    if not wanted and not (
        share and await project.read("check due", lambda session: check_due(session, share))
    ):
        return None
    node = None if project.known.book.archived else await project.random_check(call.actor.name)
    return None if node in project.leases.of_others(reviewer, time.time()) else node


def _take(session: Session, project: Project, limit: int, reviewer: str, check: int | None) -> Questions:
    now, known, leases, graph = time.time(), project.known, project.leases, session.graph
    others = leases.of_others(reviewer, now)
    left = known.left_today(now)
    if left is not None:
        limit = max(min(limit, left - len(others)), 0)
    mine = [node for node in leases.of(reviewer, now) if not known.labels[node] and node < graph.num_nodes]
    later = set(project.skipped)
    names = session.open_questions(limit + len(others) + len(later) + len(mine)) if limit else []
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


def _look_ahead(session: Session, project: Project, found: Questions, reviewer: str) -> None:
    """Note after each question which one would follow each likely answer."""
    now, graph = time.time(), session.graph
    taken = project.leases.of_others(reviewer, now) | {graph.index(one.node) for one in found.questions}
    for one in found.questions:
        shares = sorted(
            ((one.probabilities[key_of(c)], i, c) for i, c in enumerate(session.classes)), reverse=True
        )
        one.after = []
        for share, _, label in shares[:ANSWERS]:
            if share >= LIKELY:
                other = copy.copy(session)
                other.learn(one.node, label)
                names = other.open_questions(len(taken) + 1)
                free = [name for name in names if graph.index(name) not in taken]
                following = free[0] if free else None
                one.after.append(AfterAnswer(answer=label, node=following))  # type: ignore[arg-type]
