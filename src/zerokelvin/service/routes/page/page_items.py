"""Items as people see them, and their images."""

from __future__ import annotations

from pathlib import Path

from zerokelvin.client.page_messages import Item, ItemList
from zerokelvin.errors import ZerokelvinError
from zerokelvin.labelling.image_kinds import image_kind
from zerokelvin.service.page.desk import desk_of
from zerokelvin.service.records.refusals import NotThereError, RefusedError
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.query_values import node_given, node_named, number, several, whole
from zerokelvin.service.web.route_table import Call, RawAnswer, route

PATH = "/v1/projects/{name}"
MOST = 100
MOST_BYTES = 32 << 20
"""Bytes of an image that is sent."""

TEXT = {"type": "string", "minLength": 1}
PICTURE = (
    (b"content-security-policy", b"default-src 'none'; sandbox"),
    (b"cache-control", b"private, max-age=600"),
)


@route(
    "GET", f"{PATH}/items", "read", gives=ItemList, query={"node": (TEXT, "A node; may stand several times.")}
)
async def show_items(call: Call) -> ItemList:
    """Show items as people see them."""
    names = several(call.query, "node")
    if not 1 <= len(names) <= MOST:
        raise RefusedError("node", len(names), f"stands there so often; name from 1 to {MOST} nodes")
    async with call.hall.using(call.name) as project:
        desk = desk_of(project)
        nodes = [project.known.index(node_named(name, project.known, "node"), "node") for name in names]
        items = await project.read("items", lambda s: [desk.item(node, s) for node in nodes], len(nodes))
        return ItemList(items=items)


@route(
    "GET",
    f"{PATH}/map/node",
    "read",
    gives=Item,
    query={"index": (whole(1 << 31), "The place in the graph.")},
)
async def show_map_node(call: Call) -> Item:
    """Show the item at a place of the map."""
    place = number(call.query, "index", 0, 1 << 31)
    async with call.hall.using(call.name) as project:
        desk = desk_of(project)
        if place >= project.known.graph.num_nodes:
            raise RefusedError("index", place, "is beyond the last item")
        return await project.read("items", lambda session: desk.item(place, session))


@route(
    "GET", f"{PATH}/image", "read", kind="image/*", query={"node": (TEXT, "The node whose image is wanted.")}
)
async def show_image(call: Call) -> RawAnswer:
    """Give the image of an item."""
    async with call.hall.using(call.name) as project:
        desk = desk_of(project)
        node = project.known.index(node_given(call.query, "node", project.known), "node")
        found = None
        if desk.items is not None and node < len(desk.items):
            found = desk.items.image(node)
        data = await aside(_read, found) if isinstance(found, Path) else found
        kind = None if data is None else image_kind(data)
        if data is None or kind is None:
            raise NotThereError(f"the image of '{call.query['node'][:100]}' is missing, or is none.")
        return RawAnswer(data, kind, headers=PICTURE)


def _read(path: Path) -> bytes | None:
    """The bytes of a file; None where it is gone or too large."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return None
        return path.read_bytes()
    except (OSError, ZerokelvinError):
        return None
