"""A Label Studio machine-learning backend for every project, at /label-studio/NAME.

Connect it there as a model, and as a webhook for annotations at /label-studio/NAME/webhook. A task names its
node as ``data.node``; the labelling interface has one ``<Choices>`` whose values are the classes. Predictions
carry their decision with them, and an annotation that began as a prediction is scored against it. An
annotation that is updated corrects the label of its node, one that is deleted takes it back.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from zerokelvin.client.messages import Answer, Answers, Correct, Named, Numbered
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.facts import Labelled
from zerokelvin.service.records.refusals import RefusedError, TooLargeError
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.route_table import Call, route
from zerokelvin.session import Session

PATH = "/label-studio/{name}"
SOURCE = "label-studio:"
TAG = re.compile(r"<Choices\b[^>]{0,1000}>")
NAMES = re.compile(r"\b(name|toName)\s*=\s*[\"']([^\"']{1,200})[\"']")


class StudioTask(msgspec.Struct):
    """A task; its node is in its data."""

    data: dict[str, Any] = {}
    id: int | None = None


class StudioPredict(msgspec.Struct):
    """What Label Studio sends for predictions."""

    tasks: list[StudioTask] = []
    label_config: str = ""


class StudioSetup(msgspec.Struct):
    """What Label Studio sends when a model is connected."""

    schema: str = ""


class StudioAnnotation(msgspec.Struct):
    """An annotation: its number, what was chosen, and the prediction it began as."""

    id: int | None = None
    result: list[dict[str, Any]] = []
    prediction: dict[str, Any] | None = None
    was_cancelled: bool = False


class StudioWebhook(msgspec.Struct):
    """Something that happened to annotations."""

    action: str
    annotation: StudioAnnotation | None = None
    annotations: list[StudioAnnotation] = []
    task: StudioTask | None = None


class StudioUp(msgspec.Struct):
    """The backend answers."""

    status: str
    model_class: str


class StudioVersion(msgspec.Struct):
    """Which model answers: the project, and the events it has learnt."""

    model_version: str


class StudioResult(msgspec.Struct):
    """The prediction for a task, as a choice."""

    result: list[dict[str, Any]]
    score: float
    model_version: str


class StudioResults(msgspec.Struct):
    """The predictions for tasks, in their order."""

    results: list[StudioResult]
    model_version: str


@route("GET", f"{PATH}/health", "read", gives=StudioUp)
async def label_studio_health(call: Call) -> StudioUp:
    """Say to Label Studio that the project is there."""
    async with call.hall.using(call.name) as project:
        return StudioUp("UP", f"zerokelvin {project.created.learner}")


@route("POST", f"{PATH}/setup", "predict", takes=StudioSetup, gives=StudioVersion)
async def label_studio_setup(call: Call) -> StudioVersion:
    """Be connected to a Label Studio project."""
    _choices(call.body.schema)
    async with call.hall.using(call.name) as project:
        return StudioVersion(_version(project))


@route("POST", f"{PATH}/predict", "predict", takes=StudioPredict, gives=StudioResults)
async def label_studio_predict(call: Call) -> StudioResults:
    """Predict the nodes of Label Studio's tasks; a task without a node of the project has no result."""
    body: StudioPredict = call.body
    most = call.hall.settings.most_nodes
    if len(body.tasks) > most:
        raise TooLargeError(f"{len(body.tasks):,} tasks are more than the {most:,} of one request.")
    from_name, to_name = _choices(body.label_config)
    async with call.hall.using(call.name) as project:

        def read(session: Session) -> StudioResults:
            version, forecasts = _version(project), project.forecasts(session)
            results = []
            for task in body.tasks:
                try:
                    node = project.known.index(_node(task), "task.data.node")
                except RefusedError:
                    results.append(StudioResult([], 0.0, version))
                    continue
                told = forecasts.of(node)
                choice = {
                    "from_name": from_name,
                    "to_name": to_name,
                    "type": "choices",
                    "value": {"choices": [str(told.label)]},
                    "meta": {"decision": told.decision},
                }
                results.append(StudioResult([choice], max(told.probabilities.values()), version))
            return StudioResults(results, version)

        return await project.read("label studio", read, len(body.tasks))


@route("POST", f"{PATH}/webhook", "label", takes=StudioWebhook, gives=Numbered)
async def label_studio_webhook(call: Call) -> bytes:
    """Learn from an annotation that was created, updated or deleted in Label Studio."""
    body: StudioWebhook = call.body
    async with call.hall.using(call.name) as project:
        said = msgspec.json.encode(Numbered(events=project.acknowledged - 1))
        if body.action == "ANNOTATIONS_DELETED":
            for gone in body.annotations:
                about = await aside(_node_of, project, gone.id)
                if about is not None and project.known.labels[project.known.index(about, "node")]:
                    said = await project.write(Correct(node=about, label=None), call.actor.name)
            return said
        one, task = body.annotation, body.task
        if body.action not in ("ANNOTATION_CREATED", "ANNOTATION_UPDATED") or one is None or task is None:
            return said  # what happens to tasks and projects is none of ours
        chosen = _chosen(one, project)
        if chosen is None or one.was_cancelled:
            return said
        node = _node(task)
        index = project.known.index(node, "task.data.node")
        if body.action == "ANNOTATION_UPDATED" and project.known.labels[index]:
            return await project.write(Correct(node=node, label=chosen), call.actor.name)
        answer = Answer(node=node, label=chosen, decision=_shown(one), source=f"{SOURCE}{one.id}")
        project.leases.release(index)
        key = f"{call.actor.name}:{SOURCE}{one.id}"
        fingerprint = msgspec.json.encode((node, chosen))
        return await project.write(Answers(labels=[answer]), call.actor.name, key, fingerprint)


def _choices(config: str) -> tuple[str, str]:
    """The names of the choices and of what they are about, in a labelling interface."""
    tag = TAG.search(config)
    found = dict(NAMES.findall(tag[0])) if tag else {}
    return found.get("name", "choice"), found.get("toName", "node")


def _node(task: StudioTask) -> Named:
    node = task.data.get("node")
    if isinstance(node, bool) or not isinstance(node, (str, int)):
        raise RefusedError("task.data.node", node, "is no node; give every task a text or number called node")
    return node


def _chosen(one: StudioAnnotation, project: Project) -> Named | None:
    """The class that was chosen; None where nothing was."""
    for result in one.result:
        value = result.get("value")
        choices = value.get("choices") if isinstance(value, dict) else None
        if isinstance(choices, list) and choices:
            known = {str(label): label for label in project.known.classes}
            return known.get(str(choices[0]), str(choices[0]))
    return None


def _shown(one: StudioAnnotation) -> str | None:
    """The decision in the prediction that an annotation began as."""
    results = (one.prediction or {}).get("result")
    first = results[0] if isinstance(results, list) and results else None
    meta = first.get("meta") if isinstance(first, dict) else None
    found = meta.get("decision") if isinstance(meta, dict) else None
    return found if isinstance(found, str) else None


def _node_of(project: Project, annotation: int | None) -> Named | None:
    """The node that an annotation was about, which only the log knows."""
    source, found = f"{SOURCE}{annotation}", None
    for event in project.log.read(0):
        if event.kind == "label":
            fact = msgspec.json.decode(event.body, type=Labelled)
            found = fact.node if fact.source == source else found
    return found


def _version(project: Project) -> str:
    return f"{project.name}-{project.events}"
