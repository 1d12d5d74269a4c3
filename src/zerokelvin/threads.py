"""One thread for linear algebra, so that every margin is the same on any number of them.

A BLAS library splits sums among its threads, and a sum split otherwise rounds otherwise. `single_threaded`
holds the BLAS libraries of the process to one thread while a margin, or what margins are made from, is
computed; `on_one_thread` does so for a function. The number of threads belongs to the whole process: the
first to enter sets it to one, the last to leave puts it back, so that several threads of a program may enter
and leave in any order. Code outside is never made wrong by that, only slower for as long.

A BLAS that cannot be told its number of threads (Apple's Accelerate) is left as it is.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

import scipy.linalg  # noqa: F401  # so that its library is among those found
from threadpoolctl import ThreadpoolController

__all__ = ["on_one_thread", "single_threaded"]

Function = TypeVar("Function", bound=Callable[..., Any])
Held = list[tuple[Any, int]]  # libraries that had more threads, and how many


class _Gate:
    """Knows which threads are inside; the libraries have one thread while any is.

    Where a library counts threads for each calling thread by itself (OpenMP), whoever enters sets its own. An
    interrupt may come anywhere, also in here: the lock is then free for its own thread, `leave` may be called
    whether `enter` came to its end or not, and at worst the libraries keep one thread until the next visit.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.inside: set[int] = set()
        self.held: Held = []
        self.here = threading.local()

    @functools.cached_property
    def libraries(self) -> tuple[list[Any], list[Any]]:
        """Those with one number of threads for the process, and those with one per calling thread."""
        found = ThreadpoolController().select(user_api="blas").lib_controllers
        own = [library for library in found if getattr(library, "threading_layer", "") == "openmp"]
        return [library for library in found if library not in own], own

    def entered(self) -> bool:
        """Whether the calling thread is inside already: then there is nothing to do."""
        return threading.get_ident() in self.inside

    def enter(self) -> None:
        """Hold the libraries to one thread."""
        shared, own = self.libraries
        with self.lock:
            if not self.inside:
                self.held = _hold(shared) or self.held
            self.inside.add(threading.get_ident())
        self.here.held = _hold(own) or getattr(self.here, "held", [])

    def leave(self) -> None:
        """Let them go, if nobody else is inside."""
        _release(getattr(self.here, "held", []))
        self.here.held = []
        with self.lock:
            self.inside.discard(threading.get_ident())
            if not self.inside:
                _release(self.held)
                self.held = []


def _hold(libraries: list[Any]) -> Held:
    counts = [(library, int(library.get_num_threads())) for library in libraries]
    held = [(library, count) for library, count in counts if count != 1]
    for library, _ in held:
        _set(library, 1)
    return held


def _release(held: Held) -> None:
    for library, count in held:
        _set(library, count)


def _set(library: Any, count: int) -> None:
    """Set the number of threads; threadpoolctl lets one thread of a process do so at most."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(count)


_GATE = _Gate()


@contextlib.contextmanager
def single_threaded() -> Iterator[None]:
    """Hold linear algebra to one thread inside the block.

    >>> with single_threaded():
    ...     pass
    """
    if _GATE.entered():
        yield
        return
    try:
        _GATE.enter()
        yield
    finally:
        _GATE.leave()


def on_one_thread(function: Function) -> Function:
    """Let a function run with linear algebra held to one thread."""

    @functools.wraps(function)
    def held(*values: Any, **named: Any) -> Any:
        if _GATE.entered():
            return function(*values, **named)
        try:
            _GATE.enter()
            return function(*values, **named)
        finally:
            _GATE.leave()

    return cast(Function, held)
