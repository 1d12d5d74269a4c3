"""What the learner thinks: why a node is predicted so, and which nodes are most suspected of a class."""

from __future__ import annotations

import numpy as np

from zerokelvin.client.messages import Contributed, Explained, Ranked, RankedNode
from zerokelvin.service.records.project_names import all_named, named
from zerokelvin.service.records.refusals import BusyError
from zerokelvin.service.web.query_values import class_given, node_given, number, share, whole
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session
from zerokelvin.session.predicting import shares_of

PATH = "/v1/projects/{name}"
MOST = 100_000
TEXT = {"type": "string", "minLength": 1}


@route("GET", f"{PATH}/explain", "predict", gives=Explained, query={"node": (TEXT, "The node.")})
async def explain_node(call: Call) -> Explained:
    """Explain a prediction by the answers that decided it."""
    async with call.hall.using(call.name) as project:
        node = node_given(call.query, "node", project.known)

        def read(session: Session) -> Explained:
            why = session.explain(node)
            parts = [
                Contributed(node=named(one.node), label=named(one.label), share=float(one.share))
                for one in why.contributions
            ]
            return Explained(
                node=node,
                label=named(why.label),
                margin=float(why.margin),
                contributions=parts,
                reason=why.reason,
                path=all_named(why.path),
                trusted={name: float(weight) for name, weight in why.trusted.items()},
                attributes={name: float(part) for name, part in why.attributes.items()},
                events=project.events,
            )

        return await project.read("explain", read)


@route(
    "GET",
    f"{PATH}/rank",
    "predict",
    gives=Ranked,
    query={
        "label": (TEXT, "The class."),
        "threshold": ({"type": "number", "minimum": 0, "maximum": 1}, "The least probability."),
        "limit": (whole(MOST), "How many nodes at most."),
    },
)
async def rank_nodes(call: Call) -> Ranked:
    """List the nodes without an answer, those most probably of a class first."""
    limit, least = number(call.query, "limit", 100, MOST), share(call.query, "threshold", 0.0)
    async with call.hall.using(call.name) as project:
        label = class_given(call.query, "label", project.known)

        def read(session: Session) -> Ranked:
            standing = session.standing
            if label not in standing.codes:
                raise BusyError("a class is being added; ask again in a second.")
            names = session.rank(label, limit)
            indices = np.array([standing.graph.index(name) for name in names], dtype=np.int64)
            column = standing.codes[label]
            shares = shares_of(standing, indices)[:, column].tolist() if names else []
            found = [
                RankedNode(node=named(name), probability=own)
                for name, own in zip(names, shares, strict=True)
                if own >= least
            ]
            return Ranked(label=label, nodes=found, events=project.events)

        return await project.read("rank", read)
