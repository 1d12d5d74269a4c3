"""Ctrl-C that waits for the end of what does not bear to be cut short.

An import of numba that an interrupt ends half way leaves modules that are half there: nothing in the process
can be compiled from then on, and every later call fails with an error that nobody understands. While numba
compiles, an interrupt may come in a function that machine code calls, which loses it, and then either nothing
is interrupted or an error says that there is no compiled object; what it knows of types it takes from
generators, which an interrupt ends for good. The import takes half a second and a kernel
seldom more than two, so the interrupt waits for that.
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

__all__ = ["interrupts_held"]


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt wait for the end of the block, and be raised there.

    Python raises it in the main thread, so nothing is done in others; nor where nobody in Python heeds it.

    >>> before = signal.signal(signal.SIGINT, lambda number, frame: print("interrupted"))
    >>> with interrupts_held():
    ...     signal.raise_signal(signal.SIGINT)
    ...     print("all of it")
    all of it
    interrupted
    >>> _ = signal.signal(signal.SIGINT, before)
    """
    heeded = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(heeded):
        yield
        return
    came: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heeded)
        if came:
            heeded(*came[0])
