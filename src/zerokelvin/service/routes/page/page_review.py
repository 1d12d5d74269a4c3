"""Looking back: history, lists to review, who is here, and what a selection on the map holds."""

from __future__ import annotations

import time

import numpy as np

from zerokelvin.array_types import Floats, Ints
from zerokelvin.client.page_messages import (
    History,
    HistoryAnswer,
    ReviewerShown,
    ReviewersShown,
    ReviewRow,
    ReviewRows,
    Selection,
    SelectItems,
)
from zerokelvin.labelling.agreement import cohen_kappa, krippendorff_alpha
from zerokelvin.service.page.desk import Desk, book_of, desk_of
from zerokelvin.service.page.map_layout import layout_of
from zerokelvin.service.page.overview import Overview, overview_of, said_of
from zerokelvin.service.page.turns import iso
from zerokelvin.service.projects.forecasts import key_of
from zerokelvin.service.records.page_book import PageBook
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.web.query_values import class_given, number, whole
from zerokelvin.service.web.route_table import Call, route

PATH = "/v1/projects/{name}"
MOST = 500
SHOWS = ("least-sure", "disagreements", "answered", "predicted", "unsure", "all")
FIRST = 5
"""Items of a selection to check first."""

TEXT = {"type": "string", "maxLength": 200}


@route(
    "GET",
    f"{PATH}/history",
    "read",
    gives=History,
    query={
        "reviewer": (TEXT, "Whose acts; everybody's without."),
        "before": (TEXT, "The number of an act: older ones than this."),
        "limit": (whole(MOST, 1), "How many at most."),
    },
)
async def show_history(call: Call) -> History:
    """Show what people did, the newest first."""
    limit, by = number(call.query, "limit", 50, MOST, 1), call.query.get("reviewer")
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        with book.lock:
            acts = [act for act in book.order if by is None or act.by == by]
        before = call.query.get("before")
        if before is not None:
            places = [i for i, act in enumerate(acts) if act.id == before]
            acts = acts[: places[0]] if places else []
        shown = [
            HistoryAnswer(
                id=act.id,
                node=desk.name(act.nodes[0]),
                title=desk.title(act.nodes[0]),
                label=act.label,
                predicted=act.predicted,
                by=act.by,
                at=iso(act.at),
                kind=act.kind,
                undone=act.undone,
                items=len(act.nodes),
                image=desk.image(act.nodes[0]),
                group=act.id if len(act.nodes) > 1 else None,
            )
            for act in acts[-limit:][::-1]
        ]
        return History(answers=shown, more=len(acts) > limit)


@route(
    "GET",
    f"{PATH}/review",
    "read",
    gives=ReviewRows,
    query={
        "show": ({"enum": list(SHOWS)}, "Which items."),
        "search": (TEXT, "A text that they hold, whatever the case."),
        "label": (TEXT, "The label they have."),
        "offset": (whole(1 << 31), "How many to pass over."),
        "limit": (whole(MOST, 1), "How many at most."),
    },
)
async def review_items(call: Call) -> ReviewRows:
    """List items: the least sure, disagreements, answered, predicted, unsure or all of them."""
    show, search = call.query.get("show", "least-sure"), call.query.get("search", "")
    if show not in SHOWS:
        raise RefusedError("show", show, f"is none of {', '.join(SHOWS)}")
    offset, limit = number(call.query, "offset", 0, 1 << 31), number(call.query, "limit", 50, MOST, 1)
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        label = class_given(call.query, "label", project.known) if call.query.get("label") else None
        found = await project.read("overview", lambda session: overview_of(session, desk), 100)
        with book.lock:
            nodes = _listed(show, found, book)
        nodes = nodes[nodes < len(found.predicted)]  # others may have added and answered some meanwhile
        if label is not None:
            nodes = nodes[_final(found)[nodes] == project.known.codes[label]]
        if search:
            nodes = nodes[np.isin(nodes, _matching(desk, search, len(found.predicted)))]
        rows = [_row(node, desk, book, found) for node in nodes[offset : offset + limit].tolist()]
        return ReviewRows(rows=rows, total=len(nodes))


@route("POST", f"{PATH}/select", "read", takes=SelectItems, gives=Selection)
async def select_items(call: Call) -> Selection:
    """Tell what a selection on the map holds, and what to check first."""
    body: SelectItems = call.body
    async with call.hall.using(call.name) as project:
        await book_of(project)
        desk = desk_of(project)
        count = project.known.graph.num_nodes
        chosen = np.unique(np.array(body.indices, dtype=np.int64))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < count:
            raise RefusedError("indices", "[…]", f"hold a place that is none from 0 to {count - 1}")
        if len(body.polygon) >= 3:
            places = layout_of(project, desk).positions
            if places is None:
                raise RefusedError(
                    "polygon", "[…]", "needs the map, which is not there yet; ask for it first"
                )
            chosen = np.union1d(chosen, inside(np.array(body.polygon, dtype=np.float64), places))
        wanted = -1
        if body.label is not None:
            wanted = project.known.codes[project.known.label(body.label, "label")]
        found = await project.read("overview", lambda session: overview_of(session, desk), 100)
        return _selection(chosen, wanted, found, desk)


