"""Every node with its label: as JSON, or as CSV that no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterator
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from zerokelvin.client.messages import GuaranteeShown, LabelRow, LabelRows, Named
from zerokelvin.io.spreadsheet import safe_cell
from zerokelvin.service.projects.random_checks import CONFIDENCE, guarantee_shown
from zerokelvin.service.records.project_names import all_named, named, node_names
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.web.query_values import CONFIDENCES, confidence_given, flag
from zerokelvin.service.web.route_table import Call, Streamed, route
from zerokelvin.session import Session
from zerokelvin.session.predicting import shares_of
from zerokelvin.session.prediction import SKIP, TEACH

PART = 2000
"""Rows sent at a time."""

Source = Literal["asked", "taught", "predicted"]


class Labels(NamedTuple):
    """What is known of all nodes, by index: the last label told and how, class codes and probabilities."""

    told: dict[int, tuple[Named, Source]]
    names: list[Named]
    classes: tuple[Named, ...]
    codes: list[int]
    shares: list[float]
    events: int
    guarantee: GuaranteeShown


@route(
    "GET",
    "/v1/projects/{name}/labels",
    "read",
    gives=LabelRows,
    kinds=("text/csv",),
    query={
        "format": ({"enum": ["json", "csv"]}, "json, or csv for a table."),
        "confidence": (CONFIDENCES, f"Of the guarantee; {CONFIDENCE} unless given."),
        "certificate": ({"enum": ["0", "1"]}, "1 to begin a csv with the guarantee, in a line after '#'."),
    },
)
async def label_table(call: Call) -> Streamed:
    """List every node with its label: asked for, taught or predicted; with what random checks prove."""
    kind, confidence = call.query.get("format", "json"), confidence_given(call.query, CONFIDENCE)
    certificate = flag(call.query, "certificate")
    if kind not in ("json", "csv"):
        raise RefusedError("format", kind, "is neither json nor csv")
    async with call.hall.using(call.name) as project:
        found = await project.read_copy(lambda session, events: _labels(session, events, confidence))
    await call.audit("export labels", call.name, kind)
    said = ((b"zerokelvin-guarantee", found.guarantee.sentence.encode("ascii", "replace")),)
    if kind == "csv":
        attached = (b"content-disposition", f'attachment; filename="{call.name}.csv"'.encode())
        return Streamed(_as_csv(found, certificate), "text/csv; charset=utf-8", (attached, *said))
    return Streamed(_as_json(found), "application/json", said)


def _labels(session: Session, events: int, confidence: float) -> Labels:
    standing = session.standing
    graph = standing.graph
    told: dict[int, tuple[Named, Source]] = {}
    for event in standing.events:
        if event.kind != SKIP:
            told[event.node] = (named(event.label), "taught" if event.kind == TEACH else "asked")
    shares = shares_of(standing, np.arange(graph.num_nodes))
    codes = shares.argmax(axis=1)
    given = [shares[node, standing.codes[label]] for node, (label, _) in told.items()]
    best = shares[np.arange(len(codes)), codes]
    best[list(told)] = given
    classes, found = tuple(all_named(standing.classes)), guarantee_shown(session, confidence)
    return Labels(told, node_names(graph), classes, codes.tolist(), best.tolist(), events, found)


def _rows(found: Labels, start: int) -> Iterator[LabelRow]:
    for node in range(start, min(start + PART, len(found.names))):
        label, source = found.told.get(node, (found.classes[found.codes[node]], "predicted"))
        yield LabelRow(node=found.names[node], label=label, probability=found.shares[node], source=source)


async def _as_json(found: Labels) -> AsyncIterator[bytes]:
    yield b'{"labels":['
    for start in range(0, len(found.names), PART):
        part = msgspec.json.encode(list(_rows(found, start)))[1:-1]
        yield part if start == 0 else b"," + part
    yield f'],"events":{found.events},"guarantee":'.encode() + msgspec.json.encode(found.guarantee) + b"}"


async def _as_csv(found: Labels, certificate: bool) -> AsyncIterator[bytes]:
    if certificate:
        yield f"# {found.guarantee.sentence}\r\n".encode()
    yield b"node,label,probability,source\r\n"
    for start in range(0, len(found.names), PART):
        text = io.StringIO()
        writer = csv.writer(text)
        for row in _rows(found, start):
            writer.writerow([safe_cell(row.node), safe_cell(row.label), f"{row.probability:.6g}", row.source])
        yield text.getvalue().encode()
