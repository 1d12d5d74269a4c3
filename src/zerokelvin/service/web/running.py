"""Listening: uvicorn around the app, one line on standard output when it does, an orderly end."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from zerokelvin.errors import ParameterError
from zerokelvin.jit import announce_compilation
from zerokelvin.service.projects.hall import Hall
from zerokelvin.service.projects.practice_run import preload
from zerokelvin.service.request_head import head_within
from zerokelvin.service.service_settings import ServiceSettings
from zerokelvin.service.web.app import create_app
from zerokelvin.service.web.request_log import JsonLines

__all__ = ["serve"]

SWITCH = 0.0001
"""Seconds after which a thread that learns lets the event loop go on; Python's own 5 ms would be felt."""

PATIENCE = 3
"""Seconds that requests under way have to end once the service is told to stop."""

LAST = 9.5
"""Seconds after which it ends whatever is still under way: all that was acknowledged is on the disk."""


class Listening(uvicorn.Server):
    """A server that says where it listens, and that ends in good order by SIGTERM and by Ctrl-C alike."""

    def __init__(self, config: uvicorn.Config, line: str, hall: Hall, page: str | None = None) -> None:
        super().__init__(config)
        self._line, self._hall, self._page = line, hall, page

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; streams end by themselves when they see it."""
        if not self._hall.ending:
            self._hall.ending = True
            last = threading.Timer(LAST, os._exit, (0,))
            last.daemon = True
            last.start()
        super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so on standard output, and open the page where there is one."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(f"{self._line}\n")
            sys.stdout.flush()
            if self._page is not None:
                webbrowser.open(self._page)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop by signals; unlike the server's own, without raising them again when everything is done."""
        before = {
            number: signal.signal(number, self.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(settings: ServiceSettings, page: str | None = None) -> None:
    """Serve until SIGTERM or Ctrl-C; what waits is then written and kept before this returns.

    `page` is the address of a page on this service that is opened in a browser, if any.
    """
    announce_compilation(False)  # standard error is for lines of JSON
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(JsonLines(logging.WARNING))
    app = create_app(settings)
    threading.Thread(target=preload, name="preload", daemon=True).start()
    try:
        family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
    except OSError as problem:
        app.state.hall.store.close()
        raise ParameterError(
            f"{settings.host}:{settings.port} cannot be used: {problem.strerror}; choose another --port."
        ) from None
    port = listener.getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    config = uvicorn.Config(
        app,
        access_log=False,
        log_config=None,
        lifespan="on",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=PATIENCE,
        backlog=2048,
        http=head_within(settings.most_time),
    )
    server = Listening(
        config,
        f"listening on http://{host}:{port}",
        app.state.hall,
        None if page is None else f"http://{host}:{port}{page}",
    )
    sys.setswitchinterval(SWITCH)
    with listener:
        server.run([listener])
