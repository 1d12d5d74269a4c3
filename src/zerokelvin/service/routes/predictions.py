"""Predictions: one node or many, all from the same events."""

from __future__ import annotations

from zerokelvin.client.messages import Predict, Predictions
from zerokelvin.service.projects.forecasts import forecast
from zerokelvin.service.records.refusals import TooLargeError
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session


@route(
    "POST",
    "/v1/projects/{name}/predict",
    "predict",
    takes=Predict,
    gives=Predictions,
    links=("answer", "skip_node"),
)
async def predict(call: Call) -> Predictions:
    """Predict the labels of nodes; each comes with a decision, to be sent back with the label."""
    nodes = call.body.nodes
    most = call.hall.settings.most_nodes
    if len(nodes) > most:
        raise TooLargeError(f"{len(nodes):,} nodes are more than the {most:,} of one request; send several.")
    async with call.hall.using(call.name) as project:
        known = project.known

        def read(session: Session) -> Predictions:
            for i, node in enumerate(nodes):
                known.index(node, f"nodes[{i}]")
            return Predictions(predictions=forecast(session, nodes, known), events=project.events)

        return await project.read("predict", read, len(nodes))
