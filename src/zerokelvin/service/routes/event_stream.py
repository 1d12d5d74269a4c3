"""Server-sent events: who listens is told whenever a project has learnt more.

Only the number of events is sent, and only the newest: a client that is slow misses some numbers and no more,
and nothing piles up.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from zerokelvin.service.web.route_table import Call, Streamed, route

BEAT = 15.0
"""Seconds of silence after which an empty line is sent, so that a connection that is gone is noticed."""

LOOK = 1.0
"""Seconds after which it is looked whether the service is stopping."""


@route("GET", "/v1/projects/{name}/events", "read", kind="text/event-stream")
async def project_events(call: Call) -> Streamed:
    """Tell as server-sent events how many events there are, whenever there are more."""
    async with call.hall.using(call.name):
        return Streamed(_tell(call), "text/event-stream")


async def _tell(call: Call) -> AsyncIterator[bytes]:
    async with call.hall.using(call.name) as project:
        flag, sent, silent = project.listen(), -1, 0.0
        try:
            while not call.hall.ending and not project.failed:
                flag.clear()
                if project.events != sent:
                    sent, silent = project.events, 0.0
                    yield f'id: {sent}\nevent: events\ndata: {{"events":{sent}}}\n\n'.encode()
                try:
                    await asyncio.wait_for(flag.wait(), LOOK)
                except TimeoutError:
                    silent += LOOK
                    if silent >= BEAT:
                        silent = 0.0
                        yield b":\n\n"
        finally:
            project.unlisten(flag)
