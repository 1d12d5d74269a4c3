"""One thread for linear algebra, so that every margin is the same on any number of them.

A BLAS library splits sums among its threads, and a sum split otherwise rounds otherwise. `single_threaded`
holds the BLAS libraries of the process to one thread while a margin, or what margins are made from, is
computed; `alone` does so for a function. The number of threads belongs to the whole process: the first to
enter sets it to one, the last to leave puts it back, so that several threads of a program may enter and leave
in any order. Code outside is never made wrong by that, only slower for as long.

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

__all__ = ["alone", "single_threaded"]

Function = TypeVar("Function", bound=Callable[..., Any])


class _Gate:
    """Counts who is inside; the libraries have one thread while anyone is."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.inside = 0
        self.held: list[tuple[Any, int]] = []  # the libraries that had more threads, and how many

    @functools.cached_property
    def libraries(self) -> list[Any]:
        return list(ThreadpoolController().select(user_api="blas").lib_controllers)

    def enter(self) -> None:
        with self.lock:
            if self.inside == 0:
                counts = [(library, int(library.get_num_threads())) for library in self.libraries]
                self.held = [(library, count) for library, count in counts if count != 1]
                for library, _ in self.held:
                    library.set_num_threads(1)
            self.inside += 1

    def leave(self) -> None:
        with self.lock:
            self.inside -= 1
            if self.inside == 0:
                for library, count in self.held:
                    library.set_num_threads(count)


_GATE = _Gate()
_HERE = threading.local()  # whether this thread is inside already: then there is nothing to do


@contextlib.contextmanager
def single_threaded() -> Iterator[None]:
    """Hold linear algebra to one thread inside the block.

    >>> with single_threaded():
    ...     pass
    """
    if getattr(_HERE, "inside", False):
        yield
        return
    _GATE.enter()
    _HERE.inside = True
    try:
        yield
    finally:
        _HERE.inside = False
        _GATE.leave()


def alone(function: Function) -> Function:
    """Let a function run with linear algebra held to one thread."""

    @functools.wraps(function)
    def held(*values: Any, **named: Any) -> Any:
        if getattr(_HERE, "inside", False):
            return function(*values, **named)
        _GATE.enter()
        _HERE.inside = True
        try:
            return function(*values, **named)
        finally:
            _HERE.inside = False
            _GATE.leave()

    return cast(Function, held)
