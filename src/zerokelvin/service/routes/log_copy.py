"""A project's log, to take along and to bring back."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from itertools import islice

import msgspec

from zerokelvin.client.messages import Imported
from zerokelvin.service.records.log_lines import read_lines, receive_lines
from zerokelvin.service.store import Log, check_project_name
from zerokelvin.service.store.log import RememberedAnswer
from zerokelvin.service.web.aside import aside
from zerokelvin.service.web.route_table import Call, Streamed, route

LINES = 500
"""Lines sent at a time."""

PATH = "/v1/projects/{name}/log"
NDJSON = "application/x-ndjson"


@route("GET", PATH, "admin", kind=NDJSON)
async def export_log(call: Call) -> Streamed:
    """Give the whole log, one event a line; the first line has the graph."""
    async with call.hall.using(call.name) as project:
        await call.audit("export log", call.name, f"{project.events} events")
    log = await aside(call.hall.store.open, call.name)
    return Streamed(_parts(log), NDJSON)


@route("POST", PATH, "admin", gives=Imported, status=201, plain=True, writes=True, seconds=600.0)
async def import_log(call: Call) -> bytes:
    """Make a project from the log of another."""
    name, key = check_project_name(call.name), call.key

    def answer(count: int) -> bytes:
        return msgspec.json.encode(Imported(name=name, events=count))

    def remembered(count: int) -> list[RememberedAnswer]:
        said = answer(count)
        return [] if key is None else [RememberedAnswer(key, call.fingerprint, 201, said, time.time())]

    def make() -> bytes:
        return answer(receive_lines(call.hall.store, name, call.raw, call.hall.graph_rules(), remembered))

    made = await call.hall.make_once(name, key, call.fingerprint, make)
    if made.now:
        await call.audit(
            "import log", name, f"{msgspec.json.decode(made.answer, type=Imported).events} events"
        )
    return made.answer


async def _parts(log: Log) -> AsyncIterator[bytes]:
    lines = read_lines(log)
    try:
        while part := await aside(_join, lines):
            yield part
    finally:
        log.close()


def _join(lines: Iterator[bytes]) -> bytes:
    return b"".join(islice(lines, LINES))
