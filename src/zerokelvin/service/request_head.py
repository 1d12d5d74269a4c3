"""Connections that must say what they want: the head of a request comes whole, soon, and is not long.

uvicorn waits for the rest of a head for as long as the connection stays open, and keeps all that comes of it.
Here a connection on which no head is complete after some seconds is answered 408 and closed, and one whose
head is longer than `MOST_HEAD` is answered 431. Bodies have limits of their own (`web.endpoint`).

uvicorn also sends the head and the body of an answer one after the other, so that whoever waits is woken for
half an answer and again for the rest. A request here brings with it (`WHOLE` in the scope's extensions) a
function that sends an answer in one piece.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, ClassVar

import msgspec
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from zerokelvin.service.web.problems import KIND, ProblemError

__all__ = ["MOST_HEAD", "WHOLE", "head_within"]

MOST_HEAD = 1 << 16
"""Bytes of a head: the line that names the address, and the headers."""


WHOLE = "zerokelvin.whole"
"""The extension of a scope whose `send` sends an answer in one piece: a status, header lines and a body."""


class WatchedHead(HttpToolsProtocol):
    """A connection of uvicorn whose heads are watched."""

    seconds: ClassVar[float]
    _timer: asyncio.TimerHandle | None = None
    _length = 0
    _incomplete = True

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first head of a connection."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.seconds, self._late)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting: the connection is gone."""
        self._rest()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came; if a head is not complete with it, count it and wait for the rest."""
        super().data_received(data)
        if not self._incomplete:
            if self._timer is not None:
                self._rest()
            return
        self._length += len(data)
        if self._timer is None:
            self._timer = self.loop.call_later(self.seconds, self._late)
        if self._length > MOST_HEAD:
            self._refuse(431, f"the head of the request is longer than {MOST_HEAD:,} bytes; send less.")

    def on_message_begin(self) -> None:
        """Note that a head has begun, which is not complete."""
        self._incomplete = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Note that the head is complete."""
        self._incomplete = False
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":
            others = self.scope.get("extensions") or {}
            self.scope["extensions"] = {**others, WHOLE: {"send": partial(self._send_whole, self.cycle)}}

    def _send_whole(self, cycle: RequestResponseCycle, status: int, lines: bytes, body: bytes) -> bool:
        """Send a whole answer, as the cycle would in parts; False where the cycle must do it."""
        if cycle.flow.write_paused or cycle.response_started:
            return False
        if cycle.disconnected:
            return True
        cycle.response_started = cycle.response_complete = True
        usual = [b"%b: %b\r\n" % header for header in cycle.default_headers]
        end = b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n"
        self.transport.write(b"".join((STATUS_LINE[status], *usual, lines, end, body)))
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()
        return True

    def _rest(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._length = None, 0

    def _late(self) -> None:
        self._timer = None
        self._refuse(
            408, f"the head of the request was not complete after {self.seconds:g} s; send it again."
        )

    def _refuse(self, status: int, text: str) -> None:
        """Answer, unless an answer to an earlier request is under way, and close the connection."""
        if self.transport.is_closing():
            return
        under_way: Any = self.cycle  # None before the first request, whatever its type says
        if under_way is None or under_way.response_complete:
            body = msgspec.json.encode(ProblemError(status, text).problem)
            head = f"HTTP/1.1 {status} \r\ncontent-type: {KIND}\r\ncontent-length: {len(body)}\r\n"
            self.transport.write(head.encode() + b"connection: close\r\n\r\n" + body)
        self.transport.close()


def head_within(seconds: float) -> type[asyncio.Protocol]:
    """The class of connections for uvicorn that have a head whole within so many seconds."""
    return type("Watched", (WatchedHead,), {"seconds": seconds})
