"""What the command ``zerokelvin`` needs before anything else is imported; a library's caller sees none of it.

Ctrl-C. The imports take seconds, and an interrupt in the middle of one would end in a traceback of somebody
else's module. So where this process is the command (its script, or ``python -m zerokelvin``), `guard` lets
Ctrl-C end the imports at once, quietly, with exit code 130. From `watch` on, the first Ctrl-C raises
KeyboardInterrupt, so that drafts are deleted and children stopped. Code that does not come back to Python in
time, a compiled game or the threads of a pool, is not waited for longer than `PATIENCE` seconds: a thread
that is woken by the signal itself ends the process.

Warnings are one line, without the place in the code. Importing this module calls `guard`.
"""

from __future__ import annotations

import os
import signal
import sys
import time

TYPE_CHECKING = False  # typing itself takes time to import
if TYPE_CHECKING:
    import socket
    from types import FrameType
    from typing import Any

__all__ = ["BEGAN", "INTERRUPTED", "PROCESS", "finish", "guard", "interrupted", "leave", "watch"]

BEGAN = time.time()
"""When the package was first imported: files that were changed later are not what runs here (`jit`)."""

PROCESS = os.getpid()
"""The process that imported the package; a fork of it has another number (`jit`)."""

INTERRUPTED = 130
"""The exit code: 128 and the number of the signal, as shells have it."""

PATIENCE = 2.0
"""Seconds that a command has to stop by itself."""

_signals: list[int] = []


def guard() -> None:
    """Let Ctrl-C end the imports of the command; does nothing in other processes."""
    if not (_is_module() or _is_script()):
        return
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not one who is told to ignore it
        try:
            signal.signal(signal.SIGINT, _quit)
        except ValueError:  # not the main thread, so no command
            return
    import warnings

    warnings.showwarning = _show


def watch() -> None:
    """From now on Ctrl-C raises KeyboardInterrupt, once, and ends the process if that takes too long."""
    import socket
    import threading

    ours_to_set = signal.getsignal(signal.SIGINT) in (_quit, signal.default_int_handler)
    if threading.current_thread() is not threading.main_thread() or not ours_to_set:
        return
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)
    signal.signal(signal.SIGINT, _raise_once)
    signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_end_late, args=(ours, theirs), daemon=True).start()
    sys.unraisablehook = _unraisable


def interrupted() -> bool:
    """Whether Ctrl-C was pressed since `watch`."""
    return bool(_signals)


def finish() -> None:
    """The work is done: Ctrl-C has nothing left to stop."""
    if signal.getsignal(signal.SIGINT) is _raise_once:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def leave(code: int) -> None:
    """End the process now: what was printed is flushed, threads are not waited for."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):  # full, closed or absent
            continue
    os._exit(code)


def _is_module() -> bool:
    words = sys.orig_argv
    return sys.argv[:1] == ["-m"] and "-m" in words and words[words.index("-m") + 1 :][:1] == ["zerokelvin"]


def _is_script() -> bool:
    return bool(sys.argv) and os.path.splitext(os.path.basename(sys.argv[0]))[0] in (  # noqa: PTH119, PTH122
        "zerokelvin",
        "zerokelvin-script",
    )


def _quit(number: int, frame: FrameType | None) -> None:
    """End the imports; a script of that name that is past its imports is a program of its own."""
    place = frame
    while place is not None and not place.f_code.co_filename.startswith("<frozen importlib"):
        place = place.f_back
    if place is not None or _is_module():
        os._exit(INTERRUPTED)
    signal.default_int_handler(number, frame)


def _raise_once(number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _signals.append(number)
    raise KeyboardInterrupt


def _end_late(ours: socket.socket, _theirs: socket.socket) -> None:
    """Wait for the signal, then for the process to stop by itself; holds both ends open."""
    ours.setblocking(True)
    while signal.SIGINT not in ours.recv(64):
        continue
    time.sleep(PATIENCE)
    try:
        cursor = b"\x1b[?25h" if os.isatty(2) else b""  # the progress bar hides it
        os.write(2, cursor + b"Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)


def _unraisable(problem: Any) -> None:
    """An interrupt that falls into a finaliser is not shown; the thread that watches ends the process."""
    if not isinstance(problem.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(problem)


def _show(message: Warning | str, *_where: Any, **_more: Any) -> None:
    try:
        sys.stderr.write(f"Warning: {' '.join(str(message).split())}\n")
    except (OSError, ValueError, AttributeError):
        return


guard()
