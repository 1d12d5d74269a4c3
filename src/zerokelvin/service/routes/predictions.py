"""Predictions: one node or many, all from the same events."""

from __future__ import annotations

import msgspec

from zerokelvin.client.messages import Outgoing, Predict, Predictions
from zerokelvin.errors import NodeError
from zerokelvin.service.records.refusals import TooLargeError
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session

encode = msgspec.json.Encoder().encode


class WrittenPredictions(Outgoing):
    """`Predictions` of which each is JSON already."""

    predictions: list[msgspec.Raw]
    events: int


@route(
    "POST",
    "/v1/projects/{name}/predict",
    "predict",
    takes=Predict,
    gives=Predictions,
    links=("answer", "skip_node"),
)
async def predict(call: Call) -> bytes:
    """Predict the labels of nodes; each comes with a decision, to be sent back with the label."""
    nodes = call.body.nodes
    most = call.hall.settings.most_nodes
    if len(nodes) > most:
        raise TooLargeError(f"{len(nodes):,} nodes are more than the {most:,} of one request; send several.")
    async with call.hall.using(call.name) as project:
        known = project.known
        try:
            index = known.graph.index
            indices = [index(node) for node in nodes]
        except NodeError:
            indices = [known.index(node, f"nodes[{i}]") for i, node in enumerate(nodes)]

        told = project.at_once(indices)
        if told is not None:
            return encode(WrittenPredictions(predictions=told.predictions, events=told.events))

        def read(session: Session) -> bytes:
            told = project.forecasts(session).as_json(indices)
            return encode(WrittenPredictions(predictions=told, events=project.events))

        await project.caught_up()
        fresh = project.unread(indices)
        if not fresh:
            return await project.read("told", read, len(nodes))
        return await project.read("one" if len(nodes) == 1 else "many", read, fresh)
