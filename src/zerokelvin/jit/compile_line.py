"""The line that tells a person why the first use takes longer: what is compiled, and how long it took.

Kernels are compiled when they are first called, once per installation, which can take many seconds; a program
that stands still without a word looks broken. So compilation that takes longer than `NOTICEABLE` writes one
line on standard error::

    zerokelvin: compiling for the first use, once per installation ... 41 s (99 kernels).

On a terminal and in a notebook the line is begun as soon as the wait is noticeable, and completed when
nothing has been compiled for `PAUSE` seconds; no time is foretold, since none is known. Elsewhere, in a log
file or a pipe, it is written whole at that moment, so that it never breaks the lines of others.

Nothing is written where a command shows compilation by itself (`zerokelvin.jit.on_compile`), by processes
that multiprocessing has started, with the environment variable ``ZEROKELVIN_QUIET`` set to anything but 0,
after ``announce_compilation(False)``, and inside ``with quiet():``.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from zerokelvin.jit.compilation import Compilation, CompileTime, Watcher, someone_shows, watch_always

__all__ = ["announce_compilation", "is_wanted", "is_watched", "quiet", "write"]

NOTICEABLE = 1.0
"""Seconds of compilation that a person would wonder about; what is shorter is not worth a line."""

PAUSE = 1.0
"""Seconds without compilation after which it is taken to be over; kernels of one job follow faster."""

BEGIN = "zerokelvin: compiling for the first use, {} ..."


def announce_compilation(on: bool) -> None:
    """Switch the line about compilation on or off for the rest of the process.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> zk.jit.announce_compilation(False)  # a library that tells its users itself
    >>> zk.jit.announce_compilation(True)
    """
    _LINE.on = on


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No line about compilation that happens inside the block, in any thread.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> with zk.jit.quiet():
    ...     session = zk.start([("ann", "bob")], "nearest", classes=["fraud", "ok"])
    """
    with _LINE.changed:
        _LINE.hushed += 1
    try:
        yield
    finally:
        with _LINE.changed:
            _LINE.hushed -= 1


class CompileLine(Watcher):
    """Follows compilation, and writes the line from a thread that lives as long as compiling goes on."""

    def __init__(self) -> None:
        self.on = os.environ.get("ZEROKELVIN_QUIET", "0") in ("", "0")
        self.hushed = 0
        self.changed = threading.Condition(threading.RLock())
        self._spent = CompileTime()
        self._begin = ""
        self._since: float | None = None
        self._last = 0.0
        self._thread: threading.Thread | None = None
        self._stream: Any = None

    def begins(self, compilation: Compilation) -> None:
        """Note when it began, and let the thread look after it."""
        if not (compilation.outermost and compilation.kept is not None and is_wanted()):
            return
        with self.changed:
            self._since = time.perf_counter()
            self._begin = BEGIN.format(compilation.kept)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._accompany, name="zerokelvin-compiling", daemon=True
                )
                self._thread.start()

    def ends(self, compilation: Compilation) -> None:
        """Add the time of a compilation that has ended to the line."""
        if not compilation.outermost:
            return
        with self.changed:
            if self._since is not None:
                self._spent.seconds += compilation.seconds
                self._spent.kernels += 1
                self._since, self._last = None, time.perf_counter()

    def finish(self) -> None:
        """Write or complete the line now, if there is one to write."""
        with self.changed:
            spent, self._spent = self._spent, CompileTime()
            stream, self._stream = self._stream, None
            if stream is None and spent.seconds < NOTICEABLE:
                return
            many = "" if spent.kernels == 1 else "s"
            tail = f" {spent.seconds:.0f} s ({spent.kernels} kernel{many}).\n"
            write(
                sys.stderr if stream is None else stream, tail if stream is not None else self._begin + tail
            )

    def _accompany(self) -> None:
        """Begin the line once the wait is noticeable, and complete it when compiling has stopped."""
        while True:
            time.sleep(NOTICEABLE / 10)
            with self.changed:
                now = time.perf_counter()
                running = 0.0 if self._since is None else now - self._since
                if self._stream is None and self._spent.seconds + running >= NOTICEABLE and is_watched():
                    self._stream = sys.stderr
                    write(self._stream, self._begin)
                if self._since is None and now - self._last >= PAUSE:
                    self.finish()
                    self._thread = None
                    return


def is_wanted() -> bool:
    """Whether lines about compilation are to be written by this process, now."""
    if not _LINE.on or _LINE.hushed or someone_shows():
        return False
    children = sys.modules.get("multiprocessing.process")
    return children is None or children.parent_process() is None


def is_watched() -> bool:
    """Whether a person looks at standard error as it is written: a terminal, or the cell of a notebook."""
    if type(sys.stderr).__module__.startswith("ipykernel"):
        return True
    try:
        return bool(sys.stderr.isatty())
    except (AttributeError, ValueError):  # absent or closed
        return False


def write(stream: Any, text: str) -> None:
    """Write to a stream at once, if it can be written to."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # full, closed or absent: nobody to tell
        stream.write(text)
        stream.flush()


_LINE = CompileLine()
watch_always(_LINE)
atexit.register(_LINE.finish)
