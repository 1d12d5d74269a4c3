"""The map: where all items lie, and what colours them."""

from __future__ import annotations

from zerokelvin.service.page.desk import book_of, desk_of
from zerokelvin.service.page.map_layout import colours_bytes, layout_of
from zerokelvin.service.page.overview import overview_of
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.route_table import Call, RawAnswer, route

PATH = "/v1/projects/{name}/map"
BYTES = "application/octet-stream"


@route("GET", PATH, "read", kind=BYTES, seconds=120.0)
async def show_map(call: Call) -> RawAnswer:
    """Give the places of all items: at first the quick layout, later the refined one."""
    async with call.hall.using(call.name) as project:
        layout = layout_of(project, desk_of(project))
        return RawAnswer(await aside(layout.ready), BYTES)


@route(
    "GET",
    f"{PATH}/colours",
    "read",
    kind=BYTES,
    query={"reviewer": ({"type": "string", "maxLength": 200}, "Whose answers are marked as one's own.")},
)
async def show_map_colours(call: Call) -> RawAnswer:
    """Give the label, confidence and origin of all items."""
    reviewer = call.query.get("reviewer", "")
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        found = await project.read("overview", lambda session: overview_of(session, desk), 100)
        with book.lock:
            mine = {node for node, given in book.answers.items() if reviewer and reviewer in given}
        return RawAnswer(await aside(colours_bytes, found, mine, project.events), BYTES)
