"""A graph that grows: further nodes and edges."""

from __future__ import annotations

from zerokelvin.client.messages import AddEdges, AddedNodes, AddNodes
from zerokelvin.service.records.refusals import TooLargeError
from zerokelvin.service.web.route_table import Call, route

PATH = "/v1/projects/{name}"
SECONDS = 300.0
"""A growth may take longer than other requests: the learner is told of the new graph before it is written."""


@route("POST", f"{PATH}/nodes", "label", takes=AddNodes, gives=AddedNodes, writes=True, seconds=SECONDS)
async def add_nodes(call: Call) -> bytes:
    """Add nodes, with edges among them and the old ones."""
    return await _grow(call, len(call.body.nodes) + len(call.body.edges))


@route("POST", f"{PATH}/edges", "label", takes=AddEdges, gives=AddedNodes, writes=True, seconds=SECONDS)
async def add_edges(call: Call) -> bytes:
    """Add edges; one that is there already adds to its weight."""
    return await _grow(call, len(call.body.edges))


async def _grow(call: Call, count: int) -> bytes:
    most = call.hall.settings.most_nodes
    if count > most:
        raise TooLargeError(f"{count:,} nodes and edges are more than the {most:,} of one request.")
    async with call.hall.using(call.name) as project:
        return await project.write(call.body, call.actor.name, call.key, call.fingerprint)
