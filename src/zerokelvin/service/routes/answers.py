"""What people say: labels, labels that are known already, corrections, nodes passed over, budgets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from zerokelvin.client.messages import Answer, Answers, Correct, Named, Numbered, SetBudget, Skip, Teach
from zerokelvin.errors import NodeError
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.projection import Projection
from zerokelvin.service.records.refusals import RefusedError, TooLargeError
from zerokelvin.service.web.route_table import Call, route

PATH = "/v1/projects/{name}"


@route("POST", f"{PATH}/labels", "label", takes=Answers, gives=Numbered, writes=True)
async def answer(call: Call) -> bytes:
    """Take labels, each scored against the decision that was shown; on the disk when this answers."""
    _limit(call, len(call.body.labels))
    async with call.hall.using(call.name) as project:
        answered = await _write(call, project)
        _release(project, (_node_of(one, project.known) for one in call.body.labels))
        return answered


@route("POST", f"{PATH}/teach", "label", takes=Teach, gives=Numbered, writes=True)
async def teach(call: Call) -> bytes:
    """Take labels that are known already: no questions, no trials, no budget."""
    _limit(call, len(call.body.labels))
    async with call.hall.using(call.name) as project:
        answered = await _write(call, project)
        _release(project, (one.node for one in call.body.labels))
        return answered


@route("POST", f"{PATH}/correct", "label", takes=Correct, gives=Numbered, writes=True)
async def correct_label(call: Call) -> bytes:
    """Replace the last labels of nodes, or take them back with null; what came later is learnt again."""
    _limit(call, len(call.body.labels))
    async with call.hall.using(call.name) as project:
        return await _write(call, project)


@route("POST", f"{PATH}/skip", "label", takes=Skip, gives=Numbered, writes=True)
async def skip_node(call: Call) -> bytes:
    """Pass over a node, or several; its question comes after all others from then on."""
    body: Skip = call.body
    _limit(call, len(body.nodes))
    async with call.hall.using(call.name) as project:
        answered = await _write(call, project)
        nodes = [*body.nodes, *([] if body.node is None else [body.node])]
        _release(project, nodes)
        project.skipped.update(project.known.index(node, "node") for node in nodes)
        return answered


@route("POST", f"{PATH}/budget", "admin", takes=SetBudget, gives=Numbered, writes=True)
async def set_budget(call: Call) -> bytes:
    """Set how many questions may be asked, in all and per day."""
    async with call.hall.using(call.name) as project:
        return await _write(call, project)


async def _write(call: Call, project: Project) -> bytes:
    return await project.write(call.body, call.actor.name, call.key, call.fingerprint)


def _limit(call: Call, count: int) -> None:
    most = call.hall.settings.most_nodes
    if count > most:
        raise TooLargeError(f"{count:,} are more than the {most:,} of one request; send several.")


def _node_of(one: Answer, known: Projection) -> Named | None:
    """The node of an answer, which may be said by its decision alone."""
    if one.node is not None or one.decision is None:
        return one.node
    return known.name(known.decision(one.decision, "decision").node)


def _release(project: Project, nodes: Iterable[Named | None]) -> None:
    """Nobody needs to look at these any more."""
    for node in nodes:
        if node is not None:
            index = _index(project, node)
            project.leases.release(index)
            project.skipped.discard(index)


def _index(project: Project, node: Any) -> int:
    try:
        return project.known.graph.index(node)
    except (NodeError, RefusedError):
        return -1
