"""A process that sends HTTP requests as fast as they are answered, over connections that stay open.

It reads one line of JSON from standard input: host, port, clients, seconds, an API `key` if there is one, and
`requests`, a list of [path, body] that the clients take in turn, once (`once`) or over and over. It prints
one line of JSON: how many were answered with 200 (`done`), `failed` ones with an example, seconds, and the
waiting times `p50`, `p99` and `longest` in seconds.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import time
from collections.abc import Iterator
from typing import Any


def message(host: str, path: str, body: Any, key: str | None = None) -> bytes:
    """A POST of a JSON body, or a GET without one."""
    who = f"host: {host}\r\n" + (f"authorization: Bearer {key}\r\n" if key else "")
    if body is None:
        return f"GET {path} HTTP/1.1\r\n{who}\r\n".encode()
    content = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\n{who}content-type: application/json\r\n"
    return f"{head}content-length: {len(content)}\r\n\r\n".encode() + content


class Client(asyncio.Protocol):
    """One connection: the next request is sent when the answer to the last is complete."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.ended = asyncio.get_running_loop().create_future()
        self.head = b""
        self.missing: int | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.send()

    def send(self) -> None:
        request = next(self.load.requests, None)
        if request is None or time.perf_counter() > self.load.end:
            self.transport.close()
            return
        self.sent = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        """Count what is missing of an answer; the pieces of a large one are not put together."""
        if self.missing is None:
            self.head += data
            head, found, data = self.head.partition(b"\r\n\r\n")
            if not found:
                return
            self.head = head[:20] + b" " + data[:300]
            self.missing = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        self.missing -= len(data)
        if self.missing > 0:
            return
        self.load.waits.append(time.perf_counter() - self.sent)
        if b" 200 " not in self.head[:20]:
            self.load.failed.append(self.head.decode(errors="replace"))
        self.head, self.missing = b"", None
        self.send()

    def connection_lost(self, problem: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


class Load:
    """What all connections share."""

    def __init__(self, spec: dict[str, Any]) -> None:
        made = (message(spec["host"], path, body, spec.get("key")) for path, body in spec["requests"])
        self.requests: Iterator[bytes] = iter(list(made)) if spec.get("once") else itertools.cycle(list(made))
        self.waits: list[float] = []
        self.failed: list[str] = []
        self.end = 0.0

    async def run(self, spec: dict[str, Any]) -> dict[str, Any]:
        """Send for the time given, and count."""
        loop = asyncio.get_running_loop()
        began = time.perf_counter()
        self.end = began + spec["seconds"]
        made = [
            await loop.create_connection(lambda: Client(self), spec["host"], spec["port"])
            for _ in range(spec["clients"])
        ]
        await asyncio.gather(*(client.ended for _, client in made))
        seconds = time.perf_counter() - began
        waits = sorted(self.waits) or [float("nan")]
        return {
            "done": len(self.waits) - len(self.failed),
            "failed": len(self.failed),
            "example": self.failed[0] if self.failed else "",
            "seconds": seconds,
            "p50": waits[len(waits) // 2],
            "p99": waits[len(waits) * 99 // 100],
            "longest": waits[-1],
        }


def main() -> None:
    """Read what to do, do it, print what was found."""
    try:
        import uvloop

        run = uvloop.run
    except ImportError:
        run = asyncio.run
    spec = json.loads(sys.stdin.readline())
    print(json.dumps(run(Load(spec).run(spec))))


if __name__ == "__main__":
    main()
