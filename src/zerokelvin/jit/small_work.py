"""Small work is played by the interpreter: nobody waits seconds for a compiler to save milliseconds.

Kernels are Python functions, and give the same numbers to the last bit whether compiled or not (a test plays
every learner both ways). On the seven nodes of the README's example all of them together take .1 s
uncompiled, and 16 s to compile. So a call is `played` by the interpreter

- while this process has used no compiled code, until `FREE` seconds went into it: less than it takes to
  import numba and to read the code of some thirty kernels from disk;
- after that, where no code for these types is on disk, until `OWN` seconds went into this kernel or `TOTAL`
  into all: who would have had to compile it all the same has then waited at most about twice as long.

Only calls whose arrays have at most `SMALL` numbers together, so that no single call takes long, and only
kernels whose Python gives the bits that compiled code gives (`is_exact`). Kernels that such a call calls are
played with it. Floating point is silent meanwhile as compiled code is, but for division by zero, and what
comes back has the types that compiled code gives back.

With the environment variable ``ZEROKELVIN_COMPILE=now``, or after ``compile_now(True)``, nothing is played.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Recorder",
    "compile_now",
    "compiling_now",
    "is_inside",
    "is_played_first",
    "is_played_on",
    "is_small",
    "now",
]
__all__ += ["plain", "play", "recorded", "use_compiled"]

SMALL = 4_096
"""Numbers in all arrays of a call: a hundred nodes with a few hundred edges. Such calls take up to .05 s."""

FREE = 0.3
"""Seconds: importing numba takes .2 to .5, reading a kernel from disk some 10 ms."""

OWN = 0.5
"""Seconds: what a kernel takes to compile, on average over the README's example (16 s, 31 kernels)."""

TOTAL = 5.0
"""Seconds of small work after which a process is one that computes."""

Recorder = Callable[[Any, tuple[Any, ...], dict[str, Any]], None]


@dataclass
class _LeftToPython:
    """What this process has left to the interpreter."""

    now: bool = field(default_factory=lambda: os.environ.get("ZEROKELVIN_COMPILE", "") == "now")
    compiled_is_used: bool = False
    spent: float = 0.0
    by_kernel: dict[str, float] = field(default_factory=dict)
    recorder: Recorder | None = None


_LEFT = _LeftToPython()


class _Inside(threading.local):
    """Whether this thread is in a kernel that the interpreter plays."""

    here = False


_INSIDE = _Inside()


def compile_now(on: bool) -> None:
    """Compile every kernel when it is first called, in this process alone; or go back to the usual.

    Examples
    --------
    >>> import zerokelvin as zk
    >>> before = zk.jit.small_work.now()
    >>> zk.jit.compile_now(True)  # for measuring: nothing is interpreted, nothing compiled in the background
    >>> zk.jit.compile_now(before)
    """
    _LEFT.now = on


@contextlib.contextmanager
def compiling_now() -> Iterator[None]:
    """The same for a block: what is done in it is done to have it compiled."""
    before, _LEFT.now = _LEFT.now, True
    try:
        yield
    finally:
        _LEFT.now = before


def now() -> bool:
    """Whether nothing is left to the interpreter, nor to other processes."""
    return _LEFT.now


def use_compiled() -> None:
    """Note that this process has numba and a kernel of it: from now on what is on disk costs little."""
    _LEFT.compiled_is_used = True


def is_inside() -> bool:
    """Whether the kernel that is called is called by one that the interpreter plays."""
    return _INSIDE.here


def is_played_first(values: tuple[Any, ...]) -> bool:
    """Whether a call is left to the interpreter without a look at what is on disk."""
    if _LEFT.recorder is not None:
        return True
    return not _LEFT.now and not _LEFT.compiled_is_used and _LEFT.spent < FREE and is_small(values)


def is_played_on(name: str, values: tuple[Any, ...]) -> bool:
    """Whether a call is left to the interpreter where there is no code for it on disk."""
    if _LEFT.recorder is not None:
        return True
    own = _LEFT.by_kernel.get(name, 0.0)
    return not _LEFT.now and own < OWN and _LEFT.spent < TOTAL and is_small(values)


def is_small(values: tuple[Any, ...], most: int = SMALL) -> bool:
    """Whether arrays, also in tuples of them, have at most so many numbers together.

    >>> import numpy as np
    >>> is_small((np.zeros(10), (np.zeros((10, 10)), 3))), is_small((np.zeros((80, 80)),))
    (True, False)
    """
    from numpy import ndarray  # not before a kernel is called: help texts do without it

    return _numbers(values, most, ndarray) <= most


def _numbers(values: tuple[Any, ...], most: int, array: Any) -> int:
    count = 0
    for value in values:
        if isinstance(value, array):
            count += value.size
        elif isinstance(value, tuple):
            count += _numbers(value, most, array)
        if count > most:
            break
    return count


def play(kernel: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of a kernel's Python function, as its compiled code gives it."""
    if _INSIDE.here:
        return kernel.py_func(*values, **named)
    if _LEFT.recorder is not None:
        _LEFT.recorder(kernel, values, named)
    from numpy import errstate

    began = time.thread_time()
    _INSIDE.here = True
    try:
        with errstate(divide="raise", over="ignore", under="ignore", invalid="ignore"):
            return plain(kernel.py_func(*values, **named))
    finally:
        _INSIDE.here = False
        seconds = time.thread_time() - began
        name = f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"
        _LEFT.spent += seconds
        _LEFT.by_kernel[name] = _LEFT.by_kernel.get(name, 0.0) + seconds


def plain(result: Any) -> Any:
    """A result with Python's numbers for NumPy's, as numba hands them out.

    >>> import numpy as np
    >>> plain((np.float64(0.5), np.int64(3), np.bool_(True)))
    (0.5, 3, True)
    """
    from numpy import generic

    if isinstance(result, generic):
        return result.item()
    if isinstance(result, tuple):
        parts = map(plain, result)
        return tuple(parts) if type(result) is tuple else type(result)(*parts)
    return result


@contextlib.contextmanager
def recorded(recorder: Recorder) -> Iterator[None]:
    """Leave every call to the interpreter, of whatever size, and tell of each: ``recorder(kernel, values)``.

    Kernels that are not exact are compiled all the same.
    """
    before, _LEFT.recorder = _LEFT.recorder, recorder
    try:
        yield
    finally:
        _LEFT.recorder = before
