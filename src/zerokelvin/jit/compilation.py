"""What is compiled, and how long it takes: one listener to numba's events that everybody here asks.

`compilation_seconds` tells how much of a timed stretch went into compiling, so that it is never charged to a
learner; `compilations` lists every kernel with its signature and its own share; `on_compile` lets a command
line show its own line while it happens. Watching does not import numba: the listener is put in place when
numba is there (`listen`), at the latest before the first kernel is compiled.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Compilation", "CompileTime", "Watcher", "compilation_seconds", "compilations"]
__all__ += ["counted", "listen", "on_compile", "someone_shows", "watch_always"]


@dataclass
class CompileTime:
    """Seconds spent compiling, and how many kernels were compiled (cache loads do not count)."""

    seconds: float = 0.0
    kernels: int = 0


@dataclass
class Compilation:
    """One kernel compiled for one signature.

    `seconds` are on the clock, with all that had to be compiled for it; `own_cpu_seconds` are of the
    processor and without the kernels that it calls. `outermost` is not compiled for another one. `kept` is
    for how long it is compiled, in words, and None where it is no kernel of `zerokelvin.jit.kernel`. What
    numba compiles of its own counts to the kernel that needs it.
    """

    module: str
    kernel: str
    signature: str
    outermost: bool
    kept: str | None
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    own_cpu_seconds: float = 0.0


class Watcher:
    """Hears of every compilation of a kernel, first its beginning, then its end."""

    def begins(self, compilation: Compilation) -> None:
        """A kernel is going to be compiled."""

    def ends(self, compilation: Compilation) -> None:
        """Take note that it is compiled; its seconds are known now."""


@dataclass
class _Hub:
    """Numba's compile events, nested as they are, made into compilations for all who watch.

    Numba compiles under one lock for all threads, so events come in order.
    """

    watchers: list[Watcher] = field(default_factory=list)
    shown: int = 0
    listening: bool = False
    open: list[tuple[Compilation | None, float, float]] = field(default_factory=list)

    def start(self, data: dict[str, Any]) -> None:
        function, kept = data["dispatcher"].py_func, getattr(data["dispatcher"], "kept", None)
        entry = None
        if not function.__module__.startswith("numba.") or not self.open:
            signature = ", ".join(str(kind) for kind in data["args"])
            outermost = all(outer is None for outer, _, _ in self.open)
            entry = Compilation(function.__module__, function.__name__, signature, outermost, kept)
        self.open.append((entry, time.perf_counter(), time.thread_time()))
        if entry is not None:
            for watcher in list(self.watchers):
                watcher.begins(entry)

    def end(self) -> None:
        if not self.open:  # begun before anybody listened
            return
        entry, began, cpu = self.open.pop()
        if entry is None:
            return
        entry.seconds = time.perf_counter() - began
        entry.cpu_seconds = time.thread_time() - cpu
        entry.own_cpu_seconds += entry.cpu_seconds
        outer = next((outer for outer, _, _ in reversed(self.open) if outer is not None), None)
        if outer is not None:
            outer.own_cpu_seconds -= entry.cpu_seconds
        for watcher in list(self.watchers):
            watcher.ends(entry)


_HUB = _Hub()


def listen() -> None:
    """Hear numba's events from now on; imports numba."""
    if _HUB.listening:
        return
    from numba.core import event

    class Ears(event.Listener):
        def on_start(self, occurrence: Any) -> None:
            _HUB.start(occurrence.data)

        def on_end(self, occurrence: Any) -> None:
            _HUB.end()

    with _LISTEN:
        if not _HUB.listening:
            event.register("numba:compile", Ears())
            _HUB.listening = True


_LISTEN = threading.Lock()


@contextlib.contextmanager
def counted(dispatcher: Any, kinds: tuple[Any, ...]) -> Iterator[None]:
    """Count the block as the compilation of a kernel: another process compiles it, and this one waits."""
    _HUB.start({"dispatcher": dispatcher, "args": kinds})
    try:
        yield
    finally:
        _HUB.end()


def watch_always(watcher: Watcher) -> None:
    """Let a watcher hear of all compilations of this process."""
    _HUB.watchers.append(watcher)


def someone_shows() -> bool:
    """Whether a block of `on_compile` is active, which shows compilation in its own way."""
    return _HUB.shown > 0


class _Total(Watcher):
    """Adds up the outermost compilations and tells `notify` the name of each."""

    def __init__(self, notify: Callable[[str], None] | None = None) -> None:
        self.total = CompileTime()
        self._notify = notify

    def begins(self, compilation: Compilation) -> None:
        if compilation.outermost:
            self.total.kernels += 1
            if self._notify is not None:
                self._notify(compilation.kernel.lstrip("_"))

    def ends(self, compilation: Compilation) -> None:
        if compilation.outermost:
            self.total.seconds += compilation.seconds


class _List(Watcher):
    """Keeps every compilation that has ended, in order."""

    def __init__(self) -> None:
        self.done: list[Compilation] = []

    def ends(self, compilation: Compilation) -> None:
        self.done.append(compilation)


@contextlib.contextmanager
def _watching(watcher: Watcher) -> Iterator[None]:
    if "numba" in sys.modules:
        listen()
    _HUB.watchers.append(watcher)
    try:
        yield
    finally:
        _HUB.watchers.remove(watcher)


@contextlib.contextmanager
def compilation_seconds() -> Iterator[CompileTime]:
    """Measure the compilation done inside the block.

    >>> with compilation_seconds() as spent:
    ...     pass
    >>> spent.seconds
    0.0
    """
    watcher = _Total()
    with _watching(watcher):
        yield watcher.total


@contextlib.contextmanager
def compilations() -> Iterator[list[Compilation]]:
    """Every kernel that is compiled inside the block, in the order in which they are done."""
    watcher = _List()
    with _watching(watcher):
        yield watcher.done


@contextlib.contextmanager
def on_compile(notify: Callable[[str], None]) -> Iterator[CompileTime]:
    """Call ``notify(kernel_name)`` whenever a kernel has to be compiled inside the block.

    Whoever asks for this shows it: the line on standard error (`zerokelvin.jit.compile_line`) is not written.
    """
    watcher = _Total(notify)
    _HUB.shown += 1
    try:
        with _watching(watcher):
            yield watcher.total
    finally:
        _HUB.shown -= 1
