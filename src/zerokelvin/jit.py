"""Compilation of hot loops: the only module that names numba flags.

`kernel` fixes the flags (cached on disk, releases the GIL, no fast-math, no threads of its own), so
that results are the same on every machine and a kernel compiles once per installation. Machine code
holds the kernels it calls, also those of other modules, while numba looks at a kernel's own module only;
so the cache is bound to the text of the whole package, and no upgrade or edit can leave stale code.
`compilation_seconds` tells how much of a timed stretch went into compiling, so that it is never
charged to a learner, and `on_compile` lets a command line show a line while it happens.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

__all__ = ["CompileTime", "compilation_seconds", "kernel", "on_compile", "package_stamp"]

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first call and keep the machine code on disk."""
    compiled: Any = numba.njit(cache=True, nogil=True, fastmath=False, parallel=False)(function)
    cache = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # absent without compilation
    if cache is not None:
        cache._source_stamp = (cache._source_stamp, package_stamp(Path(__file__).parent))
    return cast(Function, compiled)


@functools.cache
def package_stamp(folder: Path) -> str:
    """A hash of every Python file below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(f"{path.relative_to(folder)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass
class CompileTime:
    """Seconds spent compiling, and how many kernels were compiled (cache loads do not count)."""

    seconds: float = 0.0
    kernels: int = 0


class _Listener(event.Listener):
    """Adds up the outermost compile events and tells `notify` the name of each kernel."""

    def __init__(self, notify: Callable[[str], None] | None = None) -> None:
        self.total = CompileTime()
        self._notify = notify
        self._depth = 0
        self._began = 0.0

    def on_start(self, occurrence: Any) -> None:
        if self._depth == 0:
            self._began = time.perf_counter()
            self.total.kernels += 1
            if self._notify is not None:
                dispatcher = occurrence.data.get("dispatcher") if occurrence.data else None
                self._notify(getattr(dispatcher, "__name__", "kernel").lstrip("_"))
        self._depth += 1

    def on_end(self, occurrence: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.total.seconds += time.perf_counter() - self._began


@contextlib.contextmanager
def compilation_seconds() -> Iterator[CompileTime]:
    """Measure the compilation done inside the block.

    >>> with compilation_seconds() as spent:
    ...     pass
    >>> spent.seconds
    0.0
    """
    listener = _Listener()
    with event.install_listener("numba:compile", listener):
        yield listener.total


@contextlib.contextmanager
def on_compile(notify: Callable[[str], None]) -> Iterator[CompileTime]:
    """Call ``notify(kernel_name)`` whenever a kernel has to be compiled inside the block."""
    listener = _Listener(notify)
    with event.install_listener("numba:compile", listener):
        yield listener.total