@route("GET", f"{PATH}/reviewers", "read", gives=ReviewersShown)
async def show_reviewers(call: Call) -> ReviewersShown:
    """Show who labels, what they look at, and how far they agree."""
    now = time.time()
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        on = {lease.reviewer: (node, lease.until) for node, lease in project.leases.held(now)}
        with book.lock:
            people = list(dict.fromkeys([*book.reviewers(), *(name for name in on if name)]))
            last = {act.by: act.at for act in book.order}
            shared = [
                {by: one.label for by, one in given.items() if by}
                for given in book.answers.values()
                if sum(bool(by) for by in given) > 1
            ]
            counts = dict(book.counts)
        both = [tuple(own.values()) for own in shared]
        whose = {name for own in shared for name in own}
        pairs = [(own[a], own[b]) for own in shared for a, b in [sorted(own)[:2]]] if len(whose) == 2 else []
        shown = [
            ReviewerShown(
                reviewer=name,
                answers=counts.get(name, 0),
                last=iso(last[name]) if name in last else None,
                on=desk.name(on[name][0]) if name in on else None,
                until=iso(on[name][1]) if name in on else None,
            )
            for name in people
            if name
        ]
        return ReviewersShown(
            reviewers=shown,
            overlap=len(both),
            kappa=cohen_kappa(pairs),
            alpha=krippendorff_alpha(shared),
        )


def _selection(chosen: Ints, wanted: int, found: Overview, desk: Desk) -> Selection:
    """What is to be known before many items get one label; where none is wanted, what the model says most.

    To be checked first are those for which the model says something else, then those that are open and
    least sure.
    """
    predicted, told = found.predicted[chosen], found.told[chosen]
    if wanted < 0 and len(chosen) and found.classes:
        wanted = int(np.bincount(predicted).argmax())
    against = predicted != wanted if wanted >= 0 else np.zeros(len(chosen), dtype=np.bool_)
    sure = found.probability[chosen]
    order = np.lexsort((sure, ~against))
    first = chosen[order[(against | (told < 0))[order]]][:FIRST]
    final = _final(found)[chosen]
    counts = np.bincount(final[final >= 0], minlength=len(found.classes)).tolist()
    return Selection(
        count=len(chosen),
        label=found.classes[wanted] if wanted >= 0 else None,
        disagree=int(against.sum()),
        otherwise=int(((told >= 0) & (told != wanted)).sum()),
        check_first=[desk.name(node) for node in first.tolist()],
        labels={key_of(label): n for label, n in zip(found.classes, counts, strict=True) if n},
    )


def _final(found: Overview) -> Ints:
    """The class that goes out for every item."""
    return np.where(found.told >= 0, found.told, found.predicted)


def _listed(show: str, found: Overview, book: PageBook) -> Ints:
    """The items of a list, in its order."""
    every = np.arange(len(found.predicted))
    open_ones = every[found.told < 0]
    if show == "all":
        return every
    if show == "answered":
        return every[found.told >= 0]
    if show == "unsure":
        waits = [node for node, own in book.waiting.items() if any(w.kind == "unsure" for w in own.values())]
        return np.array(sorted(waits), dtype=np.int64)
    if show == "disagreements":
        split = [
            node for node, given in book.answers.items() if len({one.label for one in given.values()}) > 1
        ]
        against = every[(found.told >= 0) & (found.told != found.predicted)]
        surprised = [
            act.nodes[0]
            for act in book.order
            if not act.undone
            and act.predicted is not None
            and act.label is not None
            and act.predicted != act.label
        ]
        return np.array(list(dict.fromkeys([*split, *against.tolist(), *surprised])), dtype=np.int64)
    order = np.argsort(found.probability[open_ones], kind="stable")
    return open_ones[order if show == "least-sure" else order[::-1]]


def _matching(desk: Desk, search: str, count: int) -> Ints:
    if desk.items is not None:
        by_text = desk.items.matching(search)
    else:
        by_text = np.empty(0, dtype=np.int64)
    wanted = search.casefold()
    by_name = [node for node in range(count) if wanted in str(desk.name(node)).casefold()]
    return np.union1d(by_text, np.array(by_name, dtype=np.int64))


def _row(node: int, desk: Desk, book: PageBook, found: Overview) -> ReviewRow:
    said = said_of(book, node)
    act = None if said is None else book.last_on(node, said.by)
    guess = found.classes[found.predicted[node]] if found.classes else None
    return ReviewRow(
        node=desk.name(node),
        index=node,
        title=desk.title(node),
        label=found.label(node),
        probability=float(found.probability[node]) if found.classes else None,
        asked=bool(found.told[node] >= 0),
        by=None if said is None else said.by,
        at=None if said is None else said.when,
        predicted=act.predicted if act is not None and act.predicted is not None else guess,
        image=desk.image(node),
    )


def inside(polygon: Floats, points: Floats) -> Ints:
    """The points within a polygon, by how often a ray to the right crosses its edges.

    >>> square = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
    >>> inside(square, np.array([[1.0, 1.0], [3.0, 1.0]])).tolist()
    [0]
    """
    x, y = points[:, 0], points[:, 1]
    odd = np.zeros(len(points), dtype=np.bool_)
    for (x0, y0), (x1, y1) in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
        if y0 != y1:
            cross = (y0 > y) != (y1 > y)
            odd ^= cross & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return np.flatnonzero(odd)
