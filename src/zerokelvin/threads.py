"""One thread for linear algebra, so that every margin is the same on any number of them; several for tasks.

A BLAS library splits sums among its threads, and a sum split otherwise rounds otherwise. `on_one_thread`
holds the BLAS libraries of the process to one thread while a margin, or what margins are made from, is
computed. The number of threads belongs to the whole process: the first to enter sets it to one, the last to
leave puts it back, so that several threads of a program may enter and leave in any order. Code outside is
never made wrong by that, only slower for as long.

A BLAS that cannot be told its number of threads (Apple's Accelerate) is left as it is.

`in_threads` runs tasks that have nothing to do with each other, each of them whole on one thread: what comes
out is the same on any number of them, too.
"""

from __future__ import annotations

import contextvars
import functools
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

__all__ = ["in_threads", "on_one_thread"]

Function = TypeVar("Function", bound=Callable[..., Any])
Value = TypeVar("Value")
Held = dict[str, tuple[Any, int]]  # by path, libraries that had more threads and how many


class _Gate:
    """Knows which threads are inside; the libraries have one thread while any is.

    Where a library counts threads for each calling thread by itself (OpenMP), whoever enters sets its own. An
    interrupt may come anywhere, also in here: the lock is then free for its own thread, `leave` may be called
    whether `enter` came to its end or not, and at worst the libraries keep one thread until the next visit.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.inside: set[int] = set()
        self.held: Held = {}
        self.here = threading.local()

    @functools.cached_property
    def libraries(self) -> tuple[list[Any], list[Any]]:
        """Those with one number of threads for the process, and those with one per calling thread."""
        import scipy.linalg  # noqa: F401  # so that its library is among those found
        from threadpoolctl import ThreadpoolController

        found = ThreadpoolController().select(user_api="blas").lib_controllers
        own = [library for library in found if getattr(library, "threading_layer", "") == "openmp"]
        return [library for library in found if library not in own], own

    def enter(self) -> None:
        """Hold the libraries to one thread."""
        shared, own = self.libraries
        with self.lock:
            _hold(shared, self.held)
            self.inside.add(threading.get_ident())
        _hold(own, vars(self.here).setdefault("held", {}))

    def leave(self) -> None:
        """Let them go, if nobody else is inside."""
        _release(vars(self.here).setdefault("held", {}))
        with self.lock:
            self.inside.discard(threading.get_ident())
            if not self.inside:
                _release(self.held)


def _hold(libraries: list[Any], held: Held) -> None:
    """Give each library one thread, after noting how many it had."""
    for library in libraries:
        count = int(library.get_num_threads())
        if count != 1:
            held[library.filepath] = library, count
            _set(library, 1)


def _release(held: Held) -> None:
    """Give the libraries back what they had, and forget it only when that is done."""
    for library, count in list(held.values()):
        _set(library, count)
    held.clear()


def _set(library: Any, count: int) -> None:
    """Set the number of threads; threadpoolctl lets one thread of a process do so at most."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(count)


_GATE = _Gate()
_INSIDE = contextvars.ContextVar("inside", default=False)


def on_one_thread(function: Function) -> Function:
    """Let a function run with linear algebra held to one thread.

    >>> on_one_thread(sum)([1, 2])
    3
    """

    @functools.wraps(function)
    def held(*values: Any, **named: Any) -> Any:
        if _INSIDE.get():
            return function(*values, **named)
        return contextvars.copy_context().run(_visit, function, values, named)

    return cast(Function, held)


def _visit(function: Function, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Run a function inside; that this thread is inside ends with the context, whatever interrupts it."""
    _INSIDE.set(True)
    try:
        _GATE.enter()
        return function(*values, **named)
    finally:
        _GATE.leave()


def in_threads(tasks: Sequence[Callable[[], Value]], worth: bool = True) -> list[Value]:
    """Run tasks that do not depend on each other on all cores of the process: their results, in order.

    One after the other where that is not `worth` the start of threads, about a tenth of a millisecond each.

    When this returns or raises, an interrupt included, no task is running any more. Of several errors that of
    the first task is raised.

    >>> in_threads([lambda: 1, lambda: 2])
    [1, 2]
    """
    if not worth:
        return [task() for task in tasks]
    todo = deque(range(len(tasks)))
    results: dict[int, Value] = {}
    problems: dict[int, BaseException] = {}

    def work() -> None:
        while todo:
            try:
                k = todo.popleft()
            except IndexError:  # another thread was faster
                return
            try:
                results[k] = tasks[k]()
            except BaseException as problem:  # noqa: BLE001  # raised below, in the thread that asked
                problems[k] = problem
                todo.clear()

    helpers = [threading.Thread(target=work) for _ in range(min(len(tasks), _cores()) - 1)]
    try:
        try:
            for helper in helpers:
                helper.start()
            work()
        finally:  # nothing is left to do here, unless something was raised
            todo.clear()
            _wait(helpers)
    finally:  # an interrupt at any line above must not leave a task running
        todo.clear()
        _wait(helpers)
    if problems:
        raise problems[min(problems)]
    return [results[k] for k in range(len(tasks))]


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wait(helpers: Sequence[threading.Thread]) -> None:
    """Wait until all threads have ended."""
    for helper in helpers:
        if helper.is_alive():
            helper.join()
