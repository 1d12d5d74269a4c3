"""Compilation of hot loops: the only module that names numba flags.

`kernel` fixes the flags (cached on disk, releases the GIL, no fast-math, no threads of its own), so
that results are the same on every machine and a kernel compiles once per installation. Machine code
holds the kernels it calls, also those of other modules, while numba looks at a kernel's own module only;
so the cache is bound to the text of every module that a kernel's module imports, directly or not, and no
upgrade or edit can leave stale code. Where no folder for the cache can be written (a read-only installation
without a home) kernels are compiled in memory, and a `CacheWarning` says so once.
`compilation_seconds` tells how much of a timed stretch went into compiling, so that it is never
charged to a learner, and `on_compile` lets a command line show a line while it happens.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core import event

__all__ = ["CacheWarning", "CompileTime", "compilation_seconds", "kernel", "module_stamp", "on_compile"]

Function = TypeVar("Function", bound=Callable[..., Any])

FLAGS: dict[str, Any] = {"nogil": True, "fastmath": False, "parallel": False}


class CacheWarning(UserWarning):
    """Compiled code cannot be kept on disk, so every process compiles anew."""


def kernel(function: Function) -> Function:
    """Compile `function` on first call and keep the machine code on disk."""
    try:
        compiled: Any = numba.njit(cache=True, **FLAGS)(function)
    except RuntimeError as problem:  # numba found no folder that it may write to
        if "cannot cache function" not in str(problem):
            raise
        _warn_uncached()
        return cast(Function, numba.njit(**FLAGS)(function))
    cache = getattr(getattr(compiled, "_cache", None), "_cache_file", None)  # absent without compilation
    if cache is not None:
        # in the version, which numba compares before it unpickles the rest: an index written when a class of
        # the signatures had another name could not be read at all
        stamp = module_stamp(Path(__file__).parent.parent, function.__module__)
        cache._version = f"{cache._version} {stamp}"
    return cast(Function, compiled)


@functools.cache
def _warn_uncached() -> None:
    warnings.warn(
        "compiled code cannot be kept: neither the folder of the installation nor the user's cache can be "
        "written to, so every process compiles anew; set NUMBA_CACHE_DIR to a folder that can.",
        CacheWarning,
        stacklevel=2,
    )


def module_stamp(folder: Path, module: str) -> str:
    """A hash of a module of the package below `folder` and of all its modules that it imports, however far.

    A module from elsewhere, which may call any kernel, is bound to the whole package.
    """
    imports = _imports(folder)
    reached, waiting = set(), [module] if module in imports else list(imports)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting.extend(imports[name][1])
    return hashlib.sha256("".join(imports[name][0] for name in sorted(reached)).encode()).hexdigest()


@functools.cache
def _imports(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """The hash of every module of the package below a folder, and the modules of it that it names."""
    package = Path(__file__).parent.name
    texts = {}
    for path in sorted((folder / package).rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        texts[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text(encoding="utf-8")
    statement = re.compile(
        rf"^\s*(?:from ({package}[\w.]*) import (\([^)]*\)|.*)|import ({package}[\w.]*))", re.M
    )
    found = {}
    for name, text in texts.items():
        named = set()
        for source, members, whole in statement.findall(text):
            named.add(source or whole)
            named.update(f"{source}.{member}" for member in re.findall(r"\w+", members))
        digest = hashlib.sha256(f"{name}\0{text}".encode()).hexdigest()
        found[name] = (digest, sorted(named & texts.keys()))
    return found


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
