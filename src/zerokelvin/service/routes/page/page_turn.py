"""A turn: acts go to the disk and into the model, and the next question comes back."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar, cast

import numpy as np

from zerokelvin.client.messages import Named
from zerokelvin.client.page_messages import (
    Act,
    Ahead,
    AskedTurn,
    Done,
    FollowingTurn,
    LabelMany,
    RefusedAct,
    TakeTurn,
    TurnTaken,
)
from zerokelvin.errors import NodeError
from zerokelvin.service.page.asking import Choice, choose
from zerokelvin.service.page.desk import Desk, book_of, desk_of
from zerokelvin.service.page.turns import make_turn
from zerokelvin.service.page.work_left import AT_ONCE, fresh_guarantee, standing_shown
from zerokelvin.service.projects.project import Project
from zerokelvin.service.projects.random_checks import check_due, may_draw, pending_check
from zerokelvin.service.records.page_acts import ActsWish, WantedAct
from zerokelvin.service.records.page_book import PASSING, PageBook
from zerokelvin.service.records.refusals import ConflictError, RefusedError, TooLargeError
from zerokelvin.service.web.query_values import node_given, number, whole
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session
from zerokelvin.session.predicting import shares_of
from zerokelvin.stopping import StoppedError, stop_when

PATH = "/v1/projects/{name}"
ANSWERS = 4
"""Answers thought of in advance in one request, the likely ones first."""

LIKELY, FEW = 0.02, 12
"""Beyond so many answers, only those of at least this probability are thought of."""

COPYING = 0.25
"""Seconds that supposing an answer may take, for the model to look ahead."""

PAUSE, IN_VAIN = 0.5, 400
"""Seconds without an answer after which what the checks prove is computed while nobody comes; and events, two
for an answer, after which people have to wait for it once."""

T = TypeVar("T")

TEXT = {"type": "string", "minLength": 1, "maxLength": 200}


@route("POST", f"{PATH}/turn", "label", takes=TakeTurn, gives=TurnTaken)
async def take_turn(call: Call) -> TurnTaken:
    """Take what a person did, each act once: on the disk and learnt when the next question comes."""
    body: TakeTurn = call.body
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        pending = await project.read("pending check", pending_check)
        wish = ActsWish(body.reviewer, [_wanted(act, project, desk, book, pending) for act in body.acts])
        return await _taken(call, project, desk, wish, body.have)


@route("POST", f"{PATH}/label-many", "label", takes=LabelMany, gives=TurnTaken, seconds=120.0)
async def label_many(call: Call) -> TurnTaken:
    """Give many items one label, as one act that can be undone."""
    body: LabelMany = call.body
    if len(body.indices) + len(body.nodes) > call.hall.settings.most_nodes:
        raise TooLargeError(
            f"more than {call.hall.settings.most_nodes:,} items in one request; send several."
        )
    async with call.hall.using(call.name) as project:
        await book_of(project)
        desk, count = desk_of(project), project.known.graph.num_nodes
        if any(not 0 <= place < count for place in body.indices):
            raise RefusedError("indices", "[…]", f"hold a place that is none from 0 to {count - 1}")
        nodes = list(dict.fromkeys([*body.nodes, *map(desk.name, body.indices)]))
        wish = ActsWish(body.reviewer, [WantedAct(body.id, "label-many", nodes, body.label)])
        return await _taken(call, project, desk, wish, [])


@route(
    "GET",
    f"{PATH}/ahead",
    "label",
    gives=Ahead,
    query={
        "reviewer": (TEXT, "Who looks at the question."),
        "node": (TEXT, "The node on their screen."),
        "pass_over": (whole(1 << 31), "So many of the likely answers were told before."),
    },
)
async def look_ahead(call: Call) -> Ahead:
    """Tell which question would follow each answer to the one on the screen: the likely answers first."""
    reviewer, over = call.query.get("reviewer", ""), number(call.query, "pass_over", 0, 1 << 31)
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        node = project.known.index(node_given(call.query, "node", project.known), "node")
        events = project.events
        if desk.copying > COPYING or not project.known.classes:
            desk.copying /= 2  # what was slow may be quick the next time
            return Ahead(node=desk.name(node), after=[], events=events, left=0)
        given = book.answers.get(node, {})
        if reviewer in given or (project.known.labels[node] and len(given) != 1):
            raise ConflictError("this item has been answered meanwhile; take the next turn.")
        likely = await project.read("likely", lambda session: _likely(session, node)[over:])
        after: list[FollowingTurn] = []
        for label in ([] if over else [None]) + likely[:ANSWERS]:
            if project.events != events:  # answered meanwhile: what follows is asked for anew
                break
            look = partial(
                _following, project=project, desk=desk, book=book, node=node, reviewer=reviewer, label=label
            )
            found = await _unhurried(project, look)
            if found is not None:
                after.append(found)
        left = max(len(likely) - ANSWERS, 0)
        return Ahead(node=desk.name(node), after=after, events=events, left=left)


def _wanted(act: Act, project: Project, desk: Desk, book: PageBook, pending: int | None) -> WantedAct:
    """An act with the near-duplicates that it is also for."""
    nodes: list[Named] = [] if act.node is None else [act.node]
    index = _index(project, act.node)
    if index >= 0 and act.kind == "answer" and act.duplicates:
        nodes += [desk.name(other) for other in desk.duplicates(index) if not book.answers.get(other)]
    audit = index >= 0 and index == pending
    return WantedAct(act.id, act.kind, nodes, act.label, act.decision, act.of, audit)


async def _taken(call: Call, project: Project, desk: Desk, wish: ActsWish, have: list[Named]) -> TurnTaken:
    """Write acts, learn them, and find the next question."""
    await project.write(wish, call.actor.name)
    book = await book_of(project)
    reviewer, saved = wish.reviewer, set(wish.saved)
    first = [node for node in (_index(project, name) for name in have) if node >= 0][:1]
    for act in wish.acts:
        done = book.acts.get(act.id)
        if act.id in saved and done is not None:
            for node in done.nodes:
                project.leases.release(node)
            if act.kind == "undo" and done.nodes:
                first = [done.nodes[0]]
            elif act.kind in PASSING:
                first = [node for node in first if node not in done.nodes]
    share = project.known.book.audit_share
    check = None
    if share and project.known.classes and await project.read("check due", lambda s: check_due(s, share)):
        check = await project.random_check(call.actor.name)
    choice, turn = await _next(project, desk, book, reviewer, first, check)
    if choice.check and project.known.classes:
        check = await project.random_check(call.actor.name)
        if check is not None:
            choice, turn = await _next(project, desk, book, reviewer, first, check)
    standing = await project.read("standing", lambda s: standing_shown(s, desk, book, reviewer))
    if standing.items > AT_ONCE:
        _prove_later(project, desk)
    done_word: Done | None = None
    if turn is None:  # without a word it is a random check that is on another's screen
        done_word = choice.done or "leased-to-others"
    if not project.known.classes:
        done_word = "no-classes"
    elif (
        turn is not None and standing.error_at_most is not None and standing.error_at_most <= standing.target
    ):
        done_word = "target-reached"
    return TurnTaken(
        saved=wish.saved,
        refused=[RefusedAct(id=number, detail=detail) for number, detail in wish.refused],
        question=turn,
        after=[],
        standing=standing,
        done=done_word,
        events=project.events,
    )


async def _next(
    project: Project, desk: Desk, book: PageBook, reviewer: str, first: list[int], check: int | None
) -> tuple[Choice, AskedTurn | None]:
    """Choose the next question and show it, in one reading."""

    def read(session: Session) -> tuple[Choice, AskedTurn | None]:
        choice = choose(session, project, book, reviewer, first, check)
        turn = None if choice.node is None else make_turn(session, desk, book, choice, reviewer)
        return choice, turn

    return await project.read("turn", read)


async def _unhurried(project: Project, look: Callable[[Session], T]) -> T | None:
    """What a look finds that gives way to whoever waits, and goes on; None once there are other events."""
    events = project.events

    def looks(session: Session) -> T:
        if project.events != events:  # learnt while this waited for its turn
            raise StoppedError("an answer came meanwhile.")
        with stop_when(project.learning.lock.wanted):
            return look(session)

    while project.events == events:
        with contextlib.suppress(StoppedError):
            return await project.read("ahead", looks)
    return None


def _likely(session: Session, node: int) -> list[Named]:
    """The answers for a node that are thought of, the most probable first."""
    standing = session.standing
    row = shares_of(standing, np.array([node]))[0]
    codes = np.argsort(-row, kind="stable").tolist()
    codes = [code for place, code in enumerate(codes) if place < FEW or row[code] >= LIKELY]
    return [cast(Named, standing.classes[code]) for code in codes]


def _following(
    session: Session,
    project: Project,
    desk: Desk,
    book: PageBook,
    node: int,
    reviewer: str,
    label: Named | None,
) -> FollowingTurn:
    """The question after an answer, or after none; the session is where it was afterwards."""
    told = [node, *(n for n in desk.duplicates(node) if not book.answers.get(n))]
    if label is None or project.known.labels[node]:  # of two answers the first is what the model was told
        told = []
    pairs = [(session.graph.name(n), label) for n in told]
    began = time.perf_counter()
    with session.supposing(pairs[:1], pairs[1:]) as other:
        desk.copying = time.perf_counter() - began
        question = _after(other, project, desk, book, reviewer, node)
    return FollowingTurn(answer=label, question=question)


def _after(
    session: Session, project: Project, desk: Desk, book: PageBook, reviewer: str, node: int
) -> AskedTurn | None:
    """The question that somebody would get, `node` being done: the one that `choose` will choose.

    A random check that is due is drawn aside: the session, told the same, will draw the same.
    """
    share = project.known.book.audit_share
    if share and check_due(session, share) and may_draw(session):
        with book.lock:
            taken = {other for other, own in book.waiting.items() if reviewer in own} | {node}
        taken |= project.leases.of_others(reviewer, time.time())
        with session.supposing([]) as drawn:
            check = drawn.graph.index(drawn.random_check())
            if check not in taken:
                return make_turn(drawn, desk, book, Choice(check), reviewer, lease=False)
    choice = choose(session, project, book, reviewer, [], done=node)
    return None if choice.node is None else make_turn(session, desk, book, choice, reviewer, lease=False)


def _prove_later(project: Project, desk: Desk) -> None:
    """Compute what the checks prove, one computation at a time, when people pause, and until one returns."""
    if desk.proving is not None and not desk.proving.done():
        return

    def look(session: Session) -> None:
        with stop_when(project.learning.lock.wanted):
            fresh_guarantee(session, desk)

    async def prove() -> None:
        last = project.events + IN_VAIN
        while project.events < last:
            events = project.events
            await asyncio.sleep(PAUSE)
            if project.events == events:
                with contextlib.suppress(StoppedError):
                    await project.read("guarantee", look)
                    return
        await project.read("guarantee", lambda session: fresh_guarantee(session, desk))

    desk.proving = asyncio.ensure_future(prove())
    desk.proving.add_done_callback(lambda task: task.cancelled() or task.exception())


def _index(project: Project, node: Named | None) -> int:
    if node is None:
        return -1
    try:
        return project.known.graph.index(node)
    except NodeError:
        return -1
