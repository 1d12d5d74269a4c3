"""Several processes compile side by side: a signature is compiled by one, and read from disk by the others.

Who is going to compile a kernel for a signature claims it: a byte of the file `CLAIMS` in the folder of the
cache, locked as long as it takes, so that the claim of a process that is killed ends with it. Who finds it
claimed waits, and then finds the code on disk; the wait counts as compilation. Kernels call each other in one
direction only, so claims that wait for claims never form a circle. Where files cannot be locked, or after
`PATIENCE`, everybody compiles for himself. An interrupt waits for the kernel at hand, but for no other
process.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from zerokelvin.jit import background
from zerokelvin.jit.compilation import counted
from zerokelvin.jit.held_interrupts import interrupts_held

__all__ = ["is_kept", "share", "try_to_compile"]

CLAIMS = "zerokelvin.claims"

PATIENCE = 60.0
"""Seconds to wait for another process: more than any kernel takes; it may have been stopped."""

STEP = 0.02

_FILES: dict[Path, int] = {}


def share(compiled: Any) -> None:
    """Let a dispatcher with files on disk compile only what no other process is compiling."""
    from numba.core.compiler_lock import global_compiler_lock

    by_numba: Callable[[Any], Any] = compiled.compile

    def alone(signature: Any) -> Any:
        with interrupts_held():
            return by_numba(signature)

    def compile_or_wait(signature: Any) -> Any:
        kinds = tuple(signature)
        if kinds in compiled.overloads:
            return alone(signature)
        with global_compiler_lock:  # first of all, or two threads could each hold what the other wants
            if is_kept(compiled, kinds):
                return alone(signature)
            background.help_with_the_rest()
            with contextlib.ExitStack() as claims:
                if not claims.enter_context(_claimed(compiled, kinds)):
                    with counted(compiled, kinds):
                        _wait(compiled, kinds, claims)
                return alone(signature)

    compiled.compile = compile_or_wait


def is_kept(compiled: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether there is code on disk for a signature of a dispatcher."""
    cache = compiled._cache
    files = getattr(cache, "_cache_file", None)
    if files is None:
        return False
    from numba.core.compiler_lock import global_compiler_lock

    with interrupts_held(), global_compiler_lock:  # what is refreshed belongs to all threads
        compiled.targetctx.refresh()
        return cache._index_key(kinds, compiled.targetctx.codegen()) in files._load_index()


def try_to_compile(compiled: Any, kinds: tuple[Any, ...]) -> bool:
    """Compile a signature and keep it, unless it is kept or another process is at it; whether it was done."""
    if is_kept(compiled, kinds):
        return False
    with _claimed(compiled, kinds) as free:
        if not free or is_kept(compiled, kinds):
            return False
    compiled.compile(kinds)  # claims it again
    return True


def _wait(compiled: Any, kinds: tuple[Any, ...], claims: contextlib.ExitStack) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(STEP)
        if is_kept(compiled, kinds) or claims.enter_context(_claimed(compiled, kinds)):
            return


@contextlib.contextmanager
def _claimed(compiled: Any, kinds: tuple[Any, ...]) -> Iterator[bool]:
    """Whether nobody else claims a signature; it is then claimed until the block ends."""
    files = compiled._cache._cache_file
    name = f"{files._index_name} {kinds}".encode()
    place = int.from_bytes(hashlib.sha256(name).digest()[:4], "big") >> 2  # below 2³⁰, for all file systems
    file = _file_in(Path(files._cache_path))
    if file is None:
        yield True
        return
    if not _lock(file, place, on=True):
        yield False
        return
    try:
        yield True
    finally:
        _lock(file, place, on=False)


def _file_in(folder: Path) -> int | None:
    """The open file of claims in a folder, one for the process: closing it would end all its claims."""
    file = _FILES.get(folder)
    if file is None:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            file = os.open(folder / CLAIMS, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
            _FILES[folder] = file
    return file


def _lock(file: int, place: int, on: bool) -> bool:
    """Lock a byte, or give it back; False if another process has it, True where nothing can be locked."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(file, place, os.SEEK_SET)
            how = msvcrt.LK_NBLCK if on else msvcrt.LK_UNLCK
            msvcrt.locking(file, how, 1)
        else:
            import fcntl

            how = fcntl.LOCK_EX | fcntl.LOCK_NB if on else fcntl.LOCK_UN
            fcntl.lockf(file, how, 1, place)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # a file system without locks
        return True
    return True
