"""Labels out and in: export with the certificate, the certificate alone, import of what was exported."""

from __future__ import annotations

import base64
import binascii
import time

from zerokelvin import __version__
from zerokelvin.client.messages import Named, Taught, Teach
from zerokelvin.client.page_messages import ImportedLabels, ImportLabels, PageCertificate
from zerokelvin.errors import DataError
from zerokelvin.service.page.desk import Desk, book_of, desk_of
from zerokelvin.service.page.label_export import FORMATS, as_bytes, export_rows
from zerokelvin.service.page.overview import overview_of
from zerokelvin.service.page.turns import iso
from zerokelvin.service.page.work_left import CONFIDENCE, fresh_guarantee
from zerokelvin.service.passing_files import passing_folder
from zerokelvin.service.projects.project import Project
from zerokelvin.service.records.commands import PageWish
from zerokelvin.service.records.refusals import RefusedError
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.query_values import node_named
from zerokelvin.service.web.route_table import Call, RawAnswer, route
from zerokelvin.session import Session

PATH = "/v1/projects/{name}"
PART = 50_000
"""Labels taught in one write."""


@route("GET", f"{PATH}/certificate", "read", gives=PageCertificate)
async def show_certificate(call: Call) -> PageCertificate:
    """Tell what the random checks prove of the labels that go out unasked."""
    async with call.hall.using(call.name) as project:
        desk = desk_of(project)
        return await project.read("certificate", lambda session: _certificate(session, desk))


@route(
    "GET",
    f"{PATH}/export",
    "read",
    kind="text/csv",
    kinds=tuple(FORMATS.values()),
    seconds=120.0,
    query={"format": ({"enum": list(FORMATS)}, "csv, parquet, jsonl or h5ad.")},
)
async def export_labels(call: Call) -> RawAnswer:
    """Give all labels as a file, with who gave them when, and what is proved of the others."""
    kind = call.query.get("format", "csv")
    if kind not in FORMATS:
        raise RefusedError("format", kind, f"is none of {', '.join(FORMATS)}")
    async with call.hall.using(call.name) as project:
        book, desk = await book_of(project), desk_of(project)
        proved, found = await project.read(
            "export", lambda session: (_certificate(session, desk), overview_of(session, desk)), 100
        )
        data = await aside(lambda: as_bytes(export_rows(desk, book, found), kind, proved))
    await call.audit("export labels", call.name, kind)
    name = f'attachment; filename="{call.name}.{kind}"'
    headers = (
        (b"content-disposition", name.encode()),
        (b"zerokelvin-certificate", proved.sentence.encode("ascii", "replace")),
    )
    return RawAnswer(data, FORMATS[kind], headers=headers)


@route("POST", f"{PATH}/import", "label", takes=ImportLabels, gives=ImportedLabels, seconds=120.0)
async def import_labels(call: Call) -> ImportedLabels:
    """Take labels as exported, or with the columns node and label; predicted ones are passed over."""
    columns = await aside(_columns, call.body)
    async with call.hall.using(call.name) as project:
        await book_of(project)
        wanted: list[Taught] = []
        strangers = known = 0
        sources = columns.get("source", ["asked"] * len(columns["node"]))
        labels: dict[Named, None] = {}
        for name, label, source in zip(columns["node"], columns["label"], sources, strict=True):
            if source == "predicted" or not label:
                continue
            try:
                node = node_named(_plain(name, project), project.known, "node")
            except RefusedError:
                strangers += 1
                continue
            if project.known.labels[project.known.index(node, "node")] > 0:
                known += 1
                continue
            labels[_class(label, project)] = None
            wanted.append(Taught(node=node, label=_class(label, project)))
        if project.created.open_classes and wanted:
            await project.write(PageWish(classes=tuple(labels)), call.actor.name)
        for start in range(0, len(wanted), PART):
            await project.write(Teach(labels=wanted[start : start + PART]), call.actor.name)
        return ImportedLabels(taken=len(wanted), known=known, unknown=strangers, events=project.events)


def _columns(body: ImportLabels) -> dict[str, list[str]]:
    """The columns of what is imported."""
    from zerokelvin.labelling.sources.table_rows import read_columns_as_text

    data = body.content.encode()
    if body.format == "parquet":
        try:
            data = base64.b64decode(body.content, validate=True)
        except (binascii.Error, ValueError):
            raise RefusedError("content", "…", "is no base64, which parquet is sent as") from None
    with passing_folder() as folder:
        path = folder / f"labels.{body.format}"
        path.write_bytes(data)
        try:
            columns = read_columns_as_text(path)
        except DataError as problem:
            raise RefusedError("content", "…", str(problem).replace(str(path), "it").rstrip(".")) from None
    for name in ("node", "label"):
        if name not in columns:
            there = ", ".join(list(columns)[:20])
            raise RefusedError("content", name, f"is no column of it; its columns are {there}")
    return columns


def _plain(text: str, project: Project) -> str:
    """A name as it was before it was kept from being a formula."""
    graph = project.known.graph
    bare = text.removeprefix("'")
    return bare if text != bare and graph.names is not None and text not in graph.positions else text


def _class(text: str, project: Project) -> str | int:
    """A class by its text, an apostrophe before it or not."""
    known = {str(label): label for label in project.known.classes}
    return known.get(text, known.get(text.removeprefix("'"), text))


def _certificate(session: Session, desk: Desk) -> PageCertificate:
    proved = fresh_guarantee(session, desk)
    return PageCertificate(
        sentence="no class is known yet, and nothing is proved" if proved is None else proved.sentence,
        error_at_most=None
        if proved is None or (proved.unasked and not proved.checks)
        else proved.error_at_most,
        confidence=CONFIDENCE,
        checks=0 if proved is None else proved.checks,
        unasked=session.graph.num_nodes if proved is None else proved.unasked,
        graph=session.graph.content_hash,
        events=desk.project.events,
        at=iso(time.time()),
        version=__version__,
    )
