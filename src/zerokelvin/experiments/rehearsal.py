"""What a learner needs compiled, found by rehearsing: its work, played by the interpreter, written down.

What is compiled depends on the types of what kernels are given, so the only list of all that a learner needs
is the learner at work. The interpreter needs a second or two for the small graphs of `PIECES`, and every call
of a kernel from Python is noted with its types. What a piece needs is compiled from its end: the process that
cannot wait compiles what it needs from the beginning, and the two meet (`zerokelvin.jit.shared_compiling`).

This module is what `zerokelvin.jit.background` starts as a process.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from zerokelvin.errors import ZerokelvinError
from zerokelvin.experiments.warming import PIECES
from zerokelvin.file_lock import lock_file
from zerokelvin.jit.background import LOCK, folder_of_marks, mark
from zerokelvin.jit.kernel_code import CacheWarning
from zerokelvin.jit.shared_compiling import try_to_compile
from zerokelvin.jit.small_work import recorded
from zerokelvin.learners import LEARNERS

__all__ = ["Needed", "compile_ahead", "main", "rehearse"]

LONGEST = 600.0
"""Seconds after which the process in the background begins no further kernel."""

POLITE = 10
"""What is added to the niceness of a process that nobody waits for."""


class Needed(NamedTuple):
    """A kernel, and the numba types that it is called with."""

    kernel: Any
    kinds: tuple[Any, ...]


def rehearse(learner: str) -> Iterator[list[Needed]]:
    """The kernels that a learner needs, with the types they are called with.

    For each of `PIECES` what is new in it, in the order of first use. The next piece is rehearsed when its
    list is asked for.
    """
    known: set[Needed] = set()
    for piece in PIECES:
        found = [one for one in _calls(piece, learner) if one not in known]
        known.update(found)
        yield found


def _calls(piece: Callable[[str], object], learner: str) -> dict[Needed, None]:
    found: dict[Needed, None] = {}

    def note(kernel: Any, values: tuple[Any, ...], named: dict[str, Any]) -> None:
        dispatcher = kernel.dispatcher
        _, given = dispatcher._compiler.fold_argument_types(
            tuple(dispatcher.typeof_pyval(value) for value in values),
            {name: dispatcher.typeof_pyval(value) for name, value in named.items()},
        )
        found[Needed(kernel, tuple(given))] = None

    with recorded(note), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", CacheWarning)
        with contextlib.suppress(ZerokelvinError):  # a learner that this graph is not for
            piece(learner)
    return found


def compile_ahead(learners: Iterable[str], end: float) -> int:
    """Compile what is on no disk yet and what no other process is at; how many kernels that were.

    Nothing is begun after the moment `end` of the monotonic clock.
    """
    count = 0
    for learner in learners:
        for needed in rehearse(learner):
            for one in reversed(needed):
                if time.monotonic() < end:
                    count += try_to_compile(one.kernel.dispatcher, one.kinds)
    return count


def main(words: Sequence[str]) -> None:
    """Compile what learners need; prints how many kernels. One process at a time does this.

    The first word says whether somebody waits, ``beside`` or ``ahead``; the learners follow.
    """
    way, *learners = words
    folder = folder_of_marks()
    if folder is None:
        return
    if way == "ahead" and hasattr(os, "nice"):
        os.nice(POLITE)
    with (folder / LOCK).open("ab") as file:
        if not _is_only(file):
            return
        known = [name for name in learners if name in LEARNERS]  # not those that a program made for itself
        try:
            count = compile_ahead(known, time.monotonic() + LONGEST)
        except CacheWarning:  # nothing can be kept
            return
        for name in learners:
            mark(name)
    with contextlib.suppress(OSError):  # nobody reads it any more
        sys.stdout.write(f"{count}\n")
        sys.stdout.flush()


def _is_only(file: Any) -> bool:
    """Whether no other process has locked a file; True where files cannot be locked."""
    try:
        lock_file(file.fileno())
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True
    return True
