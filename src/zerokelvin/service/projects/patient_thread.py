"""Work that gives way: done in a thread that the system runs less often than those that answer requests.

On Linux every thread has a niceness and cores of its own (`setpriority(2)`, `sched(7)`), although POSIX gives
one niceness to the process; threads that it starts inherit both. Elsewhere the work is done at the usual
priority, on all cores.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

__all__ = ["NICENESS", "give_way", "patiently"]

T = TypeVar("T")

NICENESS = 5
"""Above that of the process: about a third of the share of a core, if others want it."""


def patiently(work: Callable[[], T], name: str, all_cores: bool = False) -> T:
    """What a function gives, called in a thread of its own that gives way to the others of the process.

    Unless it may use `all_cores`, it leaves one to them. The thread does not keep the process from ending.
    """
    given: list[T] = []
    problems: list[BaseException] = []

    def run() -> None:
        give_way(all_cores)
        try:
            given.append(work())
        except BaseException as problem:  # noqa: BLE001 - whoever waits has it raised
            problems.append(problem)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    thread.join()
    if problems:
        raise problems[0]
    return given[0]


def give_way(all_cores: bool = False) -> None:
    """Let this thread, and those that it starts, give way to the others of the process from now on.

    Niceness alone is not enough: whoever is woken waits for some milliseconds where every core is computing.
    """
    if sys.platform == "linux":
        own = threading.get_native_id()
        with contextlib.suppress(OSError):  # then it does not give way, and works as well
            os.setpriority(os.PRIO_PROCESS, own, os.getpriority(os.PRIO_PROCESS, own) + NICENESS)
        cores = os.sched_getaffinity(own)
        if len(cores) > 1 and not all_cores:
            with contextlib.suppress(OSError):
                os.sched_setaffinity(own, cores - {min(cores)})
